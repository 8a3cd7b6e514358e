// SPDX-License-Identifier: BSD-3-Clause
#include <panto/absorbing/output_error.hpp>
#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/stability.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/string.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "golden_json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>

namespace absorbing_test {
namespace {

using namespace panto;
using namespace panto::wave;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi;
const BeamParams<> wire{.bending_stiffness = 150.0, .tension = 15e3};  // Publication B, Sec. 4.1.1

Stencil<double, 2> scheme(double dt = 9.9e-5) { return beam_stencil(wire, 0.05, dt); }

/// Eq. (33) or (35) of Publication B.
AbsorbingStencil published(const std::string& which) {
    const auto rows = test::golden("data/published_absorbing_stencils.json").at(which);
    VectorXd weights(8);
    for (int i = 0; i < 8; ++i)
        weights[i] = rows.at(static_cast<std::size_t>(i / 4)).at(static_cast<std::size_t>(i % 4));
    return AbsorbingStencil({2, 1, 4}, weights);
}

const nlohmann::json& numbers_of(const std::string& name) {
    static const nlohmann::json all = test::golden("waves_and_identification.json");
    return all.at(name).at("value");
}

/// A stencil that makes no sense but uses everything: two levels, new values.
AbsorbingStencil odd_one() {
    VectorXd w(12);
    w << 0.3, -0.2, 0.4, 0.1, 0.05, -0.1, 0.2, 0.1, -0.3, 0.25, 0.15, 0.02;
    Eigen::MatrixXd fresh = Eigen::MatrixXd::Zero(2, 3);
    fresh(0, 1) = 0.3, fresh(0, 2) = -0.1, fresh(1, 2) = 0.2;
    return AbsorbingStencil({2, 2, 3}, w, fresh);
}

}  // namespace

TEST_SUITE("wave::absorbing") {
    TEST_CASE(
        "the reflection of the published stencils is that of an independent program, point by point and jointly") {
        for (const std::string name : {"S33", "S35"}) {
            const AbsorbingStencil end = published(name == "S33" ? "eq33" : "eq35");
            for (int m = 1; m <= 9; ++m) {
                CAPTURE(m);
                const auto at = static_cast<std::size_t>(m - 1);
                const auto modes = boundary_modes(scheme(), m * pi / 10.0);
                const auto R = point_reflection(end, modes);
                const auto joint = joint_reflection(end, modes);
                const auto close = [](double value, const nlohmann::json& golden) {
                    return std::abs(value - golden.get<double>()) <= 1e-10 * golden.get<double>();
                };
                CHECK(close(std::abs(R[0]), numbers_of(name + "_absRk_eq16").at(0).at(at)));
                CHECK(close(std::abs(R[1]), numbers_of(name + "_absRk_eq16").at(1).at(at)));
                CHECK(close(std::abs(joint.reflected()), numbers_of(name + "_absR_joint").at(at)));
                CHECK(close(std::abs(joint.evanescent()), numbers_of(name + "_absEv_joint").at(at)));
            }
        }
    }

    TEST_CASE("the published measure has the sign of its derivation: a clamped string sends back -1") {
        const auto string = wave_equation_stencil(122.0, 0.05, 3e-4);
        const AbsorbingStencil clamped({1, 1, 2});
        const auto modes = boundary_modes(string, 0.7);
        CHECK(std::abs(point_reflection(clamped, modes)[0] + 1.0) < 1e-14);
        CHECK(std::abs(joint_reflection(clamped, modes).reflected() + 1.0) < 1e-14);
    }

    TEST_CASE("the joint answer solves the boundary equations, new values included") {
        const auto modes = boundary_modes(scheme(), 0.9);
        const AbsorbingStencil end = odd_one();
        const auto a = joint_reflection(end, modes);
        const auto u = [&](int n, int k) {
            return std::pow(modes.tau, n) * (std::pow(modes.out, k) + a.reflected() * std::pow(modes.in, k) +
                                             a.evanescent() * std::pow(modes.decaying[0], k));
        };
        for (int k = 0; k < 2; ++k) {
            std::complex<double> sum = 0.0;
            for (int j = 0; j < 3; ++j)
                sum += end.new_weight(k, j) * u(1, j) + end.weight(k, 0, j) * u(0, j) + end.weight(k, 1, j) * u(-1, j);
            CHECK(std::abs(sum - u(1, k)) < 1e-13);  // rounding of some ten terms of size 1
        }
        // And the evanescent part solves the scheme between the ends.
        const auto s = scheme();
        std::complex<double> row = 0.0;
        for (int j = -2; j <= 2; ++j)
            row += (s.at(s.next, j) * modes.tau - s.at(s.now, j) - s.at(s.before, j) / modes.tau) *
                   std::pow(modes.decaying[0], j);
        CHECK(std::abs(row) < 1e-12 * s.at(s.next, 0));
        CHECK(std::abs(modes.decaying[0]) < 1.0);
    }

    TEST_CASE(
        "waves run at every angle of a beam, not at the longest of a damped one, nor at the shortest above the step") {
        CHECK(oscillates(beam_stencil(BeamParams<>{.bending_stiffness = 150.0}, 0.05, 9.9e-5), 2e-6));
        BeamParams<> damped = wire;
        damped.viscous_damping = 2.0;  // N s/m^2: overdamped below k = dv/(2 sqrt(rA T)) = 8.2e-3 rad/m
        CHECK_FALSE(oscillates(beam_stencil(damped, 0.05, 9.9e-5), 0.05 * 7e-3));
        CHECK(oscillates(beam_stencil(damped, 0.05, 9.9e-5), 0.05 * 9e-3));
        CHECK_FALSE(oscillates(scheme(1.2e-4), 3.0));
    }

    TEST_CASE("both evanescent modes of a seven-point scheme solve it") {
        const auto s = beam_stencil<4>(wire, 0.05, 5e-5);
        const auto modes = boundary_modes(s, 0.8);
        for (const auto kappa : {modes.decaying[0], modes.decaying[1]}) {
            std::complex<double> row = 0.0;
            for (int j = -3; j <= 3; ++j)
                row +=
                    (s.at(s.next, j) * modes.tau - s.at(s.now, j) - s.at(s.before, j) / modes.tau) * std::pow(kappa, j);
            CHECK(std::abs(row) < 1e-11 * s.at(s.next, 0));
            CHECK(std::abs(kappa) < 1.0);
        }
        CHECK(std::abs(modes.decaying[0] - modes.decaying[1]) > 1e-3);
    }

    TEST_CASE("the output error of the published stencils is that of an independent program") {
        for (const std::string name : {"S33", "S35"}) {
            const AbsorbingStencil end = published(name == "S33" ? "eq33" : "eq35");
            for (int m = 0; m <= 10; ++m) {
                const double golden = numbers_of(name + "_eOE").at(static_cast<std::size_t>(m));
                CHECK(std::abs(output_error(scheme(), end, m * pi / 10.0) - golden) <= 1e-7 * golden);
            }
            const double objective = numbers_of(name + "_JOE_trapz_rad");
            CHECK(std::abs(output_error_objective(scheme(), end) - objective) <= 1e-7 * objective);
        }
    }

    TEST_CASE("the reflection objective comes within half a percent of the published figures") {
        // 8.6661e-2 and 1.1528e-1; their own rule is unknown (methods sheet, section 4).
        CHECK(std::abs(reflection_objective(scheme(), published("eq33")) / 8.6661e-2 - 1.0) < 5e-3);
        CHECK(std::abs(reflection_objective(scheme(), published("eq35")) / 1.1528e-1 - 1.0) < 5.5e-3);
        const auto twice = [](double) { return 2.0; };
        CHECK(reflection_objective(scheme(), published("eq33"), twice) ==
              approx(2.0 * reflection_objective(scheme(), published("eq33"))));
    }

    TEST_CASE("a boundary point needs as many points per wavelength as published") {
        const double dt = beam_largest_step(wire, 0.05);
        const auto exact = [&](double theta) { return beam_frequency(wire, theta / 0.05).real() * dt; };
        const auto golden = [](const char* name) { return numbers_of("ppw").at(name).get<double>(); };
        // The golden values are rounded to four digits.
        CHECK(std::abs(boundary_points_per_wavelength(published("eq35"), 0, exact) - golden("S35_k0")) < 2e-3);
        CHECK(std::abs(boundary_points_per_wavelength(published("eq35"), 1, exact) - golden("S35_k1")) < 2e-3);
        CHECK(std::abs(boundary_points_per_wavelength(published("eq33"), 0, exact) - golden("S33_k0")) < 2e-3);
        CHECK(std::abs(boundary_points_per_wavelength(published("eq33"), 1, exact) - golden("S33_k1")) < 2e-3);
        CHECK(std::abs(points_per_wavelength(scheme(dt), exact) - golden("interior")) < 2e-3);
    }

    TEST_CASE("the spectral radius of the published stencils is that of an independent program, on every system") {
        for (const std::string name : {"S33", "S35"}) {
            const AbsorbingStencil end = published(name == "S33" ? "eq33" : "eq35");
            for (const auto& item : numbers_of(name + "_one_minus_rho").items()) {
                const std::string system = item.key();
                CAPTURE(system);
                const double golden = item.value();
                const FarEnd far = system.starts_with("abc") ? FarEnd::absorbing : FarEnd::clamped;
                const int points = std::stoi(system.substr(system.find("_N") + 2));
                const double dt = system.ends_with("dtmax") ? beam_largest_step(wire, 0.05) : 9.9e-5;
                const double margin = 1.0 - bounded_radius(scheme(dt), end, points, far);
                CHECK(std::abs(margin - golden) <= 1e-6 * golden);
            }
        }
    }

    TEST_CASE("the state matrix does what a march with the same ends does") {
        const AbsorbingStencil end = odd_one();
        const int points = 9;
        March march(scheme(), points, end, end);
        const VectorXd now = VectorXd::LinSpaced(points, 0.0, 1.0).array().square().sin(), before = 0.5 * now;
        march.start(now, before);
        VectorXd state(2 * points);
        state << now, before;
        const Eigen::MatrixXd A = bounded_system(scheme(), end, points, FarEnd::absorbing);
        for (int n = 0; n < 5; ++n) {
            march.step();
            state = A * state;
            CHECK((march.level() - state.head(points)).norm() < 1e-12 * state.norm());
        }
    }

    TEST_CASE("the rule tells stable from unstable and the sign of the static determinant agrees") {
        CHECK(check_stability(scheme(), published("eq33")).stable);
        VectorXd w = published("eq33").weights();
        w[1] -= 1e-3;
        const AbsorbingStencil grows({2, 1, 4}, w);
        CHECK_FALSE(check_stability(scheme(), grows).stable);
        CHECK(static_determinant(scheme(), grows) > 0.0);
        CHECK(static_determinant(scheme(), published("eq33")) < 0.0);
        // Without any weight the end is clamped: nothing dies out, so a clamped far end leaves no margin.
        CHECK_FALSE(check_stability(scheme(), AbsorbingStencil{}).stable);
    }

    TEST_CASE("a stencil whose rows do not sum to 1 comes with a warning") {
        CHECK(low_frequency_warning(published("eq35")).find("absorbs badly at low frequency") != std::string::npos);
        CHECK(low_frequency_warning(published("eq35")).find("0.9804") != std::string::npos);  // the sheet's row sum
    }

    // @rt-tested: AbsorbingStencil::apply AbsorbingStencil::reset
    TEST_CASE("a march with absorbing ends allocates nothing and is mirrored") {
        March march(scheme(), 41, published("eq33"), published("eq33"));
        VectorXd hump = VectorXd::Zero(41);
        for (int k = 15; k <= 25; ++k) hump[k] = 26 - std::abs(k - 20) * 5;
        march.start(hump, hump);
        CHECK(test::allocations_in([&] {
                  for (int n = 0; n < 100; ++n) march.step();
              }) == 0);
        // Symmetric start and ends: symmetric to rounding after 100 steps.
        CHECK((march.level() - march.level().reverse()).norm() < 1e-12 * hump.norm());
    }

    TEST_CASE("bad input is refused with what is allowed") {
        CHECK_THROWS_WITH_AS(AbsorbingStencil({2, 1, 1}), doctest::Contains("reach is 1, must be from 2"), SetupError);
        CHECK_THROWS_WITH_AS(AbsorbingStencil({2, 0, 4}), doctest::Contains("levels is 0"), SetupError);
        CHECK_THROWS_AS(AbsorbingStencil({2, 1, 4}, VectorXd::Zero(7)), SetupError);
        CHECK_THROWS_AS(AbsorbingStencil({2, 1, 4}, VectorXd::Constant(8, std::nan(""))), SetupError);
        Eigen::MatrixXd outward = Eigen::MatrixXd::Zero(2, 4);
        outward(1, 0) = 1.0;
        CHECK_THROWS_AS(AbsorbingStencil({2, 1, 4}, VectorXd::Zero(8), outward), SetupError);
        CHECK_THROWS_WITH_AS((void)reflection_objective(scheme(), published("eq33"), [](double) { return -1.0; }),
                             doctest::Contains("frequency weight"), SetupError);
        CHECK_THROWS_AS((void)reflection_objective(scheme(), published("eq33"), [](double) { return std::nan(""); }),
                        SetupError);
        CHECK_THROWS_AS((void)boundary_modes(scheme(), 0.0), SetupError);
        CHECK_THROWS_WITH_AS((void)boundary_modes(scheme(1.2e-4), 3.0), doctest::Contains("largest stable"),
                             SetupError);
        CHECK_THROWS_WITH_AS((void)bounded_system(scheme(), published("eq33"), 4, FarEnd::clamped),
                             doctest::Contains("points is 4, must be at least 5"), SetupError);
    }
}

}  // namespace absorbing_test
