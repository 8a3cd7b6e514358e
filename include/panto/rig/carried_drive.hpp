// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The two actuators of the predictive paper as a simulated rig: a robot for large, slow motion carries the linear
/// drive for small, fast motion (plant/drive_rig.hpp), and a SeriesDrive splits the command between them. The robot
/// is not moved by any load and follows its command s_c as a critically damped mass,
///
///     s'' = w^2 (s_c - s) - 2 w s',   w = 2 pi bandwidth .
///
/// A CarriedDrive has the members of a plant::DriveRig, so it can be used in ImpedanceLoop and NonlinearImpedanceLoop.
/// Include this header by name: it is not part of <panto/rig.hpp>.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/plant/drive_rig.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/series_drive.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace panto::rig {

struct CarriedDriveParams {
    plant::DriveRigParams drive{};  ///< the fast drive and the pantograph
    double robot_bandwidth = 5.0;   ///< Hz
    SeriesDriveParams split{};
};

/// Heights are those, above the ground, of the end of the drive at the strip: the sum of both motions.
class CarriedDrive {
  public:
    /// Both drives start at rest at height 0.
    /// @throws SetupError naming the field, its value and what is allowed.
    template <class = void>
    explicit CarriedDrive(const CarriedDriveParams& p)
        : stand_(p.drive),
          turn_(2.0 * std::numbers::pi * p.robot_bandwidth),
          split_(slow_, fast_, stand_.dt(), p.split) {
        require_positive(p.robot_bandwidth, "rig::CarriedDriveParams", "robot_bandwidth");
    }
    ~CarriedDrive() = default;
    CarriedDrive(const CarriedDrive&) = delete;
    CarriedDrive& operator=(const CarriedDrive&) = delete;

    /// Advances by dt() under this commanded position of both together, m.
    /// @return the status of SeriesDrive; unless it is usable, nothing moves, and fault() names the drive. @rt
    Status step(double command) noexcept {
        const Status seen = split_.read().status, split = usable(seen) ? split_.write({command}) : seen;
        fault_ = split_.fault();
        if (!usable(split)) return split;
        const Status moved = stand_.step(fast_command_, [this]() noexcept {
            const Motion now = robot_;
            follow();
            return now;
        });
        return usable(moved) ? std::max(split, moved) : moved;
    }
    /// Stops both drives: they keep their last commands. @rt
    void stop() noexcept { split_.stop(); }

    [[nodiscard]] double force() const noexcept { return stand_.force(); }  ///< N, between strip and drive, now
    /// [p, p', f, g]: position and speed of both together, force and integrator of the fast one. @rt
    [[nodiscard]] Eigen::Vector4d drive_state() const noexcept { return stand_.drive_state(); }
    void set_uplift_force(double force) noexcept { stand_.set_uplift_force(force); }  ///< N, from now on
    [[deprecated("use set_uplift_force()")]] void set_lift(double force) noexcept { set_uplift_force(force); }
    [[nodiscard]] const Motion& slow() const noexcept { return robot_; }  ///< of the robot, now
    [[nodiscard]] double fast() const noexcept {
        return stand_.drive_state()[0] - robot_.height;  ///< m, of the linear drive on the robot, now
    }
    [[nodiscard]] const Fault& fault() const noexcept { return fault_; }  ///< of the last step()
    [[nodiscard]] double dt() const noexcept { return stand_.dt(); }      ///< s, between commands

  private:
    struct Slow {
        using Command = PositionCommand;
        CarriedDrive& rig;
        [[nodiscard]] Result<Motion> read() const noexcept { return {rig.robot_, Status::ok}; }
        Status write(const Command& c) noexcept { return rig.robot_command_ = c.value, Status::ok; }
        void stop() noexcept {}
    };
    struct Fast {
        using Command = PositionCommand;
        CarriedDrive& rig;
        [[nodiscard]] Result<Motion> read() const noexcept {
            return {{rig.fast(), rig.drive_state()[1] - rig.robot_.speed, 0.0}, Status::ok};
        }
        Status write(const Command& c) noexcept { return rig.fast_command_ = c.value, Status::ok; }
        void stop() noexcept {}
    };

    /// Advances the robot by a step of the drive's controller, exactly for a held command.
    void follow() noexcept {
        const double dt = stand_.dt() / stand_.params().drive_steps, a = std::exp(-turn_ * dt),
                     e = robot_.height - robot_command_, c = robot_.speed + turn_ * e;
        robot_.height = robot_command_ + (e + c * dt) * a;
        robot_.speed = (c - turn_ * (e + c * dt)) * a;
    }

    plant::DriveRig stand_;
    double turn_;  // 1/s
    Motion robot_{};
    double robot_command_ = 0.0, fast_command_ = 0.0;  // m
    Fault fault_{};
    Slow slow_{*this};
    Fast fast_{*this};
    SeriesDrive<Slow, Fast> split_;
};

}  // namespace panto::rig
