// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The work of a drive, from readings of force, height and speed at the beginning of each cycle of length T. With F
/// linear over a cycle and x the cubic through heights and speeds at both ends, the integral of F dx is exactly
///
///     W[k] = (F[k] + F[k+1])/2 (x[k+1] - x[k]) + T/12 (F[k+1] - F[k]) (x'[k+1] - x'[k]) .
///
/// The speeds matter: between two commands the drive moves in an arc, and (F[k] + F[k+1])/2 (x[k+1] - x[k]) alone errs
/// by the same sign in every cycle. A force that bends between the readings adds, for a drive at constant speed,
///
///     V[k] = -(F[k-1] - F[k] - F[k+1] + F[k+2])/24 (x[k+1] - x[k])        (exact for cubics F) .
///
/// A command that answers to the reading F[k] also answers to the noise n of this reading. The drive then moves by g n
/// more and its speed changes by g' n more. So W[k] + V[k] contains h n^2 with h = (1/2 + 1/24) g - T g'/12, which no
/// other cycle takes back. This term is subtracted. The variance of n follows from the fourth difference of the
/// readings, whose coefficients have the sum of squares 70:
///
///     n^2[k] = (F[k-2] - 4 F[k-1] + 6 F[k] - 4 F[k+1] + F[k+2])^2 / 70
///
/// Of the square of a force that varies smoothly, at the angular frequency w, this takes only (w T)^8/70 for noise.
/// F[k+2] comes two cycles later; the work returned then contains both corrections of cycle k. What n moves in later
/// cycles is left out: V sees g n^2/24 at most.

#pragma once

#include <panto/core/check.hpp>

#include <algorithm>
#include <array>

namespace panto::control {

class DriveWork {
  public:
    /// @param dt  duration of a cycle, s
    /// @throws SetupError unless dt is finite and positive.
    explicit DriveWork(double dt) : dt_(dt) { require_positive(dt, "control::DriveWork", "dt"); }

    /// Takes the readings at the beginning of a cycle, N, m, m/s.
    /// @return the work of the cycle before, J, positive if the drive moved upward against a force that presses it
    /// down; 0 at the first call. @rt
    double take(double force, double height, double speed) noexcept {
        std::rotate(last_.begin(), last_.end() - 1, last_.end());
        const auto rise = height - height_, gain = speed - speed_;
        last_[0] = {force, rise, 0.0};
        height_ = height, speed_ = speed;
        if (count_ < 5) ++count_;
        if (count_ < 2) return 0.0;
        const double before = last_[1].force;
        double work = 0.5 * (before + force) * rise + dt_ / 12.0 * (force - before) * gain;
        if (count_ == 5) {
            const Reading& r = last_[2];
            const double nearest = last_[1].force + last_[3].force, outer = last_[0].force + last_[4].force,
                         fourth = outer - 4.0 * nearest + 6.0 * r.force,
                         bend = last_[3].force - r.force - last_[1].force + last_[0].force;
            work -= bend / 24.0 * last_[1].rise + r.answer * fourth * fourth / 70.0;
        }
        return work;
    }
    /// Says how much the reading just taken changes, through the command, the height, m/N, and the speed, m/s/N, at the
    /// end of this cycle. @rt
    void answers(double height, double speed) noexcept {
        last_[0].answer = (0.5 + 1.0 / 24.0) * height - dt_ / 12.0 * speed;
    }

    /// As new. @rt
    void reset() noexcept {
        last_ = {};
        height_ = speed_ = 0.0;
        count_ = 0;
    }

  private:
    struct Reading {
        double force = 0.0, rise = 0.0, answer = 0.0;  // N, m in the cycle before it, m/N
    };
    double dt_;                          // s
    std::array<Reading, 5> last_{};      // newest first
    double height_ = 0.0, speed_ = 0.0;  // m, m/s
    int count_ = 0;
};

}  // namespace panto::control
