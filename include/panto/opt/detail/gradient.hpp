// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Value and gradient of an objective: its own gradient, or finite differences inside the box with steps that are
/// checked against the change they make.

#pragma once

#include <panto/opt/detail/credible_step.hpp>
#include <panto/opt/detail/guarded.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace panto::opt::detail {

/// The derivative of `along(t)` at t = x, where it is `value`, by central differences between `low` and `high`.
/// along(t) is plus infinity where it has no value. The step is `relative` times the size of the parameter, but at
/// least `shortest`; the size is the larger of `own`, which the caller knows, and `size`, found before.
///  * A step that changes the value by hardly more than rounding is made longer, up to a hundredth of `limit`, and of
///    `reach` or the parameter's size if that is more. If the value does not change at all, the next step is at once
///    that of a parameter of size 1. Where a longer step changes the value by far more than a parabola through the
///    shorter one would, as beyond a kink, the shorter one counts.
///  * A step that is long only because x is near 0 and changes the value much is made shorter while that changes the
///    slope. So is one without a value on either side; this lowers `limit` if `own` is above 0.
/// `change` becomes the change of the value by the last step. False if there is a value on neither side.
template <class Along>
bool checked_slope(const Along& along, double x, double value, double low, double high, double relative,
                   double shortest, double own, double& limit, double& size, double& slope, double& change,
                   double reach = 1.0) {
    if (!(std::max(own, size) > 0.0)) size = 1.0;
    const double longest = 0.01 * std::min(limit, std::max(own, reach)), usual = 0.01 * std::max(own, 1.0);
    const double noise = std::numeric_limits<double>::epsilon() * std::abs(value);
    double h = std::max(relative * std::max(own, size), shortest), trusted = 0.0, cut = 1e-4;
    bool longer = false, shorter = false, lost = false;
    double factor = 1.0;  // by which h was made longer
    for (int attempt = 0; attempt < 60; ++attempt) {
        const double up = std::min(x + h, high), down = std::max(x - h, low);
        double above = up > x ? along(up) : value, below = down < x ? along(down) : value;
        const double to = is_finite(above) ? up : x, from = is_finite(below) ? down : x;
        if (!is_finite(above)) above = value;
        if (!is_finite(below)) below = value;
        if (!(to > from)) {
            if (trusted > 0.0) return true;
            slope = 0.0, change = 0.0;
            if (!(low < high)) return true;
            if (!(h > std::max(shortest, 1e-300))) return false;
            h = std::max(shortest, cut * h), shorter = true;
            if (own > 0.0) limit = h / relative;
            cut = std::max(cut * cut, 1e-64);
            continue;
        }
        const double now = (above - below) / (to - from), apart = std::abs(now - slope);
        const double larger = std::max(std::abs(now), std::abs(slope));
        if (longer && trusted > 0.0 && apart > 0.5 * larger + 10.0 * noise / trusted) return true;
        if (shorter && apart <= 0.1 * larger + 10.0 * noise / h) return true;
        const double before = change;
        change = std::max(std::abs(above - value), std::abs(below - value));
        if (longer && h > usual && change > 10.0 * factor * factor * (before + 2.0 * noise)) {
            change = before;
            return true;
        }
        slope = now;
        if (h > shortest) size = h / relative;
        trusted = change > 100.0 * noise ? h : 0.0;
        if (!(change > 0.0) && h < std::min(relative, longest) && !lost && !shorter) {  // no change: as for 0
            h = std::min({relative, longest, usual}), lost = true;
        } else if (change < 1e4 * noise && h < longest && !shorter) {
            factor = change > 0.0 ? std::clamp(std::sqrt(1e5 * noise / change), 10.0, 100.0) : 100.0;
            h = std::min(longest, factor * h);
            longer = true;
        } else if (change > 0.01 * std::abs(value) && h > 2.0 * std::max(relative * own, shortest) && !longer) {
            h = std::max({relative * own, shortest, 0.01 * h});
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

    /// The gradient at x, where the value is `value`. False if there is none. At the start, steps that change the value
    /// much are checked.
    bool at(const Parameters& x, double value, Parameters& gradient) {
        const bool first = size_.size() == 0;
        if (first) {
            from_ = x, start_ = x.cwiseAbs(), first_value_ = value;
            limit_ = typical_.size() > 0 ? typical_ : Parameters(Parameters::Constant(x.size(), Bounds::infinite));
            size_ = start_.cwiseMin(limit_);
            found_ = Parameters::Zero(x.size());
        }
        if (f_.differentiable()) return given(x, gradient);
        gradient.resize(x.size());
        Parameters other = x;
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            const auto along = [&](double t) { return other[i] = t, value_of(f_, other, count_); };
            const auto slope = [&](double& change) {
                return checked_slope(along, x[i], value, box_.low(i), box_.high(i), relative,
                                     shortest_step(x[i], found_[i]), own(x, i), limit_[i], size_[i], gradient[i],
                                     change);
            };
            double change = 0.0;
            if (!slope(change)) return false;
            if (first && change > 1e3 * relative * std::abs(value) && shorten(x, value, i) && !slope(change))
                return false;
            other[i] = x[i];
        }
        return true;
    }

    /// To be called before a search ends. Makes steps shorter that were too long for the model; false if none was.
    bool shorten(const Parameters& x, double value) {
        doubt_.clear();
        if (f_.differentiable()) return false;
        const Minimum before = count_;
        bool any = false;
        for (Eigen::Index i = 0; i < x.size(); ++i) any = shorten(x, value, i) || any;
        count_.checks += count_.evaluations - before.evaluations;
        count_.evaluations = before.evaluations, count_.failures = before.failures;
        return any;
    }

    /// Why the gradient cannot be trusted at the point where shorten() was called last; empty: no reason.
    [[nodiscard]] const std::string& doubt() const { return doubt_; }

    [[nodiscard]] double first_value() const { return first_value_; }
    [[nodiscard]] const Parameters& start() const { return from_; }

    /// The sizes of the parameters, as far as they are known at x: the given ones, otherwise |x| or, if larger, that at
    /// the start, of which at most 1 or 10 |x| counts (a start at 1e30 is no size). If both are 0, it is the size at
    /// which the parameter was found to matter, at most 1. No size is above that at which a step was found short
    /// enough.
    [[nodiscard]] Parameters lengths(const Parameters& x) const {
        Parameters all = x.cwiseAbs().cwiseMax(start_.cwiseMin((10.0 * x.cwiseAbs()).cwiseMax(1.0)));
        for (Eigen::Index i = 0; i < all.size(); ++i) {
            if (typical_.size() > 0) all[i] = typical_[i];
            if (!(all[i] > 0.0)) all[i] = size_[i] > 0.0 ? std::min(size_[i], 1.0) : 1.0;
            all[i] = std::max(std::min(all[i], limit_[i]), 1e5 * shortest_step(x[i], found_[i]));
        }
        return all;
    }

    /// Once in a search, to be called where it may end: a parameter may be far smaller than its size at the start. Sets
    /// the entries of `sizes` to |x| for such parameters, the others to 0; false if there are none. From then on
    /// lengths() is |x| for those below 1e-12 of their length so far without which the value would be higher by a
    /// thousandth, unless the fit is perfect: they have run away along a curved valley.
    bool resize(const Parameters& x, double value, Parameters& sizes) {
        if (resized_ || typical_.size() > 0) return false;
        const Parameters all = lengths(x), none = box_.project(Parameters(Parameters::Zero(x.size())));
        sizes = Parameters::Zero(x.size());
        Minimum count;
        const auto matters = [&](Eigen::Index i) {
            Parameters without = x;
            without[i] = none[i];
            return value_of(f_, without, count) - value > 1e-3 * std::abs(value) &&
                   std::abs(value) > 1e-12 * std::abs(value_of(f_, none, count));
        };
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            const double own = std::abs(x[i]);
            if (!(own > 0.0) || !(own < 0.01 * all[i])) continue;
            if (own < 1e-12 * all[i] && matters(i)) start_[i] = own;
            sizes[i] = own, resized_ = true;
        }
        count_.checks += count.evaluations;
        return resized_;
    }

  private:
    bool given(const Parameters& x, Parameters& gradient) {
        ++count_.derivatives;
        try {
            const double again = f_(x, gradient);
            if (is_finite(again) && gradient.size() == x.size() && is_finite(gradient.cwiseAbs().sum())) return true;
            count_.reason = "the gradient is not finite";
        } catch (const std::exception& e) {
            count_.reason = std::string("the gradient threw: ") + e.what();
        }
        return false;
    }

    [[nodiscard]] double own(const Parameters& x, Eigen::Index i) const {
        return typical_.size() > 0 ? limit_[i] : std::min(std::abs(x[i]), limit_[i]);
    }

    bool shorten(const Parameters& x, double value, Eigen::Index i) {
        Parameters other = x;
        const auto along = [&](double t, Parameters& y) {
            other[i] = t;
            y = Parameters::Constant(1, value_of(f_, other, count_));
            return is_finite(y[0]);
        };
        const double noise = std::numeric_limits<double>::epsilon() * std::abs(value);
        const double longest =
            rung * std::max(relative * std::max(own(x, i), size_[i]), shortest_step(x[i], found_[i]));
        const Credible c =
            credible_step(along, x[i], Parameters::Constant(1, value), noise, box_.low(i), box_.high(i), longest);
        if (c.coarse)
            doubt_ = "a change in the last digits of parameter " + std::to_string(i) + ", " + shown(x[i]) +
                     ", changes the value a lot: use its distance from a nearby point as the parameter";
        if (!(c.step > 0.0) || !(c.step < 0.5 * longest)) return false;
        const double before = limit_[i];
        limit_[i] = size_[i] = c.step / (rung * relative);
        found_[i] = c.step / rung;
        return limit_[i] < 0.9 * before;  // if not, steps were made longer again
    }

    static constexpr double relative = 6e-6;  // cube root of the rounding error

    const Function& f_;
    const Bounds& box_;
    const Parameters& typical_;
    Minimum& count_;
    Parameters from_, start_, size_, limit_, found_;
    double first_value_ = 0.0;
    bool resized_ = false;
    std::string doubt_;
};

/// Sets the entries of `direction` to 0 for parameters on a bound beyond which descent would move them.
inline void hold(const Parameters& x, const Parameters& gradient, const Bounds& box, Parameters& direction) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if ((x[i] <= box.low(i) && gradient[i] >= 0.0) || (x[i] >= box.high(i) && gradient[i] <= 0.0))
            direction[i] = 0.0;
}

/// Sets the entries of `direction` to 0 that lead out of the box at once.
inline void hold_on_bounds(const Parameters& x, const Bounds& box, Parameters& direction) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
        if ((x[i] <= box.low(i) && direction[i] < 0.0) || (x[i] >= box.high(i) && direction[i] > 0.0))
            direction[i] = 0.0;
}

/// Largest entry of | x - P(x - gradient) |: 0 only if no small step within the box descends. It is not computed as
/// this difference, in which the gradient would be lost at a large x.
inline double stationarity(const Parameters& x, const Parameters& gradient, const Bounds& box) {
    double largest = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i)
        largest = std::max(largest, gradient[i] > 0.0 ? std::min(gradient[i], x[i] - box.low(i))
                                                      : std::min(-gradient[i], box.high(i) - x[i]));
    return largest;
}

}  // namespace panto::opt::detail
