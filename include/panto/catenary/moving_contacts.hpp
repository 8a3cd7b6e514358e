// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The line in the train's frame with several contacts, each at a fixed position on the grid. The wires are explicit in
/// time, so within a step a contact affects other contacts very little, and affects a dropper only while this dropper
/// passes over the strip or close to it. Forces and corrections of slack droppers are therefore found alternately.

#pragma once

#include <panto/catenary/moving_engine.hpp>
#include <panto/catenary/several_contacts.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace panto::catenary {

/// Contact 0 is that of the engine; contact i is `behind[i - 1]` m behind it on the grid.
template <class End = CharacteristicEnd>
    requires wave::End<End>
class MovingContacts : protected MovingEngine<End> {
    using Engine = MovingEngine<End>;
    using Engine::state_, Engine::passage_, Engine::unknowns_, Engine::extra_, Engine::tension_, Engine::trial_;

  public:
    using Engine::dt, Engine::dx, Engine::speed, Engine::steps_per_period, Engine::time, Engine::status,
        Engine::slack_droppers, Engine::dropper_force, Engine::contact_wire, Engine::messenger_wire, Engine::wires,
        Engine::passage;

    /// @param behind  m, distances of the other contacts behind the first one
    /// @throws SetupError as MovingEngine does, or unless every contact has at least four cells of the grid on both
    /// sides.
    MovingContacts(const PeriodicLine& line, const MovingGrid& grid, const MovingEnds<End>& ends,
                   const std::vector<double>& behind)
        : Engine(line, grid, ends) {
        constexpr const char* where = "catenary::MovingContacts";
        const double length = (passage_.points - 1) * passage_.dx, margin = 4.0 * passage_.dx;
        for (std::size_t i = 0; i < behind.size(); ++i) {
            require_positive(behind[i], where, "behind[", i, "]");
            const double way = std::copysign(behind[i], grid.speed), x = passage_.contact_x - way;
            require(x >= margin && x <= length - margin, where, "behind[", i, "] is ", behind[i],
                    " m, which puts the contact at ", x, " m of a grid from 0 to ", length, " m; must be from ", margin,
                    " to ", length - margin, ": use more spans or set contact_at");
            const int node = static_cast<int>(std::floor(x / passage_.dx));
            MovingGrid there = grid;
            there.start = grid.start - way;
            followers_.push_back({.behind = way,
                                  .at = {node, x / passage_.dx - node},
                                  .rest = moving_static_heights(line, there, passage_.steps())});
        }
        find_influences();
        const auto n = static_cast<Eigen::Index>(contacts());
        free_ = forces_ = before_ = Eigen::VectorXd::Zero(n);
        reset();
    }

    [[nodiscard]] std::size_t contacts() const noexcept { return 1 + followers_.size(); }
    /// Position of a contact along the line, m. @rt
    [[nodiscard]] double position(std::size_t contact = 0) const noexcept {
        return Engine::position() - behind(contact);
    }
    /// Position after a further `seconds`, m. @rt
    [[nodiscard]] double position_after(double seconds, std::size_t contact = 0) const noexcept {
        return Engine::position_after(seconds) - behind(contact);
    }
    /// Motion of the wire above a contact; not finite if there is no such contact. @rt
    [[nodiscard]] Motion wire(std::size_t contact = 0) const noexcept {
        const double none = no_number<double>();
        if (contact > followers_.size()) return {none, none, none};
        return contact == 0 ? Engine::wire() : followers_[contact - 1].wire;
    }
    /// Contact force at this instant, N; NaN if there is no such contact. @rt
    [[nodiscard]] double contact_force(std::size_t contact = 0) const noexcept {
        return contact < contacts() ? forces_[static_cast<Eigen::Index>(contact)] : no_number<double>();
    }

    /// Back to rest at the static shape. @rt
    void reset() noexcept {
        Engine::reset();
        forces_.setZero();
        before_.setZero();
        for (Follower& c : followers_) {
            c.height_before = 0.0;
            c.wire = {c.rest[0][0], 0.0, 0.0};
        }
    }

    /// Advances by dt; `forces` are the forces at the contacts at the end of the step, N upward. Returns out_of_range,
    /// with nothing done, if the number of forces is not contacts(). @rt
    Status step(std::span<const double> forces) noexcept {
        if (forces.size() != contacts()) return this->status_ = Status::out_of_range;
        prepare();
        for (std::size_t i = 0; i < forces.size(); ++i) free_[static_cast<Eigen::Index>(i)] = forces[i];
        const Status found = this->grid_.unilateral ? slacken(free_) : Status::ok;
        return finish(found);
    }

    /// Advances by dt together with a pantograph at each contact. Returns out_of_range if the number of pantographs is
    /// not contacts(), and not_finite if one of them is not solvable(); in both cases nothing moves. @rt
    Status step_contacts(std::span<const ImplicitContact<double>> with) noexcept {
        if (with.size() != contacts()) return this->status_ = Status::out_of_range;
        for (const ImplicitContact<double>& c : with)
            if (!c.solvable()) return this->status_ = Status::not_finite;
        prepare();
        const Influence& of = influence_[here()];
        const auto n = static_cast<Eigen::Index>(contacts());
        const auto droppers = static_cast<Eigen::Index>(passage_.phases[next()].droppers.size());
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto& c = with[static_cast<std::size_t>(i)];
            own_[i] = 1.0 / c.stiffness + c.head_compliance;
            gap_[i] = c.head_height - rest(i, next())[0] - detail::height_in(unknowns_, 0, place(i));
            free_[i] = forces_[i];
        }
        constexpr int turns = 60;
        Status found = Status::ok;
        for (int turn = 0; turn < turns; ++turn) {
            double change = 0.0, size = 0.0;
            for (Eigen::Index i = 0; i < n; ++i) {
                double gap = gap_[i];
                for (Eigen::Index j = 0; j < droppers; ++j) gap -= of.lift(j, i) * state_.correction[j];
                for (Eigen::Index k = 0; k < n; ++k)
                    if (k != i) gap -= of.compliance(i, k) * free_[k];
                if (!is_finite(gap)) found = Status::not_finite;
                const double force = std::max(0.0, gap / (own_[i] + of.compliance(i, i)));
                change = std::max(change, std::abs(force - free_[i]));
                size = std::max(size, force);
                free_[i] = force;
            }
            if (found == Status::not_finite || (turn > 0 && change <= 1e-11 * (1.0 + size))) break;
            found = turn + 1 == turns ? Status::not_converged : this->grid_.unilateral ? slacken(free_) : Status::ok;
        }
        return finish(found);
    }

  private:
    struct Follower {
        double behind = 0.0;  // m, negative if the train runs towards smaller x
        GridPlace at{};
        std::vector<std::array<double, 2>> rest{};  // static height and slope, by phase
        double height_before = 0.0;                 // m, deviation at n-1
        Motion wire{};
    };
    /// Influences in a step of the period, m/N: of contact j on the height at contact i, of contact j on the stretch of
    /// dropper i, and of the correction of dropper i on the height at contact j.
    struct Influence {
        Eigen::MatrixXd compliance, reach, lift;
    };

    [[nodiscard]] double behind(std::size_t contact) const noexcept {
        return contact == 0 || contact > followers_.size() ? 0.0 : followers_[contact - 1].behind;
    }
    [[nodiscard]] std::size_t here() const noexcept { return this->phase(state_.step); }
    [[nodiscard]] std::size_t next() const noexcept { return this->phase(state_.step + 1); }
    [[nodiscard]] const GridPlace& place(Eigen::Index contact) const noexcept {
        return contact == 0 ? passage_.contact : followers_[static_cast<std::size_t>(contact - 1)].at;
    }
    [[nodiscard]] const std::array<double, 2>& rest(Eigen::Index contact, std::size_t phase) const noexcept {
        return contact == 0 ? this->static_[phase] : followers_[static_cast<std::size_t>(contact - 1)].rest[phase];
    }

    void find_influences() {
        const auto n = static_cast<Eigen::Index>(contacts());
        own_ = gap_ = Eigen::VectorXd::Zero(n);
        influence_.resize(passage_.phases.size());
        Eigen::VectorXd x(unknowns_.size());
        for (std::size_t k = 0; k < influence_.size(); ++k) {
            const auto& droppers = passage_.phases[(k + 1) % influence_.size()].droppers;
            const auto count = static_cast<Eigen::Index>(droppers.size());
            Influence& of = influence_[k];
            of.compliance = Eigen::MatrixXd::Zero(n, n);
            of.reach = of.lift = Eigen::MatrixXd::Zero(count, n);
            for (Eigen::Index i = 0; i < n; ++i) {
                x.setZero();
                detail::add_load(x, this->bears_, 0, place(i), contact_share / passage_.dx);
                this->solver_[k].solve(x);
                for (Eigen::Index c = 0; c < n; ++c) of.compliance(c, i) = detail::height_in(x, 0, place(c));
                for (Eigen::Index j = 0; j < count; ++j)
                    of.reach(j, i) = detail::stretch_in(x, droppers[static_cast<std::size_t>(j)].at);
            }
            for (Eigen::Index j = 0; j < count; ++j) {
                const auto& d = droppers[static_cast<std::size_t>(j)];
                x.setZero();
                detail::add_load(x, this->bears_, 0, d.at, dropper_share / passage_.dx);
                detail::add_load(x, this->bears_, 1, d.at, -dropper_share / passage_.dx);
                this->solver_[k].solve(x);
                for (Eigen::Index i = 0; i < n; ++i) of.lift(j, i) = detail::height_in(x, 0, place(i));
            }
        }
    }

    /// Computes level n+1 without the forces at n+1, but with those of all contacts at n and n-1.
    void prepare() noexcept {
        Engine::prepare(state_, contact_share * (2.0 * forces_[0] + before_[0]));
        if (followers_.empty()) return;
        extra_.setZero();
        for (Eigen::Index i = 1; i < forces_.size(); ++i)
            detail::add_load(extra_, this->bears_, 0, place(i),
                             contact_share * (2.0 * forces_[i] + before_[i]) / passage_.dx);
        this->solver_[here()].solve(extra_);
        unknowns_ += extra_;
        if (!this->grid_.unilateral) return;
        const auto& droppers = passage_.phases[next()].droppers;
        for (std::size_t j = 0; j < droppers.size(); ++j)
            tension_[static_cast<Eigen::Index>(j)] += detail::stretch_in(extra_, droppers[j].at);
    }

    Status slacken(const Eigen::VectorXd& forces) noexcept {
        const Influence& of = influence_[here()];
        const Eigen::Index count = of.reach.rows();
        for (Eigen::Index j = 0; j < count; ++j) {
            trial_[j] = tension_[j];
            for (Eigen::Index i = 0; i < forces.size(); ++i) trial_[j] += forces[i] * of.reach(j, i);
        }
        return catenary::slacken(Engine::influence_[here()], trial_, static_cast<int>(count), state_.correction);
    }

    /// Completes the step with the forces in free_.
    Status finish(Status found) noexcept {
        if (!followers_.empty()) {
            extra_.setZero();
            for (Eigen::Index i = 1; i < free_.size(); ++i)
                detail::add_load(extra_, this->bears_, 0, place(i), contact_share * free_[i] / passage_.dx);
            this->solver_[here()].solve(extra_);
            unknowns_ += extra_;
        }
        Engine::finish(state_, free_[0]);
        Engine::settle(state_, free_[0]);
        before_.swap(forces_);
        forces_ = free_;
        const auto& line = state_.levels[0];
        for (Follower& c : followers_) {
            const double now = c.at.of(line[1]), height = c.at.of(line[2]), speed_before = c.wire.speed;
            const auto& z = c.rest[here()];
            c.wire.height = z[0] + now;
            c.wire.speed = (1.5 * now - 2.0 * height + 0.5 * c.height_before) / dt() + speed() * z[1];
            c.wire.acceleration = (c.wire.speed - speed_before) / dt();
            c.height_before = height;
            if (!is_finite(c.wire)) found = Status::not_finite;
        }
        return this->status_ = this->judged(found);
    }

    std::vector<Follower> followers_;
    std::vector<Influence> influence_;        // by phase
    Eigen::VectorXd forces_, before_, free_;  // N, at n, n-1 and, in a step, n+1
    Eigen::VectorXd gap_, own_;               // m, m/N
};

static_assert(SeveralContacts<MovingContacts<>>);

/// MovingContacts with characteristic ends. @throws SetupError as the constructor.
template <class = void>
[[nodiscard]] MovingContacts<> moving_contacts(const PeriodicLine& line, const MovingGrid& grid,
                                               const std::vector<double>& behind) {
    return {line, grid, characteristic_ends(moving_wires(line, grid)), behind};
}

}  // namespace panto::catenary
