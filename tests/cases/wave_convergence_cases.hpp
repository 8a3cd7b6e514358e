// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Orders of convergence of schemes and supports against closed forms, and the energy of undamped schemes.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/energy.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/state_space.hpp>
#include <panto/wave/string.hpp>
#include <panto/wave/supports.hpp>

#include "../support/targets.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace panto::test::convergence {

using namespace panto::wave;
using Eigen::VectorXd;
using std::numbers::pi;

inline const BeamParams<> wire{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3};
inline const BeamParams<> pure_string{.mass_per_length = 1.0, .tension = 15e3};
constexpr double length = 7.5;

/// Largest error after `time` of the third standing wave on a pinned wire, which is sin(3 pi x/L) cos(omega t).
template <int H>
double standing_wave_error(const Stencil<double, H>& s, int cells, double omega, double time) {
    const int points = cells + 1;
    VectorXd shape(points);
    for (int k = 0; k < points; ++k) shape[k] = std::sin(3.0 * pi * k / cells);
    March march(s, points, pinned(s), pinned(s));
    march.start(shape, std::cos(omega * s.dt) * shape);
    const auto steps = std::lround(time / s.dt);
    for (long n = 0; n < steps; ++n) march.step();
    return (march.level() - std::cos(omega * static_cast<double>(steps) * s.dt) * shape).cwiseAbs().maxCoeff();
}

/// Orders between refinements by two; `error(n)` for n = first, 2 first, 4 first.
template <class Error>
std::vector<double> orders(const Error& error, int first = 1) {
    const double coarse = error(first), middle = error(2 * first), fine = error(4 * first);
    return {std::log2(coarse / middle), std::log2(middle / fine)};
}

/// Lowest eigenfrequency of the grid in rad/s.
template <int H, class Left, class Right>
double lowest_frequency(const Stencil<double, H>& s, int points, const Left& left, const Right& right) {
    double lowest = 1e300;
    for (const auto& tau : linalg::eigenvalues(state_space(s, points, left, right).transition()))
        if (std::abs(tau) > 0.5 && std::arg(tau) > 1e-6) lowest = std::min(lowest, std::arg(tau) / s.dt);
    return lowest;
}

/// Lowest frequency of a clamped beam under tension, from its characteristic equation: with b^2 - a^2 = T/EI and
/// a b = omega sqrt(rA/EI),  2 - 2 cos aL cosh bL + (b/a - a/b) sin aL sinh bL = 0, here divided by cosh bL.
inline double clamped_frequency() {
    const double ratio = wire.tension / wire.bending_stiffness;
    const auto b = [&](double a) { return std::sqrt(ratio + a * a); };
    const auto equation = [&](double a) {
        return 2.0 / std::cosh(b(a) * length) - 2.0 * std::cos(a * length) +
               (b(a) / a - a / b(a)) * std::sin(a * length) * std::tanh(b(a) * length);
    };
    const double below = pi / length;
    const auto before = [&](double a) { return equation(below) * equation(a) > 0.0; };
    const double a = bisect(before, below, 1.5 * pi / length).holds;
    return a * b(a) * std::sqrt(wire.bending_stiffness / wire.mass_per_length);
}

/// `order` in space on string or beam. The step shrinks with dx^2, so that the error of time, dt^2, is of fourth order
/// in dx as well.
template <int Order>
std::vector<double> of_string() {
    const double omega = 3.0 * pi / length * std::sqrt(15e3);
    return orders(
        [&](int n) {
            return standing_wave_error(string_stencil<Order>(pure_string, length / (30 * n), 2e-4 / (n * n)), 30 * n,
                                       omega, 0.02);
        },
        Order == 2 ? 2 : 1);
}

template <int Order>
std::vector<double> of_beam() {
    const double omega = beam_frequency(wire, 3.0 * pi / length).real();
    return orders(
        [&](int n) {
            return standing_wave_error(beam_stencil<Order>(wire, length / (30 * n), 2e-4 / (n * n)), 30 * n, omega,
                                       0.02);
        },
        Order == 2 ? 2 : 1);
}

/// The implicit march with both dampings.
inline std::vector<double> of_damped_beam() {
    // On a pinned wire the damped standing wave is exact: sin(kx) Re(c e^{i omega t}), here with c = 1.
    const BeamParams<> p{1.0, 3.0, 2.0, 150.0, 15e3};
    const double k = 3.0 * pi / length;
    const auto omega = beam_frequency(p, k);
    const auto error = [&](int n) {
        const int cells = 30 * n;
        const double dt = 1e-4 / n;
        const auto s = beam_stencil(p, length / cells, dt);
        const auto at = [&](double t) { return std::exp(std::complex<double>(0.0, 1.0) * omega * t).real(); };
        VectorXd shape(cells + 1);
        for (int i = 0; i <= cells; ++i) shape[i] = std::sin(3.0 * pi * i / cells);
        March march(s, cells + 1, pinned(s), pinned(s));
        march.start(shape, at(-dt) * shape);
        for (int i = 0; i < 200 * n; ++i) march.step();
        return (march.level() - at(0.02) * shape).cwiseAbs().maxCoeff();
    };
    return orders(error, 4);
}

/// Lowest frequency of the wire in `cells` cells, both ends clamped as printed.
inline double clamped_as_printed(int cells) {
    const auto s = beam_stencil(wire, length / cells, 1e-5);
    return lowest_frequency(s, cells + 1, clamped_first_order(s), clamped_first_order(s));
}

/// The same, clamped by the mirror.
inline double clamped_by_mirror(int cells) {
    const auto s = beam_stencil(wire, length / cells, 1e-5);
    return lowest_frequency(s, cells + 1, clamped(s), clamped(s));
}

/// Layers of thickness sqrt(EI/T) = 0.1 m: the orders show once dx is well below.
template <class Frequency>
std::vector<double> of_clamp(const Frequency& frequency) {
    const double exact = clamped_frequency();
    return orders([&](int n) { return std::abs(frequency(60 * n) - exact); });
}

/// A cantilever: (1.87510406871)^2 sqrt(EI/rA)/L^2; with L = 2 m to keep the numbers of the grid moderate.
inline std::vector<double> of_cantilever() {
    const BeamParams<> bar{.mass_per_length = 1.0, .bending_stiffness = 150.0};
    const double exact = std::pow(1.875104068711961 / 2.0, 2) * std::sqrt(150.0);
    return orders([&](int n) {
        const auto s = beam_stencil(bar, 2.0 / (10 * n), 1e-5);
        return std::abs(lowest_frequency(s, 10 * n + 1, clamped(s), free_end(s)) - exact);
    });
}

/// A string held at one end: a quarter of a wave.
inline std::vector<double> of_free_string() {
    const double quarter = 0.5 * pi / length * std::sqrt(15e3);
    return orders([&](int n) {
        const auto s = string_stencil(BeamParams<>{.tension = 15e3}, length / (10 * n), 1e-6);
        return std::abs(lowest_frequency(s, 10 * n + 1, pinned(s), free_end(s)) - quarter);
    });
}

/// Pinned and free under tension and bending: w = A sin ax + B sinh bx, no moment and EI w''' = T w' at x = L.
inline std::vector<double> of_pinned_and_free() {
    const double EI = 150.0, T = 100.0, L = 2.0;
    const auto determinant = [&](double omega) {
        const double half = 0.5 * T / EI, root = std::sqrt(half * half + omega * omega / EI);
        const double a = std::sqrt(root - half), b = std::sqrt(root + half);
        return -a * a * std::sin(a * L) * (EI * b * b - T) * b * std::cosh(b * L) +
               b * b * std::sinh(b * L) * (EI * a * a + T) * a * std::cos(a * L);
    };
    const double low = 2.0, high = 12.0;  // sqrt(3 T / rA L^2) = 8.7 rad/s were it a rigid bar
    if (determinant(low) * determinant(high) >= 0.0) throw std::runtime_error("no root of the characteristic equation");
    const auto before = [&](double omega) { return determinant(low) * determinant(omega) > 0.0; };
    const double wanted = bisect(before, low, high).holds;
    return orders([&](int n) {
        const auto s = beam_stencil(BeamParams<>{.bending_stiffness = EI, .tension = T}, L / (10 * n), 1e-5);
        return std::abs(lowest_frequency(s, 10 * n + 1, pinned(s), free_end(s)) - wanted);
    });
}

/// A packet on a string seen from a frame that moves at 60 m/s: the exact shift x -> x - v t. `direction` is 1 or -1,
/// `n` refines.
inline double moving_packet_error(double direction, int n) {
    const BeamParams<> p{.mass_per_length = 1.35, .tension = 20e3};
    const double c = std::sqrt(20e3 / 1.35), v = 60.0;
    const double dx = 0.25 / n, dt = 5e-4 / n, speed = direction * c - v;
    const int points = 400 * n + 1;
    const auto s = moving_beam_stencil(p, v, dx, dt);
    const auto at = [&](double t) {
        VectorXd u(points);
        for (int k = 0; k < points; ++k) u[k] = std::exp(-std::pow((k * dx - 50.0 - speed * t) / 2.0, 2));
        return u;
    };
    March march(s, points, clamped_first_order(s), clamped_first_order(s));
    march.start(at(0.0), at(-dt));
    const int steps = 200 * n;
    for (int i = 0; i < steps; ++i) march.step();
    return (march.level() - at(steps * dt)).cwiseAbs().maxCoeff();
}

inline std::vector<double> of_moving_packet(double direction) {
    return orders([&](int n) { return moving_packet_error(direction, n); });
}

using BeamSupportMaker = std::function<Support<double, 2>(const Stencil<double, 2>&)>;

/// The supports of a beam by name.
inline const std::vector<std::pair<std::string, BeamSupportMaker>>& beam_supports() {
    using S = Stencil<double, 2>;
    static const std::vector<std::pair<std::string, BeamSupportMaker>> list{
        {"clamped_first_order", [](const S& s) { return clamped_first_order(s); }},
        {"clamped", [](const S& s) { return clamped(s); }},
        {"pinned", [](const S& s) { return pinned(s); }},
        {"free_end", [](const S& s) { return free_end(s); }}};
    return list;
}

/// At rest in this shape on 23 points.
inline VectorXd bump() {
    VectorXd u = VectorXd::Zero(23);
    for (int k = 3; k < 20; ++k) u[k] = std::exp(-0.5 * (k - 9.0) * (k - 9.0));
    return u;
}

/// Largest change of the discrete energy in 3000 steps, over the energy.
template <class M>
double energy_drift(M march) {
    march.start(bump(), bump());
    const double first = energy(march);
    double worst = 0.0;
    for (int n = 0; n < 3000; ++n) {
        march.step();
        worst = std::max(worst, std::abs(energy(march) - first));
    }
    return worst / first;
}

inline double beam_energy_drift(const BeamSupportMaker& left, const BeamSupportMaker& right) {
    const auto s = beam_stencil(wire, 7.5 / 22, 1e-4);
    return energy_drift(March(s, 23, left(s), right(s)));
}

inline double string_energy_drift() {
    const auto s = string_stencil(BeamParams<>{.tension = 100.0}, 0.1, 5e-3);
    return energy_drift(March(s, 23, free_end(s), pinned(s)));
}

}  // namespace panto::test::convergence

namespace panto::test {

/// Of every order the one of the finer refinement.
inline std::vector<Measured> wave_convergence_figures() {
    using namespace convergence;
    double drift = string_energy_drift();
    for (const auto& left : beam_supports())
        for (const auto& right : beam_supports()) drift = std::max(drift, beam_energy_drift(left.second, right.second));
    return {{"wave.order.string_2", of_string<2>()[1]},
            {"wave.order.string_4", of_string<4>()[1]},
            {"wave.order.beam_2", of_beam<2>()[1]},
            {"wave.order.beam_4", of_beam<4>()[1]},
            {"wave.order.damped", of_damped_beam()[1]},
            {"wave.order.clamped_as_printed", of_clamp(clamped_as_printed)[1]},
            {"wave.order.clamped", of_clamp(clamped_by_mirror)[1]},
            {"wave.order.cantilever", of_cantilever()[1]},
            {"wave.order.free_string", of_free_string()[1]},
            {"wave.order.pinned_free", of_pinned_and_free()[1]},
            {"wave.order.moving_up", of_moving_packet(1.0)[1]},
            {"wave.order.moving_down", of_moving_packet(-1.0)[1]},
            {"wave.energy_drift", drift}};
}

}  // namespace panto::test
