// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/element/memory.hpp>
#include <panto/element/spring.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/golden_json.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>

#include <cmath>

using namespace panto::element;
using panto::Dual;

namespace spring_test {
namespace {

const CoilSpring<> golden_coil{
    .wire = 0.04, .radius = 0.11, .coils = 6.0, .length = 0.36, .young = 215e9, .poisson = 0.3};

/// The stiffness across of a clamped rod with shear whose ends stay parallel, under the load F, from the boundary
/// problem itself. Haringx: the normal force turns with the cross section, M'' = -k^2 M; general solution of the slope
/// theta = c1 cos kx + c2 sin kx + c3 and y' by the constitutive laws; unknowns c1, c2, H with y(0) = theta(0) = 0,
/// theta(L) = 0, y(L) = 1.
double haringx_by_boundary_problem(double S, double B, double L, double F) {
    // Cross-section at the angle t: normal force along the section's normal, shear Q = H - F t, y' = t + Q/S with
    // Q/S = (H + F t)/S in Haringx' sign; bending B t' = M, equilibrium M' = -(H + F y').
    // => B t'' = -(H + F (t + (H + F t)/S)) = -H(1 + F/S) - F(1 + F/S) t.
    const double q = 1.0 + F / S, k = std::sqrt(F * q / B);
    // t = c1 cos kx + c2 sin kx - H/F; y = int t + (H + F t)/S dx.
    Eigen::Matrix3d A;
    Eigen::Vector3d b(0.0, 0.0, 1.0);
    const double c = std::cos(k * L), s = std::sin(k * L);
    A.row(0) << 1.0, 0.0, -1.0 / F;
    A.row(1) << c, s, -1.0 / F;
    A.row(2) << q * s / k, q * (1.0 - c) / k, -L / F;
    const Eigen::Vector3d u = A.fullPivLu().solve(b);
    return std::abs(u[2]);
}

}  // namespace

TEST_SUITE("element::CoilSpring") {
    TEST_CASE("the golden flexicoil spring") {
        const auto golden = panto::test::golden("vehicle_and_inverse_problems.json").at("E").at("value").at("flex");
        const auto close = [&](double value, const char* key) {
            CHECK(value == approx(golden.at(key).get<double>()).epsilon(1e-8));
        };
        const auto [S, B] = equivalent_rod(golden_coil);
        close(S, "S");
        close(B, "B");
        close(axial_stiffness(golden_coil), "cz");
        close(lateral_stiffness(golden_coil, 40e3), "haringx");
        close(lateral_stiffness(golden_coil, 40e3, ShearModel::engesser), "engesser");
        close(lateral_stiffness(golden_coil, 1e-3), "F0");
        // What the thesis prints in (2.52), (2.53): Engesser's k, and shear without it.
        const double k = std::sqrt(40e3 / (B * (1.0 - 40e3 / S))), L = golden_coil.length;
        close(1.0 / ((2.0 / k * std::tan(0.5 * k * L) - L) / 40e3 + L / S), "printed");
    }

    TEST_CASE("without load both models are bending and shear in series, with load they solve the boundary problem") {
        const auto [S, B] = equivalent_rod(golden_coil);
        const double L = golden_coil.length, series = 1.0 / (L * L * L / (12.0 * B) + L / S);
        CHECK(lateral_stiffness(golden_coil, 0.0) == approx(series).epsilon(1e-14));
        CHECK(lateral_stiffness(golden_coil, 0.0, ShearModel::engesser) == approx(series).epsilon(1e-14));
        for (const double F : {5e3, 40e3, 80e3})
            CHECK(lateral_stiffness(golden_coil, F) == approx(haringx_by_boundary_problem(S, B, L, F)).epsilon(1e-10));
        // Across the change from the series to the tangent: the slope is about -2.6 N/m per N.
        const double at = 4.0 * 1e-3 * B / (L * L);
        CHECK(lateral_stiffness(golden_coil, at * (1.0 + 1e-9)) ==
              approx(lateral_stiffness(golden_coil, at * (1.0 - 1e-9))).epsilon(1e-9));
    }

    TEST_CASE("carries derivatives by wire and load") {
        using D = Dual<2>;
        const CoilSpring<D> coil{D::variable(0.04, 0), 0.11, 6.0, 0.36, 215e9, 0.3};
        const auto c = lateral_stiffness(coil, D::variable(40e3, 1));
        CHECK(axial_stiffness(coil).derivative(0) == approx(4.0 * axial_stiffness(golden_coil) / 0.04));
        const double h = 1.0;
        CHECK(c.derivative(1) ==
              approx((lateral_stiffness(golden_coil, 40e3 + h) - lateral_stiffness(golden_coil, 40e3 - h)) / (2 * h))
                  .epsilon(1e-6));
        CHECK(panto::is_finite(lateral_stiffness(coil, D(0.0)).derivative(0)));
    }

    TEST_CASE("refuses a coil that cannot be wound, or that buckles") {
        CoilSpring<> thick = golden_coil;
        thick.wire = 0.3;
        CHECK_THROWS_WITH_AS((void)axial_stiffness(thick),
                             "element::CoilSpring: wire is 0.3 m, must be below twice the coil's mean radius, 0.22",
                             panto::SetupError);
        CHECK_THROWS_AS((void)lateral_stiffness(golden_coil, -1.0), panto::SetupError);
        CHECK_THROWS_AS((void)lateral_stiffness(golden_coil, 3e5), panto::SetupError);
        CHECK_THROWS_AS((void)lateral_stiffness(golden_coil, 4e5, ShearModel::engesser), panto::SetupError);
    }
}

TEST_SUITE("element::springs without memory") {
    TEST_CASE("a stop is a spring beyond its gap, to both sides; the smooth one differs by less than its width") {
        const BumpStop<> hard{.gap = 0.03, .stiffness = 5e5}, soft{.gap = 0.03, .stiffness = 5e5, .width = 1e-3};
        CHECK(hard(0.02, 1.0) == 0.0);
        CHECK(hard(0.04, 0.0) == approx(5e3));
        CHECK(hard(-0.05, 0.0) == approx(-1e4));
        for (double x = -0.06; x < 0.06; x += 1e-3) {
            CHECK(std::abs(soft(x, 0.0) - hard(x, 0.0)) <= 5e5 * 1e-3 * std::log(2.0) * (1.0 + 1e-12));
            CHECK(soft(-x, 0.0) == -soft(x, 0.0));
        }
        const BumpStop<Dual<1>> dual{0.03, 5e5, 1e-3};
        CHECK(dual(Dual<1>::variable(0.03, 0), 0.0).derivative(0) == approx(2.5e5));
        CHECK(dual(Dual<1>::variable(10.0, 0), 0.0).derivative(0) == approx(5e5));
    }

    TEST_CASE("an anti-roll bar of round steel") {
        // 60 mm, 1.2 m between arms of 0.3 m, links 1.2 m apart: torsion 8.567e4 N m/rad times 16.
        const auto bar = AntiRollBar<>::of(0.06, 1.2, 0.3, 1.2);
        const double torsion = 80.8e9 * std::acos(-1.0) * std::pow(0.06, 4) / 32.0 / 1.2;
        CHECK(bar.stiffness == approx(16.0 * torsion).epsilon(1e-12));
        CHECK(bar(0.01, 0.0) == approx(0.01 * bar.stiffness));
        CHECK_THROWS_AS((void)AntiRollBar<>::of(0.06, 1.2, 0.0, 1.2), panto::SetupError);
    }

    TEST_CASE("a traction rod is its bushes and itself in series, and slack within its play") {
        const TractionRod<> rod{.bush = 2e7, .rod = 1e8, .play = 1e-3};
        CHECK(rod.stiffness() == approx(1.0 / (1e-7 + 1e-8)));
        CHECK(rod(5e-4, 0.0) == 0.0);
        CHECK(rod(3e-3, 0.0) == approx(rod.stiffness() * 2e-3));
        CHECK(rod(-3e-3, 0.0) == approx(-rod.stiffness() * 2e-3));
        CHECK(TractionRod<>{.bush = 2e7, .rod = 1e8}(1e-6, 0.0) > 0.0);
    }

    TEST_CASE("do not allocate, and serve as elements") {
        // @rt-tested: KelvinVoigt::operator() BumpStop::operator() AntiRollBar::operator() TractionRod::operator()
        // @rt-tested: Memoryless::force Memoryless::rate Memoryless::accept
        const Memoryless<KelvinVoigt<>> element(KelvinVoigt<>{1e6, 1e4});
        auto z = element.rest(), dz = z;
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  sum += element.force(1e-3, 0.1, z);
                  element.rate(1e-3, 0.1, z, dz);
                  element.accept(1e-3, 0.1, z);
                  sum += BumpStop<>{0.01, 1e6, 1e-3}(0.02, 0.0) + AntiRollBar<>{1e6, 0.0}(1e-3, 0.0) +
                         TractionRod<>{1e7, 1e8, 0.0}(1e-3, 0.0);
              }) == 0);
        CHECK(sum > 2e3);
    }

    TEST_CASE("refuse what has no meaning") {
        CHECK_THROWS_WITH_AS(validate(BumpStop<>{.gap = -0.01, .stiffness = 1.0}),
                             "element::BumpStop: gap must be finite and >= 0, got -0.01", panto::SetupError);
        CHECK_THROWS_AS(validate(KelvinVoigt<>{.stiffness = -1.0}), panto::SetupError);
        CHECK_THROWS_AS(validate(TractionRod<>{.bush = 1e7}), panto::SetupError);
        CHECK_THROWS_AS(validate(AntiRollBar<>{}), panto::SetupError);
        CHECK_NOTHROW(validate(KelvinVoigt<>{}));
    }
}

}  // namespace spring_test
