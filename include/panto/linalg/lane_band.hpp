// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Banded systems solved fast: the rows are dealt out to `Lanes` neighbouring pieces of equal length that are worked on
/// at the same time, one per SIMD lane.
///
/// Row i belongs to lane i / R as its row i % R. The last b rows of a piece (b = half bandwidth) separate it from
/// the next one: with these separators ordered last, the pieces do not know of each other, and the Cholesky factor is
///
///     | L            |      L  banded, per lane
///     | V  B   L_S   |      B  rows of the own separator, banded;  V  rows of the separator before, fill-in
///
/// V decays along the piece as the inverse of A does, so that only its first columns are kept, up to 1e-20 of the
/// largest entry; the complement of the separators, L_S L_S', is small and banded. [nested dissection, one level]

#pragma once

#include <panto/linalg/banded.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::linalg {

/// How rows are dealt out, with b columns on each side of a vector that repeat the neighbours' rows (the halo).
template <int Lanes>
struct LaneLayout {
    int size = 0, half_bandwidth = 0, rows = 0;

    LaneLayout() = default;
    LaneLayout(int n, int b)
        : size(n), half_bandwidth(b), rows(std::max((n + Lanes - 1) / Lanes, std::max(2 * b, 1))) {}

    [[nodiscard]] int lane(int i) const noexcept { return i / rows; }
    [[nodiscard]] int column(int i) const noexcept { return half_bandwidth + i % rows; }
    [[nodiscard]] int columns() const noexcept { return rows + 2 * half_bandwidth; }
};

/// Vector dealt out to lanes; one column holds the same row of every piece.
template <Real Scalar, int Lanes>
using LaneVector = Eigen::Array<Scalar, Lanes, Dynamic>;

/// Copies the pieces' border rows to the neighbours' halos. @rt
template <Real Scalar, int Lanes>
void update_halo(const LaneLayout<Lanes>& layout, LaneVector<Scalar, Lanes>& x) noexcept {
    const int b = layout.half_bandwidth, R = layout.rows;
    for (int k = 0; k < b; ++k)
        for (int lane = 0; lane < Lanes; ++lane) {
            x(lane, k) = lane > 0 ? x(lane - 1, R + k) : Scalar(0.0);
            x(lane, b + R + k) = lane + 1 < Lanes ? x(lane + 1, b + k) : Scalar(0.0);
        }
}

/// A symmetric banded matrix dealt out to lanes.
template <Real Scalar = double, int Lanes = 8>
class LaneBand {
  public:
    LaneBand() = default;

    explicit LaneBand(const SymmetricBand<Scalar>& A)
        : layout_(A.size(), A.half_bandwidth()),
          entries_(LaneVector<Scalar, Lanes>::Zero(Lanes, layout_.rows * (A.half_bandwidth() + 1))) {
        for (int i = 0; i < A.size(); ++i)
            for (int k = 0; k <= std::min(i, A.half_bandwidth()); ++k)
                entries_(layout_.lane(i), (i % layout_.rows) * (A.half_bandwidth() + 1) + k) = A.below(i, k);
    }

    [[nodiscard]] const LaneLayout<Lanes>& layout() const noexcept { return layout_; }

    /// Numbers stored.
    [[nodiscard]] std::size_t numbers() const noexcept { return static_cast<std::size_t>(entries_.size()); }

    /// y = A x. The halo of x must be up to date; that of y is not afterwards. @rt
    void multiply(const LaneVector<Scalar, Lanes>& x, LaneVector<Scalar, Lanes>& y) const noexcept {
        using Lane = Eigen::Array<Scalar, Lanes, 1>;
        const int b = layout_.half_bandwidth, R = layout_.rows;
        for (int k = 0; k < b; ++k) y.col(k).setZero();
        for (int r = 0; r < R; ++r) {
            const int row = r * (b + 1);
            const Lane own = x.col(b + r);
            Lane sum = entries_.col(row) * own;
            for (int k = 1; k <= b; ++k) {
                const Lane entry = entries_.col(row + k);
                sum += entry * x.col(b + r - k);
                y.col(b + r - k) += entry * own;
            }
            y.col(b + r) = sum;
        }
        for (int k = 0; k < b; ++k)  // what belongs to the last rows of the piece before
            for (int lane = 1; lane < Lanes; ++lane) y(lane - 1, R + k) += y(lane, k);
    }

  private:
    LaneLayout<Lanes> layout_;
    LaneVector<Scalar, Lanes> entries_;  // column r (b + 1) + k: entry (r, r - k) of each piece
};

/// Cholesky factor of a banded matrix, dealt out to lanes.
template <Real Scalar = double, int Lanes = 8>
class LaneCholesky {
  public:
    LaneCholesky() = default;

    /// @throws SetupError if `A` is not positive definite.
    explicit LaneCholesky(const SymmetricBand<Scalar>& A)
        : layout_(A.size(), A.half_bandwidth()),
          inner_(layout_.rows - layout_.half_bandwidth),
          factor_(LaneVector<Scalar, Lanes>::Zero(Lanes, layout_.rows * (layout_.half_bandwidth + 1))),
          separators_(Vector<Scalar, Dynamic>::Zero(Lanes * layout_.half_bandwidth)) {
        const int b = layout_.half_bandwidth;
        SymmetricBand<Scalar> complement(Lanes * b, std::max(0, 2 * b - 1));
        std::vector<Matrix<Scalar, Dynamic>> spikes;
        for (int lane = 0; lane < Lanes; ++lane) {
            factor_piece(A, lane);
            spikes.push_back(spike_of(A, lane));
            add_to_complement(A, lane, spikes.back(), complement);
        }
        keep(spikes);
        keep(complement);
    }

    [[nodiscard]] const LaneLayout<Lanes>& layout() const noexcept { return layout_; }

    /// Columns kept of the fill-in; at most the length of a piece.
    [[nodiscard]] int spike_length() const noexcept { return spike_length_; }

    /// Numbers read by one solve(): what a streaming loop would have to move as well.
    [[nodiscard]] std::size_t numbers_read() const noexcept {
        return 2 * static_cast<std::size_t>(factor_.size() + spike_.size());
    }

    /// Replaces x by A^-1 x and brings its halo up to date. @rt
    void solve(LaneVector<Scalar, Lanes>& x) noexcept {
        using Lane = Eigen::Array<Scalar, Lanes, 1>;
        const int b = layout_.half_bandwidth, R = layout_.rows, width = b + 1;
        for (int r = 0; r < R; ++r) {  // forward; separator rows see the piece only
            Lane sum = x.col(b + r);
            const int nearest = std::max(1, r - inner_ + 1);
            for (int k = std::min(b, r); k >= nearest; --k) sum -= factor_.col(r * width + k) * x.col(b + r - k);
            x.col(b + r) = r < inner_ ? Lane(sum * factor_.col(r * width)) : sum;
        }
        for (int a = 0; a < b; ++a) {  // what the pieces behind leave for the separators
            const int row = a * spike_length_, half = spike_length_ / 2;
            Lane sum = Lane::Constant(Scalar(0.0)), other = sum;  // two, as one addition waits for the one before
            for (int r = 0; r < half; ++r) {
                sum += spike_.col(row + r) * x.col(b + r);
                other += spike_.col(row + half + r) * x.col(b + half + r);
            }
            for (int r = 2 * half; r < spike_length_; ++r) sum += spike_.col(row + r) * x.col(b + r);
            sum += other;
            x.col(b + inner_ + a).template head<Lanes - 1>() -= sum.template tail<Lanes - 1>();
        }
        solve_separators(x);
        for (int a = 0; a < b; ++a) {
            x.col(a).template tail<Lanes - 1>() = x.col(b + inner_ + a).template head<Lanes - 1>();
            x(0, a) = Scalar(0.0);
        }
        for (int a = 0; a < b; ++a) {
            const Lane before = x.col(a);
            for (int r = 0; r < spike_length_; ++r) x.col(b + r) -= spike_.col(a * spike_length_ + r) * before;
        }
        for (int r = inner_ - 1; r >= 0; --r) {  // backward
            Lane sum = x.col(b + r);
            for (int k = std::min(b, R - 1 - r); k > 0; --k) sum -= factor_.col((r + k) * width + k) * x.col(b + r + k);
            x.col(b + r) = sum * factor_.col(r * width);
        }
        update_halo(layout_, x);
    }

  private:
    /// Entry (i, j) of A by global row; the padding after the last row is an identity.
    static Scalar entry(const SymmetricBand<Scalar>& A, int i, int j) {
        if (i >= A.size() || j >= A.size()) return Scalar(i == j ? 1.0 : 0.0);
        const int k = i > j ? i - j : j - i;
        return k > A.half_bandwidth() ? Scalar(0.0) : A.below(std::max(i, j), k);
    }

    Scalar& L(int lane, int r, int j) { return factor_(lane, r * (layout_.half_bandwidth + 1) + r - j); }
    const Scalar& inverse(int lane, int r) const { return factor_(lane, r * (layout_.half_bandwidth + 1)); }

    void factor_piece(const SymmetricBand<Scalar>& A, int lane) {
        using std::sqrt;
        const int b = layout_.half_bandwidth, base = lane * layout_.rows;
        for (int r = 0; r < layout_.rows; ++r) {
            const int first = std::max(0, r - b);
            for (int j = first; j <= std::min(r, inner_ - 1); ++j) {
                Scalar sum = entry(A, base + r, base + j);
                for (int k = first; k < j; ++k) sum -= L(lane, r, k) * L(lane, j, k);
                if (j == r) require(sum > Scalar(0.0), "linalg::LaneCholesky", "the matrix is not positive definite");
                // The diagonal is only ever divided by, so its inverse is stored.
                L(lane, r, j) = j < r ? Scalar(sum * inverse(lane, j)) : Scalar(Scalar(1.0) / sqrt(sum));
            }
        }
    }

    /// V of one piece: rows of the separator before it, one column per row of the piece.
    Matrix<Scalar, Dynamic> spike_of(const SymmetricBand<Scalar>& A, int lane) {
        const int b = layout_.half_bandwidth, base = lane * layout_.rows;
        Matrix<Scalar, Dynamic> V = Matrix<Scalar, Dynamic>::Zero(b, inner_);
        if (lane == 0) return V;
        for (int a = 0; a < b; ++a)
            for (int j = 0; j < inner_; ++j) {
                Scalar sum = entry(A, base + j, base - b + a);
                for (int k = std::max(0, j - b); k < j; ++k) sum -= V(a, k) * L(lane, j, k);
                V(a, j) = sum * inverse(lane, j);
            }
        return V;
    }

    void add_to_complement(const SymmetricBand<Scalar>& A, int lane, const Matrix<Scalar, Dynamic>& V,
                           SymmetricBand<Scalar>& S) {
        const int b = layout_.half_bandwidth, base = lane * layout_.rows + inner_;
        const auto own = [&](int a, int j) { return inner_ + a - j > b ? Scalar(0.0) : L(lane, inner_ + a, j); };
        for (int a = 0; a < b; ++a)
            for (int c = 0; c < b; ++c) {
                Scalar own_own(0.0), own_before(0.0), before_before(0.0);
                for (int j = std::max(0, inner_ - b); j < inner_; ++j) {
                    own_own += own(a, j) * own(c, j);
                    own_before += own(a, j) * V(c, j);
                }
                if (c <= a) S.add(lane * b + a, lane * b + c, entry(A, base + a, base + c) - own_own);
                if (lane == 0) continue;
                S.add(lane * b + a, (lane - 1) * b + c, -own_before);
                if (c > a) continue;
                for (int j = 0; j < inner_; ++j) before_before += V(a, j) * V(c, j);
                S.add((lane - 1) * b + a, (lane - 1) * b + c, -before_before);
            }
    }

    /// Packs the spikes, as far as they matter.
    void keep(const std::vector<Matrix<Scalar, Dynamic>>& spikes) {
        const int b = layout_.half_bandwidth;
        const auto size_of = [](const Scalar& s) { return s < Scalar(0.0) ? Scalar(-s) : s; };
        Scalar largest(0.0);
        for (const auto& V : spikes)
            for (Eigen::Index i = 0; i < V.size(); ++i) largest = std::max(largest, size_of(V(i)));
        const Scalar negligible = largest * Scalar(1e-20);
        for (const auto& V : spikes)
            for (int j = 0; j < inner_; ++j)
                for (int a = 0; a < b; ++a)
                    if (negligible < size_of(V(a, j))) spike_length_ = std::max(spike_length_, j + 1);
        spike_ = LaneVector<Scalar, Lanes>::Zero(Lanes, b * spike_length_);
        for (int lane = 0; lane < Lanes; ++lane)
            for (int a = 0; a < b; ++a)
                for (int j = 0; j < spike_length_; ++j)
                    spike_(lane, a * spike_length_ + j) = spikes[static_cast<std::size_t>(lane)](a, j);
    }

    /// Factors the complement. Where no spike reaches the end of its piece, separators are not coupled.
    void keep(const SymmetricBand<Scalar>& complement) {
        const int b = layout_.half_bandwidth;
        coupled_ = spike_length_ > inner_ - b;
        if (coupled_) {
            complement_ = BandCholesky<Scalar>(complement);
            return;
        }
        separator_factor_ = LaneVector<Scalar, Lanes>::Zero(Lanes, b * b);
        for (int lane = 0; lane < Lanes; ++lane) {
            Matrix<Scalar, Dynamic> block(b, b);
            for (int a = 0; a < b; ++a)
                for (int c = 0; c <= a; ++c) block(a, c) = block(c, a) = complement.below(lane * b + a, a - c);
            const Eigen::LLT<Matrix<Scalar, Dynamic>> llt(block);
            require(llt.info() == Eigen::Success, "linalg::LaneCholesky", "the matrix is not positive definite");
            for (int a = 0; a < b; ++a)
                for (int c = 0; c <= a; ++c) {
                    const Scalar entry = llt.matrixLLT()(a, c);
                    separator_factor_(lane, a * b + c) = a == c ? Scalar(Scalar(1.0) / entry) : entry;
                }
        }
    }

    void solve_separators(LaneVector<Scalar, Lanes>& x) noexcept {
        const int b = layout_.half_bandwidth, base = b + inner_;
        if (!coupled_) {
            for (int a = 0; a < b; ++a) {
                for (int c = 0; c < a; ++c) x.col(base + a) -= separator_factor_.col(a * b + c) * x.col(base + c);
                x.col(base + a) *= separator_factor_.col(a * b + a);
            }
            for (int a = b - 1; a >= 0; --a) {
                x.col(base + a) *= separator_factor_.col(a * b + a);
                for (int c = 0; c < a; ++c) x.col(base + c) -= separator_factor_.col(a * b + c) * x.col(base + a);
            }
            return;
        }
        for (int lane = 0; lane < Lanes; ++lane)
            for (int a = 0; a < b; ++a) separators_[lane * b + a] = x(lane, base + a);
        complement_.solve(separators_);
        for (int lane = 0; lane < Lanes; ++lane)
            for (int a = 0; a < b; ++a) x(lane, base + a) = separators_[lane * b + a];
    }

    LaneLayout<Lanes> layout_;
    int inner_ = 0;                     // rows of a piece without its separator
    LaneVector<Scalar, Lanes> factor_;  // column r (b + 1) + k: entry (r, r - k) of L or B; k = 0: 1 / L_rr
    int spike_length_ = 0;
    LaneVector<Scalar, Lanes> spike_;             // column a spike_length + r: entry (a, r) of V
    bool coupled_ = false;                        // whether the complement couples separators with each other
    LaneVector<Scalar, Lanes> separator_factor_;  // if not: column a b + c: entry (a, c); a = c: its inverse
    BandCholesky<Scalar> complement_;             // if so
    Vector<Scalar, Dynamic> separators_;          // workspace of solve()
};

}  // namespace panto::linalg
