// SPDX-License-Identifier: BSD-3-Clause
#include <panto/dynamics/newmark.hpp>
#include <panto/element/rubber.hpp>
#include <panto/element/spring.hpp>
#include <panto/pantograph/lumped.hpp>
#include <panto/testing/coupling.hpp>
#include <panto/testing/discrete_system.hpp>
#include <panto/testing/force_element.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace panto;
using testing::as_text;

namespace model_testers_test {
namespace {

void says(const testing::Findings& findings, const std::string& part) {
    const std::string text = as_text(findings);
    CAPTURE(part);
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
}

/// A spring between strip and wire, without mass.
struct Spring {
    double share = 1.0, sign = 1.0, follows = 1.0, speed_scale = 1.0, start_off = 0.0;
    bool restores = true, counts_calls = false;
    mutable double calls = 0.0;
    double drift = 0.0, compression = 0.0;
    double force(double strip_force) const noexcept {
        if (counts_calls) calls += 1.0;
        return share * strip_force + calls;
    }
    Motion follow(const Motion& wire, double strip_force) noexcept {
        drift += restores ? 0.0 : 1e-12;
        compression = strip_force / 50e3;
        return {0.05 + follows * (wire.height - 0.05) + sign * compression + drift, speed_scale * wire.speed, 0.0};
    }
    Motion reset(const Motion& wire, double strip_force) noexcept {
        if (restores) drift = 0.0;
        return {wire.height + sign * strip_force / 50e3 + start_off};
    }
};

/// A spring and a Maxwell arm.
struct Bush {
    using Memory = Vector<double, 1>;
    double stiffness = 1e5, arm = 1e5, damping = 1e4, rests_at = 0.0, accepts = 0.0;
    bool writes = true, hidden = false;
    mutable double secret = 0.0;
    Memory rest() const { return Memory(rests_at); }
    double force(const double& x, const double&, const Memory& z) const noexcept {
        if (hidden) secret += 1e-3;
        return stiffness * x + z[0] + secret;
    }
    void rate(const double&, const double& v, const Memory& z, Memory& dz) const noexcept {
        if (writes) dz[0] = arm * (v - z[0] / damping);
    }
    void accept(const double&, const double&, Memory& z) const noexcept { z[0] += accepts; }
};

/// x+ = x/2 + u.
struct Halves {
    using State = std::vector<double>;
    using Input = double;
    using Output = double;
    double step_length = 1e-3;
    bool overwrites = true, checks_size = true, takes_nan = true, hides = false, answers = true;
    mutable double secret = 0.0;
    Status step(const State& x, const Input& u, State& next) const noexcept {
        if (checks_size && (x.size() != 1 || next.size() != 1)) return Status::out_of_range;
        const double input = takes_nan || is_finite(u) ? u : 0.0;
        next[0] = 0.5 * x[0] + input + (overwrites ? 0.0 : 0.1 * next[0]) + secret;
        if (hides) secret += 1e-9;
        return answers ? Status::ok : Status::not_converged;
    }
    Status output(const State& x, const Input&, Output& y) const noexcept { return y = x[0], Status::ok; }
    double dt() const noexcept { return step_length; }
};
/// The same with a state of fixed size, whose output is added up.
struct AddsUp {
    using State = double;
    using Input = double;
    using Output = double;
    void step(const State& x, const Input& u, State& next) const noexcept { next = 0.5 * x + u; }
    void output(const State& x, const Input&, Output& y) const noexcept { y += x; }
    double dt() const noexcept { return 1e-3; }
};
struct ForgetsStatus : Halves {
    void step(const State& x, const Input& u, State& next) const noexcept { next[0] = 0.5 * x[0] + u; }
};

}  // namespace

TEST_CASE("testing::test_coupling passes ours and finds what was broken on purpose") {
    interaction::DirectInteraction direct;
    CHECK(as_text(testing::test_coupling(direct)) == "");
    interaction::MassInteraction mass({.ramp_time = 1.0}, 2e-3);
    CHECK(as_text(testing::test_coupling(mass)) == "");
    CHECK_THROWS_AS((void)testing::test_coupling(mass, {.dt = 1e-3}), SetupError);
    const auto of = [](Spring spring) { return testing::test_coupling(spring); };
    CHECK(as_text(of({})) == "");
    says(of({.share = 0.9}), "but the force on the wire at rest is 90 N");
    says(of({.share = -1.0}), "must be from 0 to this force");
    says(of({.sign = -1.0}), "the drive stands lower under twice the force");
    says(of({.follows = 0.5}), "but the drive has moved by 5 mm");
    says(of({.speed_scale = 1e3}), "the speeds of the drive differ");
    says(of({.start_off = 1e-3}), "reset() must begin in equilibrium");
    says(of({.restores = false}), "reset() does not restore everything");
    says(of({.counts_calls = true}), "only follow() may change state");
    says(of({.share = std::nan("")}), "give a force or a motion that is not");
}

TEST_CASE("testing::test_force_element passes ours and finds what was broken on purpose") {
    const auto of = [](const Bush& bush) { return testing::test_force_element(bush); };
    CHECK(as_text(of({})) == "");
    CHECK(
        as_text(testing::test_force_element(
            element::BergRubber<>({.elastic = 1e5, .friction = 100.0, .friction_stroke = 1e-3, .viscous = {1e5, 1e4}}),
            {.steps = 200})) == "");
    CHECK(as_text(testing::test_force_element(element::Memoryless(element::KelvinVoigt<>{1e5, 1e3}))) == "");
    says(testing::test_force_element(element::Memoryless(element::KelvinVoigt<>{1e5, -1e3})), "more come out");
    says(testing::test_force_element(element::Memoryless(element::BumpStop<>{.gap = 0.01, .stiffness = 1e5})),
         "set `stroke` above the play or gap");
    says(of({.stiffness = -2e5}), "a positive force opposes a positive motion");
    says(of({.arm = -1e5, .damping = -1e4}), "more come out");
    says(of({.rests_at = 5.0}), "rest() is not at rest");
    says(of({.accepts = 0.1}), "accept() changes the force");
    says(of({.writes = false}), "leaves an entry of dz unwritten");
    says(of({.hidden = true}), "must be in its memory");
    says(of({.rests_at = std::nan("")}), "at rest is not finite");
    CHECK_THROWS_AS((void)testing::test_force_element(Bush{}, {.stroke = 0.0}), SetupError);
}

TEST_CASE("testing::test_discrete_system passes ours and finds what was broken on purpose") {
    const dynamics::NewmarkOscillator<> oscillator({2.0, 1.0, 100.0}, 1e-2);
    CHECK(as_text(testing::test_discrete_system(oscillator, oscillator.state(0.1, 0.0, 1.0), 1.0)) == "");
    using Lumped = pantograph::Lumped<double, 1>;
    const Lumped chain({Vector<double, 1>(2.0), Vector<double, 1>(1.0), Vector<double, 1>(100.0)}, 1e-2);
    const Vector<double, 1> nought(0.0);
    CHECK(as_text(testing::test_discrete_system(chain, {nought, nought, nought}, {1.0, 2.0}, [](const auto& y) {
              return std::vector<double>{y.height, y.speed, y.acceleration};
          })) == "");
    const auto of = [](const Halves& halves) { return testing::test_discrete_system(halves, {1.0}, 1.0); };
    CHECK(as_text(of({})) == "");
    says(of({.step_length = 0.0}), "dt() is 0 s");
    says(of({.overwrites = false}), "depends on what `next` held before");
    says(of({.checks_size = false}), "does not return out_of_range");
    says(of({.takes_nan = false}), "an input that is not a number");
    says(of({.hides = true}), "state must be in x, not in the model");
    says(of({.answers = false}), "step() ends with");
    says(testing::test_discrete_system(AddsUp{}, 1.0, 1.0), "depends on what `y` held before");
    says(testing::test_discrete_system(ForgetsStatus{}, {1.0}, 1.0), "but step() returns no Status");
    says(testing::test_discrete_system(Halves{}, {1.0}, std::numeric_limits<double>::infinity()), "is not finite");
}

}  // namespace model_testers_test
