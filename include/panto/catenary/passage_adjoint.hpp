// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The transposed step of the reference engine under a given force: exact gradients of a passage with slack droppers.
/// The matrix of each step is the one without the springs of the droppers that are slack at the end of the step. If a
/// dropper is just about to become slack or taut, the derivative is that of its present state.
///
/// A transposed step gives the gradient with respect to the entries of mass, damping and stiffness and to the droppers'
/// stiffness and static force. At the end, section_gradient() converts this gradient to the parameters, with one
/// assembly in dual numbers for every K parameters. With the function J to be differentiated, its adjoint state
/// [l_u, l_v, l_a], K_it of reference_engine.hpp, i = 4/dt^2 u + 4/dt v + a, and j = 2/dt u + v:
///     (K_it - slack) u+ = f + M i + C j ,   w = (K_it - slack)^-1 (l_u + 2/dt l_v + 4/dt^2 l_a) ,
///     dJ/dM += w (i - 4/dt^2 u+)' ,   dJ/dC += w (j - 2/dt u+)' ,   dJ/dK -= w u+' .

#pragma once

#include <panto/catenary/unilateral.hpp>
#include <panto/core/dual.hpp>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace panto::catenary {

/// A passage under a given force on the contact wire, as a stepper that has a transposed step as well. Its state is
/// (u, v, a), by row of the model. It keeps a reference to the model. `force(n)` is the force at the end of step n, N.
class PassageStepper {
  public:
    using State = Vector<double, Dynamic>;
    using Vec = Vector<double, Dynamic>;
    using Band = linalg::SymmetricBand<double>;

    /// @throws SetupError as check_passage does.
    PassageStepper(const FiniteElements<double>& model, const PassageParams& passage, std::function<double(int)> force)
        : model_(&model),
          passage_(passage),
          force_(std::move(force)),
          damping_(model.damping()),
          base_(model.stiffness()) {
        (void)check_passage(model, passage);
        base_.add(4.0 / (passage.dt * passage.dt), model.mass());
        base_.add(2.0 / passage.dt, damping_);
        forward_.emplace(model, base_);
        cholesky_ = linalg::BandCholesky<double>(base_.size(), base_.half_bandwidth());
    }

    [[nodiscard]] int rows() const noexcept { return model_->size(); }
    [[nodiscard]] const FiniteElements<double>& model() const noexcept { return *model_; }
    [[nodiscard]] State start() const { return State::Zero(3 * rows()); }

    /// Size of the gradient: three bands (lower triangles of M, C, K), then stiffness and static force of each dropper.
    [[nodiscard]] Eigen::Index gradient_size() const {
        return 3 * band_size() + 2 * static_cast<Eigen::Index>(model_->droppers().size());
    }

    /// Step n, from level n to n + 1, like ReferenceEngine::step.
    /// @throws SetupError if a size does not fit.
    void step(int n, const State& x, State& next) const {
        const int N = rows();
        require_size(x, 3 * N, "a state");
        next.resize(3 * N);
        const double dt = passage_.dt;
        const auto u = x.head(N), v = x.segment(N, N), a = x.tail(N);
        Vec i = 4.0 / (dt * dt) * u + 4.0 / dt * v + a, j = 2.0 / dt * u + v, load(N), part(N), u_next(N);
        model_->mass().multiply(i, load);
        damping_.multiply(j, part);
        load += part;
        const WirePoint point = model_->point(passage_position(passage_, n + 1));
        for (std::size_t k = 0; k < 4; ++k)
            if (point.row[k] >= 0) load[point.row[k]] += force_(n) * point.value[k];
        const Status status = forward_->solve(load, u_next);
        require(usable(status), "catenary::PassageStepper", "step ", n, " has no solution (", name(status), ")");
        next.head(N) = u_next;
        next.segment(N, N) = 2.0 / dt * (u_next - u) - v;
        next.tail(N) = 4.0 / (dt * dt) * (u_next - u) - 4.0 / dt * v - a;
    }

    /// The transpose of a step from x to next: `lambda` becomes the adjoint state at x, and the share of the
    /// step is added to `gradient`.
    /// @throws SetupError if a size does not fit.
    void step_transposed(int, const State& x, const State& next, State& lambda, Vec& gradient) const {
        const int N = rows();
        require_size(x, 3 * N, "a state"), require_size(next, 3 * N, "a state"), require_size(lambda, 3 * N, "lambda");
        require_size(gradient, gradient_size(), "the gradient");
        const double dt = passage_.dt, c2 = 4.0 / (dt * dt), c1 = 2.0 / dt;
        const Vec u_next = next.head(N);
        Vec w = lambda.head(N) + c1 * lambda.segment(N, N) + c2 * lambda.tail(N);
        factor_at(u_next);
        cholesky_.solve(w);

        const auto u = x.head(N), v = x.segment(N, N), a = x.tail(N);
        const Vec i = c2 * u + 2.0 * c1 * v + a, j = c1 * u + v;
        const Eigen::Index size = band_size();
        add_product(gradient.segment(0, size), w, i - c2 * u_next);
        add_product(gradient.segment(size, size), w, j - c1 * u_next);
        add_product(gradient.segment(2 * size, size), w, -u_next);
        const auto count = static_cast<Eigen::Index>(model_->droppers().size());
        for (Eigen::Index k = 0; k < count; ++k) {
            const auto& d = model_->droppers()[static_cast<std::size_t>(k)];
            if (!slack_[static_cast<std::size_t>(k)]) continue;
            const double along = w[d.top] - w[d.bottom];
            gradient[3 * size + k] += along * (u_next[d.top] - u_next[d.bottom]);
            gradient[3 * size + count + k] += along;
        }

        Vec l_i(N), l_j(N);
        model_->mass().multiply(w, l_i);
        damping_.multiply(w, l_j);
        const Vec l_v = lambda.segment(N, N), l_a = lambda.tail(N);
        lambda.head(N) = c2 * l_i + c1 * l_j - c1 * l_v - c2 * l_a;
        lambda.segment(N, N) = 2.0 * c1 * l_i + l_j - l_v - 2.0 * c1 * l_a;
        lambda.tail(N) = l_i - l_a;
    }

    /// dJ/dp from the sum of step_transposed over all steps, for the K parameters of `seeded`, a model of the same mesh
    /// in dual numbers.
    template <int K>
    [[nodiscard]] Vec section_gradient(const Vec& gathered, const FiniteElements<Dual<K>>& seeded) const {
        require(seeded.size() == rows() && seeded.mass().half_bandwidth() == base_.half_bandwidth(),
                "catenary::PassageStepper", "the seeded model has another mesh than the one that was marched");
        require_size(gathered, gradient_size(), "the gradient");
        Dual<K> sum(0.0);
        const auto damping = seeded.damping();
        Eigen::Index at = 0;
        for (const auto* band : {&seeded.mass(), &damping, &seeded.stiffness()})
            for (int i = 0; i < rows(); ++i)
                for (int k = 0; k <= base_.half_bandwidth(); ++k, ++at)
                    if (k <= i) sum += gathered[at] * band->below(i, k);
        for (const auto& d : seeded.droppers()) sum += gathered[at++] * d.stiffness;
        for (const auto& d : seeded.droppers()) sum += gathered[at++] * d.static_force;
        return Eigen::Map<const Vec>(sum.derivatives().data(), K);
    }

  private:
    static void require_size(const Vec& x, Eigen::Index size, const char* what) {
        require(x.size() == size, "catenary::PassageStepper", what, " has ", x.size(), " entries, expected ", size);
    }

    [[nodiscard]] Eigen::Index band_size() const {
        return static_cast<Eigen::Index>(rows()) * (base_.half_bandwidth() + 1);
    }

    /// Factors the matrix of a step that ended at `u`: without the droppers that are slack there.
    void factor_at(const Vec& u) const {
        const auto& droppers = model_->droppers();
        std::vector<char> slack(droppers.size());
        for (std::size_t k = 0; k < droppers.size(); ++k)
            slack[k] = Unilateral<double>::linear_tension(droppers[k], u) < 0.0 ? 1 : 0;
        if (factored_ && slack == slack_) return;
        slack_ = std::move(slack);
        Band work = base_;
        for (std::size_t k = 0; k < droppers.size(); ++k) {
            if (!slack_[k]) continue;
            const auto& d = droppers[k];
            work.add(d.top, d.top, -d.stiffness);
            work.add(d.bottom, d.bottom, -d.stiffness);
            work.add(d.top, d.bottom, d.stiffness);
        }
        factored_ = cholesky_.factor(work);
        require(factored_, "catenary::PassageStepper", "the matrix of a step is not positive definite");
    }

    /// g += the part of w x' that belongs to each entry of a symmetric band.
    template <class Part>
    void add_product(Part&& g, const Vec& w, const Vec& x) const {
        Eigen::Index at = 0;
        for (int i = 0; i < rows(); ++i) {
            g[at++] += w[i] * x[i];
            for (int k = 1; k <= base_.half_bandwidth(); ++k, ++at)
                if (k <= i) g[at] += w[i] * x[i - k] + w[i - k] * x[i];
        }
    }

    const FiniteElements<double>* model_;
    PassageParams passage_;
    std::function<double(int)> force_;
    Band damping_, base_;
    mutable std::optional<Unilateral<double>> forward_;
    mutable linalg::BandCholesky<double> cholesky_;
    mutable std::vector<char> slack_;
    mutable bool factored_ = false;
};

}  // namespace panto::catenary
