// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Are all zeros of a polynomial inside the unit circle? Stable, unstable, or undecidable from rounded
/// coefficients. The recursion of the chosen test decides only if rounding cannot change it; singular and
/// close cases are decided on the circle itself, see circle_scan.hpp, and the rest is `undecided`.

#pragma once

#include <panto/poly/bistritz.hpp>
#include <panto/poly/circle_scan.hpp>
#include <panto/poly/jury.hpp>
#include <panto/poly/schur_cohn.hpp>

#include <cstdint>

namespace panto::poly {

enum class Verdict : std::uint8_t {
    stable,    ///< all zeros inside the circle
    unstable,  ///< at least one zero outside
    undecided  ///< none certainly outside, but some too near the circle to decide
};

enum class Test : std::uint8_t {
    schur_cohn,
    bistritz,
    jury,  ///< for real polynomials; falls back on Schur-Cohn, its complex form, for others
    scan   ///< directly by the scan of the circle
};

/// Where the zeros are. `inside` and `outside` are certain for every polynomial whose coefficients differ by no more
/// than the margin; `near` are the others.
struct ZeroCount {
    int inside = 0;
    int outside = 0;
    int near = 0;
    Verdict verdict = Verdict::undecided;
    bool regular = true;  ///< false if the recursion of the chosen test was singular
};

struct StabilityParams {
    Test test = Test::schur_cohn;
    double margin = 0.0;  ///< uncertainty of the coefficients as a fraction of sum |b_k|; 0: rounding_margin()
};

namespace detail {

/// The count for a polynomial that may have zeros on the circle within its margin: the zeros inside and outside are
/// those of the nearest circles that certainly have no zeros on them.
template <class = void>
ZeroCount count_around(const ComplexPolynomial& b, double margin) {
    const int n = static_cast<int>(b.size()) - 1;
    ZeroCount count;
    for (const int side : {-1, 1})
        for (int exponent = -40; exponent < -1; exponent += 2)
            if (const auto k = zeros_inside(scaled(b, 1.0 + side * std::ldexp(1.0, exponent)), margin)) {
                (side < 0 ? count.inside : count.outside) = side < 0 ? *k : n - *k;
                break;
            }
    count.near = n - count.inside - count.outside;
    return count;
}

}  // namespace detail

/// @throws SetupError if `b` is constant, not finite, or leads with 0, or if the margin is not in [0, 1).
template <class = void>
[[nodiscard]] ZeroCount stability(const ComplexPolynomial& b, const StabilityParams& p = {}) {
    constexpr std::string_view here = "poly::stability";
    check(b, here);
    require_not_negative(p.margin, here, "margin");
    require(p.margin < 1.0, here, "margin is ", p.margin, ", must be from 0 to 1");
    const double margin = p.margin > 0.0 ? p.margin : rounding_margin(b.size() - 1);
    ZeroCount count;
    bool known = false;
    if (p.test != Test::scan) {
        const bool real = !(b.imag().cwiseAbs().maxCoeff() > 0.0);
        const ZeroTest t = p.test == Test::bistritz       ? bistritz(b, margin)
                           : p.test == Test::jury && real ? jury(b.real(), margin)
                                                          : schur_cohn(b, margin);
        count.regular = t.regular;
        known = t.regular && t.certain;
        if (known) count.inside = t.inside, count.outside = t.outside;
    }
    if (!known) {
        if (const auto inside = zeros_inside(b, margin)) {
            count.inside = *inside, count.outside = static_cast<int>(b.size()) - 1 - *inside;
        } else {
            const bool regular = count.regular;
            count = detail::count_around(b, margin);
            count.regular = regular;
        }
    }
    count.verdict = count.outside > 0 ? Verdict::unstable : count.near > 0 ? Verdict::undecided : Verdict::stable;
    return count;
}

/// The same for any other vector of coefficients.
template <class Derived>
[[nodiscard]] ZeroCount stability(const Eigen::MatrixBase<Derived>& b, const StabilityParams& p = {}) {
    return stability(ComplexPolynomial(b.template cast<Complex>()), p);
}

}  // namespace panto::poly
