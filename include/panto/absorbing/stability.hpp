// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stability of a scheme between two ends by the eigenvalues of its state matrix, and the rule for absorbing
/// stencils. There are two systems, both with all points as unknowns and as many levels as the end reads:
///   * the stencil at both ends: the test of Publication B, Sec. 3.3 (11 points reproduce its figures);
///   * the stencil at the left, a clamped right end.
/// u = const solves the unbounded problem, so the system with *exact* absorbing boundaries at both ends has the
/// eigenvalue 1. A margin there would make long waves reflect: the rule requires only rho <= 1 + 1e-8 of the first
/// system, and a true margin of the second, for several lengths.
/// The shortest wave determines this margin. At the scheme's largest step it is as fast as others; at smaller steps it
/// hardly moves. With a speed of v cells per step it covers v/points of the way to the end in a step, and the part that
/// leaves there is proportional to v, as for any wave near a band edge: the margin falls with v^2.

#pragma once

#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/spectral_radius.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace panto::wave {

enum class FarEnd { absorbing, clamped };

/// The matrix A of x^{n+1} = A x^n, where x = (u^n, u^{n-1}, ...) holds all `points` points of the grid.
/// @throws SetupError if the scheme is implicit or the grid is too short for both ends.
template <int H, RowEnd E>
[[nodiscard]] Eigen::MatrixXd bounded_system(const Stencil<double, H>& scheme, const E& end, int points, FarEnd far) {
    constexpr const char* where = "wave::bounded_system";
    require(scheme.is_explicit(), where, "the scheme is implicit, must be explicit");
    detail::require_weights(scheme, where);
    detail::require_matching<H>(end, where);
    const Eigen::MatrixXd next = end.next_rows();
    const int levels = std::max(2, static_cast<int>(end.past_levels())), n = points, reach = end.reach();
    const int least = std::max(reach, 2 * H + 1);
    require(points >= least, where, "points is ", points, ", must be at least ", least, " with this stencil");
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(levels * n, levels * n);
    const double scale = 1.0 / Stencil<double, H>::at(scheme.next, 0);
    for (int k = H; k < n - H; ++k)
        for (int j = -H; j <= H; ++j) {
            A(k, k + j) += scale * Stencil<double, H>::at(scheme.now, j);
            A(k, n + k + j) += scale * Stencil<double, H>::at(scheme.before, j);
        }
    for (int side = 0; side < (far == FarEnd::absorbing ? 2 : 1); ++side) {
        const auto at = [&](int j) { return side == 0 ? j : n - 1 - j; };
        for (int i = 0; i < end.past_levels(); ++i) {
            const Eigen::MatrixXd past = end.past_rows(i);
            for (int k = 0; k < H; ++k)
                for (int j = 0; j < reach; ++j) A(at(k), i * n + at(j)) += past(k, j);
        }
        for (int k = H - 1; k >= 0; --k) {  // rows further inside are complete by now
            for (int j = k + 1; j < static_cast<int>(next.cols()); ++j)
                if (std::abs(next(k, j)) > 0.0) A.row(at(k)) -= next(k, j) * A.row(at(j));
            A.row(at(k)) /= next(k, k);
        }
    }
    for (int i = 1; i < levels; ++i) A.block(i * n, (i - 1) * n, n, n).setIdentity();
    return A;
}

/// rho of bounded_system().
template <int H, RowEnd E>
[[nodiscard]] double bounded_radius(const Stencil<double, H>& scheme, const E& end, int points, FarEnd far) {
    return linalg::spectral_radius(bounded_system(scheme, end, points, far));
}

struct StabilityRule {
    double most_both = 1.0 + 1e-8;  ///< largest rho, absorbing at both ends
    double clamped_margin = 1e-4;   ///< least 1 - rho, far end clamped, at the largest step; see clamped_margin()
    std::vector<int> points{11, 24, 60};
};

namespace detail {

inline void require_rule(const StabilityRule& rule, const char* where) {
    require(!rule.points.empty(), where, "points is empty, at least one length is needed");
    require_positive(rule.most_both, where, "most_both");
    require_not_negative(rule.clamped_margin, where, "clamped_margin");
}

/// v^2 of the shortest wave in the rule's longest system, theta = pi - pi/points, divided by its v^2 at 0.999 of the
/// scheme's largest step, v in cells per step. 1 for longer steps.
template <int H>
[[nodiscard]] double slowing(const Stencil<double, H>& scheme, const StabilityRule& rule) {
    const double full = 0.999 * largest_stable_step(scheme);
    if (!(scheme.dt < full)) return 1.0;
    const double theta = std::numbers::pi * (1.0 - 1.0 / *std::max_element(rule.points.begin(), rule.points.end()));
    const auto cells = [theta](const Stencil<double, H>& s) {
        return std::abs(group_velocity(s, theta, modes(s, theta).left)) * s.dt / s.dx;
    };
    const double slower = std::min(1.0, cells(scheme) / cells(retimed(scheme, full)));
    return slower * slower;
}

}  // namespace detail

/// The rule's bound on 1 - rho with a clamped far end at the step of `scheme`. For the beam of Publication B it is
/// 6e-7, 1e-7 and 3e-8 at 0.8, 0.5 and 0.3 of the largest step.
/// @throws SetupError if no step is stable, or the rule lists no length, or one of its bounds is not finite.
template <int H>
[[nodiscard]] double clamped_margin(const Stencil<double, H>& scheme, const StabilityRule& rule = {}) {
    detail::require_rule(rule, "wave::clamped_margin");
    return rule.clamped_margin * detail::slowing(scheme, rule);
}

struct StabilityVerdict {
    bool stable = false;
    double both = 0.0;     ///< largest rho, absorbing at both ends
    double clamped = 0.0;  ///< largest rho, far end clamped
};

/// Checks all lengths of the rule, the cheapest first, and stops at the first that fails.
/// @throws SetupError as bounded_system() does, or if the rule lists no length, or one of its bounds is not finite.
template <int H, RowEnd E>
[[nodiscard]] StabilityVerdict check_stability(const Stencil<double, H>& scheme, const E& end,
                                               const StabilityRule& rule = {}) {
    detail::require_rule(rule, "wave::check_stability");
    StabilityVerdict verdict;
    double margin = -1.0;  // not known yet
    for (const int points : rule.points) {
        verdict.both = std::max(verdict.both, bounded_radius(scheme, end, points, FarEnd::absorbing));
        if (!(verdict.both <= rule.most_both)) return verdict;
        verdict.clamped = std::max(verdict.clamped, bounded_radius(scheme, end, points, FarEnd::clamped));
        if (margin < 0.0) margin = clamped_margin(scheme, rule);
        if (!(verdict.clamped <= 1.0 - margin)) return verdict;
    }
    verdict.stable = true;
    return verdict;
}

/// The response of the end to a very long wave: the determinant of its boundary equations for the static solutions u =
/// 1 and u = (1 - kappa^j)/(1 - kappa), where kappa < 1 is the factor by which the decaying solution falls from point
/// to point. 0: long waves leave. Below 0: they are reflected and a constant decays, so that two such ends have a
/// stability margin. Above 0: the system between two such ends grows. Without tension kappa is 1 and the second
/// solution is u = j. Here too the system grows above 0, but at 0 long waves leave only if both points preserve
/// constants. With viscous damping long waves decay on their way out, and a good end is a little below 0.
/// @throws SetupError if the end is for another scheme, or the scheme not symmetric, as that of a moving wire.
template <int H>
[[nodiscard]] double static_determinant(const Stencil<double, H>& scheme, const AbsorbingStencil& end) {
    static_assert(H <= 2);
    detail::require_matching<H>(end, "wave::static_determinant");
    detail::require_weights(scheme, "wave::static_determinant");
    detail::require_mirrored(scheme, "wave::static_determinant");
    if constexpr (H == 1)
        return -detail::defect(end, 0, 1.0, 1.0).real();
    else {
        // At tau = 1, next - now - before is symmetric with a double root 1: w2 (kappa - 1)^2 (kappa^2 - ... + 1).
        const auto w = [&](int j) {
            return Stencil<double, H>::at(scheme.next, j) - Stencil<double, H>::at(scheme.now, j) -
                   Stencil<double, H>::at(scheme.before, j);
        };
        const double tension = -w(1) / w(2) - 4.0;  // T dx^2/EI; rounding is not taken for a tension
        const double kappa = tension > 1e-12 ? detail::inner_factor(2.0 + tension).real() : 1.0;
        const auto defects = [&](int k) {  // of both solutions at point k
            std::array<double, AbsorbingStencil::most> sloping{};
            for (std::size_t j = 1; j < sloping.size(); ++j) sloping[j] = 1.0 + kappa * sloping[j - 1];
            std::array<double, 2> left{1.0, sloping[static_cast<std::size_t>(k)]};
            for (int j = 0; j < end.reach(); ++j) {
                double weight = end.new_weight(k, j);
                for (int i = 0; i < end.past_levels(); ++i) weight += end.weight(k, i, j);
                left[0] -= weight;
                left[1] -= weight * sloping[static_cast<std::size_t>(j)];
            }
            return left;
        };
        const auto at_0 = defects(0), at_1 = defects(1);
        return at_0[1] * at_1[0] - at_0[0] * at_1[1];
    }
}

/// Gradient of static_determinant() with respect to the weights; exact, since the determinant is linear in the weights
/// of each point.
template <int H>
[[nodiscard]] Eigen::VectorXd static_determinant_gradient(const Stencil<double, H>& scheme,
                                                          const AbsorbingStencil& end) {
    const double here = static_determinant(scheme, end);
    Eigen::VectorXd gradient(end.form().size());
    for (int p = 0; p < gradient.size(); ++p) {
        Eigen::VectorXd w = end.weights();
        w[p] += 1.0;
        gradient[p] = static_determinant(scheme, AbsorbingStencil(end.form(), w)) - here;
    }
    return gradient;
}

/// Which boundary points have weights that do not sum to 1 within `tolerance`, as a warning; empty if none.
/// @throws SetupError if the tolerance is negative or not finite.
[[nodiscard]] inline std::string low_frequency_warning(const AbsorbingStencil& end, double tolerance = 5e-3) {
    require_not_negative(tolerance, "wave::low_frequency_warning", "tolerance");
    std::string text;
    for (int k = 0; k < end.points(); ++k)
        if (std::abs(end.row_sum(k) - 1.0) > tolerance)
            text += (text.empty() ? "the weights of boundary point " : ", of point ") + std::to_string(k) + " sum to " +
                    shown(end.row_sum(k));
    return text.empty() ? text : text + " instead of 1: this stencil absorbs badly at low frequency";
}

/// The same, preceded by the verdict of check_stability() if that is not "stable".
[[nodiscard]] inline std::string stencil_warning(const AbsorbingStencil& end, const StabilityVerdict& verdict) {
    std::string text = low_frequency_warning(end);
    if (!verdict.stable)
        text = "this stencil is not stable: rho - 1 is " + shown(verdict.both - 1.0) + " with both ends absorbing, " +
               shown(verdict.clamped - 1.0) + " with the far end clamped" + (text.empty() ? "" : "; " + text);
    return text;
}

}  // namespace panto::wave
