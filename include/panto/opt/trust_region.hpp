// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Trust region in a box: a quadratic model with the symmetric rank-one Hessian (SR1), which may be indefinite,
/// minimized within  max(lower - x, -radius) <= p <= min(upper - x, radius): first along the projected gradient (Cauchy
/// point), then by conjugate gradients on the parameters that are free there [Conn, Gould, Toint 1988].

#pragma once

#include <panto/opt/detail/conclusion.hpp>

#include <cmath>

namespace panto::opt {

struct TrustRegionParams {
    Bounds bounds{};
    double first_radius = 1.0;  ///< in units of `scale`
    Parameters scale{};         ///< unit of every parameter; empty: as `typical`, or 1 for all
    int iteration_limit = 2000;
    double gradient_tolerance = 1e-8;  ///< check for a minimum when no entry of the projected gradient is larger
    double step_tolerance = 1e-14;     ///< stop when the radius is below this, in units of `scale`
    Parameters typical{};              ///< typical sizes of the parameters, for differences; empty: found from x
    Observer observer{};
};

namespace detail {

/// g'p + p'B p / 2
template <class = void>
double model(const Matrix<double, Dynamic>& B, const Parameters& g, const Parameters& p) {
    return g.dot(p) + 0.5 * p.dot(B * p);
}

/// A step in the box `room` that makes the model at least as small as the Cauchy point does.
template <class = void>
Parameters model_step(const Matrix<double, Dynamic>& B, const Parameters& g, const Bounds& room) {
    const auto along = [&](double t) { return room.project(Parameters(-t * g)); };
    double t = 1.0 / std::max(g.cwiseAbs().maxCoeff(), 1e-300);
    t *= std::max((room.upper - room.lower).maxCoeff(), 1e-300);
    Parameters p = along(t);
    for (int k = 0; k < 60 && model(B, g, p) > 0.1 * g.dot(p); ++k) p = along(t *= 0.3);
    // Conjugate gradients from there; a parameter that meets the edge stops the pass, and a new one starts without it.
    for (Eigen::Index pass = 0; pass <= g.size(); ++pass) {
        Parameters free(g.size());
        for (Eigen::Index i = 0; i < g.size(); ++i) free[i] = p[i] > room.lower[i] && p[i] < room.upper[i] ? 1.0 : 0.0;
        Parameters r = -free.cwiseProduct(g + B * p), d = r;
        const double goal = 1e-20 * r.squaredNorm();
        bool met_edge = false;
        for (Eigen::Index k = 0; k < 2 * g.size() && r.squaredNorm() > goal && !met_edge; ++k) {
            const Parameters Bd = free.cwiseProduct(B * d);
            const double curvature = d.dot(Bd), rr = r.squaredNorm();
            double longest = Bounds::infinite;
            for (Eigen::Index i = 0; i < g.size(); ++i) {
                if (d[i] > 0.0) longest = std::min(longest, (room.upper[i] - p[i]) / d[i]);
                if (d[i] < 0.0) longest = std::min(longest, (room.lower[i] - p[i]) / d[i]);
            }
            met_edge = !(curvature > 0.0) || rr / curvature >= longest;
            const double step = met_edge ? longest : rr / curvature;
            p = room.project(Parameters(p + step * d));
            if (met_edge)  // rounding must not leave it just inside
                for (Eigen::Index i = 0; i < g.size(); ++i) {
                    const double width = 1e-12 * (room.upper[i] - room.lower[i]);
                    if (d[i] > 0.0 && room.upper[i] - p[i] < width) p[i] = room.upper[i];
                    if (d[i] < 0.0 && p[i] - room.lower[i] < width) p[i] = room.lower[i];
                }
            r -= step * Bd;
            d = r + (r.squaredNorm() / rr) * d;
        }
        if (!met_edge) break;
    }
    return p;
}

template <class = void>
[[nodiscard]] Minimum search(const Function& f, const Parameters& start, const TrustRegionParams& p) {
    constexpr std::string_view here = "opt::trust_region";
    check_start(start, p.bounds, here);
    require_positive(p.first_radius, here, "first_radius");
    require_not_negative(p.gradient_tolerance, here, "gradient_tolerance");
    require_not_negative(p.step_tolerance, here, "step_tolerance");
    require(p.iteration_limit > 0, here, "iteration_limit is 0 or less, must be at least 1");
    require(p.scale.size() == 0 || p.scale.size() == start.size(), here, "scale has ", p.scale.size(),
            " entries, expected none or one for each parameter");
    for (const double s : p.scale) require_positive(s, here, "an entry of scale");

    check_typical(p.typical, start.size(), here);

    const Eigen::Index n = start.size();
    Minimum best;
    best.x = start;
    best.value = value_of(f, start, best);
    if (!is_finite(best.value)) return lost(best);
    Parameters g(n), g_new(n);
    Gradient<> gradient(f, p.bounds, p.typical, best);
    if (!gradient.at(start, best.value, g)) return lost(best);
    Outlook ahead;
    Parameters unit = p.scale.size() > 0 ? p.scale : p.typical.size() > 0 ? p.typical : Parameters(Parameters::Ones(n));
    Matrix<double, Dynamic> B = Matrix<double, Dynamic>::Zero(n, n);  // the first step goes to the edge
    double radius = p.first_radius, looked_at = Bounds::infinite, value_at_start_anew = Bounds::infinite;
    bool moved_once = false, rescaled = p.scale.size() > 0 || p.typical.size() > 0;
    const auto look = [&] {
        const Verdict v = verdict(f, p.bounds, gradient, best, ahead, moved_once);
        if (v != Verdict::goes_on) return v;
        if (ahead.moved.size() > 0) unit = (ahead.moved.array() > 0.0).select(ahead.moved, unit);
        B.setZero(), radius = p.first_radius;
        looked_at = value_at_start_anew = Bounds::infinite;
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
        if (radius < p.step_tolerance) {
            const Verdict v = look();
            if (v == Verdict::goes_on) continue;
            if (v == Verdict::minimum) return finish(best, Status::ok, "the steps vanish");
            if (!rescaled) {  // the parameters may be tiny
                rescaled = true, unit = gradient.lengths(best.x).cwiseMin(unit);
                looked_at = Bounds::infinite, value_at_start_anew = Bounds::infinite;
            }
            if (!(best.value < value_at_start_anew))  // a fresh model has not helped
                return finish(best, Status::not_converged,
                              moved_once ? unfinished("the steps vanish", ahead) : no_step);
            B.setZero(), radius = p.first_radius, value_at_start_anew = best.value;
        }
        Bounds room{-radius * unit, radius * unit};
        for (Eigen::Index i = 0; i < n; ++i) {
            room.lower[i] = std::max(room.lower[i], p.bounds.low(i) - best.x[i]);
            room.upper[i] = std::min(room.upper[i], p.bounds.high(i) - best.x[i]);
        }
        const Parameters slopes = g.cwiseProduct(unit);
        const double unit_of_g =
            std::ldexp(1.0, std::ilogb(slopes.cwiseAbs().maxCoeff()));  // squares of g could overflow
        const Bounds scaled_room{room.lower.cwiseQuotient(unit), room.upper.cwiseQuotient(unit)};
        const Matrix<double, Dynamic> scaled = unit.asDiagonal() * B * unit.asDiagonal();
        const Parameters step = unit.cwiseProduct(model_step(scaled / unit_of_g, slopes / unit_of_g, scaled_room));
        const Parameters x = p.bounds.project(Parameters(best.x + step));
        const Parameters moved = x - best.x;
        const double predicted = -model(B, g, moved);
        ++best.iterations;
        const double value = value_of(f, x, best);
        const double ratio = is_finite(value) && predicted > 0.0 ? (best.value - value) / predicted : -Bounds::infinite;
        // A point where the model is grossly wrong carries no information about the curvature here, and its update
        // would destroy the model. Rejected points nearby update it just like accepted ones.
        const bool near = ratio > -10.0 && gradient.at(x, value, g_new);
        if (near) {
            const Parameters miss = g_new - g - B * moved;
            const double weight = miss.dot(moved);
            if (std::abs(weight) > 1e-8 * miss.norm() * moved.norm()) B += miss * miss.transpose() / weight;
        }
        const double length = moved.cwiseQuotient(unit).cwiseAbs().maxCoeff();
        if (!moved_once && !(length > 0.0))
            radius *= 16.0;  // the first one may be negligible beside a large x
        else if (!near || !(ratio > 0.1))
            radius = (near ? 0.5 : 0.25) * std::min(radius, length > 0.0 ? length : radius);
        else if (ratio > 0.75 && length > 0.8 * radius)
            radius *= 2.0;
        if (near && ratio > 1e-4 && value < best.value)
            best.x = x, best.value = value, g.swap(g_new), moved_once = true;
        if (!go_on(p.observer, best, p.iteration_limit))
            return finish(best, Status::stopped_by_user, "stopped by the observer");
    }
    return finish(best, Status::not_converged, "the iteration limit is reached");
}

#ifdef PANTO_COMPILED
extern template Minimum search(const Function&, const Parameters&, const TrustRegionParams&);
#endif

}  // namespace detail

/// @throws SetupError if the parameters are invalid or the start lies outside the bounds.
template <Objective F>
[[nodiscard]] Minimum trust_region(const F& f, const Parameters& start, const TrustRegionParams& p = {}) {
    return detail::search(detail::Function(f), start, p);
}

/// The same as an Optimizer.
struct TrustRegion {
    TrustRegionParams params{};

    template <Objective F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return trust_region(f, start, params);
    }
};

}  // namespace panto::opt
