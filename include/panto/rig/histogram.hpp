// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A histogram of durations. It has a fixed size and a relative resolution of 1/32 from 1 ns to 68 s. The longest times
/// matter most on a rig, so every sample is counted and the largest is kept exactly.

#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace panto::rig {

/// Below 32 ns every value has its own bin; above, each octave has 32 bins.
class Histogram {
    static constexpr int fine_bits = 5;
    static constexpr int top_bits = 36;

  public:
    static constexpr std::size_t bins = std::size_t{top_bits - fine_bits + 1} << fine_bits;

    /// Counts one duration: a negative one as zero, one beyond the last bin in the last bin. @rt
    void add(std::chrono::nanoseconds duration) noexcept {
        const std::int64_t value = duration.count() > 0 ? duration.count() : 0;
        ++counts_[bin_of(static_cast<std::uint64_t>(value))];
        ++count_;
        sum_ += value;
        if (value > longest_) longest_ = value;
    }

    /// The value that a share of all samples, 0 to 1, does not exceed: the upper edge of its bin. 0 if empty.
    [[nodiscard]] std::chrono::nanoseconds quantile(double share) const noexcept {
        if (count_ == 0) return std::chrono::nanoseconds{0};
        const double wanted = share * static_cast<double>(count_);
        std::int64_t seen = 0;
        for (std::size_t i = 0; i < bins; ++i) {
            seen += counts_[i];
            if (static_cast<double>(seen) < wanted || seen == 0) continue;
            const std::int64_t edge = lower_edge(i + 1) - 1;
            return std::chrono::nanoseconds{edge < longest_ ? edge : longest_};
        }
        return longest();
    }

    [[nodiscard]] std::chrono::nanoseconds median() const noexcept { return quantile(0.5); }
    [[nodiscard]] std::chrono::nanoseconds longest() const noexcept { return std::chrono::nanoseconds{longest_}; }
    [[nodiscard]] std::int64_t count() const noexcept { return count_; }
    [[nodiscard]] double mean() const noexcept {  ///< ns
        return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0.0;
    }

    /// Number of samples in bin `i`, for drawing; 0 if there is no such bin.
    [[nodiscard]] std::int64_t operator[](std::size_t i) const noexcept { return i < bins ? counts_[i] : 0; }

    /// Smallest duration of bin `i`, ns; its upper edge is lower_edge(i + 1). Beyond the last bin, the largest number.
    [[nodiscard]] static constexpr std::int64_t lower_edge(std::size_t i) noexcept {
        if (i > bins) return std::numeric_limits<std::int64_t>::max();
        const std::size_t octave = i >> fine_bits;
        const std::size_t part = i & ((std::size_t{1} << fine_bits) - 1);
        if (octave == 0) return static_cast<std::int64_t>(part);
        return static_cast<std::int64_t>((part + (std::size_t{1} << fine_bits)) << (octave - 1));
    }

    [[nodiscard]] static constexpr std::size_t bin_of(std::uint64_t value) noexcept {
        const int width = static_cast<int>(std::bit_width(value));
        if (width > top_bits) return bins - 1;
        if (width <= fine_bits) return static_cast<std::size_t>(value);
        const int octave = width - fine_bits;
        const std::uint64_t part = (value >> (octave - 1)) - (std::uint64_t{1} << fine_bits);
        return (static_cast<std::size_t>(octave) << fine_bits) + static_cast<std::size_t>(part);
    }

  private:
    std::array<std::int64_t, bins> counts_{};
    std::int64_t count_ = 0;
    std::int64_t sum_ = 0;      // ns
    std::int64_t longest_ = 0;  // ns
};

}  // namespace panto::rig
