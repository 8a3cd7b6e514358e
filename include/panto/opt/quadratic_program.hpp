// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Strictly convex quadratic program with two-sided bounds and rows, dense, for use inside a control loop:
///
///     min 1/2 x'Hx + g'x    subject to    lower <= x <= upper,    row_lower <= A x <= row_upper
///
/// If the two sides of a bound or row are equal, it is an equality; an infinite side is no limit. H and A are factored
/// at set-up; g and the sides are given in every solve. Dual active-set method [Goldfarb 1983]: starting from the
/// minimum under the active constraints, each iteration makes the most violated constraint active and drops those that
/// stand in its way. The cost rises in every iteration, so no active set occurs twice. A solution keeps its bounds
/// exactly and each row to 1e-9 of the magnitudes of its terms; during the search, tolerances are lengths in the metric
/// of H. Which constraint is the most violated, however, is decided by its distance from x in the units of x. The
/// computation uses a table of all constraints, or orthogonal factors if the table is not accurate enough.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/opt/detail/active_factors.hpp>
#include <panto/opt/detail/active_table.hpp>
#include <panto/opt/detail/scaled_program.hpp>
#include <panto/opt/quadratic_limits.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

namespace panto::opt {

/// Sizes are fixed at compile time, or at set-up if N or M is Dynamic. Constraints are numbered: bounds 0 to n-1, rows
/// n to n+m-1.
template <int N = Dynamic, int M = Dynamic>
class QuadraticProgram {
    static constexpr int All = sum_size(N, M);
    static constexpr const char* where = "opt::QuadraticProgram";

  public:
    using Limits = QuadraticLimits<N, M>;

    /// @throws SetupError if H is not symmetric positive definite, A does not have n columns, an entry is not finite,
    /// or N or M is fixed and the matrices have another size.
    template <class DerivedH, class DerivedA>
    QuadraticProgram(const Eigen::MatrixBase<DerivedH>& H, const Eigen::MatrixBase<DerivedA>& A)
        : n_(H.rows()), m_(A.rows()), limit_(static_cast<int>(10 * (n_ + m_) + 20)) {
        set_up(H, A);
    }
    /// A program with bounds only.
    template <class DerivedH>
    explicit QuadraticProgram(const Eigen::MatrixBase<DerivedH>& H)
        : QuadraticProgram(H, Eigen::MatrixXd::Zero(0, H.cols())) {}

    /// Replaces the matrices by others of the same sizes, for plants that change with time. Only the lower triangle of
    /// H is used. The active set is kept for the next solve.
    /// @return ok; out_of_range for other sizes, and nothing changes; not_finite if an entry is not finite or H is not
    /// positive definite: then solve() returns the same until a change succeeds. @rt
    template <class DerivedH, class DerivedA>
    Status change(const Eigen::MatrixBase<DerivedH>& H, const Eigen::MatrixBase<DerivedA>& A) noexcept {
        if (H.rows() != n_ || H.cols() != n_ || A.rows() != m_ || A.cols() != n_) return Status::out_of_range;
        p_.H = H.template selfadjointView<Eigen::Lower>();
        p_.normals = A.transpose();
        return prepare();
    }

    /// Solves the program, starting from the constraints that were active at the end of the last solve.
    /// @return ok: feasible and stationary, both checked. not_converged: iterations or time ran out, or the problem is
    /// too ill-conditioned; x() is the best feasible point known, see feasible(). infeasible: proven, see
    /// certificate(). not_finite: g is not finite or a side is not a number; x() does not change. out_of_range: wrong
    /// sizes. @rt
    Status solve(const Vector<double, N>& g, const Limits& limits) noexcept {
        iterations_ = changes_ = 0;
        if (g.size() != n_ || limits.lower.size() != n_ || limits.upper.size() != n_ || limits.row_lower.size() != m_ ||
            limits.row_upper.size() != m_)
            return Status::out_of_range;
        if (!ready_ || !p_.take(g, limits)) return Status::not_finite;
        for (Eigen::Index c = 0; c < n_ + m_; ++c)
            if (!(p_.lower[c] <= p_.upper[c]) || p_.lower[c] > largest || p_.upper[c] < -largest) {
                certificate_.setZero();
                certificate_[c] = 1.0;
                feasible_ = false;
                return Status::infeasible;
            }

        previous_ = x_;
        first_members_ = members_, first_state_ = state_;
        const Eigen::Index first_count = count_;
        const bool was_coarse = coarse_;
        Status status = coarse_  ? attempt_anew(factors_, limits)
                        : stale_ ? attempt_anew(table_, limits)
                                 : attempt(table_, limits);
        if (status == Status::not_converged && goes_on() && !coarse_) {
            // The table is not accurate enough, or has lost accuracy in many updates: retry the set with the factors.
            members_ = first_members_, state_ = first_state_, count_ = first_count;
            changes_ = 0;
            coarse_ = true;
            status = attempt_anew(factors_, limits);
        }
        if (status == Status::not_converged && goes_on()) status = attempt_anew(factors_, limits, 0);
        // The next solve begins with the factors too, until the active set changes: the table may suit the new one.
        if (coarse_) stale_ = true, coarse_ = status == Status::ok && (!was_coarse || changes_ == 0);
        for (Eigen::Index i = 0; i < count_; ++i) multipliers_[members_[i]] = u_[i] * p_.scale[members_[i]];
        feasible_ = status == Status::ok;
        if (!feasible_) settle(limits);
        return status;
    }

    /// The next solve starts without active constraints. @rt
    void forget() noexcept {
        count_ = 0;
        state_.setZero();
        stale_ = true, coarse_ = false;
    }

    /// A point expected to be feasible. If a solve ends early, it is used in place of the last solution. @rt
    Status guess(const Vector<double, N>& x) noexcept {
        if (x.size() != n_) return Status::out_of_range;
        if (!is_finite(x.sum())) return Status::not_finite;
        x_ = x;
        return Status::ok;
    }

    /// Limits the iterations of a solve, each of which adds or removes a constraint; the default is 10 (n + m) + 20.
    /// @throws SetupError if it is negative.
    void limit_iterations(int most) {
        require(most >= 0, where, "limit_iterations is ", most, ", must be at least 0");
        limit_ = most;
    }
    /// For a deadline: ends a solve as soon as `late(of)` is true, which is asked before every iteration and must stay
    /// true until the solve returns. No clock is read otherwise; nullptr: no deadline.
    void stop_when(bool (*late)(void* of) noexcept, void* of = nullptr) noexcept { late_ = late, of_ = of; }

    [[nodiscard]] const Vector<double, N>& x() const noexcept { return x_; }
    /// Multipliers [y; z] of bounds and rows, Hx + g = y + A'z; positive at a lower side, negative at an upper one.
    [[nodiscard]] const Vector<double, All>& multipliers() const noexcept { return multipliers_; }
    /// For each constraint: 0 not active, -1 at its lower side, +1 at its upper side.
    [[nodiscard]] const Eigen::Matrix<signed char, All, 1>& active() const noexcept { return state_; }
    [[nodiscard]] int active_count() const noexcept { return static_cast<int>(count_); }
    [[nodiscard]] int iterations() const noexcept { return iterations_; }  ///< of the last solve
    [[nodiscard]] int changes() const noexcept { return changes_; }        ///< constraints added or removed
    [[nodiscard]] bool feasible() const noexcept { return feasible_; }     ///< x() satisfies all constraints
    [[nodiscard]] double residual() const noexcept { return residual_; }   ///< largest |Hx + g - A'y| of an ok solve
    /// Largest violation of any constraint at the x() of an ok solve, in its own unit.
    [[nodiscard]] double violation() const noexcept { return violation_; }
    /// After `infeasible`: weights y of the constraints, positive for a lower side and negative for an upper one, with
    /// y'[I; A] = 0 and a positive sum of weights times sides, so no x satisfies all of them. If the sides of one
    /// constraint cross, its weight is 1 and the others are 0.
    [[nodiscard]] const Vector<double, All>& certificate() const noexcept { return certificate_; }

  private:
    static constexpr double largest = std::numeric_limits<double>::max();
    static constexpr double rounding = std::numeric_limits<double>::epsilon();

    void set_up(const Eigen::MatrixXd& H, const Eigen::MatrixXd& A) {
        detail::require_program(H, A, N, M, where);
        p_.resize(n_, m_);
        p_.H = 0.5 * (H + H.transpose());
        p_.normals = A.transpose();
        factors_.resize(n_);
        table_.resize(n_, n_ + m_);
        for (auto* v : {&x_, &previous_, &u_, &r_, &gradient_, &missing_}) v->setZero(n_);
        for (auto* v : {&multipliers_, &certificate_, &over_}) v->setZero(n_ + m_);
        members_.setZero(n_), first_members_.setZero(n_);
        state_.setZero(n_ + m_), first_state_.setZero(n_ + m_);
        const Status status = prepare();
        require(status == Status::ok, where, "H is not positive definite: pivot ", factors_.pivot(),
                " of its factor is ", factors_.pivot_share(), " of the diagonal, must be above 1e-14");
    }

    Status prepare() noexcept {
        ready_ = factors_.factor(p_.H) == Status::ok && p_.scale_all(factors_);
        if (ready_) table_.prepare(p_, factors_.inverse_root());
        stale_ = true, coarse_ = false;
        return ready_ ? Status::ok : Status::not_finite;
    }

    [[nodiscard]] bool goes_on() const noexcept { return iterations_ < limit_ && !(late_ && late_(of_)); }
    [[nodiscard]] double side(Eigen::Index c) const noexcept { return state_[c] > 0 ? p_.upper[c] : p_.lower[c]; }

    template <class F>
    void join(F& f, Eigen::Index c, int side, double gain, double multiplier) noexcept {
        u_[count_] = multiplier;
        members_[count_++] = static_cast<int>(c);
        state_[c] = static_cast<signed char>(side);
        f.join(gain);
    }
    template <class F>
    void leave(F& f, Eigen::Index k) noexcept {
        ++changes_;
        state_[members_[k]] = 0;
        --count_;
        for (Eigen::Index j = k; j < count_; ++j) members_[j] = members_[j + 1], u_[j] = u_[j + 1];
        f.leave(k);
    }
    /// Makes an attempt that starts from the first `keep` members, factored anew, without linearly dependent ones.
    template <class F>
    Status attempt_anew(F& f, const Limits& limits, Eigen::Index keep = std::numeric_limits<int>::max()) noexcept {
        const Eigen::Index before = count_;
        f.clear();
        count_ = 0;
        for (Eigen::Index k = 0; k < before; ++k) {
            const Eigen::Index c = members_[k];
            const int side = state_[c] > 0 ? 1 : -1;
            state_[c] = 0;
            if (k >= keep) continue;
            if (const double gain = f.look_along(p_, c); gain > 1e3 * F::parallel) join(f, c, side, gain, 0.0);
        }
        stale_ = false;
        return attempt(f, limits);
    }
    /// Searches, and checks the result.
    template <class F>
    Status attempt(F& f, const Limits& limits) noexcept {
        multipliers_.setZero();
        while (!start(f)) {
        }
        if (!is_finite(size_)) return Status::not_converged;
        for (;;) {
            f.values(p_, over_);
            over_ = (p_.lower - over_).cwiseMax(over_ - p_.upper).cwiseProduct(p_.distance);
            for (Eigen::Index i = 0; i < count_; ++i) over_[members_[i]] = 0.0;
            Eigen::Index worst = p_.farthest(over_, size_);
            double missing = worst < 0 ? 0.0 : p_.excess(worst, f.value(p_, worst));
            if (worst < 0 || missing <= 1e6 * p_.tolerance(worst, size_)) {
                // This may be rounding of an ill-conditioned set: check whether the refined point satisfies everything.
                f.point(u_, x_);
                if (polished(f, limits, worst < 0 ? 3 : 1)) return Status::ok;
                if (worst < 0) worst = violated_, missing = worst < 0 ? 0.0 : p_.excess(worst, f.value(p_, worst));
                if (!(missing > 0.0)) return Status::not_converged;
            }
            if (const Status status = satisfy(f, worst, missing); status != Status::ok) {
                f.point(u_, x_);
                return status;
            }
        }
    }

    /// Minimum under the active constraints. False if some had to be dropped because their multipliers had the wrong
    /// sign.
    template <class F>
    bool start(F& f) noexcept {
        for (Eigen::Index i = count_ - 1; i >= 0; --i)
            if (!(std::fabs(side(members_[i])) <= largest)) leave(f, i);  // this side is infinite now
        for (Eigen::Index i = 0; i < count_; ++i) missing_[i] = side(members_[i]);
        size_ = f.begin(p_, missing_, u_);
        const Eigen::Index before = count_;
        for (Eigen::Index i = count_ - 1; i >= 0; --i)
            if (!p_.fixed(members_[i]) && u_[i] * state_[members_[i]] > 1e-11 * size_) leave(f, i);
        return count_ == before;
    }

    /// Makes constraint c, which is violated by `missing`, active.
    template <class F>
    Status satisfy(F& f, Eigen::Index c, double missing) noexcept {
        const int side = p_.lower[c] > f.value(p_, c) ? -1 : 1;
        const double sign = -side;  // of its multiplier
        double own = 0.0;
        for (;;) {
            if (!goes_on()) return Status::not_converged;
            ++iterations_;
            const double gain = f.look_along(p_, c);
            const bool direction = gain > F::parallel;
            f.multipliers(r_);
            double step = direction ? missing / gain : largest;
            Eigen::Index blocks = -1;
            const double least = noise();
            for (Eigen::Index k = 0; k < count_; ++k) {
                const double towards = -static_cast<double>(state_[members_[k]]), speed = towards * sign * r_[k];
                if (!(speed > least) || p_.fixed(members_[k])) continue;
                const double reach = std::max(0.0, towards * u_[k]) / speed;
                if (reach < step) step = reach, blocks = k;
            }
            if (!direction && blocks < 0) return prove(c, sign);
            if (direction) f.advance(sign * step);
            u_.head(count_) -= (sign * step) * r_.head(count_);
            own += sign * step;
            if (blocks < 0) {
                ++changes_;
                join(f, c, side, gain, own);
                return Status::ok;
            }
            if (direction) missing -= step * gain;
            leave(f, blocks);
        }
    }
    /// Rounding error of the entries of r, which all have the same unit.
    [[nodiscard]] double noise() const noexcept {
        return count_ > 0 ? 1e-12 * r_.head(count_).cwiseAbs().maxCoeff() : 0.0;
    }

    /// Infeasible if the normal of c is a combination of active normals that cannot be dropped. The data must confirm
    /// it: no x with sqrt(x'Hx) below some radius is feasible, and this radius exceeds all sizes in the problem.
    Status prove(Eigen::Index c, double sign) noexcept {
        certificate_.setZero();
        certificate_[c] = sign;
        const double least = noise();
        for (Eigen::Index k = 0; k < count_; ++k)
            if (p_.fixed(members_[k]) || std::fabs(r_[k]) > least) certificate_[members_[k]] = -sign * r_[k];
        const auto sum = p_.combine(certificate_, gradient_, missing_);
        const bool cancels = (gradient_.array().abs() <= 1e-9 * missing_.array()).all();
        certificate_.array() *= p_.scale.array();
        const double rest = factors_.length(gradient_);
        const bool proven = cancels && sum.gap > 256.0 * rounding * sum.terms && rest <= 1e-10 * sum.weights &&
                            sum.gap > 1e3 * std::max(size_, sum.terms) * rest;
        return proven ? Status::infeasible : Status::not_converged;
    }
    /// Puts x_ into the bounds, computes its residuals from the data, and refines x_ if they are above rounding. True
    /// if x_ is then a solution. If not, violated_ is the row that needs to become active.
    template <class F>
    bool polished(F& f, const Limits& limits, int passes) noexcept {
        for (int pass = 0;; ++pass) {
            for (Eigen::Index c = 0; c < n_; ++c) x_[c] = std::clamp(x_[c], limits.lower[c], limits.upper[c]);
            gradient_.noalias() = p_.H * x_;
            size_ = std::max(size_, std::sqrt(std::max(0.0, x_.dot(gradient_))));
            gradient_ += p_.g;
            double gap = 0.0;
            for (Eigen::Index i = 0; i < count_; ++i) {
                const Eigen::Index c = members_[i];
                missing_[i] = side(c) - p_.value(x_, c);
                gap = std::max(gap, std::fabs(missing_[i]));
                p_.add_normal(gradient_, c, -u_[i]);
            }
            const double rest = gradient_.cwiseQuotient(p_.root).cwiseAbs().maxCoeff();
            const bool there = std::max(rest, gap) <= (pass > 0 ? 1e-13 : 1e-15) * size_;
            const bool good = (pass > 0 || there) && fits(rest);  // before a refinement dependent rows magnify the rest
            if (good ? there || pass > passes : pass >= passes || !is_finite(rest)) return good;
            f.correct(x_, u_, gradient_, missing_);
        }
    }
    /// Checks x_. gradient_ is what the active constraints leave of the gradient, `rest` its largest scaled entry.
    bool fits(double rest) noexcept {
        residual_ = gradient_.cwiseAbs().maxCoeff();
        bool good = is_finite(rest) && rest <= 1e-10 * size_;
        violation_ = 0.0, violated_ = -1;
        double most = 0.0;
        for (Eigen::Index c = n_; c < n_ + m_; ++c) {
            const double at = p_.value(x_, c), over = p_.excess(c, at);
            violation_ = std::max(violation_, over / p_.scale[c]);
            if (p_.row_holds(c, x_, at, size_)) continue;
            good = false;
            if (state_[c] == 0 && over > most) most = over, violated_ = c;
        }
        for (Eigen::Index i = 0; i < count_; ++i)
            good = good && (p_.fixed(members_[i]) || u_[i] * state_[members_[i]] <= 1e-9 * size_);
        return good;
    }

    void into_box(Vector<double, N>& x, const Limits& limits) const noexcept {
        for (Eigen::Index c = 0; c < n_; ++c)
            x[c] = std::clamp(is_finite(x[c]) ? x[c] : 0.0, limits.lower[c], limits.upper[c]);
    }
    [[nodiscard]] bool satisfies_rows(const Vector<double, N>& x) const noexcept {
        for (Eigen::Index c = n_; c < n_ + m_; ++c)
            if (!p_.row_holds(c, x, p_.value(x, c), size_)) return false;
        return true;
    }

    /// After an early end: moves from a feasible point towards the iterate as far as cost and rows allow.
    void settle(const Limits& limits) noexcept {
        into_box(x_, limits), into_box(previous_, limits);
        feasible_ = satisfies_rows(x_);
        if (!satisfies_rows(previous_)) return;
        r_ = x_ - previous_;
        double reach = 1.0;
        for (Eigen::Index c = n_; c < n_ + m_; ++c) {
            const double speed = p_.value(r_, c), at = p_.value(previous_, c);
            const double room = std::max(0.0, speed > 0.0 ? p_.upper[c] - at : at - p_.lower[c]);
            if (std::fabs(speed) * reach > room) reach = room / std::fabs(speed);
        }
        gradient_ = p_.g;
        gradient_.noalias() += p_.H * previous_;
        const double slope = gradient_.dot(r_);
        gradient_.noalias() = p_.H * r_;
        const double curvature = gradient_.dot(r_);
        const double best = slope < 0.0 && curvature > 0.0 ? -slope / curvature : 0.0;
        x_ = previous_ + std::min(reach, best) * r_;
        into_box(x_, limits);
        feasible_ = true;
    }

    Eigen::Index n_, m_, count_ = 0, violated_ = -1;
    int limit_ = 0, iterations_ = 0, changes_ = 0;
    bool (*late_)(void*) noexcept = nullptr;
    void* of_ = nullptr;
    bool ready_ = false, feasible_ = false;
    bool stale_ = true;    // the table does not know the active set
    bool coarse_ = false;  // the table is too coarse for this set
    double size_ = 0.0, residual_ = 0.0, violation_ = 0.0;
    detail::ScaledProgram<N, All> p_;
    detail::ActiveTable<N, All> table_;
    detail::ActiveFactors<N, All> factors_;
    Vector<double, N> x_, previous_, u_, r_, gradient_, missing_;
    Vector<double, All> multipliers_, certificate_, over_;
    Eigen::Matrix<int, N, 1> members_, first_members_;
    Eigen::Matrix<signed char, All, 1> state_, first_state_;
};

}  // namespace panto::opt
