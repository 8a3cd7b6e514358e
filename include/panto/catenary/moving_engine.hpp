// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A piece of a periodic line in the train's frame, step by step. The stiffness of the wires is explicit, the coupling
/// to droppers and masts is implicit [predictive paper, (40), in its symmetric form]:
///
///     M+ w+ = M0 w + M- w- - (K+ w+ + K- w-) / 2 + f ,       K = sum_j k_j d_j d_j' / dx .
///
/// w+, w, w-: deviations of both wires at steps n+1, n, n-1; M+, M0, M-: matrices of the scheme at these steps; f: load
/// of the contact; k_j: stiffness of spring j; dx: grid spacing. d_j holds the interpolation weights of spring j, in K+
/// at its position of step n+1, in K- at that of step n-1. So the spring follows its own point of the wire. M+ + K+/2
/// is banded and repeats itself after a span; it is factored once for each step of the period.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/catenary/implicit_contact.hpp>
#include <panto/catenary/moving_ends.hpp>
#include <panto/catenary/moving_influence.hpp>
#include <panto/catenary/moving_loads.hpp>
#include <panto/catenary/moving_matrices.hpp>
#include <panto/catenary/moving_passage.hpp>
#include <panto/core/status.hpp>
#include <panto/linalg/map_radius.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace panto::catenary {

/// A piece of an infinitely long catenary; its ends let waves leave. Heights are the static height plus the deviation.
/// Droppers pull and push, or only pull (MovingGrid::unilateral): no negative elastic tension, but their dampers act.
template <class End = CharacteristicEnd>
    requires wave::End<End>
class MovingEngine {
    using Line = Eigen::VectorXd;
    using Levels = std::vector<Line>;

  public:
    /// Factors a band matrix for each step of a period and checks that the line comes to rest: some tenths of a second.
    /// @throws SetupError as moving_wires, if the grid has too few points for the ends, or if a state grows over a
    /// period.
    template <class = void>
    MovingEngine(const PeriodicLine& line, const MovingGrid& grid, const MovingEnds<End>& ends)
        : grid_(grid), wires_(moving_wires(line, grid)), passage_(moving_passage(line, grid)) {
        constexpr const char* where = "catenary::MovingEngine";
        const int n = passage_.points;
        int levels = 2;
        for (const End* e : {&ends.contact_left, &ends.contact_right, &ends.messenger_left, &ends.messenger_right}) {
            require(e->points() == H, where, "an end sets ", e->points(), " points, expected ", H);
            require(2 * e->reach() <= n, where, "an end's reach is ", e->reach(), ", must be at most ", n / 2);
            levels = std::max(levels, e->past_levels());
        }
        const std::array<std::array<const End*, 2>, 2> all{
            {{&ends.contact_left, &ends.contact_right}, {&ends.messenger_left, &ends.messenger_right}}};
        for (std::size_t w = 0; w < 2; ++w) {
            state_.left.push_back(*all[w][0]);
            state_.right.push_back(*all[w][1]);
            state_.levels[w].assign(static_cast<std::size_t>(levels) + 1, Line::Zero(n));
            bears_[w] = Line::Ones(n);
            for (int k = 0; k < H; ++k) {
                bears_[w][k] = share(*all[w][0], k);
                bears_[w][n - 1 - k] = share(*all[w][1], k);
            }
        }
        unknowns_ = Line::Zero(2 * n);
        solver_ = moving_matrices(wires_, passage_, bears_,
                                  {{{ends.contact_left.next_rows(), ends.contact_right.next_rows()},
                                    {ends.messenger_left.next_rows(), ends.messenger_right.next_rows()}}});
        influence_ = moving_influences(passage_, solver_, bears_);
        Eigen::Index most = 0;
        for (const MovingInfluence& of : influence_) most = std::max(most, of.reach.size());
        tension_ = trial_ = state_.correction = state_.correction_before = Line::Zero(most);
        extra_ = unknowns_;
        static_ = moving_static_heights(line, grid, passage_.steps());
        observe(state_);
        state_.wire.speed = state_.wire.acceleration = 0.0;
        start_ = ahead_ = state_;
        if (grid.accept_growth) return;
        const double radius = radius_of(*this);
        reset();
        require(radius < 1.0 - 1e-6, where, "over a period a state grows by the factor ", radius,
                ", must be below 1: the ends reflect too much, cells of ", passage_.dx,
                " m are too coarse for the droppers, or nothing supports the line (",
                std::ranges::count_if(
                    line.on_messenger, [](const auto& a) { return a.stiffness > 0.0; }),
                " supports of the messenger a span); to study such a line, set accept_growth");
    }

    /// Back to rest at the static shape. @rt
    void reset() noexcept {
        state_ = start_;
        status_ = Status::ok;
    }

    /// Advances by dt. `force` is the contact force F+ at the end of the step, N upward. With the two before it,
    /// F and F-, the force during the step is (F+ + 2 F + F-) / 4. A NaN or infinite `force` changes only status(). @rt
    Motion step(double force) noexcept {
        status_ = is_finite(force) ? judged(step(state_, force)) : Status::not_finite;
        return state_.wire;
    }

    /// Advances by dt together with a pantograph; the result is the contact force, N, at the end of the step. If the
    /// contact is not solvable(), returns not_finite and changes nothing. @rt
    Result<double> step_contact(const ImplicitContact<double>& contact) noexcept {
        if (!contact.solvable()) return {state_.force, status_ = Status::not_finite};
        State& s = state_;
        double force = s.force;
        Status status = Status::ok;
        prepare(s, contact_share * (2.0 * s.force + s.force_before));
        const MovingInfluence& of = influence_[phase(s.step)];
        const double flexibility = 1.0 / contact.stiffness + contact.head_compliance + of.compliance,
                     free = contact.head_height - static_[phase(s.step + 1)][0] -
                            detail::height_in(unknowns_, 0, passage_.contact);
        // Force and slack droppers affect each other only where a dropper passes over the strip.
        constexpr int turns = 60;
        for (int turn = 0; turn < turns; ++turn) {
            double gap = free;
            const auto droppers = passage_.phases[phase(s.step + 1)].droppers.size();
            for (std::size_t j = 0; j < droppers; ++j) gap -= of.lift[index(j)] * s.correction[index(j)];
            const double next = std::max(0.0, gap / flexibility), change = std::abs(next - force);
            force = next;
            if (!is_finite(gap)) status = Status::not_finite;
            if (status == Status::not_finite || !grid_.unilateral || (turn > 0 && change <= 1e-11 * (1.0 + next)))
                break;
            status = turn + 1 == turns ? Status::not_converged : slacken(s, force);
        }
        finish(s, force);
        settle(s, force);
        status_ = judged(status);
        return {state_.force, status_};
    }

    /// Fills `ahead` with the wire's motion in the steps to come under a constant force or a feedback law. @rt
    void predict(double force, std::span<Motion> ahead) noexcept {
        predict([force](std::size_t, const Motion&) noexcept { return force; }, ahead);
    }
    template <WireForceLaw Law>
    void predict(Law&& law, std::span<Motion> ahead) noexcept {
        if (!ahead.empty()) ahead_ = state_;
        for (std::size_t k = 0; Motion & m : ahead) step(ahead_, law(k++, std::as_const(ahead_.wire))), m = ahead_.wire;
    }

    [[nodiscard]] double dt() const noexcept { return grid_.dt; }
    [[nodiscard]] double dx() const noexcept { return passage_.dx; }
    [[nodiscard]] double speed() const noexcept { return grid_.speed; }
    [[nodiscard]] int steps_per_period() const noexcept { return passage_.steps(); }
    [[nodiscard]] double time() const noexcept { return static_cast<double>(state_.step) * grid_.dt; }
    /// Position of the pantograph along the line, m, counted from the same support as MovingGrid::start. @rt
    [[nodiscard]] double position() const noexcept { return grid_.start + grid_.speed * time(); }
    /// Position after a further `seconds`, m. @rt
    [[nodiscard]] double position_after(double seconds) const noexcept { return position() + grid_.speed * seconds; }
    /// Number of slack droppers on the grid. @rt
    [[nodiscard]] int slack_droppers() const noexcept {
        return static_cast<int>((state_.correction.array() > 0.0).count());
    }
    /// Elastic tension of dropper `j`, counted among those now on the grid, N; 0 if slack, NaN if there is none. @rt
    [[nodiscard]] double dropper_force(std::size_t j) const noexcept {
        const auto& all = passage_.phases[phase(state_.step)].droppers;
        if (j >= all.size()) return no_number<double>();
        const MovingPhase::Spring& d = all[j];
        const double stretch = d.at.of(messenger_wire()) - d.at.of(contact_wire());
        return state_.correction[index(j)] > 0.0 ? 0.0 : d.static_force + d.stiffness * stretch;
    }
    [[nodiscard]] const Motion& wire() const noexcept { return state_.wire; }
    [[nodiscard]] Status status() const noexcept { return status_; }
    [[nodiscard]] const MovingWires& wires() const noexcept { return wires_; }
    [[nodiscard]] const MovingPassage& passage() const noexcept { return passage_; }
    [[nodiscard]] const LineFacts& line_facts(double = 0.0) const noexcept { return wires_.line; }  ///< of any span
    /// Deviation of the contact wire from its static shape, m, at each grid point. @rt
    [[nodiscard]] const Line& contact_wire() const noexcept { return state_.levels[0][1]; }
    /// The same of the messenger wire. @rt
    [[nodiscard]] const Line& messenger_wire() const noexcept { return state_.levels[1][1]; }

    /// Starts from given deviations of both wires at this step and the one before, at phase 0. Ends are at rest.
    /// @throws SetupError if the size of one does not fit the grid, or a value is not finite.
    void start(const std::array<Line, 2>& now, const std::array<Line, 2>& before) {
        for (const auto* at : {&now, &before})
            for (const Line& line : *at)
                require(line.size() == passage_.points && line.allFinite(), "catenary::MovingEngine",
                        "each wire to start from must have ", passage_.points, " finite values, got ", line.size(),
                        line.allFinite() ? "" : ", not all finite");
        reset();
        for (std::size_t w = 0; w < 2; ++w)
            for (std::size_t i = 1; i < state_.levels[w].size(); ++i) state_.levels[w][i] = i == 1 ? now[w] : before[w];
        state_.height_before = passage_.contact.of(before[0]);
        observe(state_);
    }

    /// Factor by which the slowest decaying motion changes from span to span. @throws SetupError as linalg::map_radius.
    [[nodiscard]] double period_radius() const {
        MovingEngine copy = *this;
        return radius_of(copy);
    }

    /// For a step of the period: static height of the wire at the strip, m, and speed due to the slope there, m/s. @rt
    [[nodiscard]] std::array<double, 2> rest(int at_phase) const noexcept {
        return {static_[phase(at_phase)][0], grid_.speed * static_[phase(at_phase)][1]};
    }
    [[nodiscard]] int states() const noexcept {  ///< number: both wires at n and n-1, then the memory of the ends
        int sum = 2 * passage_.points * (static_cast<int>(state_.levels[0].size()) - 1);
        for (std::size_t w = 0; w < 2; ++w) sum += memory(state_.left[w]) + memory(state_.right[w]);
        return sum;
    }
    /// Sets the state to x, states() numbers, at step `at_phase` of the period; earlier contact forces are 0. If x has
    /// the wrong size, the state is kept and status() is out_of_range, otherwise ok. @rt
    template <class Vector>
    void put(const Vector& x, int at_phase) noexcept {
        if (x.size() != states()) return static_cast<void>(status_ = Status::out_of_range);
        int i = 0, n = passage_.points;
        for (Levels& levels : state_.levels)
            for (std::size_t l = 1; l < levels.size(); ++l, i += n) levels[l] = x.segment(i, n);
        if constexpr (remembers)
            for (auto* ends : {&state_.left, &state_.right})
                for (End& end : *ends) {
                    end.put(x.data() + i);
                    i += memory(end);
                }
        state_.force = state_.force_before = 0.0;
        state_.correction.setZero();
        state_.correction_before.setZero();
        state_.step = at_phase;
        state_.height_before = passage_.contact.of(state_.levels[0][2]);
        observe(state_);
        status_ = Status::ok;
    }
    /// Writes the state to x; does nothing unless x has states() entries. @rt
    template <class Vector>
    void get(Vector& x) const noexcept {
        if (x.size() != states()) return;
        const int n = passage_.points;
        int i = 0;
        for (const Levels& levels : state_.levels)
            for (std::size_t l = 1; l < levels.size(); ++l, i += n) x.segment(i, n) = levels[l];
        if constexpr (remembers)
            for (const auto* ends : {&state_.left, &state_.right})
                for (const End& end : *ends) {
                    end.get(x.data() + i);
                    i += memory(end);
                }
    }
    /// One step with linear droppers; `force` acts at the beginning of the step, N, as in the paper's state space. @rt
    void advance(double force) noexcept {
        prepare(state_, force, true);
        finish(state_, 0.0);
    }

  protected:  // for MovingContacts, which has several contacts
    static constexpr int H = 2;
    static constexpr bool remembers = requires(End& end, const End& said, double* x, const double* y) {
        said.memory();
        said.get(x);
        end.put(y);
    };
    static int memory(const End& end) noexcept {
        if constexpr (remembers)
            return end.memory();
        else
            return 0;
    }

    struct State {
        std::array<Levels, 2> levels;  // of contact and messenger wire: n+1, n, n-1, ...
        std::vector<End> left = {}, right = {};
        double force = 0.0, force_before = 0.0;        // N, at n and n-1
        Line correction = {}, correction_before = {};  // N, of slack droppers at n and n-1, in the order of the phase
        double height_before = 0.0;                    // m, deviation of the wire at the strip, at n-1
        Motion wire = {};
        std::int64_t step = 0;
    };

    static double share(const End& end, int k) {
        if constexpr (requires { end.share(k); })
            return end.share(k) > 0.0 ? 1.0 : 0.0;
        else
            return 0.0;
    }

    static double radius_of(MovingEngine& engine) {
        return linalg::map_radius(engine.states(), [&](Eigen::VectorXd& x) {
            engine.put(x, 0);
            for (int k = 0; k < engine.steps_per_period(); ++k) engine.advance(0.0);
            engine.get(x);
        });
    }

    [[nodiscard]] std::size_t phase(std::int64_t step) const noexcept {
        const auto steps = static_cast<std::int64_t>(passage_.phases.size());
        return static_cast<std::size_t>((step % steps + steps) % steps);
    }

    static Eigen::Index index(std::size_t j) noexcept { return static_cast<Eigen::Index>(j); }
    Status judged(Status s) const noexcept { return is_finite(state_.wire) ? s : Status::not_finite; }

    Status step(State& s, double force) noexcept {
        prepare(s, contact_share * (2.0 * s.force + s.force_before));
        const Status status = grid_.unilateral ? slacken(s, force) : Status::ok;
        finish(s, force);
        settle(s, force);
        return status;
    }

    /// Computes level n+1 in unknowns_, without the forces at n+1, and the tensions if all droppers stay taut. The
    /// corrections of step n become correction_before, and the new ones start at 0.
    void prepare(State& s, double load, bool linear = false) noexcept {
        for (std::size_t w = 0; w < 2; ++w) {
            detail::interior(w == 0 ? wires_.contact : wires_.messenger, s.levels[w]);
            s.left[w].apply(wave::Edge<double, 1>(s.levels[w]));
            s.right[w].apply(wave::Edge<double, -1>(s.levels[w]));
        }
        const MovingPhase &now = passage_.phases[phase(s.step)], &before = passage_.phases[phase(s.step - 1)];
        const detail::LevelLoads loads{s.levels, bears_};
        loads.add(0, passage_.contact, load / passage_.dx);
        loads.add_springs(before, s.correction_before, passage_.dx);
        loads.add_inertia(now, passage_.dx, grid_.dt);
        const int n = passage_.points;
        for (int i = 0; i < n; ++i) {
            unknowns_[2 * i] = s.levels[0][0][i];
            unknowns_[2 * i + 1] = s.levels[1][0][i];
        }
        solver_[phase(s.step)].solve(unknowns_);
        s.correction_before.swap(s.correction);
        s.correction.setZero();
        if (linear || !grid_.unilateral) return;
        const auto& droppers = passage_.phases[phase(s.step + 1)].droppers;
        for (std::size_t j = 0; j < droppers.size(); ++j)
            tension_[index(j)] =
                droppers[j].static_force / droppers[j].stiffness + detail::stretch_in(unknowns_, droppers[j].at);
    }

    /// Corrections of the slack droppers under a contact force at n+1.
    Status slacken(State& s, double force) noexcept {
        const MovingInfluence& of = influence_[phase(s.step)];
        const auto count = static_cast<int>(of.reach.size());
        for (int j = 0; j < count; ++j) trial_[j] = tension_[j] + force * of.reach[j];
        return catenary::slacken(of, trial_, count, s.correction);
    }

    /// Adds the effect of the forces at n+1 and advances.
    void finish(State& s, double force) noexcept {
        const auto& droppers = passage_.phases[phase(s.step + 1)].droppers;
        bool more = std::abs(force) > 0.0 || !is_finite(force);
        for (std::size_t j = 0; j < droppers.size(); ++j) more = more || s.correction[index(j)] > 0.0;
        if (more) {
            extra_.setZero();
            detail::add_load(extra_, bears_, 0, passage_.contact, contact_share * force / passage_.dx);
            for (std::size_t j = 0; j < droppers.size(); ++j) {
                const double f = dropper_share * s.correction[index(j)] / passage_.dx;
                detail::add_load(extra_, bears_, 0, droppers[j].at, f);
                detail::add_load(extra_, bears_, 1, droppers[j].at, -f);
            }
            solver_[phase(s.step)].solve(extra_);
            unknowns_ += extra_;
        }
        for (int i = 0; i < passage_.points; ++i) {
            s.levels[0][0][i] = unknowns_[2 * i];
            s.levels[1][0][i] = unknowns_[2 * i + 1];
        }
        const double height = passage_.contact.of(s.levels[0][1]);
        for (Levels& levels : s.levels)
            for (std::size_t i = levels.size() - 1; i > 0; --i) levels[i].swap(levels[i - 1]);
        ++s.step;
        const double older = std::exchange(s.height_before, height), before = s.wire.speed;
        observe(s);
        const double here = passage_.contact.of(s.levels[0][1]);
        s.wire.speed = (1.5 * here - 2.0 * height + 0.5 * older) / grid_.dt + grid_.speed * static_[phase(s.step)][1];
        s.wire.acceleration = (s.wire.speed - before) / grid_.dt;
    }

    static void settle(State& s, double force) noexcept { s.force_before = std::exchange(s.force, force); }

    void observe(State& s) const noexcept {
        s.wire.height = static_[phase(s.step)][0] + passage_.contact.of(s.levels[0][1]);
    }

    MovingGrid grid_;
    MovingWires wires_;
    MovingPassage passage_;
    std::array<Line, 2> bears_;                   // 1 where a point of a wire takes loads, else 0
    std::vector<linalg::BandLu<double>> solver_;  // by phase; unknowns: both wires, point by point
    std::vector<std::array<double, 2>> static_;   // height and slope of the wire at the strip, by phase
    std::vector<MovingInfluence> influence_;      // by phase
    Line unknowns_, extra_, tension_, trial_;     // workspace of a step
    State state_, ahead_, start_;
    Status status_ = Status::ok;
};

static_assert(PredictiveCatenary<MovingEngine<>> && TravellingContact<MovingEngine<>>);

/// The engine with characteristic ends. @throws SetupError as the constructor.
template <class = void>
[[nodiscard]] MovingEngine<> moving_engine(const PeriodicLine& line, const MovingGrid& grid) {
    return {line, grid, characteristic_ends(moving_wires(line, grid))};
}

}  // namespace panto::catenary
