// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Singular values of a frequency response G: the largest and the smallest factor by which a sinusoidal input of any
/// direction appears at the output, and those between. For one input and one output this is the gain |G|.

#pragma once

#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/svd.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace panto::control {

/// Curves of singular values, the largest first, as points (frequency, value). They can be drawn as they are: a curve
/// is an io::Points.
/// @param frequencies  rad/s
/// @throws SetupError as frequency_response() does.
template <class = void>
[[nodiscard]] std::vector<std::vector<std::pair<double, double>>> singular_values(const StateSpace& s,
                                                                                  std::span<const double> frequencies) {
    validate(s, "control::singular_values");
    const Eigen::Index wide = std::max(s.inputs(), s.outputs()), narrow = std::min(s.inputs(), s.outputs());
    std::vector<std::vector<std::pair<double, double>>> curves(static_cast<std::size_t>(narrow));
    Eigen::MatrixXd pairs(2 * wide, 2 * narrow);
    for (const double w : frequencies) {
        Eigen::MatrixXcd G = frequency_response(s, w);
        if (G.rows() < G.cols()) G.transposeInPlace();
        // Real and imaginary parts as real numbers: the same values, each twice.
        pairs << G.real(), -G.imag(), G.imag(), G.real();
        const Eigen::VectorXd values = linalg::svd(pairs).values;
        for (Eigen::Index i = 0; i < narrow; ++i) curves[static_cast<std::size_t>(i)].emplace_back(w, values[2 * i]);
    }
    return curves;
}

}  // namespace panto::control
