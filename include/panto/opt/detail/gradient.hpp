// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Value and gradient of an objective: its own gradient, or finite differences inside the box with steps that are
/// checked against the change they make.

#pragma once

#include <panto/opt/detail/guarded.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace panto::opt::detail {

/// A derivative by central differences of `along(t)`, which is plus infinity where it has no value, at t = x, where it
/// is `value`, between `low` and `high`. The step is `relative` times the largest of |x|, `own`, what the caller knows
/// of the parameter's size, and `size`, what was found before. A step that changes the value by hardly more than
/// rounding is made longer, one that changes nothing at once as long as for a parameter of size 1. One that is long
/// only because x is near 0 and changes the value much is made shorter, where that changes the slope. False if the
/// value is to be had on neither side.
template <class Along>
bool checked_slope(const Along& along, double x, double value, double low, double high, double relative, double own,
                   double& size, double& slope) {
    own = std::max(std::abs(x), own);
    if (!(std::max(own, size) > 0.0)) size = 1.0;
    double h = relative * std::max(own, size), trusted = 0.0;
    const double longest = 0.01 * std::max(own, 1.0);
    const double noise = std::numeric_limits<double>::epsilon() * std::abs(value);
    bool longer = false, shorter = false, lost = false;
    for (int attempt = 0; attempt < 12; ++attempt) {
        const double up = std::min(x + h, high), down = std::max(x - h, low);
        double above = up > x ? along(up) : value, below = down < x ? along(down) : value;
        const double to = is_finite(above) ? up : x, from = is_finite(below) ? down : x;
        if (!is_finite(above)) above = value;
        if (!is_finite(below)) below = value;
        if (!(to > from)) {
            if (trusted > 0.0) return true;
            slope = 0.0;
            return !(low < high);
        }
        const double change = std::max(std::abs(above - value), std::abs(below - value));
        const double now = (above - below) / (to - from), apart = std::abs(now - slope);
        const double larger = std::max(std::abs(now), std::abs(slope));
        if (longer && trusted > 0.0 && apart > 0.5 * larger + 10.0 * noise / trusted) return true;
        if (shorter && apart <= 0.1 * larger + 10.0 * noise / h) return true;
        slope = now, size = h / relative;
        trusted = change > 100.0 * noise ? h : 0.0;
        if (!(change > 0.0) && h < relative && !lost) {  // nothing at its own size: as if it were 0
            h = relative, lost = true;
        } else if (change < 1e4 * noise && h < longest && !shorter) {
            const double factor = change > 0.0 ? std::clamp(std::sqrt(1e5 * noise / change), 10.0, 100.0) : 100.0;
            h = std::min(longest, factor * h);
            longer = true;
        } else if (change > 0.01 * std::abs(value) && h > 2.0 * relative * own && !longer) {
            h = std::max(relative * own, 0.01 * h);
            shorter = true;
        } else {
            return true;
        }
    }
    return true;
}

/// Gradients of one objective during one search: by differences for objectives without one.
template <class = void>
class Gradient {
  public:
    Gradient(const Function& f, const Bounds& box, const Parameters& typical, Minimum& count)
        : f_(f), box_(box), typical_(typical), count_(count) {}

    /// The gradient at x, where the value is `value`. False if it cannot be had.
    bool at(const Parameters& x, double value, Parameters& gradient) {
        if (size_.size() == 0) start_ = size_ = x.cwiseAbs();
        if (f_.differentiable()) {
            ++count_.derivatives;
            try {
                const double again = f_(x, gradient);
                if (is_finite(again) && gradient.size() == x.size() && is_finite(gradient.cwiseAbs().sum()))
                    return true;
                count_.reason = "the gradient is not finite";
            } catch (const std::exception& e) {
                count_.reason = std::string("the gradient threw: ") + e.what();
            }
            return false;
        } else {
            gradient.resize(x.size());
            Parameters other = x;
            for (Eigen::Index i = 0; i < x.size(); ++i) {
                const auto along = [&](double t) { return other[i] = t, value_of(f_, other, count_); };
                const double own = typical_.size() > 0 ? typical_[i] : 0.0;
                constexpr double relative = 6e-6;  // cube root of the rounding error
                if (!checked_slope(along, x[i], value, box_.low(i), box_.high(i), relative, own, size_[i], gradient[i]))
                    return false;
                other[i] = x[i];
            }
            return true;
        }
    }

    /// The sizes of the parameters, as far as they are known at x: of itself, told, or at the start. One that is and
    /// was 0 has the size at which it was found to matter, at most 1.
    [[nodiscard]] Parameters lengths(const Parameters& x) const {
        Parameters all = x.cwiseAbs().cwiseMax(start_);
        for (Eigen::Index i = 0; i < all.size(); ++i) {
            if (typical_.size() > 0) all[i] = std::max(all[i], typical_[i]);
            if (!(all[i] > 0.0)) all[i] = size_[i] > 0.0 ? std::min(size_[i], 1.0) : 1.0;
        }
        return all;
    }

  private:
    const Function& f_;
    const Bounds& box_;
    const Parameters& typical_;
    Minimum& count_;
    Parameters start_, size_;
};

/// Parameters on a bound that the gradient pushes outward; their entries of `direction` become 0.
inline void hold(const Parameters& x, const Parameters& gradient, const Bounds& box, Parameters& direction) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if ((x[i] <= box.low(i) && gradient[i] >= 0.0) || (x[i] >= box.high(i) && gradient[i] <= 0.0))
            direction[i] = 0.0;
}

/// Entries of `direction` that lead out of the box at once become 0.
inline void hold_on_bounds(const Parameters& x, const Bounds& box, Parameters& direction) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if ((x[i] <= box.low(i) && direction[i] < 0.0) || (x[i] >= box.high(i) && direction[i] > 0.0))
            direction[i] = 0.0;
}

/// Largest entry of x - P(x - gradient): 0 exactly where no small step within the box descends. Not by that difference,
/// in which the gradient at a large x is lost.
inline double stationarity(const Parameters& x, const Parameters& gradient, const Bounds& box) {
    double largest = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i)
        largest = std::max(largest, gradient[i] > 0.0 ? std::min(gradient[i], x[i] - box.low(i))
                                                      : std::min(-gradient[i], box.high(i) - x[i]));
    return largest;
}

}  // namespace panto::opt::detail
