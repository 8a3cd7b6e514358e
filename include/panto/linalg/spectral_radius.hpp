// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Spectral radius: the largest modulus of an eigenvalue. A linear recursion x <- A x decays if and only if this number
/// is below 1, so it decides whether a rig may be switched on.

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
