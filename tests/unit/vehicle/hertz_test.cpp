// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/kalker.hpp>

#include "../../support/approx.hpp"
#include "../../support/complex_step.hpp"
#include "../../support/golden_json.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace panto::vehicle;
using panto::Dual;
using panto::test::ComplexStep;

namespace hertz_test {
namespace {

nlohmann::json golden_value(const char* key) {
    return panto::test::golden("vehicle_and_inverse_problems.json").at(key).at("value");
}

/// The ratio of curvatures that belongs to the axes, by integrals on another way: tan(angle) = exp(u), trapezoidal
/// rule.
double ratio_by_quadrature(double k) {
    double K = 0.0, E = 0.0;
    const int n = 40000;
    for (int i = 0; i < n; ++i) {
        const double u = -40.0 + 80.0 * (i + 0.5) / n, t = std::exp(u), w = t * 80.0 / n;
        K += w / std::sqrt((1.0 + t * t) * (1.0 + k * k * t * t));
        E += w * std::sqrt((1.0 + k * k * t * t) / (1.0 + t * t)) / (1.0 + t * t);
    }
    return (E / (k * k) - K) / (K - E);
}

template <panto::Real S>
ContactPatch<S> patch_of(const S& load, const S& angle, const S& crown) {
    using std::cos;
    return contact_patch<S>(load, cos(angle) / S(0.46), S(1.0) / crown, {}, S(0.3));
}

}  // namespace

TEST_SUITE("vehicle::contact_ellipse") {
    TEST_CASE("is the golden one of cone and crown") {
        const auto ellipse = patch_of(80e3, 0.2, 0.3).ellipse;
        CHECK(ellipse.a == approx(golden_value("A.hertz").at("a").get<double>()).epsilon(1e-9));
        CHECK(ellipse.b == approx(golden_value("A.hertz").at("b").get<double>()).epsilon(1e-9));
    }

    TEST_CASE("is Hertz' circle where the curvatures are equal, and turns with them") {
        const Elasticity<> steel;
        const double modulus = steel.young / (2.0 * (1.0 - steel.poisson * steel.poisson));
        const auto circle = contact_ellipse(80e3, 2.0, 2.0, steel);
        CHECK(circle.a == approx(std::cbrt(0.75 * 80e3 * 0.5 / modulus)).epsilon(1e-14));  // Johnson (4.22)
        CHECK(circle.b == approx(circle.a).epsilon(1e-14));
        const auto one = contact_ellipse(80e3, 1.0, 3.0, steel), other = contact_ellipse(80e3, 3.0, 1.0, steel);
        CHECK(one.a > one.b);
        CHECK(one.a == other.b);
        CHECK(one.b == other.a);
    }

    TEST_CASE("solves Hertz' equation, up to curvatures a million apart") {
        for (const double ratio : {1.3, 7.0, 1e3, 1e6}) {
            const auto ellipse = contact_ellipse(80e3, 1.0, ratio, Elasticity<>{});
            CHECK(ratio_by_quadrature(ellipse.b / ellipse.a) == approx(ratio).epsilon(1e-9));
        }
    }

    TEST_CASE("carries derivatives, at the circle too: against differences and the complex step") {
        for (const double curvature : {0.5, 1.9999, 2.0, 7.0}) {
            const auto at = [&](auto c) {
                return contact_ellipse(decltype(c)(80e3), c, decltype(c)(2.0), Elasticity<decltype(c)>{});
            };
            const auto dual = at(Dual<1>::variable(curvature, 0));
            const auto complex = at(ComplexStep::variable(curvature));
            CHECK(dual.a.derivative(0) == approx(complex.a.derivative()).epsilon(1e-12));
            const double h = 1e-5;
            CHECK(dual.a.derivative(0) ==
                  approx((at(curvature + h).a - at(curvature - h).a) / (2.0 * h)).epsilon(1e-7));
            CHECK(dual.b.derivative(0) ==
                  approx((at(curvature + h).b - at(curvature - h).b) / (2.0 * h)).epsilon(1e-7));
        }
    }

    TEST_CASE("refuses bodies that do not touch in an ellipse, and says why") {
        CHECK_THROWS_WITH_AS((void)contact_ellipse(80e3, -1.0, 2.0, Elasticity<>{}),
                             "vehicle::contact_ellipse: curvature_x must be finite and > 0, got -1", panto::SetupError);
        CHECK_THROWS_AS((void)contact_ellipse(0.0, 1.0, 2.0, Elasticity<>{}), panto::SetupError);
        CHECK_THROWS_AS((void)contact_ellipse(80e3, 1.0, 2.0, Elasticity<>{.poisson = 0.6}), panto::SetupError);
        CHECK_THROWS_AS((void)contact_ellipse(80e3, 1.0, 1e9, Elasticity<>{}), panto::SetupError);
    }
}

TEST_SUITE("vehicle::contact_patch") {
    TEST_CASE("Kalker's coefficients and creep stiffnesses are the golden ones") {
        const auto patch = patch_of(80e3, 0.2, 0.3);
        const auto c = kalker_coefficients(patch.ellipse, 0.25);
        const auto golden = golden_value("A.kalker_ab");
        CHECK(c.c11 == approx(golden[0].get<double>()).epsilon(1e-9));
        CHECK(c.c22 == approx(golden[1].get<double>()).epsilon(1e-9));
        CHECK(c.c23 == approx(golden[2].get<double>()).epsilon(1e-9));
        CHECK(c.c33 == approx(golden[3].get<double>()).epsilon(1e-9));
        const auto f = golden_value("A.f");
        CHECK(patch.f11 == approx(f.at("f11").get<double>()).epsilon(1e-9));
        CHECK(patch.f22 == approx(f.at("f22").get<double>()).epsilon(1e-9));
        CHECK(patch.f23 == approx(f.at("f23").get<double>()).epsilon(1e-9));
        CHECK(patch.f33 == approx(f.at("f33").get<double>()).epsilon(1e-9));
    }

    TEST_CASE("the two halves of Kalker's table meet at the circle, at every Poisson's ratio") {
        for (const double nu : {0.0, 0.1, 0.25, 0.4, 0.5}) {
            const auto below = kalker_coefficients(ContactEllipse<>{1.0 - 1e-12, 1.0}, nu);
            const auto above = kalker_coefficients(ContactEllipse<>{1.0 + 1e-12, 1.0}, nu);
            CHECK(below.c11 == approx(above.c11).epsilon(1e-10));
            CHECK(below.c22 == approx(above.c22).epsilon(1e-10));
            CHECK(below.c23 == approx(above.c23).epsilon(1e-10));
            CHECK(below.c33 == approx(above.c33).epsilon(1e-10));
        }
        CHECK(kalker_coefficients(ContactEllipse<>{0.1, 1.0}, 0.5).c23 == approx(0.731));
        CHECK(kalker_coefficients(ContactEllipse<>{1.0, 0.1}, 0.0).c11 == approx(10.7));
    }

    TEST_CASE("the table is that of the shipped figures") {
        const auto table = panto::test::golden("data/kalker_coefficients.json");
        const char* halves[] = {"a_over_b", "b_over_a"};
        for (int half = 0; half < 2; ++half)
            for (std::size_t i = 0; i < 10; ++i)
                for (std::size_t n = 0; n < 3; ++n) {
                    const double g = 0.1 * static_cast<double>(i + 1);
                    const ContactEllipse<> ellipse{half ? 1.0 : g, half ? g : 1.0};
                    const auto c = kalker_coefficients(ellipse, 0.25 * static_cast<double>(n));
                    const auto& rows = table.at(halves[half]);
                    CHECK(c.c11 == approx(rows.at("C11")[i][n].get<double>()).epsilon(1e-12));
                    CHECK(c.c22 == approx(rows.at("C22")[i][n].get<double>()).epsilon(1e-12));
                    CHECK(c.c23 == approx(rows.at("C23")[i][n].get<double>()).epsilon(1e-12));
                    CHECK(c.c33 == approx(table.at("C33_nu025").at(halves[half])[i].get<double>()).epsilon(1e-12));
                }
    }

    TEST_CASE("under another load it is the patch made for that load") {
        const auto scaled = patch_of(80e3, 0.2, 0.3).under(31e3), made = patch_of(31e3, 0.2, 0.3);
        CHECK(scaled.ellipse.a == approx(made.ellipse.a).epsilon(1e-13));
        CHECK(scaled.f11 == approx(made.f11).epsilon(1e-13));
        CHECK(scaled.f22 == approx(made.f22).epsilon(1e-13));
        CHECK(scaled.f23 == approx(made.f23).epsilon(1e-13));
        CHECK(scaled.f33 == approx(made.f33).epsilon(1e-13));
        CHECK(scaled.load == 31e3);
    }

    TEST_CASE("carries derivatives by load, angle and crown") {
        using D = Dual<3>;
        const auto dual = patch_of(D::variable(80e3, 0), D::variable(0.2, 1), D::variable(0.3, 2));
        for (int i = 0; i < 3; ++i) {
            const auto seed = [&](double value, int k) {
                return k == i ? ComplexStep::variable(value) : ComplexStep(value);
            };
            const auto complex = patch_of(seed(80e3, 0), seed(0.2, 1), seed(0.3, 2));
            CHECK(dual.f11.derivative(i) == approx(complex.f11.derivative()).epsilon(1e-12));
            CHECK(dual.f23.derivative(i) == approx(complex.f23.derivative()).epsilon(1e-12));
            CHECK(dual.f33.derivative(i) == approx(complex.f33.derivative()).epsilon(1e-12));
        }
    }

    TEST_CASE("refuses what Kalker's table does not know") {
        CHECK_THROWS_WITH_AS(
            (void)kalker_coefficients(ContactEllipse<>{0.05, 1.0}, 0.25),
            "vehicle::kalker_coefficients: a/b is 0.05, must be from 0.1 to 1, where Kalker's table ends",
            panto::SetupError);
        CHECK_THROWS_AS((void)kalker_coefficients(ContactEllipse<>{1.0, 1.0}, -0.1), panto::SetupError);
        CHECK_THROWS_AS((void)contact_patch<double>(80e3, 2.0, 3.0, {}, 0.0), panto::SetupError);
        CHECK_THROWS_AS((void)contact_patch<double>(80e3, 2.0, 3.0, {}, 0.3, -1.0), panto::SetupError);
    }
}

}  // namespace hertz_test
