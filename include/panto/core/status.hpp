// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How real-time code reports failure: by value, never by exception.

#pragma once

#include <cstdint>
#include <string_view>

namespace panto {

/// Outcome of one real-time call. name() gives the text for a log.
enum class Status : std::uint8_t {
    ok,
    saturated,           ///< a limit was active; the value is usable
    not_converged,       ///< the iteration budget ran out; the value is usable
    sensor_lost,         ///< no measurement arrived
    sensor_stale,        ///< the measurement is older than allowed
    sensor_saturated,    ///< the sensor is at the end of its range
    sensor_implausible,  ///< the measurement is not finite or contradicts the others
    drive_fault,         ///< the drive refused or did not follow the command, or reported a fault
    out_of_range,        ///< a quantity is beyond its limits, or a size or index is wrong
    not_finite,          ///< a computed value is not a finite number
    deadline_missed,     ///< the cycle took longer than its period, too often
    sign_wrong,          ///< the force did not fall when the drive moved up, or pulls all the time
    end_of_line,         ///< the pantograph has left the line: the wire is at rest there
    stopped_by_user,     ///< the user or the observer ended the run
    not_running,         ///< there is no run, or it has ended normally
    infeasible           ///< no value satisfies all constraints
};

/// True if the loop can go on with the value that belongs to this status.
[[nodiscard]] constexpr bool usable(Status s) noexcept { return s <= Status::not_converged; }

[[nodiscard]] constexpr std::string_view name(Status s) noexcept {
    switch (s) {
        case Status::ok: return "ok";
        case Status::saturated: return "saturated";
        case Status::not_converged: return "not converged";
        case Status::sensor_lost: return "sensor lost";
        case Status::sensor_stale: return "sensor stale";
        case Status::sensor_saturated: return "sensor saturated";
        case Status::sensor_implausible: return "sensor implausible";
        case Status::drive_fault: return "drive fault";
        case Status::out_of_range: return "out of range";
        case Status::not_finite: return "not finite";
        case Status::deadline_missed: return "deadline missed";
        case Status::sign_wrong: return "sign wrong";
        case Status::end_of_line: return "end of line";
        case Status::stopped_by_user: return "stopped by user";
        case Status::not_running: return "not running";
        case Status::infeasible: return "infeasible";
    }
    return "unknown";
}

/// A value *and* its status. Unlike in std::expected the value is always there, because
/// a control loop must send a command even in the cycle in which it fails.
template <class T>
struct [[nodiscard]] Result {
    T value{};
    Status status = Status::ok;

    [[nodiscard]] constexpr bool usable() const noexcept { return panto::usable(status); }
};

}  // namespace panto
