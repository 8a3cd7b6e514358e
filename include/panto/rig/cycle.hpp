// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One hardware-in-the-loop cycle: sensor -> interaction -> catenary -> controller -> drive.
/// Order of a step [HiL paper, Sec. 2.3 and 3]: read force and drive; z^t = catenary under the interaction force of
/// the *previous* step; u^t = interaction mass under z^t and the force as read; F_i^t = k_i (u^t - z^t) with the
/// stiffness k_i of the interaction mass; preview; controller; checks; drive. The force is already one step old when it
/// is read; this is a property of the rig, not of the cycle.
///
/// The first command does not come from the controller: it is the measured position (start() and the first step must
/// read the same within 1 mm) or, if given, the mean position of rest_at(). The difference between the drive's datum
/// (encoder) and the virtual datum at that moment, `offset()`, is kept for the whole run, or removed smoothly within
/// `CycleOptions::offset_blend_time`. Heights in Exchange refer to the virtual datum.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/interaction/policies.hpp>
#include <panto/plant/interaction_mass.hpp>
#include <panto/plant/rig.hpp>
#include <panto/rig/blend.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/coupling.hpp>
#include <panto/rig/cycle_limits.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/force_watch.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/preview.hpp>
#include <panto/rig/readings.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace panto::rig {

/// The stages of a cycle, for measuring how long they take.
enum class Stage : std::uint8_t { read, compute, write };

struct CycleOptions {
    CycleLimits limits{};
    double offset_blend_time = 0.0;  ///< s, after which the offset at the start is gone; 0 keeps it
    bool past_the_end = false;       ///< go on beyond the end of the line, where the wire is at rest
    bool accept_other_rig = false;   ///< run a controller that was designed for another rig or interaction mass
};

/// Holds references to its parts, which must outlive the cycle. It owns only the coupling.
/// States: built; running after start(); stopped. Only a running cycle takes steps, and a stopped one can be started
/// again. The destructor stops the drive if the cycle is still running, for instance when your own loop has thrown.
template <ForceSensor S, CatenaryModel W, Controller C, Drive D,
          interaction::CouplingPolicy I = interaction::DirectInteraction>
    requires std::same_as<typename C::Command, typename D::Command>
class Cycle {
    static constexpr bool commands_position = std::same_as<typename C::Command, PositionCommand>;
    struct NoMark {
        void operator()(Stage) const noexcept {}
    };

  public:
    /// @throws SetupError if the limits leave no range, if the controller looks further ahead than the catenary can, if
    /// the dt() of a part differs from that of the catenary, the controller is for another line, rig or mass, or the
    /// coupling does not fit it (require_coupling()).
    Cycle(S& sensor, W& catenary, C& controller, D& drive, I interaction = {}, CycleOptions options = {})
        : sensor_(sensor),
          catenary_(catenary),
          controller_(controller),
          drive_(drive),
          interaction_(interaction),
          options_(options),
          dt_(catenary.dt()),
          watch_((validate(), options_.limits), dt_),
          preview_(preview_steps()) {}
    ~Cycle() {
        if (state_ == State::running) drive_.stop();
    }
    Cycle(const Cycle&) = delete;
    Cycle& operator=(const Cycle&) = delete;

    /// Call once, with the drive at rest, before the first step(). It sends no command.
    Status start() noexcept {
        exchange_ = {};
        fault_ = {};
        steps_ = held_ = astray_ = 0;
        state_ = State::running;
        offset_at_start_ = 0.0, start_height_ = rest_height_;
        force_.reset(), strip_.reset();
        watch_.reset(), frozen_strip_.reset();
        if constexpr (BeginsRun<D>) drive_.begin_run();
        if (const Status s = read(); !usable(s)) return stop(s);
        start_height_ = strip_.good().height;
        catenary_.reset();
        interaction_.reset(Motion{}, exchange_.strip_force);
        return Status::ok;
    }

    /// Sets the height at which the drive rests before the next start(), m: the mean of many readings, see
    /// CommissioningReport::rest_height. Datum and first command follow from this height; if it is not given, they
    /// follow from a single reading and contain its noise. If the drive reads more than 1 mm from this height, start()
    /// refuses: the encoder may have jumped.
    void rest_at(double height) noexcept { rest_height_ = height; }

    /// After a fault the drive has been stopped when this returns, and exchange() is the record of the faulty cycle.
    /// `mark(stage)` is called as each stage ends. @rt
    template <class Mark = NoMark>
    Status step(Mark mark = {}) noexcept {
        if (state_ != State::running) return usable(fault_.status) ? Status::not_running : fault_.status;
        exchange_.time = static_cast<double>(steps_) * dt_;

        const Status heard = read();
        mark(Stage::read);
        if (!usable(heard)) return stop(heard);

        const bool first = steps_ == 0;
        const Status computed = compute(first);
        const auto [command, decided] = usable(computed) ? decide(first) : Result<double>{0.0, computed};
        mark(Stage::compute);
        if (!usable(decided)) return stop(decided);

        const Status written = drive_.write({command});
        mark(Stage::write);
        if (!usable(written))
            return stop(copy_fault(drive_, written, fault_) ? written : wrong(written, Quantity::drive, command));
        last_command_ = command;
        ++steps_;
        return std::max(
            {heard, computed, decided, written});  // among usable statuses, a later enumerator is more severe
    }

    /// Stops the drive once; further calls do nothing until the next start(). The first reason is kept
    /// until then. @rt
    Status stop(Status why) noexcept {
        if (state_ != State::stopped) drive_.stop();
        rest_height_ = unknown;
        if (state_ == State::running && fault_.status != why) fault_ = {.status = why};
        state_ = State::stopped;
        return why;
    }

    [[nodiscard]] const Exchange& exchange() const noexcept { return exchange_; }
    /// Why the cycle stopped: the quantity, its value and its limits; describe() puts them into a sentence.
    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }
    /// Cycles from the start to the end of the line; the largest number if the line has no end, or past_the_end is set.
    [[nodiscard]] std::int64_t steps_on_line() const noexcept {
        if constexpr (KnowsItsEnd<W>)
            if (!options_.past_the_end) return catenary_.steps_on_line();
        return std::numeric_limits<std::int64_t>::max();
    }
    [[nodiscard]] double dt() const noexcept { return dt_; }               ///< s
    [[nodiscard]] double offset() const noexcept { return offset_now(); }  ///< m, drive's height - virtual height
    [[nodiscard]] std::int64_t held() const noexcept { return held_; }     ///< readings replaced by older ones
    [[nodiscard]] const I& interaction() const noexcept { return interaction_; }

  private:
    enum class State : std::uint8_t { built, running, stopped };
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    void validate() const {
        const char* where = "rig::Cycle";
        require_positive(dt_, where, "catenary.dt()");
        require_time_step(controller_, dt_, where, "the controller");
        require_time_step(interaction_, dt_, where, "the interaction");
        require_time_step(sensor_, dt_, where, "the sensor");
        require_time_step(drive_, dt_, where, "the drive");
        const bool same = !options_.accept_other_rig;
        if (same) plant::require_same_rig(controller_, drive_, where);
        constexpr const char* otherwise = ", or set accept_other_rig";
        if (same) plant::require_same_interaction_mass(controller_, interaction_, where, otherwise);
        require_coupling(controller_, interaction_, where);
        if constexpr (MadeForLine<C, W>) controller_.require_line(catenary_, where);
        rig::validate(options_.limits, where);
        require_rate(controller_, options_.limits.command_rate, where);
        require_not_negative(options_.offset_blend_time, where, "offset_blend_time");
        const int ahead = preview_steps();
        const int most = LooksFarAhead<C> ? Preview::longest : Preview::capacity;
        require(ahead >= 0 && ahead <= most, where, "the controller wants ", ahead,
                " preview steps, must be from 0 to ", most,
                LooksFarAhead<C> ? "" : "; one with look_ahead(std::span<const Motion>) can have more");
        require(ahead == 0 || PredictiveCatenary<W>, where,
                "the controller looks ahead, but this catenary has no predict()");
    }

    [[nodiscard]] int preview_steps() const noexcept {
        if constexpr (PreviewingController<C>)
            return static_cast<int>(controller_.preview_steps());
        else
            return 0;
    }

    /// Records the fault.
    Status wrong(Status why, Quantity q, double value, double lowest = -HUGE_VAL, double highest = HUGE_VAL) noexcept {
        fault_ = {.status = why, .quantity = q, .value = value, .lowest = lowest, .highest = highest};
        return why;
    }

    /// Stores the readings before checking them, so that a bad value is recorded as well.
    Status read() noexcept {
        Exchange& e = exchange_;
        const CycleLimits& limits = options_.limits;
        const auto heard = sensor_.read();
        const auto seen = drive_.read();
        const auto force =
            force_.take(heard, limits.frames_held, is_finite(heard.value) && std::fabs(heard.value) <= limits.force);
        const auto strip = strip_.take(seen, limits.frames_held, is_finite(seen.value) && inside(seen.value.height));
        held_ += force_.bridged() + strip_.bridged();
        e.strip_force = force.value;
        e.strip_force_held = force_.bridged();
        e.strip = strip.value;
        e.strip.height -= offset_now();
        const double height = strip.value.height;
        const int held = limits.frames_held;
        if (is_gap(force.status))
            return (fault_ = force_.gap(force.status, Quantity::force_reading, Quantity::first_force, held)).status;
        if (!force.usable()) return wrong(force.status, Quantity::force, force.value);
        if (!strip.usable() && copy_fault(drive_, strip.status, fault_)) return strip.status;
        if (is_gap(strip.status))
            return (fault_ = strip_.gap(strip.status, Quantity::position_reading, Quantity::first_position, held))
                .status;
        if (!strip.usable()) return wrong(strip.status, Quantity::height, height);
        if (!is_finite(force.value))
            return wrong(Status::sensor_implausible, Quantity::force, force.value, -limits.force, limits.force);
        constexpr Status implausible = Status::sensor_implausible;
        if (!is_finite(strip.value)) {
            if (!copy_fault(drive_, implausible, fault_))
                fault_ = not_finite(implausible, strip.value, drive_motion, limits.lowest, limits.highest);
            return implausible;
        }
        if (std::fabs(force.value) > limits.force)
            return wrong(Status::out_of_range, Quantity::force, force.value, -limits.force, limits.force);
        if (!inside(height))
            return wrong(Status::out_of_range, Quantity::height, height, limits.lowest, limits.highest);
        if (commands_position && steps_ == 0 && std::fabs(height - start_height_) > 1e-3)  // it has not moved yet
            return wrong(Status::sensor_implausible, Quantity::height, height, start_height_ - 1e-3,
                         start_height_ + 1e-3);
        if (!follows(height))
            return wrong(Status::drive_fault, Quantity::following, std::fabs(height - last_command_), -HUGE_VAL,
                         limits.following);
        if (const Status s = alive(force.value, height); !usable(s)) return s;
        return std::max(force.status, strip.status);
    }

    /// A frozen load cell or encoder may still report "ok": it is detected by its missing response to motion. A load
    /// cell with the wrong sign is detected by its lasting pull.
    Status alive(double force, double height) noexcept {
        const CycleLimits& limits = options_.limits;
        if (const Fault f = watch_.take(force, height, force_.bridged()); !usable(f.status)) return (fault_ = f).status;
        const double wanted = commands_position ? last_command_ : exchange_.reference.height;  // m, the drive's target
        if (steps_ == 0 || strip_.bridged()) return Status::ok;
        const double travel = limits.frozen_travel, band = same_height(limits);
        const auto cycles = frozen_strip_.take(height, wanted, travel, band, strip_.periods());
        if (const double still = static_cast<double>(cycles) * dt_; still > limits.frozen_time)
            return wrong(Status::sensor_implausible, Quantity::frozen_position, still, -HUGE_VAL, limits.frozen_time);
        return Status::ok;
    }

    Status compute(bool first) noexcept {
        Exchange& e = exchange_;
        e.wire_force = force_on_wire(first);
        if (!is_finite(e.wire_force)) return wrong(Status::not_finite, Quantity::wire_force, e.wire_force);
        e.wire = catenary_.step(e.wire_force);
        Status stepped = Status::ok;
        if constexpr (ReportsStatus<W>) stepped = catenary_.status();
        if (stepped == Status::end_of_line && options_.past_the_end) stepped = Status::ok;
        if constexpr (requires {
                          { catenary_.slack_droppers() } noexcept -> std::convertible_to<int>;
                      })
            e.slack_droppers = catenary_.slack_droppers();
        e.reference = first ? interaction_.reset(e.wire, e.strip_force) : interaction_.follow(e.wire, e.strip_force);
        if (const Status s = plausible(e.wire, wire_motion); !usable(s)) return s;
        if (!usable(stepped)) return wrong(stepped, Quantity::line, place());
        if (const Status s = plausible(e.reference, reference_motion); !usable(s)) return s;
        if constexpr (PredictiveCatenary<W>) {
            const int steps = preview_steps();  // the controller may change it between cycles
            const int most = preview_.capacity();
            if (steps < 0 || steps > most)
                return wrong(Status::out_of_range, Quantity::preview_steps, steps, 0.0, most);
            const double held = EstimatingController<C> ? e.wire_force : interaction_.force(e.strip_force);
            const std::span<const Motion> ahead = preview_.fill(e.preview, controller_, catenary_, first, held, steps);
            for (const Motion& m : ahead)
                if (const Status s = plausible(m, preview_motion); !usable(s)) return s;
            if constexpr (LooksFarAhead<C>)
                if (!first) controller_.look_ahead(ahead);
        }
        if (first) align();
        e.ledger.momentum += dt_ * (e.strip_force - e.wire_force);
        // If the drive reports no speed, its travel is the difference of two readings.
        const double height = strip_.good().height,
                     rise = e.strip.speed != 0.0 || first ? 0.0 : height - height_before_;
        height_before_ = height;
        e.ledger.energy += e.strip_force * (dt_ * e.strip.speed + rise) - dt_ * e.wire_force * e.wire.speed;
        return stepped;
    }

    /// A controller's estimate replaces the force of the coupling, except in the first cycle, where it has no state
    /// yet.
    [[nodiscard]] double force_on_wire(bool first) noexcept {
        if constexpr (EstimatingController<C>)
            if (!first) return controller_.contact_force(exchange_);
        return interaction_.force(exchange_.strip_force);
    }

    /// A wire far from its zero height is an error. It is checked here because align() would shift the reference and so
    /// hide the error.
    Status plausible(const Motion& m, const MotionQuantities& of) noexcept {
        const double far = options_.limits.wire_height, fast = options_.limits.wire_speed;
        if (!is_finite(m)) return (fault_ = not_finite(Status::not_finite, m, of, -far, far, fast)).status;
        if (std::fabs(m.height) > far) return wrong(Status::out_of_range, of.height, m.height, -far, far);
        return std::fabs(m.speed) <= fast ? Status::ok : wrong(Status::out_of_range, of.speed, m.speed, -fast, fast);
    }

    [[nodiscard]] double place() const noexcept {
        if constexpr (requires {
                          { catenary_.position() } noexcept -> std::convertible_to<double>;
                      })
            return catenary_.position();
        else
            return 0.0;
    }

    /// Shifts the reference to the present position of the drive.
    void align() noexcept {
        if constexpr (commands_position) {
            offset_at_start_ = resting() - exchange_.reference.height;
            exchange_.strip.height -= offset_at_start_;
        }
        Motion at = exchange_.strip;
        if (commands_position) at.height = resting() - offset_at_start_;
        controller_.reset(at);
    }

    /// Height of the drive in the first cycle, m.
    [[nodiscard]] double resting() const noexcept { return is_nan(rest_height_) ? strip_.good().height : rest_height_; }

    /// The command in the drive's own datum. The first cycle does not ask the controller.
    Result<double> decide(bool first) noexcept {
        Result<double> command;
        if (first) {
            if constexpr (commands_position) command.value = resting();  // exactly, no rounding from adding the offset
            last_command_ = command.value;
            rest_height_ = unknown;
        } else {
            const auto wanted = controller_.update(exchange_);
            command = {wanted.value.value + (commands_position ? offset_now() : 0.0), wanted.status};
        }
        exchange_.command = command.value;
        const CycleLimits& limits = options_.limits;
        if (!command.usable()) return {command.value, wrong(command.status, Quantity::controller, command.value)};
        constexpr Quantity what = quantity_of_command<typename C::Command>;
        if (!is_finite(command.value)) return {0.0, wrong(Status::not_finite, what, command.value)};
        if (commands_position && !inside(command.value))
            return {0.0, wrong(Status::out_of_range, what, command.value, limits.lowest, limits.highest)};
        const double most = limits.command_rate, change = command.value - last_command_;
        if (std::fabs(change) > most * dt_)
            return {0.0, wrong(Status::out_of_range, quantity_of_rate<typename C::Command>, change / dt_, -most, most)};
        return command;
    }

    /// False if the drive has been too far from its commands for too many cycles. Its normal lag is within the limit.
    bool follows(double height) noexcept {
        if (!commands_position || steps_ == 0) return true;
        astray_ = std::fabs(height - last_command_) > options_.limits.following ? astray_ + 1 : 0;
        return astray_ <= options_.limits.following_cycles;
    }

    [[nodiscard]] bool inside(double height) const noexcept {
        return height >= options_.limits.lowest && height <= options_.limits.highest;
    }

    [[nodiscard]] double offset_now() const noexcept {
        if (!(options_.offset_blend_time > 0.0)) return offset_at_start_;
        return offset_at_start_ * (1.0 - smooth_blend(exchange_.time / options_.offset_blend_time));
    }

    S& sensor_;
    W& catenary_;
    C& controller_;
    D& drive_;
    I interaction_;
    CycleOptions options_;
    double dt_;  // s
    Exchange exchange_;
    State state_ = State::built;
    Fault fault_{.status = Status::drive_fault};  // what a step before the first start() returns
    HeldReading<double> force_;
    HeldReading<Motion> strip_;
    FrozenReading frozen_strip_;
    ForceWatch watch_;
    PreviewMemory preview_;
    int astray_ = 0;  // cycles in a row
    std::int64_t held_ = 0, steps_ = 0;
    double offset_at_start_ = 0.0, last_command_ = 0.0, start_height_ = unknown;  // m
    double rest_height_ = unknown, height_before_ = 0.0;  // m, before the first cycle; in the cycle before
};

}  // namespace panto::rig
