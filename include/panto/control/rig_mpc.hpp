// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Predictive impedance control of the rig of plant/rig.hpp: delayed commands and readings, a force filter, a stiff
/// pad. Like control/impedance_mpc.hpp, it finds the command of the drive and the correction F_cor of the force on the
/// virtual line in one optimization, with limits from the balance of energy. On a stiff pad the force changes within
/// the delays, so the force is predicted over the horizon and not held constant:
///
///     rig   x+ = A x + B w + B_d d ,   F = k_h (u_p - u_m)
///     line  z[j] = z_P[j] + sum_{i<=j} h[j,i] (F[i] + F_cor[i] - P) ,   likewise its speed
///
/// with w the command that acts on the motor (the commands of the first cycles are in transit already), u_m and u_p the
/// heights of motor and head, and k_h the stiffness of the pad. x and the force d on the head come from a
/// ContactObserver. z_P is the predicted motion of the line under the present force P, slack droppers included, and h
/// the response of the line to the force (catenary::periodic_response). Over delay and `horizon` the controller
/// minimizes
///
///     sum q_1 e^2 + q_2 e'^2 + q_3 Dp^2  +  sum R rho^2 + S (rho - rho_before)^2 + R_F F_cor^2
///
/// with e = u_m - z, Dp as in control/impedance_mpc.hpp, and rho the command less r_ff, with which the motor follows
/// the line:
///
///     r_ff = z + (c z' + m z'') / k          with damping c, mass m and stiffness k of the motor.
///
/// Only F_cor of the coming cycle has limits, so a cycle only multiplies two rows of gains, as in
/// control/impedance_mpc.hpp.
///
/// For rig::Cycle. The horizon is longer than Preview::capacity, so the cycle predicts the line under a constant force
/// and not, as for PredictiveLqg, under changing ones; the effect of the changes comes from h.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/control/contact_observer.hpp>
#include <panto/control/force_correction.hpp>
#include <panto/control/modelled_passage.hpp>
#include <panto/linalg/hold.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::control {

struct RigMpcParams {
    plant::RigParams rig{};  ///< of the pantograph, only the head is used
    ContactObserverParams observer{};
    int horizon = 25;                                     ///< cycles beyond the delay
    std::array<double, 3> error_weight{1.0, 1e-4, 1e-3};  ///< of e, m^-2, e', (m/s)^-2, and Dp, (N s)^-2
    double effort_weight = 1e-4;                          ///< R, m^-2
    double rate_weight = 0.185;                           ///< S, m^-2
    double correction_weight = 5e-5;                      ///< R_F, N^-2
    ForceCorrectionParams balance{};                      ///< its dt must be 0 or that of the line
    double largest_rate = 8.0;                            ///< m/s, bound on the change of the command
};

class RigMpc {
  public:
    using Command = PositionCommand;
    using Params = RigMpcParams;

    /// @param line  responses of the line to the force, such as catenary::PeriodicResponse: one step per cycle, from
    /// the start of the run, with at least as many columns as delay and horizon have cycles
    /// @throws SetupError naming the field, its value and what is allowed; the delays must be whole periods, at
    /// least 1.
    template <class Line>
        requires requires(const Line& line) {
            { line.answer[0] } -> std::convertible_to<const Eigen::MatrixXd&>;
            { line.dt } -> std::convertible_to<double>;
        }
    RigMpc(const Params& p, const Line& line)
        : p_(validated(p, line.dt)),
          observer_(p_.rig, p_.observer, line.dt),
          balance_(p_.balance),
          passage_(modelled_passage(line, "control::RigMpc")) {
        set_up(line.answer);
    }

    /// Refuses a line that differs in its properties, its speed, or its start in the span from the line that the
    /// controller is made for.
    /// @throws SetupError as require_passage.
    template <class Catenary>
    void require_line(const Catenary& line, std::string_view where) const {
        if constexpr (requires { line.time(); })  // a Cycle starts its line anew
            require_passage(passage_, static_cast<double>(laws_.size()) * dt(), line.time(), line, where);
    }

    /// Takes the readings of the cycle and returns the force on the line, N: estimated contact force plus correction.
    /// To be called once per cycle, before update(). @rt
    template <class = void>
    [[nodiscard]] double contact_force(const Exchange& e) noexcept {
        force_ = observer_.take(e);
        return force_ + correction();
    }
    /// Takes the predicted motion of the line under the present force. Once per cycle, before update(). @rt
    void look_ahead(std::span<const Motion> wire) noexcept {
        const std::size_t n = std::min(wire.size(), ahead_.size());
        std::copy_n(wire.begin(), n, ahead_.begin());
        seen_ = n == ahead_.size();
    }

    /// Returns sensor_implausible and repeats the last command if an input is not finite or look_ahead() was not
    /// called. Returns saturated if the rate of the command was limited. @rt
    template <class = void>
    [[nodiscard]] Result<Command> update(const Exchange& e) noexcept {
        if (++phase_ == static_cast<int>(laws_.size())) phase_ = 0;
        const bool foretold = std::exchange(seen_, false);
        if (!foretold || !is_finite(e.wire) || !is_finite(e.wire_force) || !is_finite(e.strip.height) ||
            !is_finite(e.strip_force) || observer_.fresh())
            return {{command_}, Status::sensor_implausible};
        ContactObserver::State x = observer_.state();
        known_.head<4>() = x.head<4>();
        known_.segment(4, delay_) = observer_.pending();
        known_[4 + delay_] = observer_.lift();
        known_[5 + delay_] = e.wire_force;
        known_[6 + delay_] = balance_.record().total.momentum;
        Eigen::Index at = 7 + delay_;
        known_.segment<2>(at) << e.wire.height, e.wire.speed;
        for (const Motion& m : ahead_) known_.segment<2>(at += 2) << m.height, m.speed;
        if (!is_finite(known_.sum())) return {{command_}, Status::sensor_implausible};
        if (before_.known) {
            const double rig_work = 0.5 * (before_.force + force_) * (x[plant::motor_height] - before_.height),
                         line_work = 0.5 * (before_.on_line + e.wire_force) * (e.wire.height - before_.wire);
            static_cast<void>(balance_.settle(rig_work - line_work));
        }
        before_ = {true, force_, x[plant::motor_height], e.wire.height, e.wire_force};

        for (int j = 0; j < delay_; ++j) x = observer_.advanced(x, j);
        const auto& laws = laws_[static_cast<std::size_t>(phase_)];
        const Law& law = laws[observer_.pressed(x) > 0.0 ? 1 : 0];
        const double command = law.gains.col(0).dot(known_), wanted = law.gains.col(1).dot(known_);
        if (const Status s = balance_.step(force_, known_[plant::motor_speed], e.wire.speed, wanted); s != Status::ok)
            return {{command_}, s};
        const double asked = command + law.share * (correction() - wanted), step = p_.largest_rate * p_.balance.dt;
        const double sent = std::clamp(asked, command_ - step, command_ + step);
        if (!is_finite(asked) || !observer_.advance(sent)) return {{command_}, Status::not_finite};
        command_ = sent;
        return {{sent}, sent == asked ? Status::ok : Status::saturated};
    }

    /// Starts anew with the strip at rest at `at.height` and the line one step before its start, as in the first cycle
    /// of a run. @rt
    void reset(const Motion& at) noexcept {
        if (!is_finite(at.height)) return;
        command_ = at.height;
        observer_.reset();
        balance_.reset();
        before_ = {};
        seen_ = false;
        phase_ = 1 % static_cast<int>(laws_.size());
    }

    [[nodiscard]] double correction() const noexcept { return balance_.record().force; }  ///< N, in the next cycle
    [[nodiscard]] const CorrectionRecord& balance() const noexcept { return balance_.record(); }
    [[nodiscard]] bool contact_lost() const noexcept { return observer_.lost(); }  ///< the strip is off the pad
    [[nodiscard]] int preview_steps() const noexcept { return delay_ + p_.horizon; }
    [[nodiscard]] double dt() const noexcept { return p_.balance.dt; }              ///< s
    [[nodiscard]] double largest_rate() const noexcept { return p_.largest_rate; }  ///< m/s, of the command
    [[nodiscard]] const Params& params() const noexcept { return p_; }
    [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return p_.rig; }  ///< the rig it is made for

  private:
    /// Gains from `known_` to command and F_cor of the coming cycle without limits; `share` is dcommand/dF_cor.
    struct Law {
        Eigen::MatrixX2d gains;
        double share = 0.0;
    };
    struct Before {
        bool known = false;
        double force = 0.0, height = 0.0, wire = 0.0, on_line = 0.0;  // N, m, m, N
    };

    template <class = void>
    static Params validated(Params p, double dt);
    template <class = void>
    void set_up(const std::vector<Eigen::MatrixXd>& answers);
    /// @param answers responses at the beginning of each cycle, from the present one on
    template <class = void>
    [[nodiscard]] Law law(const plant::SampledModel& model, double pad,
                          const std::vector<const Eigen::MatrixXd*>& answers) const;

    Params p_;
    ContactObserver observer_;
    ForceCorrection balance_;
    ModelledPassage passage_;
    int delay_ = 0, phase_ = 0;
    std::vector<std::array<Law, 2>> laws_;  // for each cycle of the period: strip off the pad, on the pad
    std::vector<Motion> ahead_;
    // Motor and head, commands in transit, d, P, Dp, height and speed of the line now and at each stage.
    Eigen::VectorXd known_;
    Before before_;
    double force_ = 0.0, command_ = 0.0;
    bool seen_ = false;
};

static_assert(Controller<RigMpc>);

template <class>
RigMpcParams RigMpc::validated(Params p, double dt) {
    const char* where = "control::RigMpc";
    require_positive(dt, where, "the line's dt");
    plant::validate(p.rig, where);
    const linalg::SplitDelay delay = linalg::split_delay(p.rig.loop_delay());
    require(delay.whole >= 1 && !(delay.part > 0.0), where, "rig.command_delay and rig.reading_delay add up to ",
            p.rig.loop_delay(), " periods, must be a whole number, at least 1; PredictiveLqg accepts any");
    require(p.horizon >= 1 && p.horizon <= 500, where, "horizon is ", p.horizon, ", must be from 1 to 500");
    for (std::size_t i = 0; i < 3; ++i) require_not_negative(p.error_weight[i], where, "error_weight[", i, "]");
    require_positive(p.effort_weight, where, "effort_weight");
    require_not_negative(p.rate_weight, where, "rate_weight");
    require_positive(p.correction_weight, where, "correction_weight");
    require_positive(p.largest_rate, where, "largest_rate");
    require_not_negative(p.balance.dt, where, "balance.dt");
    require(!(p.balance.dt > 0.0) || std::fabs(p.balance.dt - dt) <= 1e-9 * dt, where, "balance.dt is ", p.balance.dt,
            " s, must be that of the line, ", dt, " s");
    p.balance.dt = dt;
    return p;
}

template <class>
void RigMpc::set_up(const std::vector<Eigen::MatrixXd>& answers) {
    const char* where = "control::RigMpc";
    delay_ = linalg::split_delay(p_.rig.loop_delay()).whole;
    const int stages = delay_ + p_.horizon;
    require(!answers.empty(), where, "the line has no answers, must have one for each cycle of its period");
    for (std::size_t k = 0; k < answers.size(); ++k)
        require(answers[k].rows() == 2 && answers[k].cols() >= stages && answers[k].allFinite(), where,
                "the line's answer[", k, "] is ", answers[k].rows(), " by ", answers[k].cols(),
                ", must have 2 rows, at least as many columns as delay and horizon have cycles, ", stages,
                ", and be finite");
    const plant::RigParams head = ContactObserver::with_head(p_.rig, p_.observer);
    const double dt = p_.balance.dt;
    const auto closed = plant::sampled_model(head, dt),
               open = plant::sampled_model(head, dt, plant::Hold::zero_order, plant::Contact::open);
    const auto period = answers.size();
    std::vector<const Eigen::MatrixXd*> from(static_cast<std::size_t>(stages) + 1);
    for (std::size_t k = 0; k < period; ++k) {
        for (std::size_t j = 0; j < from.size(); ++j) from[j] = &answers[(k + j) % period];
        laws_.push_back({law(open, 0.0, from), law(closed, p_.rig.pad_stiffness, from)});
    }
    ahead_.resize(static_cast<std::size_t>(stages));
    known_.setZero(7 + delay_ + 2 * (stages + 1));
}

template <class>
RigMpc::Law RigMpc::law(const plant::SampledModel& model, double pad,
                        const std::vector<const Eigen::MatrixXd*>& answers) const {
    using Eigen::Index, Eigen::MatrixXd;
    const Index N = p_.horizon, d = delay_, M = d + N;
    // All rows are affine in [u_0 .. u_{N-1}, F_cor_1 .. F_cor_M | known].
    const Index inputs = N + M, x_at = inputs, sent = x_at + 4, lift = sent + d, held = lift + 1, momentum = held + 1,
                wire = momentum + 1, all = wire + 2 * (M + 1);
    const Eigen::Matrix4d A = model.A.topLeftCorner<4, 4>();
    const Eigen::Vector4d B = model.command.col(d).head<4>(), Bd = model.head_force.head<4>();
    MatrixXd x = MatrixXd::Zero(4 * (M + 1), all), force = MatrixXd::Zero(M + 1, all),
             z = MatrixXd::Zero(2 * (M + 1), all);
    x.block(0, x_at, 4, 4).setIdentity();
    z.block(0, wire, 2, 2).setIdentity();
    for (Index j = 1; j <= M; ++j) {
        auto now = x.middleRows(4 * j, 4);
        now = A * x.middleRows(4 * (j - 1), 4);
        now.col(j <= d ? sent + j - 1 : j - 1 - d) += B;
        now.col(lift) += Bd;
        force.row(j) = pad * (now.row(plant::head_height) - now.row(plant::motor_height));
        force(j, N + j - 1) += 1.0;  // F_cor
        force(j, held) -= 1.0;
        z.block(2 * j, wire + 2 * j, 2, 2).setIdentity();
        for (Index i = 1; i <= j; ++i)
            z.middleRows(2 * j, 2) += answers[static_cast<std::size_t>(j)]->col(j - i) * force.row(i);
    }
    const auto& motor = p_.rig.motor;
    const double c = motor.damping / motor.stiffness, m = motor.mass / (motor.stiffness * p_.balance.dt);
    MatrixXd rho(N + 1, all);  // rho of the last command in transit, then of u_0 to u_{N-1}
    for (Index j = 0; j <= N; ++j) {
        const Index a = 2 * (d + j - 1), b = a + 2;
        rho.row(j) =
            -0.5 * (z.row(a) + z.row(b)) - 0.5 * c * (z.row(a + 1) + z.row(b + 1)) - m * (z.row(b + 1) - z.row(a + 1));
        rho(j, j == 0 ? sent + d - 1 : j - 1) += 1.0;
    }
    MatrixXd Y = MatrixXd::Zero(4 * M + 2 * N, all);
    Index row = 0;
    const auto add = [&](double weight, const auto& values) { Y.row(row++) = std::sqrt(weight) * values; };
    Eigen::RowVectorXd leak = Eigen::RowVectorXd::Unit(all, momentum);
    for (Index j = 1; j <= M; ++j) {
        add(p_.error_weight[0], x.row(4 * j + plant::motor_height) - z.row(2 * j));
        add(p_.error_weight[1], x.row(4 * j + plant::motor_speed) - z.row(2 * j + 1));
        leak[N + j - 1] -= p_.balance.dt;
        add(p_.error_weight[2], leak);
        Y(row++, N + j - 1) = std::sqrt(p_.correction_weight);
    }
    for (Index j = 1; j <= N; ++j) {
        add(p_.effort_weight, rho.row(j));
        add(p_.rate_weight, rho.row(j) - rho.row(j - 1));
    }
    const auto G = Y.leftCols(inputs);
    MatrixXd first = MatrixXd::Zero(inputs, 2);
    first(0, 0) = first(N, 1) = 1.0;
    const MatrixXd inverse = MatrixXd(G.transpose() * G).llt().solve(first);
    return {-(Y.rightCols(all - inputs).transpose() * (G * inverse)), inverse(0, 1) / inverse(N, 1)};
}

}  // namespace panto::control
