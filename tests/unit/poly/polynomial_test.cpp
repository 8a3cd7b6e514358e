// SPDX-License-Identifier: BSD-3-Clause
#include <panto/poly/polynomial.hpp>
#include <panto/poly/roots.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace panto;
using poly::Complex;

namespace polynomial_test {
namespace {
double distance_to_nearest(const Eigen::VectorXcd& zeros, Complex z) { return (zeros.array() - z).abs().minCoeff(); }
}  // namespace

TEST_CASE("a polynomial built from roots vanishes there and nowhere else") {
    const Eigen::VectorXcd z{{Complex(0.5, 0.2), Complex(-1.0, 0.0), Complex(0.0, 2.0)}};
    const auto b = poly::from_roots(z);
    CHECK(b[3] == Complex(1.0));
    for (const Complex& root : z) CHECK(std::abs(poly::evaluate(b, root)) < 1e-14);
    // (1 - z_0)(1 - z_1)(1 - z_2) by hand
    CHECK(std::abs(poly::evaluate(b, 1.0) - (Complex(0.5, -0.2) * 2.0 * Complex(1.0, -2.0))) < 1e-14);
    const auto real = poly::from_roots(Eigen::VectorXd{{2.0}}, Eigen::VectorXcd{{Complex(0.0, 1.0)}});
    CHECK((real - Eigen::VectorXd{{-2.0, 1.0, -2.0, 1.0}}).norm() == 0.0);  // (z - 2)(z^2 + 1)
    CHECK(poly::evaluate(real, 3.0) == 10.0);
    CHECK(poly::evaluate(real, Complex(0.0, 1.0)) == Complex(0.0));
}

TEST_CASE("sharp mirrors the zeros at the unit circle, scaling divides them") {
    const Eigen::VectorXcd z{{Complex(0.5, 0.2), Complex(-0.3, 0.7)}};
    const auto mirrored = poly::sharp(poly::from_roots(z));
    for (const Complex& root : z) CHECK(std::abs(poly::evaluate(mirrored, 1.0 / std::conj(root))) < 1e-14);
    const auto scaled = poly::scaled(poly::from_roots(z), 2.0);
    for (const Complex& root : z) CHECK(std::abs(poly::evaluate(scaled, root / 2.0)) < 1e-14);
}

TEST_CASE("roots are found where they were put, near and far, small and large") {
    Eigen::VectorXcd z(8);
    z << 1e-6, Complex(0.3, 0.4), Complex(0.3, -0.4), -1.0, Complex(0.0, 1.001), 25.0, Complex(-300.0, 20.0), 1e5;
    const auto found = poly::roots(poly::from_roots(z));
    for (const Complex& root : z) CHECK(distance_to_nearest(found, root) < 1e-12 * std::abs(root) + 1e-17);
}

TEST_CASE("unit roots of degree 40, and Wilkinson's ten, are found to their condition") {
    Eigen::VectorXd b = Eigen::VectorXd::Zero(41);
    b[0] = -1.0, b[40] = 1.0;
    const auto unit = poly::roots(b);
    for (const Complex& root : unit) {
        CHECK(std::abs(std::abs(root) - 1.0) < 1e-14);
        CHECK(std::abs(std::pow(root, 40) - 1.0) < 1e-12);
    }
    const auto ten = poly::roots(poly::from_roots(Eigen::VectorXd::LinSpaced(10, 1.0, 10.0), Eigen::VectorXcd(0)));
    for (int i = 1; i <= 10; ++i) CHECK(distance_to_nearest(ten, i) < 1e-7);  // condition of up to 1e8
}

TEST_CASE("zeros at zero are exact, multiple zeros are found to their share of the digits") {
    const auto none = poly::roots(Eigen::VectorXd(Eigen::VectorXd::Unit(4, 3)));
    CHECK(none.size() == 3);
    CHECK(none.cwiseAbs().maxCoeff() == 0.0);
    const auto twice = poly::roots(Eigen::VectorXd{{0.25, -1.0, 1.0}});
    CHECK(distance_to_nearest(twice, 0.5) < 1e-7);
    CHECK((twice.array() - 0.5).abs().maxCoeff() < 1e-7);
}

TEST_CASE("roots of any size that a double holds are found, and coefficients that hide them are refused") {
    const auto far = poly::roots(Eigen::VectorXd{{1.0, 1.0, 1e-300}});  // -1 and -1e300
    CHECK(distance_to_nearest(far, -1.0) < 1e-14);
    CHECK(std::abs(far.cwiseAbs().maxCoeff() / 1e300 - 1.0) < 1e-14);
    const auto near = poly::roots(Eigen::VectorXd{{1e-200, 1.0, 1e-200}});
    CHECK(std::abs(near.cwiseAbs().minCoeff() / 1e-200 - 1.0) < 1e-14);
    CHECK_THROWS_WITH_AS((void)poly::roots(Eigen::VectorXd{{1e200, 1.0, 1e-200}}),
                         doctest::Contains("z^2 is 1e-200 in modulus, must be at least 1e-307"), SetupError);
    CHECK_THROWS_WITH_AS((void)poly::roots(Eigen::VectorXd{{0.0, 1e-200, 1.0, 1e200}}),
                         doctest::Contains("z^1 is 1e-200"), SetupError);
}

TEST_CASE("no number that is none gets into a polynomial") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)poly::from_roots(Eigen::VectorXcd{{Complex(1.0, nan)}}),
                         doctest::Contains("a zero is (1, nan)"), SetupError);
    CHECK_THROWS_AS((void)poly::from_roots(Eigen::VectorXd{{nan}}, Eigen::VectorXcd(0)), SetupError);
    CHECK_THROWS_WITH_AS((void)poly::scaled(Eigen::VectorXd{{0.1, 1.0}}, nan),
                         doctest::Contains("rho must be finite, got nan"), SetupError);
}

TEST_CASE("what has no roots is refused in words") {
    CHECK_THROWS_WITH_AS((void)poly::roots(Eigen::VectorXd{{3.0}}),
                         "poly::roots: degree is 0, must be at least 1: a constant has no zeros", SetupError);
    CHECK_THROWS_WITH_AS((void)poly::roots(Eigen::VectorXd{{3.0, 1.0, 0.0}}),
                         "poly::roots: leading coefficient, of z^2, is 0, must not be 0", SetupError);
    CHECK_THROWS_AS((void)poly::roots(Eigen::VectorXd{{3.0, std::numeric_limits<double>::quiet_NaN()}}), SetupError);
    CHECK_THROWS_AS((void)poly::roots(Eigen::VectorXd()), SetupError);
}

}  // namespace polynomial_test
