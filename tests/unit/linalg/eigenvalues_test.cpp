// SPDX-License-Identifier: BSD-3-Clause
#include <panto/linalg/eigenvalues.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

using namespace panto;

TEST_CASE("a rotation that shrinks has its factor as spectral radius and its angle as argument") {
    Eigen::Matrix2d A;
    A << std::cos(0.3), -std::sin(0.3), std::sin(0.3), std::cos(0.3);
    A *= 0.7;
    CHECK(linalg::spectral_radius(A) == approx(0.7).epsilon(1e-14));
    const Eigen::VectorXcd lambda = linalg::eigenvalues(A);
    CHECK(lambda[0].imag() > 0.0);
    CHECK(lambda[1] == std::conj(lambda[0]));
    CHECK(std::arg(lambda[0]) == approx(0.3).epsilon(1e-14));
}

TEST_CASE("the companion matrix of (z - 3)(z + 4)(z^2 + 1) has these roots") {
    // z^4 + z^3 - 11 z^2 + z - 12
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    A.diagonal(-1).setOnes();
    A.col(3) << 12.0, -1.0, 11.0, -1.0;
    const Eigen::VectorXcd lambda = linalg::eigenvalues(A);
    const auto holds = [&](std::complex<double> root) { return (lambda.array() - root).abs().minCoeff() < 1e-13; };
    CHECK(holds({3.0, 0.0}));
    CHECK(holds({-4.0, 0.0}));
    CHECK(holds({0.0, 1.0}));
    CHECK(holds({0.0, -1.0}));
    CHECK(linalg::spectral_radius(A) == approx(4.0).epsilon(1e-14));
}

TEST_CASE("a scale of units does not spoil the eigenvalues") {
    Eigen::Matrix3d A;
    A << 0.5, 0.1, 0.0, -0.2, 0.4, 0.3, 0.1, 0.0, 0.9;
    const Eigen::Vector3d t(1.0, 1e6, 1e12);
    const Eigen::Matrix3d scaled = t.asDiagonal() * A * t.cwiseInverse().asDiagonal();
    // The scaling itself rounds: a few units in the last place per entry.
    CHECK(linalg::spectral_radius(scaled) == approx(linalg::spectral_radius(A)).epsilon(1e-14));
}

TEST_CASE("two nearly decoupled copies of one companion matrix, on which the QR iteration stalls") {
    // z^2 = (a + i c) + (b + i d) z as real 4 by 4: c and d move the roots by 1e-9 only.
    const double a = 0.25402966763824064, b = -2.0186038260554966, c = 2.3668290237109038e-9,
                 d = -3.523284299466213e-11;
    Eigen::Matrix4d A;
    A << 0.0, 1.0, 0.0, 0.0, a, b, -c, -d, 0.0, 0.0, 0.0, 1.0, c, d, a, b;
    const Eigen::VectorXcd lambda = linalg::eigenvalues(A);
    using Complex = std::complex<double>;
    const Complex p(a, c), q(b, d), root = std::sqrt(q * q + 4.0 * p);
    for (const Complex z : {0.5 * (q + root), 0.5 * (q - root)})
        for (const Complex exact : {z, std::conj(z)}) {
            double nearest = 1.0;
            for (const Complex& found : lambda) nearest = std::min(nearest, std::abs(found - exact));
            CHECK(nearest < 1e-14);
        }
}

TEST_CASE("an empty matrix has spectral radius 0") { CHECK(linalg::spectral_radius(Eigen::MatrixXd(0, 0)) == 0.0); }

TEST_CASE("a rotation of 1e300 or 1e-300 has that radius") {
    for (const double size : {1e-300, 1e300}) {
        Eigen::Matrix2d A;
        A << 0.0, -size, size, 0.0;
        CHECK(linalg::spectral_radius(A) / size == approx(1.0).epsilon(1e-14));
    }
}

TEST_CASE("NaN and rectangular matrices are refused") {
    Eigen::Matrix2d A = Eigen::Matrix2d::Identity();
    A(1, 0) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)linalg::spectral_radius(A),
                         "linalg::eigenvalues: an entry of the matrix must be finite, got nan", SetupError);
    CHECK_THROWS_WITH_AS((void)linalg::spectral_radius(Eigen::MatrixXd::Zero(2, 3)), doctest::Contains("is 2 by 3"),
                         SetupError);
    CHECK_THROWS_WITH_AS((void)linalg::balanced(Eigen::MatrixXd::Zero(2, 3)), doctest::Contains("is 2 by 3"),
                         SetupError);
}
