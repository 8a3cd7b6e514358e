// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A natural cubic spline through points (no curvature at its ends), linear beyond them. It has two continuous
/// derivatives, and its argument may be a dual number.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::vehicle {

template <Real Scalar = double>
struct SplineValue {
    Scalar value{}, slope{}, curvature{};
};

class CubicSpline {
  public:
    CubicSpline() = default;

    /// @throws SetupError if there are fewer than three points, a number is not finite, or x does not increase.
    CubicSpline(std::vector<double> x, std::vector<double> y, std::string_view name = "vehicle::CubicSpline")
        : x_(std::move(x)), y_(std::move(y)) {
        require(x_.size() == y_.size(), name, x_.size(), " places for ", y_.size(), " values, must be equal");
        require(x_.size() >= 3, name, "the number of points is ", x_.size(), ", must be at least 3");
        require_all_finite(x_, name, "x");
        require_all_finite(y_, name, "y");
        for (std::size_t i = 1; i < x_.size(); ++i)
            require(x_[i] > x_[i - 1], name, "x[", i, "] is ", x_[i], ", must be above the one before, ", x_[i - 1]);
        // Second derivatives: a tridiagonal system, eliminated from left to right.
        const std::size_t n = x_.size();
        m_.assign(n, 0.0);
        std::vector<double> above(n, 0.0);
        for (std::size_t i = 1; i + 1 < n; ++i) {
            const double left = x_[i] - x_[i - 1], right = x_[i + 1] - x_[i];
            const double pivot = 2.0 * (left + right) - left * above[i - 1];
            const double turn = 6.0 * ((y_[i + 1] - y_[i]) / right - (y_[i] - y_[i - 1]) / left);
            above[i] = right / pivot;
            m_[i] = (turn - left * m_[i - 1]) / pivot;
        }
        for (std::size_t i = n - 2; i > 0; --i) m_[i] -= above[i] * m_[i + 1];
    }

    [[nodiscard]] double lowest() const noexcept { return x_.front(); }
    [[nodiscard]] double highest() const noexcept { return x_.back(); }
    [[nodiscard]] const std::vector<double>& places() const noexcept { return x_; }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] SplineValue<Scalar> at(const Scalar& x) const noexcept {
        const double v = value_of(x);
        const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, v);
        const auto i = static_cast<std::size_t>(after - x_.begin()), k = i - 1;
        const double h = x_[i] - x_[k], chord = (y_[i] - y_[k]) / h;
        if (v < x_.front() || v > x_.back()) {
            const bool low = v < x_.front();
            const double slope = low ? chord - h * m_[i] / 6.0 : chord + h * m_[k] / 6.0;
            return {Scalar(low ? y_.front() : y_.back()) + Scalar(slope) * (x - Scalar(low ? x_.front() : x_.back())),
                    Scalar(slope), Scalar(0.0)};
        }
        const Scalar t = (x - Scalar(x_[k])) / Scalar(h), u = Scalar(1.0) - t, sixth = Scalar(h * h / 6.0);
        const Scalar one = Scalar(1.0), a = Scalar(m_[k]), b = Scalar(m_[i]);
        return {u * Scalar(y_[k]) + t * Scalar(y_[i]) + sixth * (a * u * (u * u - one) + b * t * (t * t - one)),
                Scalar(chord) + Scalar(h / 6.0) * (b * (Scalar(3.0) * t * t - one) - a * (Scalar(3.0) * u * u - one)),
                a * u + b * t};
    }

  private:
    std::vector<double> x_, y_, m_;
};

}  // namespace panto::vehicle
