// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The preview of a cycle: the coming motions of the wire, under the forces that the controller foresees if controller
/// and line both support this, otherwise under the present force.

#pragma once

#include <panto/core/exchange.hpp>
#include <panto/rig/parts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace panto::rig {

/// Fills `ahead` with the coming motions of the wire. All three spans have one entry per step.
/// @param first   true in the first cycle, when the controller has no state yet
/// @param force   N, the present force
/// @param change  receives the assumed difference from the present force, N, at each step
/// @param forces  receives the assumed force, N, at each step; not used if the wire is predicted under `force`
/// @rt
template <class C, class W>
void fill_preview(C& controller, W& catenary, bool first, double force, std::span<Motion> ahead,
                  std::span<double> change, std::span<double> forces) noexcept {
    std::fill(change.begin(), change.end(), 0.0);
    if constexpr (ForeseeingController<C> && SequencePredictiveCatenary<W>) {
        if (!first) {
            controller.foresee(change);
            for (std::size_t j = 0; j < ahead.size(); ++j) forces[j] = force + change[j];
            catenary.predict(std::span<const double>(forces), ahead);
            return;
        }
    }
    catenary.predict(force, ahead);
}

/// Memory for previews that may be longer than those of an Exchange.
class PreviewMemory {
  public:
    /// @param steps  the longest preview, not negative.
    explicit PreviewMemory(int steps) : ahead_(size_for(steps)), change_(ahead_.size()), forces_(ahead_.size()) {}

    /// Most steps that fill() can predict.
    [[nodiscard]] int capacity() const noexcept { return static_cast<int>(ahead_.size()); }

    /// Predicts `steps` motions, from 0 to capacity(), and copies the first of them to `record`.
    /// @return all of them, valid until the next call. @rt
    template <class C, class W>
    std::span<const Motion> fill(Preview& record, C& controller, W& catenary, bool first, double force,
                                 int steps) noexcept {
        record.count = std::min(steps, Preview::capacity);
        if (steps == 0) return {};
        const auto n = static_cast<std::size_t>(steps);
        fill_preview(controller, catenary, first, force, std::span(ahead_).first(n), std::span(change_).first(n),
                     std::span(forces_).first(n));
        std::copy_n(ahead_.begin(), record.count, record.motion.begin());
        record.force_change.fill(0.0);
        std::copy_n(change_.begin(), record.count, record.force_change.begin());
        return std::span<const Motion>(ahead_).first(n);
    }

  private:
    static std::size_t size_for(int steps) { return static_cast<std::size_t>(std::max(steps, Preview::capacity)); }

    std::vector<Motion> ahead_;
    std::vector<double> change_, forces_;  // N
};

/// The former name, without room for the forces at more than Preview::capacity steps.
template <class C, class W>
[[deprecated("is called fill_preview now and takes a span for the forces")]]
void foretell(C& controller, W& catenary, bool first, double force, std::span<Motion> ahead,
              std::span<double, Preview::capacity> change) noexcept {
    std::array<double, Preview::longest> changes{}, forces{};
    const std::size_t n = std::min<std::size_t>(ahead.size(), Preview::longest);
    fill_preview(controller, catenary, first, force, ahead.first(n), std::span(changes).first(n),
                 std::span(forces).first(n));
    std::copy_n(changes.begin(), change.size(), change.begin());
}

}  // namespace panto::rig
