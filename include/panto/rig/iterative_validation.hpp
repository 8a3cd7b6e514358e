// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The off-line check of a whole rig [HiL paper, Sec. 5.1 and Fig. 9]. The recorded force is applied to the catenary
/// alone. The motion of the wire is then imposed on the drive, without feedback. The force measured in this pass is
/// applied to the catenary again, and so on. The result is that of the pantograph under the wire without interaction
/// mass, controller and delays. The recorded run is compared with it.
///
/// The plain iteration converges only at frequencies at which the pantograph is softer than the wire,
/// |Z_p(w)| < 2 w sqrt(T m), with Z_p the dynamic stiffness of the pantograph, and T and m tension and mass per length
/// of the wire: below about 10 Hz for a head of 6.6 kg. With a band-limited force and extrapolation from earlier passes
/// (Anderson mixing) it converges up to 20 Hz and beyond:
///     x+ = x + b f - (dX + b dF) g,   g = arg min |f - dF g|,   f = measured(x) - x
/// with the applied force x, the differences dX, dF of the last passes as columns and the relaxation b.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/interaction/error_index.hpp>
#include <panto/linalg/hold.hpp>
#include <panto/rig/blend.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/force_watch.hpp>
#include <panto/rig/wait.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace panto::rig {

struct IterativeValidationParams {
    int iterations = 10;        ///< at most
    double tolerance = 0.5;     ///< %, difference between the measured force and the one applied
    int memory = 0;             ///< number of earlier passes used for the extrapolation; 0 for the plain iteration
    double relaxation = 1.0;    ///< b, share of the new force that is used, 0 to 1
    double latency = 2.0;       ///< periods from a command to the reading of its force: RigParams::loop_delay()
    std::size_t lead_in = 500;  ///< periods in which the drive goes to the start of the profile before each pass
    CycleLimits limits{};       ///< as in a Cycle, but ringing and the limits of the wire are not used
    const std::atomic<bool>* stop_requested = nullptr;  ///< set it from another thread to end the check
};

inline constexpr std::size_t most_lead_in = 10'000'000;  ///< periods

struct IterativeValidation {
    Status status = Status::ok;       ///< ok, not_converged, why the rig was stopped, or stopped_by_user
    Fault fault{};                    ///< why the rig was stopped: the quantity, its value and limits
    std::vector<double> force = {};   ///< N, converged
    std::vector<double> height = {};  ///< m, of the wire under that force
    std::vector<double> change = {};  ///< %, of the force in each iteration
    double error_of_recording = 0.0;  ///< %, recorded force against the converged one
};

namespace detail {

/// Solves x = g(x) from a sequence of pairs (x, g(x)).
class AndersonMixing {
  public:
    AndersonMixing(Eigen::Index size, int memory, double relaxation)
        : dX_(size, memory), dF_(size, memory), relaxation_(relaxation) {}

    /// Replaces x by the next guess.
    template <class = void>
    void advance(std::vector<double>& x, const std::vector<double>& answer) {
        const Eigen::Map<Eigen::VectorXd> now(x.data(), dX_.rows());
        const Eigen::VectorXd f = Eigen::Map<const Eigen::VectorXd>(answer.data(), dX_.rows()) - now;
        const Eigen::Index memory = dX_.cols();
        if (passes_ > 0 && memory > 0) {
            const Eigen::Index column = (passes_ - 1) % memory;
            dX_.col(column) = now - x_;
            dF_.col(column) = f - f_;
        }
        const Eigen::Index used = std::min<Eigen::Index>(passes_, memory);
        x_ = now;
        f_ = f;
        ++passes_;
        Eigen::VectorXd next = x_ + relaxation_ * f_;
        if (used > 0) {
            const Eigen::VectorXd g = dF_.leftCols(used).colPivHouseholderQr().solve(f_);
            next -= (dX_.leftCols(used) + relaxation_ * dF_.leftCols(used)) * g;
        }
        std::copy(next.begin(), next.end(), x.begin());
    }

  private:
    Eigen::MatrixXd dX_, dF_;
    Eigen::VectorXd x_, f_;
    double relaxation_;
    Eigen::Index passes_ = 0;
};

/// Monitors one pass. Every fault stops the drive, and so does an exception from the user's functions. All heights are
/// those of the drive's encoder.
template <class Rig>
class GuardedPass {
  public:
    GuardedPass(Rig& rig, const CycleLimits& limits, double dt)
        : rig_(rig),
          limits_(limits),
          dt_(dt),
          largest_change_(limits.command_rate * dt),
          watch_(without_ringing(limits), dt) {}
    ~GuardedPass() {
        if (!stopped_) stop();
    }
    GuardedPass(const GuardedPass&) = delete;
    GuardedPass& operator=(const GuardedPass&) = delete;

    void stop() noexcept {
        rig_.drive.stop();
        stopped_ = true;
    }

    /// Reads the position of the drive. The commands of the pass start from it, if the next reading is within 1 mm.
    Status begin() noexcept {
        const auto position = read_drive();
        const Status s = stopped_unless_usable(judged(position, true));
        last_ = first_ = position.value.height;
        return s;
    }

    /// Records the fault.
    Status wrong(Status why, Quantity q, double value, double lowest = -HUGE_VAL, double highest = HUGE_VAL) noexcept {
        fault_ = {.status = why, .quantity = q, .value = value, .lowest = lowest, .highest = highest};
        return why;
    }
    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

    /// Reads and checks force, N, and position. A reading that is constant, a force that pulls, and a lost contact
    /// are faults only if `in_contact`: in the lead-in there may be no contact yet.
    Result<double> read(bool in_contact) noexcept {
        const double limit = limits_.force;
        const auto heard = rig_.sensor.read();
        const auto force =
            force_.take(heard, limits_.frames_held, is_finite(heard.value) && std::fabs(heard.value) <= limit);
        Status s = force.status;
        if (is_gap(s))
            fault_ = force_.gap(s, Quantity::force_reading, Quantity::first_force, limits_.frames_held);
        else if (!usable(s))
            wrong(s, Quantity::force, force.value);
        if (usable(s) && !is_finite(force.value))
            s = wrong(Status::sensor_implausible, Quantity::force, force.value, -limit, limit);
        if (usable(s) && std::fabs(force.value) > limit)
            s = wrong(Status::out_of_range, Quantity::force, force.value, -limit, limit);
        if (usable(s)) {
            const auto position = read_drive();
            s = judged(position, false);
            if (usable(s) && in_contact) s = alive(force.value, position.value.height);
        }
        return {force.value, stopped_unless_usable(s)};
    }

    Status write(double height) noexcept {
        Status s = Status::ok;
        if (!is_finite(height))
            s = wrong(Status::not_finite, Quantity::command, height);
        else if (!inside(height))
            s = wrong(Status::out_of_range, Quantity::command, height, limits_.lowest, limits_.highest);
        else if (std::fabs(height - last_) > largest_change_)
            s = wrong(Status::out_of_range, Quantity::command_rate, (height - last_) / dt_, -limits_.command_rate,
                      limits_.command_rate);
        else if (s = rig_.drive.write({height}); !usable(s) && !copy_fault(rig_.drive, s, fault_))
            wrong(s, Quantity::drive, height);
        last_ = height, moved_ = true;
        return stopped_unless_usable(s);
    }

    [[nodiscard]] double first() const noexcept { return first_; }  ///< m

  private:
    static CycleLimits without_ringing(CycleLimits limits) noexcept {
        limits.ringing.amplitude = limits.ringing.motion = HUGE_VAL;
        return limits;
    }
    Result<Motion> read_drive() noexcept {
        const auto seen = rig_.drive.read();
        return strip_.take(seen, limits_.frames_held, is_finite(seen.value) && inside(seen.value.height));
    }

    Status judged(const Result<Motion>& position, bool first) noexcept {
        Status s = position.status;
        const double height = position.value.height;
        if (!usable(s) && copy_fault(rig_.drive, s, fault_)) return s;
        if (is_gap(s))
            fault_ = strip_.gap(s, Quantity::position_reading, Quantity::first_position, limits_.frames_held);
        else if (!usable(s))
            wrong(s, Quantity::height, height);
        if (usable(s) && !is_finite(position.value)) {
            s = Status::sensor_implausible;
            if (!copy_fault(rig_.drive, s, fault_))
                fault_ = not_finite(s, position.value, drive_motion, limits_.lowest, limits_.highest);
        }
        if (usable(s) && !inside(height))
            s = wrong(Status::out_of_range, Quantity::height, height, limits_.lowest, limits_.highest);
        if (usable(s) && !first && !moved_ && std::fabs(height - first_) > 1e-3)
            s = wrong(Status::sensor_implausible, Quantity::height, height, first_ - 1e-3, first_ + 1e-3);
        astray_ = !first && std::fabs(height - last_) > limits_.following ? astray_ + 1 : 0;
        if (usable(s) && astray_ > limits_.following_cycles)
            s = wrong(Status::drive_fault, Quantity::following, std::fabs(height - last_), -HUGE_VAL,
                      limits_.following);
        return s;
    }
    /// As in the cycle: frozen readings, a force that pulls, and a strip that is gone.
    Status alive(double force, double height) noexcept {
        if (const Fault f = watch_.take(force, height, force_.bridged()); !usable(f.status)) return (fault_ = f).status;
        if (strip_.bridged()) return Status::ok;
        const auto cycles =
            frozen_strip_.take(height, last_, limits_.frozen_travel, same_height(limits_), strip_.periods());
        if (const double strip_time = dt_ * static_cast<double>(cycles); strip_time > limits_.frozen_time)
            return wrong(Status::sensor_implausible, Quantity::frozen_position, strip_time, -HUGE_VAL,
                         limits_.frozen_time);
        return Status::ok;
    }
    Status stopped_unless_usable(Status s) noexcept {
        if (!usable(s)) stop();
        return s;
    }
    [[nodiscard]] bool inside(double height) const noexcept {
        return height >= limits_.lowest && height <= limits_.highest;
    }

    Rig& rig_;
    CycleLimits limits_;
    double dt_;                        // s
    double largest_change_;            // m
    double first_ = 0.0, last_ = 0.0;  // m
    int astray_ = 0;                   // cycles in a row
    bool stopped_ = false, moved_ = false;
    Fault fault_;
    HeldReading<double> force_;
    HeldReading<Motion> strip_;
    ForceWatch watch_;
    FrozenReading frozen_strip_;
};

}  // namespace detail

/// Runs the iteration. `recorded[n]` is the contact force at step n of the catenary, N. `make_rig()` returns a rig
/// ready to run, with members sensor, drive and clock. It is called once per iteration; with hardware it returns a
/// reference to the only rig. `command(motion)` is the command with which the drive performs that motion; a lag can be
/// compensated here.
/// `smooth(force)` band-limits a force before it is applied to the catenary; it keeps the number of values.
/// `error(force, reference)` is the error index in percent, e.g. of the filtered force.
/// The hardware is protected as in a Cycle: the drive is stopped if force, height, command, the rate of the command, or
/// the distance between command and height is beyond `limits`, if a reading is frozen, the force pulls or contact is
/// lost for longer than they allow. This ends the check with the status that a Cycle gives.
/// Short gaps in the readings are bridged as in a Cycle. A catenary whose status is not usable also ends the check,
/// before the rig is run.
/// @throws SetupError if the record is empty or not finite, or the parameters are invalid.
template <CatenaryModel W, class MakeRig, class CommandOf, class Smooth, class ErrorIndex>
IterativeValidation iterative_validation(W& catenary, MakeRig&& make_rig, const std::vector<double>& recorded,
                                         const IterativeValidationParams& p, CommandOf&& command, Smooth&& smooth,
                                         ErrorIndex&& error) {
    const char* where = "rig::iterative_validation";
    require(recorded.size() > 1, where, "the recorded force has fewer than 2 values, must have at least 2");
    for (const double force : recorded) require_finite(force, where, "a value of the recorded force");
    if constexpr (KnowsItsEnd<W>)
        require(static_cast<std::int64_t>(recorded.size()) <= catenary.steps_on_line(), where,
                "the recorded force has ", recorded.size(), " values, expected at most ", catenary.steps_on_line(),
                ", the steps of the line");
    require(p.iterations > 0, where, "iterations is ", p.iterations, ", must be >= 1");
    require_positive(p.tolerance, where, "tolerance");
    require(p.relaxation > 0.0 && p.relaxation <= 1.0, where, "relaxation is ", p.relaxation,
            ", must be above 0 and at most 1");
    require(p.memory >= 0, where, "memory is ", p.memory, ", must be >= 0");
    require(p.latency >= 0.0 && p.latency <= 1e6, where, "latency is ", p.latency,
            " periods, must be from 0 to 1e6; take RigParams::loop_delay()");
    require(p.lead_in <= most_lead_in, where, "lead_in is ", p.lead_in, " periods, must be at most ", most_lead_in);
    validate(p.limits, where);

    const std::size_t n = recorded.size();
    const auto latency = static_cast<std::size_t>(linalg::split_delay(p.latency).rounded_up());
    const double early = std::max(0.0, static_cast<double>(latency) - p.latency);  // part of a period
    const std::chrono::nanoseconds period(std::llround(1e9 * catenary.dt()));
    IterativeValidation result{
        .status = Status::not_converged, .force = smooth(recorded), .height = std::vector<double>(n)};
    const auto require_length = [&](const std::vector<double>& force) {
        require(force.size() == n, where, "smooth() returned ", force.size(), " values for ", n,
                ", expected as many as it was given");
    };
    require_length(result.force);
    detail::AndersonMixing mixing(static_cast<Eigen::Index>(n), p.memory, p.relaxation);
    std::vector<Motion> profile(n);
    std::vector<double> measured(n);

    for (int pass = 0; pass < p.iterations; ++pass) {
        catenary.reset();
        for (std::size_t i = 0; i < n; ++i) {
            profile[i] = catenary.step(result.force[i]);
            if constexpr (ReportsStatus<W>)
                if (const Status s = catenary.status(); !usable(s)) {
                    result.status = result.fault.status = s;
                    return result;
                }
            result.height[i] = profile[i].height;
        }

        auto&& rig = make_rig();
        detail::GuardedPass guarded(rig, p.limits, catenary.dt());
        const auto ended = [&](Status s) {
            result.status = s;
            result.fault = guarded.fault();
            result.fault.status = s;
            return result;
        };
        if (const Status s = guarded.begin(); !usable(s)) return ended(s);
        std::chrono::nanoseconds due = rig.clock.now();
        double before = 0.0, sum = 0.0;  // N
        for (std::size_t i = 0; i < p.lead_in + n + latency; ++i) {
            if (const Waited waited = wait_until(rig.clock, due, period); !waited) {
                const auto seconds = [](std::chrono::nanoseconds t) { return 1e-9 * static_cast<double>(t.count()); };
                return ended(guarded.wrong(Status::deadline_missed, Quantity::clock, seconds(waited.left), -HUGE_VAL,
                                           seconds(waited.allowed)));
            }
            due += period;
            if (p.stop_requested && p.stop_requested->load(std::memory_order_relaxed))
                return ended(Status::stopped_by_user);
            const auto force = guarded.read(i >= p.lead_in);
            if (!force.usable()) return ended(force.status);
            if (i >= p.lead_in + latency) {
                const double last = i > 0 ? before : force.value;
                measured[i - p.lead_in - latency] = force.value + early * (last - force.value);
                sum += force.value;
            }
            before = force.value;
            // Lead-in: a smooth transition from the position of the drive to that of the wire at the start.
            const double blend =
                i < p.lead_in ? smooth_blend(static_cast<double>(i) / static_cast<double>(p.lead_in)) : 1.0;
            const std::size_t at = std::min(i < p.lead_in ? 0 : i - p.lead_in, n - 1);
            const Motion wanted = i < p.lead_in ? Motion{profile[0].height, 0.0, 0.0} : profile[at];
            const double target = command(wanted);
            const double sent = guarded.first() + blend * (target - guarded.first());
            if (const Status s = guarded.write(sent); !usable(s)) return ended(s);
        }
        guarded.stop();
        if (const double mean = sum / static_cast<double>(n); mean < -p.limits.pull)  // a contact only pushes
            return ended(guarded.wrong(Status::sign_wrong, Quantity::mean_force, mean, -p.limits.pull));

        std::vector<double> answer = smooth(measured);
        require_length(answer);
        result.change.push_back(error(answer, result.force));
        if (result.change.back() <= p.tolerance) {
            result.force = std::move(answer);
            result.status = Status::ok;
            break;
        }
        mixing.advance(result.force, answer);
    }
    result.error_of_recording = error(recorded, result.force);
    return result;
}

/// The same with the height as command, the unfiltered force, and the error index of the unfiltered force.
template <CatenaryModel W, class MakeRig>
IterativeValidation iterative_validation(W& catenary, MakeRig&& make_rig, const std::vector<double>& recorded,
                                         const IterativeValidationParams& p = {}) {
    return iterative_validation(
        catenary, std::forward<MakeRig>(make_rig), recorded, p, [](const Motion& m) { return m.height; },
        [](const std::vector<double>& force) { return force; },
        [](const std::vector<double>& force, const std::vector<double>& reference) {
            const bool pressed = std::accumulate(reference.begin(), reference.end(), 0.0) > 0.0;
            return pressed ? interaction::error_index(force, reference)
                           : HUGE_VAL;  // without contact there is no convergence
        });
}

}  // namespace panto::rig
