// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The sides of the constraints of a quadratic program: bounds of the unknowns and of rows.

#pragma once

#include <panto/core/real.hpp>

#include <Eigen/Core>

#include <limits>

namespace panto::opt {

/// Lower and upper sides of N bounds and M rows.
template <int N = Dynamic, int M = Dynamic>
struct QuadraticLimits {
    Vector<double, N> lower, upper;          ///< of x
    Vector<double, M> row_lower, row_upper;  ///< of A x

    /// No limits on n unknowns and m rows; for set-up code.
    [[nodiscard]] static QuadraticLimits none(Eigen::Index n, Eigen::Index m = 0) {
        constexpr double inf = std::numeric_limits<double>::infinity();
        return {Vector<double, N>::Constant(n, -inf), Vector<double, N>::Constant(n, inf),
                Vector<double, M>::Constant(m, -inf), Vector<double, M>::Constant(m, inf)};
    }
};

}  // namespace panto::opt
