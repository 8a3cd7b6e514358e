// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Comparison of numbers of any size. doctest's Approx adds 1 to the size of what it compares: metres of a deflection,
/// compliances and gains then agree with almost anything.

#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>

namespace panto::test {

/// Equal up to 1e-5 of the larger number, or as epsilon() says. Zero equals zero alone, unless scale() says what size
/// counts.
class Approx {
  public:
    explicit Approx(double value) : value_(value) {}
    Approx& epsilon(double relative) { return epsilon_ = relative, *this; }
    Approx& scale(double size) { return scale_ = size, *this; }

    friend bool operator==(double x, const Approx& a) {
        const double size = a.scale_ + std::max(std::abs(x), std::abs(a.value_));
        return x == a.value_ || std::abs(x - a.value_) < a.epsilon_ * size;
    }
    friend std::ostream& operator<<(std::ostream& out, const Approx& a) { return out << "about " << a.value_; }

  private:
    double value_, epsilon_ = 1e-5, scale_ = 0.0;
};

inline Approx approx(double value) { return Approx(value); }

}  // namespace panto::test

using panto::test::approx;
