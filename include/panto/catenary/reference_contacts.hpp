// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The reference engine with several contacts. In every step, trials find which contacts push and which droppers pull,
/// until all signs are right; each trial factors the whole matrix.

#pragma once

#include <panto/catenary/reference_engine.hpp>
#include <panto/catenary/several_contacts.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace panto::catenary {

/// Contact 0 is at the position of the passage, contact i is `behind[i - 1]` m behind it. Include this header by name:
/// it is not part of <panto/catenary.hpp>.
template <Real Scalar = double>
class ReferenceContacts : public WithFollowers<ReferenceEngine<Scalar>, Scalar> {
    using Engine = ReferenceEngine<Scalar>;
    using Base = WithFollowers<Engine, Scalar>;
    using Base::followers_, Base::forces_;
    using typename Base::Follower;

  public:
    using VectorX = Vector<Scalar, Dynamic>;
    using Base::contacts, Base::position, Engine::displacement, Engine::velocity;

    /// @throws SetupError as check_passage does, or if a distance is not positive and finite, or a contact would start
    /// before the line.
    ReferenceContacts(FiniteElements<Scalar> model, const PassageParams& passage, const std::vector<double>& behind)
        : Base("catenary::ReferenceContacts", behind, std::move(model), passage, 1 + behind.size()) {
        reset();
    }

    /// Back to rest in the static shape, all contacts at their start. @rt
    void reset() noexcept {
        Engine::reset();
        for (Scalar& force : forces_) force = Scalar(0.0);
        for (Follower& c : followers_) observe(c, true);
    }

    /// Starts at rest under a static force at each contact, N, with the contacts at their start.
    /// @throws SetupError as displacement_under() does.
    void rest_under(std::span<const Scalar> forces) {
        const VectorX u = this->at_rest(forces);
        reset();
        this->u_ = u;
        for (std::size_t i = 0; i < forces.size(); ++i) forces_[i] = forces[i];
        Engine::observe(true);
        for (Follower& c : followers_) observe(c, true);
    }

    /// Advances by dt; `forces` are the forces at the contacts at the end of the step, N upward. Returns out_of_range,
    /// with nothing done, if their number is not contacts(), otherwise the status as ReferenceEngine::step does. @rt
    Status step(std::span<const Scalar> forces) noexcept {
        if (forces.size() != contacts()) return this->status_ = Status::out_of_range;
        move_on();
        for (std::size_t c = 0; c < forces.size(); ++c) {
            forces_[c] = forces[c];
            const WirePoint& p = point(c);
            for (std::size_t i = 0; i < 4; ++i)
                if (p.row[i] >= 0) this->load_[p.row[i]] += forces[c] * Scalar(p.value[i]);
        }
        return end_step(this->solver_.solve(this->load_, this->next_));
    }

    /// Advances by dt together with a pantograph at each contact; contact_force() then gives the forces at the end of
    /// the step. Returns out_of_range if the number of pantographs is not contacts(), and not_finite if one of them is
    /// not solvable(); in both cases nothing moves. @rt
    Status step_contacts(std::span<const ImplicitContact<Scalar>> with) noexcept {
        if (with.size() != contacts()) return this->status_ = Status::out_of_range;
        for (const ImplicitContact<Scalar>& c : with)
            if (!c.solvable()) return this->status_ = Status::not_finite;
        move_on();
        for (std::size_t c = 0; c < with.size(); ++c)
            this->solver_.place(c, point(c), this->model_->static_height(position(c))[0], with[c]);
        const Status status = this->solver_.solve_with_contacts(this->load_, this->next_);
        for (std::size_t c = 0; c < with.size(); ++c) forces_[c] = this->solver_.contact_force(c);
        return end_step(status);
    }

  private:
    const WirePoint& point(std::size_t contact) const noexcept {
        return contact == 0 ? this->point_ : followers_[contact - 1].point;
    }
    /// Moves all contact points to the end of the step and sets up its load.
    void move_on() noexcept {
        this->prepare();
        for (Follower& c : followers_) c.point = this->model_->point(this->position_of(c));
    }
    void observe(Follower& c, bool first) noexcept {
        const double x = this->position_of(c);
        c.point = this->model_->point(x);
        c.wire = this->motion(c.point, x, c.wire.speed, first);
        if (this->beyond(c)) c.wire.speed = c.wire.acceleration = 0.0;
    }
    Status end_step(Status status) noexcept {
        this->status_ = status;
        this->advance();
        for (Follower& c : followers_) observe(c, false);
        this->note_end();
        return this->status_;
    }
};

static_assert(SeveralContacts<ReferenceContacts<>>);

}  // namespace panto::catenary
