// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The decrease still possible at a point: how far a quadratic model of the objective, from differences at the point
/// itself, can fall inside the box, and whether the values themselves fall where the model sees nothing above rounding.
/// Searches use it when they stop to decide whether they are at a minimum.

#pragma once

#include <panto/opt/detail/gradient.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace panto::opt::detail {

/// What the values do along one parameter that no curvature holds, on one side: x_k + t length, up to large t.
struct Side {
    bool open = false;  ///< they do not rise, up to the largest t or the edge of the numbers
    double same = 0.0;  ///< the last t up to which they are those at x
    double rose = 0.0;  ///< the first t at which they are higher, or there are none; 0: none
};

/// Both sides of parameter k: above, below.
struct Axis {
    Eigen::Index k = 0;
    double length = 0.0, noise = 0.0;  ///< noise: of the value near x
    Side side[2] = {};
};

struct Outlook {
    bool known = false;              ///< false if a point nearby has no value, or there are too many parameters
    double gain = Bounds::infinite;  ///< by how much the model can still fall
    Parameters step = {};            ///< how far each parameter moves for that
    Parameters escape = {};          ///< direction of most negative curvature, as long as `lengths` allow; empty: none
    std::vector<Parameters> level = {};   ///< directions of several parameters without curvature, as long
    std::vector<Axis> axes = {};          ///< the parameters that escaped() followed without a fall
    Parameters slope = {};                ///< the model's gradient
    std::vector<Eigen::Index> free = {};  ///< parameters that no bound holds
    Parameters bend = {};                 ///< curvature along each of them; 0: none above rounding
    bool blind = false;                   ///< for some parameter the steps show no curvature above rounding
    Parameters moved = {};                ///< how far escaped() moved each parameter
    std::string doubt = {};               ///< why the point is not to be trusted; empty: no reason
};

/// The model's gradient and Hessian at x, by differences with the given steps, inside the box.
template <class = void>
class Neighbourhood {
  public:
    Neighbourhood(const Function& f, const Parameters& x, double value, const Bounds& box, const Parameters& steps,
                  Minimum& count)
        : f_(f), x_(x), value_(value), h_(steps), count_(count), box_(box), a_(x.size()), b_(x.size()) {
        for (Eigen::Index i = 0; i < x.size(); ++i) {  // in steps: points on both sides, or inside from a bound
            a_[i] = x[i] + h_[i] <= box.high(i) ? 1.0 : 0.0;
            b_[i] = x[i] - h_[i] >= box.low(i) ? -1.0 : 0.0;
            if (a_[i] <= 0.0 && b_[i] < 0.0) b_[i] = -2.0;
            if (b_[i] >= 0.0 && a_[i] > 0.0) a_[i] = 2.0;
        }
    }

    Parameters gradient;
    Matrix<double, Dynamic> hessian;
    double noise = 0.0;  ///< of the value

    bool look() {
        const Eigen::Index n = x_.size();
        gradient.resize(n), hessian = Matrix<double, Dynamic>::Zero(n, n);
        noise = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(value_);
        if (f_.differentiable()) {
            Parameters above, below;
            if (!slopes(x_, gradient)) return false;
            for (Eigen::Index i = 0; i < n; ++i) {
                if (!movable(i)) continue;
                if (!slopes(moved(i, a_[i]), above) || !slopes(moved(i, b_[i]), below)) return false;
                hessian.col(i) = (above - below) / ((a_[i] - b_[i]) * h_[i]);
            }
            hessian = (0.5 * (hessian + hessian.transpose())).eval();
        } else {
            for (Eigen::Index i = 0; i < n; ++i) {
                gradient[i] = 0.0;
                if (!movable(i)) continue;
                const double s = a_[i] + b_[i] > 0.0 ? 1.0 : -1.0;  // the inner side of a bound
                const bool both = a_[i] > 0.0 && b_[i] < 0.0;
                const double near = at(moved(i, both ? 1.0 : s)), far = at(moved(i, both ? -1.0 : 2.0 * s));
                if (!is_finite(near) || !is_finite(far)) return false;
                gradient[i] =
                    both ? (near - far) / (2.0 * h_[i]) : s * (4.0 * near - far - 3.0 * value_) / (2.0 * h_[i]);
                hessian(i, i) = (both ? near - 2.0 * value_ + far : value_ - 2.0 * near + far) / (h_[i] * h_[i]);
                for (Eigen::Index j = 0; j < i; ++j) {
                    if (!movable(j)) continue;
                    hessian(i, j) = mixed(i, j);
                    if (!is_finite(hessian(i, j))) return false;
                    hessian(j, i) = hessian(i, j);
                }
            }
        }
        return all_of(gradient, hessian);
    }

  private:
    [[nodiscard]] bool movable(Eigen::Index i) const { return a_[i] > b_[i] && h_[i] > 0.0; }
    static bool all_of(const Parameters& g, const Matrix<double, Dynamic>& H) {
        for (Eigen::Index i = 0; i < g.size(); ++i) {
            if (!is_finite(g[i])) return false;
            for (Eigen::Index j = 0; j < g.size(); ++j)
                if (!is_finite(H(i, j))) return false;
        }
        return true;
    }
    [[nodiscard]] Parameters moved(Eigen::Index i, double by, Eigen::Index j = -1, double by_j = 0.0) const {
        Parameters x = x_;
        x[i] = box_.project(i, x[i] + by * h_[i]);
        if (j >= 0) x[j] = box_.project(j, x[j] + by_j * h_[j]);
        return x;
    }
    double at(const Parameters& x) { return value_of(f_, x, count_); }

    /// The mixed derivative from the curvatures along both diagonals. They agree where f is smooth. A ridge along one
    /// diagonal shows only in the curvature along that one.
    double mixed(Eigen::Index i, Eigen::Index j) {
        const double aa = at(moved(i, a_[i], j, a_[j])), ab = at(moved(i, a_[i], j, b_[j]));
        const double ba = at(moved(i, b_[i], j, a_[j])), bb = at(moved(i, b_[i], j, b_[j]));
        const double both = (a_[i] - b_[i]) * h_[i] * ((a_[j] - b_[j]) * h_[j]);
        if (a_[i] > 1.0 || a_[j] > 1.0 || b_[i] < -1.0 || b_[j] < -1.0 || a_[i] * a_[j] * b_[i] * b_[j] <= 0.0)
            return (aa - ab - ba + bb) / both;
        const double bends = h_[i] * h_[i] * hessian(i, i) + h_[j] * h_[j] * hessian(j, j) + 2.0 * value_;
        const double along = aa + bb - bends, across = bends - ab - ba;
        return (std::abs(along) > std::abs(across) ? along : across) / (2.0 * h_[i] * h_[j]);
    }
    bool slopes(const Parameters& x, Parameters& g) {
        ++count_.derivatives;
        try {
            return is_finite(f_(x, g)) && g.size() == x.size();
        } catch (const std::exception&) {
            return false;
        }
    }

    const Function& f_;
    const Parameters& x_;
    double value_;
    const Parameters& h_;
    Minimum& count_;
    const Bounds& box_;
    Parameters a_, b_;
};

/// `wanted`: steps of the differences, small compared with the lengths over which the objective changes. `lengths`: how
/// far a parameter may move if no curvature limits it. All evaluations are added to best.checks.
template <class = void>
Outlook outlook(const Function& f, const Bounds& box, const Parameters& wanted, const Parameters& lengths,
                Minimum& best) {
    const Parameters steps = wanted.cwiseMax(32.0 * finest_step(1.0) * best.x.cwiseAbs());
    const Eigen::Index most = f.differentiable() ? 200 : 60;
    Outlook out;
    const Eigen::Index n = best.x.size();
    if (n > most) return out;
    Minimum count;
    Neighbourhood<> near(f, best.x, best.value, box, steps, count);
    out.known = near.look();
    best.checks += count.evaluations + count.derivatives;
    if (!out.known) return out;

    out.slope = near.gradient;
    out.gain = 0.0, out.step = out.bend = Parameters::Zero(n);
    std::vector<Eigen::Index>& free = out.free;
    const auto room = [&](Eigen::Index i) {  // up to the bound in the way down
        return near.gradient[i] > 0.0 ? best.x[i] - box.low(i) : box.high(i) - best.x[i];
    };
    for (Eigen::Index i = 0; i < n; ++i) {
        const double g = std::abs(near.gradient[i]), blur = f.differentiable() ? 0.0 : near.noise / steps[i];
        if (g > blur && room(i) <= steps[i])  // on the bound, or too near it for the model to tell
            out.gain += g * room(i), out.step[i] = room(i);
        else
            free.push_back(i);
    }
    const auto m = static_cast<Eigen::Index>(free.size());
    if (m == 0) return out;
    // In units u in which every curvature is 1, so that small eigenvalues come from valleys, not from the units.
    Parameters u(m), g(m);
    Matrix<double, Dynamic> H(m, m);
    std::vector<bool> seen;  // whether the curvature of a parameter is above rounding
    double unsure = 1e-7;
    for (Eigen::Index i = 0; i < m; ++i) {
        const Eigen::Index k = free[static_cast<std::size_t>(i)];
        const double bend = std::abs(near.hessian(k, k)), error = near.noise / (steps[k] * steps[k]);
        seen.push_back(bend > 10.0 * error);
        if (seen.back()) out.bend[k] = near.hessian(k, k);
        u[i] = seen.back() ? 1.0 / std::sqrt(bend) : lengths[k];
        out.blind = out.blind || !seen.back();
        g[i] = near.gradient[k];
        if (!f.differentiable()) {
            unsure = std::max(unsure, error * u[i] * u[i]);
            g[i] = std::copysign(std::max(0.0, std::abs(g[i]) - near.noise / steps[k]), g[i]);
        }
        g[i] *= u[i];
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
        for (std::size_t j = 0; j < seen.size(); ++j) {
            const auto a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
            const double bend = near.hessian(free[i], free[j]), error = near.noise / (steps[free[i]] * steps[free[j]]);
            // curvature that is only rounding must not limit other parameters
            const bool lost = !(seen[i] && seen[j]) && std::abs(bend) <= 10.0 * error;
            H(a, b) = lost ? 0.0 : bend * u[a] * u[b];
        }
    const Eigen::SelfAdjointEigenSolver<Matrix<double, Dynamic>> eigen(H);
    const double flat = unsure * eigen.eigenvalues().cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < m; ++k) {
        const Parameters v = eigen.eigenvectors().col(k);
        const double slope = std::abs(v.dot(g)), curvature = std::abs(eigen.eigenvalues()[k]);
        double reach = Bounds::infinite, inside = Bounds::infinite;
        for (Eigen::Index i = 0; i < m; ++i) {
            const Eigen::Index j = free[static_cast<std::size_t>(i)];
            if (std::abs(v[i]) > 0.0) reach = std::min(reach, lengths[j] / (std::abs(v[i]) * u[i]));
            if (std::abs(v[i]) > 0.999999) inside = room(j) / u[i];  // the direction of one parameter
        }
        inside = std::min(inside, reach);
        const double way = curvature > flat ? std::min(inside, slope / curvature) : slope > 0.0 ? inside : 0.0;
        out.gain += curvature > flat ? 0.5 * slope * way : slope * way;
        for (Eigen::Index i = 0; i < m; ++i) out.step[free[static_cast<std::size_t>(i)]] += std::abs(v[i]) * u[i] * way;
        const bool down = k == 0 && eigen.eigenvalues()[0] < -flat;
        if (!is_finite(reach) || !(down || (curvature <= flat && v.cwiseAbs().maxCoeff() < 0.999))) continue;
        Parameters direction = Parameters::Zero(n);
        for (Eigen::Index i = 0; i < m; ++i) direction[free[static_cast<std::size_t>(i)]] = v[i] * u[i] * reach;
        if (down)
            out.escape = direction;
        else
            out.level.push_back(direction);
    }
    return out;
}

/// A gain below this fraction of the value counts as none.
inline constexpr double negligible = 1e-10;

/// Whether the model has its lowest point at x: that point is hardly lower, or nearer than `near`. The second test is
/// for objectives whose minimum is 0, where no gain is small compared with the value.
inline bool settled(const Outlook& ahead, double value, const Parameters& near) {
    if (!ahead.known) return false;
    if (ahead.gain <= negligible * std::abs(value)) return true;
    for (Eigen::Index i = 0; i < near.size(); ++i)
        if (!(ahead.step[i] <= near[i])) return false;
    return true;
}

/// Whether the values around a point, from which `seen` was made without derivatives, can fall by a hundredth although
/// `slope`, the gradient given there, does not say so.
inline bool contradicted(const Outlook& seen, const Parameters& slope, double value, const Parameters& lengths) {
    if (!seen.known || settled(seen, value, Parameters(1e-5 * lengths)) || !(seen.gain > 0.01 * std::abs(value)))
        return false;
    double apart = 0.0, size = 0.0;
    for (const Eigen::Index k : seen.free) {
        apart += std::pow((seen.slope[k] - slope[k]) * lengths[k], 2);
        size += std::pow(seen.slope[k] * lengths[k], 2);
    }
    return apart > 0.25 * size;
}

/// The doubt in derivatives that are contradicted.
inline constexpr const char* wrong_derivatives =
    "the values fall in a direction in which the derivatives say they do "
    "not: the derivatives may be wrong";

/// Whether best.x is a minimum according to the model there, which `ahead` becomes. `near` is the fraction of a
/// parameter's size that a gradient, or differences of values, cannot resolve.
template <class = void>
bool is_minimum(const Function& f, const Bounds& box, const Gradient<>& gradient, Minimum& best, Outlook& ahead) {
    const Parameters lengths = gradient.lengths(best.x);
    ahead = outlook(f, box, Parameters(1e-4 * lengths), lengths, best);
    if (ahead.blind && !f.differentiable())  // values rounded to float may show a saddle with longer steps
        ahead.escape = outlook(f, box, Parameters(1e-2 * lengths), lengths, best).escape;
    const Parameters near = (f.differentiable() ? 1e-8 : 1e-5) * lengths;
    return settled(ahead, best.value, near.cwiseMax(finest_step(1.0) * best.x.cwiseAbs()));
}

/// What the values do on the way x + t way, to both sides, from small t to large ones.
struct Fall {
    double value = 0.0;  ///< the lowest before they rise
    double where = 0.0;  ///< its t
    bool flat = false;   ///< to one side they differ from that at x by no more than rounding, over a whole length or a
                         ///< third of the box
    double noise = 0.0;  ///< of the value near x
    Side side[2] = {};
};

/// Follows a way to both sides for t = 1e-4, ratio 1e-4, ... up to `longest`, as long as the values do not rise. A fall
/// counts if it is more than `least`, a fraction of the value, and than ten times the noise at t up to 1e-5. If there
/// is no change so near, the first one farther out counts as noise up to a ten millionth: the model may round to float.
template <class = void>
Fall fall_along(const Function& f, const Bounds& box, const Parameters& way, double ratio, double longest, double least,
                const Minimum& best, Minimum& count) {
    const auto at = [&](double t) { return box.project(Parameters(best.x + t * way)); };
    const double rounding = std::numeric_limits<double>::epsilon() * std::abs(best.value);
    double noise = rounding;
    for (const double t : {1e-6, -1e-6, 1e-5, -1e-5}) {
        const double value = value_of(f, at(t), count);
        if (is_finite(value)) noise = std::max(noise, std::abs(value - best.value));
    }
    Fall fall{best.value, 0.0, false, noise};
    const double rise = std::max(10.0 * noise, negligible * std::abs(best.value));
    const double enough = std::max(rise, least * std::abs(best.value));
    const auto wide = [&](const Parameters& x) {  // whether it is a third of the box away
        for (Eigen::Index i = 0; i < x.size(); ++i)
            if (std::abs(x[i] - best.x[i]) > 0.3 * (box.high(i) - box.low(i))) return true;
        return false;
    };
    for (const double side : {1.0, -1.0}) {
        double last = best.value, bar = noise > rounding ? enough : -1.0;
        bool same = noise <= 4.0 * rounding, whole = false;
        Parameters before = best.x;
        Side& seen = fall.side[side > 0.0 ? 0 : 1];
        seen.open = true;
        for (double t = 1e-4; t < longest; t *= ratio) {
            const Parameters x = at(side * t);
            if (x == before || !is_finite(x.squaredNorm())) {  // the edge of the box, or of the numbers
                whole = whole || wide(before), seen.open = x != before;
                break;
            }
            const double value = value_of(f, x, count), change = std::abs(value - best.value);
            same = same && change <= 4.0 * rounding, whole = whole || t > 0.9;
            if (same) seen.same = t;
            if (value > last + rise) {
                seen.open = false, seen.rose = t;
                break;
            }
            if (bar < 0.0 && change > 0.0) bar = std::max(enough, 10.0 * std::min(change, 1e-7 * std::abs(best.value)));
            if (bar >= 0.0 && best.value - value > bar && value < fall.value) fall.value = value, fall.where = side * t;
            last = value, before = x;
        }
        fall.flat = fall.flat || (same && whole);
    }
    return fall;
}

/// Whether the values along parameter k rise to both sides as its curvature says, where that is a thousand times the
/// gain that counts as none.
template <class = void>
bool rises(const Function& f, const Bounds& box, Eigen::Index k, double bend, const Minimum& best, Minimum& count) {
    const double rise = 1e3 * negligible * std::abs(best.value);
    if (!(bend > 0.0) || !(rise > 0.0)) return false;
    for (const double side : {1.0, -1.0}) {
        Parameters x = best.x;
        const double t = std::sqrt(2.0 * rise / bend);
        x[k] = box.project(k, x[k] + side * t);
        const double share = std::abs(x[k] - best.x[k]) / t;
        if (share > 0.0 && !(value_of(f, x, count) - best.value > 0.5 * rise * share * share)) return false;
    }
    return true;
}

/// Leaves a point from which there is a way down: a saddle along ahead.escape, or a point where the slope of a
/// parameter is lost in rounding because it acts on a far larger length than `lengths`. Each free parameter whose
/// curvature the values do not confirm is followed over up to 1e16 of these lengths. False if nothing falls by more
/// than the fraction `least`, or than the noise near best.x.
template <class = void>
bool escaped(const Function& f, const Bounds& box, const Parameters& lengths, double least, Outlook& ahead,
             Minimum& best) {
    Minimum count;
    ahead.moved = Parameters::Zero(best.x.size());
    ahead.axes.clear();
    Eigen::Index axis = best.x.size();  // the one followed
    const auto follow = [&](const Parameters& way, double ratio, double longest) {
        const Fall fall = fall_along(f, box, way, ratio, longest, least, best, count);
        if (!(fall.value < best.value)) {
            if (axis < best.x.size()) ahead.axes.push_back({axis, way[axis], fall.noise, {fall.side[0], fall.side[1]}});
            return fall.flat;
        }
        const Parameters x = box.project(Parameters(best.x + fall.where * way));
        ahead.moved += (x - best.x).cwiseAbs();
        best.x = x, best.value = fall.value;
        return false;
    };
    bool flat = !ahead.free.empty() && ahead.escape.size() == 0;
    if (ahead.escape.size() > 0) (void)follow(ahead.escape, 3.0, 1.1);
    if (!(ahead.moved.maxCoeff() > 0.0))
        for (const Eigen::Index k : ahead.free) {
            if (rises(f, box, k, ahead.bend[k], best, count)) {
                flat = false;
                continue;
            }
            const Parameters way = lengths[k] * Parameters::Unit(best.x.size(), k);
            axis = k;
            flat = follow(way, 10.0, 1.1e16 * std::max(1.0, 1.0 / lengths[k])) && flat;
        }
    axis = best.x.size();
    if (!(ahead.moved.maxCoeff() > 0.0))
        for (const Parameters& way : ahead.level)
            if (!(ahead.moved.maxCoeff() > 0.0)) (void)follow(way, 10.0, 1.1e16);
    best.checks += count.evaluations;
    if (flat) ahead.doubt = "no parameter changes the value there";
    return ahead.moved.maxCoeff() > 0.0;
}

}  // namespace panto::opt::detail
