// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random numbers that are the same with every compiler: the generator is std::mt19937_64, which the standard defines
/// exactly. The distributions of the standard library are not defined exactly, so they are written here.

#pragma once

#include <panto/core/check.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace panto {

/// Draws from a seed. The same seed gives the same draws everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// Uniform in [0, 1), with 53 bits.
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    bool chance(double probability) { return uniform() < probability; }

    /// Uniform in 0 .. n - 1.
    /// @throws SetupError if n is 0.
    std::size_t index(std::size_t n) {
        require(n > 0, "Random::index", "n is 0, must be at least 1");
        const std::uint64_t count = n, rest = (UINT64_MAX % count + 1) % count;  // 2^64 mod n values are too many
        std::uint64_t x = engine_();
        while (x > UINT64_MAX - rest) x = engine_();
        return static_cast<std::size_t>(x % count);
    }

    /// Standard normal, by the method of Box and Muller.
    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(2.0 * std::numbers::pi * uniform());
    }

    /// 0 .. n - 1 in random order.
    std::vector<std::size_t> permutation(std::size_t n) {
        std::vector<std::size_t> order(n);
        for (std::size_t i = 0; i < n; ++i) order[i] = i;
        for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[index(i)]);
        return order;
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace panto
