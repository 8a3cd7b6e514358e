// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno in a box: a positive definite model B of the
/// Hessian from the gradients so far, B += y y'/(y's) - B s s'B/(s'B s), and Newton's step on the parameters that are
/// free.

#pragma once

#include <panto/opt/detail/descent.hpp>

#include <Eigen/Cholesky>

namespace panto::opt {

namespace detail {

class Bfgs {
  public:
    explicit Bfgs(Eigen::Index n) : B_(Matrix<double, Dynamic>::Identity(n, n)) {}

    template <class = void>
    [[nodiscard]] Parameters direction(const Parameters& x, const Parameters& g, const Bounds& box) const {
        Parameters free = Parameters::Ones(x.size());
        hold(x, g, box, free);
        // Held parameters become trivial equations: row and column of the identity.
        Matrix<double, Dynamic> B = free.asDiagonal() * B_ * free.asDiagonal();
        for (Eigen::Index i = 0; i < x.size(); ++i)
            if (!(free[i] > 0.0)) B(i, i) = 1.0;
        const Eigen::LLT<Matrix<double, Dynamic>> llt(B);
        return llt.info() == Eigen::Success ? Parameters(llt.solve(-free.cwiseProduct(g))) : Parameters::Zero(x.size());
    }

    [[nodiscard]] static double first_step(const Parameters&, const Parameters&) { return 1.0; }

    template <class = void>
    void learn(const Parameters& s, const Parameters& y) {
        const double curvature = s.dot(y);
        if (!(curvature > 1e-14 * s.norm() * y.norm())) return;
        if (!scaled_) B_ *= y.squaredNorm() / curvature, scaled_ = true;
        const Parameters Bs = B_ * s;
        B_ += y * y.transpose() / curvature - Bs * Bs.transpose() / s.dot(Bs);
    }

    void forget() { B_.setIdentity(), scaled_ = false; }

  private:
    Matrix<double, Dynamic> B_;
    bool scaled_ = false;
};

#ifdef PANTO_COMPILED
extern template Minimum descend(const Function&, const Parameters&, const DescentParams&, Bfgs, double);
#endif

}  // namespace detail

/// @throws SetupError if the parameters are invalid or the start lies outside the bounds.
template <Objective F>
[[nodiscard]] Minimum bfgs(const F& f, const Parameters& start, const DescentParams& p = {}) {
    detail::check(p, start, "opt::bfgs");
    return detail::descend(detail::Function(f), start, p, detail::Bfgs(start.size()), 0.9);
}

/// The same as an Optimizer.
struct Bfgs {
    DescentParams params{};

    template <Objective F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return bfgs(f, start, params);
    }
};

}  // namespace panto::opt
