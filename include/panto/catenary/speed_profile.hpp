// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Speed of the train as a function of time, linear between given points:
///     v(t) = v_i + a_i (t - t_i) ,   s(t) = s_i + v_i (t - t_i) + a_i (t - t_i)^2 / 2 ,
///     a_i = (v_{i+1} - v_i) / (t_{i+1} - t_i) .

#pragma once

#include <panto/core/check.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::catenary {

struct SpeedPoint {
    double time = 0.0;   ///< s, from the start
    double speed = 0.0;  ///< m/s, not negative
};

/// Speed over time; constant after the last point. An object without points means that there is no profile.
class SpeedProfile {
  public:
    constexpr SpeedProfile() = default;

    /// @throws SetupError unless the times begin with 0 and increase, and no speed is negative.
    SpeedProfile(const std::vector<SpeedPoint>& points) {
        constexpr const char* where = "catenary::SpeedProfile";
        require(!points.empty(), where, "there are no points; must have at least one, at time 0");
        double way = 0.0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const SpeedPoint& p = points[i];
            require_finite(p.time, where, "a time");
            require_not_negative(p.speed, where, "a speed");
            if (i == 0) {
                require(p.time == 0.0, where, "the first time is ", p.time, " s, must be 0");
            } else {
                const SpeedPoint& before = points[i - 1];
                const double duration = p.time - before.time;
                require(duration > 0.0, where, "the time ", p.time, " s comes after ", before.time,
                        " s; times must increase");
                pieces_.back().acceleration = (p.speed - before.speed) / duration;
                way += 0.5 * (before.speed + p.speed) * duration;
            }
            pieces_.push_back({p.time, p.speed, way, 0.0});
        }
    }

    [[nodiscard]] bool empty() const noexcept { return pieces_.empty(); }

    /// Speed, m/s; before the start, the speed of the first point. The profile must have points. @rt
    [[nodiscard]] double speed(double time) const noexcept {
        const Piece& p = piece(time);
        return p.speed + p.acceleration * std::max(0.0, time - p.time);
    }
    /// Distance covered since the start, m; 0 before the start. The profile must have points. @rt
    [[nodiscard]] double way(double time) const noexcept {
        const Piece& p = piece(time);
        const double t = std::max(0.0, time - p.time);
        return p.way + t * (p.speed + 0.5 * p.acceleration * t);
    }
    /// Last time at which the train has not gone further than the distance `way`, s; infinite if it never goes further.
    /// `way` is in m and not negative. The profile must have points. @rt
    [[nodiscard]] double time_until(double way) const noexcept {
        const auto after = std::upper_bound(pieces_.begin() + 1, pieces_.end(), way,
                                            [](double s, const Piece& p) { return s < p.way; });
        const Piece& p = *(after - 1);
        const double s = std::max(0.0, way - p.way);
        const double sum = p.speed + std::sqrt(std::max(0.0, p.speed * p.speed + 2.0 * p.acceleration * s));
        if (sum > 0.0) return p.time + 2.0 * s / sum;
        return p.acceleration > 0.0 ? p.time : HUGE_VAL;
    }
    /// Highest speed, m/s.
    [[nodiscard]] double highest() const noexcept {
        double v = 0.0;
        for (const Piece& p : pieces_) v = std::max(v, p.speed);
        return v;
    }

  private:
    struct Piece {
        double time, speed, way, acceleration;  // at the beginning of the piece, SI
    };

    [[nodiscard]] const Piece& piece(double time) const noexcept {
        const auto after = std::upper_bound(pieces_.begin() + 1, pieces_.end(), time,
                                            [](double t, const Piece& p) { return t < p.time; });
        return *(after - 1);
    }

    std::vector<Piece> pieces_;
};

}  // namespace panto::catenary
