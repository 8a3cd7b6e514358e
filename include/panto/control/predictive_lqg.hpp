// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A controller that estimates the contact force and predicts rig and wire over all delays of the loop. There is no
/// interaction mass: the virtual wire gets the estimated force, so that the contact is as stiff as the pad.
///
/// 1. A Kalman filter for [p; d] reads u_m and F: p = [u_m, v_m, u_p, v_p, force filter], motor and a one-mass head on
/// the
///    pad; d, the force on the head from below, is a random walk. F^ = k_h (u_p - u_m), never negative, is the force
///    that the catenary is advanced with: contact_force(), which a cycle asks for before it moves the wire.
/// 2. The catenary predicts itself under F^ held, slack droppers included. The rig is predicted with the commands on
///    their way to the period in which the next command acts. There it is off the wire by
///
///        q = [u_m - z, v_m - z', u_p - z - F^/k_h, v_p - z', v, r - r_ff of the period before]
///
///    z what the wire does under F^, plus what changes f of the force make of it: v+ = a v + b f, z+ = z + dt/2 (v +
///    v+) + g f (wire_response.hpp). r_ff = z + (c z' + m z'') / k moves the motor along with z.
/// 3. cost   sum (u_m - z)^2 + R (r - r_ff)^2 along q+ = A q + B (r - r_ff) + E w,   w what is left over along the
///    prediction, known: r = r_ff - K q - sum_j G_j w_j, the last w taken to last.
///
/// While the strip is off the pad, estimate and prediction follow the plant without contact.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/control/kalman.hpp>
#include <panto/control/lqr.hpp>
#include <panto/control/wire_response.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

namespace panto::control {

struct PredictiveLqgParams {
    plant::RigParams rig{};  ///< the rig it works on; of the pantograph only the head enters the design
    WireResponse wire{};     ///< of the line it runs under, see wire_response(); default: stitched_hil at 2 ms
    std::optional<double> head_mass{};  ///< kg, that moves with the head; none: the uppermost mass of the pantograph
    double head_damping = 10.0;         ///< N s/m, head to ground
    double effort_weight = 0.05;        ///< R, per m^2 of r - r_ff, against 1 per m^2 of u_m - z
    double lift_noise = 2.0;            ///< N, by which d walks per step
    double head_force_noise = 200.0;    ///< N, standard deviation of the force on the head per step
    double height_noise = 1e-5;         ///< m, standard deviation of the reading of u_m
    double force_noise = 1.0;           ///< N, standard deviation of the reading of F
    int horizon = 4;                    ///< steps of the wire that are looked at beyond the delays
    double largest_correction = 0.02;   ///< m, bound on r - r_ff
};

/// Heights have the datum of the Exchange; the law is the same for any datum.
class PredictiveLqg {
    static constexpr int MaxP = 4 + 8, MaxPending = 2 * plant::longest_delay + 1;
    using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, MaxP, 1>;
    using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, MaxP, MaxP>;
    using Commands = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, MaxPending, 1>;
    using OfCommands = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, MaxP, MaxPending>;

  public:
    using Command = PositionCommand;
    using Params = PredictiveLqgParams;

    /// @param dt s.
    /// @throws SetupError if a parameter has no meaning, delays and horizon together are longer than a Preview, or no
    /// stabilizing gain exists.
    template <class = void>
    PredictiveLqg(const Params& p, double dt);

    /// Takes the readings of the cycle in and returns the estimated contact force, N; once a cycle, before update().
    /// With a reading that is no number the force of the cycle before. @rt
    template <class = void>
    [[nodiscard]] double contact_force(const Exchange& e) noexcept {
        if (!is_finite(e.strip.height) || !is_finite(e.strip_force)) return force_;
        if (fresh_) start(e);
        const double height_gap = e.strip.height - x_[plant::motor_height];
        const double force_gap = e.strip_force - measured_.dot(x_);
        x_ += filter_.topRows(np_).col(0) * height_gap + filter_.topRows(np_).col(1) * force_gap;
        d_ += filter_(np_, 0) * height_gap + filter_(np_, 1) * force_gap;
        force_ = pressed(x_);
        return force_;
    }

    /// Reads wire, wire_force and preview. sensor_implausible on an input that is not finite or a preview that is too
    /// short, not_finite on such a result: the last command is repeated. saturated if the correction was cut. @rt
    template <class = void>
    [[nodiscard]] Result<Command> update(const Exchange& e) noexcept {
        if (e.preview.count < preview_steps() || !is_finite(e.wire) || !is_finite(e.wire_force) || fresh_)
            return {{command_}, Status::sensor_implausible};
        for (int j = 0; j < preview_steps(); ++j)
            if (!is_finite(e.preview.motion[static_cast<std::size_t>(j)]))
                return {{command_}, Status::sensor_implausible};
        const auto wire = [&](int j) -> const Motion& {
            return j == 0 ? e.wire : e.preview.motion[static_cast<std::size_t>(std::min(j, preview_steps()) - 1)];
        };

        // The rig in the period in which this command acts, and what changes of the force have made of the wire by
        // then.
        Column x = x_;
        double v = 0.0, dz = 0.0;
        for (int j = 0; j < delay_; ++j) {
            x = advanced(x, j);
            const double change = pressed(x) - e.wire_force, faster = p_.wire.a * v + p_.wire.b * change;
            dz += 0.5 * dt_ * (v + faster) + p_.wire.g * change;
            v = faster;
        }
        const double lean = e.wire_force / p_.rig.pad_stiffness;
        const auto along = [&](int j) {  // the state that goes with the wire
            return Eigen::Vector4d(wire(j).height, wire(j).speed, wire(j).height + lean, wire(j).speed);
        };
        const auto middle = [&](int j) {  // r that moves the motor along over the period from j on
            const auto& motor = p_.rig.motor;
            const double height = 0.5 * (wire(j).height + wire(j + 1).height);
            const double speed = 0.5 * (wire(j).speed + wire(j + 1).speed);
            const double acceleration = (wire(j + 1).speed - wire(j).speed) / dt_;
            return height + (motor.damping * speed + motor.mass * acceleration) / motor.stiffness;
        };
        // r_ff; a command that acts late by a part of a period belongs to what the wire does that much later.
        const auto ahead = [&](int j) {
            return part_ > 0.0 ? (1.0 - part_) * middle(j) + part_ * middle(j + 1) : middle(j);
        };

        Eigen::Matrix<double, 6, 1> q;
        q.head<4>() = x.head<4>() - along(delay_);
        q[0] -= dz;
        q[2] -= dz;
        q[4] = v;
        q[5] = part_ > 0.0 ? pending_[pending_.size() - 1] - ahead(std::max(0, delay_ - 1)) - dz : 0.0;
        double wanted = -K_.dot(q);
        Eigen::Vector4d w = Eigen::Vector4d::Zero();
        for (int j = 0; j < p_.horizon; ++j) {
            const int at = delay_ + j;
            w = A_ * along(at) + B_ * ahead(at) + B_old_ * ahead(std::max(0, at - 1)) + B_d_ * d_ - along(at + 1);
            wanted -= G_.col(j).dot(w);
        }
        wanted -= G_.col(p_.horizon).dot(w);
        const double correction = std::clamp(wanted, -p_.largest_correction, p_.largest_correction);
        const double command = ahead(delay_) + dz + correction;
        if (!is_finite(command)) return {{command_}, Status::not_finite};

        const Column next = advanced(x_, 0, command);
        if (!is_finite(next.sum())) return {{command_}, Status::not_finite};
        x_ = next;
        for (Eigen::Index j = 0; j + 1 < pending_.size(); ++j) pending_[j] = pending_[j + 1];
        if (pending_.size() > 0) pending_[pending_.size() - 1] = command;
        command_ = command;
        return {{command}, correction == wanted ? Status::ok : Status::saturated};
    }

    /// The strip at rest at `at.height`; what presses on it is learnt from the first reading. @rt
    void reset(const Motion& at) noexcept {
        if (!is_finite(at.height)) return;
        command_ = at.height;
        fresh_ = true;
    }

    [[nodiscard]] int preview_steps() const noexcept { return delay_ + p_.horizon + (part_ > 0.0 ? 2 : 1); }
    [[nodiscard]] double regulator_radius() const noexcept { return regulator_radius_; }
    [[nodiscard]] double observer_radius() const noexcept { return observer_radius_; }
    [[nodiscard]] double dt() const noexcept { return dt_; }  ///< s
    [[nodiscard]] const Params& params() const noexcept { return p_; }
    [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return p_.rig; }  ///< that it is made for

  private:
    static void validate(const Params& p);
    template <class = void>
    void design_regulator();
    template <class = void>
    void design_observer();

    template <class = void>
    [[nodiscard]] double pressed(const Column& x) const noexcept {
        return std::max(0.0, p_.rig.pad_stiffness * (x[plant::head_height] - x[plant::motor_height]));
    }

    /// The plant `steps` periods on from the readings, one further: command w[t+steps-j] goes with column j. `newest`
    /// is w[t], used only where it acts at once.
    template <class = void>
    [[nodiscard]] Column advanced(const Column& x, int steps, double newest = 0.0) const noexcept {
        const bool closed = x[plant::head_height] > x[plant::motor_height];
        Column next = (closed ? closed_ : open_) * x;
        next += (closed ? closed_force_ : open_force_) * d_;
        const OfCommands& of = closed ? closed_commands_ : open_commands_;
        const Eigen::Index n = pending_.size();
        for (Eigen::Index j = 0; j <= n; ++j) {
            const Eigen::Index ago = j - steps;  // 0: this cycle's, n: the oldest
            if (ago >= 1 && ago <= n) next += of.col(j) * pending_[n - ago];
            if (ago == 0) next += of.col(j) * newest;
        }
        return next;
    }

    /// At rest under the force just read.
    template <class = void>
    void start(const Exchange& e) noexcept {
        const double penetration = e.strip_force / p_.rig.pad_stiffness;
        x_ = penetration * filter_at_rest_;
        x_[plant::motor_height] = e.strip.height;
        x_[plant::head_height] = e.strip.height + penetration;
        d_ = e.strip_force;
        pending_.setConstant(e.strip.height);
        fresh_ = false;
    }

    Params p_;
    double dt_;
    int delay_ = 0;      // whole periods
    double part_ = 0.0;  // and a part of one
    Eigen::Index np_ = 0;
    Square closed_, open_;
    OfCommands closed_commands_, open_commands_;
    Column closed_force_, open_force_, filter_at_rest_;
    Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, MaxP> measured_;
    Eigen::Matrix<double, Eigen::Dynamic, 2, 0, MaxP + 1, 2> filter_;
    Eigen::Matrix4d A_ = {};
    Eigen::Vector4d B_ = {}, B_old_ = {}, B_d_ = {};
    Eigen::Matrix<double, 1, 6> K_ = {};
    Eigen::Matrix<double, 4, Eigen::Dynamic, 0, 4, Preview::capacity + 1> G_;
    double regulator_radius_ = 0.0, observer_radius_ = 0.0;
    Column x_;
    Commands pending_;  // w[t-n], ..., w[t-1]
    double d_ = 0.0, force_ = 0.0, command_ = 0.0;
    bool fresh_ = true;
};

static_assert(Controller<PredictiveLqg>);

inline void PredictiveLqg::validate(const Params& p) {
    const char* where = "control::PredictiveLqg";
    plant::validate(p.rig, where);
    require(p.wire.a >= 0.0 && p.wire.a < 1.0, where, "wire.a is ", p.wire.a, ", allowed is from 0 to below 1");
    require_not_negative(p.wire.b, where, "wire.b");
    require_finite(p.wire.g, where, "wire.g");
    if (p.head_mass) require_positive(*p.head_mass, where, "head_mass");
    require_not_negative(p.head_damping, where, "head_damping");
    require_positive(p.effort_weight, where, "effort_weight");
    require_positive(p.lift_noise, where, "lift_noise");
    require_positive(p.head_force_noise, where, "head_force_noise");
    require_positive(p.height_noise, where, "height_noise");
    require_positive(p.force_noise, where, "force_noise");
    require_positive(p.largest_correction, where, "largest_correction");
    const int delay = static_cast<int>(std::ceil(p.rig.loop_delay() - 1e-9));
    require(p.horizon >= 1 && delay + p.horizon + 1 <= Preview::capacity, where, "horizon is ", p.horizon,
            " with delays of ", p.rig.loop_delay(), " periods; allowed are 1 to ", Preview::capacity - 1 - delay,
            ": delays and horizon must fit in a preview of ", Preview::capacity, " steps");
}

template <class>
PredictiveLqg::PredictiveLqg(const Params& p, double dt) : p_((validate(p), p)), dt_(dt) {
    require(std::fabs(p.wire.dt - dt) <= 1e-9 * dt, "control::PredictiveLqg", "wire.dt is ", p.wire.dt,
            " s, allowed is the time step of the loop, ", dt, " s: take wire_response() of the line it runs under");
    plant::RigParams with_head = p.rig;
    with_head.pantograph = {Eigen::VectorXd::Constant(1, p.head_mass.value_or(p.rig.pantograph.mass[0])),
                            Eigen::VectorXd::Constant(1, p.head_damping), Eigen::VectorXd::Zero(1)};
    const auto closed = plant::sampled_model(with_head, dt);
    const auto open = plant::sampled_model(with_head, dt, plant::Hold::zero_order, plant::Contact::open);
    np_ = closed.size();
    delay_ = static_cast<int>(std::floor(p.rig.loop_delay() + 1e-9));
    if (closed.pending() > delay_) part_ = p.rig.loop_delay() - delay_;
    closed_ = closed.A, open_ = open.A;
    closed_commands_ = closed.command, open_commands_ = open.command;
    closed_force_ = closed.head_force, open_force_ = open.head_force;
    measured_ = closed.force;
    filter_at_rest_ = plant::filter_at_rest(p.rig.force_filter, 4, np_);
    A_ = closed.A.topLeftCorner<4, 4>();
    B_ = closed.command.col(delay_).head<4>();
    B_old_ = part_ > 0.0 ? Eigen::Vector4d(closed.command.col(delay_ + 1).head<4>()) : Eigen::Vector4d::Zero();
    B_d_ = closed.head_force.head<4>();
    x_ = Column::Zero(np_);
    pending_ = Commands::Zero(closed.pending());
    design_regulator();
    design_observer();
}

template <class>
void PredictiveLqg::design_regulator() {
    using Matrix6 = Eigen::Matrix<double, 6, 6>;
    using Vector6 = Eigen::Matrix<double, 6, 1>;
    const WireResponse& wire = p_.wire;
    const double k = p_.rig.pad_stiffness, give = 0.5 * dt_ * wire.b + wire.g;  // m/N within the step
    const Eigen::Vector4d heights(1.0, 0.0, 1.0, 0.0);
    const Eigen::RowVector4d force(-k, 0.0, k, 0.0);
    // Before the wire gives way: y = A q + B r + B_old r_before + w. The force changes by f = force y, the wire's speed
    // to v+ = a v + b f, and it moves by dt/2 (1 + a) v + (dt/2 b + g) f, which all heights are seen from.
    Eigen::Matrix<double, 4, 6> y = Eigen::Matrix<double, 4, 6>::Zero();
    y.leftCols<4>() = A_;
    y.col(5) = B_old_;
    const Eigen::Matrix<double, 1, 6> f = force * y;
    Matrix6 A = Matrix6::Zero();
    A.topRows<4>() = y - heights * give * f;
    A.col(4).head<4>() -= heights * 0.5 * dt_ * (1.0 + wire.a);
    A.row(4) = wire.b * f;
    A(4, 4) += wire.a;
    Vector6 B = Vector6::Zero();
    B.head<4>() = B_ - heights * give * force.dot(B_);
    B[4] = wire.b * force.dot(B_);
    B[5] = part_ > 0.0 ? 1.0 : 0.0;
    Eigen::Matrix<double, 6, 4> E = Eigen::Matrix<double, 6, 4>::Zero();
    E.topRows<4>() = Eigen::Matrix4d::Identity() - heights * give * force;
    E.row(4) = wire.b * force;
    Matrix6 Q = 1e-13 * Matrix6::Identity();
    Q(0, 0) += 1.0;
    const Eigen::MatrixXd A_x = A, B_x = B, Q_x = Q;
    const auto regulator = lqr(A_x, B_x, Q_x, Eigen::MatrixXd::Constant(1, 1, p_.effort_weight));
    K_ = regulator.K;
    regulator_radius_ = regulator.closed_loop_radius;

    // G_j = B' (A_c')^j P E / (R + B'P B); the last one for all steps beyond the horizon at once.
    const Matrix6 P = regulator.cost, A_c = (A - B * K_).transpose();
    const double scale = p_.effort_weight + B.dot(P * B);
    Matrix6 power = P;
    G_.resize(4, p_.horizon + 1);
    for (int j = 0; j < p_.horizon; ++j) {
        G_.col(j) = (B.transpose() * power * E / scale).transpose();
        power = A_c * power;
    }
    const Matrix6 rest = (Matrix6::Identity() - A_c).partialPivLu().solve(power);
    G_.col(p_.horizon) = (B.transpose() * rest * E / scale).transpose();
}

template <class>
void PredictiveLqg::design_observer() {
    const Eigen::Index n = np_ + 1;
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n), C = Eigen::MatrixXd::Zero(2, n),
                    W = Eigen::MatrixXd::Zero(n, n);
    A.topLeftCorner(np_, np_) = closed_;
    A.topRightCorner(np_, 1) = closed_force_;
    C(0, plant::motor_height) = 1.0;
    C.row(1).head(np_) = measured_;
    W.topLeftCorner(np_, np_) = p_.head_force_noise * p_.head_force_noise * closed_force_ * closed_force_.transpose();
    W.diagonal().head(np_).array() += 1e-14;
    W(np_, np_) = p_.lift_noise * p_.lift_noise;
    const Eigen::Vector2d readings(p_.height_noise * p_.height_noise, p_.force_noise * p_.force_noise);
    const auto observer = kalman_gains(A, C, W, Eigen::MatrixXd(readings.asDiagonal()));
    filter_ = observer.filter;
    observer_radius_ = observer.radius;
}

#ifdef PANTO_COMPILED
extern template PredictiveLqg::PredictiveLqg(const PredictiveLqgParams&, double);
#endif

}  // namespace panto::control
