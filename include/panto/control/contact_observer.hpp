// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Estimates the contact force of a rig from its delayed and filtered readings.
///
/// A Kalman filter for [p; d] reads u_m and F. p = [u_m, v_m, u_p, v_p, force filter] holds height and speed of the
/// motor and of a one-mass head on the pad. d, the force on the head from below, is a random walk. With the stiffness
/// k_h of the pad, the estimate F^ = k_h (u_p - u_m) is never negative.
///
/// A force reading that is off by more than `force_gate` is left out: in contact up to `gate_longest` of them before
/// one is taken, off the pad one only, so that a touch-down is not missed. A missing reading is left out as well, and
/// does not count. The model then continues without it.
///
/// While the strip is off the pad, the force says nothing about the head. Contact counts as lost once the estimate is
/// 0. It also counts as lost once the predicted force is 0 and the reading is no higher than the decaying output of the
/// force filter. Then only the motor is estimated. The flight of the head comes from a model y of the whole pantograph,
/// which is advanced all the time under F^ and the uplift force; in contact, the head of this model is set to the
/// estimated place. The uplift force is corrected slowly so that the pantograph presses with d. If the model's head
/// would press into the pad by 1 mm but no contact is read, an unknown force must have pulled the head down: from then
/// on the head is taken to be at the pad, unloaded. In a period in which contact begins or ends, the force is a ramp
/// over part of the period.
///
/// Contact counts as regained once the reading rises above the decaying output of the force filter. Time and speed of
/// the touch-down are estimated from this reading and those that follow. The gains for this estimate come from a
/// Riccati recursion that starts with a large covariance of the head and ends in the steady gain; they are computed at
/// set-up. Until the gains have settled, no reading is left out, because the force jumps in a hard touch-down. F^ is
/// bounded during this time: the motor cannot yield to a jump within the delays, so the pad presses harder and longer
/// than a wire would. Such a force would throw the virtual wire up, and the wire would fall back onto the head. Without
/// the bound this repeats and grows on stiff pads (docs/control.md).

#pragma once

#include <panto/control/contact_observer_params.hpp>
#include <panto/control/kalman.hpp>
#include <panto/core/exchange.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::control {

class ContactObserver {
    static constexpr int MaxP = 4 + 8, MaxPending = 2 * plant::longest_delay + 1;
    using Gain = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, MaxP + 1, 2>;

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

    /// Takes the readings of a cycle and returns F^, N. If a reading is not finite, returns F^ of the cycle before.
    /// @rt
    template <class = void>
    double take(const Exchange& e) noexcept {
        if (!is_finite(e.strip.height) || !is_finite(e.strip_force)) return force_;
        if (fresh_) start(e);
        const double height_gap = e.strip.height - x_[plant::motor_height];
        // The expected reading: the output of the force filter or, without a filter, the force of the pad.
        const double expected = size_ == 4 ? pad(x_) : measured_.dot(x_), off = e.strip_force - expected;
        const int longest = lost_ ? std::min(1, p_.gate_longest) : p_.gate_longest;
        const bool missing = e.strip_force_held,
                   bad = !missing && left_out_ < longest && !settling() && std::fabs(off) > p_.force_gate;
        const bool read = !missing && !bad;
        if (bad) ++left_out_;
        if (read) left_out_ = 0;
        // The model of the filter may be wrong by 15 % of its output.
        const bool felt = off > p_.contact_threshold + 0.15 * std::fabs(expected);
        if (lost_ && read && felt) regain();
        if (!lost_ && read && !felt && !(pad(x_) > 0.0)) lose();
        if (lost_) {
            x_[plant::motor_height] += height_gap * filter_(plant::motor_height, 0);
            x_[plant::motor_speed] += height_gap * filter_(plant::motor_speed, 0);
            fly();
            return force_ = 0.0;
        }
        const Gain& gain = settling() ? touched_[after_touch_] : filter_;
        const double force_gap = read ? e.strip_force - measured_.dot(x_) : 0.0;
        x_ += gain.topRows(size_).col(0) * height_gap + gain.topRows(size_).col(1) * force_gap;
        d_ += gain(size_, 0) * height_gap + gain(size_, 1) * force_gap;
        y_.head<2>() = x_.segment<2>(plant::head_height);
        force_ = pressed(x_);
        if (read && !(pad(x_) > 0.0)) {
            lose();
        } else if (settling()) {
            ++after_touch_;
        } else {
            lift_ += (d_ - carried()) * dt_ / p_.lift_time;
            mean_ += (force_ - mean_) * dt_ / p_.lift_time;
        }
        return force_;
    }

    /// Advances by one period, in which `command` is written. If the result would not be finite, returns false and
    /// changes nothing. @rt
    template <class = void>
    bool advance(double command) noexcept {
        const Period period = through(x_, 0, command);
        if (!is_finite(period.end.sum())) return false;
        const double force = lost_ ? 0.0 : period.force;
        y_next_.noalias() = chain_ * y_;
        y_next_ += chain_lift_ * lift_ - chain_force_ * force;
        y_.swap(y_next_);
        x_ = period.end;
        if (lost_) fly();
        const Eigen::Index n = pending_.size();
        for (Eigen::Index j = 0; j + 1 < n; ++j) pending_[j] = pending_[j + 1];
        if (n > 0) pending_[n - 1] = command;
        return true;
    }

    /// Advances the state `x`, which is that of `steps` periods after the readings, by one period. Column j of the
    /// input matrix belongs to the command w[t+steps-j]. `newest` is w[t]; it is used only if a command acts at once.
    /// @rt
    template <class = void>
    [[nodiscard]] State advanced(const State& x, int steps, double newest = 0.0) const noexcept {
        return through(x, steps, newest).end;
    }

    /// F^ of a state, N. @rt
    template <class = void>
    [[nodiscard]] double pressed(const State& x) const noexcept {
        const double force = lost_ && !known_ ? 0.0 : pad(x);
        return settling() ? std::min(force, std::max(p_.touch_force, p_.touch_bound * mean_)) : force;
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
    /// Sets everything to rest under the force just read.
    template <class = void>
    void start(const Exchange& e) noexcept {
        const double penetration = e.strip_force / stiffness_;
        x_ = penetration * filter_at_rest_;
        x_[plant::motor_height] = e.strip.height;
        x_[plant::head_height] = e.strip.height + penetration;
        d_ = mean_ = e.strip_force;
        rest(e.strip_force);
        pending_.setConstant(e.strip.height);
        fresh_ = lost_ = false;
        left_out_ = 0;
        after_touch_ = touched_.size();
    }
    struct Period {
        State end;
        double force;  // N, mean force of the pad in the period
    };
    template <class = void>
    [[nodiscard]] Period through(const State& x, int steps, double newest) const noexcept {
        const bool lost_somewhere = lost_ && !known_, closed = !lost_somewhere && pad(x) > 0.0;
        State end = linear(x, steps, newest, closed);
        if (lost_somewhere) return {end, 0.0};
        const double before = gap(x), after = gap(end);
        if (closed == (after > 0.0)) return {end, closed ? 0.5 * (before + after) : 0.0};
        // The contact begins or ends within the period: the force is a ramp over part of it.
        const double most = std::max(before, after), mean = 0.5 * most * most / std::fabs(after - before);
        if (closed) end = linear(x, steps, newest, false);
        end += mean * pressed_;
        return {end, mean};
    }
    template <class = void>
    [[nodiscard]] State linear(const State& x, int steps, double newest, bool closed) const noexcept {
        State end = (closed ? closed_ : open_) * x;
        end += (closed ? closed_force_ : open_force_) * d_;
        const OfCommands& of = closed ? closed_commands_ : open_commands_;
        const Eigen::Index n = pending_.size();
        for (Eigen::Index j = 0; j <= n; ++j) {
            const Eigen::Index ago = j - steps;  // 0: the command of this cycle, n: the oldest
            if (ago >= 1 && ago <= n) end += of.col(j) * pending_[n - ago];
            if (ago == 0) end += of.col(j) * newest;
        }
        return end;
    }
    /// Pad force, N, if the pad could also pull: negative when the head is off the pad.
    template <class = void>
    [[nodiscard]] double gap(const State& x) const noexcept {
        return stiffness_ * (x[plant::head_height] - x[plant::motor_height]);
    }
    /// Pad force, N, without touch_bound.
    template <class = void>
    [[nodiscard]] double pad(const State& x) const noexcept {
        return std::max(0.0, gap(x));
    }
    [[nodiscard]] bool settling() const noexcept { return after_touch_ < touched_.size(); }
    /// Sets the model of the whole pantograph to rest under a force, N, with its head at the estimated place.
    template <class = void>
    void rest(double force) noexcept {
        y_.setZero();
        y_[0] = x_[plant::head_height];
        Eigen::Index i = 0;
        for (; i + 1 < stiffness_of_chain_.size(); ++i)
            y_[2 * i + 2] = y_[2 * i] + (stiffness_of_chain_[i] > 0.0 ? force / stiffness_of_chain_[i] : 0.0);
        lift_ = force + stiffness_of_chain_[i] * y_[2 * i];
    }
    /// Force of the rest of the pantograph on its head, N.
    template <class = void>
    [[nodiscard]] double carried() const noexcept {
        return on_head_.dot(y_) + (y_.size() == 2 ? lift_ : 0.0);
    }
    template <class = void>
    void lose() noexcept {
        lost_ = known_ = true;
        after_touch_ = touched_.size();
        fly();
    }
    template <class = void>
    void regain() noexcept {
        lost_ = false;
        after_touch_ = 0;
        if (!known_) d_ = carried();
        x_[plant::head_height] = std::max(x_[plant::motor_height], known_ ? y_[0] : x_[plant::motor_height]);
    }
    /// Places the head in flight where the model of the whole pantograph has it, but never inside the pad: a force
    /// would then show in the reading. If the model's head is inside the pad by `late`, the true head must be somewhere
    /// below; it is then taken to be at the pad and to move with it.
    template <class = void>
    void fly() noexcept {
        constexpr double late = 1e-3;  // m
        if (!(y_[0] - x_[plant::motor_height] < late)) known_ = false;
        d_ = carried();
        x_[plant::head_height] = known_ ? std::min(y_[0], x_[plant::motor_height]) : x_[plant::motor_height];
        x_[plant::head_speed] = known_ ? y_[1] : x_[plant::motor_speed];
        if (known_) return;
        y_.head<2>() = x_.segment<2>(plant::head_height);
        d_ = 0.0;
    }

    ContactObserverParams p_;
    double dt_, stiffness_;
    Eigen::Index size_ = 0;
    Square closed_, open_;
    OfCommands closed_commands_, open_commands_;
    State closed_force_, open_force_, filter_at_rest_;
    State pressed_;  // effect of a constant pad force of 1 N on head and filter over a period
    Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, MaxP> measured_;
    Gain filter_;
    std::vector<Gain> touched_;    // gains of the cycles after a touch-down
    std::size_t after_touch_ = 0;  // cycles
    double radius_ = 0.0;
    Eigen::MatrixXd chain_;  // system matrix of the whole pantograph with a free head
    Eigen::VectorXd chain_lift_, chain_force_, on_head_, stiffness_of_chain_, y_, y_next_;
    State x_;
    Commands pending_;                                        // w[t-n], ..., w[t-1]
    double d_ = 0.0, lift_ = 0.0, force_ = 0.0, mean_ = 0.0;  // N
    int left_out_ = 0;                                        // readings, since one was taken
    bool fresh_ = true, lost_ = false;
    bool known_ = false;  // whether the place of the flying head is known
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
    pressed_ = -open_force_;
    pressed_.tail(size_ - 4) += closed.A.col(plant::head_height).tail(size_ - 4) / stiffness_;
    measured_ = closed.force;
    filter_at_rest_ = plant::filter_at_rest(rig.force_filter, 4, size_);
    const auto flight = plant::sampled_model(rig, dt, plant::Hold::zero_order, plant::Contact::open);
    const Eigen::Index masses = rig.pantograph.mass.size();
    chain_ = flight.A.block(plant::head_height, plant::head_height, 2 * masses, 2 * masses);
    chain_lift_ = flight.uplift_force.segment(plant::head_height, 2 * masses);
    chain_force_ = flight.head_force.segment(plant::head_height, 2 * masses);
    stiffness_of_chain_ = rig.pantograph.stiffness;
    on_head_ = Eigen::VectorXd::Zero(2 * masses);
    on_head_[0] = -rig.pantograph.stiffness[0], on_head_[1] = -rig.pantograph.damping[0];
    if (masses > 1) on_head_[2] = rig.pantograph.stiffness[0], on_head_[3] = rig.pantograph.damping[0];
    y_ = y_next_ = Eigen::VectorXd::Zero(2 * masses);
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
    // The value of height_noise stands for readings with noise of 0.01 mm; rounding is added in the same proportion.
    const double rounding = rig.encoder_step / (std::sqrt(12.0) * 1e-5);
    Eigen::Vector2d readings(p.height_noise * p.height_noise * (1.0 + rounding * rounding),
                             p.force_noise * p.force_noise);
    auto observer = kalman_gains(A, C, W, Eigen::MatrixXd(readings.asDiagonal()));
    // A filter of high order or low cut-off hides the force, and the gains that recover it amplify noise.
    const Eigen::RowVectorXd pad = stiffness_ * (Eigen::RowVectorXd::Unit(n, plant::head_height) -
                                                 Eigen::RowVectorXd::Unit(n, plant::motor_height));
    const Eigen::MatrixXd of_force = Eigen::Vector2d(0.0, 1.0).asDiagonal();
    for (int i = 0; i < 60 && noise_of_estimate(pad, observer.filter, A, C, of_force) > p.most_noise; ++i) {
        readings[1] *= 1.5;
        observer = kalman_gains(A, C, W, Eigen::MatrixXd(readings.asDiagonal()));
    }
    filter_ = observer.filter;
    radius_ = observer.radius;

    // The head is assumed at the pad one period before the readings that show the touch-down. The standard deviation of
    // its place is the distance that it covers in half a period.
    constexpr int longest = 100;
    Eigen::MatrixXd P = observer.covariance;
    for (const Eigen::Index i : {plant::head_height, plant::head_speed, size_}) P.row(i).setZero(), P.col(i).setZero();
    for (Eigen::Index i = 4; i < size_; ++i) P.row(i).setZero(), P.col(i).setZero();
    P(plant::head_height, plant::head_height) = std::pow(0.5 * dt * p.touch_speed, 2.0);
    P(plant::head_speed, plant::head_speed) = p.touch_speed * p.touch_speed;
    P(size_, size_) = p.touch_lift * p.touch_lift;
    const Eigen::MatrixXd V = readings.asDiagonal();
    for (int cycle = 0; cycle < longest; ++cycle) {
        P = (A * P * A.transpose() + W).eval();
        const Eigen::MatrixXd gain = P * C.transpose() * Eigen::Matrix2d(C * P * C.transpose() + V).inverse();
        if ((gain - observer.filter).norm() <= 0.01 * observer.filter.norm()) break;
        touched_.push_back(gain);
        const Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(n, n) - gain * C;
        P = (rest * P * rest.transpose() + gain * V * gain.transpose()).eval();
    }
}

#ifdef PANTO_COMPILED
extern template ContactObserver::ContactObserver(const plant::RigParams&, const ContactObserverParams&, double);
#endif

}  // namespace panto::control
