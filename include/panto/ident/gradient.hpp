// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Derivatives of any result of a model by dual numbers, exact, K parameters at a time; and, under a separate name,
/// by differences. For very many parameters and one number as result see adjoint.hpp.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/dual.hpp>
#include <panto/core/status.hpp>
#include <panto/opt/detail/gradient.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace panto::ident {

/// Residuals of a model that is a template on its scalar, `f(const Vector<S, Dynamic>& p) -> Vector<S, Dynamic>`, as a
/// least-squares problem with exact Jacobian: ceil(n/K) runs with K derivatives each; the first run also brings the
/// residuals.
template <class F, int K = 6>
class DualResiduals {
  public:
    explicit DualResiduals(F f) : f_(std::move(f)) {}

    [[nodiscard]] Status residuals(const Vector<double, Dynamic>& p, Vector<double, Dynamic>& r) const {
        r = f_(p);
        return is_finite(r.squaredNorm()) ? Status::ok : Status::not_finite;
    }

    [[nodiscard]] Status linearize(const Vector<double, Dynamic>& p, Vector<double, Dynamic>& r,
                                   Matrix<double, Dynamic>& J) const {
        const int n = static_cast<int>(p.size());
        for (int first = 0; first < n; first += K) {
            Vector<Dual<K>, Dynamic> seeded(n);
            const int count = std::min(K, n - first);
            for (int i = 0; i < n; ++i)
                seeded[i] = i >= first && i < first + count ? Dual<K>::variable(p[i], i - first) : Dual<K>(p[i]);
            const Vector<Dual<K>, Dynamic> y = f_(seeded);
            if (first == 0) r.resize(y.size()), J.resize(y.size(), n);
            for (Eigen::Index k = 0; k < y.size(); ++k) {
                if (first == 0) r[k] = y[k].value();
                for (int i = 0; i < count; ++i) J(k, first + i) = y[k].derivative(i);
            }
        }
        return is_finite(r.squaredNorm()) && is_finite(J.squaredNorm()) ? Status::ok : Status::not_finite;
    }

  private:
    F f_;
};

/// The gradient of one number, `f(const Vector<Dual<K>, Dynamic>& p) -> Dual<K>`, by ceil(n/K) runs.
template <int K, class F>
[[nodiscard]] Vector<double, Dynamic> gradient_by_duals(const F& f, const Vector<double, Dynamic>& p) {
    require(p.size() > 0, "ident::gradient_by_duals", "p is empty, at least one parameter is needed");
    const auto vector = [&](const auto& seeded) {
        using S = typename std::decay_t<decltype(seeded)>::Scalar;
        Vector<S, Dynamic> one(1);
        one[0] = f(seeded);
        return one;
    };
    Vector<double, Dynamic> value;
    Matrix<double, Dynamic> J;
    const DualResiduals<decltype(vector), K> problem(vector);
    (void)problem.linearize(p, value, J);
    return J.row(0).transpose();
}

/// The fallback for models that exist only in double: central differences with the step `relative` times |p_i|, or
/// times `typical`, the typical sizes of the parameters. The step is checked; if it is good, this takes 4 n + 1 runs. A
/// step that changes the value by hardly more than rounding is made longer, up to 1e16 or a hundredth of `typical`,
/// since a parameter may be 1 at the start and matter at 1e12; this takes two runs for each factor of 10 to 100. A
/// parameter that is exactly 0 is treated as one of size 1, or smaller. A step at which the value
/// does not lie on the parabola through p_i and the points at a sixteenth of the step is divided by 16 until it does,
/// since a parameter may be a time of 1.7e9 s and act within 2 s; every division takes two runs. No step is shorter
/// than 1000 roundings of p_i. About ten digits are right if the model is smooth, five or six where it varies fast, as
/// exp(700 p); none are if an adaptive solver or a set of active droppers changes between the two runs.
/// @throws SetupError if `relative` is not between 1e-14, where rounding hides all change, and 0.1, `typical`
/// differs in size from p or has an entry that is not positive, f has no finite value at p or on either side of it, or
/// a parameter changes f, but never by more than 100 roundings.
template <class F>
[[nodiscard]] Vector<double, Dynamic> gradient_by_differences(const F& f, const Vector<double, Dynamic>& p,
                                                              double relative = 6e-6,
                                                              const Vector<double, Dynamic>& typical = {}) {
    constexpr std::string_view here = "ident::gradient_by_differences";
    constexpr double infinite = std::numeric_limits<double>::infinity();
    require(relative >= 1e-14 && relative <= 0.1, here, "relative is ", relative, ", must be from 1e-14 to 0.1");
    opt::check_typical(typical, p.size(), here);
    const double value = f(p);
    require_finite(value, here, "f(p)");
    const double noise = std::numeric_limits<double>::epsilon() * std::abs(value);
    constexpr double farthest = 1e18;  // a hundredth of it is the longest step
    Vector<double, Dynamic> gradient(p.size()), other = p;
    for (Eigen::Index i = 0; i < p.size(); ++i) {
        std::vector<std::pair<double, double>> known;  // no run is made twice
        const auto along = [&](double t) {
            for (const auto& [at, y] : known)
                if (!(at < t) && !(at > t)) return y;
            other[i] = t;
            const double y = f(other);
            known.emplace_back(t, is_finite(y) ? y : infinite);
            return known.back().second;
        };
        const auto vector = [&](double t, Vector<double, Dynamic>& y) {
            y = Vector<double, Dynamic>::Constant(1, along(t));
            return is_finite(y[0]);
        };
        double limit = typical.size() > 0 ? typical[i] : infinite, change = 0.0;
        double size = typical.size() > 0 ? typical[i] : std::abs(p[i]), found = 0.0;
        const auto slope = [&] {
            return opt::detail::checked_slope(along, p[i], value, -infinite, infinite, relative,
                                              opt::detail::shortest_step(p[i], found), size, limit, size, gradient[i],
                                              change, farthest);
        };
        require(slope(), here, "f has no finite value near p[", i, "] = ", p[i]);
        require(!(change > 0.0) || change > 100.0 * noise, here, "p[", i, "] = ", p[i], " changes f by ", change,
                " at most, hardly more than the rounding of f = ", value,
                typical.size() > 0 ? ": give a larger typical size" : ": leave it out, or subtract what is constant");
        const double longest = opt::detail::rung * std::max(relative * size, opt::detail::shortest_step(p[i]));
        const auto c = opt::detail::credible_step(vector, p[i], Vector<double, Dynamic>::Constant(1, value), noise,
                                                  -infinite, infinite, longest);
        require(!c.coarse, here, "a change in the last digits of p[", i, "] = ", p[i],
                " changes f a lot: use its distance from a nearby point as the parameter");
        if (c.step > 0.0 && c.step < 0.5 * longest) {
            found = c.step / opt::detail::rung;
            limit = size = found / relative;
            (void)slope();
        }
        other[i] = p[i];
    }
    return gradient;
}

}  // namespace panto::ident
