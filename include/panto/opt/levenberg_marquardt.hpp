// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Nonlinear least squares by the Levenberg-Marquardt method in its trust-region form [Moré, 1978]: in every iteration
///
///     minimize || r + J p ||   with   || D p || <= radius ,   lower <= x + p <= upper ,
///
/// D the largest column norms of J so far, which makes the method independent of the units of the parameters. Each
/// sub-problem is solved by orthogonal transformations of J, never by J'J. Bounds are kept by an active set: a
/// parameter on its bound that would leave the box is held there; steps of the others end at the box.

#pragma once

#include <panto/opt/detail/damped_step.hpp>
#include <panto/opt/detail/left_over.hpp>
#include <panto/opt/detail/levenberg_marquardt_params.hpp>
#include <panto/opt/detail/lost_effect.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace panto::opt {
namespace detail {

/// One search. Its state belongs to the last accepted point: x, r, J and their factorization.
template <class = void>
class LevenbergMarquardtSearch {
  public:
    LevenbergMarquardtSearch(const Residuals& f, const Parameters& start, const LevenbergMarquardtParams& p)
        : p_(p),
          f_(f),
          model_(f, {p.bounds, p.differences, p.difference_step, p.typical}, best_),
          D_(Parameters::Zero(start.size())),
          effect_(D_) {
        best_.x = start, best_.value = Bounds::infinite;
    }

    Minimum run() {
        if (!model_.residuals(best_.x, r_, J_)) return finish(Status::not_finite, "at the start " + model_.why());
        take(best_.x);
        first_norm_ = norm_, first_x_ = best_.x;
        if (!model_.jacobian(best_.x, r_, J_)) return finish(Status::not_finite, "at the start " + model_.why());
        while (best_.iterations < p_.iteration_limit) {
            if (!(norm_ > 0.0) || (p_.value_goal > 0.0 && best_.value <= p_.value_goal))
                return finish(Status::ok, "the goal is reached");
            if (!linearized_) linearize();
            if (!(cosine_ > p_.gradient_tolerance)) {
                if (!goes_on(true)) return arrived("the gradient vanishes");
                continue;
            }
            const Trial t = attempt();
            if (t.accepted && !model_.jacobian(best_.x, r_, J_))
                return finish(Status::not_finite, "no Jacobian: " + model_.why());
            if (p_.observer &&
                !p_.observer({best_.iterations, p_.iteration_limit, best_.evaluations, best_.value, best_.x}))
                return finish(Status::stopped_by_user, "stopped by the observer");
            // A change this small may be rounding in the model.
            const bool quiet = t.good && !t.cut && std::abs(t.actual) <= std::max(p_.value_tolerance, 1e-12) &&
                               t.predicted <= p_.value_tolerance;
            const bool lost = radius_ <= shortest_radius() || !(t.length > 0.0);
            const bool vanished = lost || radius_ <= p_.step_tolerance * length_of(best_.x);
            const bool tiny = t.accepted && norm_ <= 1e-14 * first_norm_;
            if (!quiet && !vanished && !tiny && rejected_ != patience) continue;
            if (!linearized_) linearize();
            const bool look = lost || (vanished && !looked_);
            looked_ = looked_ || look;
            if (orthogonal() || (look && level(f_, p_.bounds, lengths(), best_))) {
                if (goes_on(true)) continue;
                return arrived(tiny && cosine_ > close() ? "the residuals vanish"
                               : quiet                   ? "the value does not fall any more"
                                                         : "the steps vanish");
            }
            if (rejected_ >= patience && restrain()) continue;
            // A radius that is tiny beside a large x may still be long enough for the model.
            if (look && !goes_on(false) && lost && !rescale()) return finish(Status::not_converged, why_left());
        }
        return finish(Status::not_converged, "the iteration limit is reached");
    }

  private:
    struct Trial {
        bool good = false, accepted = false, cut = false;
        double predicted = 0.0, actual = 0.0, length = 0.0;  // the first two as parts of r'r, length in units of D
    };

    Minimum finish(Status s, std::string reason) {
        best_.status = s, best_.reason = std::move(reason);
        return best_;
    }

    /// Ends a search where J promises no further fall: ok unless that is in doubt.
    Minimum arrived(const char* reason) {
        const std::string doubt = model_.doubt().empty() ? doubt_ : model_.doubt();
        best_.contradicted = !doubt.empty();
        return doubt.empty() ? finish(Status::ok, reason)
                             : finish(Status::not_converged, std::string(reason) + ", but " + doubt);
    }

    /// x with the residuals in r_ is the best point now.
    void take(const Parameters& x) {
        best_.x = x;
        norm_ = norm_of(r_);
        best_.value = norm_ * norm_;
        noise_ = -1.0;
        restrained_ = looked_ = linearized_ = false;
    }

    /// The scales, the free parameters and the cosine between r and their column space.
    void linearize() {
        const Eigen::Index n = J_.cols();
        const Parameters e = r_ / norm_, sizes = lengths();
        Matrix<double, Dynamic> A = J_;
        unit_.resize(n), free_.clear();
        bool as_long = true;  // whether all columns of A have a length of about 1
        for (Eigen::Index i = 0; i < n; ++i) {
            const double length = norm_of(J_.col(i));
            D_[i] = std::max(D_[i], length);
            unit_[i] = D_[i] > 0.0 ? D_[i] : 1.0;
            effect_[i] = std::max(effect_[i], length * sizes[i]);
            as_long = as_long && length > 0.5 * D_[i];
            A.col(i) /= unit_[i];
            const double slope = A.col(i).dot(e), blur = model_.error() * length / unit_[i];
            const bool held =
                (best_.x[i] <= p_.bounds.low(i) && slope > blur) || (best_.x[i] >= p_.bounds.high(i) && slope < -blur);
            if (!held) free_.push_back(i);
        }
        whole_.factorize(A, e);
        cosine_ =
            free_.empty()
                ? 0.0
                : (as_long ? whole_ : stretched_triangle(A, e)).restricted_to(free_, rounding).cosine(model_.error());
        if (!(radius_ > 0.0)) radius_ = p_.first_radius * std::max(length_of(best_.x), 0.01 * norm_);
        linearized_ = true;
    }

    [[nodiscard]] double length_of(const Parameters& x) const {
        return norm_of(unit_.cwiseProduct(f_.exact() ? x : model_.lengths(x)));
    }

    Trial attempt() {
        Trial t;
        Parameters x, moved;
        double full = 0.0;  // length of the step before the box cut it
        std::vector<Eigen::Index> moving = free_;
        do {  // until no parameter on its bound is asked to leave the box
            const Parameters z = whole_.restricted_to(moving, rounding).within(radius_ / norm_, damping_);
            full = z.norm() * norm_;
            x = best_.x;
            for (std::size_t i = 0; i < moving.size(); ++i) {
                const Eigen::Index k = moving[i];
                x[k] = p_.bounds.project(k, x[k] + z[static_cast<Eigen::Index>(i)] / unit_[k] * norm_);
            }
            moved = x - best_.x;
        } while (drop_unmoved(moving, moved));
        const Parameters z = unit_.cwiseProduct(moved) / norm_;
        t.length = z.norm() * norm_;
        t.cut = full > 1.001 * t.length;
        t.predicted = whole_.reduction(z);
        ++best_.iterations;
        t.good = model_.residuals(x, r_new_, J_new_);
        const double left = t.good ? norm_of(r_new_) / norm_ : 2.0;
        t.actual = (1.0 - left) * (1.0 + left);
        const double ratio = t.predicted > 0.0 ? t.actual / t.predicted : -1.0;

        if (!(ratio > 0.25))  // MINPACK's rules, but shrinking from the step made: the box may have cut it
            radius_ = std::min(radius_, t.length) * (t.good && t.actual > -0.1 ? 0.5 : 0.1);
        else if (ratio > 0.75 || damping_ <= 0.0)
            radius_ = 2.0 * full;
        t.accepted = t.good && t.actual > 0.0 && ratio > 1e-4;
        rejected_ = t.accepted ? 0 : rejected_ + 1;
        if (!t.accepted) return t;
        r_.swap(r_new_);
        if (f_.joint()) J_.swap(J_new_);
        take(x);
        moved_once_ = true;
        return t;
    }

    /// Changes to better differences, if there are any, before the gradient is judged.
    bool sharpen() {
        if (!model_.sharpen()) return false;
        radius_ = std::max(radius_, norm_ * cosine_);
        linearized_ = false;
        return model_.jacobian(best_.x, r_, J_);
    }

    /// Whether r is orthogonal to the column space of the free parameters: either to the tolerance, or to the model's
    /// rounding, measured by an evaluation next to x, while no full step lowers r'r as J promises.
    bool orthogonal() {
        if (cosine_ <= close()) return true;
        if (noise_ < 0.0) measure_noise();
        return noise_ >= 0.0 && norm_ * cosine_ * cosine_ <= 8.0 * noise_ && !falls();
    }

    [[nodiscard]] double close() const { return std::max(p_.gradient_tolerance, std::sqrt(p_.value_tolerance)); }

    /// Whether the Gauss-Newton step is longer than the rounding of x and lowers r'r by more than half of what J
    /// promises. If so, the radius is made large enough for it.
    bool falls() {
        double none = 0.0;
        const Parameters z = whole_.restricted_to(free_, rounding).within(Bounds::infinite, none);
        Parameters x = best_.x, r;
        bool moves = false;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            const Eigen::Index k = free_[i];
            x[k] = p_.bounds.project(k, x[k] + z[static_cast<Eigen::Index>(i)] / unit_[k] * norm_);
            moves = moves || std::abs(x[k] - best_.x[k]) > 4.0 * rounding_of(k);
        }
        if (!moves || !model_.residuals(x, r, J_new_)) return false;
        const double left = norm_of(r) / norm_;
        if (!((1.0 - left) * (1.0 + left) > 0.5 * cosine_ * cosine_)) return false;
        return radius_ = std::max(radius_, 2.0 * z.norm() * norm_), true;
    }

    /// Rounding error of a parameter, in its own unit. Near 0, the size of the parameter counts as a millionth of its
    /// start value, or of 1 if that is less.
    [[nodiscard]] double rounding_of(Eigen::Index k) const {
        return rounding * std::max(std::abs(best_.x[k]), 1e-6 * std::min(std::abs(first_x_[k]), 1.0));
    }

    /// Called before the search ends; `there` is true if J promises no fall. True if the search goes on instead: with
    /// better differences, with steps that are short enough for the model, or from a lower point.
    bool goes_on(bool there) {
        if (there) doubt_ = without_end(first_x_, best_);
        if (there && !doubt_.empty()) return false;
        if (sharpen()) return true;
        if (!model_.shorten(best_.x, r_) && !escape(there) && !(there && regains())) return false;
        ++best_.iterations;
        radius_ = damping_ = 0.0, rejected_ = 0, linearized_ = false;
        if (model_.jacobian(best_.x, r_, J_)) return true;
        return doubt_ = "there is no Jacobian: " + model_.why(), false;
    }

    [[nodiscard]] Parameters lengths() const {
        Parameters all = model_.lengths(best_.x);
        for (Eigen::Index k = 0; k < all.size(); ++k)
            all[k] = std::max(all[k] > 0.0 ? all[k] : 1.0, 1e5 * model_.shortest(best_.x, k));
        return all;
    }

    /// J'J has no negative curvature, but r'r may, and J may be 0 on a plateau. A way down is looked for in directions
    /// in which J hardly changes r; x moves there.
    bool escape(bool there) {
        doubt_.clear();
        if (free_.empty()) return false;
        const Parameters size = lengths();
        const Matrix<double, Dynamic> ways = weak_ways(J_, norm_, free_, size);
        const Eigen::Index weak = ways.cols();
        if (weak == 0) return false;
        const SquaredResiduals<> squares(f_, p_.bounds, size);
        const auto point = [&](const Parameters& z) { return p_.bounds.project(Parameters(best_.x + ways * z)); };
        const auto along = [&](const Parameters& z) { return squares(point(z)); };
        const auto apart = [&](const Parameters& z) {  // outside the box there is nothing
            const Parameters x = point(z);
            return x == best_.x ? Bounds::infinite : squares(x);
        };
        const Parameters ones = Parameters::Ones(weak);
        Minimum inner;
        inner.x = Parameters::Zero(weak), inner.value = best_.value;
        const Function value(along);
        Outlook ahead = outlook(value, Bounds{}, Parameters(1e-4 * ones), ones, inner);
        if (!there && !moved_once_) ahead.free.clear();  // the derivatives may be wrong
        const bool left = escaped(Function(apart), Bounds{}, ones, there ? negligible : 0.01, ahead, inner);
        if (weak == static_cast<Eigen::Index>(free_.size())) doubt_ = ahead.doubt;
        best_.checks += inner.checks;
        if (there && !left && doubt_.empty() && f_.exact() &&
            contradicted(ahead, 2.0 * ways.transpose() * (J_.transpose() * r_), best_.value, ones))
            doubt_ = wrong_derivatives;
        return left && go_to(point(inner.x));
    }

    /// Whether the value falls along a parameter whose column is almost 0, or much smaller than it was. If it does not,
    /// but the parameter may have run away, doubt_ says so.
    bool regains() {
        const Parameters size = lengths();
        if (doubt_.empty()) doubt_ = grown_together(J_, free_, first_x_, best_.x);
        Outlook ahead;
        for (const Eigen::Index k : free_) {
            const double effect = norm_of(J_.col(k)) * size[k];
            const bool faded = effect < 1e-8 * effect_[k] && std::abs(best_.x[k]) > std::abs(first_x_[k]);
            if (faded || effect < 1e-3 * norm_ || model_.step(k) > 1e-2 * size[k]) ahead.free.push_back(k);
        }
        if (!doubt_.empty() || ahead.free.empty()) return false;
        const SquaredResiduals<> squares(f_, p_.bounds, size);
        const auto value = [&squares](const Parameters& x) { return squares(x); };
        ahead.bend = Parameters::Zero(size.size());
        Minimum inner;
        inner.x = best_.x, inner.value = best_.value;
        bool left = escaped(Function(value), p_.bounds, size, negligible, ahead, inner);
        ahead.doubt.clear();
        left = left || lost_effect(Function(value), p_.bounds, first_x_, ahead, inner);
        doubt_ = ahead.doubt, best_.checks += inner.checks;
        return left && go_to(inner.x);
    }

    bool go_to(const Parameters& x) {
        if (!model_.residuals(x, r_new_, J_new_)) return false;
        r_.swap(r_new_);
        if (f_.joint()) J_.swap(J_new_);
        take(x);
        return moved_once_ = true;
    }

    /// Used when no step is accepted: a parameter whose column is almost 0 may move much too far in every step. From
    /// now on each parameter is also scaled by its own size. False if this was done at this point before.
    bool restrain() {
        if (restrained_) return false;
        for (Eigen::Index i = 0; i < D_.size(); ++i)
            if (std::abs(best_.x[i]) > 0.0) D_[i] = std::max(D_[i], norm_ / std::abs(best_.x[i]));
        radius_ = norm_, damping_ = 0.0, rejected_ = 0, linearized_ = false;
        return restrained_ = true;
    }

    /// Used before the search gives up: the scales are the largest on the way, which may be far too large here. False
    /// if r'r hardly fell since they were computed anew.
    bool rescale() {
        if (!moved_once_ || !(best_.value < 0.99 * rescaled_at_)) return false;
        rescaled_at_ = best_.value;
        D_.setZero(), radius_ = damping_ = 0.0, rejected_ = 0, linearized_ = false;
        return true;
    }

    /// Below this radius no parameter can move.
    [[nodiscard]] double shortest_radius() const {
        double least = Bounds::infinite;
        for (const Eigen::Index k : free_)
            if (rounding_of(k) > 0.0) least = std::min(least, unit_[k] * rounding_of(k));
        return least < Bounds::infinite ? least : 0.0;
    }

    void measure_noise() {
        Parameters beside = best_.x, size = best_.x, r;
        for (Eigen::Index i = 0; i < beside.size(); ++i) {
            size[i] = rounding_of(i) / rounding;
            beside[i] = p_.bounds.project(i, beside[i] + (i % 2 == 0 ? 4.0 : -4.0) * rounding_of(i));
        }
        if (!model_.residuals(beside, r, J_new_)) return;
        const double seen = norm_of(r - r_);
        // A change far above r is not rounding, but the effect of a parameter whose size is really tiny.
        if (seen <= 1e-8 * std::max(norm_, norm_of(J_ * size)) && seen <= 1e40 * norm_) noise_ = seen;
    }

    [[nodiscard]] std::string why_left() {
        if (!moved_once_) return no_step;
        return left_over(cosine_ * cosine_, confirmed(f_, p_.bounds, lengths(), free_, r_, J_, best_));
    }

    const LevenbergMarquardtParams& p_;
    const Residuals& f_;
    Minimum best_;
    Linearization<> model_;
    std::string doubt_;                                   // why this is no minimum though J says so
    Parameters r_, r_new_, D_, effect_, unit_, first_x_;  // effect_: largest column times its parameter so far
    Matrix<double, Dynamic> J_, J_new_;
    Triangle whole_;
    std::vector<Eigen::Index> free_;
    double norm_ = 0.0, first_norm_ = 0.0, radius_ = 0.0, damping_ = 0.0, cosine_ = 0.0, noise_ = -1.0;
    double rescaled_at_ = Bounds::infinite;  // r'r
    int rejected_ = 0;                       // in a row
    bool linearized_ = false, moved_once_ = false, restrained_ = false, looked_ = false;

    static constexpr int patience = 12;
    static constexpr double rounding = std::numeric_limits<double>::epsilon();
};

template <class = void>
[[nodiscard]] Minimum search(const Residuals& f, const Parameters& start, const LevenbergMarquardtParams& p) {
    check(p, start);
    return LevenbergMarquardtSearch<>(f, start, p).run();
}

#ifdef PANTO_COMPILED
extern template Minimum search(const Residuals&, const Parameters&, const LevenbergMarquardtParams&);
#endif

}  // namespace detail

/// Minimizes r'r from `start`. Status::ok says that the point is stationary: r is orthogonal to the columns of J of all
/// parameters that no bound holds, to the square root of `value_tolerance` or to the model's rounding. If the search
/// ends elsewhere, it is Status::not_converged. A trial where the model throws, returns a status that is not
/// usable or a value that is not finite counts as too long a step: it is undone and the radius shrinks. Only a start or
/// a Jacobian that cannot be computed ends the search, with Status::not_finite and the best point so far.
/// @throws SetupError if the parameters are invalid or the start lies outside the bounds.
template <LeastSquares F>
[[nodiscard]] Minimum levenberg_marquardt(const F& f, const Parameters& start, const LevenbergMarquardtParams& p = {}) {
    return detail::search(detail::Residuals(f), start, p);
}

/// The same as an Optimizer.
struct LevenbergMarquardt {
    LevenbergMarquardtParams params{};

    template <LeastSquares F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return levenberg_marquardt(f, start, params);
    }
};

}  // namespace panto::opt
