// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parameters that have hardly any effect at the point where a search stops. Some are legitimate: those that change
/// nothing anywhere, and those on the flat side of a one-sided penalty. Others have run away along a value that levels
/// off, such as exp(-x) or a logistic curve moved off its data, and some stand on a plateau with a way down at its
/// edge.

#pragma once

#include <panto/opt/detail/outlook.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace panto::opt::detail {

/// Looks for a fall between x, where the values along a parameter do not change, and the point at which they have
/// risen: the value may fall beyond the edge of the plateau before it rises, as that of a peak which begins beside the
/// data. 15 points between are tried, then the edge is searched. True if best.x was moved.
template <class = void>
bool falls_at_edge(const Function& f, const Bounds& box, const Axis& a, double sign, const Side& side, Minimum& best,
                   Minimum& count) {
    const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(best.value);
    const double enough = std::max({10.0 * a.noise, 10.0 * rounding, negligible * std::abs(best.value)});
    Parameters x = best.x;
    const auto at = [&](double t) {
        x[a.k] = box.project(a.k, best.x[a.k] + sign * t * a.length);
        return value_of(f, x, count);
    };
    constexpr int parts = 16;
    Parameters lowest = best.x;
    double least = best.value - enough;
    for (int k = 1; k < parts; ++k)
        if (const double value = at(std::lerp(side.same, side.rose, 1.0 * k / parts)); value < least)
            lowest = x, least = value;
    double near = side.same, far = side.rose;
    for (int k = 0; k < 40 && lowest == best.x && far - near > 1e-10 * far; ++k) {
        const double t = 0.5 * (near + far), value = at(t);
        if (value < least) lowest = x, least = value;
        (value > best.value + rounding ? far : near) = t;
    }
    if (lowest == best.x) return false;
    return best.x = lowest, best.value = least, true;
}

/// Whether the value at x levels off along a parameter on its way from `start`, without an end: how far it has to go
/// from there for the excess over best.value to fall by a factor, and then by the same factor again. If the second way
/// is at least half of the first, there is no end. A one-sided penalty, (x - a)^p for x > a and 0 elsewhere, ends at a
/// for p up to 6. True if best.x was moved to a lower value met on this way.
template <class = void>
bool levels_off(const Function& f, const Axis& a, double start, bool& endless, Minimum& best, Minimum& count) {
    Parameters x = best.x;
    const double way = best.x[a.k] - start, floor = best.value;
    const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * std::abs(floor);
    const double enough = std::max({10.0 * a.noise, rounding, negligible * std::abs(floor)});
    const auto excess = [&](double share) {
        x[a.k] = start + share * way;
        const double value = value_of(f, x, count);
        if (value < floor - enough && value < best.value) best.x = x, best.value = value;
        return value - floor;
    };
    endless = false;
    double whole = excess(0.0), share = 1.0;
    if (!is_finite(whole)) whole = excess(1e-3);
    const double least = std::max({enough, 1e-12 * whole, 1e-290}), factor = std::cbrt(whole / least);
    if (best.value < floor) return true;
    if (!is_finite(whole) || !(factor > 10.0)) return false;
    double at[3] = {};
    for (int k = 2; k >= 0; --k) {  // from the smallest excess, which is farthest from the start
        const double level = whole / std::pow(factor, k + 1);
        double far = share, near = share;
        for (int j = 0; j < 330 && excess(near) < level; ++j) far = near, near *= 0.1;
        for (int j = 0; j < 24 && best.value >= floor; ++j) {
            const double middle = std::sqrt(near * far);
            (excess(middle) < level ? far : near) = middle;
        }
        if (best.value < floor) return true;
        at[k] = share = far;
    }
    const double first = at[1] - at[0], second = at[2] - at[1];
    endless = !(first > 1e-6 * at[1] && second < 0.5 * first);
    return false;
}

/// The doubt in a point where several parameters have no effect although one of them has elsewhere, as height, place
/// and width of a peak beside the data. Empty if the value is 0, which is a minimum of any sum of squares.
inline std::string without_effect(const std::vector<Axis>& axes, const Parameters& start, const Minimum& best) {
    std::string names;
    int count = 0;
    bool elsewhere = false;
    for (const Axis& a : axes) {
        const double size = std::max(std::abs(best.x[a.k]), start.size() > 0 ? std::abs(start[a.k]) : 0.0);
        if (!(std::min(a.side[0].same, a.side[1].same) * a.length > 0.01 * size)) continue;
        names += (count++ > 0 ? ", " : "") + std::to_string(a.k);
        elsewhere = elsewhere || a.side[0].rose > 0.0 || a.side[1].rose > 0.0;
    }
    if (count < 2 || !elsewhere || best.value == 0.0) return {};
    return "parameters " + names + " have no effect there, but have elsewhere: the model may have left its data";
}

/// Examines the parameters of ahead.axes. True if best.x was moved to a lower value. Otherwise ahead.doubt says whether
/// one of them has run away. `start` is where the search began; empty if the box ends every way.
template <class = void>
bool lost_effect(const Function& f, const Bounds& box, const Parameters& start, Outlook& ahead, Minimum& best) {
    Minimum count;
    bool moved = false;
    const Parameters before = best.x;
    for (const Axis& a : ahead.axes) {
        const double size = std::abs(best.x[a.k]);
        for (int s = 0; s < 2 && !moved; ++s)
            if (a.side[s].same > 0.0 && a.side[s].rose > a.side[s].same)
                moved = falls_at_edge(f, box, a, s == 0 ? 1.0 : -1.0, a.side[s], best, count);
        if (moved || start.size() == 0) continue;
        const double way = best.x[a.k] - start[a.k];
        bool endless = false;
        if (a.side[way > 0.0 ? 0 : 1].open && std::abs(way) > 1e-3 * size)
            moved = levels_off(f, a, start[a.k], endless, best, count);
        if (endless)
            ahead.doubt = "parameter " + std::to_string(a.k) + ", " + shown(best.x[a.k]) +
                          ", has hardly any effect there, and less the farther it goes from its start: the value may "
                          "fall for ever, or be lower elsewhere";
    }
    if (!moved && ahead.doubt.empty()) ahead.doubt = without_effect(ahead.axes, start, best);
    best.checks += count.evaluations;
    ahead.moved = (best.x - before).cwiseAbs();
    return moved;
}

/// The doubt in a point to which a search has come from a start of ordinary size.
inline std::string without_end(const Parameters& start, const Minimum& best) {
    for (Eigen::Index i = 0; i < start.size(); ++i)
        if (std::abs(best.x[i]) > 1e100 && std::abs(start[i]) < 1e-50 * std::abs(best.x[i]))
            return "the value falls without end as parameter " + std::to_string(i) + " grows, up to " +
                   shown(best.x[i]) + ": is a bound or a term missing?";
    if (best.value < -1e300) return "the value falls without end: is a bound or a term missing?";
    return {};
}

/// The doubt in a point where J determines some of the free parameters only together, and one of these has grown
/// without bound: a value may fall for ever along a curved valley, as where a logistic curve becomes an exponential
/// one.
template <class = void>
std::string grown_together(const Matrix<double, Dynamic>& J, const std::vector<Eigen::Index>& free,
                           const Parameters& start, const Parameters& x) {
    const auto grown = [&](Eigen::Index k) { return std::abs(x[k]) > 1e8 * std::max(1.0, std::abs(start[k])); };
    if (std::none_of(free.begin(), free.end(), grown)) return {};
    const auto n = static_cast<Eigen::Index>(free.size());
    Matrix<double, Dynamic> A(J.rows(), n);
    for (Eigen::Index i = 0; i < n; ++i) A.col(i) = J.col(free[static_cast<std::size_t>(i)]).stableNormalized();
    const Eigen::SelfAdjointEigenSolver<Matrix<double, Dynamic>> eigen(A.transpose() * A);
    if (n == 0 || eigen.eigenvalues()[0] > 1e-13) return {};
    for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::Index k = free[static_cast<std::size_t>(i)];
        if (grown(k) && std::abs(eigen.eigenvectors()(i, 0)) > 0.1)
            return "parameter " + std::to_string(k) + " has grown to " + shown(x[k]) +
                   " and is determined only together with others: the value may fall for ever";
    }
    return {};
}

}  // namespace panto::opt::detail
