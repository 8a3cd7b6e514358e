// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Nonlinear conjugate gradients in a box: d <- -g + beta d with beta of Polak and Ribiere, not below 0, restarted
/// whenever a parameter reaches or leaves its bound. It needs no matrix: for many parameters with a cheap (adjoint)
/// gradient.

#pragma once

#include <panto/opt/detail/descent.hpp>

namespace panto::opt {

namespace detail {

class ConjugateGradient {
  public:
    template <class = void>
    [[nodiscard]] Parameters direction(const Parameters& x, const Parameters& g, const Bounds& box) {
        Parameters free = Parameters::Ones(x.size());
        hold(x, g, box, free);
        const Parameters now = free.cwiseProduct(g);
        const bool usable = direction_.size() == x.size() && free == free_;
        const double beta = usable ? std::max(0.0, now.dot(now - gradient_) / gradient_.squaredNorm()) : 0.0;
        direction_ = beta > 0.0 ? Parameters(beta * direction_ - now) : Parameters(-now);
        free_ = free, gradient_ = now;
        return direction_;
    }

    /// A step that would change the value as much as the last one did.
    [[nodiscard]] double first_step(const Parameters& g, const Parameters& direction) const {
        const double slope = g.dot(direction);
        return last_gain_ > 0.0 && slope < 0.0 ? last_gain_ / -slope : 1.0 / direction.cwiseAbs().maxCoeff();
    }

    void learn(const Parameters& step, const Parameters&) { last_gain_ = std::abs(step.dot(gradient_)); }
    void forget() { direction_.resize(0), last_gain_ = 0.0; }

  private:
    Parameters direction_, gradient_, free_;
    double last_gain_ = 0.0;
};

#ifdef PANTO_COMPILED
extern template Minimum descend(const Function&, const Parameters&, const DescentParams&, ConjugateGradient, double);
#endif

}  // namespace detail

/// @throws SetupError if the parameters are invalid or the start lies outside the bounds.
template <Objective F>
[[nodiscard]] Minimum conjugate_gradient(const F& f, const Parameters& start, const DescentParams& p = {}) {
    detail::check(p, start, "opt::conjugate_gradient");
    return detail::descend(detail::Function(f), start, p, detail::ConjugateGradient(), 0.1);
}

/// The same as an Optimizer.
struct ConjugateGradient {
    DescentParams params{};

    template <Objective F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return conjugate_gradient(f, start, params);
    }
};

}  // namespace panto::opt
