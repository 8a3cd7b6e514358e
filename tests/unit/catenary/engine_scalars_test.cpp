// SPDX-License-Identifier: BSD-3-Clause
// The real-time engine with other numbers than double, and with other numbers of lanes. Slow to compile.
#include <panto/catenary/realtime_engine.hpp>

#include "../../support/approx.hpp"
#include "sections.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <cmath>
#include <optional>

using namespace panto::catenary;
using OneDerivative = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;

namespace engine_scalars_test {
namespace {

template <class Scalar>
Section<Scalar> converted(const Section<>& s) {
    const auto wire = [](const Wire<>& w) {
        return Wire<Scalar>{Scalar(w.mass_per_length), Scalar(w.tension), Scalar(w.bending_stiffness),
                            Scalar(w.axial_stiffness)};
    };
    Section<Scalar> result;
    result.contact_wire = wire(s.contact_wire);
    result.messenger_wire = wire(s.messenger_wire);
    result.dropper = {std::nullopt, Scalar(s.dropper.axial_stiffness), Scalar(s.dropper.mass_per_length),
                      Scalar(s.dropper.clamp_mass_contact), Scalar(s.dropper.clamp_mass_messenger)};
    result.damping = {Scalar(s.damping.alpha), Scalar(s.damping.beta)};
    result.spans = s.spans;
    for (const Support<>& from : s.supports) {
        Support<Scalar> support{.messenger_height = from.messenger_height};
        if (const auto& arm = from.steady_arm)
            support.steady_arm = SteadyArm<Scalar>{Scalar(arm->mass_per_length), Scalar(arm->length),
                                                   Scalar(arm->stiffness), arm->held_height};
        if (const auto& stitch = from.stitch_wire)
            support.stitch_wire = StitchWire<Scalar>{.mass_per_length = Scalar(stitch->mass_per_length),
                                                     .tension = Scalar(stitch->tension),
                                                     .length = stitch->length,
                                                     .clamp_mass = Scalar(stitch->clamp_mass)};
        result.supports.push_back(support);
    }
    return result;
}

double force_at(int step) { return 150.0 + 150.0 * std::sin(0.2 * step); }

constexpr MeshSize coarse{.contact = 3.0, .messenger = 6.0, .stitch = 3.0};
constexpr PassageParams passage{.speed = 60.0, .start = 30.0, .accept_coarse_mesh = true};
constexpr int steps = 60;
constexpr std::size_t node = 14;  // that the pantograph passes

/// Uplift of the node after the run; `slack` counts the slack droppers of all steps.
template <class Scalar, int Lanes>
Scalar run(const Section<Scalar>& section, int& slack) {
    RealTimeEngine<Scalar, Lanes> engine(FiniteElements<Scalar>(section, coarse), passage);
    for (int n = 0; n < steps; ++n) {
        engine.step(force_at(n));
        for (std::size_t j = 0; j < engine.model().droppers().size(); ++j)
            slack += panto::value_of(engine.dropper_force(j)) == 0.0;
    }
    return engine.uplift(node);
}

double uplift(const Section<>& section) {
    int slack = 0;
    return run<double, 8>(section, slack);
}

}  // namespace

TEST_SUITE("catenary::RealTimeEngine of other scalars") {
    TEST_CASE(
        "gives the derivative with respect to the contact wire's tension, through static shape and slack droppers") {
        const Section<> plain = stitched_hil(2);
        Section<OneDerivative> section = converted<OneDerivative>(plain);
        section.contact_wire.tension = OneDerivative(plain.contact_wire.tension, 1, 0);
        int slack = 0;
        const OneDerivative dual = run<OneDerivative, 2>(section, slack);
        CHECK(slack > 5);

        const auto at = [&](double change) {
            Section<> s = plain;
            s.contact_wire.tension += change;
            return uplift(s);
        };
        const double difference = (at(1.0) - at(-1.0)) / 2.0;
        CHECK(dual.value() == approx(uplift(plain)).epsilon(1e-9));
        CHECK(std::abs(difference) > 1e-9);
        CHECK(dual.derivatives()[0] == approx(difference).epsilon(1e-5));  // rounding of the difference
    }

    TEST_CASE("computes in single precision") {
        const Section<> plain = stitched_hil(2);
        int slack = 0;
        const float single = run<float, 4>(converted<float>(plain), slack);
        // Static forces lose three of seven digits to K, the steps another one.
        CHECK(static_cast<double>(single) == approx(uplift(plain)).epsilon(1e-2));
    }
}

}  // namespace engine_scalars_test
