// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Absorbing edge of the wave equation in two dimensions: the points of the edge x = 0 are weighted sums of earlier
/// values of the points near them, j cells from the edge and q cells along it,
///     u_{0,l}^{n+1} = sum_i sum_j sum_q S[i][j][|q|] u_{j,l+q}^{n-i} + sum_{j>0} sum_q N[j][|q|] u_{j,l+q}^{n+1} ,
/// i = 0..levels-1, j = 0..points-1, q = -h..h with across = 2 h + 1. This is the stencil (N_x, N_y, N_t) of
/// Publication B, Eq. (39), plus weights N of new values further inside, which Mur's and Higdon's conditions need. The
/// weights do not depend on the sign of q. The edge x = l_x is the mirror image.
///
/// Corners belong to the edges y = 0 and y = l_y, which are held at zero (Dirichlet): the absorbing edge has the points
/// l = 1..last-1 only, and a point beyond a held edge is the negative of its mirror image, u_{j,-q} = -u_{j,q}.

#pragma once

#include <panto/core/check.hpp>
#include <panto/wave/wave_equation_2d.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

/// (N_x, N_y, N_t).
struct EdgeForm {
    int points = 5;  ///< N_x, from the edge inwards
    int across = 3;  ///< N_y, odd, along the edge
    int levels = 2;  ///< N_t, time levels in the past

    [[nodiscard]] int rings() const { return (across + 1) / 2; }  ///< number of different |q|
    [[nodiscard]] int size() const { return levels * rings() * points; }
    friend bool operator==(const EdgeForm&, const EdgeForm&) = default;
};

class EdgeStencil {
  public:
    static constexpr int most = 16;  ///< points, across and levels: bounds the work of a step

    /// All weights are 0, which is a held edge.
    /// @throws SetupError if the form is empty or too large, or across is even.
    explicit EdgeStencil(EdgeForm form = {}) : EdgeStencil(form, Eigen::VectorXd::Zero(checked(form))) {}

    /// `weights` level by level, within it ring by ring, from the edge inwards: (n, q = 0), (n, q = +-1), ..., (n-1, 0)
    /// ...
    /// @throws SetupError as above, if the number of weights is wrong or one is not finite.
    EdgeStencil(EdgeForm form, Eigen::VectorXd weights)
        : EdgeStencil(form, std::move(weights), nothing_new(checked_form(form))) {}

    /// With weights of new values, `new_weights(q, j)`; column 0, the edge itself, must be zero.
    /// @throws SetupError as above.
    EdgeStencil(EdgeForm form, Eigen::VectorXd weights, Eigen::MatrixXd new_weights)
        : form_(form), weights_(std::move(weights)), new_weights_(std::move(new_weights)) {
        constexpr const char* where = "wave::EdgeStencil";
        const int size = checked(form);
        require(weights_.size() == size, where, "there are ", weights_.size(), " weights, expected ", size,
                ": levels times different distances along the edge times points");
        require(new_weights_.rows() == form.rings() && new_weights_.cols() == form.points, where, "new_weights is ",
                new_weights_.rows(), " by ", new_weights_.cols(), ", must be ", form.rings(), " by ", form.points,
                ": different distances along the edge by points");
        for (const double w : weights_) require_finite(w, where, "a weight");
        for (const double w : new_weights_.reshaped()) require_finite(w, where, "a new weight");
        require(new_weights_.col(0).cwiseAbs().maxCoeff() <= 0.0, where,
                "column 0 of new_weights, the edge itself, must be 0");
    }

    [[nodiscard]] const EdgeForm& form() const noexcept { return form_; }
    [[nodiscard]] const Eigen::VectorXd& weights() const noexcept { return weights_; }
    [[nodiscard]] int index(int i, int j, int q) const noexcept { return (i * form_.rings() + q) * form_.points + j; }
    /// The weight of level n-i, j cells from the edge, q >= 0 cells along it (to either side); NaN outside the form.
    [[nodiscard]] double weight(int i, int j, int q) const noexcept {
        return reads(j, q) && i >= 0 && i < form_.levels ? weights_[index(i, j, q)] : no_number<double>();
    }
    [[nodiscard]] double new_weight(int j, int q) const noexcept {
        return reads(j, q) ? new_weights_(q, j) : no_number<double>();
    }

    /// The response of the edge to a constant: 1 if constants are preserved.
    [[nodiscard]] double sum() const {
        double total = 0.0;
        for (int q = 0; q < form_.rings(); ++q)
            for (int j = 0; j < form_.points; ++j) {
                double at = new_weight(j, q);
                for (int i = 0; i < form_.levels; ++i) at += weight(i, j, q);
                total += (q == 0 ? 1.0 : 2.0) * at;
            }
        return total;
    }

  private:
    bool reads(int j, int q) const noexcept { return j >= 0 && j < form_.points && q >= 0 && q < form_.rings(); }
    static EdgeForm checked_form(const EdgeForm& f) { return (void)checked(f), f; }
    static Eigen::MatrixXd nothing_new(const EdgeForm& f) { return Eigen::MatrixXd::Zero(f.rings(), f.points); }
    static int checked(const EdgeForm& f) {
        constexpr const char* where = "wave::EdgeStencil";
        for (const auto& [value, field] :
             {std::pair{f.points, "points"}, std::pair{f.across, "across"}, std::pair{f.levels, "levels"}})
            require(value >= 1 && value <= most, where, field, " is ", value, ", must be from 1 to ", most);
        require(f.across % 2 == 1, where, "across is ", f.across, ", must be an odd number");
        return f.size();
    }

    EdgeForm form_;
    Eigen::VectorXd weights_;
    Eigen::MatrixXd new_weights_;
};

/// Mur's second-order condition, box scheme: u_xt - u_tt/c + c/2 u_yy = 0 of Engquist and Majda [Mur, IEEE Trans. EMC
/// 23(4), 1981, Eq. (16)].
template <class = void>
[[nodiscard]] EdgeStencil edge_mur_2(const WaveEquation2d& equation) {
    const double r = equation.courant_x(), ry = equation.courant_y();
    const double along = ry * ry / (2.0 * (1.0 + r)), both = 2.0 / (1.0 + r) - 2.0 * along,
                 back = (r - 1.0) / (r + 1.0);
    Eigen::VectorXd weights(8);
    weights << both, both, along, along, back, -1.0, 0.0, 0.0;
    Eigen::MatrixXd new_weights = Eigen::MatrixXd::Zero(2, 2);
    new_weights(0, 1) = back;
    return EdgeStencil({.points = 2, .across = 3, .levels = 2}, weights, new_weights);
}

/// Higdon's condition with one factor for each angle of incidence (rad), prod ( cos(angle) d/dt - c d/dx ) u = 0, each
/// factor by the box scheme [Higdon, Math. Comp. 47(176), 1986, 437-459]. At low frequency, waves at these angles are
/// absorbed.
/// @throws SetupError if there is no angle, more than 15, or one is not below pi/2 in magnitude.
template <class = void>
[[nodiscard]] EdgeStencil edge_higdon(const WaveEquation2d& equation, std::span<const double> angles) {
    constexpr const char* where = "wave::edge_higdon";
    const auto order = static_cast<int>(angles.size());
    require(order >= 1 && order < EdgeStencil::most, where, "there are ", order, " angles, must be from 1 to ",
            EdgeStencil::most - 1);
    // The product as a table: row i time shifts back, column j space shifts inwards.
    Eigen::MatrixXd product = Eigen::MatrixXd::Zero(order + 1, order + 1);
    product(0, 0) = 1.0;
    for (int f = 0; f < order; ++f) {
        const double angle = angles[static_cast<std::size_t>(f)];
        require(std::abs(angle) < std::acos(0.0), where, "an angle is ", angle, " rad, must be between -pi/2 and pi/2");
        const double cosine = std::cos(angle), r = equation.courant_x(), a = (cosine - r) / (cosine + r);
        Eigen::MatrixXd next = product;
        next.rightCols(order) += a * product.leftCols(order);
        next.bottomRows(order) -= a * product.topRows(order);
        next.bottomRightCorner(order, order) -= product.topLeftCorner(order, order);
        product = next;
    }
    const EdgeForm form{.points = order + 1, .across = 1, .levels = order};
    Eigen::VectorXd weights(form.size());
    for (int i = 0; i < order; ++i) weights.segment(i * form.points, form.points) = -product.row(i + 1).transpose();
    Eigen::MatrixXd new_weights = -product.row(0);
    new_weights(0, 0) = 0.0;
    return EdgeStencil(form, weights, new_weights);
}

/// B of the wave e^{i (theta_x j + theta_y l + omega dt n)}: 1 - (response of the edge) / (the wave itself).
template <class = void>
[[nodiscard]] std::complex<double> edge_symbol(const EdgeStencil& edge, double theta_x, double theta_y,
                                               double omega_dt) {
    using Complex = std::complex<double>;
    Complex made = 0.0;
    for (int q = 0; q < edge.form().rings(); ++q) {
        const double along = q == 0 ? 1.0 : 2.0 * std::cos(q * theta_y);
        for (int j = 0; j < edge.form().points; ++j) {
            Complex at = edge.new_weight(j, q);
            for (int i = 0; i < edge.form().levels; ++i)
                at += edge.weight(i, j, q) * std::polar(1.0, -(i + 1) * omega_dt);
            made += along * at * std::polar(1.0, j * theta_x);
        }
    }
    return 1.0 - made;
}

/// The reflection R, on the grid, of a wave of phase `omega_dt` (rad per step) that meets the edge at `angle` (rad)
/// from its normal. NaN (0/0) at omega_dt = 0 for an edge that lets constants pass.
/// @throws SetupError if the grid carries no such wave or it does not run towards the edge.
template <class = void>
[[nodiscard]] std::complex<double> edge_reflection(const WaveEquation2d& equation, const EdgeStencil& edge,
                                                   double angle, double omega_dt) {
    if (!(std::abs(angle) < std::acos(0.0)))
        throw SetupError("wave::edge_reflection: angle is " + shown(angle) +
                         " rad from the normal, must be between -pi/2 and pi/2");
    const auto theta = equation.wave_numbers(omega_dt, angle);
    return -edge_symbol(edge, theta[0], theta[1], omega_dt) / edge_symbol(edge, -theta[0], theta[1], omega_dt);
}

/// A uniform grid of angles of incidence and phases, both ends included.
struct EdgeBand {
    double angle_first = 0.0, angle_last = 1.0471975511965976;  ///< rad, 0 to 60 degrees
    double phase_first = 0.01, phase_last = 0.35;               ///< rad per step, omega dt
    int angles = 31, phases = 35;

    [[nodiscard]] double angle(int i) const { return at(angle_first, angle_last, i, angles); }
    [[nodiscard]] double phase(int i) const { return at(phase_first, phase_last, i, phases); }

    /// @throws SetupError if a number of angles or phases is below 1, a range is empty or not finite, an angle is not
    /// between -pi/2 and pi/2, or a phase is not above 0.
    void check(const char* where) const {
        require(angles >= 1 && phases >= 1, where, "angles is ", angles, " and phases ", phases,
                ", must be at least 1");
        for (const double value : {angle_first, angle_last, phase_first, phase_last})
            require_finite(value, where, "a bound of the band");
        require(angle_first <= angle_last && std::abs(angle_first) < std::acos(0.0) &&
                    std::abs(angle_last) < std::acos(0.0),
                where, "the angles run from ", angle_first, " to ", angle_last,
                " rad, must be an increasing range between -pi/2 and pi/2");
        require(phase_first > 0.0 && phase_first <= phase_last, where, "the phases run from ", phase_first, " to ",
                phase_last, " rad per step, must be an increasing range above 0");
    }

  private:
    static double at(double first, double last, int i, int count) {
        return count < 2 ? first : first + (last - first) * i / (count - 1);
    }
};

/// Largest |R| over a band.
/// @throws SetupError if the band is empty or the grid does not carry it.
template <class = void>
[[nodiscard]] double largest_reflection(const WaveEquation2d& equation, const EdgeStencil& edge,
                                        const EdgeBand& band = {}) {
    band.check("wave::largest_reflection");
    double largest = 0.0;
    for (int a = 0; a < band.angles; ++a)
        for (int p = 0; p < band.phases; ++p)
            largest = std::max(largest, std::abs(edge_reflection(equation, edge, band.angle(a), band.phase(p))));
    return largest;
}

}  // namespace panto::wave
