// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The spectral radius of a linear map that is given as a function, not as a matrix, by Arnoldi's method.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/core/lcg.hpp>
#include <panto/linalg/eigenvalues.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string_view>

namespace panto::linalg {

/// Spectral radius of `map`, which replaces a vector of `size` numbers by its image. The Krylov space grows until the
/// residual of the largest Ritz value is 1e-6 of this value. This takes ten to fifty applications of a map that damps
/// most of a state quickly.
/// @throws SetupError if `size` is not positive, or if this takes more than `most` applications.
template <class Map>
[[nodiscard]] double map_radius(int size, const Map& map, int most = 160) {
    constexpr const char* where = "linalg::map_radius";
    require(size >= 1, where, "size is ", size, ", must be at least 1");
    const int limit = std::min(most, size);
    Eigen::MatrixXd basis(size, limit + 1), H = Eigen::MatrixXd::Zero(limit + 1, limit);
    Lcg random(1);  // a start that is not orthogonal to any eigenvector
    for (int i = 0; i < size; ++i) basis(i, 0) = 2.0 * random.uniform() - 1.0;
    basis.col(0).normalize();
    for (int m = 1; m <= limit; ++m) {
        Eigen::VectorXd image = basis.col(m - 1);
        map(image);
        require(image.allFinite(), where, "the map gives a value that is not finite");
        for (int again = 0; again < 2; ++again)
            for (int j = 0; j < m; ++j) {
                const double part = basis.col(j).dot(image);
                H(j, m - 1) += part;
                image -= part * basis.col(j);
            }
        const double rest = image.norm();
        H(m, m - 1) = rest;
        const double scale = H.topLeftCorner(m, m).norm();
        const bool whole = rest <= 1e-14 * scale || m == size;
        if (m % 8 == 0 || whole || m == limit) {
            const Eigen::VectorXcd ritz = eigenvalues(H.topLeftCorner(m, m));
            Eigen::Index largest = 0;
            const double radius = ritz.cwiseAbs().maxCoeff(&largest);
            if (whole) return radius;
            // Residual of the Ritz vector: rest times its last component.
            Eigen::MatrixXcd shifted = H.topLeftCorner(m, m).cast<std::complex<double>>();
            shifted.diagonal().array() -= ritz[largest] * (1.0 + 1e-10);
            Eigen::VectorXcd y = Eigen::VectorXcd::Ones(m);
            for (int turn = 0; turn < 2; ++turn) y = shifted.partialPivLu().solve(y).eval().normalized();
            if (rest * std::abs(y[m - 1]) <= 1e-6 * radius) return radius;
        }
        basis.col(m) = image / rest;
    }
    require(false, where, "after ", limit, " applications of the map the radius has not converged to six digits");
    return 0.0;
}

}  // namespace panto::linalg
