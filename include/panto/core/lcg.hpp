// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The second random generator of the library. Published figures of sensitivity analysis and of noisy records depend on
/// its numbers. New code draws from Random (core/random.hpp).

#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace panto {

/// Random numbers, x <- 6364136223846793005 x + 1442695040888963407 mod 2^64: the same with every compiler.
class Lcg {
  public:
    explicit Lcg(std::uint64_t seed) : x_(seed) {}

    /// Uniform in [0, 1), from the upper 53 bits.
    double uniform() {
        x_ = 6364136223846793005u * x_ + 1442695040888963407u;
        return static_cast<double>(x_ >> 11) * 0x1p-53;
    }

    /// Uniform in 0 .. n - 1.
    int index(int n) { return static_cast<int>(uniform() * n); }

    /// Standard normal, from two uniform numbers.
    double normal() {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        return radius * std::cos(2.0 * std::numbers::pi * uniform());
    }

  private:
    std::uint64_t x_;
};

}  // namespace panto
