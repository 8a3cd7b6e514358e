// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Residuals and Jacobian of any kind of model, with failures turned into `false`, and Jacobians by differences
/// whose steps are checked against the change they make.

#pragma once

#include <panto/opt/detail/credible_step.hpp>
#include <panto/opt/detail/function.hpp>
#include <panto/opt/detail/norm.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string>

namespace panto::opt {

/// How a Jacobian is made for residuals that have none of their own.
enum class Differences { forward, central };

namespace detail {

template <class M>
[[nodiscard]] bool all_finite(const M& m) {
    for (Eigen::Index k = 0; k < m.cols(); ++k)
        for (Eigen::Index i = 0; i < m.rows(); ++i)
            if (!is_finite(m(i, k))) return false;
    return true;
}

struct LinearizationParams {
    Bounds bounds{};
    Differences differences = Differences::forward;
    double step = 0.0;     ///< relative step of the differences; 0: chosen and checked
    Parameters typical{};  ///< typical sizes of the parameters; empty: their values, checked
};

template <class = void>
class Linearization {
  public:
    Linearization(const Residuals& f, const LinearizationParams& p, Minimum& count)
        : f_(f), p_(p), count_(count), central_(p.differences == Differences::central) {}

    /// r at x, and J where the model gives both at once.
    bool residuals(const Parameters& x, Parameters& r, Matrix<double, Dynamic>& J) {
        ++count_.evaluations;
        bool good = guarded([&] {
            if (!f_.joint()) return f_.residuals(x, r);
            ++count_.derivatives;
            return f_.linearize(x, r, J);
        });
        if (good && !is_finite(r.squaredNorm()))
            good = false, why_ = all_finite(r)
                                     ? "the sum of the squares of the residuals overflows: scale the residuals"
                                     : "a residual is not a finite number";
        if (good && (r.size() == 0 || (rows_ > 0 && r.size() != rows_)))
            good = false, why_ = "the model returned " + std::to_string(r.size()) + " residuals, expected " +
                                 (rows_ > 0 ? std::to_string(rows_) + " as at the start" : "at least 1");
        if (f_.joint()) good = good && fits(x, r, J);
        if (good) rows_ = r.size();
        count_.failures += !good;
        return good;
    }

    /// J at x, where the residuals are r. Does nothing if the model gave both at once.
    bool jacobian(const Parameters& x, const Parameters& r, Matrix<double, Dynamic>& J) {
        if (f_.joint()) return true;
        ++count_.derivatives;
        if (f_.exact()) return guarded([&] { return f_.jacobian(x, J); }) && fits(x, r, J);
        J.resize(r.size(), x.size());
        const bool first = typical_.size() == 0;
        if (first) {
            typical_ = found_ = Parameters::Zero(x.size());
            limit_ = p_.typical.size() > 0 ? p_.typical : Parameters(Parameters::Constant(x.size(), Bounds::infinite));
        }
        const double size = norm_of(r);
        double largest = 0.0;
        for (Eigen::Index k = 0; k < x.size(); ++k) {
            const double now = std::max({size, scale_, largest});
            double change = 0.0;
            if (!column(x, r, k, now, J, change)) return false;
            if (first && p_.step <= 0.0 && change > 1e3 * relative() * now && shorten(x, r, k, now) &&
                !column(x, r, k, now, J, change))
                return false;
            largest = std::max(largest, norm_of(J.col(k)) * std::min(std::abs(x[k]), limit_[k]));
        }
        scale_ = largest;
        return true;
    }

    /// To be called before a search ends. Makes steps shorter that were too long for the model; false if none was.
    bool shorten(const Parameters& x, const Parameters& r) {
        doubt_.clear();
        if (f_.exact()) return false;
        const Minimum before = count_;
        bool any = false;
        for (Eigen::Index k = 0; k < x.size(); ++k) any = shorten(x, r, k, std::max(norm_of(r), scale_)) || any;
        count_.checks += count_.evaluations - before.evaluations;
        count_.evaluations = before.evaluations, count_.failures = before.failures;
        return any;
    }

    /// The sizes of the parameters: those given or else their values, lowered where steps had to be made shorter.
    [[nodiscard]] Parameters lengths(const Parameters& x) const {
        if (p_.typical.size() > 0) return limit_.size() > 0 ? limit_ : p_.typical;
        return limit_.size() > 0 ? Parameters(x.cwiseAbs().cwiseMin(limit_)) : Parameters(x.cwiseAbs());
    }

    /// Why J cannot be trusted at the point where shorten() was called last; empty: no reason.
    [[nodiscard]] const std::string& doubt() const { return doubt_; }

    /// The shortest step of parameter k at x.
    [[nodiscard]] double shortest(const Parameters& x, Eigen::Index k) const {
        return found_.size() > 0 ? shortest_at(x, k) : shortest_step(x[k]);
    }

    /// The step of the differences of parameter k, as of the last Jacobian; 0 if there are none.
    [[nodiscard]] double step(Eigen::Index k) const { return typical_.size() > 0 ? relative() * typical_[k] : 0.0; }

    /// Switches to central differences. False if that changes nothing.
    bool sharpen() {
        if (f_.exact() || central_) return false;
        return central_ = true;
    }

    /// Relative error of J's columns.
    [[nodiscard]] double error() const {
        if (f_.exact()) return rounding;
        return central_ ? 1e-10 : 1e-7;
    }

    [[nodiscard]] const std::string& why() const { return why_; }

  private:
    template <class Call>
    bool guarded(Call&& call) {
        try {
            const Status s = call();
            if (!usable(s)) why_ = "the model returned the status '" + std::string(name(s)) + "'";
            return usable(s);
        } catch (const std::exception& e) {
            why_ = std::string("the model threw: ") + e.what();
            return false;
        }
    }

    bool fits(const Parameters& x, const Parameters& r, const Matrix<double, Dynamic>& J) {
        if (J.rows() != r.size() || J.cols() != x.size()) {
            why_ = "the Jacobian is " + std::to_string(J.rows()) + " by " + std::to_string(J.cols()) +
                   ", expected residuals by parameters, " + std::to_string(r.size()) + " by " +
                   std::to_string(x.size());
            return false;
        }
        if (all_finite(J)) return true;
        why_ = "the Jacobian is not finite";
        return false;
    }

    /// A step must change the residuals by much more than rounding and by much less than `size`, the norm of the
    /// model's values; rounding is measured relative to `size` too. A step that changes them too little or too
    /// much, for instance because the parameter is 0 or almost 0, is made longer or shorter. What is found is kept, as
    /// the typical size of the parameter, for the next Jacobian.
    bool column(const Parameters& x, const Parameters& r, Eigen::Index k, double size, Matrix<double, Dynamic>& J,
                double& change) {
        const double relative = this->relative(), own = own_size(x, k);
        const double shortest = p_.step > 0.0 ? 0.0 : shortest_at(x, k);
        const double scale = scale_of(x, k);
        const double longest = 0.01 * std::min(limit_[k], std::max(scale, 1.0)), wanted = relative * size;
        double h = std::max(relative * scale, shortest), trusted = 0.0, cut = 1e-4;
        bool longer = false, shorter = false, lost = false;
        Parameters before;
        for (int attempt = 0; attempt < 60; ++attempt) {
            if (!is_finite(x[k] + h))
                return why_ = "parameter " + std::to_string(k) + " is " + shown(x[k]) + ", too large to move", false;
            if (!difference(x, r, k, h, change, J)) {
                if (trusted > 0.0) break;
                if (!(p_.bounds.low(k) < p_.bounds.high(k))) return J.col(k).setZero(), true;
                if (p_.step > 0.0 || !(h > std::max(shortest, 1e-300))) return false;
                h = std::max(shortest, cut * h), shorter = true;
                if (own > 0.0) limit_[k] = h / relative;
                cut = std::max(cut * cut, 1e-64);
                continue;
            }
            if (longer && trusted > 0.0 && norm_of(J.col(k) - before) > 0.5 * norm_of(before)) break;
            before = J.col(k), trusted = change > 100.0 * rounding * size ? h : 0.0;
            if (h > shortest) typical_[k] = h / relative;
            if (p_.step > 0.0) return true;
            if (!(change > 0.0) && h < std::min(relative, longest) && !lost && !shorter) {  // as if x[k] were 0
                h = std::min(relative, longest), lost = true;
            } else if (change < 1e-3 * wanted && h < longest && !shorter) {
                h = std::min(longest, h * (change > 0.0 ? std::clamp(wanted / change, 10.0, 1e4) : 1e4));
                longer = true;
            } else if (change > 1e3 * wanted && h > 2.0 * std::max(relative * own, shortest) && !longer) {
                h = std::max({relative * own, shortest, h * std::clamp(wanted / change, 1e-4, 0.1)});
                shorter = true;
            } else {
                return true;
            }
        }
        J.col(k) = before;
        return true;
    }

    bool shorten(const Parameters& x, const Parameters& r, Eigen::Index k, double size) {
        Parameters other = x;
        Matrix<double, Dynamic> unused;
        const auto along = [&](double t, Parameters& y) { return other[k] = t, residuals(other, y, unused); };
        const double used = p_.step > 0.0 ? p_.step * scale_of(x, k) : 0.0;
        const double longest = used > 0.0 ? used : rung * std::max(6e-6 * scale_of(x, k), shortest_at(x, k));
        const Credible c = credible_step(along, x[k], r, rounding * size, p_.bounds.low(k), p_.bounds.high(k), longest);
        if (c.coarse)
            doubt_ = "a change in the last digits of parameter " + std::to_string(k) + ", " + shown(x[k]) +
                     ", changes the residuals a lot: use its distance from a nearby point as the parameter";
        if (!(c.step > 0.0) || !(c.step < 0.5 * longest)) return false;
        if (used > 0.0) {
            doubt_ = "the steps of the differences of parameter " + std::to_string(k) + " are " + shown(used) +
                     ", too long for the residuals: " + shown(c.step) + " or less would do";
            return false;
        }
        limit_[k] = typical_[k] = c.step / (rung * 6e-6);
        found_[k] = c.step / rung;
        return true;
    }

    [[nodiscard]] double shortest_at(const Parameters& x, Eigen::Index k) const {
        return shortest_step(x[k], found_[k]);
    }
    [[nodiscard]] double relative() const { return p_.step > 0.0 ? p_.step : central_ ? 6e-6 : 1.5e-8; }
    [[nodiscard]] double own_size(const Parameters& x, Eigen::Index k) const {
        return p_.typical.size() > 0 ? limit_[k] : std::min(std::abs(x[k]), limit_[k]);
    }
    [[nodiscard]] double scale_of(const Parameters& x, Eigen::Index k) const {
        const double scale = std::max(own_size(x, k), typical_[k]);
        return scale > 0.0 ? scale : 1.0;
    }

    /// A difference inside the box. If one side fails, the other one is used.
    bool difference(const Parameters& x, const Parameters& r, Eigen::Index k, double h, double& change,
                    Matrix<double, Dynamic>& J) {
        Parameters up = x, down = x, r_up, r_down;
        Matrix<double, Dynamic> unused;
        up[k] = p_.bounds.project(k, x[k] + h), down[k] = p_.bounds.project(k, x[k] - h);
        const bool above = up[k] > x[k] && residuals(up, r_up, unused);
        const bool below = (central_ || !above) && down[k] < x[k] && residuals(down, r_down, unused);
        if (!above && !below) {
            if (why_.empty()) why_ = "parameter " + std::to_string(k) + " cannot be moved by " + shown(h);
            return false;
        }
        if (!above) up[k] = x[k], r_up = r;
        if (!below) down[k] = x[k], r_down = r;
        const Parameters moved = r_up - r_down;
        change = norm_of(moved);
        if (above && below)  // r may change although r_up = r_down and J is 0
            change = std::max({change, norm_of(r_up - r), norm_of(r_down - r)});
        J.col(k) = moved / (up[k] - down[k]);
        return true;
    }

    static constexpr double rounding = std::numeric_limits<double>::epsilon();

    const Residuals& f_;
    const LinearizationParams p_;
    Minimum& count_;
    std::string why_, doubt_;
    Parameters typical_, limit_, found_;  // sizes found; their upper limits; shortest steps checked
    double scale_ = 0.0;
    Eigen::Index rows_ = 0;
    bool central_ = false;
};

}  // namespace detail
}  // namespace panto::opt
