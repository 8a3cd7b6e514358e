// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Small stand-ins for the parts of a rig, for tests that are about one of the others.

#pragma once

#include <panto/catenary/implicit_contact.hpp>
#include <panto/control/concepts.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/fault.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>

namespace panto::test {

/// A wire that is one mass on a spring and a damper, advanced by Newmark's average acceleration with the force at the
/// end of the step. About as stiff and as heavy at the contact as a real one.
class StandInWire {
  public:
    explicit StandInWire(double dt = 2e-3) : dt_(dt) {}

    Motion step(double force) noexcept { return motion_ = advanced(motion_, force); }
    void predict(double force, std::span<Motion> ahead) const noexcept {
        Motion m = motion_;
        for (Motion& next : ahead) next = m = advanced(m, force);
    }
    void reset() noexcept { motion_ = {}; }
    double dt() const noexcept { return dt_; }
    const Motion& wire() const noexcept { return motion_; }

    double mass = 20.0;         // kg
    double damping = 200.0;     // N s/m
    double stiffness = 2000.0;  // N/m

  protected:
    Motion advanced(const Motion& m, double force) const noexcept {
        const double z = m.height + dt_ * m.speed + 0.25 * dt_ * dt_ * m.acceleration;
        const double v = m.speed + 0.5 * dt_ * m.acceleration;
        const double a =
            (force - damping * v - stiffness * z) / (mass + 0.5 * dt_ * damping + 0.25 * dt_ * dt_ * stiffness);
        return {z + 0.25 * dt_ * dt_ * a, v + 0.5 * dt_ * a, a};
    }

    void put(const Motion& m) noexcept { motion_ = m; }

  private:
    double dt_;
    Motion motion_;
};

/// The same as an engine that can be solved with a contact, below a train that gains speed: the least that a simulation
/// asks for, and no finite elements.
class StandInCatenary : public StandInWire {
  public:
    using StandInWire::StandInWire;

    Motion step(double force) noexcept {
        ++steps_;
        return StandInWire::step(force);
    }
    Result<double> step_contact(const catenary::ImplicitContact<double>& contact) noexcept {
        if (!contact.solvable()) return {0.0, Status::not_finite};
        const double free = advanced(wire(), 0.0).height, give = advanced(wire(), 1.0).height - free;
        const double gap = contact.head_height - free;
        const double force = std::max(0.0, gap / (1.0 / contact.stiffness + contact.head_compliance + give));
        step(force);
        return {force, Status::ok};
    }
    void reset() noexcept {
        StandInWire::reset();
        steps_ = 0;
    }
    double time() const noexcept { return static_cast<double>(steps_) * dt(); }
    double position() const noexcept { return position_after(0.0); }
    double position_after(double seconds) const noexcept {
        const double t = time() + seconds;
        return start + t * (speed + 0.5 * acceleration * t);
    }

    double start = 0.0;         // m
    double speed = 20.0;        // m/s, at the start
    double acceleration = 2.0;  // m/s^2

  private:
    long steps_ = 0;
};

/// Says what it is told to say.
struct ScriptedSensor {
    Result<double> next{100.0, Status::ok};
    Result<double> read() const noexcept { return next; }
};

/// Goes at once where it is told to go, and remembers how it was treated.
struct WatchedDrive {
    using Command = PositionCommand;
    Result<Motion> next{};
    Status answer = Status::ok;
    bool follows = true;
    int writes = 0, stops = 0;
    double first = 0.0, last = 0.0;
    bool stopped = false;  // since the last write
    bool got_not_finite = false;

    Result<Motion> read() const noexcept { return next; }
    Status write(const Command& c) noexcept {
        if (writes++ == 0) first = c.value;
        last = c.value;
        stopped = false;
        got_not_finite = got_not_finite || !is_finite(c.value);
        if (follows) next.value.height = c.value;
        return answer;
    }
    void stop() noexcept { stopped = true, ++stops; }
};

/// One that says itself what is wrong with it, when something is.
template <class D>
struct TellingDrive : D {
    rig::Fault own{.status = Status::drive_fault, .quantity = rig::Quantity::drive, .which = "slow drive"};
    const rig::Fault& fault() const noexcept { return own; }
};

/// Time passes when somebody sleeps, and `per_call` at every look at the clock.
struct FakeClock {
    std::chrono::nanoseconds time{0};
    std::chrono::nanoseconds per_call{0};
    std::chrono::nanoseconds now() noexcept { return time += per_call; }
    void sleep_until(std::chrono::nanoseconds t) noexcept { time = std::max(time, t); }
};

static_assert(ForceSensor<ScriptedSensor> && Drive<WatchedDrive> && Clock<FakeClock>);

}  // namespace panto::test
