// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Banded systems A x = r, A = L L', solved on a few neighbouring rows only:
///
///     L y = r,    L' x = y
///
/// The inverse of a well-conditioned banded matrix decays exponentially away from its diagonal [Demko, Moss, Smith:
/// Math. Comp. 43 (1984) 491], so a load acts only nearby, and its response takes the same time in a long line as in a
/// short one.

#pragma once

#include <panto/linalg/banded.hpp>
#include <panto/linalg/lane_layout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace panto::linalg {

/// Rows first to end - 1.
struct Rows {
    int first, end;
};

/// Rows of a banded matrix, each from its first entry that is not zero to its last.
template <Real Scalar>
class Strips {
  public:
    /// @param from, to  the diagonals to take: entry (i, i + from) to (i, i + to).
    template <class Entry>
    Strips(int size, int from, int to, const Entry& entry) {
        for (int i = 0; i < size; ++i) {
            int first = std::max(0, i + from), end = std::min(size, i + to + 1);
            while (first < end && absent<Scalar>(entry(i, first))) ++first;
            while (first < end && absent<Scalar>(entry(i, end - 1))) --end;
            rows_.push_back({first, std::max(first, end), values_.size()});
            for (int j = first; j < end; ++j) values_.push_back(entry(i, j));
        }
    }
    Strips() = default;

    /// The rows of a symmetric matrix, or of a triangle that is stored like one.
    static Strips of(const SymmetricBand<Scalar>& A, int from, int to) {
        return Strips(A.size(), from, to, [&A](int i, int j) { return A.below(std::max(i, j), std::abs(i - j)); });
    }

    /// Row i times x. @rt
    [[nodiscard]] Scalar times(int i, const Vector<Scalar, Dynamic>& x) const noexcept {
        const Row& r = rows_[static_cast<std::size_t>(i)];
        const Scalar* value = values_.data() + r.offset;
        Scalar sum(0.0);
        for (int j = r.first; j < r.end; ++j) sum += *value++ * x[j];
        return sum;
    }
    /// The same, summed from the end. @rt
    [[nodiscard]] Scalar times_backward(int i, const Vector<Scalar, Dynamic>& x) const noexcept {
        const Row& r = rows_[static_cast<std::size_t>(i)];
        const Scalar* value = values_.data() + r.offset + (r.end - r.first);
        Scalar sum(0.0);
        for (int j = r.end; j > r.first;) sum += *--value * x[--j];
        return sum;
    }

  private:
    struct Row {
        int first, end;
        std::size_t offset;  // into values_
    };
    std::vector<Row> rows_;
    std::vector<Scalar> values_;
};

/// L with A = L L', stored by rows, as a solution on a few rows needs it.
template <Real Scalar = double>
class LocalCholesky {
  public:
    using VectorX = Vector<Scalar, Dynamic>;

    LocalCholesky() = default;

    /// @throws SetupError if `A` is not positive definite.
    explicit LocalCholesky(const SymmetricBand<Scalar>& A) : border_(A.half_bandwidth()) {
        const BandCholesky<Scalar> factor(A);
        const SymmetricBand<Scalar>& L = factor.lower();
        before_ = Strips<Scalar>::of(L, -border_, -1);
        behind_ = Strips<Scalar>::of(L, 1, border_);
        inverse_ = VectorX::Zero(A.size());
        for (int i = 0; i < A.size(); ++i) inverse_[i] = Scalar(1.0) / L.below(i, 0);
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(inverse_.size()); }
    /// How many rows a row reaches to either side.
    [[nodiscard]] int border() const noexcept { return border_; }

    /// Solves for x on these rows, with y = 0 before them and x = 0 after them; x must hold zeros in the border() rows
    /// on either side. False, with x unchanged, if there are no such rows or the size of a vector does not fit A. @rt
    bool solve(const Rows& rows, const VectorX& load, VectorX& x) const noexcept {
        if (!fits(rows, x) || load.size() != x.size()) return false;
        for (int i = rows.first; i < rows.end; ++i) x[i] = (load[i] - before_.times(i, x)) * inverse_[i];
        for (int i = rows.end - 1; i >= rows.first; --i) x[i] = (x[i] - behind_.times_backward(i, x)) * inverse_[i];
        return true;
    }

    /// Replaces a load that is 0 outside `at` by the solution, as far as the solution is above `faded` times its
    /// largest entry: a pass ends after border() successive rows below this limit, because all further rows follow from
    /// these.
    /// @return the rows that were computed; x is 0 on all others. None, with x unchanged, if there are no rows `at` or
    /// the size of x does not fit A.
    Rows respond(const Rows& at, VectorX& x, double faded = 1e-25) const noexcept {
        if (!fits(at, x)) return {0, 0};
        Rows felt = at;
        Scalar peak(0.0);
        const auto is_small = [&](const Scalar& value) {
            const Scalar size = value < Scalar(0.0) ? Scalar(-value) : value;
            peak = std::max(peak, size);
            return !(peak * Scalar(faded) < size);
        };
        felt.end = at.first;
        for (int small = 0; felt.end < size() && (felt.end < at.end || small < border_); ++felt.end) {
            Scalar& y = x[felt.end];
            y = (y - before_.times(felt.end, x)) * inverse_[felt.end];
            small = is_small(y) ? small + 1 : 0;
        }
        peak = Scalar(0.0);
        int i = felt.end;
        for (int small = 0; i > 0 && (i > at.first || small < border_);) {
            --i;
            x[i] = (x[i] - behind_.times_backward(i, x)) * inverse_[i];
            small = is_small(x[i]) ? small + 1 : 0;
        }
        felt.first = i;
        return felt;
    }

  private:
    [[nodiscard]] bool fits(const Rows& rows, const VectorX& x) const noexcept {
        return x.size() == inverse_.size() && rows.first >= 0 && rows.first <= rows.end && rows.end <= size();
    }

    int border_ = 0;
    Strips<Scalar> before_, behind_;  // L, L'
    VectorX inverse_;                 // 1 / L_ii
};

}  // namespace panto::linalg
