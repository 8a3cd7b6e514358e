// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What ImpedanceLoop and NonlinearImpedanceLoop have in common: a cycle reads force and drive, asks the controller,
/// moves the line on and commands the drive. Readings and command are checked as in a rig::Cycle, and rig::run and
/// io::recorded_run run such a loop as they run a rig::Cycle.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/impedance_mpc.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/drive_model.hpp>
#include <panto/rig/loop_guard.hpp>
#include <panto/rig/parts.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>

namespace panto::rig {

/// `Loop` derives from this class and has `decide(force, drive)`, which returns the status of the controller, and
/// `advance()`, which moves the line on under the corrected force, sets `line_work_` and returns the line's status.
template <class Loop, class Rig, class Line>
class ImpedanceCycle {
  public:
    /// For rig::run. start() moves nothing: rig and line begin where they stand. A loop runs once.
    Status start() noexcept {
        if (!usable(fault().status)) return fault().status;
        return stopped_ ? Status::not_running : Status::ok;
    }

    /// One cycle; `noise`, N, is added to the reading of the load cell.
    /// @return as ImpedanceMpc::step, or the status of the line, such as end_of_line, or that of the rig. After a
    /// fault, which fault() explains, nothing moves. @rt
    Status step(double noise = 0.0) noexcept {
        return step([](Stage) noexcept {}, noise);
    }
    /// The same; `mark(stage)` is called as each stage ends. @rt
    template <std::invocable<Stage> Mark>
    Status step(Mark mark, double noise = 0.0) noexcept {
        if (const Status s = start(); !usable(s)) return s;
        const Status done = go_on(mark, noise);
        if (!usable(done)) return stop(done);
        ++cycles_;
        return done;
    }

    /// Stops the rig once, if it has stop(); no further steps are taken. @rt
    Status stop(Status why) noexcept {
        if (stopped_) return why;
        stopped_ = true;
        if constexpr (requires { rig_.stop(); }) rig_.stop();
        if (!usable(why) && usable(fault().status)) guard_.wrong(why, Quantity::none, 0.0);
        return why;
    }

    /// The last cycle. `wire` is the motion of the line at its end; `reference` is the same motion, but its height
    /// counts from the one that corresponds to position 0 of the drive. `ledger` has the balances of the controller.
    [[nodiscard]] const Exchange& exchange() const noexcept { return exchange_; }
    /// Why it stopped: the quantity, its value and its limits.
    [[nodiscard]] const Fault& fault() const noexcept { return guard_.fault(); }
    [[nodiscard]] double force() const noexcept { return exchange_.strip_force; }  ///< N, measured in the last cycle
    /// J, work of F + F_cor on the height of the wire at the contact in the last cycle, as the line's scheme counts it.
    [[nodiscard]] double line_work() const noexcept { return line_work_; }
    /// Computing time of controller and line in the last cycle, without the rig.
    [[nodiscard]] std::chrono::nanoseconds took() const noexcept { return took_; }
    [[nodiscard]] double dt() const noexcept { return controller_.dt(); }                       ///< s
    [[nodiscard]] double time() const noexcept { return static_cast<double>(cycles_) * dt(); }  ///< s, since the start
    [[nodiscard]] const Line& line() const noexcept { return line_; }
    [[nodiscard]] const control::ImpedanceMpc& controller() const noexcept { return controller_; }

  protected:
    [[nodiscard]] double corrected_force() const noexcept { return force() + controller_.correction(); }  // N

    Rig& rig_;
    Line line_;
    control::ImpedanceMpc controller_;
    int factor_ = 1, phase_ = 0;
    double line_work_ = 0.0;  // J

  private:
    friend Loop;

    /// @throws SetupError if the periods of rig, line and controller, or the drive and its model, do not fit each
    /// other.
    ImpedanceCycle(Rig& rig, Line line, control::ImpedanceMpc controller, int phase, const CycleLimits& limits,
                   const char* where)
        : rig_(rig),
          line_(std::move(line)),
          controller_(std::move(controller)),
          factor_(static_cast<int>(std::round(controller_.dt() / line_.dt()))),
          phase_(phase),
          guard_(limits, controller_.dt(), where) {
        require(factor_ >= 1 && std::abs(factor_ * line_.dt() - controller_.dt()) <= 1e-9 * controller_.dt(), where,
                "the controller's dt is ", controller_.dt(), " s, must be a whole multiple of the line's, ", line_.dt(),
                " s");
        require(std::abs(rig_.dt() - controller_.dt()) <= 1e-9 * controller_.dt(), where, "the rig's dt is ", rig_.dt(),
                " s, must be the controller's, ", controller_.dt(), " s");
        require_drive_states(controller_.params().drive, rig_.drive_state(), where);
        if (!controller_.params().accept_other_drive) require_same_drive(controller_.params().drive, rig_, where);
    }

    template <class Mark>
    Status go_on(Mark& mark, double noise) noexcept {
        auto& loop = static_cast<Loop&>(*this);
        Exchange& e = exchange_;
        e.time = time();
        e.strip_force = rig_.force() + noise;
        const auto began = std::chrono::steady_clock::now();
        const auto drive = rig_.drive_state();
        e.strip = {drive[0], drive[1], 0.0};
        const Status read = guard_.readings(e.strip_force, e.strip, drive.sum());
        mark(Stage::read);
        if (!usable(read)) return read;
        const Status decided = loop.decide(e.strip_force, drive), line = compute(loop, decided);
        took_ = std::chrono::steady_clock::now() - began;
        mark(Stage::compute);
        if (!usable(line)) return line;
        const Status moved = rig_.step(e.command);
        mark(Stage::write);
        if (usable(moved)) return std::max(decided, moved);
        guard_.wrong(moved, Quantity::drive, e.command);
        if (Fault of_drive; copy_fault(rig_, moved, of_drive)) guard_.wrong(of_drive);
        return moved;
    }

    /// Checks the command and moves the line on.
    Status compute(Loop& loop, Status decided) noexcept {
        Exchange& e = exchange_;
        e.command = controller_.command();
        if (!usable(decided)) return guard_.wrong(decided, Quantity::controller, e.command);
        if (const Status s = guard_.command(e.command); !usable(s)) return s;
        e.wire_force = corrected_force();
        e.ledger = controller_.balance().total;
        const Status advanced = loop.advance();
        controller_.line_received(line_work_);
        e.wire = loop.wire();
        e.reference = loop.above_datum(e.wire);
        if (++phase_ == controller_.samples()) phase_ = 0;
        if (usable(advanced)) return Status::ok;
        double place = 0.0;
        if constexpr (requires { line_.position(); }) place = line_.position();
        return guard_.wrong(advanced, Quantity::line, place);
    }

    LoopGuard guard_;
    Exchange exchange_{};
    std::int64_t cycles_ = 0;
    bool stopped_ = false;
    std::chrono::nanoseconds took_{0};
};

}  // namespace panto::rig
