// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checks on readings before they are used: short gaps are bridged, and a frozen reading is detected.

#pragma once

#include <panto/core/status.hpp>
#include <panto/rig/fault.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace panto::rig {

/// True if a reading did not arrive in time.
[[nodiscard]] constexpr bool is_gap(Status s) noexcept { return s == Status::sensor_lost || s == Status::sensor_stale; }

/// A reading whose gaps are bridged with the last good one.
template <class T>
class HeldReading {
  public:
    /// Forgets all readings. Until the first good one, gaps cannot be bridged.
    void reset() noexcept { *this = {}; }

    /// Returns the reading. If it is lost, stale or not `plausible`, returns the last good one instead, for at most
    /// `allowed` readings in a row. @rt
    Result<T> take(const Result<T>& reading, int allowed, bool plausible = true) noexcept {
        bridged_ = false;
        if (reading.usable() && plausible) {
            periods_ = missing_ + 1;
            missing_ = 0;
            any_ = true;
            return good_ = reading;
        }
        ++missing_;
        bridged_ = (reading.usable() || is_gap(reading.status)) && any_ && missing_ <= allowed;
        return bridged_ ? good_ : reading;
    }

    [[nodiscard]] bool bridged() const noexcept { return bridged_; }  ///< the last reading was replaced
    [[nodiscard]] int missing() const noexcept { return missing_; }   ///< missing readings in a row
    [[nodiscard]] int periods() const noexcept { return periods_; }   ///< from the good reading before to the last one
    [[nodiscard]] const T& good() const noexcept { return good_.value; }

    /// The fault if the last reading was missing: how many are missing in a row, or that it was the first one.
    [[nodiscard]] Fault gap(Status why, Quantity in_a_row, Quantity first, int allowed) const noexcept {
        const bool too_many = any_ || missing_ > allowed;
        return {.status = why,
                .quantity = too_many ? in_a_row : first,
                .value = static_cast<double>(missing_),
                .lowest = -HUGE_VAL,
                .highest = static_cast<double>(allowed)};
    }

  private:
    Result<T> good_;
    int missing_ = 0, periods_ = 1;
    bool any_ = false, bridged_ = false;
};

/// Detects a reading that stays the same, or within a band, although it should respond to a motion. At rest a reading
/// may be constant: with a sensor of coarse resolution, or in a simulation without noise.
class FrozenReading {
  public:
    void reset() noexcept { *this = {}; }

    /// For how many periods the reading has been unchanged, i.e. within the band of take().
    [[nodiscard]] std::int64_t same() const noexcept { return same_; }

    /// Takes a reading and the position `mover` to which it should respond. Readings are unchanged while all of them
    /// lie within `band`. If `mover` has moved by more than `travel` since the reading last changed, returns for how
    /// many periods it could have responded. They are counted from a quarter of `travel` on, because a rest before the
    /// motion proves nothing. Otherwise returns 0. `periods` is the time since the reading before, more than 1 if
    /// readings were missing. @rt
    std::int64_t take(double reading, double mover, double travel, double band = 0.0, int periods = 1) noexcept {
        least_ = std::min(least_, reading);
        most_ = std::max(most_, reading);
        if (!any_ || !(most_ - least_ <= band)) {
            least_ = most_ = reading;
            low_ = high_ = mover;
            same_ = waited_ = 0;
            any_ = true;
            return 0;
        }
        same_ += periods;
        low_ = std::min(low_, mover);
        high_ = std::max(high_, mover);
        if (high_ - low_ > 0.25 * travel) waited_ += periods;
        return high_ - low_ > travel ? waited_ : 0;
    }

  private:
    double least_ = 0.0, most_ = 0.0, low_ = 0.0, high_ = 0.0;  // range of the readings, range of the mover
    std::int64_t same_ = 0, waited_ = 0;
    bool any_ = false;
};

}  // namespace panto::rig
