// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/testing/catenary.hpp>

#include "rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace panto;
using testing::as_text;
using testing::test_catenary;

namespace catenary_tester_test {
namespace {

const catenary::FiniteElements<>& line() {
    static const catenary::FiniteElements<> m(catenary::en50318_2002(2), {.contact = 1.2});
    return m;
}

/// What a tester says of the stand-in after something was broken in it.
using Base = test::StandInCatenary;

template <class Broken>
void finds(const std::string& part) {
    Broken engine;
    const std::string text = as_text(test_catenary(engine));
    CAPTURE(part);
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
}

struct Forgets : Base {  // to reset something
    void reset() noexcept {
        Base::reset();
        stiffness += 1e-6;
    }
};
struct Sinks : Base {
    Motion step(double force) noexcept { return Base::step(-force); }
};
struct NoSpeed : Base {
    Motion step(double force) noexcept {
        const Motion m = Base::step(force);
        return {m.height, 0.0, m.acceleration};
    }
};
struct InMillimetres : Base {
    Motion step(double force) noexcept {
        const Motion m = Base::step(force);
        return {m.height, 1e3 * m.speed, m.acceleration};
    }
};
struct WrongAcceleration : Base {
    Motion step(double force) noexcept {
        const Motion m = Base::step(force);
        return {m.height, m.speed, -m.acceleration};
    }
};
struct SpeedFromHeights : Base {  // whose error at the start changes its sign in every step, and never decays
    Motion at = wire();
    void reset() noexcept {
        Base::reset();
        at = wire();
        at.speed = 0.02;
    }
    Motion step(double force) noexcept {
        const Motion m = Base::step(force);
        return at = {m.height, 2.0 * (m.height - at.height) / dt() - at.speed, m.acceleration};
    }
};
struct HidesNaN : Base {
    Motion step(double force) noexcept { return Base::step(is_finite(force) ? force : 0.0); }
};
struct NeverHeals : Base {
    bool spoilt = false;
    Motion step(double force) noexcept {
        spoilt = spoilt || !is_finite(force);
        return Base::step(spoilt ? std::nan("") : force);
    }
};
struct MovesWhenAsked : Base {
    void predict(double force, std::span<Motion> ahead) noexcept {
        for (Motion& m : ahead) m = Base::step(force);
    }
};
struct PredictsNothing : Base {
    void predict(double, std::span<Motion> ahead) const noexcept {
        for (Motion& m : ahead) m = wire();
    }
};
struct PredictsNaN : Base {
    void predict(double, std::span<Motion> ahead) const noexcept {
        for (Motion& m : ahead) m = {std::nan(""), 0.0, 0.0};
    }
};
struct ForSequences : Base {  // with nothing wrong
    using Base::predict;
    void predict(std::span<const double> forces, std::span<Motion> ahead) const noexcept {
        Motion m = wire();
        for (std::size_t k = 0; k < ahead.size(); ++k) ahead[k] = m = advanced(m, forces[k]);
    }
};
struct SequenceMoves : Base {
    using Base::predict;
    void predict(std::span<const double> forces, std::span<Motion> ahead) noexcept {
        for (std::size_t k = 0; k < ahead.size(); ++k) ahead[k] = Base::step(forces[k]);
    }
};
struct SequenceOfZeros : Base {
    using Base::predict;
    void predict(std::span<const double>, std::span<Motion> ahead) const noexcept {
        std::fill(ahead.begin(), ahead.end(), Motion{});
    }
};
struct SequenceOfOne : Base {  // only the first force
    using Base::predict;
    void predict(std::span<const double> forces, std::span<Motion> ahead) const noexcept { predict(forces[0], ahead); }
};
struct LateLaw : Base {
    using Base::predict;
    template <WireForceLaw Law>
    void predict(Law&& law, std::span<Motion> ahead) const noexcept {
        Motion m = wire();
        double before = law(0, m);
        for (std::size_t k = 0; k < ahead.size(); ++k) {
            const double now = law(k, m);
            ahead[k] = m = advanced(m, before);
            before = now;
        }
    }
};
struct Backwards : Base {
    double position() const noexcept { return -Base::position(); }
    double position_after(double s) const noexcept { return -Base::position_after(s); }
};
struct OtherPlace : Base {
    double position_after(double s) const noexcept { return position() + 20.0 * s; }  // forgets that it gains speed
};
struct WrongClock : Base {
    double time() const noexcept { return 1e3 * Base::time(); }
};
struct Pulls : Base {
    Result<double> step_contact(const catenary::ImplicitContact<double>& c) noexcept {
        auto r = Base::step_contact(c);
        if (r.usable() && r.value == 0.0) r.value = -1.0;
        return r;
    }
};
struct LateForce : Base {  // that of the step before, as an explicit coupling would have it
    double last = 0.0;
    Result<double> step_contact(const catenary::ImplicitContact<double>& c) noexcept {
        if (!c.solvable()) return {0.0, Status::not_finite};
        Base::step(last);
        return {last = std::max(0.0, c.stiffness * (c.head_height - wire().height)), Status::ok};
    }
};
struct TakesAnything : Base {
    Result<double> step_contact(const catenary::ImplicitContact<double>& c) noexcept {
        if (!c.solvable()) return {0.0, Status::ok};
        return Base::step_contact(c);
    }
};
struct WrongEnd : Base {
    std::int64_t steps_on_line() const noexcept { return 300; }
    double length() const noexcept { return 500.0; }
};
struct NoEnd : Base {
    std::int64_t steps_on_line() const noexcept { return 300; }
    Status status() const noexcept { return is_finite(wire()) ? Status::ok : Status::not_finite; }
};
struct RestsElsewhere : Base {
    double static_height(double force) const noexcept { return 2.0 * force / stiffness; }
    void rest_under(double) noexcept { reset(); }
};
struct Starts : Base {  // at rest under a force, with nothing wrong
    double load = 0.0;  // N, of every start
    double static_height(double force) const noexcept { return force / stiffness; }
    void rest_under(double force) noexcept {
        Base::reset();
        put({static_height(force), 0.0, 0.0});
    }
    void reset() noexcept { rest_under(load); }
    void start_under(double force) noexcept { rest_under(load = force); }
};
struct StartsWithoutLoad : Starts {
    void start_under(double) noexcept {}
};
struct StartsOnce : Starts {
    void start_under(double force) noexcept { rest_under(force); }
};
struct StartsMoving : Starts {
    void reset() noexcept {
        Starts::reset();
        if (load > 0.0) put({static_height(load), -2.0, 0.0});
    }
};
struct StaysLoaded : Starts {
    void start_under(double force) noexcept { rest_under(load = std::max(load, force)); }
};
struct Dropper {
    double position, static_force;
};
struct PushingDroppers : Base {
    std::array<Dropper, 2> droppers() const noexcept { return {{{10.0, 50.0}, {20.0, 50.0}}}; }
    double dropper_force(std::size_t j) const noexcept { return 50.0 - (j == 0 ? 1e4 : 1e3) * wire().height; }
};
struct SlackNotCounted : Base {
    std::array<Dropper, 1> droppers() const noexcept { return {{{10.0, 50.0}}}; }
    double dropper_force(std::size_t) const noexcept { return std::max(0.0, 50.0 - 1e4 * wire().height); }
    int slack_droppers() const noexcept { return 0; }
};
struct RestlessSupports : Base {
    std::array<double, 2> supports() const noexcept { return {60.0, 50.0}; }
    double support_uplift(std::size_t) const noexcept { return 0.01 + wire().height; }
};
struct NoStep : Base {
    double dt() const noexcept { return 0.0; }
};

}  // namespace

TEST_SUITE("testing::test_catenary") {
    TEST_CASE("finds nothing wrong with our engines") {
        const catenary::PassageParams passage{.speed = 60.0, .start = 30.0};
        catenary::RealTimeEngine<> fast(line(), passage);
        CHECK(as_text(test_catenary(fast)) == "");
        catenary::ReferenceEngine<> slow(line(), passage);
        CHECK(as_text(test_catenary(slow, {.steps = 60, .most_steps = 0})) == "");
        catenary::RealTimeEngine<> starting(
            line(), {.start = 30.0, .profile = catenary::SpeedProfile({{0.0, 0.0}, {0.3, 60.0}})});
        CHECK(as_text(test_catenary(starting)) == "");
        test::StandInWire wire;
        CHECK(as_text(test_catenary(wire)) == "");
        test::StandInCatenary moving;
        CHECK(as_text(test_catenary(moving)) == "");
        ForSequences sequences;
        CHECK(as_text(test_catenary(sequences)) == "");
        Starts starts;
        CHECK(as_text(test_catenary(starts)) == "");
        CHECK(starts.load == 0.0);  // as before
    }

    TEST_CASE("finds what was broken on purpose") {
        finds<Forgets>("reset() does not restore everything");
        finds<Sinks>("does not lift the wire");
        finds<NoSpeed>("the speeds differ");
        finds<InMillimetres>("the speeds differ");
        finds<WrongAcceleration>("the accelerations differ");
        finds<SpeedFromHeights>("the speed goes up and down from step to step");
        finds<HidesNaN>("gives a finite motion");
        finds<NeverHeals>("reset() does not restore the start");
        finds<MovesWhenAsked>("predict() changes the state");
        finds<PredictsNothing>("predict() differs from the steps that follow");
        finds<PredictsNaN>("predict() gives a motion that is not finite");
        finds<SequenceMoves>("predict(forces) changes the state");
        finds<SequenceOfZeros>("predict(forces) differs from the steps that follow");
        finds<SequenceOfOne>("predict(forces) differs from the steps that follow");
        finds<LateLaw>("predict(law) differs from the steps that follow");
        finds<Backwards>("goes backwards");
        finds<OtherPlace>("before, position_after(dt) gave");
        finds<WrongClock>("time() is");
        finds<Pulls>("step_contact() gives a negative force");
        finds<LateForce>("differs from the contact law");
        finds<LateForce>("move the wire differently");
        finds<TakesAnything>("no stiffness");
        finds<TakesAnything>("a negative compliance");
        finds<WrongEnd>("the line ends at 500 m");
        finds<NoEnd>("after one step more than steps_on_line()");
        finds<RestsElsewhere>("rest_under() leaves the wire at");
        finds<StartsWithoutLoad>("after start_under() reset() leaves the wire at 0 m");
        finds<StartsOnce>("after start_under() and reset(), step 1 under the same force");
        finds<StartsMoving>("after start_under() and reset(), step 3 under the same force");
        finds<StaysLoaded>("start_under(0) and reset() do not lead back");
        finds<PushingDroppers>("a dropper can only pull");
        finds<SlackNotCounted>("slack_droppers() is 0");
        finds<RestlessSupports>("the uplift at support 0");
        finds<RestlessSupports>("before the previous one");
        finds<NoStep>("dt() is 0 s");
    }
}

}  // namespace catenary_tester_test
