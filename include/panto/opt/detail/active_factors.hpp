// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Orthogonal factors of a quadratic program under its active constraints: with L L' = H and the active normals N,
///
///     J = L^-T [Q1 Q2],    L^-1 N = Q1 R,    so that    J'HJ = I,    J'N = [R; 0]
///
/// A constraint is added by one reflection of the free columns and removed by rotations. Slower than ActiveTable, but
/// exact to rounding even for nearly parallel normals.

#pragma once

#include <panto/core/finite.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/opt/detail/scaled_program.hpp>

#include <Eigen/Core>
#include <Eigen/Jacobi>

#include <algorithm>
#include <cmath>

namespace panto::opt::detail {

template <int N, int All>
class ActiveFactors {
    using Program = ScaledProgram<N, All>;

  public:
    /// Square of the sine of the angle below which a normal counts as linearly dependent.
    static constexpr double parallel = 1e-20;

    /// For set-up.
    void resize(Eigen::Index n) {
        n_ = n;
        for (auto* A : {&L_, &J0_, &J_, &R_}) A->setZero(n, n);
        for (auto* v : {&x_, &d_, &z_, &y_, &step_}) v->setZero(n);
    }

    /// @return not_finite if H is not positive definite; pivot() says where.
    Status factor(const Eigen::MatrixXd& H) noexcept {
        for (Eigen::Index j = 0; j < n_; ++j) {
            const double pivot = H(j, j) - L_.row(j).head(j).squaredNorm();
            pivot_ = j, pivot_share_ = pivot / H(j, j);
            if (!(pivot > 1e-14 * H(j, j)) || !is_finite(pivot)) return Status::not_finite;
            L_(j, j) = std::sqrt(pivot);
            for (Eigen::Index i = j + 1; i < n_; ++i)
                L_(i, j) = (H(i, j) - L_.row(i).head(j).dot(L_.row(j).head(j))) / L_(j, j);
        }
        for (Eigen::Index i = 0; i < n_; ++i) {
            J0_(i, i) = 1.0 / L_(i, i);
            for (Eigen::Index j = i + 1; j < n_; ++j)
                J0_(i, j) = -L_.row(j).segment(i, j - i).dot(J0_.row(i).segment(i, j - i)) / L_(j, j);
        }
        return is_finite(J0_.sum()) ? Status::ok : Status::not_finite;
    }
    [[nodiscard]] Eigen::Index pivot() const noexcept { return pivot_; }
    [[nodiscard]] double pivot_share() const noexcept { return pivot_share_; }          ///< pivot / entry of H
    [[nodiscard]] const Eigen::MatrixXd& inverse_root() const noexcept { return J0_; }  ///< L^-T

    void clear() noexcept {
        J_ = J0_;
        q_ = 0;
    }
    [[nodiscard]] Eigen::Index count() const noexcept { return q_; }

    /// Length of a vector L^-1 v, that is sqrt(v' H^-1 v).
    template <class V>
    [[nodiscard]] double length(const V& v) noexcept {
        y_.noalias() = J0_.transpose() * v;
        return y_.norm();
    }
    [[nodiscard]] double length_of_unit(Eigen::Index c) const noexcept { return J0_.row(c).norm(); }

    /// Selects the constraint for the functions below. Returns the change of its value for a step of 1 towards it that
    /// leaves all active constraints unchanged.
    [[nodiscard]] double look_along(const Program& p, Eigen::Index c) noexcept {
        if (c < n_)
            d_ = p.scale[c] * J_.row(c).transpose();
        else
            d_.noalias() = J_.transpose() * p.normals.col(c - n_);
        return d_.tail(n_ - q_).squaredNorm();
    }
    /// The decrease of the multipliers by that step.
    void multipliers(Vector<double, N>& r) const noexcept { solve_R(r, d_); }
    void advance(double step) noexcept {
        z_.noalias() = J_.rightCols(n_ - q_) * d_.tail(n_ - q_);
        x_ += step * z_;
    }

    /// Adds the constraint of look_along() to the active ones.
    void join(double gain) noexcept {
        const Eigen::Index free = n_ - q_;
        const double fresh = std::sqrt(gain), first = d_[q_], alpha = first > 0.0 ? -fresh : fresh;
        auto J2 = J_.rightCols(free);
        if (free > 1) {
            d_[q_] -= alpha;
            z_.noalias() = J2 * d_.tail(free);
            z_ *= 1.0 / (fresh * (fresh + std::fabs(first)));
            J2.noalias() -= z_ * d_.tail(free).transpose();
        } else {
            J2.col(0) *= alpha / first;
        }
        R_.col(q_).head(q_) = d_.head(q_);
        R_(q_, q_) = alpha;
        ++q_;
    }

    /// Removes the k-th active constraint; the later ones move up.
    void leave(Eigen::Index k) noexcept {
        for (Eigen::Index j = k; j + 1 < q_; ++j) R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
        --q_;
        Eigen::JacobiRotation<double> turn;
        for (Eigen::Index j = k; j < q_; ++j) {
            double length = 0.0;
            turn.makeGivens(R_(j, j), R_(j + 1, j), &length);
            R_(j, j) = length;
            if (j + 1 < q_) R_.middleCols(j + 1, q_ - j - 1).applyOnTheLeft(j, j + 1, turn.adjoint());
            J_.applyOnTheRight(j, j + 1, turn);
        }
    }

    /// Finds the minimum with the active constraints at `sides`, and the multipliers `u` there.
    /// @return size of the problem, in the metric of H
    double begin(const Program& p, const Vector<double, N>& sides, Vector<double, N>& u) noexcept {
        x_.setZero();
        u.setZero();
        correct(x_, u, p.g, sides);
        return std::max(y_.norm(), slope_);
    }
    [[nodiscard]] double value(const Program& p, Eigen::Index c) const noexcept { return p.value(x_, c); }
    void values(const Program& p, Vector<double, All>& v) const noexcept {
        for (Eigen::Index c = 0; c < p.constraints(); ++c) v[c] = p.value(x_, c);
    }
    void point(const Vector<double, N>&, Vector<double, N>& x) const noexcept { x = x_; }

    /// Corrects x and the multipliers u so that the residual `gradient`, Hx + g - N u, and the distances `missing` of
    /// the active values from their sides vanish.
    void correct(Vector<double, N>& x, Vector<double, N>& u, const Vector<double, N>& gradient,
                 const Vector<double, N>& missing) noexcept {
        y_.noalias() = J_.transpose() * gradient;
        slope_ = y_.norm();
        for (Eigen::Index i = 0; i < q_; ++i) {
            step_[i] = (missing[i] - R_.col(i).head(i).dot(step_.head(i))) / R_(i, i);
            d_[i] = step_[i] + y_[i];
            y_[i] = step_[i];
        }
        y_.tail(n_ - q_) *= -1.0;
        x.noalias() += J_ * y_;
        solve_R(step_, d_);
        u.head(q_) += step_.head(q_);
    }

  private:
    void solve_R(Vector<double, N>& r, const Vector<double, N>& d) const noexcept {
        r.head(q_) = d.head(q_);
        for (Eigen::Index i = q_ - 1; i >= 0; --i) {
            r[i] /= R_(i, i);
            r.head(i) -= r[i] * R_.col(i).head(i);
        }
    }

    Eigen::Index n_ = 0, q_ = 0, pivot_ = 0;
    double slope_ = 0.0, pivot_share_ = 0.0;
    Eigen::MatrixXd L_, J0_, J_, R_;
    Vector<double, N> x_, d_, z_, y_, step_;
};

}  // namespace panto::opt::detail
