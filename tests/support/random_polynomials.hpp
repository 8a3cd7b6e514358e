// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random polynomials built from known zeros, some of them 1e-4 from the unit circle. Nothing but +, *, / and sqrt, so
/// that tests/golden/poly/make_nearest.py gets the same bits.

#pragma once

#include <panto/poly/polynomial.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace panto::test {

struct RandomPolynomial {
    poly::ComplexPolynomial b;
    int outside = 0;         ///< zeros outside, of those it was built from
    double distance = 10.0;  ///< of the nearest of them to the circle
};

class RandomPolynomials {
  public:
    RandomPolynomials(bool real, std::uint64_t seed) : real_(real), state_(seed) {}

    RandomPolynomial next() {
        RandomPolynomial sample;
        const int n = 1 + static_cast<int>(8.0 * uniform());
        const bool inside = uniform() < 0.5;
        std::vector<double> axis;
        std::vector<poly::Complex> plane;
        for (int left = n; left > 0;) {
            const double r = radius(inside);
            sample.distance = std::min(sample.distance, std::abs(r - 1.0));
            int count = 1;
            if (real_ && (left == 1 || uniform() < 0.5)) {
                axis.push_back(uniform() < 0.5 ? r : -r);
            } else {
                const poly::Complex e = direction();
                plane.emplace_back(r * e.real(), r * e.imag());
                count = real_ ? 2 : 1;
            }
            left -= count;
            sample.outside += r > 1.0 ? count : 0;
        }
        const auto size = [](const auto& v) { return static_cast<Eigen::Index>(v.size()); };
        const Eigen::VectorXcd z = Eigen::Map<const Eigen::VectorXcd>(plane.data(), size(plane));
        if (real_)
            sample.b = poly::from_roots(Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(axis.data(), size(axis))), z);
        else
            sample.b = poly::from_roots(z);
        return sample;
    }

    double uniform() {  // splitmix64
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

  private:
    poly::Complex direction() {
        while (true) {
            const double a = 2.0 * uniform() - 1.0, b = 2.0 * uniform() - 1.0, s = a * a + b * b;
            if (1e-4 < s && s <= 1.0) return {a / std::sqrt(s), b / std::sqrt(s)};
        }
    }

    double radius(bool inside) {
        if (uniform() < 0.25) return inside || uniform() < 0.5 ? 1.0 - 1e-4 : 1.0 + 1e-4;
        return (inside ? 1.0 : 1.5) * std::sqrt(uniform());
    }

    bool real_;
    std::uint64_t state_;
};

}  // namespace panto::test
