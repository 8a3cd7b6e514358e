// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The slow and reliable catenary engine: finite elements, Newmark's average acceleration (beta 1/4, gamma 1/2). Which
/// droppers are slack, and whether there is contact, is found in every step by trial, until no dropper pushes and the
/// contact does not pull. Each trial factors the whole matrix (unilateral.hpp). The engine is the reference for others.
/// With M, C, K, u, v, a and f of finite_element.hpp, and + for the end of the step:
///
///     K_it u+ = f + M (4/dt^2 u + 4/dt v + a) + C (2/dt u + v),   K_it = 4/dt^2 M + 2/dt C + K
///     v+ = 2/dt (u+ - u) - v,   a+ = 4/dt^2 (u+ - u) - 4/dt v - a

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/catenary/passing_engine.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace panto::catenary {

/// @tparam Scalar double, or a dual number to differentiate with respect to the section's parameters.
template <Real Scalar = double>
class ReferenceEngine : public PassingEngine<ReferenceEngine<Scalar>, Scalar> {
    using Base = PassingEngine<ReferenceEngine<Scalar>, Scalar>;

  public:
    using VectorX = Vector<Scalar, Dynamic>;

    /// @throws SetupError as check_passage does.
    ReferenceEngine(FiniteElements<Scalar> model, const PassageParams& passage)
        : ReferenceEngine(std::move(model), passage, 1) {}

    /// Back to rest in the static shape, with the pantograph at its start. @rt
    void reset() noexcept {
        for (VectorX* x : {&u_, &v_, &a_}) x->setZero();
        step_ = 0;
        status_ = Status::ok;
        force_ = Scalar(0.0);
        observe(true);
    }

    /// The same, but at rest under a static load. @throws SetupError as require_at_rest does.
    void reset(const StaticLoad<Scalar>& at) {
        require_at_rest(*model_, at, passage_.start, "catenary::ReferenceEngine");
        reset();
        u_ = at.displacement;
        force_ = at.force;
        observe(true);
    }

    /// Advances by dt; `force` is the contact force at the end of the step, N upward. Beyond the last support the wire
    /// is at rest, and status() is end_of_line. @rt
    Motion step(double force) noexcept {
        prepare();
        force_ = Scalar(force);
        for (std::size_t i = 0; i < 4; ++i)
            if (point_.row[i] >= 0) load_[point_.row[i]] += force_ * Scalar(point_.value[i]);
        status_ = solver_.solve(load_, next_);
        advance();
        note_end();
        return wire_;
    }

    /// Advances by dt together with a pantograph; the result is the contact force at the end of the step.
    /// If the contact is not solvable(), nothing moves and the status is not_finite. @rt
    Result<Scalar> step_contact(const ImplicitContact<Scalar>& contact) noexcept {
        if (!contact.solvable()) return {force_, status_ = Status::not_finite};
        prepare();
        status_ = solver_.solve(load_, next_, point_, model_->static_height(this->position())[0], contact);
        force_ = solver_.contact_force();
        advance();
        note_end();
        return {force_, status_};
    }

    /// Steps done since the start. @rt
    [[nodiscard]] long steps() const noexcept { return step_; }
    [[nodiscard]] const Motion& wire() const noexcept { return wire_; }
    [[nodiscard]] Status status() const noexcept { return status_; }

    /// Elastic tension of a dropper, N; 0 if slack, NaN if there is no such dropper. @rt
    [[nodiscard]] Scalar dropper_force(std::size_t dropper) const noexcept { return solver_.tension(dropper, u_); }
    /// How many droppers are slack. @rt
    [[nodiscard]] int slack_droppers() const noexcept {
        int slack = 0;
        for (std::size_t j = 0; j < model_->droppers().size(); ++j) slack += !(Scalar(0.0) < dropper_force(j));
        return slack;
    }
    /// Height of the contact wire above its static height at a node, m; NaN if there is no such node. @rt
    [[nodiscard]] Scalar uplift(std::size_t node) const noexcept {
        if (node >= model_->mesh().contact.size()) return no_number<Scalar>();
        const int row = model_->contact_row(node)[0];
        return row < 0 ? Scalar(0.0) : u_[row];
    }
    /// Deviation from the static shape by row of the model, m. @rt
    [[nodiscard]] const VectorX& displacement() const noexcept { return u_; }
    /// Time derivative of displacement(), m/s. @rt
    [[nodiscard]] const VectorX& velocity() const noexcept { return v_; }

  protected:  // for ReferenceContacts, which solves several contacts at once
    using Base::end_, Base::model_, Base::passage_;

    ReferenceEngine(FiniteElements<Scalar> model, const PassageParams& passage, std::size_t contacts)
        : Base(std::move(model), passage),
          damping_(model_->damping()),
          solver_(*model_, effective_stiffness(*model_, damping_, passage.dt), contacts) {
        for (VectorX* x : {&u_, &v_, &a_, &next_, &inertia_, &load_}) *x = VectorX::Zero(model_->size());
        reset();
    }

    static linalg::SymmetricBand<Scalar> effective_stiffness(const FiniteElements<Scalar>& model,
                                                             const linalg::SymmetricBand<Scalar>& damping, double dt) {
        linalg::SymmetricBand<Scalar> K = model.stiffness();
        K.add(Scalar(4.0 / (dt * dt)), model.mass());
        K.add(Scalar(2.0 / dt), damping);
        return K;
    }

    /// Moves on to the end of the step and sets up the load of the step without contact.
    void prepare() noexcept {
        const double dt = passage_.dt;
        ++step_;
        point_ = model_->point(this->position());
        inertia_ = Scalar(4.0 / (dt * dt)) * u_ + Scalar(4.0 / dt) * v_ + a_;
        model_->mass().multiply(inertia_, load_);
        inertia_ = Scalar(2.0 / dt) * u_ + v_;
        damping_.multiply(inertia_, next_);
        load_ += next_;
    }

    void advance() noexcept {
        const double dt = passage_.dt;
        inertia_ = next_ - u_;
        a_ = Scalar(4.0 / (dt * dt)) * inertia_ - Scalar(4.0 / dt) * v_ - a_;
        v_ = Scalar(2.0 / dt) * inertia_ - v_;
        u_.swap(next_);
        observe(false);
    }

    [[nodiscard]] bool left_the_line() const noexcept { return step_ > end_; }
    void note_end() noexcept {
        if (usable(status_) && left_the_line()) status_ = Status::end_of_line;
    }

    void observe(bool first) noexcept {
        const double x = this->position();
        point_ = model_->point(x);
        wire_ = motion(point_, x, wire_.speed, first);
        if (left_the_line()) wire_.speed = wire_.acceleration = 0.0;
    }
    /// Motion of the point of the wire at x, m; `before` is its speed a step ago, m/s.
    Motion motion(const WirePoint& p, double x, double before, bool first) const noexcept {
        const auto u = [&](int i) { return u_[i]; };
        const auto v = [&](int i) { return v_[i]; };
        Motion m = wire_motion(*model_, passage_, step_, p, x, before, u, v);
        if (first) m.acceleration = 0.0;
        return m;
    }

    linalg::SymmetricBand<Scalar> damping_;
    Unilateral<Scalar> solver_;
    VectorX u_, v_, a_, next_, inertia_, load_;
    WirePoint point_{};
    Motion wire_;
    Scalar force_{0.0};
    long step_ = 0;
    Status status_ = Status::ok;
};

static_assert(CatenaryModel<ReferenceEngine<>>);

}  // namespace panto::catenary
