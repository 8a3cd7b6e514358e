// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A linear field closed by a nonlinear law at its boundary, as a discrete system. In every step one scalar equation
///
///     v = v_free + gain * sum_i theta_i phi_i(v)
///
/// is solved for the boundary variable at the end of the step; v_free is the value of v without action at the end of
/// the step, and gain the change of v per unit of this action. If the gain is negative and the law increases with v, as
/// for cooling and for springs, there is exactly one solution.

#pragma once

#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/dynamics/concepts.hpp>
#include <panto/dynamics/simulate.hpp>
#include <panto/field/modal_field.hpp>
#include <panto/ident/boundary_law.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

/// State: modes of the field, then action, boundary variable and sensor at the sample.
template <class Field, class Law>
    requires BoundaryLaw<Law, typename Field::Scalar>
class BoundaryModel {
  public:
    using Scalar = typename Field::Scalar;
    using State = Vector<Scalar, Dynamic>;
    using Theta = std::array<Scalar, std::size_t(Law::size)>;
    /// Known inputs at the beginning and at the end of the step.
    struct Input {
        std::array<Scalar, Field::known> before{}, now{};
    };
    struct Output {
        Scalar sensor{}, boundary{}, action{};
    };

    static constexpr int iteration_limit = 60;  ///< of Newton's method, whose steps are halved at most 30 times

    BoundaryModel(Field field, Law law, const Theta& theta)
        : field_(std::move(field)), law_(std::move(law)), theta_(theta) {}

    [[nodiscard]] double dt() const noexcept { return field_.dt(); }
    [[nodiscard]] const Field& field() const noexcept { return field_; }
    [[nodiscard]] const Law& law() const noexcept { return law_; }
    [[nodiscard]] const Theta& theta() const noexcept { return theta_; }
    [[nodiscard]] int states() const noexcept { return field_.states() + 3; }

    /// At rest, before any motion or cooling; the action is that of the law there, so that a hot slab cools at once.
    [[nodiscard]] State at_rest() const {
        State x = State::Constant(states(), Scalar(0.0));
        x[field_.states()] = weighted(law_.basis(Scalar(0.0)), theta_);
        return x;
    }

    /// The state after a step; not_converged or not_finite if the law has no solution that Newton's method finds, with
    /// the last iterate as value. `next` must not alias `x`; out_of_range, with nothing done, unless both
    /// have states() entries. @rt
    Status advance(const State& x, const Input& u, State& next) const noexcept {
        if (x.size() != states() || next.size() != states()) return Status::out_of_range;
        typename Field::Input before, now;
        for (std::size_t j = 0; j < Field::known; ++j) before[j] = u.before[j], now[j] = u.now[j];
        const int n = field_.states();
        before[Field::known] = x[n];
        now[Field::known] = Scalar(0.0);
        field_.advance(x, before, now, next);
        const Scalar free = field_.boundary(next, before, now);
        Scalar v = free + field_.gain() * x[n];  // as if the action had not changed
        const Status status = solve(free, v);
        const Scalar action = weighted(law_.basis(v), theta_);
        now[Field::known] = action;
        field_.act(action, next);
        next[n] = action;
        next[n + 1] = v;
        next[n + 2] = field_.sensor(next, before, now);
        return panto::is_finite(value_of(next[n + 2])) ? status : Status::not_finite;
    }

    /// advance() under the name that a DiscreteSystem gives it. @rt
    Status step(const State& x, const Input& u, State& next) const noexcept { return advance(x, u, next); }

    /// out_of_range, with `y` unchanged, unless `x` has states() entries. @rt
    Status output(const State& x, const Input&, Output& y) const noexcept {
        if (x.size() != states()) return Status::out_of_range;
        const int n = field_.states();
        y.action = x[n], y.boundary = x[n + 1], y.sensor = x[n + 2];
        return Status::ok;
    }

    /// 1/(1 - gain * law'(v)): how much of a change of v_free arrives at the boundary. @rt
    [[nodiscard]] Scalar compliance(const Scalar& v) const noexcept {
        return Scalar(1.0) / (Scalar(1.0) - field_.gain() * weighted(law_.slopes(v), theta_));
    }

  private:
    /// Newton's method on v - free - gain law(v), halving steps that do not make it smaller.
    Status solve(const Scalar& free, Scalar& v) const noexcept {
        const auto defect = [&](const Scalar& at) {
            return Scalar(at - free - field_.gain() * weighted(law_.basis(at), theta_));
        };
        const auto magnitude = [](const Scalar& s) { return std::abs(value_of(s)); };
        Scalar f = defect(v);
        int after = 0;  // further iterations: derivatives a scalar may carry converge one iteration later
        for (int k = 0; k < iteration_limit; ++k) {
            const Scalar step = f * compliance(v);
            if (!panto::is_finite(value_of(step))) return Status::not_finite;
            const double noise = 4e-16 * (magnitude(v) + magnitude(free));
            if (magnitude(step) <= noise) ++after;
            Scalar trial = v - step, f_trial = defect(trial);
            if (after == 0) {
                double part = 1.0;
                for (int h = 0; h < 30 && !(magnitude(f_trial) < magnitude(f)); ++h) {
                    if (magnitude(f) <= 4.0 * noise) {
                        ++after;  // as small as rounding permits
                        break;
                    }
                    part *= 0.5;
                    trial = v - step * Scalar(part), f_trial = defect(trial);
                }
            }
            v = trial, f = f_trial;
            if (after >= 3) return Status::ok;
            if constexpr (std::same_as<Scalar, double>)
                if (after >= 1) return Status::ok;
        }
        return after > 0 ? Status::ok : Status::not_converged;
    }

    Field field_;
    Law law_;
    Theta theta_;
};

/// Every sample of a run from rest.
template <Real Scalar>
struct BoundaryResponse {
    std::vector<Scalar> sensor = {}, boundary = {}, action = {};
    Status status = Status::ok;  ///< the first that was not ok; the samples from there on are missing
};

/// `samples` samples, the first of them at rest; `motion` holds the known input, one number per sample, or nothing
/// where the field has none.
/// @throws SetupError if the length of `motion` fits neither.
template <class Field, class Law>
[[nodiscard]] BoundaryResponse<typename Field::Scalar> respond(const BoundaryModel<Field, Law>& model, int samples,
                                                               std::span<const double> motion = {}) {
    using Model = BoundaryModel<Field, Law>;
    using Scalar = typename Field::Scalar;
    static_assert(Field::known <= 1);
    require(samples >= 1, "ident::respond", "samples is ", samples, ", must be at least 1");
    require(motion.size() == (Field::known ? static_cast<std::size_t>(samples) : 0), "ident::respond", "motion has ",
            motion.size(), " values, expected ", Field::known ? samples : 0);
    BoundaryResponse<Scalar> run;
    typename Model::State x = model.at_rest();
    const auto input = [&](int k) {
        typename Model::Input u;
        if constexpr (Field::known == 1) {
            u.before[0] = Scalar(motion[static_cast<std::size_t>(k)]);
            u.now[0] = Scalar(motion[static_cast<std::size_t>(k) + 1]);
        }
        return u;
    };
    const auto record = [&](const typename Model::Output& y) {
        run.sensor.push_back(y.sensor), run.boundary.push_back(y.boundary), run.action.push_back(y.action);
    };
    typename Model::Output at_rest;
    model.output(x, {}, at_rest);
    record(at_rest);
    run.status = dynamics::simulate(model, x, samples - 1, input, record);
    return run;
}

}  // namespace panto::ident
