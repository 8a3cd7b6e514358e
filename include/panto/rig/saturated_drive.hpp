// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The drive of the simulated rig beyond its limits (plant::DriveLimits): while it saturates, it moves the rig with a
/// given acceleration instead of following its reference. Whether it saturates is decided at every sub-step.

#pragma once

#include <panto/core/finite.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/plant/model.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace panto::rig::detail {

class SaturatedDrive {
  public:
    using HeldSystem = linalg::Held<Eigen::Dynamic, Eigen::Dynamic>;

    /// Prepares a length of time, s, over which the rig can be advanced. Without limits nothing is prepared.
    template <class = void>
    void prepare(const plant::RigParams& rig, double length) {
        if (!rig.drive_limits.any()) return;
        lengths_.push_back(length);
        for (const auto contact : {plant::Contact::open, plant::Contact::closed}) {
            const auto m = plant::continuous_model(rig, contact, plant::MotorInput::acceleration);
            held_[contact == plant::Contact::closed ? 1 : 0].push_back(linalg::zero_order_hold(m.A, m.B, length));
        }
    }

    /// The acceleration of a drive that saturates, NaN if it does not. Its position loop asks for the acceleration
    /// `asked` at the given speed and contact force (m/s^2, m/s, N). The speed reaches its limit at the end of a
    /// sub-step, never beyond.
    [[nodiscard]] double acceleration(const plant::RigParams& rig, double asked, double speed, double contact_force,
                                      std::size_t length) const noexcept {
        constexpr double not_saturated = std::numeric_limits<double>::quiet_NaN();
        if (lengths_.empty()) return not_saturated;
        const double most = rig.drive_limits.speed, time = lengths_[length];
        const double a =
            std::clamp(plant::within_limits(rig, asked, contact_force), (-most - speed) / time, (most - speed) / time);
        return a == asked ? not_saturated : a;
    }

    /// The rig with the acceleration of the motor as its first input.
    [[nodiscard]] const HeldSystem& held(bool closed, std::size_t length) const noexcept {
        return held_[closed ? 1 : 0][length];
    }

  private:
    std::vector<double> lengths_;                  // s
    std::array<std::vector<HeldSystem>, 2> held_;  // open, closed
};

}  // namespace panto::rig::detail
