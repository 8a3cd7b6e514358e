// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The line about the present state of an engine, as a linear system: droppers that are slack now stay slack, the
/// others pull and push. A slack dropper has no elastic force. Therefore a change x = [u; v; a] of the wires' motion
/// follows the step of the reference engine without the springs of the slack droppers, x+ = A x + B_n F+ :
///
///     (4/dt^2 M + 2/dt C + K - sum_slack k b b') u+ = N_n' F+ + M (4/dt^2 u + 4/dt v + a) + C (2/dt u + v)
///
/// F+ is the change of the contact force at the end of step n. N_n interpolates the wire at the contact at that time,
/// k b b' is the stiffness matrix of a slack dropper (the other symbols: reference_engine.hpp). The output y = C_n x is
/// height and speed of the wire above the strip. B_n and C_n depend on the place of the contact at that step. A has
/// thousands of rows, so it is not formed: the system is applied to vectors, and gives its responses C_i A ... A B_j.

#pragma once

#include <panto/catenary/line_facts.hpp>
#include <panto/catenary/passing_engine.hpp>
#include <panto/linalg/banded.hpp>

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::catenary {

/// Response of the wire above the strip to a change of the contact force, over the next steps.
struct LineResponse {
    Eigen::MatrixXd height = {};  ///< m/N: (i, j) at the end of step i, due to 1 N at the end of step j
    Eigen::MatrixXd speed = {};   ///< m/(s N), likewise
    double dt = 0.0;              ///< s, time step

    [[nodiscard]] int steps() const noexcept { return static_cast<int>(height.rows()); }
    /// Height (m/N) and speed (m/(s N)) of the wire at the end of `step`, due to 1 N that acts from the first step on.
    /// @throws SetupError if there is no such step.
    [[nodiscard]] std::array<double, 2> to_constant_force(int step) const {
        require(step >= 0 && step < steps(), "catenary::LineResponse", "step is ", step, ", must be from 0 to ",
                steps() - 1);
        return {height.row(step).head(step + 1).sum(), speed.row(step).head(step + 1).sum()};
    }
};

/// The line as it was when the object was made: it does not change when the engine moves on. Set-up only: it factors a
/// matrix of the size of the model.
class LinearisedLine {
  public:
    /// A change of the wires' motion, by row of the model.
    struct State {
        Eigen::VectorXd u, v, a;  ///< m, m/s, m/s^2 (slopes: 1, 1/s, 1/s^2)
    };

    /// @param engine  has a finite-element model(), dropper_force() and position_after(), as RealTimeEngine and
    ///                ReferenceEngine do
    /// @param steps   number of steps of the engine
    /// @throws SetupError if `steps` is not from 1 to 1000.
    template <class Engine>
    LinearisedLine(const Engine& engine, int steps)
        : dt_(engine.dt()),
          start_(engine.position_after(0.0)),
          facts_(catenary::line_facts(engine.model(), start_)),
          mass_(engine.model().mass()) {
        require(steps >= 1 && steps <= 1000, "catenary::LinearisedLine", "steps is ", steps,
                ", must be from 1 to 1000");
        std::vector<bool> slack;
        for (std::size_t j = 0; j < engine.model().droppers().size(); ++j)
            slack.push_back(!(engine.dropper_force(j) > 0.0));
        factor(engine.model(), slack);
        for (int n = 0; n < steps; ++n) {
            const double t = dt_ * (n + 1), h = 1e-3 * dt_;
            places_.push_back({.point = engine.model().point(engine.position_after(t)),
                               .speed = (engine.position_after(t + h) - engine.position_after(t - h)) / (2.0 * h),
                               .on_line = engine.steps() + n + 1 <= engine.steps_on_line()});
        }
    }

    [[nodiscard]] int steps() const noexcept { return static_cast<int>(places_.size()); }
    [[nodiscard]] double dt() const noexcept { return dt_; }                       ///< s
    [[nodiscard]] double start() const noexcept { return start_; }                 ///< m, position of the contact now
    [[nodiscard]] const LineFacts& line_facts() const noexcept { return facts_; }  ///< of the span there
    /// Speed of the contact at the end of a step, m/s. @throws SetupError if there is no such step.
    [[nodiscard]] double speed(int step) const { return place(step).speed; }
    [[nodiscard]] State zero() const {
        const Eigen::VectorXd none = Eigen::VectorXd::Zero(mass_.size());
        return {none, none, none};
    }
    /// x becomes A x + B_step F, with the force F in N.
    /// @throws SetupError if there is no such step, x has the wrong size or the force is not finite.
    template <class = void>
    void advance(State& x, int step, double force) const;
    /// Height, m, and speed, m/s, of the wire above the strip at the end of a step: C_step x. Beyond the end of the
    /// line the speed is 0, as in the engines.
    /// @throws SetupError if there is no such step or x has the wrong size.
    template <class = void>
    [[nodiscard]] std::array<double, 2> output(const State& x, int step) const;
    /// The responses to 1 N at the end of each step.
    template <class = void>
    [[nodiscard]] LineResponse response() const;
    /// Height of the wire at the end of the next step per newton of contact force at that instant, m/N.
    template <class = void>
    [[nodiscard]] double compliance() const {
        State x = zero();
        advance(x, 0, 1.0);
        return output(x, 0)[0];
    }

  private:
    struct Place {
        WirePoint point;
        double speed;  // m/s, of the contact
        bool on_line;  // behind the last support the wire is at rest
    };
    template <class = void>
    void factor(const FiniteElements<>& model, const std::vector<bool>& slack);
    [[nodiscard]] const Place& place(int step) const {
        require(step >= 0 && step < steps(), "catenary::LinearisedLine", "step is ", step, ", must be from 0 to ",
                steps() - 1);
        return places_[static_cast<std::size_t>(step)];
    }
    [[nodiscard]] const Place& place(const State& x, int step) const {
        constexpr const char* where = "catenary::LinearisedLine";
        require(x.u.size() == mass_.size() && x.v.size() == mass_.size() && x.a.size() == mass_.size(), where,
                "the state has ", x.u.size(), ", ", x.v.size(), " and ", x.a.size(), " rows, must have ", mass_.size(),
                ": begin with zero()");
        return place(step);
    }

    double dt_, start_;
    LineFacts facts_;
    linalg::SymmetricBand<> mass_, damping_;
    linalg::BandCholesky<> solver_;
    std::vector<Place> places_;
};

template <class>
void LinearisedLine::factor(const FiniteElements<>& model, const std::vector<bool>& slack) {
    damping_ = model.damping();
    linalg::SymmetricBand<> K = model.stiffness();
    for (std::size_t j = 0; j < slack.size(); ++j) {
        if (!slack[j]) continue;
        const DropperLink<>& d = model.droppers()[j];
        K.add(d.top, d.top, -d.stiffness);
        K.add(d.bottom, d.bottom, -d.stiffness);
        K.add(d.top, d.bottom, d.stiffness);
    }
    K.add(4.0 / (dt_ * dt_), mass_);
    K.add(2.0 / dt_, damping_);
    solver_ = linalg::BandCholesky<>(K);
}

template <class>
void LinearisedLine::advance(State& x, int step, double force) const {
    const WirePoint& p = place(x, step).point;
    require_finite(force, "catenary::LinearisedLine", "force");
    Eigen::VectorXd load(x.u.size()), damped(x.u.size());
    mass_.multiply(Eigen::VectorXd(4.0 / (dt_ * dt_) * x.u + 4.0 / dt_ * x.v + x.a), load);
    damping_.multiply(Eigen::VectorXd(2.0 / dt_ * x.u + x.v), damped);
    load += damped;
    for (std::size_t i = 0; i < 4; ++i)
        if (p.row[i] >= 0) load[p.row[i]] += force * p.value[i];
    solver_.solve(load);
    const Eigen::VectorXd d = load - x.u;
    x.a = 4.0 / (dt_ * dt_) * d - 4.0 / dt_ * x.v - x.a;
    x.v = 2.0 / dt_ * d - x.v;
    x.u = load;
}

template <class>
std::array<double, 2> LinearisedLine::output(const State& x, int step) const {
    const auto& [p, speed, on_line] = place(x, step);
    double height = 0.0, rate = 0.0, slope = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        if (p.row[i] < 0) continue;
        height += p.value[i] * x.u[p.row[i]];
        rate += p.value[i] * x.v[p.row[i]];
        slope += p.slope[i] * x.u[p.row[i]];
    }
    return {height, on_line ? rate + speed * slope : 0.0};
}

template <class>
LineResponse LinearisedLine::response() const {
    LineResponse r{Eigen::MatrixXd::Zero(steps(), steps()), Eigen::MatrixXd::Zero(steps(), steps()), dt_};
    for (int j = 0; j < steps(); ++j) {
        State x = zero();
        for (int i = j; i < steps(); ++i) {
            advance(x, i, i == j ? 1.0 : 0.0);
            const auto y = output(x, i);
            r.height(i, j) = y[0];
            r.speed(i, j) = y[1];
        }
    }
    return r;
}

/// Response of a periodic line to the contact force in each control cycle of a period, for control::ImpedanceMpc.
struct PeriodicResponse {
    /// One matrix for each cycle m of a period. Its two rows are height (m/N) and speed (m/(s N)) of the wire at the
    /// beginning of cycle m. Column i - 1 is the response to 1 N that acted during cycle m - i.
    std::vector<Eigen::MatrixXd> answer = {};
    double dt = 0.0;      ///< s, duration of a cycle
    double speed = 0.0;   ///< m/s, of the contact
    double start = 0.0;   ///< m, its position at the beginning of cycle 0
    LineFacts line = {};  ///< what the line is made of
};

/// The response of a line that was linearised at the beginning of a period. If the line is modelled in the ground's
/// frame, its spans must be equal, and the contact must be far from both ends.
/// @param cycles   number of control cycles in a period
/// @param factor   number of steps in a cycle
/// @param horizon  number of cycles over which the response to 1 N is computed
/// @throws SetupError if a number is below 1, the line was linearised for too few steps, or the speed of the contact
/// changes: then the line is not periodic.
template <class = void>
[[nodiscard]] PeriodicResponse periodic_response(const LinearisedLine& line, int cycles, int factor, int horizon) {
    constexpr const char* where = "catenary::periodic_response";
    require(cycles >= 1 && factor >= 1 && horizon >= 1, where, "cycles, factor and horizon are ", cycles, ", ", factor,
            " and ", horizon, ", must be at least 1");
    require(line.steps() >= (cycles - 1 + horizon) * factor, where, "the line was linearised for ", line.steps(),
            " steps, must be at least (cycles - 1 + horizon) factor = ", (cycles - 1 + horizon) * factor);
    for (int n = 1; n < line.steps(); ++n)
        require(
            std::abs(line.speed(n) - line.speed(0)) <= 1e-6 * std::abs(line.speed(0)), where, "the contact runs at ",
            line.speed(0), " m/s and, ", n, " steps later, at ", line.speed(n),
            " m/s; the response is periodic only at constant speed; linearise the line where the speed is constant");
    PeriodicResponse r{std::vector<Eigen::MatrixXd>(static_cast<std::size_t>(cycles), Eigen::MatrixXd(2, horizon)),
                       factor * line.dt(), line.speed(0), line.start(), line.line_facts()};
    for (int j = 0; j < cycles; ++j) {
        LinearisedLine::State x = line.zero();
        for (int i = 1; i <= horizon; ++i) {
            for (int n = (j + i - 1) * factor; n < (j + i) * factor; ++n) line.advance(x, n, i == 1 ? 1.0 : 0.0);
            const auto y = line.output(x, (j + i) * factor - 1);
            r.answer[static_cast<std::size_t>((j + i) % cycles)].col(i - 1) = Eigen::Vector2d(y[0], y[1]);
        }
    }
    return r;
}

}  // namespace panto::catenary
