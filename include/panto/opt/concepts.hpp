// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The concepts of objective and optimizer, and what all optimizers in panto::opt share: bounds, progress with early
/// stop, and result.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>

#include <concepts>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace panto {

/// The unknowns of an optimization.
using Parameters = Vector<double, Dynamic>;

namespace opt {

/// The progress of an optimizer, for display or for stopping it.
struct Progress {
    int iteration = 0;
    int iteration_limit = 0;
    int evaluations = 0;
    double value = 0.0;   ///< the best so far
    const Parameters& x;  ///< where it was found
};

/// Called after every iteration: true continues, false stops with Status::stopped_by_user. An empty one continues.
using Observer = std::function<bool(const Progress&)>;

/// The best point found, whatever the status.
struct Minimum {
    Parameters x = {};
    double value = 0.0;          ///< the objective there; for least squares r'r
    int iterations = 0;          ///< accepted and rejected
    int evaluations = 0;         ///< of the objective or the residuals, failed ones included
    int failures = 0;            ///< evaluations that threw or gave a value that is not finite
    int derivatives = 0;         ///< evaluations of gradient or Jacobian
    int checks = 0;              ///< evaluations around x after the search, only for the status
    Status status = Status::ok;  ///< ok: x was checked and is stationary; not_converged: x is not, or this is unknown
    std::string reason = {};     ///< why it stopped, in words
    bool contradicted = false;   ///< values around x contradict the derivatives, which promise no further fall
};

/// A box. Empty vectors mean unbounded on that side, as do infinite entries.
struct Bounds {
    Parameters lower = {};
    Parameters upper = {};

    [[nodiscard]] bool none() const { return lower.size() == 0 && upper.size() == 0; }
    [[nodiscard]] double low(Eigen::Index i) const { return entry(lower, i, -infinite); }
    [[nodiscard]] double high(Eigen::Index i) const { return entry(upper, i, infinite); }
    [[nodiscard]] double project(Eigen::Index i, double x) const {
        return x < low(i) ? low(i) : x > high(i) ? high(i) : x;
    }

    /// The nearest point of the box.
    [[nodiscard]] Parameters project(Parameters x) const {
        for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = project(i, x[i]);
        return x;
    }

    [[nodiscard]] bool contains(const Parameters& x) const {
        for (Eigen::Index i = 0; i < x.size(); ++i)
            if (!(low(i) <= x[i] && x[i] <= high(i))) return false;
        return true;
    }

    /// @throws SetupError if the sizes differ from n, or a lower bound is NaN or above the upper one.
    void check(Eigen::Index n, std::string_view where) const {
        const auto sized = [n](const Parameters& v) { return v.size() == 0 || v.size() == n; };
        require(sized(lower) && sized(upper), where, "bounds have ", lower.size(), " lower and ", upper.size(),
                " upper entries, expected none or one for each of the ", n, " parameters");
        for (Eigen::Index i = 0; i < n; ++i)
            require(low(i) <= high(i), where, "lower bound ", i, " is ", low(i),
                    ", must be a number that is not above the upper bound ", high(i));
    }

    /// check() for global searches, which need a finite box. @throws SetupError as check, or if a side is open.
    void check_finite(Eigen::Index n, std::string_view where) const {
        check(n, where);
        for (Eigen::Index i = 0; i < n; ++i)
            require(is_finite(low(i)) && is_finite(high(i)) && is_finite(high(i) - low(i)), where, "parameter ", i,
                    " lies between ", low(i), " and ", high(i), ", expected a finite range");
    }

    static constexpr double infinite = std::numeric_limits<double>::infinity();

  private:
    static double entry(const Parameters& side, Eigen::Index i, double open) {
        return side.size() > 0 ? side[i] : open;
    }
};

namespace detail {

/// Why a search with a promising first step never left its start.
inline constexpr const char* no_step =
    "no step from the start lowers the value, though the derivatives predict a decrease: they may be wrong, or the "
    "function has a kink there";

}  // namespace detail

/// @throws SetupError if `start` is empty, holds a NaN or lies outside `bounds`.
inline void check_start(const Parameters& start, const Bounds& bounds, std::string_view where) {
    require(start.size() > 0, where, "start is empty, at least one parameter is needed");
    for (Eigen::Index i = 0; i < start.size(); ++i) require_finite(start[i], where, "start[", i, "]");
    bounds.check(start.size(), where);
    for (Eigen::Index i = 0; i < start.size(); ++i)
        require(bounds.low(i) <= start[i] && start[i] <= bounds.high(i), where, "start[", i, "] is ", start[i],
                ", must be within the bounds, ", bounds.low(i), " to ", bounds.high(i));
}

/// @throws SetupError if `typical`, the sizes of n parameters, is neither empty nor has n positive entries.
inline void check_typical(const Parameters& typical, Eigen::Index n, std::string_view where) {
    require(typical.size() == 0 || typical.size() == n, where, "typical has ", typical.size(),
            " entries, expected none or one for each of the ", n, " parameters");
    for (const double size : typical) require_positive(size, where, "an entry of typical");
}

}  // namespace opt

/// A function with one value to minimize. Where it has no value it may throw or return NaN; that point is then avoided.
template <class F>
concept Objective = requires(const F& f, const Parameters& x) {
    { f(x) } -> std::convertible_to<double>;
};

/// An objective with its gradient, which is written to the second argument; the value is returned.
template <class F>
concept DifferentiableObjective = Objective<F> && requires(const F& f, const Parameters& x, Parameters& gradient) {
    { f(x, gradient) } -> std::convertible_to<double>;
};

/// Residuals whose sum of squares is minimized; the function resizes `r`, always to the same length.
template <class F>
concept LeastSquares = requires(const F& f, const Parameters& x, Parameters& r) {
    { f.residuals(x, r) } -> std::same_as<Status>;
};

/// Residuals with their Jacobian J(i, k) = dr_i / dx_k. Without it optimizers use finite differences.
template <class F>
concept DifferentiableLeastSquares =
    LeastSquares<F> && requires(const F& f, const Parameters& x, Matrix<double, Dynamic>& J) {
        { f.jacobian(x, J) } -> std::same_as<Status>;
    };

/// Residuals and Jacobian from one run of the model. Where a run with derivatives costs little more than one without,
/// this saves the second run.
template <class F>
concept LinearizedLeastSquares =
    LeastSquares<F> && requires(const F& f, const Parameters& x, Parameters& r, Matrix<double, Dynamic>& J) {
        { f.linearize(x, r, J) } -> std::same_as<Status>;
    };

/// `o.minimize(f, start)`: f is what the optimizer needs, an Objective, one with its gradient, or residuals.
template <class O, class F>
concept Optimizer = requires(const O& o, const F& f, const Parameters& start) {
    { o.minimize(f, start) } -> std::same_as<opt::Minimum>;
};

}  // namespace panto
