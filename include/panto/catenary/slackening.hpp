// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The matrix 1/k - B' S^-1 B of the slackening problem (realtime_engine.hpp). Within a step a dropper affects only its
/// neighbours, so the matrix is banded: as wide as the columns in influence.hpp reach.

#pragma once

#include <panto/catenary/finite_element.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace panto::catenary {

/// Entry (i, j) is the increase of the elastic tension of dropper i, divided by the stiffness of dropper i, per newton
/// of the correction of dropper j, m/N.
template <Real Scalar>
class SlackeningMatrix {
  public:
    using Index = Eigen::Index;

    SlackeningMatrix() = default;

    /// @param of_dropper  column j of it holds the displacements within a step due to 1 N in dropper j
    template <class Influence>
    SlackeningMatrix(const std::vector<DropperLink<Scalar>>& droppers, const Influence& of_dropper) {
        std::vector<std::pair<int, std::size_t>> ends;  // row and dropper
        for (std::size_t i = 0; i < droppers.size(); ++i)
            ends.emplace_back(droppers[i].top, i), ends.emplace_back(droppers[i].bottom, i);
        std::sort(ends.begin(), ends.end());
        for (std::size_t j = 0; j < droppers.size(); ++j) {
            const auto rows = of_dropper.rows(j);
            std::size_t first = j, end = j + 1;
            for (auto e = std::lower_bound(ends.begin(), ends.end(), std::pair(rows.first, std::size_t{0}));
                 e != ends.end() && e->first < rows.end; ++e)
                first = std::min(first, e->second), end = std::max(end, e->second + 1);
            columns_.push_back({static_cast<Index>(first), static_cast<Index>(end), values_.size()});
            for (std::size_t i = first; i < end; ++i)
                values_.push_back(Scalar(i == j ? 1.0 : 0.0) / droppers[i].stiffness -
                                  (of_dropper.at(j, droppers[i].top) - of_dropper.at(j, droppers[i].bottom)));
            reach_ = std::max(reach_, static_cast<int>(std::max(j - first, end - 1 - j)));
        }
    }

    [[nodiscard]] Index rows() const noexcept { return cols(); }
    [[nodiscard]] Index cols() const noexcept { return static_cast<Index>(columns_.size()); }
    /// Number of diagonals on either side of the main one.
    [[nodiscard]] int reach() const noexcept { return reach_; }
    /// Number of stored entries.
    [[nodiscard]] std::size_t numbers() const noexcept { return values_.size(); }

    /// 0 outside the band, NaN if there is no such dropper. @rt
    [[nodiscard]] Scalar operator()(Index i, Index j) const noexcept {
        if (std::min(i, j) < 0 || std::max(i, j) >= cols()) return no_number<Scalar>();
        const Column& c = columns_[static_cast<std::size_t>(j)];
        return i < c.first || i >= c.end ? Scalar(0.0) : values_[c.offset + static_cast<std::size_t>(i - c.first)];
    }

  private:
    struct Column {
        Index first, end;    // droppers
        std::size_t offset;  // into values_
    };
    std::vector<Column> columns_;
    std::vector<Scalar> values_;
    int reach_ = 0;
};

}  // namespace panto::catenary
