// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The displacements that a unit force at the end of a time step causes in that step: columns of S^-1, the inverse of
/// the Newmark matrix. A wave of speed c travels only c dt in a step, so a column decays within about ten metres.
/// Entries below 1e-17 of its peak are left out.

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/linalg/lane_layout.hpp>
#include <panto/linalg/local_cholesky.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace panto::catenary {

/// Columns of S^-1, stored for the rows in which they are significant.
template <Real Scalar, int Lanes>
class Influence {
  public:
    using Layout = linalg::LaneLayout<Lanes>;
    using Vectors = linalg::LaneVector<Scalar, Lanes>;

    Influence() = default;

    /// Adds the column of a unit load. On entry `work` holds this load in the rows `load` and is 0 elsewhere; on return
    /// `work` is 0. Set-up only.
    void append(const linalg::LocalCholesky<Scalar>& S, const linalg::Rows& load, Vector<Scalar, Dynamic>& work) {
        const linalg::Rows felt = S.respond(load, work);
        const auto size_of = [&](int i) { return work[i] < Scalar(0.0) ? Scalar(-work[i]) : work[i]; };
        Scalar peak(0.0);
        for (int i = felt.first; i < felt.end; ++i) peak = std::max(peak, size_of(i));
        const Scalar negligible = peak * Scalar(1e-17);
        int first = felt.first, last = felt.end - 1;
        while (first < last && !(negligible < size_of(first))) ++first;
        while (last > first && !(negligible < size_of(last))) --last;
        windows_.push_back({first, last + 1, values_.size()});
        for (int i = first; i <= last; ++i) values_.push_back(work[i]);
        work.segment(felt.first, felt.end - felt.first).setZero();
    }

    /// The rows in which a column is significant. @rt
    [[nodiscard]] linalg::Rows rows(std::size_t column) const noexcept {
        return {windows_[column].first, windows_[column].end};
    }

    /// Entry `row` of column `column`; 0 outside its window. @rt
    [[nodiscard]] Scalar at(std::size_t column, int row) const noexcept {
        const Window& w = windows_[column];
        return row < w.first || row >= w.end ? Scalar(0.0)
                                             : values_[w.offset + static_cast<std::size_t>(row - w.first)];
    }

    /// x += factor * column. The halo of x is unchanged. @rt
    void add(const Layout& layout, std::size_t column, const Scalar& factor, Vectors& x) const noexcept {
        const Window& w = windows_[column];
        const Scalar* value = values_.data() + w.offset;
        for (int i = w.first; i < w.end; ++i) x(layout.place(i)) += factor * *value++;
    }

  private:
    struct Window {
        int first, end;      // rows
        std::size_t offset;  // into values_
    };
    std::vector<Window> windows_;
    std::vector<Scalar> values_;
};

}  // namespace panto::catenary
