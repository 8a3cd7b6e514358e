// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One predictive controller for a drive and the force on a virtual line [predictive paper, Sec. 3]. Over a horizon it
/// predicts the drive, the line and the momentum between them,
///
///     drive  z+ = A z + B [u; F],     line  w+ = A_k w + B_k (F + F_cor),     Dp+ = Dp - T F_cor,
///
/// with the states z and w, the command u and the cycle T; F is held at its present reading. With e = height of the
/// drive less that of the line, it minimizes
///
///     J = sum_{i=1..N} q_1 e[i]^2 + q_2 e'[i]^2 + q_3 Dp[i]^2 + sum_{i=0..N-1} r_1 u[i]^2 + r_2 F_cor[i]^2 .
///
/// J is a quadratic form with the Hessian H; both are periodic, as the line is. F_cor of the coming step is the only
/// variable with limits (control/force_correction.hpp). So the solution U follows from the one without limits, U*, with
/// its F_cor = F*, and from one column of the inverse: U = U* - H^-1 e_F (F* - F_cor) / (H^-1)_FF . A cycle therefore
/// only multiplies two rows of gains by the known quantities, and the result is exact.
///
/// The line is given either by the state of its linear model, or by its predicted motion over the horizon under the
/// present force, from any PredictiveCatenary. The second way also works for nonlinear lines: the linear model then
/// only gives the changes caused by F_cor.

#pragma once

#include <panto/control/drive_work.hpp>
#include <panto/control/force_correction.hpp>
#include <panto/control/modelled_passage.hpp>
#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/dynamics/periodic_system.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace panto::control {

struct ImpedanceMpcParams {
    StateSpace drive{};  ///< its dt is the cycle; inputs [command, contact force], outputs [height, speed]
    int horizon = 25;    ///< cycles; at 170 Hz 0.15 s
    /// q_1 of e, m^-2, q_2 of e', (m/s)^-2, and q_3 of Dp, (N s)^-2; from Table 2 of the paper, where errors are in mm.
    std::array<double, 3> error_weight{1e6, 1e2, 1e3};
    std::array<double, 2> input_weight{1.0, 50.0};  ///< r_1 of u, m^-2, r_2 of F_cor, N^-2
    ForceCorrectionParams balance{};                ///< its dt must be 0 or that of the drive
    double lowest = -std::numeric_limits<double>::infinity(), highest = std::numeric_limits<double>::infinity();  ///< m
    bool accept_other_drive = false;  ///< loops take a rig with another drive than this model, for a study
};

/// Result of a cycle.
struct ImpedanceRecord {
    double command = 0.0;                                  ///< m
    double height_error = 0.0, speed_error = 0.0;          ///< m, m/s; drive less line, before the step
    double wanted_command = 0.0, wanted_correction = 0.0;  ///< m, N; the optimum without limits
    bool energy_active = false, command_active = false;    ///< whether a limit changed correction or command
};

class ImpedanceMpc {
  public:
    using Params = ImpedanceMpcParams;

    /// @param line a PeriodicSystem with one sample per cycle, such as catenary::PeriodicStateSpace. The rows of C are
    /// height and speed at the contact; for each cycle, `rest` holds height and speed of the static shape there. If it
    /// has members `speed`, m/s, `start`, m, and `line`, a loop compares its own line with them
    /// (control/modelled_passage.hpp)
    /// @throws SetupError naming the field, its value and what is allowed.
    template <PeriodicSystem Line>
        requires requires(const Line& line) { line.rest[0][1]; }
    ImpedanceMpc(const Params& p, const Line& line)
        : p_(with_dt(p)), balance_(p_.balance), passage_(modelled_passage(line, where)) {
        set_up(line.A, line.B, line.C, line.rest, line.dt);
        warn_of_line(dynamics::period_radius(line));
    }
    /// For lines that predict their motion: it is enough to know how they respond to the force.
    /// @param line has the members dt and `answer`, such as catenary::PeriodicResponse. answer[m] is a matrix for cycle
    /// m of the period. Its rows are height, m/N, and speed, m/s/N, at the beginning of cycle m. Column i - 1 is the
    /// response to 1 N held over cycle m - i; there are at least `horizon` columns
    /// @throws SetupError as above.
    template <class Line>
        requires requires(const Line& line) {
            { line.answer[0] } -> std::convertible_to<const Eigen::MatrixXd&>;
            line.dt;
        }
    ImpedanceMpc(const Params& p, const Line& line)
        : p_(with_dt(p)), balance_(p_.balance), passage_(modelled_passage(line, where)) {
        set_up(line.answer, line.dt);
    }

    /// One cycle: the force measured now, the states of drive and line now, and the line's cycle in its period.
    /// @param phase number of the cycle in the period, from 0
    /// @return ok, or saturated if the command was limited. out_of_range if a size or the phase is wrong, not_finite if
    /// an input is not finite: then nothing changes. Always out_of_range if the controller was made from `answer`, as
    /// it then has no state of the line. @rt
    template <class Drive, class Line>
    Status step(double force, const Drive& drive, const Line& line, int phase) noexcept {
        if (drive.size() != nz_ || nw_ == 0 || line.size() != nw_ || phase < 0 || phase >= samples())
            return Status::out_of_range;
        if (!is_finite(force) || !is_finite(drive.sum()) || !is_finite(line.sum())) return Status::not_finite;
        const Law& law = laws_[static_cast<std::size_t>(phase)];
        const auto& rest = rest_[static_cast<std::size_t>(phase)];
        std::array<double, 2> known{};
        for (int i = 0; i < 2; ++i)
            known[static_cast<std::size_t>(i)] =
                law.line.col(i).dot(line) + (law.force[i] + law.line_force[i]) * force + law.rest[i];
        return decide(law, force, drive, line_C_.col(0).dot(line) + rest[0], line_C_.col(1).dot(line) + rest[1], known);
    }

    /// The same for a line that predicts its motion.
    /// @param now   motion of the line above the strip
    /// @param ahead motion of the line at the end of each cycle of the horizon, with constant `force` and F_cor = 0
    /// @return as above; out_of_range also if `ahead` does not have `horizon` entries. @rt
    template <class Drive>
    Status step(double force, const Drive& drive, const Motion& now, std::span<const Motion> ahead,
                int phase) noexcept {
        if (drive.size() != nz_ || ahead.size() != static_cast<std::size_t>(p_.horizon) || phase < 0 ||
            phase >= samples())
            return Status::out_of_range;
        if (!is_finite(force) || !is_finite(drive.sum()) || !is_finite(now)) return Status::not_finite;
        const Law& law = laws_[static_cast<std::size_t>(phase)];
        std::array<double, 2> known{law.force[0] * force, law.force[1] * force};
        for (std::size_t j = 0; j < ahead.size(); ++j) {
            const auto row = 2 * static_cast<Eigen::Index>(j);
            for (int i = 0; i < 2; ++i)
                known[static_cast<std::size_t>(i)] +=
                    law.ahead(row, i) * ahead[j].height + law.ahead(row + 1, i) * ahead[j].speed;
        }
        if (!is_finite(known[0]) || !is_finite(known[1])) return Status::not_finite;
        return decide(law, force, drive, now.height, now.speed, known);
    }

    /// Says what the line received in the last cycle, J, if its scheme counts the work of a force in another way than
    /// F + F_cor times the rise between two readings. The balance of energy takes it; a value not finite is ignored.
    /// @rt
    void line_received(double work) noexcept { before_.line_work = work; }

    /// Sets balances and record to 0. @rt
    void reset() noexcept {
        balance_.reset();
        record_ = {};
        before_ = {};
        rig_.reset();
    }

    [[nodiscard]] double command() const noexcept { return record_.command; }             ///< m, to apply now
    [[nodiscard]] double correction() const noexcept { return balance_.record().force; }  ///< N, on the line, now
    [[nodiscard]] const ImpedanceRecord& record() const noexcept { return record_; }
    [[nodiscard]] const CorrectionRecord& balance() const noexcept { return balance_.record(); }
    [[nodiscard]] int samples() const noexcept { return static_cast<int>(laws_.size()); }  ///< of the line's period
    [[nodiscard]] double dt() const noexcept { return p_.drive.dt; }                       ///< s
    [[nodiscard]] const Params& params() const noexcept { return p_; }
    [[nodiscard]] const ModelledPassage& passage() const noexcept { return passage_; }  ///< of the model of the line
    [[nodiscard]] int line_states() const noexcept { return static_cast<int>(nw_); }    ///< 0 if made from `answer`
    /// Response of the line's model at the beginning of a cycle of the period, as `answer` above: rows of height, m/N,
    /// and speed, m/s/N; `horizon` columns.
    [[nodiscard]] const Eigen::MatrixXd& answer(std::size_t cycle) const { return answers_.at(cycle); }
    /// Height of the line's model, m, in this state at the beginning of a cycle of the period.
    template <class Line>
    [[nodiscard]] double line_height(const Line& line, int phase) const noexcept {
        return line_C_.col(0).dot(line) + rest_[static_cast<std::size_t>(phase)][0];
    }
    /// What the constructor accepts, although it is probably not wanted: a drive or a line whose state grows.
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

  private:
    static constexpr const char* where = "control::ImpedanceMpc";

    /// Gains from the known quantities to U*[0] = [u; F_cor], and `share`, du/dF_cor along the column of the inverse.
    /// `ahead` holds the gains on height and speed of the line at each stage. `line`, `line_force` and `rest` replace
    /// them if the line is given by the state of its linear model.
    struct Law {
        Eigen::MatrixX2d drive, line, ahead;
        Eigen::Vector2d force{0.0, 0.0}, line_force{0.0, 0.0}, momentum{0.0, 0.0}, rest{0.0, 0.0};
        double share = 0.0;
    };
    struct Before {
        bool known = false;
        double force = 0.0, wire = 0.0, line_work = no_number<double>();  // N, m, J
    };

    /// @param known the part of U*[0] due to force and line
    template <class Drive>
    Status decide(const Law& law, double force, const Drive& drive, double wire, double wire_speed,
                  const std::array<double, 2>& known) noexcept {
        const double height = drive_C_.row(0).dot(drive), speed = drive_C_.row(1).dot(drive);
        const double rig_work = rig_.take(force, height, speed);
        if (before_.known) {
            const double held = (before_.force + correction()) * (wire - before_.wire),
                         line_work = is_finite(before_.line_work) ? before_.line_work : held;
            if (const Status s = balance_.settle(rig_work - line_work); s != Status::ok) return s;
            before_.known = false;  // count this work only once, even if the step is refused
        }
        std::array<double, 2> wanted{};
        for (int i = 0; i < 2; ++i)
            wanted[static_cast<std::size_t>(i)] = law.drive.col(i).dot(drive) + known[static_cast<std::size_t>(i)] +
                                                  law.momentum[i] * balance_.record().total.momentum;
        if (const Status s = balance_.step(force, speed, wire_speed, wanted[1]); s != Status::ok) return s;
        before_ = {true, force, wire};
        const double correction = balance_.record().force, free = wanted[0] + law.share * (correction - wanted[1]),
                     command = std::clamp(free, p_.lowest, p_.highest);
        // How far one newton more in the reading moves the command. It depends on whether a limit holds F_cor, and is 0
        // at a limit of the command.
        const Eigen::Vector2d of_force = law.force + law.line_force;
        const bool limited = balance_.record().limited, clipped = command < free || command > free;
        const double moved = clipped ? 0.0 : limited ? of_force[0] - law.share * of_force[1] : of_force[0];
        rig_.answers(moved * move_[0], moved * move_[1]);
        record_ = {command, height - wire, speed - wire_speed, wanted[0], wanted[1], limited, clipped};
        return record_.command_active ? Status::saturated : Status::ok;
    }

    static Params with_dt(Params p) {
        require_positive(p.drive.dt, where, "drive.dt");
        require_not_negative(p.balance.dt, where, "balance.dt");
        if (!(p.balance.dt > 0.0)) p.balance.dt = p.drive.dt;
        return p;
    }
    template <class = void>
    void validate_drive(double dt) const;
    template <class = void>
    void validate(const std::vector<Eigen::MatrixXd>& A, const std::vector<Eigen::VectorXd>& B,
                  const Eigen::MatrixXd& C, const std::vector<std::array<double, 2>>& rest, double dt) const;
    template <class = void>
    void set_up(const std::vector<Eigen::MatrixXd>& A, const std::vector<Eigen::VectorXd>& B, const Eigen::MatrixXd& C,
                const std::vector<std::array<double, 2>>& rest, double dt);
    template <class = void>
    void set_up(const std::vector<Eigen::MatrixXd>& answers, double dt);
    template <class = void>
    void find_laws(const std::vector<Eigen::MatrixXd>& answers, const std::vector<Eigen::MatrixXd>& line_rows);
    void warn_of_line(double radius) {
        if (radius > 1.0 + 1e-9)
            warnings_.push_back("line: without a force a state grows by " + shown(radius) +
                                " in a period, and no cost counts it beyond the horizon");
    }

    Params p_;
    ForceCorrection balance_;
    ModelledPassage passage_{};
    std::vector<Eigen::MatrixXd> answers_;  // by cycle of the period
    std::vector<std::string> warnings_;
    Before before_;  // values at the beginning of the last step
    DriveWork rig_{p_.drive.dt};
    Eigen::Vector2d move_{0.0, 0.0};  // height and speed of the drive a cycle after a command of 1 m
    Eigen::Index nz_ = 0, nw_ = 0;
    Eigen::MatrixXd drive_C_;
    Eigen::MatrixX2d line_C_;  // transposed: a column for each output
    std::vector<std::array<double, 2>> rest_;
    std::vector<Law> laws_;
    ImpedanceRecord record_{};
};

template <class>
void ImpedanceMpc::validate_drive(double dt) const {
    control::validate(p_.drive, where);
    require_positive(p_.drive.dt, where, "drive.dt");
    require(p_.drive.inputs() == 2 && p_.drive.outputs() == 2, where, "drive has ", p_.drive.inputs(), " inputs and ",
            p_.drive.outputs(), " outputs, must be two, [command, contact force], and two, [height, speed]");
    require(p_.drive.D.isZero(0.0), where, "drive.D is not 0: outputs must not depend on the input of the same step");
    require(p_.horizon >= 1 && p_.horizon <= 1000, where, "horizon is ", p_.horizon, ", must be from 1 to 1000");
    for (std::size_t i = 0; i < 3; ++i) require_not_negative(p_.error_weight[i], where, "error_weight[", i, "]");
    for (std::size_t i = 0; i < 2; ++i) require_positive(p_.input_weight[i], where, "input_weight[", i, "]");
    require(std::fabs(p_.balance.dt - p_.drive.dt) <= 1e-9 * p_.drive.dt, where, "balance.dt is ", p_.balance.dt,
            " s, must be that of the drive, ", p_.drive.dt, " s");
    require(p_.lowest <= p_.highest && p_.lowest < HUGE_VAL && p_.highest > -HUGE_VAL, where, "lowest is ", p_.lowest,
            " m and highest is ", p_.highest, " m, lowest must not be above highest, and a position lie between");
    require(std::fabs(dt - p_.drive.dt) <= 1e-9 * p_.drive.dt, where, "the line's dt is ", dt,
            " s, must be that of the drive, ", p_.drive.dt, " s");
}

template <class>
void ImpedanceMpc::validate(const std::vector<Eigen::MatrixXd>& A, const std::vector<Eigen::VectorXd>& B,
                            const Eigen::MatrixXd& C, const std::vector<std::array<double, 2>>& rest, double dt) const {
    validate_drive(dt);
    require(!A.empty() && B.size() == A.size() && rest.size() == A.size(), where, "the line has ", A.size(),
            " matrices A, ", B.size(), " vectors B and ", rest.size(),
            " static heights, must be as many of each as its period has cycles");
    require(C.rows() == 2 && C.allFinite(), where, "the line's C has ", C.rows(),
            " rows, must be two, height and speed, and finite");
    for (std::size_t k = 0; k < A.size(); ++k)
        require(A[k].rows() == C.cols() && A[k].cols() == C.cols() && B[k].size() == C.cols() && A[k].allFinite() &&
                    B[k].allFinite() && is_finite(rest[k][0]) && is_finite(rest[k][1]),
                where, "the line's A[", k, "], B[", k, "] or rest[", k, "] is not finite or not of the ", C.cols(),
                " states of its C");
}

template <class>
void ImpedanceMpc::set_up(const std::vector<Eigen::MatrixXd>& A, const std::vector<Eigen::VectorXd>& B,
                          const Eigen::MatrixXd& C, const std::vector<std::array<double, 2>>& rest, double dt) {
    using Eigen::MatrixXd;
    validate(A, B, C, rest, dt);
    nw_ = C.cols();
    line_C_ = C.transpose(), rest_ = rest;
    const auto N = static_cast<Eigen::Index>(p_.horizon), period = static_cast<Eigen::Index>(A.size());
    const auto at = [period](Eigen::Index k) { return static_cast<std::size_t>(((k % period) + period) % period); };
    // The line's output at cycle m depends on its state i cycles before by C A_{m-1} .. A_{m-i}, and on the force of
    // that cycle by the same product with B_{m-i} instead of A_{m-i}.
    std::vector<MatrixXd> line_rows(A.size(), MatrixXd(2 * N, nw_)), answers(A.size(), MatrixXd(2, N));
    for (Eigen::Index m = 0; m < period; ++m) {
        MatrixXd row = C;
        for (Eigen::Index i = 1; i <= N; ++i) {
            answers[at(m)].col(i - 1) = row * B[at(m - i)];
            row = (row * A[at(m - i)]).eval();
            line_rows[at(m - i)].middleRows(2 * (i - 1), 2) = row;
        }
    }
    find_laws(answers, line_rows);
}

template <class>
void ImpedanceMpc::set_up(const std::vector<Eigen::MatrixXd>& answers, double dt) {
    validate_drive(dt);
    require(!answers.empty(), where, "the line has no answers, must have one for each cycle of its period");
    for (std::size_t k = 0; k < answers.size(); ++k)
        require(answers[k].rows() == 2 && answers[k].cols() >= p_.horizon && answers[k].allFinite(), where,
                "the line's answer[", k, "] is ", answers[k].rows(), " by ", answers[k].cols(),
                ", must have 2 rows, at least as many columns as the horizon has cycles, ", p_.horizon,
                ", and be finite");
    line_C_.resize(0, 2);
    rest_.assign(answers.size(), {0.0, 0.0});
    find_laws(answers, std::vector<Eigen::MatrixXd>(answers.size(), Eigen::MatrixXd(2 * p_.horizon, 0)));
}

template <class>
void ImpedanceMpc::find_laws(const std::vector<Eigen::MatrixXd>& answers,
                             const std::vector<Eigen::MatrixXd>& line_rows) {
    using Eigen::MatrixXd;
    nz_ = p_.drive.states();
    drive_C_ = p_.drive.C;
    move_ = drive_C_ * p_.drive.B.col(0);
    for (const auto& answer : answers) answers_.push_back(answer.leftCols(p_.horizon));
    if (const double radius = linalg::spectral_radius(p_.drive.A); radius > 1.0 + 1e-9)
        warnings_.push_back("drive: without inputs a state grows by " + shown(radius) +
                            " in a cycle, and no cost counts it beyond the horizon");
    const auto& rest = rest_;
    const auto N = static_cast<Eigen::Index>(p_.horizon), period = static_cast<Eigen::Index>(answers.size());
    const auto at = [period](Eigen::Index k) { return static_cast<std::size_t>(((k % period) + period) % period); };
    // The drive's output at stage i depends on z by C A^i, on u[j] by C A^(i-1-j) B_u, on F by the sum of C A^j B_F.
    MatrixXd drive_rows(2 * N, nz_), pulse(2 * N, 2), row = drive_C_;
    for (Eigen::Index i = 0; i < N; ++i) {
        pulse.middleRows(2 * i, 2) = row * p_.drive.B;
        row = (row * p_.drive.A).eval();
        drive_rows.middleRows(2 * i, 2) = row;
    }
    // Y = free + G U. Rows 3 i to 3 i + 2 are the errors of stage i + 1, columns 2 j and 2 j + 1 the inputs of cycle j.
    MatrixXd G = MatrixXd::Zero(3 * N, 2 * N), free(3 * N, nz_ + nw_ + 4);
    Eigen::VectorXd Q(3 * N), R(2 * N);
    for (Eigen::Index i = 0; i < N; ++i) {
        Q.segment<3>(3 * i) << p_.error_weight[0], p_.error_weight[1], p_.error_weight[2];
        R.segment<2>(2 * i) << p_.input_weight[0], p_.input_weight[1];
    }
    for (Eigen::Index k = 0; k < period; ++k) {
        free.setZero();
        for (Eigen::Index i = 0; i < N; ++i) {
            const MatrixXd& answer = answers[at(k + i + 1)];
            auto rows = free.middleRows(3 * i, 2);
            rows.leftCols(nz_) = drive_rows.middleRows(2 * i, 2);
            if (nw_ > 0) rows.middleCols(nz_, nw_) = -line_rows[at(k)].middleRows(2 * i, 2);
            for (Eigen::Index j = 0; j <= i; ++j) {
                G.block(3 * i, 2 * j, 2, 1) = pulse.block(2 * (i - j), 0, 2, 1);
                G.block(3 * i, 2 * j + 1, 2, 1) = -answer.col(i - j);
                G(3 * i + 2, 2 * j + 1) = -p_.drive.dt;
                rows.col(nz_ + nw_) += pulse.block(2 * j, 1, 2, 1);
                rows.col(nz_ + nw_ + 3) -= answer.col(j);
            }
            free(3 * i + 2, nz_ + nw_ + 1) = 1.0;
            rows.col(nz_ + nw_ + 2) -= Eigen::Vector2d(rest[at(k + i + 1)][0], rest[at(k + i + 1)][1]);
        }
        const MatrixXd GQ = G.transpose() * Q.asDiagonal();
        MatrixXd H = GQ * G;
        H.diagonal() += R;
        const MatrixXd inverse = H.llt().solve(MatrixXd::Identity(2 * N, 2));
        const MatrixXd of_errors = -(inverse.transpose() * GQ), gains = of_errors * free;
        Eigen::MatrixX2d ahead(2 * N, 2);
        for (Eigen::Index i = 0; i < N; ++i) ahead.middleRows(2 * i, 2) = -of_errors.middleCols(3 * i, 2).transpose();
        laws_.push_back({gains.leftCols(nz_).transpose(), gains.middleCols(nz_, nw_).transpose(), ahead,
                         gains.col(nz_ + nw_), gains.col(nz_ + nw_ + 3), gains.col(nz_ + nw_ + 1),
                         gains.col(nz_ + nw_ + 2), inverse(0, 1) / inverse(1, 1)});
    }
}

#ifdef PANTO_COMPILED
extern template void ImpedanceMpc::validate_drive(double) const;
extern template void ImpedanceMpc::set_up(const std::vector<Eigen::MatrixXd>&, double);
extern template void ImpedanceMpc::find_laws(const std::vector<Eigen::MatrixXd>&, const std::vector<Eigen::MatrixXd>&);
extern template void ImpedanceMpc::validate(const std::vector<Eigen::MatrixXd>&, const std::vector<Eigen::VectorXd>&,
                                            const Eigen::MatrixXd&, const std::vector<std::array<double, 2>>&,
                                            double) const;
extern template void ImpedanceMpc::set_up(const std::vector<Eigen::MatrixXd>&, const std::vector<Eigen::VectorXd>&,
                                          const Eigen::MatrixXd&, const std::vector<std::array<double, 2>>&, double);
#endif

}  // namespace panto::control
