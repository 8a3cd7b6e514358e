// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The steps before the loop is closed: tare the load cell, approach the strip slowly until it is felt, press with
/// a given force, and check that the force falls as the drive moves up. Each stage is bounded in time and distance;
/// each failure stops the drive. None of this is a safety function.

#pragma once

#include <panto/ident/rig_record.hpp>
#include <panto/rig/blend.hpp>
#include <panto/rig/free_oscillation.hpp>
#include <panto/rig/guarded_motion.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace panto::rig {

/// Carries out a plan, all at once or stage by stage (a pantograph may have to be raised in between). It holds
/// references to its parts and stores the offset in the sensor.
template <ForceSensor S, Drive D, Clock C>
    requires std::same_as<typename D::Command, PositionCommand>
class Commissioning : public GuardedMotion<S, D, C> {
    using Base = GuardedMotion<S, D, C>;

  public:
    /// Allocates the memory of all readings, so that the loop allocates none.
    /// @throws SetupError if the plan is invalid.
    Commissioning(TaredSensor<S>& sensor, D& drive, C& clock, const CommissioningPlan& plan)
        : Base(sensor, drive, clock, plan) {}

    /// All stages in order. Afterwards the drive rests at the preload, or it has been stopped.
    CommissioningReport run() noexcept {
        if (usable(tare()) && usable(approach()) && usable(preload()) && usable(check_sign()))
            report_.stage = CommissioningStage::done;
        return report_;
    }

    Status tare() noexcept {
        return carry_out(CommissioningStage::tare, [this] { return take_tare(); });
    }
    Status approach() noexcept {
        return carry_out(CommissioningStage::approach, [this] { return go_down(); });
    }
    Status preload() noexcept {
        return carry_out(CommissioningStage::preload, [this] { return press(); });
    }
    Status check_sign() noexcept {
        return carry_out(CommissioningStage::sign_check, [this] { return go_up(); });
    }

    /// A further stage, for the identification of the rig. Run it after the tare, with the strip off the pad: the drive
    /// jumps up and back by `excitation.step`.
    Status excite_in_air() noexcept {
        return carry_out(CommissioningStage::excitation_in_air, [this] { return jump_in_air(); });
    }
    /// The same in contact. Run it after the preload: the drive jumps just far enough for the force to vary by
    /// `excitation.swing` of the preload. Run it before the sign check, after which a strip without a damper rings on.
    Status excite_in_contact() noexcept {
        return carry_out(CommissioningStage::excitation_in_contact, [this] { return jump_in_contact(); });
    }

    /// What the rig did in the last stage of this kind, for ident::fit_rig().
    [[nodiscard]] ident::RigRecord record(CommissioningStage stage) const {
        ident::RigRecord r;
        const auto& all = this->readings();
        auto end = all.size();
        while (end > 0 && all[end - 1].stage != stage) --end;
        auto begin = end;
        while (begin > 0 && all[begin - 1].stage == stage) --begin;
        for (auto i = begin; i < end; ++i) {
            const double missing = std::numeric_limits<double>::quiet_NaN();
            r.time.push_back(all[i].time);
            r.command.push_back(all[i].command);
            r.height.push_back(all[i].held ? missing : all[i].height);
            r.force.push_back(all[i].held ? missing : all[i].force);
        }
        return r;
    }

  private:
    using Base::average, Base::average_over, Base::carry_out, Base::cycle, Base::dead, Base::share, Base::wrong;
    using Base::changes_, Base::command_, Base::dt_, Base::force_, Base::frozen_, Base::height_, Base::longest_same_,
        Base::p_, Base::report_, Base::same_, Base::sensor_;

    /// Holds the drive in place by writing to it, as a drive with a watchdog needs.
    Status take_tare() noexcept {
        sensor_.offset = 0.0;
        frozen_.reset();
        changes_ = longest_same_ = 0;
        if (const Status s = average(p_.tare_samples, report_.offset, report_.noise); !usable(s)) return s;
        if (report_.noise > p_.tare_noise)
            return wrong(Status::sensor_implausible, Quantity::tare_noise, report_.noise, -HUGE_VAL, p_.tare_noise);
        if (std::fabs(report_.offset) > p_.tare_offset)
            return wrong(Status::sensor_implausible, Quantity::tare_offset, report_.offset, -p_.tare_offset,
                         p_.tare_offset);
        sensor_.offset = report_.offset;
        return Status::ok;
    }

    Status go_down() noexcept {
        const double top = command_;
        int felt = 0, felt_wrongly = 0;
        while (top - command_ < p_.approach_distance) {
            if (const Status s = cycle(command_ - p_.approach_speed * dt_); !usable(s)) return s;
            felt = force_ > p_.contact_force ? felt + 1 : 0;
            felt_wrongly = force_ < -p_.contact_force ? felt_wrongly + 1 : 0;
            if (felt_wrongly >= 3)  // the strip presses, but the reading is a pull
                return wrong(Status::sign_wrong, Quantity::pull, force_, -p_.contact_force);
            if (felt < 3) continue;
            report_.contact_height = height_;
            return Status::ok;
        }
        return wrong(Status::out_of_range, Quantity::approach, top - command_, -HUGE_VAL, p_.approach_distance);
    }

    Status press() noexcept {
        const double start = command_;
        double smooth = force_;
        const auto not_reached = [&] {
            return wrong(Status::out_of_range, Quantity::preload, smooth, p_.preload_force - p_.preload_tolerance,
                         p_.preload_force + p_.preload_tolerance);
        };
        int settled = 0;
        for (auto left = static_cast<std::int64_t>(p_.preload_time / dt_); left > 0; --left) {
            const double missing = p_.preload_force - smooth;
            const double part = std::clamp(missing / p_.preload_tolerance, -1.0, 1.0);  // > 0: down, to press more
            if (const Status s = cycle(command_ - part * p_.preload_speed * dt_); !usable(s)) return s;
            smooth += (force_ - smooth) * dt_ / (dt_ + 0.2);  // slow enough not to excite a ringing strip
            if (std::fabs(command_ - start) > p_.preload_distance) return not_reached();
            settled = std::fabs(p_.preload_force - smooth) < p_.preload_tolerance ? settled + 1 : 0;
            if (settled < average_over) continue;
            double spread = 0.0;
            return average(average_over, report_.preload, spread, &report_.rest_height);
        }
        return not_reached();
    }

    /// While the drive gains speed on its way up, the strip lags behind: the spring, the dampers and the inertia of the
    /// pantograph all make the force fall. (Once the drive is at rest again, the force is almost as before: a spring of
    /// 80 N/m to the roof changes it by 0.08 N per mm.) The strip may ring: its oscillation before the move is
    /// extrapolated and subtracted. Small moves come first: they are enough on a stiff pad, and a strip without a
    /// damper, which rings on after every move, rings less after them. The fall is found from all moves together,
    /// weighted by their size.
    Status go_up() noexcept {
        double unused = 0.0;
        if (const Status s = average(sign_wait, unused, unused); !usable(s)) return s;  // lets the strip come to rest
        double falls = 0.0, squares = 0.0, weight = 0.0;                                // N m, N^2 m^2, m^2
        double size = smallest_sign_move * p_.sign_move;
        for (int moves = 1;; ++moves, size = std::min(2.0 * size, p_.sign_move)) {
            std::array<double, sign_wait> before{};
            frozen_.reset();
            for (double& force : before) {
                if (const Status s = cycle(command_); !usable(s)) return s;
                force = force_;
            }
            const FreeOscillation<> ringing(before);
            const double bottom = command_, from = height_;
            bool halfway = false;
            std::int64_t samples = 0;
            for (std::int64_t i = 1; i <= sign_steps() || (!halfway && i <= sign_steps() + average_over); ++i) {
                if (const Status s = cycle(bottom + size * smooth_blend(share(i, sign_steps()))); !usable(s)) return s;
                if (halfway || height_ - from < 0.05 * size) continue;
                halfway = height_ - from >= 0.5 * size;
                falls += size * (ringing(static_cast<double>(sign_wait - 1 + i)) - force_);
                ++samples;
            }
            const bool last = !(size < p_.sign_move);
            if (last && !halfway)  // it does not follow its commands
                return wrong(Status::drive_fault, Quantity::moved, height_ - from, 0.5 * size);
            // Unchanged since before the move: no working cell on a moving strip does that.
            if (same_ > 0 && frozen_.same() >= average_over) return dead(Quantity::frozen_force, frozen_.same(), 0.0);
            weight += size * size * static_cast<double>(samples);
            squares += size * size * static_cast<double>(samples) * ringing.noise() * ringing.noise();
            const double per_metre = p_.sign_move / std::max(weight, 1e-300);
            const double needed = std::max(p_.sign_fall, 4.0 * per_metre * std::sqrt(squares));
            report_.fall = per_metre * falls;
            const bool fell = report_.fall >= needed;
            // A fall or rise within the scatter proves nothing; the reading is to blame, not the sign.
            const bool hidden = needed > p_.sign_fall && std::fabs(report_.fall) < needed;
            if (!fell && last && (!hidden || moves >= p_.sign_moves))
                return wrong(hidden ? Status::sensor_implausible : Status::sign_wrong, Quantity::fall, report_.fall,
                             needed);
            const double top = command_;
            for (std::int64_t i = 1; i <= slow_return * sign_steps(); ++i) {
                const double back = smooth_blend(share(i, slow_return * sign_steps()));
                if (const Status s = cycle(top + (bottom - top) * back); !usable(s)) return s;
            }
            if (fell) return Status::ok;
        }
    }
    [[nodiscard]] std::int64_t sign_steps() const noexcept {
        return static_cast<std::int64_t>(std::ceil(p_.sign_time / dt_));
    }

    /// Keeps the drive at `command` for a number of periods and calls `see()` after each.
    template <class See>
    Status stay(double command, std::int64_t periods, See&& see) noexcept {
        for (; periods > 0; --periods) {
            if (const Status s = cycle(command); !usable(s)) return s;
            if (const Status s = see(); !usable(s)) return s;
        }
        return Status::ok;
    }

    [[nodiscard]] std::int64_t periods(double time) const noexcept { return std::llround(time / dt_); }

    /// Carries out jumps until `time`, s, is over. Each call `jump(of)` jumps once and then stays for `of` periods, a
    /// random number.
    template <class Jump>
    Status jumps(double time, std::mt19937& random, Jump&& jump) noexcept {
        const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(1, periods(p_.excitation.shortest)));
        const auto most = std::max(least, static_cast<std::uint64_t>(periods(p_.excitation.longest)));
        for (std::int64_t left = periods(time); left > 0;) {
            const auto of = static_cast<std::int64_t>(least + random() % (most - least + 1));
            if (const Status s = jump(of); !usable(s)) return s;
            left -= of;
        }
        return Status::ok;
    }

    Status jump_in_air() noexcept {
        const auto touches = [this] {  // fails if the strip touches the pad: the drive must move alone
            if (std::fabs(force_) <= p_.contact_force) return Status::ok;
            return wrong(Status::out_of_range, Quantity::force, force_, -p_.contact_force, p_.contact_force);
        };
        const double rest = command_;
        std::mt19937 random(p_.excitation.seed);
        if (const Status s = stay(rest, periods(excitation_rest), touches); !usable(s)) return s;
        for (const double step : {0.5 * p_.excitation.step, p_.excitation.step}) {
            bool up = false;
            const auto jump = [&](std::int64_t of) { return stay(rest + ((up = !up) ? step : 0.0), of, touches); };
            if (const Status s = jumps(0.5 * p_.excitation.air_time, random, jump); !usable(s)) return s;
        }
        return stay(rest, periods(excitation_rest), touches);
    }

    /// The jumps begin small. They grow until the force varies as planned, and shrink if the strip rings. While it
    /// rings by more than planned, the drive stands still: even the smallest jumps make a head without a damper leave a
    /// hard pad.
    Status jump_in_contact() noexcept {
        double mean = 0.0, unused = 0.0, away = smallest_jump, peak = 0.0, felt = 0.0;
        if (const Status s = average(static_cast<int>(periods(excitation_rest)), mean, unused); !usable(s)) return s;
        const double rest = command_, swing = p_.excitation.swing * p_.preload_force;
        std::mt19937 random(p_.excitation.seed);
        const auto watch = [&] { return peak = std::max(peak, std::fabs(force_ - mean)), Status::ok; };
        bool up = false;
        const auto jump = [&](std::int64_t of) {
            peak *= 0.8;  // so that earlier jumps count less
            if (peak > swing) return stay(command_, of, watch);
            if (const Status s = stay(rest + ((up = !up) ? away : -away), of, watch); !usable(s)) return s;
            // Without a damper, the oscillations left by the jumps add up: at half of the swing the jumps stop growing.
            // If the force no longer answers, the load cell may be dead, and the jumps must not grow on.
            if (frozen_.same() < of) felt = away;
            const double most = std::max({smallest_jump, 2.0 * felt, 0.3 * p_.frozen_travel});
            away *= std::clamp(0.5 * swing / std::max(peak, 1e-3 * swing), 0.5, 1.2);
            away = std::clamp(away, smallest_jump, std::min(most, p_.excitation.travel));
            return Status::ok;
        };
        if (const Status s = jumps(p_.excitation.contact_time, random, jump); !usable(s)) return s;
        return stay(rest, periods(excitation_rest), watch);
    }
};

/// Carries out `plan`, after which `sensor` is tared and the loop may be closed if the report's status is ok.
/// @throws SetupError if the plan is invalid.
template <ForceSensor S, Drive D, Clock C>
CommissioningReport commission(TaredSensor<S>& sensor, D& drive, C& clock, const CommissioningPlan& plan) {
    return Commissioning<S, D, C>(sensor, drive, clock, plan).run();
}

}  // namespace panto::rig
