// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The catenary in real time, without any truncation: Newmark's average acceleration in physical space with one banded
/// solve per step and a single factorization. A linear complementarity problem finds which droppers are slack; Eq. (9)
/// of the HiL paper assumes that this is known. In increments d = u+ - u, with M, C, K, u, v, f of finite_element.hpp:
///
///     S d = f+ + f + q,    S = 4/dt^2 M + 2/dt C + K,    q = 4/dt p - 2 K u,    p = M v
///     p+ = 2/dt M d - p,   q+ = q + 8/dt (M d / dt - p) - 2 K d
///
/// K d needs no product besides M d: with C = alpha M + beta (K - K_u) + D, K d follows from S d and M d. (K_u, D:
/// springs and dampers of the supports.) p and q are updated, not recomputed: memory bandwidth limits a step. Slack
/// droppers: let T be the elastic tensions if all droppers stayed taut, k the stiffnesses of the droppers, and
/// G = B' S^-1 B, where column j of B is 1 at the top of dropper j and -1 at its bottom. The corrections c solve
///
///     w = T / k + (1/k - G) c >= 0,   c >= 0,   w' c = 0,      d -= S^-1 B c.
///
/// The viscous part beta k of a slack dropper keeps acting (it is in C); only its elastic part is unilateral.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/catenary/influence.hpp>
#include <panto/catenary/near_line.hpp>
#include <panto/catenary/passing_engine.hpp>
#include <panto/catenary/slackening.hpp>
#include <panto/linalg/lane_band.hpp>
#include <panto/opt/lcp.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace panto::catenary {

/// @tparam Scalar double, float, or a dual number.
/// @tparam Lanes  pieces of the line solved at once; 8 doubles fill one AVX-512, two AVX2 or four SSE2 registers.
template <Real Scalar = double, int Lanes = 8>
class RealTimeEngine : public PassingEngine<RealTimeEngine<Scalar, Lanes>, Scalar> {
    using Base = PassingEngine<RealTimeEngine<Scalar, Lanes>, Scalar>;

  public:
    using VectorX = Vector<Scalar, Dynamic>;

    /// Takes some tens of milliseconds for a section of 20 spans, and proportionally longer for more spans.
    /// @throws SetupError as check_passage does.
    RealTimeEngine(FiniteElements<Scalar> model, const PassageParams& passage);
    /// Back to the start: at rest in the static shape, or under the load of start_under(). @rt
    void reset() noexcept {
        state_ = start_;
        status_ = Status::ok;
    }

    /// From now on every reset() leads to rest under this static load. @throws SetupError as require_at_rest does.
    void start_under(const StaticLoad<Scalar>& at) {
        reset(at);
        start_ = state_;
    }
    /// The same under a force, N, at the start of the passage. @throws SetupError as static_load() does.
    void start_under(const Scalar& force) { start_under(static_load(*model_, passage_.start, force)); }

    /// Back to the start once, at rest under this static load. @throws SetupError as require_at_rest does.
    void reset(const StaticLoad<Scalar>& at) {
        require_at_rest(*model_, at, passage_.start, "catenary::RealTimeEngine");
        reset();
        rest_at(at.displacement);
        state_.force = at.force;
        state_.point = model_->point(at.position);
        observe(state_, true);
    }

    /// Advances by dt; `force` is the contact force at the end of the step, N upward. Beyond the last support the wire
    /// is at rest, and status() is end_of_line. @rt
    Motion step(double force) noexcept {
        status_ = judged(step(state_, Scalar(force)));
        return state_.wire;
    }

    /// Advances by dt together with a pantograph; the result is the contact force at the end of the step.
    /// If the contact is not solvable(), nothing moves and the status is not_finite. @rt
    Result<Scalar> step_contact(const ImplicitContact<Scalar>& contact) noexcept {
        if (!contact.solvable()) return {state_.force, status_ = Status::not_finite};
        status_ = judged(step_coupled(state_, contact));
        return {state_.force, status_};
    }

    /// Fills `ahead` with the wire's motion in the steps to come under a constant force, slack droppers included. @rt
    void predict(double force, std::span<Motion> ahead) noexcept { predict(std::span<const double>(&force, 1), ahead); }
    /// The same with one force for each step. If there are fewer, the last one stays; without any, the present one. @rt
    void predict(std::span<const double> forces, std::span<Motion> ahead) noexcept {
        if (forces.empty()) return predict(value_of(state_.force), ahead);
        predict([forces](std::size_t k, const Motion&) noexcept { return forces[std::min(k, forces.size() - 1)]; },
                ahead);
    }
    /// The same under a feedback law, called once for each step. A preview of up to Preview::capacity steps is computed
    /// near the contact only (near_line.hpp), a longer one on the whole line. @rt
    template <WireForceLaw Law>
    void predict(Law&& law, std::span<Motion> ahead) noexcept {
        if (ahead.empty()) return;
        if (ahead.size() <= static_cast<std::size_t>(Preview::capacity))
            return near_.predict(state_, layout_, slackening_, law, ahead);
        ahead_ = state_;
        for (std::size_t k = 0; k < ahead.size(); ++k)
            step(ahead_, Scalar(law(k, std::as_const(ahead_.wire)))), ahead[k] = ahead_.wire;
    }

    /// Steps done since the start. @rt
    [[nodiscard]] long steps() const noexcept { return state_.step; }
    [[nodiscard]] const Motion& wire() const noexcept { return state_.wire; }
    [[nodiscard]] Status status() const noexcept { return status_; }

    /// Elastic tension of a dropper, N; 0 if slack, NaN if there is no such dropper. @rt
    [[nodiscard]] Scalar dropper_force(std::size_t dropper) const noexcept {
        if (dropper >= model_->droppers().size()) return no_number<Scalar>();
        const Scalar t = linear_tension(model_->droppers()[dropper], state_.u) + state_.correction[index(dropper)];
        return t < Scalar(0.0) || Scalar(0.0) < state_.correction[index(dropper)] ? Scalar(0.0) : t;
    }
    /// How many droppers are slack. @rt
    [[nodiscard]] int slack_droppers() const noexcept {
        return static_cast<int>((state_.correction.array() > Scalar(0.0)).count());
    }
    /// Height of the contact wire above its static height at a node, m; NaN if there is no such node. @rt
    [[nodiscard]] Scalar uplift(std::size_t node) const noexcept {
        if (node >= model_->mesh().contact.size()) return no_number<Scalar>();
        const int row = model_->contact_row(node)[0];
        return row < 0 ? Scalar(0.0) : entry(state_.u, row);
    }
    /// Deviation from the static shape at a row of the model, m; NaN if there is no such row. @rt
    [[nodiscard]] Scalar displacement(int row) const noexcept {
        return row < 0 || row >= model_->size() ? no_number<Scalar>() : entry(state_.u, row);
    }
    /// Displacement at `x`, m along the line, at the end of a step, per newton of contact force at `x`, m/N. @rt
    [[nodiscard]] Scalar step_compliance(double x) const noexcept {
        return compliance(model_->point(x), model_->point(x));
    }
    /// Matrix 1/k - G of the slackening problem; its product with k is I + I_dd of the HiL paper.
    [[nodiscard]] const SlackeningMatrix<Scalar>& slackening_matrix() const noexcept { return slackening_; }

    /// The least number of bytes a step reads: the factor twice, mass matrix and state once.
    [[nodiscard]] std::size_t bytes_per_step() const noexcept {
        const auto numbers = solver_.numbers_read() + mass_.numbers() + 8 * static_cast<std::size_t>(state_.u.size());
        return numbers * sizeof(Scalar);
    }

  protected:  // for RealTimeContacts, which solves several contacts at once
    using Base::end_, Base::model_, Base::passage_;
    using Vectors = linalg::LaneVector<Scalar, Lanes>;
    using Lane = Eigen::Array<Scalar, Lanes, 1>;

    struct State {
        Vectors u, v, momentum, carried;  // m, m/s, p, q
        VectorX correction;               // N, extra traction of the slack droppers at this instant
        Scalar force{0.0};                // N, contact force at this instant
        WirePoint point{};                // where it acts
        Motion wire;
        long step = 0;
    };

    static Eigen::Index index(std::size_t j) noexcept { return static_cast<Eigen::Index>(j); }
    Scalar& entry(Vectors& x, int row) const noexcept { return x(layout_.place(row)); }
    const Scalar& entry(const Vectors& x, int row) const noexcept { return x(layout_.place(row)); }

    Scalar linear_tension(const DropperLink<Scalar>& d, const Vectors& u) const noexcept {
        return d.static_force + d.stiffness * (entry(u, d.top) - entry(u, d.bottom));
    }

    static linalg::SymmetricBand<Scalar> newmark_matrix(const FiniteElements<Scalar>& model, double dt) {
        linalg::SymmetricBand<Scalar> S = model.stiffness();
        S.add(Scalar(4.0 / (dt * dt)), model.mass());
        S.add(Scalar(2.0 / dt), model.damping());
        return S;
    }

    /// Sets the state to a wire at rest with these deviations from the static shape.
    void rest_at(const VectorX& displacement) {
        VectorX restoring = VectorX::Zero(model_->size());
        model_->stiffness().multiply(displacement, restoring);
        for (int i = 0; i < model_->size(); ++i) {
            entry(state_.u, i) = displacement[i];
            entry(state_.carried, i) = Scalar(-2.0) * restoring[i];
        }
        for (std::size_t j = 0; j < model_->droppers().size(); ++j) {
            const Scalar t = Unilateral<Scalar>::linear_tension(model_->droppers()[j], displacement);
            state_.correction[index(j)] = t < Scalar(0.0) ? Scalar(-t) : Scalar(0.0);
        }
    }

    void precompute_influences(const linalg::LocalCholesky<Scalar>& S) {
        const auto& droppers = model_->droppers();
        VectorX work = VectorX::Zero(S.size());
        for (const DropperLink<Scalar>& d : droppers) {
            work[d.top] += Scalar(1.0), work[d.bottom] -= Scalar(1.0);
            of_dropper_.append(S, {std::min(d.top, d.bottom), std::max(d.top, d.bottom) + 1}, work);
        }
        slackening_ = SlackeningMatrix<Scalar>(droppers, of_dropper_);
        lcp_ = opt::Lcp<Scalar>(static_cast<int>(droppers.size()), slackening_.reach());

        contact_column_.assign(static_cast<std::size_t>(model_->size()), 0);
        std::size_t column = 0;
        for (std::size_t node = 0; node < model_->mesh().contact.size(); ++node)
            for (const int row : model_->contact_row(node)) {
                if (row < 0) continue;
                work[row] = Scalar(1.0);
                of_contact_.append(S, {row, row + 1}, work);
                contact_column_[static_cast<std::size_t>(row)] = column++;
            }
        tension_ = trial_ = reach_ = VectorX::Zero(index(droppers.size()));
    }

    /// Adds a contact force at a point of the wire to a load.
    void add_force(const WirePoint& p, const Scalar& force, Vectors& load) const noexcept {
        for (std::size_t i = 0; i < 4; ++i)
            if (p.row[i] >= 0) entry(load, p.row[i]) += force * Scalar(p.value[i]);
    }
    void add_traction(const VectorX& traction, Vectors& load) const noexcept {
        for (std::size_t j = 0; j < model_->droppers().size(); ++j)
            if (const Scalar& f = traction[index(j)]; Scalar(0.0) < f) {
                entry(load, model_->droppers()[j].top) -= f;
                entry(load, model_->droppers()[j].bottom) += f;
            }
    }

    /// N_p S^-1 N_q'.
    Scalar compliance(const WirePoint& p, const WirePoint& q) const noexcept {
        Scalar sum(0.0);
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b)
                if (p.row[a] >= 0 && q.row[b] >= 0)
                    sum += Scalar(p.value[a] * q.value[b]) * of_contact_.at(column(q.row[b]), p.row[a]);
        return sum;
    }
    std::size_t column(int row) const noexcept { return contact_column_[static_cast<std::size_t>(row)]; }

    /// Computes the load from the state at the beginning of the step, and moves the contact point to the step's end.
    void prepare(State& s) noexcept {
        load_ = s.carried;
        add_force(s.point, s.force, load_);
        add_traction(s.correction, load_);
        ++s.step;
        s.point = model_->point(passage_position(passage_, s.step));
    }

    /// Computes the increment under the load, and the tensions if all droppers stayed taut.
    void solve_taut(const State& s) noexcept {
        increment_ = load_;
        solver_.solve(increment_);
        for (std::size_t j = 0; j < model_->droppers().size(); ++j) {
            const DropperLink<Scalar>& d = model_->droppers()[j];
            const Scalar stretch =
                entry(s.u, d.top) + entry(increment_, d.top) - entry(s.u, d.bottom) - entry(increment_, d.bottom);
            tension_[index(j)] = d.static_force / d.stiffness + stretch;
        }
    }

    /// Applies the corrections of the slack droppers and completes the step.
    void finish(State& s) noexcept {
        const double dt = passage_.dt;
        for (std::size_t j = 0; j < model_->droppers().size(); ++j)
            if (const Scalar& f = s.correction[index(j)]; Scalar(0.0) < f) of_dropper_.add(layout_, j, -f, increment_);
        add_traction(s.correction, load_);
        linalg::update_halo(layout_, increment_);
        mass_.multiply(increment_, product_);
        for (const auto& k : shares_.supports) entry(load_, k.row) += k.share * entry(increment_, k.row);
        for (int c = layout_.border(); c < layout_.border() + layout_.rows(); ++c) {  // in one pass through the memory
            const Lane d = increment_.col(c), Md = product_.col(c), p = s.momentum.col(c);
            const Lane Kd = (load_.col(c) - shares_.mass * Md) * shares_.flexible;
            s.carried.col(c) += Scalar(8.0 / dt) * (Scalar(1.0 / dt) * Md - p) - Scalar(2.0) * Kd;
            s.momentum.col(c) = Scalar(2.0 / dt) * Md - p;
            s.v.col(c) = Scalar(2.0 / dt) * d - s.v.col(c);
            s.u.col(c) += d;
        }
        observe(s, false);
    }

    Status step(State& s, const Scalar& force) noexcept {
        prepare(s);
        s.force = force;
        add_force(s.point, force, load_);
        solve_taut(s);
        const Status status = lcp_.solve(slackening_, tension_, s.correction);
        finish(s);
        return status;
    }

    /// Contact and slack droppers interact within the step. A trial force determines the corrections; these determine
    /// the gap, and the gap gives a new force. A larger trial force slackens droppers more, so the wire rises further
    /// and the new force is smaller: the solution lies between the two. From there regula falsi [Illinois] takes two or
    /// three iterations, because everything is piecewise linear.
    Status step_coupled(State& s, const ImplicitContact<Scalar>& contact) noexcept {
        prepare(s);
        solve_taut(s);
        for (std::size_t j = 0; j < model_->droppers().size(); ++j)  // N S^-1 b_j
            reach_[index(j)] =
                interpolate<Scalar>(s.point.row, s.point.value, [&](int row) { return of_dropper_.at(j, row); });
        const Scalar free_height = model_->static_height(passage_position(passage_, s.step))[0] +
                                   interpolate<Scalar>(s.point.row, s.point.value, [&](int row) {
                                       return entry(s.u, row) + entry(increment_, row);
                                   });
        const Scalar flexibility =
            Scalar(1.0) / contact.stiffness + contact.head_compliance + compliance(s.point, s.point);

        constexpr int turns = 50;
        Status status = Status::not_converged;
        const double rounding = 16.0 * value_of(Eigen::NumTraits<Scalar>::epsilon());
        // The last trial and the one on the other side of the solution, with their residuals.
        Scalar force = s.force, last(0.0), missing_last(0.0), other(0.0), missing_other(0.0);
        for (int turn = 0; turn < turns; ++turn) {
            trial_ = tension_ + force * reach_;
            const Status inner = lcp_.solve(slackening_, trial_, s.correction);
            const Scalar gap = contact.head_height - free_height + reach_.dot(s.correction);
            if (!is_finite(value_of(gap))) {
                status = Status::not_finite;
                break;
            }
            const Scalar answer = Scalar(0.0) < gap ? Scalar(gap / flexibility) : Scalar(0.0);
            const Scalar missing = answer - force;
            if (std::abs(value_of(missing)) < std::max(1e-10, rounding * std::abs(value_of(answer)))) {
                force = answer;
                status = inner;
                break;
            }
            if (turn > 1 && (missing < Scalar(0.0)) == (missing_last < Scalar(0.0)))
                missing_other *= Scalar(0.5);
            else
                other = last, missing_other = missing_last;
            last = force, missing_last = missing;
            force = turn == 0 ? answer : Scalar(last - missing * (last - other) / (missing - missing_other));
        }
        s.force = force;
        add_force(s.point, force, load_);
        for (std::size_t i = 0; i < 4; ++i)
            if (s.point.row[i] >= 0)
                of_contact_.add(layout_, column(s.point.row[i]), force * Scalar(s.point.value[i]), increment_);
        finish(s);
        return status;
    }

    [[nodiscard]] bool left_the_line(const State& s) const noexcept { return s.step > end_; }
    [[nodiscard]] Status judged(Status s) const noexcept {
        return usable(s) && left_the_line(state_) ? Status::end_of_line : s;
    }

    void observe(State& s, bool first) const noexcept {
        s.wire = motion(s, s.point, 0.0, s.wire.speed, first);
        if (left_the_line(s)) s.wire.speed = s.wire.acceleration = 0.0;
    }
    /// Motion of the wire at a point p that lies `behind` metres behind the contact; `before` is its speed one step
    /// earlier, m/s.
    Motion motion(const State& s, const WirePoint& p, double behind, double before, bool first) const noexcept {
        const auto u = [&](int row) { return entry(s.u, row); };
        const auto v = [&](int row) { return entry(s.v, row); };
        const double x = passage_position(passage_, s.step) - behind;
        Motion m = wire_motion(*model_, passage_, s.step, p, x, before, u, v);
        if (first) m.acceleration = 0.0;
        return m;
    }

    linalg::LaneCholesky<Scalar, Lanes> solver_;
    linalg::LaneLayout<Lanes> layout_;
    linalg::LaneBand<Scalar, Lanes> mass_;
    NewmarkShares<Scalar> shares_;
    Influence<Scalar, Lanes> of_dropper_, of_contact_;
    std::vector<std::size_t> contact_column_;  // by row of the model
    SlackeningMatrix<Scalar> slackening_;
    opt::Lcp<Scalar> lcp_;
    State state_, ahead_, start_;
    Vectors increment_, load_, product_;  // workspace of a step
    VectorX tension_, trial_, reach_;     // T / k, m, without and with contact; N S^-1 b_j
    NearLine<Scalar> near_;
    Status status_ = Status::ok;
};

template <Real Scalar, int Lanes>
RealTimeEngine<Scalar, Lanes>::RealTimeEngine(FiniteElements<Scalar> model, const PassageParams& passage)
    : Base(std::move(model), passage),
      solver_(newmark_matrix(*model_, passage.dt)),
      layout_(solver_.layout()),
      mass_(model_->mass(), layout_),
      shares_(*model_, passage.dt) {
    for (Vectors* x : {&increment_, &load_, &product_, &state_.u, &state_.v, &state_.momentum, &state_.carried})
        *x = Vectors::Constant(Lanes, layout_.columns(), Scalar(0.0));
    state_.correction = VectorX::Zero(static_cast<Eigen::Index>(model_->droppers().size()));
    linalg::LocalCholesky<Scalar> factor(newmark_matrix(*model_, passage.dt));
    precompute_influences(factor);
    near_ = NearLine<Scalar>(model_, passage, std::move(factor), slackening_,
                             [&](int row) { return of_contact_.rows(column(row)); });
    state_.point = model_->point(passage_.start);
    observe(state_, true);
    start_ = ahead_ = state_;
}

#ifdef PANTO_COMPILED
extern template RealTimeEngine<double, 8>::RealTimeEngine(FiniteElements<double>, const PassageParams&);
#endif

static_assert(PredictiveCatenary<RealTimeEngine<>>);

}  // namespace panto::catenary
