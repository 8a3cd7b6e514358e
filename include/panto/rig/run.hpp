// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Runs the cycles of a schedule on time, until the end, a fault, or a late cycle. Deadlines are absolute: cycle n is
/// due at start + n * period, so neither rounding nor delays accumulate.

#pragma once

#include <panto/rig/cycle.hpp>
#include <panto/rig/histogram.hpp>
#include <panto/rig/wait.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace panto::rig {

using std::chrono::nanoseconds;

/// What to do when a cycle ends after the next one was due.
enum class Overrun : std::uint8_t {
    stop,     ///< stop the drive: the default
    skip,     ///< leave out the cycles that are already due and stay in phase; the virtual line loses that time
    catch_up  ///< run the cycles already due one after the other; stop if more than `catch_up_limit` in a row are late
};

struct Schedule {
    nanoseconds period = std::chrono::milliseconds(2);
    nanoseconds duration = std::chrono::seconds(10);
    Overrun overrun = Overrun::stop;
    int catch_up_limit = 3;  ///< late cycles in a row that Overrun::catch_up tolerates
    const std::atomic<bool>* stop_requested =
        nullptr;  ///< set it from a signal handler or another thread to end the run

    [[nodiscard]] constexpr bool valid() const noexcept {
        return period.count() > 0 && duration.count() >= 0 && catch_up_limit >= 0;
    }
    /// Cycles of a run without skips.
    [[nodiscard]] constexpr std::int64_t cycles() const noexcept {
        return valid() ? duration / period + (duration % period > nanoseconds(0)) : 0;
    }
};

/// The record of one cycle.
struct CycleRecord {
    Exchange exchange = {};
    Status status = Status::ok;
    nanoseconds late{0};  ///< from when the cycle was due to when it began
    nanoseconds read{0};  ///< duration of this stage; so are the next two
    nanoseconds compute{0};
    nanoseconds write{0};

    [[nodiscard]] constexpr nanoseconds step_time() const noexcept { return read + compute + write; }
};

/// Why a run was refused before the drive was touched.
enum class Refusal : std::uint8_t {
    none,
    schedule,  ///< the schedule is invalid
    period,    ///< its period is not the time step of the cycle
    room,      ///< the observer has no room for all cycles of the schedule
    line       ///< the line of the catenary is shorter than the schedule
};

struct Report {
    Status status = Status::ok;       ///< ok, or why the run ended early
    Refusal refused = Refusal::none;  ///< if not `none`, there was no run, and `status` is out_of_range
    Fault fault{};                    ///< why the run ended early or was refused: quantity, value, limits
    std::int64_t cycles = 0;          ///< cycles done, the faulty one included
    std::int64_t saturated = 0;       ///< cycles with a limit active
    std::int64_t overruns = 0;        ///< cycles that ended after the next one was due
    std::int64_t skipped = 0;         ///< cycles left out by Overrun::skip
    Histogram late = {};
    Histogram read = {};
    Histogram compute = {};
    Histogram write = {};
    Histogram step = {};  ///< read, compute and write together

    [[nodiscard]] std::string_view reason() const noexcept {
        switch (refused) {
            case Refusal::none: break;
            case Refusal::schedule: return "refused: the schedule is invalid";
            case Refusal::period: return "refused: the schedule's period is not the time step of the cycle";
            case Refusal::room: return "refused: the observer has no room for the cycles of the schedule";
            case Refusal::line: return "refused: the schedule is longer than the line";
        }
        return name(status);
    }
    /// reason() with the quantity, its value and its limits. It allocates, so call it after the run.
    [[nodiscard]] std::string explanation() const {
        if (refused == Refusal::none) return describe(fault);
        if (fault.quantity == Quantity::none) return std::string(reason());
        const std::string text = describe(fault);
        return std::string(reason()) + text.substr(text.find(':'));
    }
};

namespace detail {

/// The type behind a reference or std::ref.
template <class O>
using Unwrapped = std::remove_reference_t<std::unwrap_ref_decay_t<O>>;

}  // namespace detail

/// Called in every cycle, within its period, so it should only store, not print. If it returns false, the run ends. An
/// observer may be a std::ref.
template <class O>
concept CycleObserver = std::is_nothrow_invocable_v<detail::Unwrapped<O>&, const CycleRecord&> &&
                        (std::is_void_v<std::invoke_result_t<detail::Unwrapped<O>&, const CycleRecord&>> ||
                         std::same_as<std::invoke_result_t<detail::Unwrapped<O>&, const CycleRecord&>, bool>);

/// An observer with limited room, such as a Recorder. room() is called before the start.
template <class O>
concept HasRoom = requires(const detail::Unwrapped<O>& observer) {
    { observer.room() } noexcept -> std::convertible_to<std::int64_t>;
};

/// What run() needs of a loop, such as a Cycle or an ImpedanceLoop. dt(), fault() and steps_on_line() are used if they
/// exist.
template <class L>
concept Runnable = requires(L& loop, Status why, void (*mark)(Stage) noexcept) {
    { loop.start() } noexcept -> std::same_as<Status>;
    { loop.step(mark) } noexcept -> std::same_as<Status>;  ///< mark(stage) is called as each stage ends
    { loop.stop(why) } noexcept;                           ///< the second time it does nothing
    { loop.exchange() } noexcept -> std::convertible_to<const Exchange&>;
};

/// True if the period equals the time step of the cycle, or the cycle has no dt(). Periods are whole nanoseconds, so
/// the two may differ by half a nanosecond.
template <class CycleType>
[[nodiscard]] bool keeps_time(const CycleType& cycle, nanoseconds period) noexcept {
    if constexpr (KnowsTimeStep<CycleType>) {
        const double asked = static_cast<double>(period.count()), own = 1e9 * cycle.dt();
        return std::fabs(asked - own) <= 0.5 + 1e-9 * own;
    } else {
        return true;
    }
}

/// Runs the cycle and stops the drive at the end, whatever the reason for the end. The observer gets the record of
/// every cycle, or of a start that failed. Refused with Status::out_of_range before the drive is touched: an invalid
/// schedule, a period that is not the time step of the cycle, and a schedule longer than the line or the room of the
/// observer; Report::refused says which. A clock that stands still, or has gone back so far that the next cycle is due
/// more than 1.1 periods ahead, ends the run with Status::deadline_missed. @rt
template <Runnable CycleType, Clock ClockType, CycleObserver Observer>
Report run(CycleType& cycle, ClockType& clock, const Schedule& schedule, Observer&& observe) noexcept {
    Report report;
    const std::int64_t cycles = schedule.cycles();
    const auto seconds = [](nanoseconds t) noexcept { return 1e-9 * static_cast<double>(t.count()); };
    Fault& fault = report.fault;
    const auto refuse = [&](Refusal why, Quantity q, double value, double lowest, double highest) noexcept {
        if (report.refused != Refusal::none) return;
        report.refused = why;
        report.status = Status::out_of_range;
        fault = {.status = report.status, .quantity = q, .value = value, .lowest = lowest, .highest = highest};
    };
    const auto shorter = [&](Refusal why, std::int64_t allowed) noexcept {
        if (cycles > allowed)
            refuse(why, Quantity::schedule, static_cast<double>(cycles), 0.0, static_cast<double>(allowed));
    };
    if (!schedule.valid()) refuse(Refusal::schedule, Quantity::none, 0.0, 0.0, 0.0);
    if constexpr (KnowsTimeStep<CycleType>)
        if (!keeps_time(cycle, schedule.period))
            refuse(Refusal::period, Quantity::period, seconds(schedule.period), cycle.dt(), cycle.dt());
    if constexpr (KnowsItsEnd<CycleType>) shorter(Refusal::line, cycle.steps_on_line());
    if constexpr (HasRoom<Observer>)
        shorter(Refusal::room, static_cast<const detail::Unwrapped<Observer>&>(observe).room());
    if (report.refused != Refusal::none) return report;

    report.status = cycle.start();
    const nanoseconds start = clock.now();
    int late_in_a_row = 0;
    CycleRecord record;
    if (!usable(report.status)) {  // the observer gets the readings that made the start fail
        record.status = report.status;
        record.exchange = cycle.exchange();
        static_cast<void>(observe(std::as_const(record)));
    }

    for (std::int64_t n = 0; usable(report.status) && n < cycles;) {
        if (schedule.stop_requested && schedule.stop_requested->load(std::memory_order_relaxed)) {
            report.status = Status::stopped_by_user;
            break;
        }
        const nanoseconds due = start + n * schedule.period;
        if (const Waited waited = wait_until(clock, due, schedule.period); !waited) {
            report.status = Status::deadline_missed;
            fault = {.status = report.status,
                     .quantity = Quantity::clock,
                     .value = seconds(waited.left),
                     .highest = seconds(waited.allowed)};
            break;
        }

        const nanoseconds began = clock.now();
        nanoseconds last = began;
        record.late = began - due;
        record.read = record.compute = record.write = nanoseconds(0);
        record.status = cycle.step([&](Stage stage) noexcept {
            const nanoseconds now = clock.now();
            (stage == Stage::read ? record.read : stage == Stage::compute ? record.compute : record.write) = now - last;
            last = now;
        });
        record.exchange = cycle.exchange();

        ++report.cycles;
        report.saturated += record.status == Status::saturated;
        report.late.add(record.late);
        report.read.add(record.read);
        report.compute.add(record.compute);
        report.write.add(record.write);
        report.step.add(record.step_time());
        if (!usable(record.status)) report.status = record.status;

        bool go_on = true;
        if constexpr (std::same_as<std::invoke_result_t<Observer&, const CycleRecord&>, bool>)
            go_on = observe(std::as_const(record));
        else
            observe(std::as_const(record));
        if (!go_on && usable(report.status)) report.status = Status::stopped_by_user;

        ++n;
        const nanoseconds behind = clock.now() - (start + n * schedule.period);
        if (behind.count() <= 0) {
            late_in_a_row = 0;
            continue;
        }
        ++report.overruns;
        ++late_in_a_row;
        const bool give_up = schedule.overrun == Overrun::stop ||
                             (schedule.overrun == Overrun::catch_up && late_in_a_row > schedule.catch_up_limit);
        if (give_up && n < cycles && usable(report.status)) {
            report.status = Status::deadline_missed;
            fault = {.status = report.status, .quantity = Quantity::lateness, .value = seconds(behind), .highest = 0.0};
            if (schedule.overrun == Overrun::catch_up)
                fault = {.status = report.status,
                         .quantity = Quantity::late_cycles,
                         .value = static_cast<double>(late_in_a_row),
                         .highest = static_cast<double>(schedule.catch_up_limit)};
        }
        if (schedule.overrun == Overrun::skip) {
            const std::int64_t due_already = (behind + schedule.period - nanoseconds(1)) / schedule.period;
            const std::int64_t left_out = due_already < cycles - n ? due_already : cycles - n;
            n += left_out;
            report.skipped += left_out;
        }
    }
    cycle.stop(report.status);  // does nothing if the cycle has stopped already
    if (fault.quantity == Quantity::none) fault.status = report.status;
    if constexpr (requires { cycle.fault(); })
        if (fault.quantity == Quantity::none && !usable(report.status)) fault = cycle.fault();
    return report;
}

/// Only for a clear message of the compiler if an observer does not fit.
template <Runnable CycleType, class ClockType, class Observer>
    requires(!CycleObserver<Observer>)
Report run(CycleType&, ClockType&, const Schedule&, Observer&&) noexcept {
    static_assert(CycleObserver<Observer>,
                  "rig::run: an observer is called with a const CycleRecord&, is noexcept and returns void or bool");
    return {};
}

template <Runnable CycleType, Clock ClockType>
Report run(CycleType& cycle, ClockType& clock, const Schedule& schedule) noexcept {
    return run(cycle, clock, schedule, [](const CycleRecord&) noexcept {});
}

}  // namespace panto::rig
