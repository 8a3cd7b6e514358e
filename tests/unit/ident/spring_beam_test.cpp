// SPDX-License-Identifier: BSD-3-Clause
#include <panto/field/spring_beam.hpp>
#include <panto/field/transfer_functions.hpp>

#include "../../cases/ident_boundary_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <vector>

namespace spring_beam_test {
namespace {

using namespace panto;
using namespace panto::ident;

/// Sensor and slope per input of the discrete field at s = i omega: (z I - A) x = B_before + B_now z by Cramer's rule,
/// without the factor by which straight lines between samples weaken a sine.
std::pair<Complex, Complex> response(const SpringBeam<>& beam, std::size_t input, double omega) {
    const Complex z = std::polar(1.0, omega * beam.dt());
    Complex sensor = 0.0, slope = 0.0;
    for (const auto& m : beam.mode_list()) {
        const Complex a = z - m.A[0][0], d = z - m.A[1][1], b = -m.A[0][1], c = -m.A[1][0];
        const Complex r0 = m.B_before[0][input] + m.B_now[0][input] * z,
                      r1 = m.B_before[1][input] + m.B_now[1][input] * z;
        const Complex q = (r0 * d - b * r1) / (a * d - b * c);
        sensor += m.sensor * q, slope += m.boundary * q;
    }
    const Vector<double, Dynamic> none = Vector<double, Dynamic>::Zero(beam.states());
    SpringBeam<>::Input unit{};
    unit[input] = 1.0;
    return {sensor + beam.sensor(none, {}, unit), slope + beam.boundary(none, {}, unit)};
}

TEST_SUITE("ident::spring_beam") {
    TEST_CASE("the field answers sines as the exact transfer functions do") {
        const SpringBeamParams<> p{.length = 0.8,
                                   .mass_per_length = 0.02,
                                   .damping = 0.06,
                                   .bending_stiffness = 0.7,
                                   .sensor = 0.14,
                                   .modes = 60};
        const double L = p.length, EI = p.bending_stiffness, dt = 2e-6;
        const auto beam = spring_beam(p, dt);
        for (const double omega : {20.0, 150.0, 700.0}) {
            CAPTURE(omega);
            const Complex s(0.0, omega);
            const double scale = L * L * L * L / EI;
            const auto G = beam_transfer(-(p.mass_per_length * s * s + p.damping * s) * scale, p.sensor);
            const auto motion = response(beam, 0, omega), moment = response(beam, 1, omega);
            // 60 modes leave 1e-5 of the answer to the motion; straight lines (omega dt)^2/12.
            const auto near = [](Complex a, Complex b) { return std::abs(a - b) < 5e-5 * std::abs(b); };
            CHECK(near(motion.first, G.G3 * EI / (L * L)));
            CHECK(near(moment.first, G.G4));
            CHECK(near(motion.second, (G.G1 + G.G2 * G.G3) / L));
            CHECK(near(moment.second, G.G2 * G.G4 * L / EI));
        }
    }

    TEST_CASE("at rest few modes are exact") {
        auto beam = spring_beam<double>({.modes = 3}, 1e-3);
        Vector<double, Dynamic> x = Vector<double, Dynamic>::Zero(beam.states());
        for (int k = 0; k < 20000; ++k) beam.advance(x, {0.02, 0.01}, {0.02, 0.01}, x);  // damped by 1.5 1/s
        CHECK(beam.sensor(x, {}, {0.02, 0.01}) == approx(-0.42 * 0.02 + 0.79 * 0.01));
        CHECK(beam.boundary(x, {}, {0.02, 0.01}) == approx(1.5 * 0.02 - 0.25 * 0.01));
    }

    TEST_CASE("characteristic roots are those of the reference") {
        const auto golden = test::golden("vehicle_and_inverse_problems.json")["G.roots"]["value"];
        CHECK(test::ward_goodson::root_difference() <= 1e-9);  // the tolerance of the file
        const auto G = beam_transfer(1e-4, 0.14);
        const Eigen::MatrixXd dc = test::golden_matrix(golden["dc"]);
        // 1e-4/25 away from rest.
        CHECK(G.G1.real() == approx(dc(0)).epsilon(1e-5));
        CHECK(G.G2.real() == approx(dc(1)).epsilon(1e-5));
        CHECK(G.G3.real() == approx(dc(2)).epsilon(1e-5));
        CHECK(G.G4.real() == approx(dc(3)).epsilon(1e-5));
    }

    TEST_CASE("modes above the sampling are left out by default") {
        CHECK(spring_beam<double>({}, 1e-3).modes() == 4);
        CHECK(spring_beam<double>({}, 2.5e-4).modes() == 9);
        CHECK(hinged_clamped_root(1) == approx(3.92660231204792));
    }

    TEST_CASE("what makes no sense is refused by name") {
        const auto refused = [](const SpringBeamParams<>& p, double dt, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS((void)spring_beam(p, dt), doctest::Contains(words), SetupError);
        };
        refused({.length = -1.0}, 1e-3, "length must be finite and > 0, got -1");
        refused({.mass_per_length = 0.0}, 1e-3, "mass_per_length must be finite and > 0, got 0");
        refused({.damping = -0.1}, 1e-3, "damping must be finite and >= 0, got -0.1");
        refused({.bending_stiffness = 0.0}, 1e-3, "bending_stiffness must be finite and > 0, got 0");
        refused({.sensor = 0.0}, 1e-3, "sensor is 0, must be between 0 and 1");
        refused({.modes = 201}, 1e-3, "modes is 201");
        refused({}, -1e-3, "dt must be finite and > 0, got -0.001");
        CHECK_THROWS_WITH_AS((void)real_roots([](const Complex& g) { return g; }, 0), doctest::Contains("count is 0"),
                             SetupError);
    }
}

}  // namespace
}  // namespace spring_beam_test
