// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The real-time engine with several contacts. Within a step, the contact forces F and the corrections f of the slack
/// droppers depend on each other. Let T/k be the tensions over stiffness and g the overlaps of heads and wire, both
/// without F and f. S, B, G and k are those of realtime_engine.hpp; row i of N interpolates the wire at contact i. With
/// R = B' S^-1 N', C = N S^-1 N' and D = diag(1 / contact stiffness + head compliance):
///
///     w = T/k + (1/k - G) f + R F >= 0,   f >= 0,   w'f = 0;       D F = max(0, g + R' f - C F).
///
/// A contact that only pushes is treated like a dropper that only pulls: as a linear spring, with a correction c where
/// it would pull. Then F = P (g + R' f + D c) with P = (C + D)^-1. With L = [R; D], one linear complementarity problem
/// remains for the corrections f and c; its matrix is symmetric and positive definite:
///
///     [T/k; 0] + L P g + ([1/k - G, 0; 0, 0] + L P L') [f; c] >= 0,   [f; c] >= 0,   complementary.

#pragma once

#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/several_contacts.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace panto::catenary {

/// Contact 0 is at the position of the passage, contact i is `behind[i - 1]` m behind it. With two contacts, a step
/// takes 1.14 times as long as one of RealTimeEngine. Include this header by name: it is not part of
/// <panto/catenary.hpp>.
template <Real Scalar = double, int Lanes = 8>
class RealTimeContacts : public WithFollowers<RealTimeEngine<Scalar, Lanes>, Scalar> {
    using Engine = RealTimeEngine<Scalar, Lanes>;
    using Base = WithFollowers<Engine, Scalar>;
    using Base::followers_, Base::forces_;
    using Engine::state_, Engine::load_, Engine::increment_, Engine::model_;
    using typename Base::Follower;
    using MatrixX = Matrix<Scalar, Dynamic>;

  public:
    using VectorX = Vector<Scalar, Dynamic>;
    using Base::contacts, Base::position, Engine::displacement;

    /// @throws SetupError as check_passage does, or if a distance is not positive and finite, or a contact would start
    /// before the line.
    RealTimeContacts(FiniteElements<Scalar> model, const PassageParams& passage, const std::vector<double>& behind)
        : Base("catenary::RealTimeContacts", behind, std::move(model), passage) {
        const Eigen::Index n = at(contacts()), all = droppers_count() + n;
        lcp_all_ = opt::Lcp<Scalar>(static_cast<int>(all));
        lever_ = MatrixX::Zero(all, n);
        answer_ = MatrixX::Zero(n, all);
        flexibility_ = MatrixX::Identity(n, n);
        factor_.compute(flexibility_);
        gap_ = VectorX::Zero(n);
        needed_ = corrections_ = VectorX::Zero(all);
        reset();
    }

    /// Back to rest in the static shape, all contacts at their start. @rt
    void reset() noexcept {
        Engine::reset();
        corrections_.setZero();
        for (Scalar& force : forces_) force = Scalar(0.0);
        for (Follower& c : followers_) {
            c.point = model_->point(this->position_of(c));
            observe(c, true);
        }
    }

    /// Starts at rest under a static force at each contact, N, with the contacts at their start.
    /// @throws SetupError as displacement_under() does.
    void rest_under(std::span<const Scalar> forces) {
        const VectorX u = this->at_rest(forces);
        reset();
        this->rest_at(u);
        for (std::size_t i = 0; i < forces.size(); ++i) press(i, forces[i]);
        Engine::observe(state_, true);
        for (Follower& c : followers_) observe(c, true);
    }

    /// Advances by dt; `forces` are the forces at the contacts at the end of the step, N upward. Returns out_of_range,
    /// with nothing done, if their number is not contacts(), otherwise the status as RealTimeEngine::step does. @rt
    Status step(std::span<const Scalar> forces) noexcept {
        if (forces.size() != contacts()) return this->status_ = Status::out_of_range;
        move_on();
        for (std::size_t i = 0; i < forces.size(); ++i)
            press(i, forces[i]), this->add_force(point(i), forces[i], load_);
        this->solve_taut(state_);
        const Status status = this->lcp_.solve(this->slackening_, this->tension_, state_.correction);
        return end_step(status);
    }

    /// Advances by dt together with a pantograph at each contact; contact_force() then gives the forces at the end of
    /// the step. Returns out_of_range if the number of pantographs is not contacts(), and not_finite if one of them is
    /// not solvable(); in both cases nothing moves. @rt
    Status step_contacts(std::span<const ImplicitContact<Scalar>> with) noexcept {
        if (with.size() != contacts()) return this->status_ = Status::out_of_range;
        for (const ImplicitContact<Scalar>& c : with)
            if (!c.solvable()) return this->status_ = Status::not_finite;
        move_on();
        this->solve_taut(state_);
        const Status status = solve(with);
        for (std::size_t i = 0; i < contacts(); ++i) {
            const Scalar& force = gap_[at(i)];
            press(i, force);
            this->add_force(point(i), force, load_);
            for (std::size_t a = 0; a < 4; ++a)
                if (point(i).row[a] >= 0)
                    this->of_contact_.add(this->layout_, this->column(point(i).row[a]),
                                          force * Scalar(point(i).value[a]), increment_);
        }
        return end_step(status);
    }

  private:
    /// The matrix of the complementarity problem, entry by entry: that of the droppers, plus L P L' of the contacts.
    struct Coupled {
        const SlackeningMatrix<Scalar>& droppers;
        const MatrixX& lever;
        const MatrixX& answer;
        [[nodiscard]] Eigen::Index rows() const noexcept { return lever.rows(); }
        [[nodiscard]] Eigen::Index cols() const noexcept { return lever.rows(); }
        [[nodiscard]] Scalar operator()(Eigen::Index i, Eigen::Index j) const noexcept {
            Scalar sum = i < droppers.rows() && j < droppers.rows() ? droppers(i, j) : Scalar(0.0);
            for (Eigen::Index m = 0; m < lever.cols(); ++m) sum += lever(i, m) * answer(m, j);
            return sum;
        }
    };

    static Eigen::Index at(std::size_t i) noexcept { return static_cast<Eigen::Index>(i); }
    [[nodiscard]] Eigen::Index droppers_count() const noexcept { return at(model_->droppers().size()); }
    const WirePoint& point(std::size_t contact) const noexcept {
        return contact == 0 ? state_.point : followers_[contact - 1].point;
    }
    void press(std::size_t contact, const Scalar& force) noexcept {
        forces_[contact] = force;
        if (contact == 0) state_.force = force;
    }

    /// Computes the load from the state at the beginning of the step, and moves all contact points to its end.
    void move_on() noexcept {
        this->prepare(state_);
        for (std::size_t i = 0; i < followers_.size(); ++i) {
            Follower& c = followers_[i];
            this->add_force(c.point, forces_[i + 1], load_);
            c.point = model_->point(this->position_of(c));
        }
    }

    /// Finds the contact forces, which are left in gap_, and the corrections of the slack droppers.
    Status solve(std::span<const ImplicitContact<Scalar>> with) noexcept {
        const Eigen::Index droppers = droppers_count(), n = at(contacts());
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto c = static_cast<std::size_t>(i);
            const WirePoint& p = point(c);
            for (Eigen::Index j = 0; j < droppers; ++j)  // N S^-1 b_j
                lever_(j, i) = interpolate<Scalar>(
                    p.row, p.value, [&](int row) { return this->of_dropper_.at(static_cast<std::size_t>(j), row); });
            const Scalar own = Scalar(1.0) / with[c].stiffness + with[c].head_compliance;
            lever_(droppers + i, i) = own;
            for (Eigen::Index k = 0; k < n; ++k)
                flexibility_(i, k) = this->compliance(p, point(static_cast<std::size_t>(k)));
            flexibility_(i, i) += own;
            gap_[i] = with[c].head_height - model_->static_height(position(c))[0] -
                      interpolate<Scalar>(p.row, p.value, [&](int row) {
                          return this->entry(state_.u, row) + this->entry(increment_, row);
                      });
        }
        factor_.compute(flexibility_);
        answer_ = lever_.transpose();
        factor_.solveInPlace(answer_);
        factor_.solveInPlace(gap_);  // the forces if no correction were needed
        needed_.noalias() = lever_ * gap_;
        needed_.head(droppers) += this->tension_;
        const Status status = lcp_all_.solve(Coupled{this->slackening_, lever_, answer_}, needed_, corrections_);
        state_.correction = corrections_.head(droppers);
        gap_.noalias() += answer_ * corrections_;
        for (Eigen::Index i = 0; i < n; ++i)
            if (Scalar(0.0) < corrections_[droppers + i] || gap_[i] < Scalar(0.0)) gap_[i] = Scalar(0.0);
        return status;
    }

    void observe(Follower& c, bool first) noexcept {
        c.wire = this->motion(state_, c.point, c.behind, c.wire.speed, first);
        if (this->beyond(c)) c.wire.speed = c.wire.acceleration = 0.0;
    }
    Status end_step(Status status) noexcept {
        this->finish(state_);
        for (Follower& c : followers_) observe(c, false);
        return this->status_ = this->judged(status);
    }

    opt::Lcp<Scalar> lcp_all_;              // of droppers and contacts
    Eigen::LLT<MatrixX> factor_;            // of C + D
    MatrixX lever_, answer_, flexibility_;  // L, P L', C + D
    VectorX gap_;                           // g, then F
    VectorX needed_, corrections_;          // [T/k; 0] + L P g and [f; c]
};

static_assert(SeveralContacts<RealTimeContacts<>>);

}  // namespace panto::catenary
