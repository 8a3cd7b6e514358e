// SPDX-License-Identifier: BSD-3-Clause
// Schur-Cohn, Jury, Bistritz and the walk around the circle.
#include <panto/linalg/eigenvalues.hpp>
#include <panto/poly/stability.hpp>

#include "golden_json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

using namespace panto;
using poly::Complex;
using poly::Verdict;

namespace zero_tests_test {
namespace {

using Roots = Eigen::VectorXcd;
constexpr std::array every_test{poly::Test::schur_cohn, poly::Test::bistritz, poly::Test::jury, poly::Test::scan};

poly::ComplexPolynomial of(const nlohmann::json& entry) {
    const Eigen::VectorXd re = test::golden_matrix(entry.at("coef_re")), im = test::golden_matrix(entry.at("coef_im"));
    poly::ComplexPolynomial b(re.size());
    for (Eigen::Index k = 0; k < re.size(); ++k) b[k] = {re[k], im[k]};
    return b;
}

/// A random polynomial of degree n, and the matrix whose eigenvalues are its zeros.
std::pair<Eigen::VectorXd, Eigen::MatrixXd> polynomial_and_companion(int n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    std::normal_distribution<double> normal;
    Eigen::VectorXd b(n + 1);
    for (double& coefficient : b) coefficient = normal(random);
    Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
    companion.diagonal(-1).setOnes();
    companion.col(n - 1) = -b.head(n) / b[n];
    return {b, companion};
}

}  // namespace

TEST_CASE("the golden polynomials: Bistritz' sequence, singular ones, counts of all tests") {
    const auto entries = test::golden("waves_and_identification.json").at("poly");
    int regular = 0, singular = 0;
    for (const auto& item : entries.items()) {
        const auto& entry = item.value();
        if (!entry.is_object()) continue;
        CAPTURE(item.key());
        const auto b = of(entry);
        const auto t = poly::bistritz(b);
        if (entry.at("bistritz") != "regular") {
            ++singular;
            CHECK_FALSE(t.regular);
            CHECK_FALSE(t.stable());
        } else {
            ++regular;
            REQUIRE(t.regular);
            CHECK(t.outside == entry.at("nu").get<int>());
            CHECK(t.inside == static_cast<int>(b.size()) - 1 - t.outside);
            const Eigen::VectorXd expected = test::golden_matrix(entry.at("T1"));
            REQUIRE(static_cast<Eigen::Index>(t.sequence.size()) == expected.size());
            for (Eigen::Index k = 0; k < expected.size(); ++k)  // 1e-15: sums of numbers of size 1 that cancel
                CHECK(std::abs(t.sequence[static_cast<std::size_t>(k)] - expected[k]) <=
                      1e-9 * std::abs(expected[k]) + 1e-15);
        }
        const auto s = poly::schur_cohn(b);
        if (entry.at("schur_n_in").is_null()) {
            CHECK_FALSE(s.stable());
        } else {
            CHECK(s.inside == entry.at("schur_n_in").get<int>());
            if (!(b.imag().cwiseAbs().maxCoeff() > 0.0)) {
                const auto j = poly::jury(b.real());
                CHECK(j.regular);
                CHECK(j.inside == s.inside);
                CHECK(j.stable() == s.stable());
            }
        }
        const double largest = entry.at("max_abs_root");
        for (const auto which : every_test) {
            const auto count = poly::stability(b, {.test = which});
            CHECK(count.outside == entry.at("n_out").get<int>());
            CHECK(count.inside + count.outside + count.near == static_cast<int>(b.size()) - 1);
            CHECK(count.verdict == (largest > 1.0   ? Verdict::unstable
                                    : largest < 1.0 ? Verdict::stable
                                                    : Verdict::undecided));
        }
    }
    CHECK(regular == 7);
    CHECK(singular == 4);
}

TEST_CASE("singular polynomials are answered: reciprocal pairs, mirrored sizes, zeros at 1, at 0 and on the circle") {
    struct Case {
        Roots zeros;
        int inside, near, outside;
    };
    const Complex i(0.0, 1.0);
    for (const Case& c :
         {Case{Roots{{0.5, 2.0}}, 1, 0, 1}, Case{Roots{{0.5 * i, 2.0 * i}}, 1, 0, 1},
          Case{Roots{{0.5, 2.0 * i}}, 1, 0, 1}, Case{Roots{{i, -i}}, 0, 2, 0}, Case{Roots{{1.0, 0.5}}, 1, 1, 0},
          Case{Roots{{1.0}}, 0, 1, 0}, Case{Roots{{1.0, 3.0, 0.2 * i}}, 1, 1, 1}, Case{Roots{{0.0, 0.0, 0.0}}, 3, 0, 0},
          Case{Roots{{0.0, 2.0, 3.0}}, 1, 0, 2}, Case{Roots{{1.0, 1.0, 1.0, 1.0}}, 0, 4, 0},
          Case{Roots{{0.5, 2.0, 0.25, 4.0, 0.1}}, 3, 0, 2}}) {
        const auto b = poly::from_roots(c.zeros);
        for (const auto which : every_test) {
            CAPTURE(static_cast<int>(which));
            const auto count = poly::stability(b, {.test = which});
            CHECK(count.inside == c.inside);
            CHECK(count.near == c.near);
            CHECK(count.outside == c.outside);
            CHECK(count.verdict == (c.outside ? Verdict::unstable : c.near ? Verdict::undecided : Verdict::stable));
        }
    }
}

TEST_CASE("one zero 1e-12 from the circle is decided, 1e-17 away it is not") {
    const auto verdict = [](double distance) {
        return poly::stability(poly::from_roots(Roots{{std::polar(1.0 - distance, 0.3), Complex(0.2, 0.1)}})).verdict;
    };
    CHECK(verdict(1e-12) == Verdict::stable);
    CHECK(verdict(-1e-12) == Verdict::unstable);
    CHECK(verdict(1e-17) == Verdict::undecided);
}

TEST_CASE("a wider margin makes the close undecided, and circles of other radii are tested by scaling") {
    const auto b = poly::from_roots(Roots{{Complex(0.0, 0.9999), Complex(0.0, -0.9999)}});
    CHECK(poly::stability(b).verdict == Verdict::stable);
    CHECK(poly::stability(b, {.margin = 1e-3}).verdict == Verdict::undecided);
    CHECK(poly::stability(poly::scaled(b, 0.9998)).verdict == Verdict::unstable);
    CHECK(poly::stability(poly::scaled(b, 1.001)).verdict == Verdict::stable);
}

TEST_CASE("the margin is the distance to the nearest polynomial with a zero on the circle") {
    // z - a: smallest change of coefficients, in sum, that puts the zero on the circle is |1 - |a||; sum |b| = 1 + |a|
    const Eigen::VectorXcd b{{-0.9, 1.0}};
    const double distance = 0.1 / 1.9;
    CHECK(poly::zeros_inside(b, 0.99 * distance) == 1);
    CHECK_FALSE(poly::zeros_inside(b, 1.01 * distance).has_value());
}

TEST_CASE("Jury's first conditions are those at 1 and -1") {
    const auto t = poly::jury(Eigen::VectorXd{{-1.2, 1.0}});  // zero at 1.2
    CHECK(t.sequence[0] < 0.0);
    CHECK(t.sequence[1] > 0.0);
    CHECK_FALSE(t.stable());
    CHECK(poly::jury(Eigen::VectorXd{{0.2, -1.0}}).stable());  // negative leading coefficient: zero at 0.2
    CHECK_FALSE(poly::jury(Eigen::VectorXd{{1.0, 1.0}}).regular);
}

TEST_CASE("the size of the coefficients does not matter") {
    const auto b = poly::from_roots(Roots{{Complex(0.9999, 0.0), Complex(-0.5, 0.7), Complex(0.1, 1.0)}});
    for (const double size : {1e-300, 1e-9, 1e9, 1e300})
        for (const auto which : every_test) {
            const auto count = poly::stability(poly::ComplexPolynomial(b * size), {.test = which});
            CHECK(count.outside == 1);
            CHECK(count.inside == 2);
        }
    CHECK(poly::jury(Eigen::VectorXd{{0.5e300, 1e300}}).stable());
}

TEST_CASE("degree 60: the walk counts what was put in") {
    Roots zeros(60);
    for (int k = 0; k < 60; ++k) zeros[k] = std::polar(k < 13 ? 1.1 : 0.9, 2.0 * std::numbers::pi * k / 60.0);
    const auto count = poly::stability(poly::from_roots(zeros));
    CHECK(count.outside == 13);
    CHECK(count.inside == 47);
}

TEST_CASE("what is no polynomial is refused in words by every test") {
    const Eigen::VectorXd constant{{1.0}}, falling{{1.0, 0.0}}, broken{{1.0, std::nan(""), 1.0}};
    for (const Eigen::VectorXd& b : {constant, falling, broken}) {
        CHECK_THROWS_AS((void)poly::schur_cohn(b), SetupError);
        CHECK_THROWS_AS((void)poly::bistritz(b), SetupError);
        CHECK_THROWS_AS((void)poly::jury(b), SetupError);
        CHECK_THROWS_AS((void)poly::zeros_inside(b, 0.0), SetupError);
        CHECK_THROWS_AS((void)poly::stability(b), SetupError);
    }
    CHECK_THROWS_WITH_AS((void)poly::stability(broken),
                         "poly::stability: coefficient of z^1 is (nan, 0), must be finite", SetupError);
    CHECK_THROWS_AS((void)poly::stability(Eigen::VectorXd{{1.0, 2.0}}, {.margin = -1.0}), SetupError);
    CHECK_THROWS_AS((void)poly::stability(Eigen::VectorXd{{1.0, 2.0}}, {.margin = 1.0}), SetupError);
    const Eigen::VectorXd sound{{5.0, 0.1, 1.0}};  // with a margin below 0 every arc would count as proved
    for (const double margin : {-1.0, std::nan("")}) {
        CHECK_THROWS_WITH_AS((void)poly::zeros_inside(sound, margin), doctest::Contains("zeros_inside: margin must be"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)poly::schur_cohn(sound, margin), doctest::Contains("margin must be"), SetupError);
        CHECK_THROWS_WITH_AS((void)poly::bistritz(sound, margin), doctest::Contains("margin must be"), SetupError);
        CHECK_THROWS_WITH_AS((void)poly::jury(sound, margin), doctest::Contains("margin must be"), SetupError);
    }
}

TEST_CASE("discs around the zeros prove a count, and say nothing where one touches the circle") {
    Roots r(5);
    r << Complex(0.5, 0.2), Complex(-0.9, 0.1), Complex(0.0, 1.3), Complex(2.0, 0.0), Complex(1e3, 1e3);
    const auto b = poly::from_roots(r);
    CHECK(poly::inside_by_discs(b, poly::rounding_margin(5)) == 2);
    CHECK(poly::inside_by_discs(poly::sharp(b), poly::rounding_margin(5)) == 3);
    // b(1.1 z): the zero of modulus 0.9055 moves to 0.823; b(0.9 z): to 1.006.
    CHECK(poly::inside_by_discs(poly::scaled(b, 1.1), poly::rounding_margin(5)) == 2);
    CHECK(poly::inside_by_discs(poly::scaled(b, 0.9), poly::rounding_margin(5)) == 1);
    // A margin as large as what moves a zero across: |b(z)| at the circle over sum |b_k|.
    CHECK_FALSE(poly::inside_by_discs(b, 0.3));
    // Zeros at 0, double ones, one on the circle.
    r << 0.0, 0.0, Complex(0.0, 0.5), 3.0, -3.0;
    CHECK_FALSE(poly::inside_by_discs(poly::from_roots((Roots(2) << 1.0, 0.5).finished()), 1e-15));
    CHECK(poly::zeros_inside(poly::from_roots(r), 1e-14) == 3);
    CHECK_THROWS_AS((void)poly::inside_by_discs(b, -1.0), SetupError);
}

TEST_CASE("high degrees: the count is that of the eigenvalues") {
    for (const int n : {16, 24, 40, 64}) {
        CAPTURE(n);
        const auto [b, companion] = polynomial_and_companion(n);
        const Eigen::VectorXcd zeros = linalg::eigenvalues(companion);
        const auto inside = (zeros.array().abs() < 1.0).count();
        const poly::ZeroCount count = poly::stability(b);
        CHECK(count.inside == inside);
        CHECK(count.outside == n - inside);
    }
}

TEST_SUITE("long") {
    TEST_CASE("by the clock a count of high degree costs no more than eigenvalues do") {
        using clock = std::chrono::steady_clock;
        const auto fastest = [](auto&& call) {
            double best = 1e9;
            for (int i = 0; i < 5; ++i) {
                const auto start = clock::now();
                call();
                best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
            }
            return best;
        };
        for (const int n : {16, 24, 40, 64}) {
            CAPTURE(n);
            const auto made = polynomial_and_companion(n);
            // 0.5 to 1 measured, 5 to 11 before; 3 leaves room for a busy machine.
            CHECK(fastest([&] { (void)poly::stability(made.first); }) <
                  3.0 * fastest([&] { (void)linalg::eigenvalues(made.second); }));
        }
    }
}

}  // namespace zero_tests_test
