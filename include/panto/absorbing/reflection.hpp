// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The reflection of an absorbing stencil. At the angle theta (wave number times dx) a wave kappa_out^k tau^n,
/// kappa_out = e^{i theta}, runs into the left end. The end responds with the reflected wave, kappa_in = 1/kappa_out,
/// *and* with the evanescent modes that the scheme allows at the same tau:
///     u_k^n = tau^n ( kappa_out^k + r kappa_in^k + sum_m e_m kappa_m^k ),   |kappa_m| < 1.
/// All boundary equations together determine (r, e): the joint reflection. The published measure, Eq. (16) of
/// Publication B with the sign that is missing there, R_k = -B_k(out)/B_k(in), considers one equation at a time and no
/// evanescent mode; on a beam it overstates reflection about tenfold and hides a boundary layer as large as the wave.

#pragma once

#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace panto::wave {

/// The modes of a scheme at one angle that an end can excite: one time factor, and the space factors that share it.
template <int HalfWidth>
struct BoundaryModes {
    using Complex = std::complex<double>;
    double theta = 0.0;         ///< rad per cell
    Complex tau = {};           ///< of the wave that leaves to the left
    Complex out = {}, in = {};  ///< kappa of that wave and of the one that comes back, e^{i theta} and e^{-i theta}
    std::array<Complex, static_cast<std::size_t>(HalfWidth)> decaying{};  ///< the first HalfWidth-1, modulus below 1
    double speed = 0.0;                                                   ///< m/s, group velocity to the left, positive
};

namespace detail {

template <int H>
void require_mirrored(const Stencil<double, H>& scheme, const char* where) {
    for (const auto* row : {&scheme.next, &scheme.now, &scheme.before})
        for (int j = 1; j <= H; ++j) {
            const double left = Stencil<double, H>::at(*row, -j), right = Stencil<double, H>::at(*row, j);
            require(std::abs(left - right) <= 1e-12 * (std::abs(left) + std::abs(right)), where, "the scheme has ",
                    left, " on the left and ", right,
                    " on the right, must be symmetric: the right end is the mirror image of the left");
        }
}

/// The solution of k + 1/k = y inside the unit circle.
[[nodiscard]] inline std::complex<double> inner_factor(std::complex<double> y) {
    const std::complex<double> root = std::sqrt(y * y - 4.0);
    const std::complex<double> larger = std::abs(y + root) > std::abs(y - root) ? y + root : y - root;
    return 2.0 / larger;
}

}  // namespace detail

/// Whether waves of angle `theta` propagate: under viscous damping the longest ones decay without oscillating.
/// Also false above the largest stable step, where the shortest ones grow.
template <int H>
[[nodiscard]] bool oscillates(const Stencil<double, H>& scheme, double theta) {
    const Modes m = modes(scheme, theta);
    const std::complex<double> tau = m.left, apart = m.left - m.right;  // two real roots carry imaginary rounding
    return tau.imag() > (tau.real() > 0.0 ? 0.0 : 1e-10) && apart.imag() > 1e-10 * std::abs(apart);
}

/// The modes at angle `theta` in (0, pi), rad per cell.
/// @throws SetupError if theta is outside, or the scheme is not symmetric or does not oscillate at this angle.
template <int H>
[[nodiscard]] BoundaryModes<H> boundary_modes(const Stencil<double, H>& scheme, double theta) {
    static_assert(H <= 3, "evanescent modes are computed for up to seven points");
    using Complex = std::complex<double>;
    constexpr const char* where = "wave::boundary_modes";
    require(theta > 0.0 && theta < std::numbers::pi, where, "theta is ", theta,
            ", must be a number above 0 and below pi");
    detail::require_mirrored(scheme, where);
    BoundaryModes<H> m{.theta = theta, .tau = modes(scheme, theta).left};
    require(oscillates(scheme, theta), where, "the scheme does not oscillate at theta = ", theta,
            ": is its step above the largest stable one?");
    m.out = std::polar(1.0, theta);
    m.in = std::conj(m.out);
    m.speed = -group_velocity(scheme, theta, m.tau);
    if constexpr (H >= 2) {
        // The row at tau is sum_j w_j (kappa^j + kappa^-j), a polynomial in y = kappa + 1/kappa; y = 2 cos theta is
        // known.
        std::array<Complex, static_cast<std::size_t>(H) + 1> w{};
        for (int j = 0; j <= H; ++j)
            w[static_cast<std::size_t>(j)] = Stencil<double, H>::at(scheme.next, j) * m.tau -
                                             Stencil<double, H>::at(scheme.now, j) -
                                             Stencil<double, H>::at(scheme.before, j) / m.tau;
        const double known = 2.0 * std::cos(theta);
        if constexpr (H == 2) {
            m.decaying[0] = detail::inner_factor(-w[1] / w[2] - known);
        } else {  // w3 y^3 + w2 y^2 + (w1 - 3 w3) y + ... = (y - known)(w3 y^2 + p y + q)
            const Complex p = w[2] + known * w[3], q = w[1] - 3.0 * w[3] + known * p;
            const Complex root = std::sqrt(p * p - 4.0 * w[3] * q);
            m.decaying[0] = detail::inner_factor((-p + root) / (2.0 * w[3]));
            m.decaying[1] = detail::inner_factor((-p - root) / (2.0 * w[3]));
        }
    }
    return m;
}

/// The joint response of all boundary points to one wave, and the data for its derivatives with respect to the weights.
template <int H>
struct JointReflection {
    using Complex = std::complex<double>;
    Eigen::Matrix<Complex, H, 1> amplitude = {};  ///< r, then the evanescent modes
    Eigen::Matrix<Complex, H, H> inverse = {};    ///< of the boundary equations

    [[nodiscard]] Complex reflected() const { return amplitude[0]; }
    [[nodiscard]] Complex evanescent(int m = 0) const { return amplitude[1 + m]; }
};

namespace detail {

/// kappa^k - (the stencil's value for point k from kappa^j tau^n): zero if the end lets the mode pass.
[[nodiscard]] inline std::complex<double> defect(const AbsorbingStencil& end, int k, std::complex<double> tau,
                                                 std::complex<double> kappa) {
    Complex result = 0.0, time = 1.0;
    std::array<Complex, AbsorbingStencil::most> power{};
    power[0] = 1.0;
    for (int j = 1; j < std::max(end.reach(), end.points()); ++j)
        power[static_cast<std::size_t>(j)] = power[static_cast<std::size_t>(j - 1)] * kappa;
    result = power[static_cast<std::size_t>(k)];
    for (int j = k + 1; j < end.reach(); ++j) result -= end.new_weight(k, j) * power[static_cast<std::size_t>(j)];
    for (int i = 0; i < end.past_levels(); ++i) {
        time /= tau;
        Complex sum = 0.0;
        for (int j = 0; j < end.reach(); ++j) sum += end.weight(k, i, j) * power[static_cast<std::size_t>(j)];
        result -= time * sum;
    }
    return result;
}

template <int H, class E>
void require_matching(const E& end, const char* where) {
    require(end.points() == H, where, "the end gives ", end.points(), " boundary points, the scheme needs ", H);
}

}  // namespace detail

/// B_k of Eq. (12): 1 - sum S tau^-(i+1) kappa^(j-k).
/// @throws SetupError if there is no boundary point k.
[[nodiscard]] inline std::complex<double> boundary_symbol(const AbsorbingStencil& end, int k, std::complex<double> tau,
                                                          std::complex<double> kappa) {
    end.require_point(k, "wave::boundary_symbol");
    return detail::defect(end, k, tau, kappa) / std::pow(kappa, k);
}

/// R_k of each boundary point as published, Eq. (16), with the sign from its derivation. At theta = 0 and pi it is
/// meaningless: it is 1 for every stencil whose weights do not sum to 1.
template <int H>
[[nodiscard]] std::array<std::complex<double>, static_cast<std::size_t>(H)> point_reflection(
    const AbsorbingStencil& end, const BoundaryModes<H>& m) {
    detail::require_matching<H>(end, "wave::point_reflection");
    std::array<std::complex<double>, static_cast<std::size_t>(H)> R{};
    for (int k = 0; k < H; ++k)
        R[static_cast<std::size_t>(k)] = -boundary_symbol(end, k, m.tau, m.out) / boundary_symbol(end, k, m.tau, m.in);
    return R;
}

/// (r, e) from all boundary equations together: M (r, e) = -M_out; column c of M contains the defects of mode c.
template <int H>
[[nodiscard]] JointReflection<H> joint_reflection(const AbsorbingStencil& end, const BoundaryModes<H>& m) {
    detail::require_matching<H>(end, "wave::joint_reflection");
    Eigen::Matrix<std::complex<double>, H, H> M;
    Eigen::Matrix<std::complex<double>, H, 1> out;
    for (int k = 0; k < H; ++k) {
        out[k] = detail::defect(end, k, m.tau, m.out);
        M(k, 0) = detail::defect(end, k, m.tau, m.in);
        for (int c = 1; c < H; ++c)
            M(k, c) = detail::defect(end, k, m.tau, m.decaying[static_cast<std::size_t>(c - 1)]);
    }
    JointReflection<H> answer;
    answer.inverse = M.inverse();
    answer.amplitude = -(answer.inverse * out);
    return answer;
}

/// Weight of a frequency in an objective: a function of theta, rad per cell, not negative.
using FrequencyWeight = std::function<double(double)>;

namespace detail {

[[nodiscard]] inline double weight_at(const FrequencyWeight& weight, double theta) {
    const double w = weight ? weight(theta) : 1.0;
    require_not_negative(w, "wave", "the frequency weight at theta = ", theta);
    return w;
}

}  // namespace detail

/// J_RC = 1/(2 pi) Int_0^pi w(theta) sum_k |R_k| dtheta, midpoint rule. The published figures (17) cannot be reproduced
/// on the published grid; this interpretation agrees within 0.5 % and excludes theta = 0 and pi.
/// @throws SetupError if a weight is negative or not finite, or there are fewer than 200 points.
template <int H>
[[nodiscard]] double reflection_objective(const Stencil<double, H>& scheme, const AbsorbingStencil& end,
                                          const FrequencyWeight& weight = {}, int points = 400) {
    require(points >= 200, "wave::reflection_objective", "points is ", points, ", must be at least 200");
    double sum = 0.0;
    for (int i = 0; i < points; ++i) {
        const double theta = std::numbers::pi * (i + 0.5) / points;
        double at = 0.0;
        for (const auto& R : point_reflection(end, boundary_modes(scheme, theta))) at += std::abs(R);
        sum += detail::weight_at(weight, theta) * at;
    }
    return 0.5 * sum / points;
}

}  // namespace panto::wave
