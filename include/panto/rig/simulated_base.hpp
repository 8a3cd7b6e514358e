// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The second actuator of the simulated rig: a motor under the pantograph that moves like the roof of a vehicle.
/// Like the other motor it is an oscillator, m z'' + c z' + k z = k r, advanced exactly for held commands. Its commands
/// and readings have the delays of the same bus. The motor starts at height 0, that of the roof on level track.

#pragma once

#include <panto/core/exchange.hpp>
#include <panto/dynamics/newmark.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/plant/rig.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace panto::rig::detail {

class SimulatedBase {
  public:
    /// Prepares a length of time, s, over which it can be advanced.
    /// @throws SetupError if the motor is not valid.
    template <class = void>
    void prepare(const dynamics::OscillatorParams<double>& motor, double length) {
        dynamics::require_oscillator(motor, "rig::Simulated", "base_motor");
        motor_ = motor;
        Eigen::MatrixXd A(2, 2), B(2, 1);
        A << 0.0, 1.0, -motor.stiffness / motor.mass, -motor.damping / motor.mass;
        B << 0.0, motor.stiffness / motor.mass;
        const auto held = linalg::zero_order_hold(A, B, length);
        held_.push_back({held.A(0, 0), held.A(0, 1), held.A(1, 0), held.A(1, 1), held.B(0, 0), held.B(1, 0)});
    }

    void advance(std::size_t length) noexcept {
        const Held& h = held_[length];
        const double z = height_, v = speed_;
        height_ = h.zz * z + h.zv * v + h.zr * input_;
        speed_ = h.vz * z + h.vv * v + h.vr * input_;
    }

    void write(double command, bool at_once) noexcept {
        commands_[0] = command;
        if (at_once) input_ = command;
    }
    void hold() noexcept {
        commands_.fill(height_);
        input_ = height_;
    }
    void end_period() noexcept { std::move_backward(commands_.begin(), commands_.end() - 1, commands_.end()); }
    void apply(std::size_t ago) noexcept { input_ = commands_[ago]; }
    void take_frame() noexcept {
        std::move_backward(frames_.begin(), frames_.end() - 1, frames_.end());
        const double acceleration = (motor_.stiffness * (input_ - height_) - motor_.damping * speed_) / motor_.mass;
        frames_[0] = {height_, speed_, acceleration};
    }

    [[nodiscard]] const Motion& frame(std::size_t ago) const noexcept { return frames_[ago]; }
    [[nodiscard]] double height() const noexcept { return height_; }  ///< m
    [[nodiscard]] double speed() const noexcept { return speed_; }    ///< m/s

  private:
    struct Held {
        double zz, zv, vz, vv, zr, vr;
    };

    dynamics::OscillatorParams<double> motor_ = plant::table2_motor;
    std::vector<Held> held_;
    double height_ = 0.0, speed_ = 0.0, input_ = 0.0;
    std::array<double, plant::longest_delay + 1> commands_{};  // newest first
    std::array<Motion, plant::longest_delay + 2> frames_{};    // newest first
};

}  // namespace panto::rig::detail
