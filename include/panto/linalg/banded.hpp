// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Symmetric banded matrices and their Cholesky factorization A = L L', as in textbooks
/// [Golub, Van Loan: Matrix Computations, 4.3.5]. With n rows and the half bandwidth b, factoring takes n (b+1)^2
/// operations, solving 4 n b.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace panto::linalg {

/// A symmetric matrix of which only the diagonal and `half_bandwidth` diagonals below it may be non-zero.
template <Real Scalar = double>
class SymmetricBand {
  public:
    SymmetricBand() = default;

    /// All zeros. @throws SetupError if a number is negative.
    SymmetricBand(int size, int half_bandwidth) : half_bandwidth_(half_bandwidth) {
        require(size >= 0 && half_bandwidth >= 0, "linalg::SymmetricBand", "size and half_bandwidth are ", size,
                " and ", half_bandwidth, ", must be >= 0");
        rows_.setZero(half_bandwidth + 1, size);
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(rows_.cols()); }
    [[nodiscard]] int half_bandwidth() const noexcept { return half_bandwidth_; }

    /// Entry (i, i - k), 0 <= k <= half_bandwidth and k <= i.
    [[nodiscard]] const Scalar& below(int i, int k) const noexcept { return rows_(k, i); }
    Scalar& below(int i, int k) noexcept { return rows_(k, i); }

    /// Adds `value` to entry (i, j) and, off the diagonal, to (j, i) as well.
    /// @throws SetupError if the band has no such entry.
    void add(int i, int j, const Scalar& value) {
        require(std::min(i, j) >= 0 && std::max(i, j) < size() && std::abs(i - j) <= half_bandwidth_,
                "linalg::SymmetricBand", "entry (", i, ", ", j, "): indices must be from 0 to ", size() - 1,
                " and differ by at most ", half_bandwidth_);
        rows_(std::abs(i - j), std::max(i, j)) += value;
    }

    /// Adds `factor` times another matrix.
    /// @throws SetupError if it has another shape.
    void add(const Scalar& factor, const SymmetricBand& other) {
        require(other.size() == size() && other.half_bandwidth_ == half_bandwidth_, "linalg::SymmetricBand",
                "the other matrix has size ", other.size(), " and half_bandwidth ", other.half_bandwidth_, ", must be ",
                size(), " and ", half_bandwidth_);
        rows_ += factor * other.rows_;
    }

    /// y = A x. The vectors must not be the same. False, with y unchanged, if a size does not fit A. @rt
    template <class In, class Out>
    bool multiply(const In& x, Out& y) const noexcept {
        if (x.size() != size() || y.size() != size()) return false;
        for (int i = 0; i < size(); ++i) {
            Scalar sum = rows_(0, i) * x[i];
            for (int k = 1; k <= std::min(half_bandwidth_, i); ++k) {
                sum += rows_(k, i) * x[i - k];
                y[i - k] += rows_(k, i) * x[i];
            }
            y[i] = sum;
        }
        return true;
    }

  private:
    int half_bandwidth_ = 0;
    Matrix<Scalar, Dynamic> rows_;  // column i holds (i,i), (i,i-1), ...
};

/// L with A = L L'. It allocates only at construction, not in factor() and solve().
template <Real Scalar = double>
class BandCholesky {
  public:
    BandCholesky() = default;

    /// Room for matrices of this shape.
    BandCholesky(int size, int half_bandwidth)
        : factor_(size, half_bandwidth), inverse_(Vector<Scalar, Dynamic>::Zero(size)) {}

    /// @throws SetupError if `A` is not positive definite.
    explicit BandCholesky(const SymmetricBand<Scalar>& A) : BandCholesky(A.size(), A.half_bandwidth()) {
        require(factor(A), "linalg::BandCholesky", "the matrix is not positive definite");
    }

    [[nodiscard]] int size() const noexcept { return factor_.size(); }
    /// L, below its diagonal and on it.
    [[nodiscard]] const SymmetricBand<Scalar>& lower() const noexcept { return factor_; }

    /// Factors a matrix of the shape given at construction. False if it is not positive definite or of another shape.
    /// @rt
    [[nodiscard]] bool factor(const SymmetricBand<Scalar>& A) noexcept {
        using std::sqrt;
        const int b = A.half_bandwidth();
        if (A.size() != size() || b != factor_.half_bandwidth()) return false;
        for (int i = 0; i < A.size(); ++i) {
            const int first = std::max(0, i - b);
            for (int j = first; j <= i; ++j) {
                Scalar sum = A.below(i, i - j);
                for (int k = std::max(first, j - b); k < j; ++k)
                    sum -= factor_.below(i, i - k) * factor_.below(j, j - k);
                if (j < i) {
                    factor_.below(i, i - j) = sum * inverse_[j];
                } else {
                    if (!(sum > Scalar(0.0))) return false;
                    factor_.below(i, 0) = sqrt(sum);
                    inverse_[i] = Scalar(1.0) / factor_.below(i, 0);
                }
            }
        }
        return true;
    }

    /// Replaces x by A^-1 x. False, with x unchanged, if its size does not fit A. @rt
    template <class InOut>
    bool solve(InOut& x) const noexcept {
        if (x.size() != size()) return false;
        const int b = factor_.half_bandwidth();
        for (int i = 0; i < size(); ++i) {
            Scalar sum = x[i];
            for (int k = std::min(b, i); k > 0; --k) sum -= factor_.below(i, k) * x[i - k];
            x[i] = sum * inverse_[i];
        }
        for (int i = size() - 1; i >= 0; --i) {
            x[i] *= inverse_[i];
            for (int k = 1; k <= std::min(b, i); ++k) x[i - k] -= factor_.below(i, k) * x[i];
        }
        return true;
    }

  private:
    SymmetricBand<Scalar> factor_;
    Vector<Scalar, Dynamic> inverse_;  // 1 / L_ii
};

}  // namespace panto::linalg
