// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A controller that estimates the contact force and predicts rig and wire over all delays of the loop. There is no
/// interaction mass: the estimated force acts on the virtual wire, so the contact is as stiff as the pad.
///
/// 1. A ContactObserver estimates the rig and the contact force F^. A cycle calls contact_force() before it moves the
///    wire, and advances the catenary with F^.
/// 2. The rig is predicted, with the commands still in transit, to the period in which the next command acts. This also
///    gives the contact forces until then. The catenary, slack droppers included, is predicted under these forces;
///    beyond that period, under the last of them, F. So the model of the whole line is used within the delays, and the
///    simple response described below only beyond them. The deviation from the wire is
///
///        q = [u_m - z, v_m - z', u_p - z - F/k_h, v_p - z', v, r - r_ff of the period before]
///
///    u_m, v_m are height and speed of the motor, u_p, v_p those of the head, k_h is the stiffness of the pad, and r
///    the command. z is the predicted height of the wire plus a response to changes f of the force after that period.
///    This response has the speed v: v+ = a v + b f, z+ = z + dt/2 (v + v+) + g f (wire_response.hpp). With
///    r_ff = z + (c z' + m z'') / k the motor (mass m, damping c, stiffness k) follows z. If a line can only be
///    predicted under a constant force, this response is used over the delays as well.
/// 3. The cost is  sum (u_m - z)^2 + R rho^2 + S (rho - rho_before)^2,   rho = r - r_ff,   with q+ = A q + B rho + E w.
///    w is the residual of this model along the predicted wire. It is known in advance, so the law is  rho = -K q -
///    sum_j G_j w_j. Beyond the horizon w is assumed to keep its last value. S limits the bandwidth where the model is
///    uncertain, and so provides the stability margins.
///
/// While the strip is off the pad, a law for the motor alone takes over, and the motor follows the free wire. The
/// observer models the free flight of the head, so a touch-down can be predicted before a reading shows it.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/control/contact_observer.hpp>
#include <panto/control/drive_lead.hpp>
#include <panto/control/lqr.hpp>
#include <panto/control/wire_response.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/linalg/hold.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace panto::control {

struct PredictiveLqgParams {
    plant::RigParams rig{};  ///< of the pantograph, only the head is used in the design
    WireResponse wire{};     ///< that of the line, see wire_response(); default: that of stitched_hil at 2 ms
    ContactObserverParams observer{};
    DriveLeadParams drive_lead{};      ///< how a drive that is faster or slower than described is learnt
    double effort_weight = 1e-4;       ///< R, per m^2 of r - r_ff, against 1 per m^2 of u_m - z
    double rate_weight = 0.185;        ///< S, per m^2 by which r - r_ff changes from one period to the next
    int horizon = 4;                   ///< steps of preview used beyond the delays
    double largest_correction = 0.02;  ///< m, bound on r - r_ff
    double largest_rate = 8.0;         ///< m/s, bound on the change of the command
    bool accept_stiff_pad = false;     ///< take pads above PredictiveLqg::stiffest_pad, for a study
};

/// Heights refer to the datum of the Exchange; the law does not depend on it.
class PredictiveLqg {
  public:
    using Command = PositionCommand;
    using Params = PredictiveLqgParams;
    /// N/m; stiffer pads are refused. The linear loop settles on stiffer pads too, but barely or not at all with the
    /// wire's response just after a dropper has passed: runs on 1000 and 2000 kN/m ended after 3787 and 58 cycles, when
    /// the load cell saturated (docs/robustness.md).
    static constexpr double stiffest_pad = 500e3;

    /// @param dt s.
    /// @throws SetupError if a parameter is not valid, delays and horizon together are longer than a Preview, or no
    /// stabilizing gain exists.
    template <class = void>
    PredictiveLqg(const Params& p, double dt);

    /// Takes the readings of the cycle and returns the estimated contact force, N; to be called once per cycle, before
    /// update(). @rt
    template <class = void>
    [[nodiscard]] double contact_force(const Exchange& e) noexcept {
        lead_.take(e.strip.height);
        return observer_.take(e);
    }

    /// Predicts the forces on the wire in the coming periods, N, as differences from the present force. They come from
    /// the model until the next command acts; after that the last force is repeated. Call it after contact_force(). A
    /// prediction of the line under these forces is more accurate than the response at a single place (WireResponse).
    /// @rt
    template <class = void>
    void foresee(std::span<double> force_change) const noexcept {
        ContactObserver::State x = observer_.state();
        const double now = observer_.pressed(x);
        double change = 0.0;
        for (std::size_t j = 0; j < force_change.size(); ++j) {
            if (static_cast<int>(j) < delay_) {
                x = observer_.advanced(x, static_cast<int>(j));
                change = observer_.pressed(x) - now;
            }
            force_change[j] = change;
        }
    }

    /// Reads wire, wire_force and preview.
    /// @return saturated if the correction, the rate of the command or the drive (RigParams::drive_limits) was limited;
    /// sensor_implausible if an input is not finite or the preview is too short; not_finite if the result is not
    /// finite. In the last two cases the last command is repeated. @rt
    template <class = void>
    [[nodiscard]] Result<Command> update(const Exchange& e) noexcept {
        if (e.preview.count < preview_steps() || !is_finite(e.wire) || !is_finite(e.wire_force) || observer_.fresh())
            return repeated(Status::sensor_implausible);
        if (!is_finite(e.strip.height) || !is_finite(e.strip_force))  // contact_force() ignored such a reading
            return repeated(Status::sensor_implausible);
        for (int j = 0; j < preview_steps(); ++j)
            if (const auto i = static_cast<std::size_t>(j);
                !is_finite(e.preview.motion[i]) || !is_finite(e.preview.force_change[i]))
                return repeated(Status::sensor_implausible);
        const auto wire = [&](int j) -> const Motion& {
            return j == 0 ? e.wire : e.preview.motion[static_cast<std::size_t>(std::min(j, preview_steps()) - 1)];
        };

        // The rig in the period in which this command acts, and how far the wire has moved off its prediction by then
        // because the forces differ from the predicted ones.
        ContactObserver::State x = observer_.state();
        double v = 0.0, dz = 0.0;
        const auto& foreseen = e.preview.force_change;
        for (int j = 0; j < delay_; ++j) {
            x = observer_.advanced(x, j);
            const double change = observer_.pressed(x) - (e.wire_force + foreseen[static_cast<std::size_t>(j)]);
            const double faster = p_.wire.a * v + p_.wire.b * change;
            dz += 0.5 * dt_ * (v + faster) + p_.wire.g * change;
            v = faster;
        }
        const double held = e.wire_force + (delay_ > 0 ? foreseen[static_cast<std::size_t>(delay_) - 1] : 0.0);
        const double lean = held / p_.rig.pad_stiffness;
        const auto along = [&](int j) {  // the state that follows the wire
            return Eigen::Vector4d(wire(j).height, wire(j).speed, wire(j).height + lean, wire(j).speed);
        };
        const auto middle = [&](int j) {  // r with which the motor follows the wire from step j to j + 1
            const auto& motor = p_.rig.motor;
            const double height = 0.5 * (wire(j).height + wire(j + 1).height);
            const double speed = 0.5 * (wire(j).speed + wire(j + 1).speed);
            const double acceleration = (wire(j + 1).speed - wire(j).speed) / dt_;
            return height + (motor.damping * speed + motor.mass * acceleration) / motor.stiffness;
        };
        // r_ff. A fractional delay is interpolated between two periods.
        const auto ahead = [&](int j) {
            return part_ > 0.0 ? (1.0 - part_) * middle(j) + part_ * middle(j + 1) : middle(j);
        };

        const bool closed = observer_.pressed(x) > 0.0;
        const Law& law = closed ? pressed_ : free_;
        const Commands& pending = observer_.pending();
        const auto earlier = [&](int j) { return j > 0 ? ahead(j - 1) : 2.0 * ahead(0) - ahead(1); };

        Eigen::Matrix<double, 6, 1> q;
        q.head<4>() = x.head<4>() - along(delay_);
        q[0] -= dz;
        q[2] -= dz;
        q[4] = v;
        const double before = pending.size() > 0 ? pending[pending.size() - 1] : command_;
        q[5] = before - earlier(delay_) - dz;
        if (!closed) q.segment<3>(2).setZero();
        double wanted = -law.K.dot(q);
        Eigen::Vector4d w = Eigen::Vector4d::Zero();
        for (int j = 0; j < p_.horizon; ++j) {
            const int at = delay_ + j;
            w = A_ * along(at) + B_ * ahead(at) + B_old_ * earlier(at) + B_d_ * observer_.lift() - along(at + 1);
            wanted -= law.G.col(j).dot(w);
        }
        wanted -= law.G.col(p_.horizon).dot(w);
        const double correction = std::clamp(wanted, -p_.largest_correction, p_.largest_correction);
        const double asked = ahead(delay_) + dz + correction, step = p_.largest_rate * dt_;
        if (!is_finite(asked)) return repeated(Status::not_finite);
        const double command = within_drive(x.head<2>(), observer_.pressed(x), before,
                                            std::clamp(asked, command_ - step, command_ + step));

        const double corrected = lead_.corrected(command, command_);
        if (!observer_.advance(command)) return repeated(Status::not_finite);
        command_ = command;
        sent_ =
            within_drive(x.head<2>(), observer_.pressed(x), before, std::clamp(corrected, sent_ - step, sent_ + step));
        lead_.advance(sent_);
        const bool free = correction == wanted && command == asked && sent_ == corrected;
        if (command != asked || sent_ != corrected) lead_.pause();
        return {{sent_}, free ? Status::ok : Status::saturated};
    }

    /// Starts anew with the strip at rest at `at.height`; the force is taken from the first reading. @rt
    void reset(const Motion& at) noexcept {
        if (!is_finite(at.height)) return;
        command_ = sent_ = at.height;
        observer_.reset();
        lead_.reset();
    }

    [[nodiscard]] bool contact_lost() const noexcept { return observer_.lost(); }  ///< the strip is off the pad
    /// The memory between two cycles in contact, as a vector, to be saved and restored by cut_loop(), which shows the
    /// loop with a drive as described: recall() forgets what was learnt of it.
    template <class = void>
    [[nodiscard]] Eigen::VectorXd memory() const {
        return observer_.memory();
    }
    template <class = void>
    void recall(const Eigen::VectorXd& m) {
        observer_.recall(m);
        lead_.reset();
    }

    /// s, by which the drive has turned out to be ahead of its description; negative if it lags.
    [[nodiscard]] double drive_lead() const noexcept { return lead_.lead(); }
    [[nodiscard]] int preview_steps() const noexcept { return delay_ + p_.horizon + (part_ > 0.0 ? 2 : 1); }
    [[nodiscard]] double regulator_radius() const noexcept { return regulator_radius_; }
    [[nodiscard]] double observer_radius() const noexcept { return observer_.radius(); }
    [[nodiscard]] double dt() const noexcept { return dt_; }                        ///< s
    [[nodiscard]] double largest_rate() const noexcept { return p_.largest_rate; }  ///< m/s, of the command
    [[nodiscard]] const Params& params() const noexcept { return p_; }
    [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return p_.rig; }  ///< the rig it is made for

  private:
    using Commands = ContactObserver::Commands;
    struct Law {
        Eigen::Matrix<double, 1, 6> K = {};
        Eigen::Matrix<double, 4, Eigen::Dynamic, 0, 4, Preview::capacity + 1> G = {};
    };

    /// The command nearest to `command` with which the drive keeps its limits in the period in which this command acts.
    /// It is enough to check the beginning and the end of the period, because the drive accelerates most at one of
    /// them. The observer thus knows what the drive will do.
    /// @param start   height and speed of the motor at the beginning of the period in which the command begins to act
    /// @param force   N, of the contact
    /// @param before  the command that acts until then
    template <class = void>
    [[nodiscard]] double within_drive(const Eigen::Vector2d& start, double force, double before,
                                      double command) const noexcept;

    template <class = void>
    [[nodiscard]] Result<Command> repeated(Status status) noexcept {
        lead_.advance(sent_);
        return {{sent_}, status};
    }
    static const Params& validated(const Params& p, double dt);
    template <class = void>
    [[nodiscard]] Law design(plant::Contact contact);

    Params p_;
    double dt_;
    ContactObserver observer_;
    DriveLead lead_;
    int delay_ = 0;                    // whole periods
    double part_ = 0.0;                // and a part of one
    linalg::Held<2, 1> motor_part_{};  // the motor during this part
    Eigen::Matrix4d A_ = {};
    Eigen::Vector4d B_ = {}, B_old_ = {}, B_d_ = {};
    Law pressed_, free_;
    double regulator_radius_ = 0.0;
    double command_ = 0.0, sent_ = 0.0;  // m, as wanted, and corrected for the drive
};

static_assert(Controller<PredictiveLqg>);

inline const PredictiveLqgParams& PredictiveLqg::validated(const Params& p, double dt) {
    const char* where = "control::PredictiveLqg";
    require_positive(dt, where, "dt");
    plant::validate(p.rig, where);
    validate(p.wire, where);
    require(std::fabs(p.wire.dt - dt) <= 1e-9 * dt, where, "wire.dt is ", p.wire.dt,
            " s, must be the time step of the loop, ", dt, " s: use wire_response() of the line it runs under");
    control::validate(p.observer, where);
    control::validate(p.drive_lead, where);
    require_positive(p.effort_weight, where, "effort_weight");
    require_not_negative(p.rate_weight, where, "rate_weight");
    require_positive(p.largest_correction, where, "largest_correction");
    require_positive(p.largest_rate, where, "largest_rate");
    require(p.accept_stiff_pad || p.rig.pad_stiffness <= stiffest_pad, where, "rig.pad_stiffness is ",
            p.rig.pad_stiffness, " N/m, must be at most ", stiffest_pad,
            ": on stiffer pads runs ended in a fault (docs/robustness.md); take a softer pad, or set "
            "accept_stiff_pad for a study");
    const int delay = linalg::split_delay(p.rig.loop_delay()).rounded_up();
    require(delay + 2 <= Preview::capacity, where, "the delays of the rig are ", p.rig.loop_delay(),
            " periods, must be at most ", Preview::capacity - 2, ": a preview has ", Preview::capacity,
            " steps, and the horizon needs at least one of them");
    require(p.horizon >= 1 && p.horizon <= Preview::capacity - 1 - delay, where, "horizon is ", p.horizon,
            " with delays of ", p.rig.loop_delay(), " periods; must be from 1 to ", Preview::capacity - 1 - delay,
            ": delays and horizon must fit in a preview of ", Preview::capacity, " steps");
    return p;
}

template <class>
PredictiveLqg::PredictiveLqg(const Params& p, double dt)
    : p_(validated(p, dt)), dt_(dt), observer_(p.rig, p.observer, dt), lead_(p.rig, p.drive_lead, dt) {
    const auto model = plant::sampled_model(ContactObserver::with_head(p.rig, p.observer), dt);
    const linalg::SplitDelay delay = linalg::split_delay(p.rig.loop_delay());
    delay_ = delay.whole;
    part_ = delay.part;
    A_ = model.A.topLeftCorner<4, 4>();
    B_ = model.command.col(delay_).head<4>();
    B_old_ = part_ > 0.0 ? Eigen::Vector4d(model.command.col(delay_ + 1).head<4>()) : Eigen::Vector4d::Zero();
    B_d_ = model.head_force.head<4>();
    if (part_ > 0.0) {
        const auto& m = p_.rig.motor;
        const Eigen::Matrix2d A{{0.0, 1.0}, {-m.stiffness / m.mass, -m.damping / m.mass}};
        motor_part_ = linalg::zero_order_hold(A, Eigen::Vector2d(0.0, m.stiffness / m.mass), part_ * dt);
    }
    free_ = design(plant::Contact::open);
    pressed_ = design(plant::Contact::closed);
}

template <class>
double PredictiveLqg::within_drive(const Eigen::Vector2d& start, double force, double before,
                                   double command) const noexcept {
    const plant::RigParams& rig = p_.rig;
    if (!rig.drive_limits.any()) return command;
    const double k = rig.motor.stiffness, c = rig.motor.damping, most = rig.drive_limits.speed;
    const double lowest = rig.motor.mass * plant::within_limits(rig, -HUGE_VAL, force),
                 highest = rig.motor.mass * plant::within_limits(rig, HUGE_VAL, force);  // N
    const auto keep = [&](double low, double high) { command = std::fmax(low, std::fmin(high, command)); };
    Eigen::Vector2d motor = start;
    if (part_ > 0.0) motor = motor_part_.A * start + motor_part_.B * before;
    // After a period under the command r: free + held r.
    const Eigen::Vector2d free = A_.topLeftCorner<2, 2>() * motor, held = B_.head<2>() + B_old_.head<2>();
    if (held[1] > 0.0) keep((-most - free[1]) / held[1], (most - free[1]) / held[1]);
    const double gain = k * (1.0 - held[0]) - c * held[1], rest = k * free[0] + c * free[1];
    if (gain > 0.0) keep((lowest + rest) / gain, (highest + rest) / gain);
    keep(motor[0] + (c * motor[1] + lowest) / k, motor[0] + (c * motor[1] + highest) / k);
    return command;
}

template <class>
PredictiveLqg::Law PredictiveLqg::design(plant::Contact contact) {
    using Matrix6 = Eigen::Matrix<double, 6, 6>;
    using Vector6 = Eigen::Matrix<double, 6, 1>;
    const WireResponse& wire = p_.wire;
    const bool closed = contact == plant::Contact::closed;
    const double give = 0.5 * dt_ * wire.b + wire.g;  // m/N within the step
    const double k = closed ? p_.rig.pad_stiffness : 0.0;
    const Eigen::Vector4d heights(1.0, 0.0, 1.0, 0.0);
    const Eigen::RowVector4d force(-k, 0.0, k, 0.0);
    // Without the wire's response: y = A q + B rho + B_old rho_before + w. The force changes by f = force y, the wire's
    // speed becomes v+ = a v + b f, and it moves by dt/2 (1 + a) v + (dt/2 b + g) f. All heights are relative to the
    // wire. Off the pad there is no head.
    Eigen::Matrix<double, 4, 6> y = Eigen::Matrix<double, 4, 6>::Zero();
    y.leftCols<4>() = A_;
    y.col(5) = B_old_;
    Eigen::Matrix4d seen = Eigen::Matrix4d::Identity() - heights * give * force;
    if (!closed) {
        y.middleCols<2>(2).setZero();
        y.bottomRows<2>().setZero();
        seen.bottomRows<2>().setZero();
    }
    Matrix6 A = Matrix6::Zero();
    A.topRows<4>() = seen * y;
    A.col(4).head<4>() -= heights * 0.5 * dt_ * (1.0 + wire.a);
    A.row(4) = wire.b * force * y;
    A(4, 4) += wire.a;
    Vector6 B = Vector6::Zero();
    B.head<4>() = seen * B_;
    B[4] = wire.b * force.dot(B_);
    B[5] = 1.0;
    Eigen::Matrix<double, 6, 4> E = Eigen::Matrix<double, 6, 4>::Zero();
    E.topRows<4>() = seen;
    E.row(4) = wire.b * force;
    Eigen::MatrixXd Q = 1e-13 * Matrix6::Identity(), S = Vector6::Zero();
    Q(0, 0) += 1.0;
    Q(5, 5) += p_.rate_weight;
    S(5, 0) = -p_.rate_weight;
    const double weight = p_.effort_weight + p_.rate_weight;
    const Eigen::MatrixXd A_x = A, B_x = B;
    const auto regulator = lqr(A_x, B_x, Q, Eigen::MatrixXd::Constant(1, 1, weight), S);
    regulator_radius_ = regulator.closed_loop_radius;
    Law law{.K = regulator.K};

    // G_j = B' (A_c')^j P E / (R + S + B'P B); the last one for all steps beyond the horizon at once.
    const Matrix6 P = regulator.cost, A_c = (A - B * law.K).transpose();
    const double scale = weight + B.dot(P * B);
    Matrix6 power = P;
    law.G.resize(4, p_.horizon + 1);
    for (int j = 0; j < p_.horizon; ++j) {
        law.G.col(j) = (B.transpose() * power * E / scale).transpose();
        power = A_c * power;
    }
    const Matrix6 rest = (Matrix6::Identity() - A_c).partialPivLu().solve(power);
    law.G.col(p_.horizon) = (B.transpose() * rest * E / scale).transpose();
    return law;
}

#ifdef PANTO_COMPILED
extern template PredictiveLqg::PredictiveLqg(const PredictiveLqgParams&, double);
#endif

}  // namespace panto::control
