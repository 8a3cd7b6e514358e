// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// LQG control that couples through an interaction mass: the idea of the HiL paper without its defects (listed in
/// paper_lqg.hpp and docs/control.md). It makes the drive follow the interaction mass in spite of delayed
/// commands and readings and a stiff pad.
///
/// The design model has the state s = [x_i(3); p; w[t-n], ..., w[t-1]] with p = [u_m, v_m, u_p, v_p, force filter].
/// w[t] is the command written in cycle t, and n commands are in transit. x_i = [u_i, its speed, its acceleration]
/// belongs to the interaction mass; u_m, v_m and u_p, v_p are height and speed of motor and head:
///
///     x_i+ = A_i x_i + B_i F                    interaction mass (Newmark), F the force as measured
///     p+   = A_d p + sum_j B_j w[t-j] + B_d d   motor and a one-mass head on the pad, see plant/model.hpp
///     w[t] = u_i+ + u                           the correction u is the output of the controller
///     cost   sum Q (u_i - u_m)^2 + R u^2
///
///     u = -K (s - 1 z - S_1 z') + u_1 z' + k_f d
///
/// The vector 1 has ones at all heights and zeros elsewhere, so only positions relative to the height z[t] of the wire
/// count. k_f = K S_d, where S_d d is the steady state under a constant force d on the head; the term k_f d makes u 0
/// in this state. Let the model be s+ = A s + B_u u + B_z z, and its error C_e s = u_i - u_m. S_1 and u_1 then solve
/// [I-A -B_u; C_e 0][S_1; u_1] = [(B_z - 1) dt; 0], so that the error vanishes along a ramp of slope z'. The slope z'
/// comes from a preview of m steps, (z[t+1+m] - z[t+1])/(m dt); a backward difference would destabilize the catenary.
///
/// An observer estimates [p; d] from readings of u_m and F, with d as a random walk. In each cycle it is updated with
/// the readings of t, the controller decides, and the observer predicts t+1 with the commands in transit.

#pragma once

#include <panto/control/closed_loop.hpp>
#include <panto/control/concepts.hpp>
#include <panto/control/kalman.hpp>
#include <panto/control/lqr.hpp>
#include <panto/linalg/hold.hpp>
#include <panto/plant/interaction_mass.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <optional>

namespace panto::control {

struct LqgParams {
    plant::RigParams rig{};  ///< the rig it works on; of the pantograph only the head enters the design
    plant::InteractionMassParams interaction_mass{};  ///< that of the coupling: RunPlan::mass in an io::Session
    std::optional<double>
        head_mass{};                   ///< kg, moving mass of the head; by default the uppermost mass of the pantograph
    double head_damping = 10.0;        ///< N s/m, head to ground
    double error_weight = 5.0;         ///< Q, per m^2 of u_i - u_m
    double effort_weight = 1.0;        ///< R, per m^2 of the correction u
    double state_weight = 1e-12;       ///< small weight on the square of every state; filter states count as forces, N
    double head_force_noise = 10.0;    ///< N, standard deviation of the force on the head per step
    double height_noise = 1e-4;        ///< m, standard deviation of the reading of u_m
    double force_noise = 2.0;          ///< N, standard deviation of the reading of F
    double largest_correction = 0.02;  ///< m, bound on u
    std::optional<int> preview_steps{};  ///< number of preview steps (m in the file comment), 0 for none; by default
                                         ///< the delay of the loop in periods, rounded up, plus 1
};

/// Heights have the datum of the Exchange; the law is the same for any datum.
class Lqg {
    static constexpr int MaxPending = 2 * plant::longest_delay + 1;       // commands on their way
    static constexpr int MaxP = 4 + 8 + 1, MaxS = 3 + MaxP + MaxPending;  // of [p; d], with the longest filter; of s
    template <int Max>
    using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, Max, 1>;
    template <int Max>
    using Row = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, Max>;

  public:
    using Command = PositionCommand;
    using Params = LqgParams;

    /// @param dt s.
    /// @throws SetupError if a parameter is invalid or no stabilizing gain exists.
    template <class = void>
    Lqg(const Params& p, double dt);

    /// Reads strip.height, strip_force, reference, wire.height and preview.
    /// @return saturated if the correction was cut; the observer gets the command as sent. sensor_implausible if an
    /// input is not finite, not_finite if a result is not: then the last command is repeated and the state kept. @rt
    [[nodiscard]] Result<Command> update(const Exchange& e) noexcept {
        const int ahead = std::clamp(e.preview.count, 0, Preview::capacity);
        const double far = ahead > 0 ? e.preview.motion[static_cast<std::size_t>(ahead - 1)].height : 0.0;
        if (!is_finite(e.strip.height) || !is_finite(e.strip_force) || !is_finite(e.reference) ||
            !is_finite(e.wire.height) || !is_finite(far))
            return {{command_}, Status::sensor_implausible};
        Memory next = fresh_ ? at_rest(e) : memory_;

        const double height_gap = e.strip.height - next.estimate[0];
        const double force_gap = e.strip_force - force_.dot(next.estimate.head(np_));
        next.estimate += filter_.col(0) * height_gap + filter_.col(1) * force_gap;

        const double ramp = ahead > 0 ? (far - e.wire.height) / (ahead * dt_) : 0.0;
        double feedback = K_.head<3>().dot(next.mass) - K_.head<3>()[0] * next.wire +
                          K_.segment(3, np_).dot(next.estimate.head(np_)) - K_plant_heights_ * next.wire;
        for (Eigen::Index j = 0; j < pending_; ++j) feedback += K_[3 + np_ + j] * (next.pending[j] - next.wire);
        const double wanted = -feedback + ramp_gain_ * ramp + k_f_ * next.estimate[np_];
        const double correction = std::clamp(wanted, -p_.largest_correction, p_.largest_correction);
        const double command = e.reference.height + correction;

        predicted_.noalias() = observer_A_ * next.estimate;
        predicted_.noalias() += observer_B_.leftCols(pending_) * next.pending;
        predicted_ += observer_B_.col(pending_) * command;
        next.estimate = predicted_;
        next.mass << e.reference.height, e.reference.speed, e.reference.acceleration;
        next.wire = e.wire.height;
        for (Eigen::Index j = 0; j + 1 < pending_; ++j) next.pending[j] = next.pending[j + 1];
        if (pending_ > 0) next.pending[pending_ - 1] = command;
        if (!is_finite(command) || !is_finite(predicted_.sum())) return {{command_}, Status::not_finite};

        memory_ = next;
        command_ = command;
        fresh_ = false;
        return {{command}, correction == wanted ? Status::ok : Status::saturated};
    }

    /// Starts anew with the strip at rest at `at.height`. The force on it is read in the first update(): if reference
    /// and wire rest in equilibrium with that force, the first command is `at.height`. @rt
    void reset(const Motion& at) noexcept {
        if (!is_finite(at.height)) return;
        command_ = at.height;
        fresh_ = true;
    }

    [[nodiscard]] int preview_steps() const noexcept { return preview_steps_; }

    /// The controller without preview and bounds, for closed_loop_radius(). Its state consists of [p; d] as predicted,
    /// x_i, and the commands in transit.
    template <class = void>
    [[nodiscard]] LinearController linear_model() const;

    [[nodiscard]] Eigen::RowVectorXd K() const { return K_; }
    [[nodiscard]] double k_f() const noexcept { return k_f_; }                            ///< m/N
    [[nodiscard]] double regulator_radius() const noexcept { return regulator_radius_; }  ///< of A - B_u K
    [[nodiscard]] double observer_radius() const noexcept { return observer_radius_; }    ///< of A_o - L C_o
    [[nodiscard]] double dt() const noexcept { return dt_; }                              ///< s
    [[nodiscard]] const Params& params() const noexcept { return p_; }
    [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return p_.rig; }  ///< the rig it is made for
    /// The interaction mass it is made for.
    [[nodiscard]] const plant::InteractionMassParams& interaction_mass() const noexcept { return p_.interaction_mass; }

  private:
    /// The state between cycles, before the readings of a cycle are processed.
    struct Memory {
        Column<MaxP> estimate;       // [p; d]
        Eigen::Vector3d mass;        // x_i[t]
        double wire;                 // z[t]
        Column<MaxPending> pending;  // w[t-n], ..., w[t-1]
    };

    static void validate(const Params& p) {
        const char* where = "control::Lqg";
        plant::validate(p.rig, where);
        dynamics::require_oscillator<double>(p.interaction_mass, where, "interaction_mass");
        require_positive(p.interaction_mass.stiffness, where, "interaction_mass.stiffness");
        if (p.head_mass) require_positive(*p.head_mass, where, "head_mass");
        require_not_negative(p.head_damping, where, "head_damping");
        require_positive(p.error_weight, where, "error_weight");
        require_positive(p.effort_weight, where, "effort_weight");
        require_not_negative(p.state_weight, where, "state_weight");
        require_positive(p.head_force_noise, where, "head_force_noise");
        require_positive(p.height_noise, where, "height_noise");
        require_positive(p.force_noise, where, "force_noise");
        require_positive(p.largest_correction, where, "largest_correction");
        const int ahead = p.preview_steps.value_or(0);
        require(ahead >= 0 && ahead <= Preview::capacity, where, "preview_steps is ", ahead, ", must be from 0 to ",
                Preview::capacity);
    }

    template <class = void>
    void design_regulator(const plant::SampledModel& rig);
    template <class = void>
    void design_observer(const plant::SampledModel& rig);

    /// The state at rest under the force just read.
    [[nodiscard]] Memory at_rest(const Exchange& e) const noexcept {
        Memory m;
        const double penetration = e.strip_force / p_.rig.pad_stiffness;
        m.estimate = penetration * filter_at_rest_;
        m.estimate[plant::motor_height] = e.strip.height;
        m.estimate[plant::head_height] = e.strip.height + penetration;
        m.estimate[np_] = e.strip_force;
        m.mass << e.reference.height, 0.0, 0.0;
        m.wire = e.wire.height;
        m.pending = Column<MaxPending>::Constant(pending_, e.strip.height);
        return m;
    }

    Params p_;
    double dt_;
    Eigen::Index np_ = 0, pending_ = 0;
    int preview_steps_ = 0;
    Row<MaxS> K_;
    double K_plant_heights_ = 0.0, k_f_ = 0.0, ramp_gain_ = 0.0;
    double regulator_radius_ = 0.0, observer_radius_ = 0.0;
    Eigen::Matrix<double, Eigen::Dynamic, 2, 0, MaxP, 2> filter_;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, MaxP, MaxP> observer_A_;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, MaxP, MaxPending + 1> observer_B_;  // of w[t-n], ..., w[t]
    Column<MaxP> predicted_, filter_at_rest_;  // at rest: the filter states in [p; d] per metre of penetration
    Row<MaxP> force_;
    Memory memory_{};
    double command_ = 0.0;
    bool fresh_ = true;
};

static_assert(Controller<Lqg>);

using LqgPlus [[deprecated("is called Lqg now; the controller as the paper prints it is PaperLqg")]] = Lqg;
using LqgPlusParams [[deprecated("is called LqgParams now")]] = LqgParams;

template <class>
Lqg::Lqg(const Params& p, double dt) : p_((validate(p), p)), dt_(dt) {
    plant::RigParams with_head = p.rig;
    with_head.pantograph = {Eigen::VectorXd::Constant(1, p.head_mass.value_or(p.rig.pantograph.mass[0])),
                            Eigen::VectorXd::Constant(1, p.head_damping), Eigen::VectorXd::Zero(1)};
    const plant::SampledModel rig = plant::sampled_model(with_head, dt);
    np_ = rig.size();
    pending_ = rig.pending();
    preview_steps_ =
        p.preview_steps.value_or(std::min(Preview::capacity, linalg::split_delay(p.rig.loop_delay()).rounded_up() + 1));
    design_regulator(rig);
    design_observer(rig);
    reset(Motion{});
}

template <class>
LinearController Lqg::linear_model() const {
    const Eigen::Index no = np_ + 1, mass = no, pending = no + 3, size = pending + pending_;
    Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(2, no);
    seen(0, plant::motor_height) = 1.0;
    seen.row(1).head(np_) = force_;
    const Eigen::MatrixXd updated = Eigen::MatrixXd::Identity(no, no) - filter_ * seen;
    Eigen::RowVectorXd on_estimate(no);
    on_estimate << -K_.segment(3, np_), k_f_;
    LinearController c{Eigen::MatrixXd::Zero(size, size), Eigen::MatrixXd::Zero(size, 5),
                       Eigen::RowVectorXd::Zero(size), Eigen::RowVectorXd::Unit(5, 2)};
    c.C << on_estimate * updated, -K_.head<3>(), -K_.tail(pending_);
    c.D.head<2>() = on_estimate * filter_;
    c.A.topLeftCorner(no, no) = observer_A_ * updated;
    c.A.block(0, pending, no, pending_) = observer_B_.leftCols(pending_);
    c.A.topRows(no) += observer_B_.col(pending_) * c.C;
    c.B.topLeftCorner(no, 2) = observer_A_ * filter_;
    c.B.topRows(no) += observer_B_.col(pending_) * c.D;
    c.B.block(mass, 2, 3, 3).setIdentity();
    for (Eigen::Index j = 0; j + 1 < pending_; ++j) c.A(pending + j, pending + j + 1) = 1.0;
    if (pending_ > 0) {
        c.A.row(size - 1) = c.C;
        c.B.row(size - 1) = c.D;
    }
    return c;
}

template <class>
void Lqg::design_regulator(const plant::SampledModel& rig) {
    const dynamics::NewmarkOscillator<double> mass(p_.interaction_mass, dt_);
    const Eigen::Index p = 3, pending = p + np_, n = pending + pending_;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    A.topLeftCorner(3, 3) = mass.A();
    A.block(0, p, 3, np_) = mass.B() * rig.force;
    A.block(p, p, np_, np_) = rig.A;
    // The newest command in transit is the last entry; this cycle's is u_i+ + u.
    for (Eigen::Index j = 1; j <= pending_; ++j) A.block(p, n - j, np_, 1) = rig.command.col(j);
    for (Eigen::Index j = pending; j + 1 < n; ++j) A(j, j + 1) = 1.0;
    Eigen::VectorXd B_u = Eigen::VectorXd::Zero(n);
    B_u.segment(p, np_) = rig.command.col(0);
    if (pending_ > 0) B_u[n - 1] = 1.0;
    const Eigen::RowVectorXd u_i = A.row(0);
    A += B_u * u_i;
    Eigen::RowVectorXd error = Eigen::RowVectorXd::Zero(n);
    error[0] = 1.0;
    error[p + plant::motor_height] = -1.0;
    Eigen::VectorXd small = Eigen::VectorXd::Constant(n, p_.state_weight);
    small.segment(p + 4, np_ - 4) *= p_.rig.pad_stiffness * p_.rig.pad_stiffness;  // penetrations, weighted as forces
    Eigen::MatrixXd Q = p_.error_weight * error.transpose() * error;
    Q.diagonal() += small;
    const auto regulator = lqr(A, B_u, Q, Eigen::MatrixXd::Constant(1, 1, p_.effort_weight));
    K_ = regulator.K;
    regulator_radius_ = regulator.closed_loop_radius;

    Eigen::VectorXd heights = Eigen::VectorXd::Zero(n), head_force = Eigen::VectorXd::Zero(n);
    heights[0] = heights[p + plant::motor_height] = heights[p + plant::head_height] = 1.0;
    heights.tail(pending_).setOnes();
    K_plant_heights_ = K_[p + plant::motor_height] + K_[p + plant::head_height];
    head_force.segment(p, np_) = rig.head_force;
    const Eigen::MatrixXd still = Eigen::MatrixXd::Identity(n, n) - A;
    k_f_ = K_.dot(still.partialPivLu().solve(head_force));

    Eigen::VectorXd wire = Eigen::VectorXd::Zero(n), wire_speed = Eigen::VectorXd::Zero(n);
    wire.head(3) = mass.B() * p_.interaction_mass.stiffness;
    wire += B_u * wire[0];
    if (p_.interaction_mass.damper == plant::MassDamper::wire) {
        wire_speed.head(3) = mass.B() * p_.interaction_mass.damping;
        wire_speed += B_u * wire_speed[0];
    }
    Eigen::MatrixXd ramp(n + 1, n + 1);
    ramp << still, -B_u, error, 0.0;
    Eigen::VectorXd right(n + 1);
    right << (wire - heights) * dt_ + wire_speed, 0.0;
    const Eigen::VectorXd S_1 = ramp.partialPivLu().solve(right);
    ramp_gain_ = K_.dot(S_1.head(n)) + S_1[n];
}

template <class>
void Lqg::design_observer(const plant::SampledModel& rig) {
    const Eigen::Index no = np_ + 1;
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(no, no), C = Eigen::MatrixXd::Zero(2, no);
    A.topLeftCorner(np_, np_) = rig.A;
    A.topRightCorner(np_, 1) = rig.head_force;
    C(0, plant::motor_height) = 1.0;
    C.row(1).head(np_) = rig.force;
    const double sf = p_.head_force_noise;
    Eigen::VectorXd small = Eigen::VectorXd::Constant(np_, 1e-14);
    small.tail(np_ - 4) /= p_.rig.pad_stiffness * p_.rig.pad_stiffness;
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(no, no);
    W.topLeftCorner(np_, np_) = sf * sf * rig.head_force * rig.head_force.transpose();
    W.diagonal().head(np_) += small;
    W(np_, np_) = 1e-4 * sf * sf + 1e-9;  // d walks by a hundredth of the force noise per step
    const Eigen::Vector2d readings(p_.height_noise * p_.height_noise, p_.force_noise * p_.force_noise);
    const auto observer = kalman_gains(A, C, W, Eigen::MatrixXd(readings.asDiagonal()));
    filter_ = observer.filter;
    observer_radius_ = observer.radius;
    observer_A_ = A;
    observer_B_ = Eigen::MatrixXd::Zero(no, pending_ + 1);
    for (Eigen::Index j = 0; j <= pending_; ++j) observer_B_.col(pending_ - j).head(np_) = rig.command.col(j);
    force_ = rig.force;
    predicted_ = Eigen::VectorXd::Zero(no);
    filter_at_rest_ = plant::filter_at_rest(p_.rig.force_filter, 4, no);
    memory_.estimate = predicted_;
    memory_.pending = Column<MaxPending>::Zero(pending_);
}

#ifdef PANTO_COMPILED
extern template Lqg::Lqg(const LqgParams&, double);
extern template LinearController Lqg::linear_model() const;
#endif

}  // namespace panto::control
