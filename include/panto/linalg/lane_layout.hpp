// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How the rows of a banded matrix are distributed over SIMD lanes: in neighbouring pieces of equal length, one per
/// lane, that are worked on at the same time.
///
/// Rows that are worked on together are stored with the length of the longest of them. A contact line repeats itself
/// from span to span, and so does its matrix; if a piece is one period long, rows of equal length lie side by side and
/// little storage is wasted. LaneLayout finds that length.

#pragma once

#include <panto/linalg/banded.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace panto::linalg {

/// Whether an entry need not be stored: it is 0. Not for dual numbers: one of value 0 may have a derivative.
template <Real Scalar>
[[nodiscard]] bool absent(const Scalar& entry) noexcept {
    if constexpr (std::is_floating_point_v<Scalar>) return entry == Scalar(0.0);
    return false;
}

/// For each row, the number of entries from the first that is not absent to the diagonal, both included.
template <Real Scalar>
[[nodiscard]] std::vector<int> envelope(const SymmetricBand<Scalar>& A) {
    std::vector<int> width(static_cast<std::size_t>(A.size()), 1);
    for (int i = 0; i < A.size(); ++i)
        for (int k = 1; k <= std::min(i, A.half_bandwidth()); ++k)
            if (!absent(A.below(i, k))) width[static_cast<std::size_t>(i)] = k + 1;
    return width;
}

/// The distribution of rows: row i belongs to lane (i + shift) / rows as its row (i + shift) % rows. Vectors have
/// `border` columns on each side that repeat the neighbours' rows (the halo).
template <int Lanes>
class LaneLayout {
    static_assert(Lanes > 0);

  public:
    LaneLayout() = default;

    /// For a matrix with this envelope: pieces of the length with the least storage, at most an eighth longer
    /// than needed; and cuts at the places where the fewest rows separate the pieces.
    /// @throws SetupError if a row has no diagonal or begins before the first column.
    explicit LaneLayout(const std::vector<int>& envelope) : size_(static_cast<int>(envelope.size())) {
        for (int i = 0; i < size_; ++i) {
            const int width = envelope[static_cast<std::size_t>(i)];
            require(1 <= width && width <= i + 1, "linalg::LaneLayout", "row ", i, " has ", width,
                    " entries up to its diagonal, must be from 1 to ", i + 1);
        }
        const int widest = size_ == 0 ? 1 : *std::max_element(envelope.begin(), envelope.end());
        const int shortest = std::max((size_ + Lanes - 1) / Lanes, std::max(2 * (widest - 1), 1));
        long least = 0;
        for (int length = shortest; length <= shortest + (Lanes > 1 ? shortest / 8 : 0); ++length) {
            const auto widths = longest_rows(envelope, length);
            long stored = 4L * length;  // a vector's entry is read and written twice in a solve
            for (const int width : widths) stored += width;
            if (length > shortest && stored >= least) continue;
            rows_ = length;
            least = stored;
        }
        border_ = widest;
        for (int shift = 0; shift < rows_ && shift + size_ <= Lanes * rows_; ++shift) {
            const int needed = separator(envelope, shift);
            if (needed >= border_) continue;
            border_ = needed;
            shift_ = shift;
        }

        for (int i = 0; i < size_; ++i)
            place_.push_back((border_ + (i + shift_) % rows_) * Lanes + (i + shift_) / rows_);
    }

    [[nodiscard]] int size() const noexcept { return size_; }
    /// rows() is the number of rows of a piece, border() the number of those at its end that separate it from the next.
    [[nodiscard]] int rows() const noexcept { return rows_; }
    [[nodiscard]] int border() const noexcept { return border_; }
    /// Where the pieces begin, as rows of the matrix; the first piece may begin before row 0.
    [[nodiscard]] int begin(int lane) const noexcept { return lane * rows_ - shift_; }
    /// Columns of a vector, with its halo.
    [[nodiscard]] int columns() const noexcept { return rows_ + 2 * border_; }
    /// Index of row i in a LaneVector.
    [[nodiscard]] int place(int i) const noexcept { return place_[static_cast<std::size_t>(i)]; }

    /// For each row of a piece, the length of the longest of the rows worked on together.
    [[nodiscard]] std::vector<int> longest_rows(const std::vector<int>& envelope) const {
        return longest_rows(envelope, rows_, shift_);
    }

  private:
    static std::vector<int> longest_rows(const std::vector<int>& envelope, int length, int shift = 0) {
        std::vector<int> widths(static_cast<std::size_t>(length), 1);
        for (std::size_t i = 0; i < envelope.size(); ++i) {
            int& width = widths[(i + static_cast<std::size_t>(shift)) % widths.size()];
            width = std::max(width, envelope[i]);
        }
        return widths;
    }

    /// The largest number of rows before a cut that are reached by rows after it.
    int separator(const std::vector<int>& envelope, int shift) const noexcept {
        int most = 0;
        for (int lane = 1; lane < Lanes; ++lane) {
            const int cut = lane * rows_ - shift;
            for (int i = cut; i < std::min(cut + rows_, size_); ++i)
                most = std::max(most, cut - (i - envelope[static_cast<std::size_t>(i)] + 1));
        }
        return most;
    }

    int size_ = 0, rows_ = 0, border_ = 0, shift_ = 0;
    std::vector<int> place_;
};

/// Vector distributed over lanes; one column holds the same row of every piece.
template <Real Scalar, int Lanes>
using LaneVector = Eigen::Array<Scalar, Lanes, Dynamic>;

/// Copies the pieces' border rows to the neighbours' halos. False, with x unchanged, if x does not fit the layout. @rt
template <Real Scalar, int Lanes>
bool update_halo(const LaneLayout<Lanes>& layout, LaneVector<Scalar, Lanes>& x) noexcept {
    if (x.cols() != layout.columns()) return false;
    const int b = layout.border(), R = layout.rows();
    for (int k = 0; k < b; ++k)
        for (int lane = 0; lane < Lanes; ++lane) {
            x(lane, k) = lane > 0 ? x(lane - 1, R + k) : Scalar(0.0);
            x(lane, b + R + k) = lane + 1 < Lanes ? x(lane + 1, b + k) : Scalar(0.0);
        }
    return true;
}

}  // namespace panto::linalg
