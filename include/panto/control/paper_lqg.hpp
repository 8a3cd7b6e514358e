// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The LQG controller of the HiL paper [Sec. 4 and App. C] as printed, for comparison only.
///
///     x = [x_i(3); x_m(3); x_p(3); z_m],   x[t+1] = A x[t] + B_z z_c[t+1] + B_u u[t+1] + B_f f_p
///     u[t+1] = -K x^[t],   r[t+1] = u_i[t+1] + u[t+1]
///     x^[t+1] = A x^[t] + B_z z_c[t+1] + B_u u[t+1] + L (y[t] - C x^[t]),   y = [u_i, u_m]
///
/// x_i, x_m and x_p hold height, speed and acceleration of interaction mass, motor and pantograph. z_m[t] is the
/// correction u[t], z_c the height of the wire, f_p a force on the pantograph. All models are Newmark models (with the
/// corrected input matrix). The paper leaves the pad stiffness open; here k_h = k_p by default. The noise parameters of
/// its Table 3 are taken as standard deviations.
///
/// Its defects: The feedback acts on absolute positions (K times a vector of ones is 0.66 instead of 0), so at a
/// constant wire height z_c the motor stays at 0.41 z_c. Its motor model uses the reference at the end of a period, but
/// a drive holds the previous one; the loop is then unstable on a DSA 380. It is stable only in a narrow range of pad
/// stiffness, so it diverges after a loss of contact. docs/control.md has the numbers. Use Lqg instead.

#pragma once

#include <panto/control/closed_loop.hpp>
#include <panto/control/concepts.hpp>
#include <panto/control/kalman.hpp>
#include <panto/control/lqr.hpp>
#include <panto/plant/interaction_mass.hpp>
#include <panto/plant/rig.hpp>

namespace panto::control {

/// Defaults: Tables 2 and 3.
struct PaperLqgParams {
    plant::RigParams rig{};  ///< the rig it works on; only motor and pad stiffness enter the design
    plant::InteractionMassParams interaction_mass{};  ///< that of the coupling; its damper must end on the ground
    dynamics::OscillatorParams<double> pantograph{5.3, 10.0, 240e3};  ///< of the observer's model
    double error_weight = 5.0;                                        ///< Q, per m^2 of u_i - u_m
    double effort_weight = 1.0;                                       ///< R, per m^2 of the correction u
    double process_noise = 10.0;      ///< Q_kf, N, standard deviation of the force on the pantograph
    double measurement_noise = 1e-3;  ///< R_kf, m, standard deviation of u_i and u_m alike
};

/// Equation (26) with the blocks of App. C.
struct PaperLqgPlant {
    Matrix<double, 10> A = {};
    Vector<double, 10> B_z = {};  ///< wire height at the end of the step
    Vector<double, 10> B_u = {};  ///< correction
    Vector<double, 10> B_f = {};  ///< force on the pantograph
    Matrix<double, 2, 10> C = {};
};

/// @throws SetupError if a mass, stiffness or dt is not positive or a damping negative.
template <class = void>
[[nodiscard]] PaperLqgPlant paper_lqg_plant(const PaperLqgParams& p, double dt) {
    const char* where = "control::PaperLqg";
    const auto part = [&](const dynamics::OscillatorParams<double>& o, const char* name) {
        dynamics::require_oscillator(o, where, name);
        require_positive(o.stiffness, where, name, ".stiffness");
        return dynamics::NewmarkOscillator<double>(o, dt);
    };
    const auto i = part(p.interaction_mass, "interaction_mass");
    const auto m = part(p.rig.motor, "motor");
    const auto h = part(p.pantograph, "pantograph");
    require_positive(p.rig.pad_stiffness, where, "pad_stiffness");
    require(
        p.interaction_mass.damper == plant::MassDamper::ground, where,
        "interaction_mass.damper is MassDamper::wire, must be MassDamper::ground: the paper has no other model; use "
        "Lqg");
    // The paper's B is per metre of motion of the far end of the spring, not per newton.
    const Vector<double, 3> B_i = i.B() * p.interaction_mass.stiffness, B_m = m.B() * p.rig.motor.stiffness;
    const Vector<double, 3> B_p = h.B() * p.pantograph.stiffness;
    const Eigen::RowVector3d I_u(1.0, 0.0, 0.0);
    const double ratio = p.rig.pad_stiffness / p.interaction_mass.stiffness;

    PaperLqgPlant s;
    s.A.setZero();
    s.A.block<3, 3>(0, 0) = i.A();
    s.A.block<3, 3>(0, 3) = -ratio * B_i * I_u;
    s.A.block<3, 3>(0, 6) = ratio * B_i * I_u;
    s.A.block<3, 3>(3, 0) = B_m * I_u;
    s.A.block<3, 3>(3, 3) = m.A();
    s.A.block<3, 1>(3, 9) = B_m;
    s.A.block<3, 3>(6, 0) = B_p * B_m[0] * I_u;
    s.A.block<3, 3>(6, 3) = B_p * m.A().row(0);
    s.A.block<3, 3>(6, 6) = h.A();
    s.A.block<3, 1>(6, 9) = B_p * B_m[0];
    s.B_z << B_i, Vector<double, 7>::Zero();
    s.B_u = Vector<double, 10>::Unit(9);
    s.B_f << Vector<double, 6>::Zero(), B_p / p.rig.pad_stiffness, 0.0;
    s.C.setZero();
    s.C(0, 0) = s.C(1, 3) = 1.0;
    return s;
}

/// Heights are relative to that of the strip at reset(): at that height, with everything at rest, the command is
/// the reference itself.
class PaperLqg {
  public:
    using Command = PositionCommand;
    using Params = PaperLqgParams;

    /// @param dt s.
    /// @throws SetupError if a parameter is invalid or no stabilizing gain exists.
    template <class = void>
    PaperLqg(const Params& p, double dt);

    /// sensor_implausible if an input is not finite, not_finite if the result is not: then the last command is repeated
    /// and the state is unchanged. @rt
    [[nodiscard]] Result<Command> update(const Exchange& e) noexcept {
        if (!is_finite(e.strip.height) || !is_finite(e.reference.height) || !is_finite(e.wire.height))
            return {{command_}, Status::sensor_implausible};
        const double command = e.reference.height - K_.dot(x_);
        next_.noalias() = observer_A_ * x_;
        next_ += plant_.B_z * (e.wire.height - datum_);
        next_ += L_.col(0) * (reference_ - datum_) + L_.col(1) * (e.strip.height - datum_);
        if (!is_finite(command) || !is_finite(next_.sum())) return {{command_}, Status::not_finite};
        x_ = next_;
        reference_ = e.reference.height;
        command_ = command;
        return {{command}, Status::ok};
    }

    /// Starts anew with the strip at rest at `at.height`, which becomes the datum of all heights. @rt
    void reset(const Motion& at) noexcept {
        if (!is_finite(at.height)) return;
        datum_ = reference_ = command_ = at.height;
        x_.setZero();
    }

    /// For closed_loop_radius(): the observer's state and the last reference.
    template <class = void>
    [[nodiscard]] LinearController linear_model() const;

    [[nodiscard]] const Eigen::Matrix<double, 1, 10>& K() const noexcept { return K_; }
    [[nodiscard]] const Matrix<double, 10, 2>& L() const noexcept { return L_; }  ///< predictor gain
    [[nodiscard]] const PaperLqgPlant& plant() const noexcept { return plant_; }
    [[nodiscard]] double regulator_radius() const noexcept { return regulator_radius_; }  ///< of A - B_u K
    [[nodiscard]] double observer_radius() const noexcept { return observer_radius_; }    ///< of A - L C
    [[nodiscard]] double dt() const noexcept { return dt_; }                              ///< s
    [[nodiscard]] const Params& params() const noexcept { return p_; }
    [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return p_.rig; }  ///< the rig it is made for
    /// The interaction mass it is made for.
    [[nodiscard]] const plant::InteractionMassParams& interaction_mass() const noexcept { return p_.interaction_mass; }

  private:
    Params p_;
    PaperLqgPlant plant_;
    double dt_;
    Eigen::Matrix<double, 1, 10> K_;
    Matrix<double, 10, 2> L_;
    Matrix<double, 10> observer_A_;  // A - B_u K - L C
    double regulator_radius_ = 0.0, observer_radius_ = 0.0;
    Vector<double, 10> x_ = Vector<double, 10>::Zero(), next_ = x_;
    double datum_ = 0.0, reference_ = 0.0, command_ = 0.0;
};

static_assert(Controller<PaperLqg>);

template <class>
PaperLqg::PaperLqg(const Params& p, double dt) : p_(p), plant_(paper_lqg_plant(p, dt)), dt_(dt) {
    const char* where = "control::PaperLqg";
    require_not_negative(p.error_weight, where, "error_weight");
    require_positive(p.effort_weight, where, "effort_weight");
    require_positive(p.process_noise, where, "process_noise");
    require_positive(p.measurement_noise, where, "measurement_noise");
    // Dynamic sizes: this runs once, and every fixed size would be compiled separately.
    const Eigen::MatrixXd A = plant_.A, B = plant_.B_u, C = plant_.C, B_f = plant_.B_f;
    Eigen::VectorXd error = Eigen::VectorXd::Zero(10);
    error[0] = 1.0, error[3] = -1.0;
    const auto regulator = lqr(A, B, Eigen::MatrixXd(p.error_weight * error * error.transpose()),
                               Eigen::MatrixXd::Constant(1, 1, p.effort_weight));
    K_ = regulator.K;
    regulator_radius_ = regulator.closed_loop_radius;
    const auto observer =
        kalman_gains(A, C, Eigen::MatrixXd(p.process_noise * p.process_noise * B_f * B_f.transpose()),
                     Eigen::MatrixXd(p.measurement_noise * p.measurement_noise * Eigen::MatrixXd::Identity(2, 2)));
    L_ = observer.predictor;
    observer_radius_ = observer.radius;
    observer_A_ = A - B * regulator.K - observer.predictor * C;
}

template <class>
LinearController PaperLqg::linear_model() const {
    LinearController c{Eigen::MatrixXd::Zero(11, 11), Eigen::MatrixXd::Zero(11, 5), Eigen::RowVectorXd::Zero(11),
                       Eigen::RowVectorXd::Unit(5, 2)};
    c.A.topLeftCorner<10, 10>() = observer_A_;
    c.A.topRightCorner<10, 1>() = L_.col(0);
    c.B.topLeftCorner<10, 1>() = L_.col(1);
    c.B(10, 2) = 1.0;
    c.C.head<10>() = -K_;
    return c;
}

#ifdef PANTO_COMPILED
extern template PaperLqgPlant paper_lqg_plant(const PaperLqgParams&, double);
extern template PaperLqg::PaperLqg(const PaperLqgParams&, double);
extern template LinearController PaperLqg::linear_model() const;
#endif

}  // namespace panto::control
