// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Spectral radius: the largest modulus of an eigenvalue. A linear recursion x <- A x decays if and only if this number
/// is below 1, so it decides whether a rig may be switched on.
///
/// A delay of d steps has d eigenvalues at 0, which rounding moves to a radius of about eps^(1/d): 0.45 for d = 45,
/// 0.84 for 200. In a loop with so long a delay a radius below this number says only that the loop decays at least as
/// fast.

#pragma once

#include <panto/linalg/eigenvalues.hpp>

namespace panto::linalg {

/// Largest |eigenvalue| of the real square matrix `A`, 0 for an empty one. For set-up code.
/// @throws SetupError as eigenvalues() does.
template <class = void>
[[nodiscard]] double spectral_radius(const Eigen::MatrixXd& A) {
    return A.size() == 0 ? 0.0 : eigenvalues(A).cwiseAbs().maxCoeff();
}

#ifdef PANTO_COMPILED
extern template double spectral_radius(const Eigen::MatrixXd&);
#endif

}  // namespace panto::linalg
