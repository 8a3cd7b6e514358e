// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Nonlinear least squares by the Levenberg-Marquardt method in its trust-region form [Moré, 1978]: in every iteration
///
///     minimize || r + J p ||   with   || D p || <= radius ,   lower <= x + p <= upper ,
///
/// D the largest column norms of J met so far, which makes the method blind to the units of the parameters. Each
/// sub-problem is solved by orthogonal transformations of J, never by J'J. Bounds are kept by an active set: a
/// parameter that sits on its bound and would leave the box is held there, steps of the others end at the box.

#pragma once

#include <panto/opt/concepts.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

namespace panto::opt {

/// How a Jacobian is made for residuals that have none of their own.
enum class Differences { forward, central };

struct LevenbergMarquardtParams {
    Bounds bounds{};
    int iteration_limit = 200;
    double value_tolerance = 1e-12;     ///< stop when a step promises to lower r'r by less than this part of it
    double step_tolerance = 1e-12;      ///< stop when the radius is below this part of || D x ||
    double gradient_tolerance = 1e-12;  ///< stop when r is this orthogonal to every free column of J (cosine)
    double value_goal = 0.0;            ///< stop when r'r is not above this
    double first_radius = 100.0;        ///< in multiples of || D x || at the start
    Differences differences = Differences::forward;  ///< only for residuals without a Jacobian
    double difference_step = 0.0;  ///< relative step of the differences; 0: the root of the rounding error that fits
    Observer observer{};
};

namespace detail {

/// min || R p + q ||, R upper triangular: the step and, for Newton on the damping, its norm's slope.
class DampedStep {
  public:
    DampedStep(const Matrix<double, Dynamic>& R, const Parameters& q, const Parameters& D) : R_(R), q_(q), D_(D) {
        const double largest = R.diagonal().cwiseAbs().maxCoeff();
        regular_ = R.diagonal().cwiseAbs().minCoeff() > largest * 1e-15;
    }

    /// The step with || D p || within 10 % of `radius`, or the undamped one if that is shorter; `damping` is the warm
    /// start of lambda in (J'J + lambda D D) p = -J'r on the way in and the one found on the way out.
    Parameters within(double radius, double& damping) const {
        double low = 0.0;
        if (regular_) {
            const Parameters p = -R_.triangularView<Eigen::Upper>().solve(q_);
            const double length = D_.cwiseProduct(p).norm();
            if (is_finite(length) && length <= 1.1 * radius) return damping = 0.0, p;
            if (is_finite(length)) low = (length - radius) / (radius * slope(R_, p, length));
        }
        const double gradient = (R_.transpose() * q_).cwiseQuotient(D_).norm();
        double high = std::max({gradient / radius, low, 1e-300});
        damping = std::clamp(damping, low, high);
        if (!(damping > 0.0)) damping = std::max(1e-3 * high, 1e-300);
        Parameters p;
        for (int k = 0; k < 12; ++k) {
            const Eigen::Index n = q_.size();
            Matrix<double, Dynamic> stacked(2 * n, n);
            stacked.topRows(n) = R_;
            stacked.bottomRows(n) = (std::sqrt(damping) * D_).asDiagonal();
            const Eigen::HouseholderQR<Matrix<double, Dynamic>> qr(stacked);
            Parameters right = Parameters::Zero(2 * n);
            right.head(n) = q_;
            right.applyOnTheLeft(qr.householderQ().adjoint());
            const Matrix<double, Dynamic> S = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
            p = -S.triangularView<Eigen::Upper>().solve(right.head(n));
            const double length = D_.cwiseProduct(p).norm();
            const double excess = length - radius;
            if (std::abs(excess) <= 0.1 * radius) break;
            (excess > 0.0 ? low : high) = damping;
            const double newton = damping + excess / (radius * slope(S, p, length));
            damping = newton > low && newton < high ? newton : std::max(std::sqrt(low * high), 1e-3 * high);
        }
        return p;
    }

  private:
    /// -d ln|| D p || / d lambda times || D p ||^2 / || D p ||: || S'^-1 D D p / || D p || ||^2.
    [[nodiscard]] double slope(const Matrix<double, Dynamic>& S, const Parameters& p, double length) const {
        const Parameters w = D_.cwiseProduct(D_).cwiseProduct(p) / length;
        return S.triangularView<Eigen::Upper>().transpose().solve(w).squaredNorm();
    }

    const Matrix<double, Dynamic>& R_;
    const Parameters& q_;
    const Parameters& D_;
    bool regular_ = false;
};

/// Residuals and Jacobian of whatever kind of model, with failures turned into `false`.
template <LeastSquares F>
class Linearization {
  public:
    Linearization(const F& f, const LevenbergMarquardtParams& p, Minimum& count) : f_(f), p_(p), count_(count) {}

    static constexpr bool joint = LinearizedLeastSquares<F>;

    /// r at x, and J where the model gives both at once.
    bool residuals(const Parameters& x, Parameters& r, Matrix<double, Dynamic>& J) {
        ++count_.evaluations;
        bool good = guarded([&] {
            if constexpr (joint)
                return ++count_.derivatives, f_.linearize(x, r, J);
            else
                return f_.residuals(x, r);
        });
        if (good && !is_finite(r.squaredNorm())) good = false, why_ = "a residual is not a finite number";
        if (good && (r.size() == 0 || (rows_ > 0 && r.size() != rows_)))
            good = false, why_ = "the model gave " + std::to_string(r.size()) + " residuals, allowed is " +
                                 (rows_ > 0 ? std::to_string(rows_) + " as at the start" : "1 and more");
        if constexpr (joint) good = good && fits(x, r, J);
        if (good) rows_ = r.size();
        count_.failures += !good;
        return good;
    }

    /// J at x, where the residuals are r. Nothing to do where they came together.
    bool jacobian(const Parameters& x, const Parameters& r, Matrix<double, Dynamic>& J) {
        if constexpr (joint) return true;
        ++count_.derivatives;
        if constexpr (DifferentiableLeastSquares<F> && !joint) {
            return guarded([&] { return f_.jacobian(x, J); }) && fits(x, r, J);
        }
        J.resize(r.size(), x.size());
        for (Eigen::Index k = 0; k < x.size(); ++k)
            if (!column(x, r, k, J)) return false;
        return true;
    }

    [[nodiscard]] const std::string& why() const { return why_; }

  private:
    template <class Call>
    bool guarded(Call&& call) {
        try {
            const Status s = call();
            if (!usable(s)) why_ = "the model says: " + std::string(name(s));
            return usable(s);
        } catch (const std::exception& e) {
            why_ = std::string("the model threw: ") + e.what();
            return false;
        }
    }

    bool fits(const Parameters& x, const Parameters& r, const Matrix<double, Dynamic>& J) {
        if (J.rows() != r.size() || J.cols() != x.size()) {
            why_ = "the Jacobian is " + std::to_string(J.rows()) + " by " + std::to_string(J.cols()) +
                   ", allowed is residuals by parameters, " + std::to_string(r.size()) + " by " +
                   std::to_string(x.size());
            return false;
        }
        if (is_finite(J.squaredNorm())) return true;
        why_ = "the Jacobian is not finite";
        return false;
    }

    /// Differences inside the box, to the other side where one side fails.
    bool column(const Parameters& x, const Parameters& r, Eigen::Index k, Matrix<double, Dynamic>& J) {
        const bool central = p_.differences == Differences::central;
        const double relative = p_.difference_step > 0.0 ? p_.difference_step : central ? 6e-6 : 1.5e-8;
        const double h = relative * (std::abs(x[k]) > 0.0 ? std::abs(x[k]) : 1.0);
        Parameters up = x, down = x, r_up, r_down;
        Matrix<double, Dynamic> unused;
        up[k] = p_.bounds.project(k, x[k] + h), down[k] = p_.bounds.project(k, x[k] - h);
        bool above = up[k] > x[k] && residuals(up, r_up, unused);
        const bool below = (central || !above) && down[k] < x[k] && residuals(down, r_down, unused);
        if (!above && !below) {
            if (why_.empty()) why_ = "parameter " + std::to_string(k) + " cannot be moved by " + shown(h);
            return p_.bounds.low(k) < p_.bounds.high(k) ? false : (J.col(k).setZero(), true);
        }
        if (!above) up[k] = x[k], r_up = r;
        if (!below) down[k] = x[k], r_down = r;
        J.col(k) = (r_up - r_down) / (up[k] - down[k]);
        return true;
    }

    const F& f_;
    const LevenbergMarquardtParams& p_;
    Minimum& count_;
    std::string why_;
    Eigen::Index rows_ = 0;
};

/// J = Q R and q = Q'r, and the same for some of the columns without touching J again.
class Triangle {
  public:
    void factorize(const Matrix<double, Dynamic>& J, const Parameters& r) {
        const Eigen::Index n = J.cols(), rank = std::min(J.rows(), n);
        const Eigen::HouseholderQR<Matrix<double, Dynamic>> qr(J);
        Parameters all = r;
        all.applyOnTheLeft(qr.householderQ().adjoint());
        q_.setZero(n), R_.setZero(n, n);  // zero rows where there are fewer residuals than parameters
        q_.head(rank) = all.head(rank);
        R_.topRows(rank) = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
    }

    void restrict_to(const std::vector<Eigen::Index>& columns, Matrix<double, Dynamic>& R, Parameters& q) const {
        if (static_cast<Eigen::Index>(columns.size()) == R_.cols()) {
            R = R_, q = q_;
            return;
        }
        const auto m = static_cast<Eigen::Index>(columns.size());
        Matrix<double, Dynamic> some(R_.rows(), m);
        for (Eigen::Index i = 0; i < m; ++i) some.col(i) = R_.col(columns[static_cast<std::size_t>(i)]);
        const Eigen::HouseholderQR<Matrix<double, Dynamic>> qr(some);
        q = q_;
        q.applyOnTheLeft(qr.householderQ().adjoint());
        q.conservativeResize(m);
        R = qr.matrixQR().topRows(m).triangularView<Eigen::Upper>();
    }

    /// r'r - || r + J p ||^2, by a difference that does not cancel.
    [[nodiscard]] double reduction(const Parameters& p) const {
        const Parameters Rp = R_ * p;
        return -Rp.dot(2.0 * q_ + Rp);
    }

  private:
    Matrix<double, Dynamic> R_;
    Parameters q_;
};

/// Takes the parameters a step did not move off the free ones. False if there were none, or nothing moved at all.
inline bool drop_unmoved(std::vector<Eigen::Index>& free, const Parameters& moved) {
    const auto still = [&moved](Eigen::Index i) { return !(std::abs(moved[i]) > 0.0); };
    const auto first = std::stable_partition(free.begin(), free.end(), [&](Eigen::Index i) { return !still(i); });
    if (first == free.end() || first == free.begin()) return false;
    free.erase(first, free.end());
    return true;
}

inline void check(const LevenbergMarquardtParams& p, const Parameters& start) {
    constexpr std::string_view here = "opt::levenberg_marquardt";
    check_start(start, p.bounds, here);
    require(p.iteration_limit > 0, here, "iteration_limit is ", p.iteration_limit, ", allowed is 1 and more");
    require_not_negative(p.value_tolerance, here, "value_tolerance");
    require_not_negative(p.step_tolerance, here, "step_tolerance");
    require_not_negative(p.gradient_tolerance, here, "gradient_tolerance");
    require_not_negative(p.value_goal, here, "value_goal");
    require_positive(p.first_radius, here, "first_radius");
    require_not_negative(p.difference_step, here, "difference_step");
}

}  // namespace detail

/// Minimizes r'r from `start`. A trial where the model throws, says that its value is not usable or gives a number that
/// is not finite is a step too far: it is taken back and the radius shrinks. Only a start or a Jacobian that cannot
/// be computed ends the search, with Status::not_finite and the best point so far.
/// @throws SetupError if the parameters make no sense or the start lies outside the bounds.
template <LeastSquares F>
[[nodiscard]] Minimum levenberg_marquardt(const F& f, const Parameters& start, const LevenbergMarquardtParams& p = {}) {
    detail::check(p, start);
    const Eigen::Index n = start.size();
    Minimum best;
    best.x = start;
    best.value = Bounds::infinite;
    const auto finish = [&best](Status s, std::string reason) {
        best.status = s, best.reason = std::move(reason);
        return best;
    };
    detail::Linearization<F> model(f, p, best);
    Parameters r, r_new, x_new, D = Parameters::Zero(n);
    Matrix<double, Dynamic> J, J_new;
    if (!model.residuals(start, r, J)) return finish(Status::not_finite, "at the start " + model.why());
    best.value = r.squaredNorm();
    if (!model.jacobian(best.x, r, J)) return finish(Status::not_finite, "at the start " + model.why());

    double radius = 0.0, damping = 0.0, promised = 0.0;
    bool fresh = true, moved_once = false;  // J belongs to a new point: factorize
    std::vector<Eigen::Index> free, moving;
    detail::Triangle whole;
    Matrix<double, Dynamic> R;
    Parameters q, D_free;
    while (best.iterations < p.iteration_limit) {
        if (best.value <= p.value_goal) return finish(Status::ok, "the goal is reached");
        if (fresh) {
            const Parameters norms = J.colwise().norm(), gradient = J.transpose() * r;
            free.clear();
            double cosine = 0.0;
            for (Eigen::Index i = 0; i < n; ++i) {
                D[i] = std::max(D[i], norms[i]);
                if (!(D[i] > 0.0)) D[i] = 1.0;
                const bool held = (best.x[i] <= p.bounds.low(i) && gradient[i] >= 0.0) ||
                                  (best.x[i] >= p.bounds.high(i) && gradient[i] <= 0.0);
                if (held) continue;
                free.push_back(i);
                if (norms[i] > 0.0)
                    cosine = std::max(cosine, std::abs(gradient[i]) / (norms[i] * std::sqrt(best.value)));
            }
            if (!(cosine > p.gradient_tolerance)) return finish(Status::ok, "the gradient vanishes");
            if (!(radius > 0.0)) {
                const double length = D.cwiseProduct(best.x).norm();
                radius = p.first_radius * (length > 0.0 ? length : 1.0);
            }
            whole.factorize(J, r);
            fresh = false;
        }
        Parameters moved;
        double full = 0.0;  // length of the step before the box cut it
        moving = free;
        do {  // until no parameter on its bound is asked to leave the box
            whole.restrict_to(moving, R, q);
            D_free.resize(q.size());
            for (std::size_t i = 0; i < moving.size(); ++i) D_free[static_cast<Eigen::Index>(i)] = D[moving[i]];
            const Parameters step = detail::DampedStep(R, q, D_free).within(radius, damping);
            full = D_free.cwiseProduct(step).norm();
            x_new = best.x;
            for (std::size_t i = 0; i < moving.size(); ++i)
                x_new[moving[i]] = p.bounds.project(moving[i], best.x[moving[i]] + step[static_cast<Eigen::Index>(i)]);
            moved = x_new - best.x;
        } while (detail::drop_unmoved(moving, moved));
        const double length = D.cwiseProduct(moved).norm();
        const double predicted = whole.reduction(moved) / best.value;
        if (best.iterations++ == 0) promised = predicted;
        const bool good = model.residuals(x_new, r_new, J_new) && r_new.size() == r.size();
        const double actual = good ? (best.value - r_new.squaredNorm()) / best.value : -1.0;
        const double ratio = predicted > 0.0 ? actual / predicted : -1.0;

        if (!(ratio > 0.25))  // MINPACK's rules, but shrinking from the step made: the box may have cut it
            radius = std::min(radius, length) * (good && actual > -0.1 ? 0.5 : 0.1);
        else if (ratio > 0.75 || damping <= 0.0)
            radius = 2.0 * full;

        if (good && actual > 0.0 && ratio > 1e-4) {
            best.x = x_new, best.value = r_new.squaredNorm(), moved_once = true;
            r.swap(r_new);
            if constexpr (detail::Linearization<F>::joint) J.swap(J_new);
            if (!model.jacobian(best.x, r, J)) return finish(Status::not_finite, "no Jacobian: " + model.why());
            fresh = true;
        }
        if (p.observer && !p.observer({best.iterations, p.iteration_limit, best.evaluations, best.value, best.x}))
            return finish(Status::stopped_by_user, "stopped by the observer");
        // What a model's rounding makes of a gain this small says nothing: the predicted one decides.
        const bool cut = full > 1.001 * length;
        if (good && !cut && predicted <= p.value_tolerance)
            return finish(Status::ok, "the value does not fall any more");
        if (radius <= p.step_tolerance * D.cwiseProduct(best.x).norm() || !(length > 0.0))
            return moved_once || promised < 1e-6 ? finish(Status::ok, "the steps vanish")
                                                 : finish(Status::not_converged, detail::no_step);
    }
    return finish(Status::not_converged, "the iteration limit is reached");
}

/// The same behind the Optimizer concept.
struct LevenbergMarquardt {
    LevenbergMarquardtParams params{};

    template <LeastSquares F>
    [[nodiscard]] Minimum minimize(const F& f, const Parameters& start) const {
        return levenberg_marquardt(f, start, params);
    }
};

}  // namespace panto::opt
