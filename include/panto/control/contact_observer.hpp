// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Estimates the contact force of a rig from its delayed and filtered readings.
///
/// A Kalman filter for [p; d] reads u_m and F. p = [u_m, v_m, u_p, v_p, force filter]: motor and a one-mass head on the
/// pad. d, the force on the head from below, is a random walk. The estimate F^ = k_h (u_p - u_m) is never negative.
///
/// A force reading that is off by more than `force_gate` is left out, but not two in a row. A reading that the cycle
/// is missing is left out as well; the model then continues without it.
///
/// While the strip is off the pad, the force says nothing about the head. Contact counts as lost once estimate and
/// reading both indicate it. Then only the motor is estimated, and the head is kept at the pad, unloaded. Contact
/// counts as regained once the reading rises. The head then starts with the speed of the motor, with the pad compressed
/// according to the reading, and with the mean of d before the loss.

#pragma once

#include <panto/control/kalman.hpp>
#include <panto/core/exchange.hpp>
#include <panto/plant/model.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace panto::control {

/// Only ratios of the standard deviations matter. The defaults are chosen for large margins (docs/control.md): the head
/// is lighter than the true one and damped, and the encoder is trusted.
struct ContactObserverParams {
    std::optional<double> head_mass{};  ///< kg, of the head; empty: 0.8 times the uppermost mass
    double head_damping = 80.0;         ///< N s/m, between head and ground
    double lift_noise = 4.0;            ///< N, standard deviation of the change of d per step
    double head_force_noise = 50.0;     ///< N, standard deviation of the force on the head per step
    double height_noise = 8e-8;         ///< m, standard deviation of the reading of u_m
    double force_noise = 0.235;         ///< N, standard deviation of the reading of F
    double force_gate = 200.0;          ///< N, largest accepted error of a single reading of F
    double contact_threshold = 10.0;    ///< N, below which a reading of F means no contact
    double lift_time = 0.5;             ///< s, averaging time of the d that is used after a loss of contact
};

/// @throws SetupError naming the field that is not valid.
inline void validate(const ContactObserverParams& p, std::string_view where) {
    if (p.head_mass) require_positive(*p.head_mass, where, "head_mass");
    require_not_negative(p.head_damping, where, "head_damping");
    require_positive(p.lift_noise, where, "lift_noise");
    require_positive(p.head_force_noise, where, "head_force_noise");
    require_positive(p.height_noise, where, "height_noise");
    require_positive(p.force_noise, where, "force_noise");
    require(p.force_gate > 0.0, where, "force_gate is ", p.force_gate,
            " N, must be > 0; an infinite one takes every reading");
    require_positive(p.contact_threshold, where, "contact_threshold");
    require_positive(p.lift_time, where, "lift_time");
}

class ContactObserver {
    static constexpr int MaxP = 4 + 8, MaxPending = 2 * plant::longest_delay + 1;

  public:
    using State = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, MaxP, 1>;
    using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, MaxP, MaxP>;
    using Commands = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, MaxPending, 1>;
    using OfCommands = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, MaxP, MaxPending>;

    /// @throws SetupError if a parameter is not valid or no stabilizing gain exists.
    template <class = void>
    ContactObserver(const plant::RigParams& rig, const ContactObserverParams& p, double dt);

    /// The rig with the head of the observer's model.
    template <class = void>
    [[nodiscard]] static plant::RigParams with_head(const plant::RigParams& rig, const ContactObserverParams& p) {
        plant::RigParams r = rig;
        r.pantograph = {Eigen::VectorXd::Constant(1, p.head_mass.value_or(0.8 * rig.pantograph.mass[0])),
                        Eigen::VectorXd::Constant(1, p.head_damping), Eigen::VectorXd::Zero(1)};
        return r;
    }

    /// Takes the readings of a cycle and returns F^, N. If a reading is not a number, returns that of the cycle before.
    /// @rt
    template <class = void>
    double take(const Exchange& e) noexcept {
        if (!is_finite(e.strip.height) || !is_finite(e.strip_force)) return force_;
        if (fresh_) start(e);
        const double height_gap = e.strip.height - x_[plant::motor_height];
        const double off = e.strip_force - measured_.dot(x_);
        const bool missing = e.strip_force_held, bad = !missing && !left_out_ && std::fabs(off) > p_.force_gate;
        left_out_ = bad;
        const bool read = !missing && !bad;
        if (lost_ && read && e.strip_force > p_.contact_threshold) regain(e.strip_force);
        if (lost_) {
            x_[plant::motor_height] += height_gap * filter_(plant::motor_height, 0);
            x_[plant::motor_speed] += height_gap * filter_(plant::motor_speed, 0);
            hold_head();
            return force_ = 0.0;
        }
        const double force_gap = read ? e.strip_force - measured_.dot(x_) : 0.0;
        x_ += filter_.topRows(size_).col(0) * height_gap + filter_.topRows(size_).col(1) * force_gap;
        d_ += filter_(size_, 0) * height_gap + filter_(size_, 1) * force_gap;
        force_ = pressed(x_);
        if (force_ > 0.0)
            lift_ += (d_ - lift_) * dt_ / p_.lift_time;
        else if (read && e.strip_force < p_.contact_threshold)
            lose();
        return force_;
    }

    /// Advances by one period, in which `command` is written. If the result would not be finite, returns false and
    /// changes nothing. @rt
    template <class = void>
    bool advance(double command) noexcept {
        const State next = advanced(x_, 0, command);
        if (!is_finite(next.sum())) return false;
        x_ = next;
        if (lost_) hold_head();
        const Eigen::Index n = pending_.size();
        for (Eigen::Index j = 0; j + 1 < n; ++j) pending_[j] = pending_[j + 1];
        if (n > 0) pending_[n - 1] = command;
        return true;
    }

    /// Advances the state of the plant `steps` periods after the readings by one period; command w[t+steps-j] belongs
    /// to column j. `newest` is w[t]; it is used only if a command acts at once. @rt
    template <class = void>
    [[nodiscard]] State advanced(const State& x, int steps, double newest = 0.0) const noexcept {
        const bool closed = !lost_ && x[plant::head_height] > x[plant::motor_height];
        State next = (closed ? closed_ : open_) * x;
        next += (closed ? closed_force_ : open_force_) * (lost_ ? 0.0 : d_);
        const OfCommands& of = closed ? closed_commands_ : open_commands_;
        const Eigen::Index n = pending_.size();
        for (Eigen::Index j = 0; j <= n; ++j) {
            const Eigen::Index ago = j - steps;  // 0: this cycle's, n: the oldest
            if (ago >= 1 && ago <= n) next += of.col(j) * pending_[n - ago];
            if (ago == 0) next += of.col(j) * newest;
        }
        return next;
    }

    /// F^ of a state, N. @rt
    template <class = void>
    [[nodiscard]] double pressed(const State& x) const noexcept {
        return lost_ ? 0.0 : std::max(0.0, stiffness_ * (x[plant::head_height] - x[plant::motor_height]));
    }

    /// Forgets everything; the force is taken from the next readings. @rt
    void reset() noexcept { fresh_ = true; }

    [[nodiscard]] bool fresh() const noexcept { return fresh_; }  ///< no reading since the reset
    [[nodiscard]] bool lost() const noexcept { return lost_; }    ///< the strip is off the pad
    [[nodiscard]] const State& state() const noexcept { return x_; }
    [[nodiscard]] double lift() const noexcept { return d_; }  ///< N, d
    [[nodiscard]] const Commands& pending() const noexcept { return pending_; }
    [[nodiscard]] double radius() const noexcept { return radius_; }

    /// The memory between two cycles in contact, as a vector, to be saved and restored by cut_loop().
    template <class = void>
    [[nodiscard]] Eigen::VectorXd memory() const {
        Eigen::VectorXd m(size_ + 1 + pending_.size());
        m << x_, d_, pending_;
        return m;
    }
    template <class = void>
    void recall(const Eigen::VectorXd& m) {
        x_ = m.head(size_), d_ = m[size_], pending_ = m.tail(pending_.size());
    }

  private:
    /// At rest under the force just read.
    template <class = void>
    void start(const Exchange& e) noexcept {
        const double penetration = e.strip_force / stiffness_;
        x_ = penetration * filter_at_rest_;
        x_[plant::motor_height] = e.strip.height;
        x_[plant::head_height] = e.strip.height + penetration;
        d_ = lift_ = e.strip_force;
        pending_.setConstant(e.strip.height);
        fresh_ = lost_ = left_out_ = false;
    }
    template <class = void>
    void lose() noexcept {
        lost_ = true;
        d_ = lift_;
        x_.tail(size_ - 4).setZero();
        hold_head();
    }
    template <class = void>
    void regain(double force) noexcept {
        lost_ = false;
        hold_head();
        x_[plant::head_height] += force / stiffness_;
        x_.tail(size_ - 4) = force / stiffness_ * filter_at_rest_.tail(size_ - 4);
    }
    template <class = void>
    void hold_head() noexcept {
        x_[plant::head_height] = x_[plant::motor_height];
        x_[plant::head_speed] = x_[plant::motor_speed];
    }

    ContactObserverParams p_;
    double dt_, stiffness_;
    Eigen::Index size_ = 0;
    Square closed_, open_;
    OfCommands closed_commands_, open_commands_;
    State closed_force_, open_force_, filter_at_rest_;
    Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, MaxP> measured_;
    Eigen::Matrix<double, Eigen::Dynamic, 2, 0, MaxP + 1, 2> filter_;
    double radius_ = 0.0;
    State x_;
    Commands pending_;  // w[t-n], ..., w[t-1]
    double d_ = 0.0, lift_ = 0.0, force_ = 0.0;
    bool fresh_ = true, lost_ = false, left_out_ = false;
};

template <class>
ContactObserver::ContactObserver(const plant::RigParams& rig, const ContactObserverParams& p, double dt)
    : p_((validate(p, "control::ContactObserver"), p)), dt_(dt), stiffness_(rig.pad_stiffness) {
    plant::validate(rig, "control::ContactObserver");
    const plant::RigParams head = with_head(rig, p);
    const auto closed = plant::sampled_model(head, dt);
    const auto open = plant::sampled_model(head, dt, plant::Hold::zero_order, plant::Contact::open);
    size_ = closed.size();
    closed_ = closed.A, open_ = open.A;
    closed_commands_ = closed.command, open_commands_ = open.command;
    closed_force_ = closed.head_force, open_force_ = open.head_force;
    measured_ = closed.force;
    filter_at_rest_ = plant::filter_at_rest(rig.force_filter, 4, size_);
    x_ = State::Zero(size_);
    pending_ = Commands::Zero(closed.pending());

    const Eigen::Index n = size_ + 1;
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n), C = Eigen::MatrixXd::Zero(2, n),
                    W = Eigen::MatrixXd::Zero(n, n);
    A.topLeftCorner(size_, size_) = closed.A;
    A.topRightCorner(size_, 1) = closed.head_force;
    C(0, plant::motor_height) = 1.0;
    C.row(1).head(size_) = closed.force;
    W.topLeftCorner(size_, size_) =
        p.head_force_noise * p.head_force_noise * closed.head_force * closed.head_force.transpose();
    W.diagonal().head(size_).array() += 1e-14;
    W(size_, size_) = p.lift_noise * p.lift_noise;
    const Eigen::Vector2d readings(p.height_noise * p.height_noise, p.force_noise * p.force_noise);
    const auto observer = kalman_gains(A, C, W, Eigen::MatrixXd(readings.asDiagonal()));
    filter_ = observer.filter;
    radius_ = observer.radius;
}

#ifdef PANTO_COMPILED
extern template ContactObserver::ContactObserver(const plant::RigParams&, const ContactObserverParams&, double);
#endif

}  // namespace panto::control
