// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Learns, while a loop runs, how far its drive is ahead of its description, and corrects the commands for it.
///
/// A model of the motor as it is described gets the commands that are sent. Let u and v be height and speed of this
/// model, y the reading of the height. A drive that is faster than described, or has less delay, is ahead by a time T:
///
///     y - u = T v + noise.
///
/// Both sides pass the same high-pass, which attenuates slow differences (an offset of the encoder, the compliance
/// under the contact force). T is the estimate of least squares with a prior at 0:
///
///     T = sum (y - u) v / (sum v^2 + (noise / spread)^2).
///
/// Both sums are scaled down whenever sum v^2 exceeds `memory`, so the estimate learns, and forgets, only while the
/// drive moves. It counts as unknown, T = 0, until sum v^2 is a tenth of `memory`. A reading that jumps, and readings
/// while the drive is at a limit, are left out.
///
/// With T in periods and i what is ignored of it, a drive that is ahead gets commands interpolated between the last
/// two, c - (T - i) (c - c_before), and then acts as described but for i. One that lags gets extrapolated ones, by half
/// of what is not ignored, because extrapolation amplifies noise.

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
    double longest = 0.5;   ///< periods, the estimate stays within this; 0: correct nothing
    double ignored = 0.05;  ///< periods, a lead or lag this small is not corrected, of a larger one only the rest
    double corner = 5.0;    ///< Hz, of the high-pass
    double noise = 3e-5;    ///< m, standard deviation of the noise of the readings of the height
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
        const double jump = 2.0 * p_.longest * dt_ * (std::fabs(speed) + std::fabs(speed_before_)) + 10.0 * p_.noise;
        const bool left_out = std::fabs(ahead - ahead_before_) > jump || pause_ > 0;
        pause_ = std::max(0, pause_ - 1);
        if (left_out) {
            ahead_before_ = ahead, speed_before_ = speed;
            return;
        }
        ahead_ = passed_ * (ahead_ + ahead - ahead_before_);
        speed_ = passed_ * (speed_ + speed - speed_before_);
        ahead_before_ = ahead, speed_before_ = speed;
        // No reading counts for more than the longest lead would.
        const double most = p_.longest * dt_ * std::fabs(speed_) + 5.0 * p_.noise;
        products_ += std::clamp(ahead_, -most, most) * speed_;
        squares_ += speed_ * speed_;
        if (squares_ > p_.memory) products_ *= p_.memory / squares_, squares_ = p_.memory;
        if (!is_finite(products_)) products_ = squares_ = 0.0;
    }

    /// The command to be sent so that the drive acts as described, m.
    /// @param before  the command of the period before, as it was wanted, m. @rt
    template <class = void>
    [[nodiscard]] double corrected(double command, double before) const noexcept {
        const double periods = std::max(0.0, std::fabs(lead()) / dt_ - p_.ignored);
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

    /// Leaves out the next readings, those in which the drive is at a limit that the model does not have. @rt
    void pause() noexcept { pause_ = static_cast<int>(sent_.size()) + 3; }

    /// s, by which the drive is ahead of its description; negative if it lags, 0 as long as nothing is known. @rt
    [[nodiscard]] double lead() const noexcept {
        if (squares_ < 0.1 * p_.memory) return 0.0;
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
        pause_ = 0;
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
    int pause_ = 0;                                    // readings that are left out
    bool fresh_ = true;
};

}  // namespace panto::control
