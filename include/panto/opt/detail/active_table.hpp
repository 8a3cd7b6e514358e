// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A quadratic program in terms of its constraints, with all scaled normals A and the active set W:
///
///     M = A H^-1 A',    values    A x = A x0 + M_W u,    x0 = -H^-1 g,    x = x0 + H^-1 A_W' u
///
/// M is computed at set-up. M_WW^-1 is updated: it gets a row and a column when a constraint is added, and loses them
/// when one is removed. A change takes about as long as one product H x and needs no triangular solve. A loss of
/// accuracy near linearly dependent normals is detected at the end; ActiveFactors then takes over.

#pragma once

#include <panto/core/real.hpp>
#include <panto/opt/detail/scaled_program.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace panto::opt::detail {

template <int N, int All>
class ActiveTable {
    using Program = ScaledProgram<N, All>;

  public:
    /// Square of the sine of the angle below which a normal counts as linearly dependent.
    static constexpr double parallel = 1e-11;

    /// For set-up.
    void resize(Eigen::Index n, Eigen::Index all) {
        n_ = n;
        H_inverse_.setZero(n, n), S_.setZero(n, n);
        reach_.setZero(n, all), M_.setZero(all, all), M_W_.setZero(all, n);
        for (auto* v : {&r_, &s_, &x0_}) v->setZero(n);
        value_.setZero(all), way_.setZero(all);
        member_.setZero(n);
    }
    /// `J` is L^-T. Only products of matrix and vector, because larger products may allocate.
    void prepare(const Program& p, const Eigen::MatrixXd& J) noexcept {
        for (Eigen::Index c = 0; c < n_; ++c) {
            s_.noalias() = J.rightCols(n_ - c) * J.row(c).tail(n_ - c).transpose();
            H_inverse_.col(c) = s_;
            reach_.col(c) = p.scale[c] * s_;
        }
        for (Eigen::Index c = n_; c < p.constraints(); ++c)
            reach_.col(c).noalias() = H_inverse_ * p.normals.col(c - n_);
        for (Eigen::Index c = 0; c < p.constraints(); ++c) {
            M_.col(c).head(n_) = p.scale.head(n_).cwiseProduct(reach_.col(c));
            M_.col(c).tail(p.m).noalias() = p.normals.transpose() * reach_.col(c);
        }
        clear();
    }

    void clear() noexcept { q_ = 0; }
    [[nodiscard]] Eigen::Index count() const noexcept { return q_; }

    [[nodiscard]] double look_along(const Program&, Eigen::Index c) noexcept {
        now_ = static_cast<int>(c);
        for (Eigen::Index i = 0; i < q_; ++i) s_[i] = M_(member_[i], c);
        r_.head(q_).noalias() = S_.topLeftCorner(q_, q_) * s_.head(q_);
        return q_ < n_ ? M_(c, c) - s_.head(q_).dot(r_.head(q_)) : 0.0;
    }
    void multipliers(Vector<double, N>& r) const noexcept { r.head(q_) = r_.head(q_); }
    void advance(double step) noexcept {
        way_ = M_.col(now_);
        way_.noalias() -= M_W_.leftCols(q_) * r_.head(q_);
        value_ += step * way_;
    }

    void join(double gain) noexcept {
        s_.head(q_) = r_.head(q_) / gain;
        for (Eigen::Index j = 0; j < q_; ++j) S_.col(j).head(q_) += r_[j] * s_.head(q_);
        S_.col(q_).head(q_) = -s_.head(q_);
        S_.row(q_).head(q_) = -s_.head(q_).transpose();
        S_(q_, q_) = 1.0 / gain;
        M_W_.col(q_) = M_.col(now_);
        member_[q_++] = now_;
    }
    void leave(Eigen::Index k) noexcept {
        const Eigen::Index behind = q_ - 1 - k;
        s_.head(q_) = S_.col(k).head(q_);
        for (Eigen::Index j = 0, to = 0; j < q_; ++j) {
            if (j == k) continue;
            const double w = s_[j] / s_[k];
            r_.head(q_) = S_.col(j).head(q_) - w * s_.head(q_);
            S_.col(to).head(k) = r_.head(k);
            S_.col(to).segment(k, behind) = r_.segment(k + 1, behind);
            ++to;
        }
        for (Eigen::Index j = k; j + 1 < q_; ++j) {
            M_W_.col(j) = M_W_.col(j + 1);
            member_[j] = member_[j + 1];
        }
        --q_;
    }

    double begin(const Program& p, const Vector<double, N>& sides, Vector<double, N>& u) noexcept {
        x0_.noalias() = H_inverse_ * p.g;
        x0_ *= -1.0;
        value_.head(n_) = p.scale.head(n_).cwiseProduct(x0_);
        value_.tail(p.m).noalias() = p.normals.transpose() * x0_;
        for (Eigen::Index i = 0; i < q_; ++i) s_[i] = sides[i] - value_[member_[i]];
        u.head(q_).noalias() = S_.topLeftCorner(q_, q_) * s_.head(q_);
        const double pull = -p.g.dot(x0_);
        double length = pull;  // of x in the metric of H, squared
        for (Eigen::Index i = 0; i < q_; ++i) length += u[i] * (sides[i] + value_[member_[i]]);
        value_.noalias() += M_W_.leftCols(q_) * u.head(q_);
        return std::sqrt(std::max({0.0, pull, length}));
    }
    [[nodiscard]] double value(const Program&, Eigen::Index c) const noexcept { return value_[c]; }
    void values(const Program&, Vector<double, All>& v) const noexcept { v = value_; }
    void point(const Vector<double, N>& u, Vector<double, N>& x) const noexcept {
        x = x0_;
        for (Eigen::Index i = 0; i < q_; ++i) x += u[i] * reach_.col(member_[i]);
    }

    void correct(Vector<double, N>& x, Vector<double, N>& u, const Vector<double, N>& gradient,
                 const Vector<double, N>& missing) noexcept {
        for (Eigen::Index i = 0; i < q_; ++i) s_[i] = missing[i] + reach_.col(member_[i]).dot(gradient);
        r_.head(q_).noalias() = S_.topLeftCorner(q_, q_) * s_.head(q_);
        u.head(q_) += r_.head(q_);
        x.noalias() -= H_inverse_ * gradient;
        for (Eigen::Index i = 0; i < q_; ++i) x += r_[i] * reach_.col(member_[i]);
    }

  private:
    Eigen::Index n_ = 0, q_ = 0;
    int now_ = 0;
    Eigen::MatrixXd H_inverse_, reach_ /* H^-1 A' */, M_, M_W_, S_ /* M_WW^-1 */;
    Vector<double, N> r_, s_, x0_;
    Vector<double, All> value_, way_;
    Eigen::Matrix<int, N, 1> member_;
};

}  // namespace panto::opt::detail
