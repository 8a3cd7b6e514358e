// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random banded matrices for the tests of this folder.

#pragma once

#include <panto/linalg/banded.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

namespace panto::test {

/// Of all random matrices; another one by the environment variable PANTO_SEED.
inline unsigned seed() {
    const char* given = std::getenv("PANTO_SEED");
    return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1U;
}

inline Eigen::VectorXd random_vector(std::mt19937& random, int n) {
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    return Eigen::VectorXd::NullaryExpr(n, [&] { return entry(random); });
}

/// Entries between -1 and 1; each diagonal entry exceeds the sum of its row by `dominance` times that sum. The smaller
/// it is, the further the inverse reaches.
inline linalg::SymmetricBand<> random_band(std::mt19937& random, int n, int b, double dominance) {
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    linalg::SymmetricBand<> A(n, b);
    Eigen::VectorXd sum = Eigen::VectorXd::Constant(n, 0.1);
    for (int i = 0; i < n; ++i)
        for (int k = 1; k <= std::min(i, b); ++k) {
            const double value = entry(random);
            A.add(i, i - k, value);
            sum[i] += std::abs(value);
            sum[i - k] += std::abs(value);
        }
    for (int i = 0; i < n; ++i) A.add(i, i, sum[i] * (1.0 + dominance));
    return A;
}

/// The same with rows of random length, every `period` rows the same lengths, and zeros in between.
inline linalg::SymmetricBand<> ragged_band(std::mt19937& random, int n, int b, int period, double dominance) {
    std::uniform_int_distribution<int> length(0, b), one_of(0, 2);
    std::vector<int> lengths;
    for (int i = 0; i < period; ++i) lengths.push_back(length(random));
    const linalg::SymmetricBand<> full = random_band(random, n, b, dominance);
    linalg::SymmetricBand<> A(n, b);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k <= std::min(i, lengths[static_cast<std::size_t>(i % period)]); ++k)
            if (k == 0 || one_of(random) > 0) A.add(i, i - k, full.below(i, k));
    return A;
}

inline Eigen::MatrixXd dense(const linalg::SymmetricBand<>& A) {
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(A.size(), A.size());
    for (int i = 0; i < A.size(); ++i)
        for (int k = 0; k <= std::min(i, A.half_bandwidth()); ++k) full(i, i - k) = full(i - k, i) = A.below(i, k);
    return full;
}

/// Sizes and half bandwidths: all small ones, the extremes, and some at random.
inline std::vector<std::pair<int, int>> shapes(std::mt19937& random) {
    std::vector<std::pair<int, int>> list;
    for (int n = 1; n <= 9; ++n)
        for (int b = 0; b < n; ++b) list.emplace_back(n, b);
    for (const int n : {16, 17, 40, 64, 99}) {
        list.emplace_back(n, 0);
        list.emplace_back(n, n - 1);
    }
    std::uniform_int_distribution<int> size(10, 200), width(0, 12);
    for (int i = 0; i < 40; ++i) {
        const int n = size(random);
        list.emplace_back(n, std::min(n - 1, width(random)));
    }
    return list;
}

}  // namespace panto::test
