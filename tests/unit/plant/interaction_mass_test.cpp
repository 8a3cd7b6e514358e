// SPDX-License-Identifier: BSD-3-Clause
#include <panto/plant/interaction_mass.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace panto;
using plant::InteractionMassParams;
using plant::MassDamper;

namespace plant_interaction_mass_test {
namespace {

struct Part {
    InteractionMassParams mass{};
    [[nodiscard]] const InteractionMassParams& interaction_mass() const noexcept { return mass; }
};

/// What is refused of two parts; empty if they fit.
std::string refusal(const InteractionMassParams& designed, const InteractionMassParams& coupling) {
    try {
        plant::require_same_interaction_mass(Part{designed}, Part{coupling}, "here");
    } catch (const SetupError& e) {
        const std::string text = e.what();
        return text.substr(0, text.find(';'));
    }
    return "";
}

}  // namespace

TEST_CASE("a controller for another interaction mass is refused by field, with both values") {
    const std::string start = "here: the controller is designed for an interaction mass whose ";
    CHECK(refusal({}, plant::table2_interaction_mass) == "");
    CHECK(refusal({}, {.mass = 0.05 * (1.0 + 1e-12)}) == "");  // rounding
    CHECK(refusal({}, {.mass = 0.1}) == start + "mass is 0.05 kg, that of the coupling is 0.1 kg");
    CHECK(refusal({.damping = 60.0}, {}) == start + "damping is 60 N s/m, that of the coupling is 50 N s/m");
    CHECK(refusal({.damping = 0.0}, {.damping = 0.0}) == "");
    CHECK(refusal({.stiffness = 20e3}, {}) == start + "stiffness is 20000 N/m, that of the coupling is 50000 N/m");
    CHECK(refusal({}, {.damper = MassDamper::wire}) ==
          start + "damper is MassDamper::ground, that of the coupling is MassDamper::wire");
}

TEST_CASE("parts that name no interaction mass go with any") {
    struct Nameless {};
    CHECK_NOTHROW(plant::require_same_interaction_mass(Nameless{}, Part{{.mass = 0.1}}, "here"));
    CHECK_NOTHROW(plant::require_same_interaction_mass(Part{{.mass = 0.1}}, Nameless{}, "here"));
}

TEST_CASE("on a wire at rest the interaction mass is an oscillator with its mass, damping and stiffness") {
    const InteractionMassParams p{.mass = 0.07, .damping = 3.0, .stiffness = 400.0, .damper = MassDamper::wire};
    const dynamics::NewmarkOscillator<double> free(p, 1e-3);
    CHECK(free.params().mass == 0.07);
    CHECK(free.params().damping == 3.0);
    CHECK(free.params().stiffness == 400.0);
}

}  // namespace plant_interaction_mass_test
