// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Design of an absorbing edge. |R| = |B_out| / |B_in|, where B_out and B_in are linear in the weights. With |B_in| of
/// the previous round as divisor, the weights solve a linear least-squares problem. Some tens of rounds are made. Two
/// things are adapted between them: the divisor, and the weight of each wave in the band, which grows where |R| is
/// above its mean [Lawson 1961], so that the *largest* |R| falls. Three side conditions make the result usable:
///   * the weights sum up to 1, so that constants pass;
///   * waves outside the band, grazing and short ones, have a small weight: they must not be amplified;
///   * the modal test of edge_stability.hpp decides; if it fails, the waves outside get more weight.
/// Nothing is random and nothing starts from known coefficients.

#pragma once

#include <panto/absorbing/edge.hpp>
#include <panto/absorbing/edge_stability.hpp>
#include <panto/core/check.hpp>
#include <panto/wave/detail/small_dense.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

struct EdgeDesignParams {
    EdgeForm form{};                                             ///< (N_x, N_y, N_t)
    EdgeBand band{.angles = 16, .phases = 20};                   ///< waves to absorb
    std::function<double(double angle, double phase)> weight{};  ///< of a wave; empty: 1 for all. rad, rad per step
    int rounds = 40;                                             ///< least-squares problems solved
    double flatten = 0.0;     ///< 0: least mean square of weight |R|; towards 1: the largest one falls, more slowly
    double outside = 1e-3;    ///< weight of a wave outside the band
    double smallness = 1e-6;  ///< weight of the coefficients themselves
    double growth = 1e-9;     ///< largest excess of the modal radius over 1, per step
};

struct EdgeDesign {
    EdgeStencil edge{};
    double largest_reflection = 0.0;  ///< of weight |R| over the band; of |R| if no weight is given
    double modal_radius = 0.0;
    double outside = 0.0;  ///< weight of waves outside the band at which the edge became stable
};

namespace detail {

/// The response of the edge to a wave is basis * weights.
template <class = void>
Eigen::RowVectorXcd edge_basis(const EdgeForm& form, double theta_x, double theta_y, double omega_dt) {
    Eigen::RowVectorXcd f(form.size());
    Eigen::Index at = 0;
    for (int i = 0; i < form.levels; ++i)
        for (int q = 0; q < form.rings(); ++q)
            for (int j = 0; j < form.points; ++j)
                f[at++] =
                    (q == 0 ? 1.0 : 2.0 * std::cos(q * theta_y)) * std::polar(1.0, j * theta_x - (i + 1) * omega_dt);
    return f;
}

/// The waves of one design problem, those in the band first.
struct EdgeWaves {
    Eigen::MatrixXcd out = {}, in = {};
    Eigen::VectorXd wanted = {};  // the given weights in the band
    Eigen::Index in_band = 0;

    EdgeWaves(const WaveEquation2d& equation, const EdgeDesignParams& p) {
        std::vector<std::array<double, 3>> waves;
        std::vector<double> weights;
        for (int a = 0; a < p.band.angles; ++a)
            for (int f = 0; f < p.band.phases; ++f) {
                const double angle = p.band.angle(a), phase = p.band.phase(f);
                const auto theta = equation.wave_numbers(phase, angle);
                waves.push_back({theta[0], theta[1], phase});
                weights.push_back(p.weight ? p.weight(angle, phase) : 1.0);
                require_not_negative(weights.back(), "wave::design_edge", "a weight");
            }
        in_band = static_cast<Eigen::Index>(waves.size());
        constexpr int coarse = 10;  // waves outside, per direction
        for (int a = 0; a < coarse; ++a)
            for (int b = 0; b < coarse; ++b) {
                const double x = std::numbers::pi * (a + 0.5) / coarse, y = std::numbers::pi * b / coarse;
                waves.push_back({x, y, equation.phase(x, y)});
            }
        wanted = Eigen::Map<const Eigen::VectorXd>(weights.data(), in_band);
        require_positive(wanted.maxCoeff(), "wave::design_edge", "the largest weight");
        const auto count = static_cast<Eigen::Index>(waves.size());
        out.resize(count, p.form.size());
        in.resize(count, p.form.size());
        for (Eigen::Index k = 0; k < count; ++k) {
            const auto& [x, y, phase] = waves[static_cast<std::size_t>(k)];
            out.row(k) = edge_basis(p.form, x, y, phase);
            in.row(k) = edge_basis(p.form, -x, y, phase);
        }
    }

    [[nodiscard]] double denominator(const Eigen::VectorXd& weights, Eigen::Index k) const {
        return std::max(1e-12, std::abs(1.0 - product(in, weights, k)));
    }
    [[nodiscard]] double reflection(const Eigen::VectorXd& weights, Eigen::Index k) const {
        return std::abs(1.0 - product(out, weights, k)) / denominator(weights, k);
    }

  private:
    static std::complex<double> product(const Eigen::MatrixXcd& rows, const Eigen::VectorXd& weights, Eigen::Index k) {
        std::complex<double> sum = 0.0;
        for (Eigen::Index j = 0; j < weights.size(); ++j) sum += rows(k, j) * weights[j];
        return sum;
    }
};

/// The weights of the round with the smallest maximum of weight |R|, and that maximum.
template <class = void>
std::pair<Eigen::VectorXd, double> flattest_edge(const EdgeWaves& waves, const EdgeDesignParams& p, double outside) {
    const Eigen::Index size = p.form.size(), count = waves.out.rows(), in_band = waves.in_band;
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(size), best = weights, emphasis = waves.wanted;
    double least = 1e300;
    Eigen::MatrixXd A(2 * count + size + 1, size);
    Eigen::VectorXd b(A.rows());
    for (int round = 0; round < p.rounds; ++round) {
        A.setZero();
        b.setZero();
        for (Eigen::Index k = 0; k < count; ++k) {
            const double scale = (k < in_band ? emphasis[k] : outside) / waves.denominator(weights, k);
            A.row(2 * k) = scale * waves.out.row(k).real();
            A.row(2 * k + 1) = scale * waves.out.row(k).imag();
            b[2 * k] = scale;
        }
        for (Eigen::Index j = 0; j < size; ++j)
            A(2 * count + j, j) = p.smallness * std::sqrt(static_cast<double>(in_band));
        constexpr double firmly = 1e6;  // the sum of the weights is 1
        A.row(A.rows() - 1) = firmly * edge_basis(p.form, 0.0, 0.0, 0.0).real();
        b[A.rows() - 1] = firmly;
        weights = least_squares(A, b);

        Eigen::VectorXd error(in_band);
        for (Eigen::Index k = 0; k < in_band; ++k) error[k] = waves.wanted[k] * waves.reflection(weights, k);
        if (error.maxCoeff() < least) {
            least = error.maxCoeff();
            best = weights;
        }
        const double mean = std::max(error.mean(), 1e-300);
        for (Eigen::Index k = 0; k < in_band; ++k) emphasis[k] *= std::pow(error[k] / mean + 1e-3, p.flatten);
        emphasis *= waves.wanted.norm() / std::max(emphasis.norm(), 1e-300);
    }
    return {best, least};
}

}  // namespace detail

/// Designs the weights of an edge. Takes some tenths of a second.
/// @throws SetupError if a parameter is invalid, the grid does not carry the band, or no stable edge was found.
template <class = void>
[[nodiscard]] EdgeDesign design_edge(const WaveEquation2d& equation, const EdgeDesignParams& params = {}) {
    constexpr const char* where = "wave::design_edge";
    (void)EdgeStencil(params.form);
    params.band.check(where);
    require(params.rounds >= 1 && params.rounds <= 10000, where, "rounds is ", params.rounds,
            ", must be from 1 to 10000");
    require(params.flatten >= 0.0 && params.flatten <= 1.0, where, "flatten is ", params.flatten,
            ", must be from 0 to 1");
    require_not_negative(params.outside, where, "outside");
    require_positive(params.smallness, where, "smallness");
    require_not_negative(params.growth, where, "growth");
    const detail::EdgeWaves waves(equation, params);
    double outside = params.outside, radius = 0.0;
    for (int attempt = 0; attempt < 6; ++attempt) {
        auto [weights, reflection] = detail::flattest_edge(waves, params, outside);
        EdgeStencil edge(params.form, std::move(weights));
        radius = edge_modal_radius(equation, edge, 33, std::max(40, params.form.points + 30));
        if (radius <= 1.0 + params.growth) return {std::move(edge), reflection, radius, outside};
        outside = std::max(10.0 * outside, 1e-3);
    }
    throw SetupError(std::string(where) + ": no stable edge of form (" + std::to_string(params.form.points) + ", " +
                     std::to_string(params.form.across) + ", " + std::to_string(params.form.levels) +
                     ") was found for this band, the last one grows by " + shown(radius) +
                     " per step: use a narrower band or another form");
}

}  // namespace panto::wave
