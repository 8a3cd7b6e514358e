// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The discrete adjoint of the axially loaded beam's two-step scheme: a stepper whose state is two levels, (u^n,
/// u^{n-1}), and the transpose of this stepper. With lambda = (l, m), the derivatives of the misfit with respect to
/// (u^{n+1}, u^n),
///     M+' w = l ,   (l, m) <- (m + M0' w, M-' w) ,
///     dJ/dM0 += w u^n' ,   dJ/dM- += w u^{n-1}' ,   dJ/dM+ -= w u^{n+1}' .
/// A transposed step gives derivatives with respect to the entries of the rows, not to parameters; the model's chain
/// rule converts them at the end. So one backward march serves any number of
/// parameters: 30 products per grid point, where the forward march has 15.

#pragma once

#include <panto/ident/adjoint.hpp>
#include <panto/ident/beam.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

namespace panto::ident {

/// A march of a beam as a stepper with transpose. State: level n, then n - 1, each with two zeros before and after the
/// grid. Keeps a reference to the experiment, which should be that of BeamModel::marched().
class BeamStepper {
    static constexpr int entries = 15;  // of a row: next, now, before
    using Row = detail::BeamRows<double>::Row;

  public:
    using State = Vector<double, Dynamic>;

    /// @throws SetupError if the rows are not those of the experiment's points or singular in the new level, or a force
    /// or motion is shorter than the march.
    BeamStepper(const BeamExperiment& experiment, const detail::BeamRows<double>& rows)
        : e_((check(experiment, rows), &experiment)),
          rows_(rows),
          solver_(rows.next),
          now_transposed_(transposed(rows.now)),
          before_transposed_(transposed(rows.before)),
          width_(experiment.points + 4) {}

    [[nodiscard]] State start() const { return State::Zero(2 * width_); }
    [[nodiscard]] Eigen::Index at(int point) const noexcept { return point + 2; }  ///< place of a point in the state

    /// The entries of the rows of all points, then the weights of the ends' motions.
    [[nodiscard]] Eigen::Index gradient_size() const { return entries * e_->points + 12; }

    /// Step n, from level n to n + 1, as BeamModel marches it.
    /// @throws SetupError if a size does not fit or a record does not reach to level n + 1.
    void step(int n, const State& x, State& next) const {
        require_fits(n, x, next);
        const double *now = x.data() + 2, *before = now + width_;
        double* u = next.data() + 2;
        for (int k = 0; k < e_->points; ++k) {
            const auto row = static_cast<std::size_t>(k);
            double sum = 0.0;
            for (int j = -2; j <= 2; ++j) {
                const auto c = static_cast<std::size_t>(j + 2);
                sum += rows_.now[row][c] * now[k + j] + rows_.before[row][c] * before[k + j];
            }
            u[k] = sum;
        }
        for_each_motion(n, [&](int point, std::size_t side, std::size_t k, std::size_t level, double moved) {
            u[point] += rows_.motion[side][k][level] * moved;
        });
        const double dx = e_->length / (e_->points - 1);
        for (const BeamForce& force : e_->forces)
            if (detail::bears_force(rows_, force.point)) u[force.point] += force.newton[n] / dx;
        solver_.solve(u);
        std::copy(now, now + e_->points, u + width_);
    }

    /// @throws SetupError as step() does.
    void step_transposed(int n, const State& x, const State& next, State& lambda, State& gradient) const {
        require_fits(n, x, next);
        require_size(lambda, 2 * width_, "lambda");
        require_size(gradient, gradient_size(), "the gradient");
        const double *now = x.data() + 2, *before = now + width_, *u = next.data() + 2;
        double *w = lambda.data() + 2, *m = w + width_, *g = gradient.data();
        solver_.solve_transposed(w);
        for_each_motion(n, [&](int point, std::size_t side, std::size_t k, std::size_t level, double moved) {
            g[entries * e_->points + static_cast<int>(6 * side + 3 * k + level)] += w[point] * moved;
        });
        double left2 = 0.0, left1 = 0.0;  // of w, which is overwritten in the loop
        for (int k = 0; k < e_->points; ++k, g += entries) {
            const auto row = static_cast<std::size_t>(k);
            const double here = w[k];
            for (int j = 0; j < 5; ++j) {
                g[j] -= here * u[k + j - 2];
                g[5 + j] += here * now[k + j - 2];
                g[10 + j] += here * before[k + j - 2];
            }
            const std::array<double, 5> around{left2, left1, here, w[k + 1], w[k + 2]};
            double of_now = m[k], of_before = 0.0;
            for (std::size_t j = 0; j < 5; ++j) {
                of_now += now_transposed_[row][j] * around[j];
                of_before += before_transposed_[row][j] * around[j];
            }
            w[k] = of_now;
            m[k] = of_before;
            left2 = left1;
            left1 = here;
        }
    }

    /// A gradient of the stepper in the shape of the rows.
    /// @throws SetupError if its size is not gradient_size().
    [[nodiscard]] detail::BeamRows<double> by_entries(const State& gradient) const {
        require_size(gradient, gradient_size(), "the gradient");
        detail::BeamRows<double> by(e_->points);
        const double* g = gradient.data();
        for (std::size_t k = 0; k < by.next.size(); ++k, g += entries) {
            std::copy(g, g + 5, by.next[k].begin());
            std::copy(g + 5, g + 10, by.now[k].begin());
            std::copy(g + 10, g + 15, by.before[k].begin());
        }
        for (auto& side : by.motion)
            for (auto& point : side)
                for (double& weight : point) weight = *g++;
        return by;
    }

  private:
    static constexpr const char* where = "ident::BeamStepper";

    static void require_size(const State& x, Eigen::Index size, const char* what) {
        require(x.size() == size, where, what, " has ", x.size(), " entries, expected ", size);
    }
    void require_fits(int n, const State& x, const State& next) const {
        require(n >= 0 && n < e_->steps, where, "step is ", n, ", must be from 0 to ", e_->steps - 1);
        require_size(x, 2 * width_, "a state");
        require_size(next, 2 * width_, "a state");
    }

    static void check(const BeamExperiment& e, const detail::BeamRows<double>& rows) {
        require(e.points >= 5, where, "points is ", e.points, ", must be at least 5");
        detail::require_rows(rows, e.points, where);
        for (const BeamForce& force : e.forces)
            require(force.point >= 0 && force.point < e.points && force.newton.size() >= e.steps, where,
                    "a force at point ", force.point, " has ", force.newton.size(),
                    " samples, expected a point of the grid and one for each of the ", e.steps, " steps");
        for (const auto* motion : {&e.left_motion, &e.right_motion})
            require(motion->size() == 0 || motion->size() > e.steps, where, "a motion has ", motion->size(),
                    " samples, expected none or one more than the ", e.steps, " steps");
    }

    /// Calls f(point, side, k, level, moved) for the motions of the ends at levels n+1, n, n-1.
    template <class F>
    void for_each_motion(int n, const F& f) const noexcept {
        for (std::size_t side = 0; side < 2; ++side) {
            const auto& motion = side == 0 ? e_->left_motion : e_->right_motion;
            if (motion.size() == 0) continue;
            for (int k = 0; k < 2; ++k)
                for (int level = 0; level < 3 && level <= n + 1; ++level)
                    f(side == 0 ? k : e_->points - 1 - k, side, static_cast<std::size_t>(k),
                      static_cast<std::size_t>(level), motion[n + 1 - level]);
        }
    }

    static std::vector<Row> transposed(const std::vector<Row>& rows) {
        std::vector<Row> t(rows.size(), Row{});
        const auto n = static_cast<int>(rows.size());
        for (int k = 0; k < n; ++k)
            for (int j = std::max(-2, -k); j <= std::min(2, n - 1 - k); ++j)
                t[static_cast<std::size_t>(k)][static_cast<std::size_t>(j + 2)] =
                    rows[static_cast<std::size_t>(k + j)][static_cast<std::size_t>(2 - j)];
        return t;
    }

    const BeamExperiment* e_;
    detail::BeamRows<double> rows_;
    detail::FiveDiagonals<double> solver_;
    std::vector<Row> now_transposed_, before_transposed_;
    int width_;
};

static_assert(TransposableStepper<BeamStepper>);

/// A beam whose rows are linear in its parameters: BeamModel, VaryingBeam.
template <class M>
concept MarchedBeam = requires(const M& m, const Vector<double, Dynamic>& p, const detail::BeamRows<double>& rows) {
    { m.experiment() } -> std::same_as<const BeamExperiment&>;
    { m.marched() } -> std::same_as<const BeamExperiment&>;
    { m.rows(p) } -> std::same_as<detail::BeamRows<double>>;
    { m.parameter_gradient(rows) } -> std::same_as<Vector<double, Dynamic>>;
};

/// A function of a response with its derivative with respect to every sample, for instance Misfit.
template <class F>
concept ResponseMisfit = requires(const F& f, const Vector<double, Dynamic>& y) {
    { f(y) } -> std::convertible_to<double>;
    { f.gradient(y) } -> std::convertible_to<Vector<double, Dynamic>>;
};

struct BeamGradient {
    double value = 0.0;                     ///< J
    Vector<double, Dynamic> gradient = {};  ///< dJ/dp, in the order of the model
    Vector<double, Dynamic> response = {};  ///< as BeamModel::response
    int states_kept = 0;  ///< largest number of states, 2 (points + 4) numbers each, in memory at the same time
};

/// J and dJ/dp of a beam by one forward and one backward march, whatever the number of parameters. All levels are kept,
/// twice each, 16 (points + 4) bytes a step, unless the policy says otherwise.
/// @throws SetupError as the model's response and as the misfit, or if its gradient differs in size from the response.
template <MarchedBeam Model, ResponseMisfit F>
[[nodiscard]] BeamGradient beam_gradient(const Model& model, const Vector<double, Dynamic>& p, const F& misfit,
                                         CheckpointPolicy policy = {}) {
    using State = BeamStepper::State;
    const BeamExperiment& e = model.experiment();
    const BeamStepper stepper(model.marched(), model.rows(p));
    const auto sensors = static_cast<int>(e.sensors.size());
    BeamGradient result;
    result.response.resize(static_cast<Eigen::Index>(sensors) * e.steps);
    const int steps = model.marched().steps;
    const auto sample_at = [&](int n) { return n > 0 && n % e.substeps == 0 ? n / e.substeps - 1 : -1; };
    const auto record = [&](int n, const State& x) {
        const int sample = sample_at(n);
        for (int c = 0; c < sensors && sample >= 0; ++c)
            result.response[c * e.steps + sample] = x[stepper.at(e.sensors[static_cast<std::size_t>(c)])];
        return 0.0;
    };
    Vector<double, Dynamic> slope;  // known after the forward march
    const auto source = [&](int n, const State&, State& lambda) {
        const int sample = sample_at(n);
        if (n == steps) {
            slope = misfit.gradient(result.response);
            require(slope.size() == result.response.size(), "ident::beam_gradient", "the misfit's gradient has ",
                    slope.size(), " entries, expected one for each of the ", result.response.size(), " samples");
        }
        for (int c = 0; c < sensors && sample >= 0; ++c)
            lambda[stepper.at(e.sensors[static_cast<std::size_t>(c)])] += slope[c * e.steps + sample];
    };
    const auto swept = adjoint_gradient(stepper, steps, record, source, policy);
    result.value = misfit(result.response);
    result.gradient = model.parameter_gradient(stepper.by_entries(swept.gradient));
    result.states_kept = swept.states_kept;
    return result;
}

/// The same for the objective of Publication A.
template <class = void>
[[nodiscard]] BeamGradient beam_gradient(const BeamMisfit& misfit, const Vector<double, Dynamic>& p,
                                         CheckpointPolicy policy = {}) {
    struct OfResponse {
        const BeamMisfit* misfit;
        double operator()(const Vector<double, Dynamic>& y) const { return misfit->of_response(y); }
        [[nodiscard]] Vector<double, Dynamic> gradient(const Vector<double, Dynamic>& y) const {
            return misfit->slope_of_response(y);
        }
    };
    return beam_gradient(misfit.model(), p, OfResponse{&misfit}, policy);
}

/// A misfit as a function of the parameters, with its gradient: for the methods of opt that use one. Keeps references.
template <MarchedBeam Model, ResponseMisfit F>
class BeamObjective {
  public:
    BeamObjective(const Model& model, const F& misfit, CheckpointPolicy policy = {})
        : model_(&model), misfit_(&misfit), policy_(policy) {}

    [[nodiscard]] double operator()(const Vector<double, Dynamic>& p) const { return (*misfit_)(model_->response(p)); }

    [[nodiscard]] double operator()(const Vector<double, Dynamic>& p, Vector<double, Dynamic>& gradient) const {
        const BeamGradient result = beam_gradient(*model_, p, *misfit_, policy_);
        gradient = result.gradient;
        return result.value;
    }

  private:
    const Model* model_;
    const F* misfit_;
    CheckpointPolicy policy_;
};

}  // namespace panto::ident
