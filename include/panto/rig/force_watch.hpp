// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Faults of the force that no single reading shows: it is frozen, it rings, or the drive with it, it pulls, or it is
/// gone.
///
/// A contact only pushes. So the mean of the force cannot stay below 0 unless the load cell is wired or tared wrongly:
/// with the wrong sign the loop lowers the strip when it should lift it. It is a fault if the mean of the latest
/// readings, taken over any time longer than `pull_time`, is below -`pull`. To find out, force + pull is summed, and
/// the sum starts again whenever it rises above 0. Noise and short negative peaks, such as those from the inertia of
/// the strip during a loss of contact, are outweighed by the readings around them.
///
/// A loss of contact is normal and short. If no reading reaches `contact` for more than `lost_time`, the strip is gone:
/// pulled down, or broken. Noise around zero would hide this from a watch for frozen readings.

#pragma once

#include <panto/core/status.hpp>
#include <panto/rig/cycle_limits.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/readings.hpp>
#include <panto/rig/ringing.hpp>

#include <cmath>
#include <cstdint>
#include <utility>

namespace panto::rig {

class ForceWatch {
  public:
    /// @param dt  s, of a period
    /// @throws SetupError as Ringing does; the other limits must be valid.
    ForceWatch(const CycleLimits& limits, double dt)
        : limits_(limits), dt_(dt), ringing_(limits.ringing, dt), swinging_(of_motion(limits.ringing), dt) {}

    void reset() noexcept {
        frozen_.reset(), ringing_.reset(), swinging_.reset();
        sum_ = 0.0, pulls_ = 0, open_ = 0, periods_ = 0;
    }

    /// Takes a force, N, and the height, m, that was read with it; both must be finite. To be called once a period: if
    /// no force was read, with the last one and `held`. It then only stands in for the missing one in an oscillation;
    /// the other watches wait for the next reading, which counts for all periods since the one before. The status is ok
    /// if nothing is wrong. @rt
    Fault take(double force, double height, bool held = false) noexcept {
        const CycleLimits& l = limits_;
        ++periods_;
        if (!held)
            if (const Fault f = taken(force, height); !usable(f.status)) return f;
        if (ringing_.take(force))
            return {.status = Status::out_of_range,
                    .quantity = Quantity::ringing,
                    .value = ringing_.amplitude(),
                    .highest = l.ringing.amplitude};
        if (swinging_.take(height))
            return {.status = Status::out_of_range,
                    .quantity = Quantity::swinging,
                    .value = swinging_.amplitude(),
                    .highest = l.ringing.motion};
        return {};
    }

  private:
    Fault taken(double force, double height) noexcept {
        const CycleLimits& l = limits_;
        const int periods = std::exchange(periods_, 0);
        const auto same = frozen_.take(force, height, l.frozen_travel, same_force, periods);
        if (const double still = dt_ * static_cast<double>(same); still > l.frozen_time)
            return {.status = Status::sensor_implausible,
                    .quantity = Quantity::frozen_force,
                    .value = still,
                    .highest = l.frozen_time};
        sum_ += periods * (force + l.pull);
        pulls_ += periods;
        if (!(sum_ < 0.0)) sum_ = 0.0, pulls_ = 0;
        if (const auto n = static_cast<double>(pulls_); n * dt_ > l.pull_time)
            return {.status = Status::sign_wrong,
                    .quantity = Quantity::mean_force,
                    .value = sum_ / n - l.pull,
                    .lowest = -l.pull};
        open_ = force < l.contact ? open_ + periods : 0;
        if (const double open = dt_ * static_cast<double>(open_); open > l.lost_time)
            return {.status = Status::out_of_range,
                    .quantity = Quantity::lost_contact,
                    .value = open,
                    .highest = l.lost_time};
        return {};
    }

    CycleLimits limits_;
    double dt_;
    FrozenReading frozen_;
    Ringing ringing_, swinging_;  // of the force, of the height
    double sum_ = 0.0;            // N
    std::int64_t pulls_ = 0;      // periods in it
    std::int64_t open_ = 0;       // periods without contact in a row
    int periods_ = 0;             // since the last reading
};

}  // namespace panto::rig
