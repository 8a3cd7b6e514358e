// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The work of a drive, from readings of force, height and speed at the beginning of each cycle. With F linear over a
/// cycle of length T and x the cubic through heights and speeds at both ends, the integral of F dx is exactly
///
///     W[k] = (F[k] + F[k+1])/2 (x[k+1] - x[k]) + T/12 (F[k+1] - F[k]) (x'[k+1] - x'[k]) .
///
/// The speeds matter: between two commands the drive moves in an arc, and (F[k] + F[k+1])/2 (x[k+1] - x[k]) alone errs
/// by the same sign in every cycle.
///
/// A command that answers to the reading F[k] also answers to its noise n: the drive then moves by g n more, its speed
/// changes by g' n more, and W[k] has h n^2, h = g/2 - T g'/12, which no other cycle takes back. So the part h F[k]^2
/// of W[k] is replaced by h F[k] F^[k], with F^ interpolated from the two readings before and after, whose noise is
/// another:
///
///     F^[k] = (4 F[k-1] + 4 F[k+1] - F[k-2] - F[k+2]) / 6        (exact for cubics)
///
/// F[k+2] comes two cycles later; what it changes is then added to the work of that cycle.

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
        last_[0] = {force, 0.0};
        const auto rise = height - height_, gain = speed - speed_;
        height_ = height, speed_ = speed;
        if (count_ < 5) ++count_;
        if (count_ < 2) return 0.0;
        const double before = last_[1].force;
        double work = 0.5 * (before + force) * rise + dt_ / 12.0 * (force - before) * gain;
        if (count_ == 5) {
            const Reading& r = last_[2];
            const double others = (4.0 * (last_[1].force + last_[3].force) - last_[0].force - last_[4].force) / 6.0;
            work += r.answer * r.force * (others - r.force);
        }
        return work;
    }
    /// Says how much height, m/N, and speed, m/s/N, at the end of this cycle are due to the reading just taken, through
    /// the command. @rt
    void answers(double height, double speed) noexcept { last_[0].answer = 0.5 * height - dt_ / 12.0 * speed; }

    /// As new. @rt
    void reset() noexcept {
        last_ = {};
        height_ = speed_ = 0.0;
        count_ = 0;
    }

  private:
    struct Reading {
        double force = 0.0, answer = 0.0;  // N, m/N
    };
    double dt_;                          // s
    std::array<Reading, 5> last_{};      // newest first
    double height_ = 0.0, speed_ = 0.0;  // m, m/s
    int count_ = 0;
};

}  // namespace panto::control
