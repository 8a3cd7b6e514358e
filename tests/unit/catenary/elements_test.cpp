// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/elements.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <Eigen/Cholesky>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::Vector4d;
using Eigen::VectorXd;
using panto::catenary::beam_element;
using panto::catenary::Hermite;
using panto::catenary::string_element;

namespace elements_test {
namespace {

constexpr double h = 1.7, EI = 195.0, T = 20e3, m = 1.35;

/// Integral over an element of length h by five Gauss points: exact for polynomials up to degree 9.
template <class Value>
Value integral(const std::function<Value(double)>& f) {
    const double a = std::sqrt(5.0 - 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
    const double b = std::sqrt(5.0 + 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
    const double wa = (322.0 + 13.0 * std::sqrt(70.0)) / 900.0, wb = (322.0 - 13.0 * std::sqrt(70.0)) / 900.0;
    Value sum = f(0.5) * (128.0 / 225.0 * h / 2.0);
    for (const double sign : {-1.0, 1.0}) {
        sum += f(0.5 + sign * a / 2.0) * (wa * h / 2.0);
        sum += f(0.5 + sign * b / 2.0) * (wb * h / 2.0);
    }
    return sum;
}

Vector4d vector(const double (&v)[4]) { return {v[0], v[1], v[2], v[3]}; }

/// Matrices of n equal beam elements in a row.
struct Beam {
    MatrixXd K, M;
    VectorXd load;  // of 1 N/m

    Beam(int n, double length, double bending, double tension, double mass)
        : K(MatrixXd::Zero(2 * n + 2, 2 * n + 2)), M(K), load(VectorXd::Zero(2 * n + 2)) {
        const auto e = beam_element(length / n, bending, tension, mass);
        for (int i = 0; i < n; ++i) {
            K.block<4, 4>(2 * i, 2 * i) += e.stiffness;
            M.block<4, 4>(2 * i, 2 * i) += e.mass;
            load.segment<4>(2 * i) += e.length;
        }
    }
    void hold(int unknown) {
        K.row(unknown).setZero();
        K.col(unknown).setZero();
        K(unknown, unknown) = 1.0;
        load[unknown] = 0.0;
    }
};

}  // namespace

TEST_SUITE("catenary::elements") {
    TEST_CASE("the beam's matrices are the integrals of its shape functions") {
        const auto e = beam_element(h, EI, T, m);
        const Matrix4d K = integral<Matrix4d>([](double s) {
            const Hermite N(s, h);
            const Vector4d slope = vector(N.slope), curvature = vector(N.curvature);
            return Matrix4d(T * slope * slope.transpose() + EI * curvature * curvature.transpose());
        });
        const Matrix4d M = integral<Matrix4d>([](double s) {
            const Vector4d value = vector(Hermite(s, h).value);
            return Matrix4d(m * value * value.transpose());
        });
        const Vector4d length = integral<Vector4d>([](double s) { return vector(Hermite(s, h).value); });
        CHECK((e.stiffness - K).norm() < 1e-13 * K.norm());
        CHECK((e.mass - M).norm() < 1e-13 * M.norm());
        CHECK((e.length - length).norm() < 1e-14);
    }

    TEST_CASE("the string's matrices are the integrals of its shape functions") {
        using Eigen::Matrix2d;
        using Eigen::Vector2d;
        const auto e = string_element(h, T, m);
        const auto value = [](double s) { return Vector2d(1.0 - s, s); };
        const Vector2d slope(-1.0 / h, 1.0 / h);
        CHECK((e.stiffness - T * h * slope * slope.transpose()).norm() < 1e-12);
        const Matrix2d M = integral<Matrix2d>([&](double s) { return Matrix2d(m * value(s) * value(s).transpose()); });
        CHECK((e.mass - M).norm() < 1e-14);
        CHECK((e.length - integral<Vector2d>(value)).norm() < 1e-15);
    }

    TEST_CASE("the shape functions interpolate deflection and slope at both ends") {
        const Hermite left(0.0, h), right(1.0, h);
        CHECK(vector(left.value) == Vector4d(1.0, 0.0, 0.0, 0.0));
        CHECK(vector(left.slope) == Vector4d(0.0, 1.0, 0.0, 0.0));
        CHECK(vector(right.value) == Vector4d(0.0, 0.0, 1.0, 0.0));
        CHECK(vector(right.slope) == Vector4d(0.0, 0.0, 0.0, 1.0));
    }

    TEST_CASE("the shape functions' derivatives are those of finite differences") {
        const double step = 1e-5;
        for (const double s : {0.1, 0.33, 0.5, 0.9}) {
            const Hermite before(s - step, h), here(s, h), after(s + step, h);
            for (int i = 0; i < 4; ++i) {
                // Central differences of cubics: wrong by step^2 / 6 times the third derivative, at most 2e-10.
                CHECK(std::abs((after.value[i] - before.value[i]) / (2.0 * step * h) - here.slope[i]) < 1e-9);
                CHECK(std::abs((after.slope[i] - before.slope[i]) / (2.0 * step * h) - here.curvature[i]) < 1e-9);
            }
        }
    }

    TEST_CASE("the shape functions reproduce every cubic") {
        const auto cubic = [](double x) { return 0.3 - 1.1 * x + 0.7 * x * x - 0.2 * x * x * x; };
        const auto slope = [](double x) { return -1.1 + 1.4 * x - 0.6 * x * x; };
        const Vector4d nodal(cubic(0.0), slope(0.0), cubic(h), slope(h));
        for (const double s : {0.2, 0.5, 0.77}) {
            const Hermite N(s, h);
            CHECK(vector(N.value).dot(nodal) == approx(cubic(s * h)).epsilon(1e-13));
            CHECK(vector(N.slope).dot(nodal) == approx(slope(s * h)).epsilon(1e-13));
            CHECK(vector(N.curvature).dot(nodal) == approx(1.4 - 1.2 * s * h).epsilon(1e-13));
        }
    }

    TEST_CASE("a rigid motion gives no force but the one of the tension that turns with the wire") {
        const auto e = beam_element(h, EI, T, m);
        CHECK((e.stiffness * Vector4d(1.0, 0.0, 1.0, 0.0)).norm() < 1e-10);  // entries of 1e5 cancel
        const Vector4d turned(0.0, 1.0, h, 1.0);
        CHECK((e.stiffness * turned - T * Vector4d(-1.0, 0.0, 1.0, 0.0)).norm() < 1e-9);
        CHECK((beam_element(h, EI, 0.0, m).stiffness * turned).norm() < 1e-11);
        CHECK((string_element(h, T, m).stiffness * Eigen::Vector2d(1.0, 1.0)).norm() == 0.0);
    }

    TEST_CASE("a constant curvature needs moments at the ends and nothing else") {
        const Vector4d parabola(0.0, 0.0, 0.5 * h * h, h);
        CHECK((beam_element(h, EI, 0.0, m).stiffness * parabola - EI * Vector4d(0.0, -1.0, 0.0, 1.0)).norm() < 1e-11);
    }

    TEST_CASE("a rigid motion carries the mass and the inertia of the bar") {
        const auto e = beam_element(h, EI, T, m);
        const Vector4d up(1.0, 0.0, 1.0, 0.0), turned(0.0, 1.0, h, 1.0);
        CHECK(up.dot(e.mass * up) == approx(m * h));
        CHECK(turned.dot(e.mass * turned) == approx(m * h * h * h / 3.0));
        CHECK(up.dot(e.mass * turned) == approx(m * h * h / 2.0));
        CHECK(string_element(h, T, m).mass.sum() == approx(m * h));
    }

    TEST_CASE("a cantilever bends under a force at its tip by F l^3 / (3 EI), in any number of elements") {
        for (const int n : {1, 2, 5}) {
            Beam beam(n, 3.0, EI, 0.0, m);
            beam.hold(0);
            beam.hold(1);
            VectorXd force = VectorXd::Zero(beam.K.rows());
            force[2 * n] = 10.0;
            const VectorXd u = beam.K.ldlt().solve(force);
            CHECK(u[2 * n] == approx(10.0 * 27.0 / (3.0 * EI)).epsilon(1e-10));
            CHECK(u[2 * n + 1] == approx(10.0 * 9.0 / (2.0 * EI)).epsilon(1e-10));
        }
    }

    TEST_CASE("a tensioned beam between hinges yields to a force in its middle as the closed form says") {
        // w = P / (2 T) (L / 2 - tanh(k L / 2) / k), k = sqrt(T / EI): a string less what the stiff kink saves.
        const double L = 6.0, P = 100.0, tension = 2000.0, k = std::sqrt(tension / EI);
        const double exact = P / (2.0 * tension) * (L / 2.0 - std::tanh(k * L / 2.0) / k);
        const auto middle = [&](int n) {
            Beam beam(n, L, EI, tension, m);
            beam.hold(0);
            beam.hold(2 * n);
            VectorXd force = VectorXd::Zero(beam.K.rows());
            force[n] = P;
            return beam.K.ldlt().solve(force)[n];
        };
        // Energy converges with h^4 for cubic elements; 40 elements of 0.15 m against a length 1/k of 0.31 m.
        CHECK(middle(40) == approx(exact).epsilon(1e-5));
        CHECK(std::abs(middle(80) - exact) < 0.1 * std::abs(middle(40) - exact));
    }

    TEST_CASE("a tensioned beam vibrates at the frequencies of the dispersion relation") {
        // m w^2 = T k^2 + EI k^4 between hinges, k = n pi / L; the Rayleigh quotient of the interpolated sine.
        const double L = 10.0;
        const int n = 40;
        const Beam beam(n, L, EI, T, m);
        for (const int mode : {1, 2, 3}) {
            const double k = mode * std::numbers::pi / L;
            VectorXd u(2 * n + 2);
            for (int i = 0; i <= n; ++i) {
                u[2 * i] = std::sin(k * L * i / n);
                u[2 * i + 1] = k * std::cos(k * L * i / n);
            }
            const double quotient = u.dot(beam.K * u) / u.dot(beam.M * u);
            CHECK(quotient == approx((T * k * k + EI * k * k * k * k) / m).epsilon(1e-6));
        }
    }

    TEST_CASE("the shape functions are computed without allocating") {
        // @rt-tested: Hermite::Hermite
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] { sum = Hermite(0.25, h).value[0] + Hermite(0.25, h).value[2]; }) == 0);
        CHECK(sum == approx(1.0));
    }
}

}  // namespace elements_test
