// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One type for all objectives and one for all residuals, so that a search is compiled once and not for every model. A
/// call through them takes nanoseconds longer.

#pragma once

#include <panto/opt/concepts.hpp>

#include <functional>

namespace panto::opt::detail {

/// Any objective. Keeps a reference to it.
class Function {
  public:
    template <Objective F>
    explicit Function(const F& f) : value_([&f](const Parameters& x) { return static_cast<double>(f(x)); }) {
        if constexpr (DifferentiableObjective<F>)
            slopes_ = [&f](const Parameters& x, Parameters& gradient) { return static_cast<double>(f(x, gradient)); };
    }

    [[nodiscard]] double operator()(const Parameters& x) const { return value_(x); }

    /// Whether it has a gradient. If so, the second operator() gives it.
    [[nodiscard]] bool differentiable() const { return static_cast<bool>(slopes_); }
    [[nodiscard]] double operator()(const Parameters& x, Parameters& gradient) const { return slopes_(x, gradient); }

  private:
    std::function<double(const Parameters&)> value_;
    std::function<double(const Parameters&, Parameters&)> slopes_;
};

/// Any residuals. Keeps a reference to them.
class Residuals {
  public:
    template <LeastSquares F>
    explicit Residuals(const F& f)
        : residuals_([&f](const Parameters& x, Parameters& r) { return f.residuals(x, r); }) {
        if constexpr (LinearizedLeastSquares<F>)
            linearize_ = [&f](const Parameters& x, Parameters& r, Matrix<double, Dynamic>& J) {
                return f.linearize(x, r, J);
            };
        else if constexpr (DifferentiableLeastSquares<F>)
            jacobian_ = [&f](const Parameters& x, Matrix<double, Dynamic>& J) { return f.jacobian(x, J); };
    }

    [[nodiscard]] Status residuals(const Parameters& x, Parameters& r) const { return residuals_(x, r); }

    /// joint(): whether linearize() gives both at once; exact(): whether there is a Jacobian at all.
    [[nodiscard]] bool joint() const { return static_cast<bool>(linearize_); }
    [[nodiscard]] bool exact() const { return joint() || static_cast<bool>(jacobian_); }

    [[nodiscard]] Status jacobian(const Parameters& x, Matrix<double, Dynamic>& J) const { return jacobian_(x, J); }
    [[nodiscard]] Status linearize(const Parameters& x, Parameters& r, Matrix<double, Dynamic>& J) const {
        return linearize_(x, r, J);
    }

  private:
    std::function<Status(const Parameters&, Parameters&)> residuals_;
    std::function<Status(const Parameters&, Matrix<double, Dynamic>&)> jacobian_;
    std::function<Status(const Parameters&, Parameters&, Matrix<double, Dynamic>&)> linearize_;
};

}  // namespace panto::opt::detail
