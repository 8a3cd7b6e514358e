// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A simulated rig without pad: a linear drive (plant/linear_drive.hpp) presses on the head of a pantograph, whose
/// contact strip is the spring between them [predictive paper, Fig. 1]:
///
///     M q'' + C q' + K q = uplift force on the lowest mass - F on the head,    F = k (q_head - p) >= 0 .
///
/// p is the height of the drive, k the stiffness of the contact strip. Between two steps of the drive's controller,
/// drive and pantograph are integrated exactly. Whether they are in contact is decided at the beginning of each of
/// these steps. The guide of the drive may itself be moved by a carrier, whose motion does not depend on the load. Then
/// the command is relative to the carrier, and the friction of the guide acts between the drive and the carrier.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/plant/chain.hpp>
#include <panto/plant/linear_drive.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>

namespace panto::plant {

struct DriveRigParams {
    LinearDriveParams drive{};
    ChainParams<> pantograph{};       ///< head first
    double contact_stiffness = 10e3;  ///< N/m, k
    double uplift_force = 120.0;      ///< N, on the lowest mass
    int drive_steps = 30;             ///< steps of the drive's controller between two commands
};

class DriveRig {
  public:
    /// Starts at rest: the drive at height 0, and the pantograph pressed against it.
    /// @throws SetupError naming the field, its value and what is allowed.
    template <class = void>
    explicit DriveRig(const DriveRigParams& p) : p_(p), drive_(linear_drive(p.drive)) {
        set_up();
    }

    /// Advances by dt() with this commanded position, m.
    /// @return not_finite, and nothing moves, if the command or the uplift force is not finite. @rt
    Status step(double command) noexcept {
        return step(command, [] { return Motion{}; });
    }
    /// The same on a carrier that moves. `carrier()` returns its motion; it is called at the beginning of each step of
    /// the drive's controller, in order. The command is relative to the carrier. @rt
    template <class Carrier>
        requires requires(Carrier&& carrier) {
            { carrier() } -> std::convertible_to<Motion>;
        }
    Status step(double command, Carrier&& carrier) noexcept {
        if (!is_finite(command) || !is_finite(p_.uplift_force)) return Status::not_finite;
        for (int i = 0; i < p_.drive_steps; ++i) {
            const Motion base = carrier();
            const double wanted = base.height + command, error = x_[0] - wanted;
            inputs_[0] = -drive_.gains.head<3>().dot(x_.head<3>()) + drive_.gains[0] * wanted +
                         drive_.gains[1] * base.speed - integral_;
            inputs_[1] = p_.uplift_force;
            const auto mode = static_cast<std::size_t>(force() > 0.0);
            next_.noalias() = held_[mode].A * x_;
            next_.noalias() += held_[mode].B * inputs_;
            next_ += base.speed * guide_[mode];
            x_.swap(next_);
            integral_ += drive_.gains[3] * drive_.dt() * error;
        }
        return Status::ok;
    }

    /// Present force between strip and drive, N. @rt
    [[nodiscard]] double force() const noexcept { return std::max(0.0, p_.contact_stiffness * (x_[3] - x_[0])); }
    /// Present [p, p', f, g] of the drive: m, m/s, N, N. @rt
    [[nodiscard]] Eigen::Vector4d drive_state() const noexcept { return {x_[0], x_[1], x_[2], integral_}; }
    /// Sets the uplift force, N, from now on. @rt
    void set_uplift_force(double force) noexcept { p_.uplift_force = force; }
    [[deprecated("use set_uplift_force()")]] void set_lift(double force) noexcept { set_uplift_force(force); }
    [[nodiscard]] double dt() const noexcept { return p_.drive_steps * drive_.dt(); }  ///< s, between commands
    [[nodiscard]] const DriveRigParams& params() const noexcept { return p_; }

  private:
    using Held = linalg::Held<Dynamic, Dynamic>;

    template <class = void>
    void set_up();

    DriveRigParams p_;
    LinearDrive drive_;
    std::array<Held, 2> held_;              // contact open, contact closed
    std::array<Eigen::VectorXd, 2> guide_;  // effect of the carrier's speed by friction, likewise
    Eigen::VectorXd x_, next_;              // p, p', f, q_1, q_1', q_2, ...
    Eigen::Vector2d inputs_{0.0, 0.0};      // f_cmd, uplift force
    double integral_ = 0.0;
};

template <class>
void DriveRig::set_up() {
    constexpr const char* where = "plant::DriveRigParams";
    validate(p_.pantograph, where);
    require_positive(p_.contact_stiffness, where, "contact_stiffness");
    require_not_negative(p_.uplift_force, where, "uplift_force");
    require(p_.drive_steps >= 1, where, "drive_steps is ", p_.drive_steps, ", must be at least 1");
    const ChainParams<>& chain = p_.pantograph;
    const Eigen::Index masses = chain.mass.size(), size = 3 + 2 * masses;
    const Eigen::MatrixXd K = chain_matrix(chain.stiffness), C = chain_matrix(chain.damping);
    for (const bool closed : {false, true}) {
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size), B = Eigen::MatrixXd::Zero(size, 2);
        A.topLeftCorner(3, 3) = drive_.A;
        B.topLeftCorner(3, 1) = drive_.B.col(0);
        for (Eigen::Index i = 0; i < masses; ++i) {
            A(3 + 2 * i, 4 + 2 * i) = 1.0;
            for (Eigen::Index j = 0; j < masses; ++j) {
                A(4 + 2 * i, 3 + 2 * j) = -K(i, j) / chain.mass[i];
                A(4 + 2 * i, 4 + 2 * j) = -C(i, j) / chain.mass[i];
            }
        }
        B(size - 1, 1) = 1.0 / chain.mass[masses - 1];
        if (closed) {
            Eigen::RowVectorXd F = Eigen::RowVectorXd::Zero(size);
            F[3] = p_.contact_stiffness, F[0] = -p_.contact_stiffness;
            A.topRows(3) += drive_.B.col(1) * F;
            A.row(4) -= F / chain.mass[0];
        }
        held_[closed] = linalg::zero_order_hold(A, B, drive_.dt());
        const Eigen::MatrixXd friction = Eigen::VectorXd::Unit(size, 1) * (p_.drive.damping / p_.drive.mass);
        guide_[closed] = linalg::zero_order_hold(A, friction, drive_.dt()).B;
    }
    // At rest: K q = uplift force on the lowest mass, with the contact spring to the drive at height 0.
    Eigen::MatrixXd rest = K;
    rest(0, 0) += p_.contact_stiffness;
    const Eigen::VectorXd q = rest.partialPivLu().solve(p_.uplift_force * Eigen::VectorXd::Unit(masses, masses - 1));
    x_ = next_ = Eigen::VectorXd::Zero(size);
    for (Eigen::Index i = 0; i < masses; ++i) x_[3 + 2 * i] = q[i];
    x_[2] = -force();
    integral_ = force() * (1.0 + drive_.gains[2]);  // f_cmd = -F: -k_f f - g = -F with f = -F
}

#ifdef PANTO_COMPILED
extern template void DriveRig::set_up();
#endif

}  // namespace panto::plant
