// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Model-predictive control of any linear plant. Every cycle solves the quadratic program of a condensed horizon
/// (control/prediction_matrices.hpp) with limits on inputs, their moves, states and outputs, hard or soft. The plant is
/// constant, periodic or follows a schedule (control/model_sequence.hpp).
///
/// Offset-free: a Kalman filter with precomputed gains estimates the state and one constant disturbance per output. The
/// cost refers to the steady state in which, under that disturbance, the outputs equal the value of the reference at
/// the end of the horizon [Pannocchia 2003]. For a periodic plant, this is the motion that repeats itself.
///
/// If the program has no solution in a cycle, the last plan is continued by one step, within the limits. These
/// fallbacks are counted; more than `most_fallbacks` in a row end in Status::infeasible. A solve that ends early (see
/// limit_iterations() and stop_when()) at a point that keeps all constraints is no fallback: its plan is used.
///
/// An input that begins outside its limits returns into them as fast as the limits of its moves allow.

#pragma once

#include <panto/control/model_sequence.hpp>
#include <panto/control/mpc_limits.hpp>
#include <panto/control/mpc_params.hpp>
#include <panto/control/prediction_matrices.hpp>
#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/linalg/spectral_radius.hpp>
#include <panto/opt/quadratic_program.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::control {

/// The controller for vectors of inputs, outputs and references; MpcPosition is a Controller of a drive.
class Mpc {
  public:
    /// @throws SetupError naming the field, its value and what is allowed.
    template <class = void>
    explicit Mpc(const MpcParams& p) : p_(p) {
        set_up();
    }

    /// One cycle. `y` is the output measured now; column i of `reference` is the output wanted i + 1 cycles from now.
    /// If there are fewer columns than cycles in the horizon, the last one is repeated.
    /// @return ok; saturated if a soft limit is exceeded, or an input is still outside its limits; not_converged for a
    /// fallback, see fell_back(), or an early end; infeasible after too many fallbacks in a row. sensor_implausible if
    /// `y` is not finite, not_finite if `reference` is not, out_of_range if a size is wrong: in these three cases the
    /// estimate and input() stay those of the last cycle. The models move on by one cycle in every call, whatever its
    /// status. @rt
    template <class = void>
    Status step(const Eigen::VectorXd& y, const Eigen::MatrixXd& reference) noexcept {
        const ObserverStep& o = observer_[phase_];
        if (y.size() != ny_ || reference.rows() != ny_ || reference.cols() < 1) return next(Status::out_of_range);
        if (!is_finite(y.sum())) return next(Status::sensor_implausible);
        innovation_ = y;
        innovation_.noalias() -= o.C * estimate_;
        corrected_ = estimate_;
        corrected_.noalias() += o.L * innovation_;
        x_ = corrected_.head(nx_), d_ = corrected_.tail(nd_);
        const Status status = decide(x_, d_, reference);
        if (status == Status::not_finite || status == Status::out_of_range) return status;
        estimate_.noalias() = o.A * corrected_;
        estimate_.noalias() += o.B * input_;
        return status;
    }

    /// The same with a given state and disturbance, without the observer. @rt
    template <class = void>
    Status decide(const Eigen::VectorXd& x, const Eigen::VectorXd& d, const Eigen::MatrixXd& reference) noexcept {
        if (x.size() != nx_ || d.size() != nd_ || reference.rows() != ny_ || reference.cols() < 1)
            return next(Status::out_of_range);
        if (!is_finite(x.sum()) || !is_finite(d.sum()) || !is_finite(reference.sum())) return next(Status::not_finite);
        const std::size_t now = phase_;
        static_cast<void>(next(Status::ok));
        const CondensedHorizon& h = phases_[now];
        for (Eigen::Index i = 0; i < horizon_; ++i)
            wanted_.segment(i * limited_, ny_) = reference.col(std::min(i, reference.cols() - 1));
        aim_ << wanted_.segment((horizon_ - 1) * limited_, ny_), d;
        auto g = g_.head(n_);
        g.noalias() = h.g_state * x;
        g.noalias() += h.g_disturbance * d;
        g.noalias() += h.g_reference * wanted_;
        g.noalias() += h.g_input * input_;
        g.noalias() += g_aim_[now] * aim_;
        free_.noalias() = h.free_state * x;
        free_.noalias() += h.free_disturbance * d;
        place_limits();
        if (phases_.size() > 1) static_cast<void>(program_.change(hessians_[now], rows_[now]));
        const Status solved = solved_ = program_.solve(g_, limits_);
        if (solved == Status::ok || (solved == Status::not_converged && program_.feasible())) {
            in_a_row_ = 0;
            plan_ = program_.x().head(n_);
            input_ = plan_.head(nu_);
            early_ends_ += solved == Status::ok ? 0 : 1;
            const bool left = (soft_ > 0 && program_.x().tail(soft_).maxCoeff() > 1e-9) ||
                              (input_.array() < input_limits_.lower.array()).any() ||
                              (input_.array() > input_limits_.upper.array()).any();
            return solved == Status::ok && left ? Status::saturated : solved;
        }
        return fall_back();
    }

    /// Assumes that the plant is at rest with the outputs at `y`; the inputs become those that hold them there. The
    /// next cycle is that of the first model. @rt
    void reset(const Eigen::VectorXd& y) noexcept {
        if (y.size() != ny_ || !is_finite(y.sum())) return;
        aim_.setZero();
        aim_.head(ny_) = y;
        estimate_.setZero();
        estimate_.head(nx_).noalias() = steady_maps_.front().topRows(nx_) * aim_;
        const Eigen::MatrixXd& before = p_.repeats ? steady_maps_.back() : steady_maps_.front();
        input_.noalias() = before.bottomRows(nu_) * aim_;
        for (Eigen::Index i = 0; i < horizon_; ++i) plan_.segment(i * nu_, nu_) = input_;
        program_.forget();
        phase_ = 0;
        in_a_row_ = fallbacks_ = early_ends_ = 0;
        solved_ = Status::ok;
    }

    /// For a deadline, see opt::QuadraticProgram::stop_when.
    void stop_when(bool (*late)(void* of) noexcept, void* of = nullptr) noexcept { program_.stop_when(late, of); }
    /// Limits the iterations of each cycle. @throws SetupError if it is negative.
    void limit_iterations(int most) { program_.limit_iterations(most); }

    [[nodiscard]] const Eigen::VectorXd& input() const noexcept { return input_; }  ///< to be applied now
    [[nodiscard]] const Eigen::VectorXd& plan() const noexcept { return plan_; }    ///< inputs of the horizon
    [[nodiscard]] const Eigen::VectorXd& disturbance() const noexcept { return d_; }
    [[nodiscard]] int fallbacks() const noexcept { return fallbacks_; }      ///< since reset()
    [[nodiscard]] int early_ends() const noexcept { return early_ends_; }    ///< since reset()
    [[nodiscard]] bool fell_back() const noexcept { return in_a_row_ > 0; }  ///< in the last cycle
    /// Why it fell back: infeasible (proven) or not_converged, the status of the program in the last cycle.
    [[nodiscard]] Status solved() const noexcept { return solved_; }
    [[nodiscard]] double dt() const noexcept { return p_.plant[0].dt; }  ///< s
    [[nodiscard]] const MpcParams& params() const noexcept { return p_; }
    [[nodiscard]] const opt::QuadraticProgram<>& program() const noexcept { return program_; }
    /// Warnings of the set-up: a terminal_weight with which the loop without limits is unstable, or a terminal_weight
    /// of 0 for an unstable plant.
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

  private:
    static constexpr const char* where = "control::Mpc";

    template <class = void>
    void set_up();
    template <class = void>
    void warn(const ModelSequence& plant);

    /// The next cycle has the next model.
    Status next(Status status) noexcept {
        if (++phase_ == phases_.size()) phase_ = p_.repeats ? 0 : phases_.size() - 1;
        return status;
    }

    /// Limits of inputs and rows for this cycle; rows are moves, then outputs and states.
    void place_limits() noexcept {
        for (Eigen::Index i = 0; i < n_; ++i) {
            const Eigen::Index j = i % nu_, move = i / nu_ + 1;
            const auto moves = static_cast<double>(move);
            limits_.lower[i] = std::min(input_limits_.lower[j], input_[j] + moves * move_.upper[j]);
            limits_.upper[i] = std::max(input_limits_.upper[j], input_[j] + moves * move_.lower[j]);
        }
        if (moves_ > 0) {
            limits_.row_lower.head(nu_) = move_.lower + input_;
            limits_.row_upper.head(nu_) = move_.upper + input_;
        }
        for (std::size_t k = 0; k < watched_.size(); ++k) {
            const auto& [row, output, soft] = watched_[k];
            const Eigen::Index first = moves_ + slots_[k];
            limits_.row_lower[first] = output_.lower[output] - free_[row];
            limits_.row_upper[soft < 0 ? first : first + 1] = output_.upper[output] - free_[row];
        }
    }

    Status fall_back() noexcept {
        ++fallbacks_, ++in_a_row_;
        for (Eigen::Index i = 0; i + 1 < horizon_; ++i) plan_.segment(i * nu_, nu_) = plan_.segment((i + 1) * nu_, nu_);
        for (Eigen::Index j = 0; j < nu_; ++j) {
            const double last = input_[j];
            double next = std::clamp(plan_[j], input_limits_.lower[j], input_limits_.upper[j]);
            if (moves_ > 0) next = std::clamp(next, last + move_.lower[j], last + move_.upper[j]);
            input_[j] = next;
        }
        program_.forget();
        return in_a_row_ > p_.most_fallbacks ? Status::infeasible : Status::not_converged;
    }

    struct Watched {
        Eigen::Index row, output, soft;  // row of y[1..N]; index of its slack variable, -1 for none
    };

    MpcParams p_;
    Eigen::Index nx_ = 0, nu_ = 0, ny_ = 0, nd_ = 0, horizon_ = 0, n_ = 0, moves_ = 0, soft_ = 0;
    Eigen::Index limited_ = 0;  // outputs, then limited states
    std::size_t phase_ = 0;
    int fallbacks_ = 0, in_a_row_ = 0, early_ends_ = 0;
    Status solved_ = Status::ok;
    std::vector<CondensedHorizon> phases_;
    std::vector<Eigen::MatrixXd> hessians_, rows_;      // with slacks, per phase
    std::vector<Eigen::MatrixXd> steady_maps_, g_aim_;  // of [r; d], per phase
    std::vector<ObserverStep> observer_;
    std::vector<Watched> watched_;
    std::vector<std::string> warnings_;
    std::vector<Eigen::Index> slots_;  // first row of each watched output, counted after the rows of the moves
    MpcLimits input_limits_, move_, output_;
    opt::QuadraticLimits<> limits_{};
    opt::QuadraticProgram<> program_{Eigen::MatrixXd::Identity(1, 1)};
    Eigen::VectorXd x_, d_, g_, free_, wanted_, aim_, input_, plan_, estimate_, corrected_, innovation_;
};

template <class>
void Mpc::set_up() {
    detail::validate(p_);
    nu_ = p_.plant[0].inputs(), ny_ = p_.plant[0].outputs();
    ModelSequence plant{{}, p_.repeats};
    nd_ = p_.disturbance == Disturbance::none ? 0 : ny_;
    for (const StateSpace& m : p_.plant) {
        PredictionModel step{m.A, m.B, m.C, Eigen::MatrixXd::Zero(m.states(), nd_), Eigen::MatrixXd::Zero(ny_, nd_)};
        if (p_.disturbance == Disturbance::input) step.E = m.B;
        if (p_.disturbance == Disturbance::output) step.D.setIdentity();
        plant.models.push_back(step);
    }
    nx_ = plant.models[0].A.rows(), horizon_ = p_.horizon, n_ = horizon_ * nu_;
    HorizonWeights w{p_.output_weight, p_.input_weight, p_.move_weight, p_.terminal_weight};
    std::vector<Eigen::MatrixXd> ends;  // P by the model in which the horizon ends
    if (w.P.size() == 0) {
        ends = infinite_horizons(plant, w);
    } else {
        detail::require_weight(w.P, nx_ + nu_, false, "terminal_weight");
        ends.assign(plant.size(), w.P);
    }
    steady_maps_ = steady_states(plant);
    try {
        observer_ = observer_steps(plant, p_.process_noise, p_.disturbance_noise, p_.output_noise);
    } catch (const SetupError& e) {
        throw SetupError(std::string(where) + ": the outputs are not enough to find all states and the disturbance `" +
                         (p_.disturbance == Disturbance::output  ? "output"
                          : p_.disturbance == Disturbance::input ? "input"
                                                                 : "none") +
                         "`; with a plant that integrates, use Disturbance::input or none (" + e.what() + ")");
    }
    input_limits_ = detail::complete(p_.input, nu_, "input");
    move_ = detail::complete(p_.move, nu_, "move");
    output_ = detail::complete(p_.output, ny_, "output");
    // Limited states are further outputs, with the weight 0.
    const MpcLimits state = detail::complete(p_.state, nx_, "state");
    detail::LimitedNames names{ny_};
    for (Eigen::Index i = 0; i < nx_; ++i)
        if (state.lower[i] > -1e300 || state.upper[i] < 1e300) names.states.push_back(i);
    const auto states = static_cast<Eigen::Index>(names.states.size());
    limited_ = ny_ + states;
    Eigen::VectorXd softness = p_.softness;
    for (Eigen::VectorXd* v : {&output_.lower, &output_.upper, &softness}) v->conservativeResize(limited_);
    output_.lower.tail(states) = state.lower(names.states), output_.upper.tail(states) = state.upper(names.states);
    softness.tail(states) = p_.state_softness(names.states);
    for (PredictionModel& m : plant.models) {
        m.C.conservativeResize(limited_, nx_);
        m.C.bottomRows(states).setZero();
        m.D.conservativeResize(limited_, nd_);
        if (nd_ > 0) m.D.bottomRows(states).setZero();
        for (Eigen::Index k = 0; k < states; ++k) m.C(ny_ + k, names.entry(ny_ + k)) = 1.0;
    }
    w.Q.conservativeResize(limited_, limited_);
    w.Q.bottomRows(states).setZero(), w.Q.rightCols(states).setZero();
    detail::require_holdable(p_.repeats ? plant.models : std::vector<PredictionModel>{plant.models.back()},
                             input_limits_, move_, output_, softness, names);
    moves_ = p_.move.lower.size() > 0 || p_.move.upper.size() > 0 ? n_ : 0;
    std::vector<Eigen::Index> slack(static_cast<std::size_t>(limited_), -1);
    for (Eigen::Index j = 0; j < limited_; ++j)
        if (softness[j] > 0.0) slack[static_cast<std::size_t>(j)] = soft_++;
    const auto N = static_cast<std::size_t>(horizon_);
    for (std::size_t k = 0; k < plant.size(); ++k) {
        std::vector<PredictionModel> steps;
        Eigen::MatrixXd aims(nx_ + n_, ny_ + nd_);  // [x_s; u_s of all stages]
        aims.topRows(nx_) = steady_maps_[plant.index(k + N)].topRows(nx_);
        for (std::size_t i = 0; i < N; ++i) {
            steps.push_back(plant.at(k + i));
            aims.middleRows(nx_ + static_cast<Eigen::Index>(i) * nu_, nu_) =
                steady_maps_[plant.index(k + i)].bottomRows(nu_);
        }
        w.P = ends[plant.index(k + N)];
        phases_.push_back(condense(steps, plant.at(k + N), w));
        g_aim_.push_back(phases_.back().g_steady * aims);
    }

    // Rows of limited outputs, at the stages that the inputs can affect; earlier stages cannot be limited.
    Eigen::Index rows = moves_;
    for (Eigen::Index j = 0; j < limited_; ++j) {
        if (!(std::fabs(output_.lower[j]) <= 1e300) && !(std::fabs(output_.upper[j]) <= 1e300)) continue;
        bool reached = false;
        for (Eigen::Index i = 0; i < horizon_; ++i) {
            double reach = 0.0;
            for (const CondensedHorizon& h : phases_) reach = std::max(reach, h.outputs.row(i * limited_ + j).norm());
            if (!(reach > 0.0)) continue;
            reached = true;
            watched_.push_back({i * limited_ + j, j, slack[static_cast<std::size_t>(j)]});
            slots_.push_back(rows - moves_);
            rows += slack[static_cast<std::size_t>(j)] < 0 ? 1 : 2;
        }
        require(reached, where, names.of(j), ".lower[", names.entry(j), "] and ", names.of(j), ".upper[",
                names.entry(j), "] limit what no input affects within the horizon");
    }
    const Eigen::Index all = n_ + soft_;
    for (const CondensedHorizon& h : phases_) {
        Eigen::MatrixXd H = Eigen::MatrixXd::Zero(all, all), A = Eigen::MatrixXd::Zero(rows, all);
        H.topLeftCorner(n_, n_) = h.H;
        for (Eigen::Index j = 0; j < limited_; ++j)
            if (const Eigen::Index s = slack[static_cast<std::size_t>(j)]; s >= 0) H(n_ + s, n_ + s) = softness[j];
        for (Eigen::Index i = 0; i < moves_; ++i) {
            A(i, i) = 1.0;
            if (i >= nu_) A(i, i - nu_) = -1.0;
        }
        for (std::size_t k = 0; k < watched_.size(); ++k) {
            const Eigen::Index row = moves_ + slots_[k];
            A.row(row).head(n_) = h.outputs.row(watched_[k].row);
            if (watched_[k].soft < 0) continue;
            A.row(row + 1) = A.row(row);
            A(row, n_ + watched_[k].soft) = 1.0;
            A(row + 1, n_ + watched_[k].soft) = -1.0;
        }
        hessians_.push_back(H);
        rows_.push_back(A);
    }
    if (p_.terminal_weight.size() > 0) warn(plant);
    program_ = opt::QuadraticProgram<>(hessians_[0], rows_[0]);
    limits_ = opt::QuadraticLimits<>::none(all, rows);
    g_.setZero(all);
    for (Eigen::Index i = 0; i < horizon_; ++i) {
        if (moves_ == 0) break;
        limits_.row_lower.segment(i * nu_, nu_) = move_.lower, limits_.row_upper.segment(i * nu_, nu_) = move_.upper;
    }
    limits_.lower.tail(soft_).setZero();
    for (Eigen::Index j = 0; j < limited_; ++j)
        if (const Eigen::Index s = slack[static_cast<std::size_t>(j)]; s >= 0) g_[n_ + s] = softness[j];

    x_.setZero(nx_), d_.setZero(nd_), free_.setZero(horizon_ * limited_), wanted_.setZero(horizon_ * limited_);
    aim_.setZero(ny_ + nd_), input_.setZero(nu_), plan_.setZero(n_);
    estimate_.setZero(nx_ + nd_), corrected_.setZero(nx_ + nd_), innovation_.setZero(ny_);
    reset(Eigen::VectorXd::Zero(ny_));
}

/// With a terminal weight that is given, the loop without limits need not be stable.
template <class>
void Mpc::warn(const ModelSequence& plant) {
    Eigen::MatrixXd all = Eigen::MatrixXd::Identity(nx_ + nu_, nx_ + nu_);  // of state and last input, over a period
    for (std::size_t k = p_.repeats ? 0 : phases_.size() - 1; k < phases_.size(); ++k) {
        const CondensedHorizon& h = phases_[k];
        Eigen::MatrixXd g(n_, nx_ + nu_), step = Eigen::MatrixXd::Zero(nx_ + nu_, nx_ + nu_);
        g << h.g_state, h.g_input;
        const Eigen::MatrixXd plan = h.H.llt().solve(g), gain = -plan.topRows(nu_);
        step.topRows(nx_) = plant.models[k].B * gain;
        step.topLeftCorner(nx_, nx_) += plant.models[k].A;
        step.bottomRows(nu_) = gain;
        all = (step * all).eval();
    }
    const std::vector<PredictionModel> lasting(p_.repeats ? plant.models.begin() : plant.models.end() - 1,
                                               plant.models.end());
    const double without = growth_without_inputs(lasting), with = linalg::spectral_radius(all);
    if (with > 1.0 + 1e-6)
        warnings_.push_back("terminal_weight: without limits, the controlled plant grows by a factor of " +
                            shown(with) + " per period; leave it empty, or take a longer horizon");
    else if (without > 1.0 + 1e-9 && p_.terminal_weight.topLeftCorner(nx_, nx_).norm() <=
                                         1e-12 * (p_.output_weight.norm() + p_.input_weight.norm()))
        warnings_.push_back(
            "plant: without inputs a state grows by a factor of " + shown(without) +
            " per period, and terminal_weight is 0 for the states: the growth beyond the horizon has no cost");
}

#ifdef PANTO_COMPILED
extern template void Mpc::warn(const ModelSequence&);
extern template void Mpc::set_up();
#endif

}  // namespace panto::control
