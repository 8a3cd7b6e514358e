// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Banded systems solved fast, in `Lanes` neighbouring pieces at the same time (lane_layout.hpp). The last rows of a
/// piece separate it from the next one: with these separators ordered last, the pieces are independent, and
/// the Cholesky factor is
///
///     | L            |      L  within the envelope, per lane
///     | V  B   L_S   |      B  rows of the piece's own separator;  V  rows of the separator before it (fill-in)
///
/// V decays along the piece as the inverse of A does, so that only its first columns are kept, down to 1e-20 of the
/// largest entry; the complement of the separators, L_S L_S', is small and banded. [nested dissection, one level]

#pragma once

#include <panto/linalg/banded.hpp>
#include <panto/linalg/lane_layout.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace panto::linalg {

/// A symmetric banded matrix distributed over lanes. An entry of a row is stored if it is present in some lane.
template <Real Scalar = double, int Lanes = 8>
class LaneBand {
  public:
    LaneBand() = default;

    explicit LaneBand(const SymmetricBand<Scalar>& A) : LaneBand(A, LaneLayout<Lanes>(envelope(A))) {}

    /// Distributed in the layout of another matrix. @throws SetupError if the sizes differ, or rows of A reach further
    /// across the cuts than those of that matrix.
    LaneBand(const SymmetricBand<Scalar>& A, LaneLayout<Lanes> layout) : layout_(std::move(layout)) {
        require(layout_.size() == A.size(), "linalg::LaneBand", "the layout belongs to a matrix of another size");
        const int b = layout_.border();
        for (int r = 0; r < layout_.rows(); ++r) {
            first_.push_back(static_cast<int>(below_.size()));
            for (int k = 0; k <= A.half_bandwidth(); ++k) {
                bool needed = k == 0;
                for (int lane = 0; lane < Lanes; ++lane) needed = needed || !absent(entry(A, lane, r, k));
                if (!needed) continue;
                require(r + b >= k, "linalg::LaneBand", "the layout belongs to a matrix with shorter rows");
                below_.push_back(k);
            }
        }
        first_.push_back(static_cast<int>(below_.size()));
        entries_ = LaneVector<Scalar, Lanes>::Zero(Lanes, static_cast<Eigen::Index>(below_.size()));
        for (int r = 0; r < layout_.rows(); ++r)
            for (int e = first_[index(r)]; e < first_[index(r) + 1]; ++e)
                for (int lane = 0; lane < Lanes; ++lane) entries_(lane, e) = entry(A, lane, r, below_[index(e)]);
    }

    [[nodiscard]] const LaneLayout<Lanes>& layout() const noexcept { return layout_; }

    /// Numbers stored.
    [[nodiscard]] std::size_t numbers() const noexcept { return static_cast<std::size_t>(entries_.size()); }

    /// y = A x. The halo of x must be up to date; the halo of y is not up to date afterwards. False, with y unchanged,
    /// if x or y does not fit the layout. @rt
    bool multiply(const LaneVector<Scalar, Lanes>& x, LaneVector<Scalar, Lanes>& y) const noexcept {
        using Lane = Eigen::Array<Scalar, Lanes, 1>;
        if (x.cols() != layout_.columns() || y.cols() != layout_.columns()) return false;
        const int b = layout_.border(), R = layout_.rows();
        for (int k = 0; k < b; ++k) y.col(k).setZero();
        for (int r = 0; r < R; ++r) {
            const int diagonal = first_[index(r)], end = first_[index(r) + 1];
            const Lane own = x.col(b + r);
            Lane sum = entries_.col(diagonal) * own;
            for (int e = diagonal + 1; e < end; ++e) {
                const Lane entry = entries_.col(e);
                const int other = b + r - below_[index(e)];
                sum += entry * x.col(other);
                y.col(other) += entry * own;
            }
            y.col(b + r) = sum;
        }
        for (int k = 0; k < b; ++k)  // what belongs to the last rows of the piece before
            for (int lane = 1; lane < Lanes; ++lane) y(lane - 1, R + k) += y(lane, k);
        return true;
    }

  private:
    static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

    /// Entry (r, r - k) of a piece; 0 outside the matrix.
    Scalar entry(const SymmetricBand<Scalar>& A, int lane, int r, int k) const {
        const int i = layout_.begin(lane) + r;
        return i < 0 || i >= A.size() || k > std::min(i, A.half_bandwidth()) ? Scalar(0.0) : A.below(i, k);
    }

    LaneLayout<Lanes> layout_;
    std::vector<int> first_;             // by row r of a piece: its first entry, which is the diagonal
    std::vector<int> below_;             // by entry: k, as it is entry (r, r - k)
    LaneVector<Scalar, Lanes> entries_;  // one column each
};

/// Cholesky factor of a banded matrix, distributed over lanes.
template <Real Scalar = double, int Lanes = 8>
class LaneCholesky {
  public:
    LaneCholesky() = default;

    /// @throws SetupError if `A` is not positive definite.
    explicit LaneCholesky(const SymmetricBand<Scalar>& A) {
        const std::vector<int> rows = envelope(A);
        layout_ = LaneLayout<Lanes>(rows);
        inner_ = layout_.rows() - layout_.border();
        first_.push_back(0);
        for (const int width : layout_.longest_rows(rows))  // what reaches before the piece is in V
            first_.push_back(first_.back() + std::min(width, static_cast<int>(first_.size())));
        factor_ = LaneVector<Scalar, Lanes>::Zero(Lanes, first_.back());
        reached_ = inner_;
        for (int row = inner_; row < layout_.rows(); ++row) reached_ = std::min(reached_, row + 1 - width(row));

        const int b = layout_.border();
        separators_ = Vector<Scalar, Dynamic>::Zero(Lanes * b);
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

    /// Numbers read by one solve(), as a streaming loop would read them.
    [[nodiscard]] std::size_t numbers_read() const noexcept {
        return 2 * static_cast<std::size_t>(factor_.size() + spike_.size());
    }

    /// Replaces x by A^-1 x and brings the halo of x up to date. False, with x unchanged, if x does not fit the layout.
    /// @rt
    bool solve(LaneVector<Scalar, Lanes>& x) noexcept {
        if (x.cols() != layout_.columns()) return false;
        const int b = layout_.border();
        forward(x);
        for (int a = 0; a < b; ++a) {  // subtract V x of the pieces after the separators
            const int row = a * spike_length_, half = spike_length_ / 2;
            Lane sum = Lane::Constant(Scalar(0.0)), other = sum;  // two, as an addition waits for the previous one
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
        backward(x);
        update_halo(layout_, x);
        return true;
    }

  private:
    using Lane = Eigen::Array<Scalar, Lanes, 1>;

    /// x := L^-1 x, and subtracts B x from the rows of the separators. A row depends on the row before; that row is
    /// therefore subtracted last and not read back from memory.
    void forward(LaneVector<Scalar, Lanes>& x) const noexcept {
        const int b = layout_.border();
        Lane before = Lane::Constant(Scalar(0.0));
        for (int r = 0; r < inner_; ++r) {
            const int row = first(r), end = width(r);
            Lane sum = x.col(b + r);
            for (int k = end - 1; k > 1; --k) sum -= factor_.col(row + k) * x.col(b + r - k);
            if (end > 1) sum -= factor_.col(row + 1) * before;
            x.col(b + r) = before = sum * factor_.col(row);
        }
        for (int r = inner_; r < layout_.rows(); ++r)
            for (int k = r - inner_ + 1; k < width(r); ++k)
                x.col(b + r) -= factor_.col(first(r) + k) * x.col(b + r - k);
    }

    /// x := L^-T (x - V' (separator before) - B' (own separator)), row by row as the factor is stored.
    void backward(LaneVector<Scalar, Lanes>& x) const noexcept {
        const int b = layout_.border();
        for (int r = inner_; r < layout_.rows(); ++r)
            for (int k = r - inner_ + 1; k < width(r); ++k)
                x.col(b + r - k) -= factor_.col(first(r) + k) * x.col(b + r);
        Lane next = x.col(b + inner_ - 1);
        for (int r = inner_ - 1; r >= 0; --r) {
            const int row = first(r), end = width(r);
            Lane far = Lane::Constant(Scalar(0.0));
            if (r < spike_length_)
                for (int a = 0; a < b; ++a) far += spike_.col(a * spike_length_ + r) * x.col(a);
            const Lane own = (next - far) * factor_.col(row);
            x.col(b + r) = own;
            if (r > 0) next = x.col(b + r - 1);
            if (end > 1) next -= factor_.col(row + 1) * own;
            for (int k = 2; k < end; ++k) x.col(b + r - k) -= factor_.col(row + k) * own;
        }
    }

    /// Entry (i, j) of A by global row; the padding before the first row and after the last is an identity.
    static Scalar entry(const SymmetricBand<Scalar>& A, int i, int j) {
        if (std::min(i, j) < 0 || std::max(i, j) >= A.size()) return Scalar(i == j ? 1.0 : 0.0);
        const int k = i > j ? i - j : j - i;
        return k > A.half_bandwidth() ? Scalar(0.0) : A.below(std::max(i, j), k);
    }

    int first(int r) const noexcept { return first_[static_cast<std::size_t>(r)]; }
    int width(int r) const noexcept { return first(r + 1) - first(r); }
    Scalar& L(int lane, int r, int j) { return factor_(lane, first(r) + r - j); }
    const Scalar& inverse(int lane, int r) const { return factor_(lane, first(r)); }

    void factor_piece(const SymmetricBand<Scalar>& A, int lane) {
        using std::sqrt;
        const int base = layout_.begin(lane);
        for (int r = 0; r < layout_.rows(); ++r)
            for (int j = r + 1 - width(r); j <= std::min(r, inner_ - 1); ++j) {
                Scalar sum = entry(A, base + r, base + j);
                for (int k = std::max(r + 1 - width(r), j + 1 - width(j)); k < j; ++k)
                    sum -= L(lane, r, k) * L(lane, j, k);
                // The diagonal is only ever divided by, so its inverse is stored.
                if (j == r) require(sum > Scalar(0.0), "linalg::LaneCholesky", "the matrix is not positive definite");
                L(lane, r, j) = j < r ? Scalar(sum * inverse(lane, j)) : Scalar(Scalar(1.0) / sqrt(sum));
            }
    }

    /// V of one piece: rows of the separator before it, one column per row of the piece.
    Matrix<Scalar, Dynamic> spike_of(const SymmetricBand<Scalar>& A, int lane) {
        const int b = layout_.border(), base = layout_.begin(lane);
        Matrix<Scalar, Dynamic> V = Matrix<Scalar, Dynamic>::Zero(b, inner_);
        if (lane == 0) return V;
        for (int a = 0; a < b; ++a)
            for (int j = 0; j < inner_; ++j) {
                Scalar sum = entry(A, base + j, base - b + a);
                for (int k = j + 1 - width(j); k < j; ++k) sum -= V(a, k) * L(lane, j, k);
                V(a, j) = sum * inverse(lane, j);
            }
        return V;
    }

    void add_to_complement(const SymmetricBand<Scalar>& A, int lane, const Matrix<Scalar, Dynamic>& V,
                           SymmetricBand<Scalar>& S) {
        const int b = layout_.border(), base = layout_.begin(lane) + inner_;
        const auto own = [&](int a, int j) {
            return inner_ + a - j < width(inner_ + a) ? L(lane, inner_ + a, j) : Scalar(0.0);
        };
        for (int a = 0; a < b; ++a)
            for (int c = 0; c < b; ++c) {
                Scalar own_own(0.0), own_before(0.0), before_before(0.0);
                for (int j = reached_; j < inner_; ++j) {
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

    /// Packs the significant part of the spikes.
    void keep(const std::vector<Matrix<Scalar, Dynamic>>& spikes) {
        const int b = layout_.border();
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

    /// Factors the complement. If no spike reaches the end of its piece, the separators are not coupled.
    void keep(const SymmetricBand<Scalar>& complement) {
        const int b = layout_.border();
        coupled_ = spike_length_ > reached_;
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
        const int b = layout_.border(), base = b + inner_;
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
    int reached_ = 0;                   // first row of a piece that its separator reaches
    std::vector<int> first_;            // by row of a piece: where it is stored
    LaneVector<Scalar, Lanes> factor_;  // column first(r) + k: entry (r, r - k) of L or B; k = 0: 1 / L_rr
    int spike_length_ = 0;
    LaneVector<Scalar, Lanes> spike_;             // column a spike_length + r: entry (a, r) of V
    bool coupled_ = false;                        // whether the complement couples separators with each other
    LaneVector<Scalar, Lanes> separator_factor_;  // if not: column a b + c: entry (a, c); a = c: its inverse
    BandCholesky<Scalar> complement_;             // if so
    Vector<Scalar, Dynamic> separators_;          // workspace of solve()
};

}  // namespace panto::linalg
