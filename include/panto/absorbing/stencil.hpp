// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Explicit absorbing boundary of a one-dimensional scheme: each of the H boundary points, which the interior scheme
/// cannot compute, is a weighted sum of earlier values of the points near it,
///     u_k^{n+1} = sum_{i < levels} sum_{j < reach} S[k][i][j] u_j^{n-i},   k = 0..H-1   (left end),
/// Eq. (10) of Publication B. The right end is the mirror image. Conditions that also use the *new* values of
/// points further inside (Mur, Higdon) have weights of level n+1 as well.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <Eigen/Core>

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

namespace panto::wave {

/// The size of an absorbing stencil: boundary points times levels times reach.
struct AbsorbingForm {
    int boundary_points = 2;  ///< half width of the interior scheme: 1 for a string, 2 for a beam
    int levels = 1;           ///< N_t, time levels in the past
    int reach = 4;            ///< N_x, points from the border on

    [[nodiscard]] int size() const { return boundary_points * levels * reach; }
    friend bool operator==(const AbsorbingForm&, const AbsorbingForm&) = default;
};

/// The weights of an absorbing boundary, which is an `End` of a march on either side. With all weights 0 it is a
/// clamped end.
class AbsorbingStencil {
  public:
    static constexpr int most = 64;  ///< of levels and of reach; bounds the work of a step

    /// @throws SetupError if the form is empty, too large, or reaches less far than the boundary.
    explicit AbsorbingStencil(const AbsorbingForm& form = {})
        : AbsorbingStencil(form, Eigen::VectorXd::Zero(checked(form))) {}

    /// `weights` in the order of S[k][i][j], j fastest.
    /// @throws SetupError as above, if the number of weights is wrong or one is not finite.
    AbsorbingStencil(const AbsorbingForm& form, Eigen::VectorXd weights) : form_(form), weights_(std::move(weights)) {
        const int size = checked(form);
        require(weights_.size() == size, where, "there are ", weights_.size(), " weights, expected ", size,
                ": boundary points times levels times reach");
        for (const double w : weights_) require_finite(w, where, "a weight");
        new_weights_.setZero(form.boundary_points, form.reach);
    }

    /// The same with `new_weights` of the new values of points further inside: row k, column j > k.
    /// @throws SetupError as above, or if a point would depend on itself or on a point further out.
    AbsorbingStencil(const AbsorbingForm& form, Eigen::VectorXd weights, Eigen::MatrixXd new_weights)
        : AbsorbingStencil(form, std::move(weights)) {
        require(new_weights.rows() == form.boundary_points && new_weights.cols() == form.reach, where,
                "new_weights is ", new_weights.rows(), " by ", new_weights.cols(), ", must be ", form.boundary_points,
                " by ", form.reach, ": boundary points by reach");
        for (int k = 0; k < form.boundary_points; ++k)
            for (int j = 0; j < form.reach; ++j) {
                require_finite(new_weights(k, j), where, "a new weight");
                require(j > k || std::abs(new_weights(k, j)) <= 0.0, where, "new_weights(", k, ",", j,
                        ") is not 0, must be 0 for j <= k");
            }
        new_weights_ = std::move(new_weights);
    }

    [[nodiscard]] const AbsorbingForm& form() const noexcept { return form_; }
    [[nodiscard]] const Eigen::VectorXd& weights() const noexcept { return weights_; }
    /// The place of S[k][i][j] in weights().
    [[nodiscard]] int index(int k, int i, int j) const noexcept { return (k * form_.levels + i) * form_.reach + j; }
    /// S[k][i][j] and the weight of a new value; NaN outside the form.
    [[nodiscard]] double weight(int k, int i, int j) const noexcept {
        return reads(k, j) && i >= 0 && i < form_.levels ? weights_[index(k, i, j)] : no_number<double>();
    }
    [[nodiscard]] double new_weight(int k, int j) const noexcept {
        return reads(k, j) ? new_weights_(k, j) : no_number<double>();
    }

    /// The response of point k to a constant: 1 if constants are preserved.
    /// @throws SetupError if there is no such point.
    [[nodiscard]] double row_sum(int k) const {
        require_point(k, "wave::AbsorbingStencil::row_sum");
        return weights_.segment(index(k, 0, 0), form_.levels * form_.reach).sum() + new_weights_.row(k).sum();
    }

    /// @throws SetupError if there is no boundary point k.
    void require_point(int k, const char* who) const {
        if (k < 0 || k >= points())
            throw SetupError(std::string(who) + ": k is " + std::to_string(k) + ", must be from 0 to " +
                             std::to_string(points() - 1));
    }
    /// Whether points use new values further inside (Mur, Higdon).
    [[nodiscard]] bool has_new_weights() const { return new_weights_.cwiseAbs().maxCoeff() > 0.0; }

    // The interface of an End.
    [[nodiscard]] int points() const noexcept { return form_.boundary_points; }
    [[nodiscard]] int past_levels() const noexcept { return form_.levels; }
    [[nodiscard]] int reach() const noexcept { return form_.reach; }
    [[nodiscard]] Eigen::MatrixXd next_rows() const {
        Eigen::MatrixXd rows = -new_weights_;
        for (int k = 0; k < points(); ++k) rows(k, k) = 1.0;
        return rows;
    }
    [[nodiscard]] Eigen::MatrixXd past_rows(int i) const {
        Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(points(), reach());
        if (i < past_levels())
            for (int k = 0; k < points(); ++k) rows.row(k) = weights_.segment(index(k, i, 0), reach()).transpose();
        return rows;
    }
    /// Writes the sums over the past levels to the new values of the boundary points. @rt
    template <class EdgeView>
    void apply(const EdgeView& u) const noexcept {
        using Scalar = std::remove_cvref_t<decltype(u.next(0))>;
        const double* w = weights_.data();
        for (int k = 0; k < form_.boundary_points; ++k) {
            Scalar sum(0.0);
            for (int i = 0; i < form_.levels; ++i)
                for (int j = 0; j < form_.reach; ++j) sum += Scalar(*w++) * u.past(i, j);
            u.next(k) = sum;
        }
    }
    /// The stencil has no memory of its own. @rt
    void reset() const noexcept {}

  private:
    static constexpr const char* where = "wave::AbsorbingStencil";

    bool reads(int k, int j) const noexcept { return k >= 0 && k < points() && j >= 0 && j < reach(); }

    static int checked(const AbsorbingForm& f) {
        const auto check = [](int value, const char* field, int lowest) {
            require(value >= lowest && value <= most, where, field, " is ", value, ", must be from ", lowest, " to ",
                    most);
        };
        check(f.boundary_points, "boundary_points", 1);
        check(f.levels, "levels", 1);
        check(f.reach, "reach", f.boundary_points);
        return f.size();
    }

    AbsorbingForm form_;
    Eigen::VectorXd weights_;
    Eigen::MatrixXd new_weights_;
};

}  // namespace panto::wave
