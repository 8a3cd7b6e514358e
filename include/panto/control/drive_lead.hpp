// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Learns, while a loop runs, how far its drive is ahead of its description, and corrects the commands for it.
///
/// A model of the motor as it is described gets the commands that are sent. With its height u and speed v and the
/// reading y of the height, a drive that is faster than described, or has less delay, is ahead by a time T:
///
///     y - u = T v + noise.
///
/// Both sides pass the same high-pass, which takes out what does not change with the speed (an offset of the encoder,
/// the compliance under the contact force). T is the estimate of least squares with a prior at 0:
///
///     T = sum (y - u) v / (sum v^2 + (noise / spread)^2).
///
/// Both sums are scaled down where sum v^2 exceeds `memory`. So the drive forgets only while it moves, and a drive that
/// stands still learns nothing. A drive that is ahead gets commands interpolated between the last two, which delays
/// them by T; one that lags gets extrapolated ones. The drive then acts as described. Extrapolation amplifies noise, so
/// a lag is corrected by half.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace panto::control {

/// The defaults are tested with drives that are up to 15 % or 0.5 ms off (docs/control.md).
struct DriveLeadParams {
    double longest = 0.5;   ///< periods, the estimate stays within this; 0: learn and correct nothing
    double ignored = 1e-4;  ///< s, a lead or lag this small is not corrected, of a larger one only the rest
    double corner = 5.0;    ///< Hz, of the high-pass
    double noise = 3e-5;    ///< m, standard deviation of the readings of the height
    double spread = 6e-4;   ///< s, standard deviation of T before anything is known
    double memory = 0.2;    ///< m^2/s^2, largest sum of v^2
};

/// @throws SetupError naming the field that is not valid.
inline void validate(const DriveLeadParams& p, std::string_view where) {
    require(p.longest >= 0.0 && p.longest <= 1.0, where, "drive_lead.longest is ", p.longest,
            " periods, must be from 0 to 1");
    require_not_negative(p.ignored, where, "drive_lead.ignored");
    require_positive(p.corner, where, "drive_lead.corner");
    require_positive(p.noise, where, "drive_lead.noise");
    require_positive(p.spread, where, "drive_lead.spread");
    require_positive(p.memory, where, "drive_lead.memory");
}

class DriveLead {
    using Commands = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 2 * plant::longest_delay + 1>;
    using OfCommands = Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, 2 * plant::longest_delay + 2>;

  public:
    /// @throws SetupError if a parameter is not valid.
    template <class = void>
    DriveLead(const plant::RigParams& rig, const DriveLeadParams& p, double dt)
        : p_((validate(p, "control::DriveLead"), p)),
          dt_(dt),
          passed_(1.0 / (1.0 + 2.0 * std::numbers::pi * p.corner * dt)),
          prior_(p.noise * p.noise / (p.spread * p.spread)) {
        const auto model = plant::sampled_model(rig, dt);
        A_ = model.A.topLeftCorner<2, 2>();
        of_commands_ = model.command.topRows<2>();
        sent_ = Commands::Zero(model.pending());
    }

    /// Takes the reading of a cycle, m. One that is not finite is left out. @rt
    template <class = void>
    void take(double height) noexcept {
        if (!is_finite(height)) return;
        if (fresh_) start(height);
        const double ahead = height - motor_[0], speed = motor_[1];
        ahead_ = passed_ * (ahead_ + ahead - ahead_before_);
        speed_ = passed_ * (speed_ + speed - speed_before_);
        ahead_before_ = ahead, speed_before_ = speed;
        // A wrong reading counts no more than the longest lead would.
        const double most = p_.longest * dt_ * std::fabs(speed_) + 5.0 * p_.noise;
        products_ += std::clamp(ahead_, -most, most) * speed_;
        squares_ += speed_ * speed_;
        if (squares_ > p_.memory) products_ *= p_.memory / squares_, squares_ = p_.memory;
    }

    /// The command to be sent so that the drive acts as described, m.
    /// @param before  the command of the period before, as it was wanted, m. @rt
    template <class = void>
    [[nodiscard]] double corrected(double command, double before) const noexcept {
        const double periods = std::max(0.0, std::fabs(lead()) - p_.ignored) / dt_;
        return command - (lead() > 0.0 ? periods : -0.5 * periods) * (command - before);
    }

    /// Advances the model by one period, in which `sent`, m, is written. If the result would not be finite, changes
    /// nothing. @rt
    template <class = void>
    void advance(double sent) noexcept {
        if (fresh_) return;
        const Eigen::Index n = sent_.size();
        Eigen::Vector2d next = A_ * motor_ + of_commands_.col(0) * sent;
        for (Eigen::Index j = 1; j <= n; ++j) next += of_commands_.col(j) * sent_[n - j];
        if (!is_finite(next.sum())) return;
        motor_ = next;
        for (Eigen::Index j = 0; j + 1 < n; ++j) sent_[j] = sent_[j + 1];
        if (n > 0) sent_[n - 1] = sent;
    }

    /// s, by which the drive is ahead of its description; negative if it lags, 0 as long as nothing is known. @rt
    [[nodiscard]] double lead() const noexcept {
        const double most = p_.longest * dt_;
        return std::clamp(products_ / (squares_ + prior_), -most, most);
    }

    /// Forgets everything. The drive must be at rest at the next reading, under a constant command. @rt
    void reset() noexcept {
        fresh_ = true;
        products_ = squares_ = 0.0;
    }

  private:
    void start(double height) noexcept {
        motor_ = {height, 0.0};
        sent_.setConstant(height);
        ahead_ = speed_ = ahead_before_ = speed_before_ = products_ = squares_ = 0.0;
        fresh_ = false;
    }

    DriveLeadParams p_;
    double dt_, passed_, prior_;  // s, factor of the high-pass, m^2/s^2
    Eigen::Matrix2d A_ = {};
    OfCommands of_commands_;                           // column j: of the command sent j periods ago
    Commands sent_;                                    // the oldest first
    Eigen::Vector2d motor_ = Eigen::Vector2d::Zero();  // u, v
    double ahead_ = 0.0, speed_ = 0.0;                 // m, m/s, behind the high-pass
    double ahead_before_ = 0.0, speed_before_ = 0.0;   // before it
    double products_ = 0.0, squares_ = 0.0;            // sums of (y - u) v, m^2/s, and v^2
    bool fresh_ = true;
};

}  // namespace panto::control
