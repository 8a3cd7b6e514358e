// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Banded matrices without symmetry and their factorization A = L U without pivoting, which is safe where the symmetric
/// part is positive definite or the diagonal dominates [Golub, Van Loan: Matrix Computations, 4.3.1, 4.1].

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace panto::linalg {

/// Fill it with add(), then factor() once, then solve() as often as needed.
template <Real Scalar = double>
class BandLu {
  public:
    BandLu() = default;

    /// All zeros, with room for `half_bandwidth` diagonals on each side.
    BandLu(int size, int half_bandwidth)
        : b_(half_bandwidth),
          rows_(Matrix<Scalar, Dynamic>::Zero(2 * half_bandwidth + 1, size)),
          inverse_(Vector<Scalar, Dynamic>::Zero(size)) {}

    [[nodiscard]] int size() const noexcept { return static_cast<int>(rows_.cols()); }
    [[nodiscard]] int half_bandwidth() const noexcept { return b_; }

    /// Adds `value` to entry (i, j), |i - j| <= half_bandwidth.
    /// @throws SetupError if the band has no such entry.
    void add(int i, int j, const Scalar& value) {
        require(std::min(i, j) >= 0 && std::max(i, j) < size() && std::abs(i - j) <= b_, "linalg::BandLu", "entry (", i,
                ", ", j, "): indices must be from 0 to ", size() - 1, " and differ by at most ", b_);
        rows_(b_ + j - i, i) += value;
    }

    /// Replaces the matrix by its factors.
    /// @throws SetupError if a pivot is zero or has lost all digits.
    void factor() {
        for (int i = 0; i < size(); ++i) {
            double scale = 0.0;
            for (int k = 0; k < rows_.rows(); ++k) scale = std::max(scale, std::abs(value_of(rows_(k, i))));
            for (int k = std::max(0, i - b_); k < i; ++k) {
                Scalar& l = rows_(b_ + k - i, i);
                l *= inverse_[k];
                const Scalar factor = l;
                const Scalar* const above = &rows_(b_, k);
                const int reach = std::min(b_, size() - 1 - k);
                for (int j = 1; j <= reach; ++j) (&l)[j] -= factor * above[j];
            }
            const Scalar pivot = rows_(b_, i);
            require(std::abs(value_of(pivot)) > 1e-14 * scale, "linalg::BandLu", "pivot ", i, " is ", value_of(pivot),
                    ": the matrix is singular");
            inverse_[i] = Scalar(1.0) / pivot;
        }
    }

    /// Replaces x by A^-1 x. The entries of x may be numbers or short arrays of numbers, that is, several right-hand
    /// sides. False, with x unchanged, if x has a size() that does not fit A. @rt
    template <class InOut>
    bool solve(InOut& x) const noexcept {
        if constexpr (requires { x.size(); })
            if (static_cast<std::ptrdiff_t>(x.size()) != size()) return false;
        switch (b_) {
            case 1: solve_with<1>(x); break;
            case 2: solve_with<2>(x); break;
            case 3: solve_with<3>(x); break;
            case 4: solve_with<4>(x); break;
            case 5: solve_with<5>(x); break;
            default: solve_with<0>(x);
        }
        return true;
    }

  private:
    /// The half bandwidth is B, or b_ if B is 0. If the compiler knows the half bandwidth, it unrolls the loops, which
    /// saves a third of the time.
    template <int B, class InOut>
    void solve_with(InOut& x) const noexcept {
        const int b = B > 0 ? B : b_, n = size();
        for (int i = 1; i < std::min(b, n); ++i)
            for (int k = i; k > 0; --k) x[i] -= rows_(b - k, i) * x[i - k];
        for (int i = b; i < n; ++i) {
            auto sum = x[i];
            for (int k = b; k > 0; --k) sum -= rows_(b - k, i) * x[i - k];
            x[i] = sum;
        }
        for (int i = n - 1; i >= 0; --i) {
            auto sum = x[i];
            if (i + b < n)
                for (int k = b; k > 0; --k) sum -= rows_(b + k, i) * x[i + k];
            else
                for (int k = n - 1 - i; k > 0; --k) sum -= rows_(b + k, i) * x[i + k];
            x[i] = sum * inverse_[i];
        }
    }

    int b_ = 0;
    Matrix<Scalar, Dynamic> rows_;     // column i holds (i, i-b), ..., (i, i+b); L below, U on and above the diagonal
    Vector<Scalar, Dynamic> inverse_;  // 1 / U_ii
};

}  // namespace panto::linalg
