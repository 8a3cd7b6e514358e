// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waves on the grid, for any stencil. For u_k^n = e^{i theta k} tau^n, with the factor tau per step, the rows w of the
/// stencil become numbers,
///     w(theta) = sum_j w_j e^{i j theta} ,      next(theta) tau^2 - now(theta) tau - before(theta) = 0 ,
/// and everything follows from the two roots: phase and group velocity, growth, the largest stable step. Angles are in
/// rad per cell (theta = wave number times dx) and rad per step (omega dt).
///
/// From the rows follow mass M = (next - before)/2, damping C = (next + before)/2 and stiffness
/// K = next - now - before. With tau = 1 + s they give (M + C) s^2 + (2 C + K) s + K = 0, and so the roots without
/// cancellation at long waves.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/stencil.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>

namespace panto::wave {

/// The two waves of one wave number: for theta > 0 the crests of `left` run to the left, those of `right` to the right
/// (the imaginary part of `left` is the larger one).
struct Modes {
    std::complex<double> left = {}, right = {};  ///< tau, the factor per step
};

namespace detail {

using Complex = std::complex<double>;

/// Symbols of mass, damping and stiffness, and their derivatives with respect to theta.
struct Symbols {
    Complex M, C, K, M1, C1, K1;
};

template <Real Scalar, int H>
[[nodiscard]] Symbols symbols(const Stencil<Scalar, H>& s, double theta) {
    Symbols sum{};
    for (int j = -H; j <= H; ++j) {
        const double next = value_of(s.at(s.next, j)), now = value_of(s.at(s.now, j)),
                     before = value_of(s.at(s.before, j));
        const double M = 0.5 * (next - before), C = 0.5 * (next + before), K = next - now - before;
        const double half = std::sin(0.5 * j * theta);
        const Complex wave_minus_1(-2.0 * half * half, std::sin(j * theta));  // e^{i j theta} - 1, exact near 0
        const Complex wave = 1.0 + wave_minus_1, slope = Complex(0.0, j) * wave;
        sum.M += M * wave, sum.C += C * wave, sum.K += K * wave_minus_1;
        sum.M1 += M * slope, sum.C1 += C * slope, sum.K1 += K * slope;
    }
    // The plain sum of K is the stiffness of a foundation; without one it is rounding, which would affect long waves.
    double total = 0.0, size = 0.0;
    for (int j = -H; j <= H; ++j) {
        const double next = value_of(s.at(s.next, j)), now = value_of(s.at(s.now, j)),
                     before = value_of(s.at(s.before, j));
        total += next - now - before;
        size += std::abs(next) + std::abs(now) + std::abs(before);
    }
    if (std::abs(total) > 8.0 * std::numeric_limits<double>::epsilon() * size) sum.K += total;
    return sum;
}

/// Roots of a s^2 + b s + c = 0 given sqrt(b^2 - 4 a c).
[[nodiscard]] inline std::pair<Complex, Complex> quadratic_roots(Complex a, Complex b, Complex c, Complex root) {
    const Complex q = std::real(std::conj(b) * root) >= 0.0 ? -0.5 * (b + root) : -0.5 * (b - root);
    if (std::abs(q) == 0.0) return {Complex(0.0), Complex(0.0)};
    return {q / a, c / q};
}

}  // namespace detail

/// The roots tau at `theta`. Like all of this header, for set-up code only.
/// @throws SetupError if theta is not finite.
template <Real Scalar, int H>
[[nodiscard]] Modes modes(const Stencil<Scalar, H>& stencil, double theta) {
    require_finite(theta, "wave::modes", "theta");
    const detail::Symbols s = detail::symbols(stencil, theta);
    const detail::Complex root = std::sqrt(4.0 * s.C * s.C + s.K * (s.K - 4.0 * s.M));
    const auto [one, two] = detail::quadratic_roots(s.M + s.C, 2.0 * s.C + s.K, s.K, root);
    return one.imag() >= two.imag() ? Modes{1.0 + one, 1.0 + two} : Modes{1.0 + two, 1.0 + one};
}

/// omega dt of the mode that runs left, rad per step, 0..pi on a wire at rest.
/// @throws SetupError if theta is not finite.
template <Real Scalar, int H>
[[nodiscard]] double phase(const Stencil<Scalar, H>& stencil, double theta) {
    return std::arg(modes(stencil, theta).left);
}

/// Group velocity of the mode `tau` at `theta`, m/s, positive to the right: minus the derivative of omega with respect
/// to the wave number, by the derivatives of the symbols.
/// @throws SetupError if the two waves of theta coincide, as at theta = 0, so that there is no derivative.
template <Real Scalar, int H>
[[nodiscard]] double group_velocity(const Stencil<Scalar, H>& stencil, double theta, std::complex<double> tau) {
    require_finite(theta, "wave::group_velocity", "theta");
    const detail::Symbols s = detail::symbols(stencil, theta);
    // F = M (tau - 2 + 1/tau) + C (tau - 1/tau) + K = 0, and tau = e^{i omega dt}.
    const detail::Complex inverse = 1.0 / tau;
    const detail::Complex by_theta = s.M1 * (tau - 2.0 + inverse) + s.C1 * (tau - inverse) + s.K1;
    const detail::Complex by_phase = detail::Complex(0.0, 1.0) * (s.M * (tau - inverse) + s.C * (tau + inverse));
    const double velocity = (by_theta / by_phase).real() * stencil.dx / stencil.dt;
    if (!is_finite(velocity))
        throw SetupError("wave::group_velocity: theta is " + shown(theta) +
                         ", where the group velocity is not defined; for long waves use a small one");
    return velocity;
}

/// A uniform grid of wave numbers from `lowest` to pi. The lowest one matters: material damping hardly
/// affects long waves, so that the growth factor of a damped wire is that of its longest wave. theta = 0 is excluded,
/// because there |tau| is always 1.
struct WaveGrid {
    double lowest = std::numbers::pi / 100.0;  ///< rad per cell: pi dx/L for a wire of length L
    int points = 100;

    /// The grid of a wire of `cells` cells, with its own wave numbers m pi / cells.
    [[nodiscard]] static WaveGrid of_cells(int cells) { return {std::numbers::pi / cells, cells}; }

    [[nodiscard]] double theta(int i) const {
        return points < 2 ? lowest : lowest + (std::numbers::pi - lowest) * i / (points - 1);
    }
};

namespace detail {

inline void require_grid(const WaveGrid& grid, std::string_view where) {
    require(grid.points >= 1, where, "points is ", grid.points, ", must be at least 1");
    require(grid.lowest > 0.0 && grid.lowest <= std::numbers::pi, where, "lowest is ", grid.lowest,
            ", must be above 0 and at most pi");
}

/// Grid points per wavelength at which `excess(theta)` first becomes positive on the way from long waves to short ones;
/// 2 if it never does.
template <class Excess>
[[nodiscard]] double points_on_shortest(const Excess& excess) {
    constexpr int steps = 2000;
    const auto kept = [&](double theta) { return !(excess(theta) > 0.0); };
    double last = 0.0;
    for (int i = 1; i <= steps; ++i) {
        const double theta = std::numbers::pi * i / steps;
        if (!kept(theta)) return 2.0 * std::numbers::pi / bisect(kept, last, theta).fails;
        last = theta;
    }
    return 2.0;
}

}  // namespace detail

/// The largest |tau| on the grid: the growth factor of the worst wave per step (J_stab of Publication B).
/// @throws SetupError if the grid is empty or reaches outside (0, pi], or a weight of the stencil is not a number.
template <Real Scalar, int H>
[[nodiscard]] double growth_factor(const Stencil<Scalar, H>& stencil, const WaveGrid& grid = {}) {
    detail::require_grid(grid, "wave::growth_factor");
    detail::require_weights(stencil, "wave::growth_factor");
    double largest = 0.0;
    for (int i = 0; i < grid.points; ++i) {
        const Modes m = modes(stencil, grid.theta(i));
        largest = std::max({largest, std::abs(m.left), std::abs(m.right)});
    }
    return largest;
}

/// Whether no wave of the grid grows by more than rounding. Nearly coincident roots are accurate only to the square
/// root of machine precision, others to all digits.
/// @throws SetupError as growth_factor.
template <Real Scalar, int H>
[[nodiscard]] bool is_stable(const Stencil<Scalar, H>& stencil, const WaveGrid& grid = {}) {
    detail::require_grid(grid, "wave::is_stable");
    detail::require_weights(stencil, "wave::is_stable");
    for (int i = 0; i < grid.points; ++i) {
        const Modes m = modes(stencil, grid.theta(i));
        const double apart = std::abs(m.left - m.right), eps = std::numeric_limits<double>::epsilon();
        const double rounding = std::min(1e-6, 128.0 * eps / std::max(apart, eps));
        if (!(std::max(std::abs(m.left), std::abs(m.right)) <= 1.0 + rounding)) return false;
    }
    return true;
}

/// The same scheme with another time step: mass is divided by dt^2, damping by dt, and stiffness stays. Valid for every
/// stencil with central differences in time, as all in this room are.
template <Real Scalar, int H>
[[nodiscard]] Stencil<Scalar, H> retimed(const Stencil<Scalar, H>& s, double dt) {
    require_positive(dt, "wave::retimed", "dt");
    Stencil<Scalar, H> t = s;
    t.dt = dt;
    const auto ratio = static_cast<Scalar>(s.dt / dt);
    for (std::size_t j = 0; j < s.next.size(); ++j) {
        const Scalar M = Scalar(0.5) * (s.next[j] - s.before[j]) * ratio * ratio;
        const Scalar C = Scalar(0.5) * (s.next[j] + s.before[j]) * ratio;
        t.next[j] = C + M;
        t.now[j] = M + M - (s.next[j] - s.now[j] - s.before[j]);
        t.before[j] = C - M;
    }
    return t;
}

/// The largest step up to which `family(dt)`, a stencil for every step, is stable, by bisection around `guess`;
/// infinity if it is still stable at 2^40 times `guess`.
/// @throws SetupError if no step is stable.
template <class Family>
[[nodiscard]] double largest_stable_step(const Family& family, double guess, const WaveGrid& grid = {}) {
    constexpr const char* where = "wave::largest_stable_step";
    require_positive(guess, where, "guess");
    constexpr int most = 40;
    double stable = guess, unstable = guess;
    if (is_stable(family(guess), grid)) {
        for (int i = 0; is_stable(family(unstable *= 2.0), grid); ++i) {
            if (i == most) return std::numeric_limits<double>::infinity();
            stable = unstable;
        }
    } else {
        for (int i = 0; !is_stable(family(stable *= 0.5), grid); ++i) {
            require(i < most, where, "no step is stable, however small");
            unstable = stable;
        }
    }
    stable = bisect([&](double dt) { return is_stable(family(dt), grid); }, stable, unstable, 1e-15).holds;
    // If growth is proportional to the step, no step is stable: growth only fell below rounding. Beyond a true bound it
    // jumps.
    const double here = growth_factor(family(stable), grid) - 1.0,
                 beyond = growth_factor(family(2.0 * stable), grid) - 1.0;
    require(beyond > 10.0 * here, where, "no step is stable, however small");
    return stable;
}

/// The same for the scheme of a given stencil.
/// @throws SetupError if no step is stable.
template <Real Scalar, int H>
[[nodiscard]] double largest_stable_step(const Stencil<Scalar, H>& stencil, const WaveGrid& grid = {}) {
    return largest_stable_step([&](double dt) { return retimed(stencil, dt); }, stencil.dt, grid);
}

/// Angular frequency of the beam itself: omega, in rad/s, of the wave e^{i (k x + omega t)} with k = `wave_number`, in
/// rad/m, that runs left for k > 0. It is that on the resting beam or, for a `speed` v in m/s, that in the frame of
/// moving_beam.hpp:
///     -rA (omega - v k)^2 + i dv (omega - v k) + i dm k^4 omega + EI k^4 + T k^2 = 0 .
[[nodiscard]] inline std::complex<double> beam_frequency(const BeamParams<double>& p, double wave_number,
                                                         double speed = 0.0) {
    detail::require_beam(p, "wave::beam_frequency");
    require_finite(wave_number, "wave::beam_frequency", "wave_number");
    require_finite(speed, "wave::beam_frequency", "speed");
    using detail::Complex;
    const double k2 = wave_number * wave_number, k4 = k2 * k2, drift = speed * wave_number;
    const Complex i(0.0, 1.0);
    // In z = omega - v k: rA z^2 - i (dv + dm k^4) z - (EI k^4 + T k^2 + i dm k^4 v k) = 0.
    const Complex half = 0.5 * i * (p.viscous_damping + p.material_damping * k4);
    const Complex stiffness = p.bending_stiffness * k4 + p.tension * k2 + i * p.material_damping * k4 * drift;
    const Complex omega = drift + (half + std::sqrt(half * half + p.mass_per_length * stiffness)) / p.mass_per_length;
    require(is_finite(omega.real()) && is_finite(omega.imag()), "wave::beam_frequency", "wave_number is ", wave_number,
            " rad/m, expected numbers whose fourth power is a finite double");
    return omega;
}

/// How points per wavelength are counted: by the phase error per step divided by pi, as in Publication B, or divided by
/// the wave's own phase per step.
enum class PhaseError { over_pi, relative };

/// Grid points per wavelength of the shortest wave that is accurate: for it and for all longer waves, the error of the
/// phase per step, scaled as `kind` says, is at most `threshold`. `exact(theta)` is omega dt of the continuum. The
/// result is 2 if all waves of the grid are accurate.
/// @throws SetupError if `threshold` is not positive, a weight of the stencil or a phase is not finite, or, for
/// relative errors, a phase is 0.
template <Real Scalar, int H, class Exact>
[[nodiscard]] double points_per_wavelength(const Stencil<Scalar, H>& stencil, const Exact& exact,
                                           double threshold = 0.05, PhaseError kind = PhaseError::over_pi) {
    constexpr const char* where = "wave::points_per_wavelength";
    require_positive(threshold, where, "threshold");
    detail::require_weights(stencil, where);
    const auto excess = [&](double theta) {
        const double wanted = exact(theta), error = std::abs(wanted - phase(stencil, theta));
        require_finite(wanted, where, "exact(", theta, ")");
        require(kind == PhaseError::over_pi || std::abs(wanted) > 0.0, where, "exact(", theta,
                ") is 0, a relative error needs a phase that is not 0");
        return error / (kind == PhaseError::over_pi ? std::numbers::pi : std::abs(wanted)) - threshold;
    };
    return detail::points_on_shortest(excess);
}

}  // namespace panto::wave
