// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A linear system with periodic matrices, sampled so that a period has a whole number of samples:
///     x(k+1) = A_k x(k) + B_k u(k) ,      y(k) = C x(k) ,      A_{k+N} = A_k ,  B_{k+N} = B_k .
/// An example is a line seen from the train (catenary::PeriodicStateSpace). Include this header by name: it is not part
/// of <panto/dynamics.hpp>.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/compiled.hpp>
#include <panto/linalg/map_radius.hpp>

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <string_view>

namespace panto {

/// The matrices of one period. A and B are vectors of matrices, or types that can be indexed like vectors.
template <class S>
concept PeriodicSystem = requires(const S& s, std::size_t k) {
    { s.A.size() } -> std::convertible_to<std::size_t>;         ///< N, samples of a period
    { s.B.size() } -> std::convertible_to<std::size_t>;         ///< N
    { s.A[k] } -> std::convertible_to<const Eigen::MatrixXd&>;  ///< square
    { s.B[k] } -> std::convertible_to<Eigen::MatrixXd>;         ///< a column for each input
    { s.C } -> std::convertible_to<const Eigen::MatrixXd&>;     ///< a row for each output
    { s.dt } -> std::convertible_to<double>;                    ///< s, from sample to sample
};

namespace dynamics {

/// Checks sizes and numbers.
/// @throws SetupError naming the matrix and the sample.
template <PeriodicSystem S>
void validate(const S& s, std::string_view where = "dynamics::PeriodicSystem") {
    const std::size_t samples = s.A.size();
    require(samples >= 1 && s.B.size() == samples, where, "there are ", samples, " matrices A and ", s.B.size(),
            " matrices B, must be as many of each as the period has samples, at least 1");
    require_positive(s.dt, where, "dt");
    const Eigen::MatrixXd& C = s.C;
    require(C.rows() >= 1 && C.cols() >= 1 && C.allFinite(), where, "C has ", C.rows(), " rows and ", C.cols(),
            " columns, must have at least one of each, all of them finite");
    for (std::size_t k = 0; k < samples; ++k) {
        const Eigen::MatrixXd& A = s.A[k];
        require(A.rows() == C.cols() && A.cols() == C.cols() && A.allFinite(), where, "A[", k, "] is ", A.rows(),
                " by ", A.cols(), ", must be square, of the ", C.cols(), " states of C, and finite");
        const auto& B = s.B[k];
        require(B.rows() == C.cols() && B.cols() >= 1 && B.cols() == s.B[0].cols() && B.allFinite(), where, "B[", k,
                "] is ", B.rows(), " by ", B.cols(), ", must have the ", C.cols(), " states of C as rows, the ",
                s.B[0].cols(), " inputs of B[0] as columns, and be finite");
    }
}

/// Factor by which the slowest motion changes over a period without input: the spectral radius of A_{N-1} ... A_0.
/// Below 1 the system comes to rest. The product is not formed.
/// @throws SetupError as validate() and linalg::map_radius() do.
template <PeriodicSystem S>
[[nodiscard]] double period_radius(const S& s) {
    validate(s, "dynamics::period_radius");
    return linalg::map_radius(static_cast<int>(s.C.cols()), [&](Eigen::VectorXd& x) {
        for (std::size_t k = 0; k < s.A.size(); ++k) {
            const Eigen::MatrixXd& A = s.A[k];
            x = (A * x).eval();
        }
    });
}

}  // namespace dynamics
}  // namespace panto
