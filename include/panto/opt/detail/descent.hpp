// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The common part of quasi-Newton and conjugate-gradient methods: an active set for the box, and a line search for the
/// strong Wolfe conditions [Nocedal, Wright, Numerical Optimization, algorithms 3.5 and 3.6] up to the first bound in
/// the way.

#pragma once

#include <panto/opt/detail/conclusion.hpp>

namespace panto::opt {

struct DescentParams {
    Bounds bounds{};
    int iteration_limit = 1000;
    double gradient_tolerance = 1e-8;  ///< check for a minimum when no entry of the projected gradient is larger
    double value_tolerance = 1e-15;    ///< stop when ten steps together lower the value by less than this fraction
    Parameters typical{};              ///< typical sizes of the parameters, for differences; empty: found from x
    Observer observer{};
};

namespace detail {

inline void check(const DescentParams& p, const Parameters& start, std::string_view where) {
    check_start(start, p.bounds, where);
    require(p.iteration_limit > 0, where, "iteration_limit is ", p.iteration_limit, ", must be at least 1");
    require_not_negative(p.gradient_tolerance, where, "gradient_tolerance");
    require_not_negative(p.value_tolerance, where, "value_tolerance");
    check_typical(p.typical, start.size(), where);
}

/// The power of 2 not above x > 0, whatever its size; 1 for others. Dividing by it rounds nothing.
inline double power_of_2(double x) { return x > 0.0 && is_finite(x) ? std::ldexp(1.0, std::ilogb(x)) : 1.0; }

/// One point on the line: step, value, slope along it.
struct LinePoint {
    double step = 0.0, value = 0.0, slope = 0.0;
};

/// Finds a step that satisfies the strong Wolfe conditions, or ends on a bound and descends enough, and moves `x` and
/// `gradient` there. False if rounding leaves no descent.
template <class = void>
class LineSearch {
  public:
    LineSearch(const Function& f, const Bounds& box, double curvature, Gradient<>& gradient, Minimum& best)
        : f_(f), box_(box), curvature_(curvature), slopes_(gradient), best_(best) {}

    /// Works in units in which the direction is of size 1, so that no slope overflows.
    bool move(Parameters& x, Parameters& gradient, const Parameters& direction, double first_step) {
        const double unit = power_of_2(direction.cwiseAbs().maxCoeff());
        from_ = x, along_ = direction / unit;
        const LinePoint origin{0.0, best_.value, gradient.dot(along_)};
        const double longest = room();
        LinePoint before = origin, now, accepted = origin;
        Parameters here = gradient;
        double step = std::min(first_step * unit, longest);
        for (int k = 0; k < 40; ++k) {
            now = at(step, here);
            if (!descends(now, origin) || (k > 0 && now.value >= before.value)) {
                accepted = zoom(before, now, origin, here);
                break;
            }
            if (std::abs(now.slope) <= -curvature_ * origin.slope || (now.slope < 0.0 && step >= longest)) {
                accepted = now;
                break;
            }
            if (now.slope >= 0.0) {
                accepted = zoom(now, before, origin, here);
                break;
            }
            before = accepted = now;
            step = std::min((k < 10 ? 4.0 : k < 20 ? 100.0 : 1e8) * step, longest);  // the first may be far too short
        }
        if (!(accepted.step > 0.0) || !(accepted.value < origin.value)) return false;
        if (now.step != accepted.step || gradient_at_ != accepted.step) (void)at(accepted.step, here);
        x = point(accepted.step), gradient = here, best_.value = accepted.value;
        return true;
    }

  private:
    [[nodiscard]] double room() const {
        double longest = Bounds::infinite;
        for (Eigen::Index i = 0; i < from_.size(); ++i) {
            if (along_[i] > 0.0) longest = std::min(longest, (box_.high(i) - from_[i]) / along_[i]);
            if (along_[i] < 0.0) longest = std::min(longest, (box_.low(i) - from_[i]) / along_[i]);
        }
        return longest;
    }

    /// The point at `step`, exactly on a bound that the step reaches: rounding must not leave a small distance.
    [[nodiscard]] Parameters point(double step) const {
        Parameters x = box_.project(Parameters(from_ + step * along_));
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            if (along_[i] > 0.0 && step >= (box_.high(i) - from_[i]) / along_[i]) x[i] = box_.high(i);
            if (along_[i] < 0.0 && step >= (box_.low(i) - from_[i]) / along_[i]) x[i] = box_.low(i);
        }
        return x;
    }

    LinePoint at(double step, Parameters& gradient) {
        const Parameters x = point(step);
        const double value = value_of(f_, x, best_);
        gradient_at_ = step;
        if (!is_finite(value) || !slopes_.at(x, value, gradient)) return {step, Bounds::infinite, 0.0};
        return {step, value, gradient.dot(along_)};
    }

    static bool descends(const LinePoint& p, const LinePoint& origin) {
        return p.value <= origin.value + 1e-4 * p.step * origin.slope;
    }

    /// `low` is the better end of an interval that holds an acceptable step.
    LinePoint zoom(LinePoint low, LinePoint high, const LinePoint& origin, Parameters& gradient) {
        for (int k = 0; k < 50; ++k) {
            const double width = high.step - low.step;
            double step = low.step + 0.5 * width;
            if (is_finite(high.value)) {  // the minimum of the parabola through both values and the slope at `low`
                const double bend = 2.0 * (high.value - low.value - low.slope * width);
                const double parabola = low.step - low.slope * width * width / bend;
                const double share = (parabola - low.step) / width;
                if (share > 0.1 && share < 0.9) step = parabola;
            } else {
                step = low.step + 0.2 * width;  // the far end has no value
            }
            if (!(std::abs(width) > 1e-15 * std::max(low.step, 1e-300))) break;
            const LinePoint now = at(step, gradient);
            if (!descends(now, origin) || now.value >= low.value) {
                high = now;
                continue;
            }
            if (std::abs(now.slope) <= -curvature_ * origin.slope) return now;
            if (now.slope * width >= 0.0) high = low;
            low = now;
        }
        return low;
    }

    const Function& f_;
    const Bounds& box_;
    double curvature_;
    Gradient<>& slopes_;
    Minimum& best_;
    Parameters from_, along_;
    double gradient_at_ = -1.0;
};

/// Minimizes f along directions that `method` chooses: method.direction(x, g) on the free parameters,
/// method.learn(step, change of g) after every step, method.forget() after trouble.
template <class Method>
[[nodiscard]] Minimum descend(const Function& f, const Parameters& start, const DescentParams& p, Method method,
                              double curvature) {
    Minimum best;
    best.x = start;
    best.value = value_of(f, start, best);
    if (!is_finite(best.value)) return lost(best);
    Parameters g(start.size()), direction, x_before, g_before;
    Gradient<> gradient(f, p.bounds, p.typical, best);
    if (!gradient.at(start, best.value, g)) return lost(best);
    LineSearch<> search(f, p.bounds, curvature, gradient, best);
    Outlook ahead;
    double value_ten_ago = best.value, looked_at = Bounds::infinite, curvature_met = 0.0;
    // The method works on z = x / unit, so that parameters of very different sizes are alike.
    Parameters unit = p.typical.size() > 0 ? p.typical : Parameters(Parameters::Ones(start.size()));
    double scale = 1.0;  // of the slopes that the method sees: the square of a slope above 1e154 would overflow
    bool fresh = true, moved_once = false, rescaled = p.typical.size() > 0;
    const auto look = [&] {
        const Verdict v = verdict(f, p.bounds, gradient, best, ahead, moved_once);
        if (v != Verdict::goes_on) return v;
        if (ahead.moved.size() > 0) unit = (ahead.moved.array() > 0.0).select(ahead.moved, unit);
        method.forget(), fresh = true;
        looked_at = Bounds::infinite, curvature_met = 0.0, value_ten_ago = Bounds::infinite;
        ++best.iterations;
        return gradient.at(best.x, best.value, g) ? v : Verdict::open;
    };
    while (best.iterations < p.iteration_limit) {
        const double steepest = stationarity(best.x, g, p.bounds);
        if (!(steepest > 0.0) || (steepest <= p.gradient_tolerance && steepest <= 0.1 * looked_at)) {
            const Verdict v = look();
            if (v == Verdict::minimum) return finish(best, Status::ok, "the gradient vanishes");
            if (v == Verdict::goes_on) continue;
            if (!(steepest > 0.0))
                return finish(best, Status::not_converged, unfinished("the gradient vanishes", ahead));
            looked_at = steepest;
        }
        const double largest = g.cwiseProduct(unit).cwiseAbs().maxCoeff();
        if (largest > 1e100 * scale || (scale > 1.0 && largest < 1e-30 * scale)) {
            scale = largest > 1e100 ? power_of_2(largest) : 1.0;
            method.forget(), fresh = true, curvature_met = 0.0;
        }
        const Parameters slopes = g.cwiseProduct(unit) / scale;
        direction = method.direction(best.x, slopes, p.bounds);
        hold_on_bounds(best.x, p.bounds, direction);
        if (!(slopes.dot(direction) < 0.0)) {
            method.forget(), fresh = true;
            direction = -slopes;
            hold(best.x, g, p.bounds, direction);
        }
        x_before = best.x, g_before = g;
        double first = method.first_step(slopes, direction);
        if (fresh) {  // from the last curvature, or a step of 1 unless that is negligible beside x
            const double longest = direction.cwiseAbs().maxCoeff();
            const double size = gradient.lengths(best.x).cwiseQuotient(unit).maxCoeff();
            first = curvature_met > 0.0 ? 1.0 / curvature_met : std::min(1.0, 1.0 / longest);
            if (!moved_once && first * longest < 1e-8 * size) first = 1e-3 * size / longest;
        }
        ++best.iterations;
        if (!search.move(best.x, g, direction.cwiseProduct(unit), first)) {
            if (!fresh) {
                method.forget(), fresh = true;
                continue;
            }
            const Verdict v = look();
            if (v == Verdict::goes_on) continue;
            if (v == Verdict::minimum) return finish(best, Status::ok, "no descent is left above rounding");
            if (!rescaled) {  // a step of 1 may have been far too long
                rescaled = true, unit = gradient.lengths(best.x).cwiseMin(unit), curvature_met = 0.0;
                continue;
            }
            return finish(best, Status::not_converged,
                          moved_once ? unfinished("no descent is found", ahead)
                          : scale > 1.0
                              ? "no step from the start lowers the value, whose slope there is " + shown(largest)
                              : std::string(no_step));
        }
        const Parameters s = (best.x - x_before).cwiseQuotient(unit), y = (g - g_before).cwiseProduct(unit) / scale;
        method.learn(s, y);
        fresh = false, moved_once = true;
        curvature_met = s.dot(y) / s.squaredNorm();
        if (!go_on(p.observer, best, p.iteration_limit))
            return finish(best, Status::stopped_by_user, "stopped by the observer");
        if (best.iterations % 10 == 0) {
            if (value_ten_ago - best.value <= p.value_tolerance * std::abs(best.value)) {
                const Verdict v = look();
                if (v == Verdict::goes_on) continue;
                if (v == Verdict::minimum) return finish(best, Status::ok, "the value does not fall any more");
                return finish(best, Status::not_converged, unfinished("the value does not fall any more", ahead));
            }
            value_ten_ago = best.value;
        }
    }
    return finish(best, Status::not_converged, "the iteration limit is reached");
}

}  // namespace detail
}  // namespace panto::opt
