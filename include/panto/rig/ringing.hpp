// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Detects a loop that rings: a controller that does not fit its rig makes the force oscillate faster than the line
/// does, and the oscillation stays or grows.
///
/// The readings pass a high-pass, a Butterworth filter of second order made with the bilinear transform, prewarped:
///
///     y = n (x - 2 x_1 + x_2) - a_1 y_1 - a_2 y_2,   w = tan(pi f dt),  n = 1 / (1 + sqrt(2) w + w^2),
///     a_1 = 2 n (w^2 - 1),   a_2 = n (1 - sqrt(2) w + w^2)
///
/// x is the reading and y the output, the index 1 or 2 stands for one or two readings earlier, f is the corner
/// frequency. The loop rings if the peaks of several half-waves of y in a row reach the amplitude. A touch-down after a
/// loss of contact is as large, but its oscillation usually fades before that. The height of the drive is watched in
/// the same way: on a pad that is much softer than described, a drive may swing by millimetres while the force hardly
/// changes.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace panto::rig {

/// The defaults are measured (docs/rig.md).
struct RingingLimits {
    double amplitude = 100.0;  ///< N, smallest amplitude of the force that counts as ringing; infinite: no check
    double motion = 1e-3;      ///< m, the same for the height of the drive
    int half_waves = 10;       ///< half-waves in a row with this amplitude that count as ringing
    double frequency = 20.0;   ///< Hz, corner of the filter; slower oscillations are those of the line
};

/// The limits for the height of the drive, in the place of those for the force.
[[nodiscard]] constexpr RingingLimits of_motion(RingingLimits p) noexcept {
    p.amplitude = p.motion;
    return p;
}

/// @throws SetupError naming the field.
inline void validate(const RingingLimits& p, std::string_view where) {
    require(p.amplitude > 0.0, where, "ringing.amplitude is ", p.amplitude,
            " N, must be above 0; infinity turns this check off");
    require(p.motion > 0.0, where, "ringing.motion is ", p.motion,
            " m, must be above 0; infinity turns this check off");
    require(p.half_waves >= 1, where, "ringing.half_waves is ", p.half_waves, ", must be >= 1");
    require_positive(p.frequency, where, "ringing.frequency");
}

class Ringing {
  public:
    /// @param dt s, between two readings.
    /// @throws SetupError if a limit is not valid, or the frequency is not below half the sampling rate.
    Ringing(const RingingLimits& p, double dt) : p_(p) {
        const char* where = "rig::Ringing";
        validate(p, where);
        require_positive(dt, where, "dt");
        if (!is_finite(p.amplitude)) return;
        require(p.frequency * dt < 0.5, where, "ringing.frequency is ", p.frequency,
                " Hz, must be below half the sampling rate, ", 0.5 / dt,
                " Hz; an infinite ringing.amplitude and ringing.motion turn this check off");
        const double w = std::tan(std::numbers::pi * p.frequency * dt), side = std::numbers::sqrt2 * w;
        gain_ = 1.0 / (1.0 + side + w * w);
        a1_ = 2.0 * gain_ * (w * w - 1.0);
        a2_ = gain_ * (1.0 - side + w * w);
    }

    /// Takes a reading, N (or m); returns true if the force rings. A reading that is not finite is left out. @rt
    bool take(double reading) noexcept {
        if (!is_finite(reading)) return false;
        if (fresh_) x1_ = x2_ = reading;
        fresh_ = false;
        const double y = gain_ * (reading - 2.0 * x1_ + x2_) - a1_ * y1_ - a2_ * y2_;
        if (y * y1_ < 0.0) {
            waves_ = peak_ >= p_.amplitude ? waves_ + 1 : 0;
            peak_ = 0.0;
        }
        peak_ = std::max(peak_, std::fabs(y));
        x2_ = x1_, x1_ = reading;
        y2_ = y1_, y1_ = y;
        return waves_ + (peak_ >= p_.amplitude ? 1 : 0) >= p_.half_waves;
    }

    /// Forgets everything. @rt
    void reset() noexcept {
        y1_ = y2_ = peak_ = 0.0;
        waves_ = 0;
        fresh_ = true;
    }

    [[nodiscard]] double amplitude() const noexcept { return peak_; }  ///< N or m, peak of the present half-wave so far
    [[nodiscard]] int half_waves() const noexcept { return waves_; }   ///< in a row that reach the amplitude

  private:
    RingingLimits p_;
    double gain_ = 0.0, a1_ = 0.0, a2_ = 0.0;
    double x1_ = 0.0, x2_ = 0.0, y1_ = 0.0, y2_ = 0.0, peak_ = 0.0;
    int waves_ = 0;
    bool fresh_ = true;
};

}  // namespace panto::rig
