// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Balanced truncation of parts of a periodic system. The states x_p of a part, for instance those beyond the end of a
/// grid, are replaced by fewer states z: x_p = V_k z, z = W_k' x_p. R_k R_k' and O_k O_k' are the Gramians of the
/// *whole* system,
///
///     R_{k+1} = [A_k R_k, B_k] ,   O_k = [A_k' O_{k+1}, C'] .
///
/// R_p and O_p are the rows of R_k and O_k that belong to the part. With the singular value decomposition
/// O_p' R_p = U S Y' ,
///
///     V = R_p Y S^{-1/2} ,   W = O_p U S^{-1/2} ,   W'V = 1 .
///
/// So the motion that is kept in a part is the one that the inputs excite and the outputs see best. All other states
/// stay unchanged. [Moore 1981; periodic: Varga 2000; a part with the Gramians of the whole: Vandendorpe, Van Dooren
/// 2008] Include this header by name: it is not part of <panto/dynamics.hpp>.

#pragma once

#include <panto/core/check.hpp>
#include <panto/dynamics/periodic_system.hpp>
#include <panto/linalg/svd.hpp>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::dynamics {

struct ReductionParams {
    std::vector<std::vector<Eigen::Index>> parts = {};  ///< state indices of each part, reduced separately
    int states = 32;                                    ///< largest number of states that a part keeps
    int periods = 5;                                    ///< number of periods over which the Gramians are summed
    int rank = 80;                                      ///< rank of the Gramians, at least `states`
    Eigen::VectorXd output_weight = {};                 ///< weight of each output in O; empty: 1
};

/// The states of the reduced system: first the kept ones, in their order, then the reduced ones of each part.
struct ReducedSystem {
    std::vector<Eigen::MatrixXd> A = {}, B = {};
    Eigen::MatrixXd C = {};
    double dt = 0.0;                      ///< s
    std::vector<Eigen::Index> kept = {};  ///< indices of the kept states in the original system
    std::vector<int> states = {};         ///< how many each part keeps; fewer if the Gramians have a lower rank
};

namespace detail {

[[nodiscard]] inline Eigen::MatrixXd rows_of(const Eigen::MatrixXd& M, const std::vector<Eigen::Index>& which) {
    Eigen::MatrixXd out(static_cast<Eigen::Index>(which.size()), M.cols());
    for (std::size_t i = 0; i < which.size(); ++i) out.row(static_cast<Eigen::Index>(i)) = M.row(which[i]);
    return out;
}
[[nodiscard]] inline Eigen::MatrixXd columns_of(const Eigen::MatrixXd& M, const std::vector<Eigen::Index>& which) {
    Eigen::MatrixXd out(M.rows(), static_cast<Eigen::Index>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i) out.col(static_cast<Eigen::Index>(i)) = M.col(which[i]);
    return out;
}

/// Adds columns to a factor of a Gramian. If it then has many more than `rank`, it is reduced to its `rank` largest
/// principal components.
template <class = void>
void enlarge(Eigen::MatrixXd& factor, const Eigen::MatrixXd& by, int rank) {
    const Eigen::Index before = factor.cols();
    factor.conservativeResize(by.rows(), before + by.cols());
    factor.rightCols(by.cols()) = by;
    constexpr int spare = 24;
    if (factor.cols() <= rank + spare) return;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> gram(Eigen::MatrixXd(factor.transpose() * factor));
    factor = (factor * gram.eigenvectors().rightCols(rank)).eval();
}

}  // namespace detail

/// Reduces the parts of a system; the other states are kept.
/// @throws SetupError if the system is not valid; if a part is empty, or names a state twice or one that does not
/// exist; if `states` or `periods` is below 1 or `rank` below `states`; if an output contains states of a part; or if a
/// weight is negative, or the number of weights is neither 0 nor that of the outputs.
template <PeriodicSystem S>
[[nodiscard]] ReducedSystem reduce_parts(const S& s, const ReductionParams& p) {
    using Eigen::Index, Eigen::MatrixXd;
    constexpr const char* where = "dynamics::reduce_parts";
    validate(s, where);
    require(p.states >= 1, where, "states is ", p.states, ", must be >= 1");
    require(p.periods >= 1, where, "periods is ", p.periods, ", must be >= 1");
    require(p.rank >= p.states, where, "rank is ", p.rank, ", must be at least `states`, ", p.states);
    const std::size_t N = s.A.size();
    const Index n = s.C.cols();
    MatrixXd C = s.C;
    require(p.output_weight.size() == 0 || p.output_weight.size() == C.rows(), where, "output_weight has ",
            p.output_weight.size(), " entries, must be ", C.rows(), ", one for each output, or none");
    for (Index i = 0; i < p.output_weight.size(); ++i) {
        require_not_negative(p.output_weight[i], where, "output_weight[", i, "]");
        C.row(i) *= p.output_weight[i];
    }
    std::vector<bool> taken(static_cast<std::size_t>(n), false);
    for (std::size_t j = 0; j < p.parts.size(); ++j) {
        require(!p.parts[j].empty(), where, "parts[", j, "] is empty");
        for (const Index i : p.parts[j]) {
            require(i >= 0 && i < n, where, "parts[", j, "] names state ", i, ", must be from 0 to ", n - 1);
            require(!taken[static_cast<std::size_t>(i)], where, "parts[", j, "] names state ", i, " a second time");
            taken[static_cast<std::size_t>(i)] = true;
        }
        // Otherwise the reduced C would change from sample to sample.
        require(detail::columns_of(s.C, p.parts[j]).isZero(0.0), where, "an output depends on states of parts[", j,
                "]; it may depend only on the states that are kept");
    }
    ReducedSystem out{.dt = s.dt};
    for (Index i = 0; i < n; ++i)
        if (!taken[static_cast<std::size_t>(i)]) out.kept.push_back(i);

    // Factors of the Gramians at the beginning of each sample, rows of the parts only.
    const std::size_t parts = p.parts.size();
    std::vector<std::vector<MatrixXd>> reached(parts, std::vector<MatrixXd>(N)), seen = reached;
    MatrixXd R = MatrixXd::Zero(n, 0), O = R;
    for (int period = 0; period < p.periods; ++period)
        for (std::size_t k = 0; k < N; ++k) {
            if (period + 1 == p.periods)
                for (std::size_t j = 0; j < parts; ++j) reached[j][k] = detail::rows_of(R, p.parts[j]);
            const MatrixXd& A = s.A[k];
            R = (A * R).eval();
            detail::enlarge(R, s.B[k], p.rank);
        }
    for (int period = 0; period < p.periods; ++period)
        for (std::size_t i = N; i-- > 0;) {
            const MatrixXd& A = s.A[i];
            O = (A.transpose() * O).eval();
            detail::enlarge(O, C.transpose(), p.rank);
            if (period + 1 == p.periods)
                for (std::size_t j = 0; j < parts; ++j) seen[j][i] = detail::rows_of(O, p.parts[j]);
        }
    // `reached` becomes V, `seen` becomes W.
    for (std::size_t j = 0; j < parts; ++j) {
        Index least = std::min<Index>(p.states, static_cast<Index>(p.parts[j].size()));
        for (std::size_t k = 0; k < N; ++k) {
            const MatrixXd product = seen[j][k].transpose() * reached[j][k];
            const bool tall = product.rows() >= product.cols();
            const linalg::Svd svd = linalg::svd(tall ? product : MatrixXd(product.transpose()));
            const Eigen::VectorXd& sigma = svd.values;
            const MatrixXd &U = tall ? svd.U : svd.V, &Y = tall ? svd.V : svd.U;
            Index count = 0;
            while (count < std::min<Index>(least, sigma.size()) && sigma[count] > 1e-13 * sigma[0]) ++count;
            least = count;
            const Eigen::VectorXd scale = sigma.head(count).cwiseSqrt().cwiseInverse();
            reached[j][k] = (reached[j][k] * Y.leftCols(count) * scale.asDiagonal()).eval();
            seen[j][k] = (seen[j][k] * U.leftCols(count) * scale.asDiagonal()).eval();
        }
        out.states.push_back(static_cast<int>(least));
    }
    const auto right = [&](const MatrixXd& M, std::size_t k) {  // M times V at sample k, 1 for the kept states
        MatrixXd all = detail::columns_of(M, out.kept);
        for (std::size_t j = 0; j < parts; ++j) {
            const Index at = all.cols(), more = out.states[j];
            all.conservativeResize(M.rows(), at + more);
            all.rightCols(more) = detail::columns_of(M, p.parts[j]) * reached[j][k].leftCols(more);
        }
        return all;
    };
    const auto left = [&](const MatrixXd& M, std::size_t k) {  // W' at sample k times M, 1 for the kept states
        MatrixXd all = detail::rows_of(M, out.kept);
        for (std::size_t j = 0; j < parts; ++j) {
            const Index at = all.rows(), more = out.states[j];
            all.conservativeResize(at + more, M.cols());
            all.bottomRows(more) = seen[j][k].leftCols(more).transpose() * detail::rows_of(M, p.parts[j]);
        }
        return all;
    };
    for (std::size_t k = 0; k < N; ++k) {
        const std::size_t next = (k + 1) % N;
        const MatrixXd& A = s.A[k];
        out.A.push_back(left(right(A, k), next));
        out.B.push_back(left(MatrixXd(s.B[k]), next));
    }
    out.C = right(s.C, 0);
    return out;
}

}  // namespace panto::dynamics
