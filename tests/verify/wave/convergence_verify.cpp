// SPDX-License-Identifier: BSD-3-Clause
// Orders of convergence of schemes and supports, against closed forms.
#include <panto/linalg/eigenvalues.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/state_space.hpp>
#include <panto/wave/string.hpp>
#include <panto/wave/supports.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace wave_convergence {
namespace {

using namespace panto;
using namespace panto::wave;
using Eigen::VectorXd;
using std::numbers::pi;

const BeamParams<> wire{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3};
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
double clamped_frequency() {
    const double ratio = wire.tension / wire.bending_stiffness;
    const auto b = [&](double a) { return std::sqrt(ratio + a * a); };
    const auto equation = [&](double a) {
        return 2.0 / std::cosh(b(a) * length) - 2.0 * std::cos(a * length) +
               (b(a) / a - a / b(a)) * std::sin(a * length) * std::tanh(b(a) * length);
    };
    double low = pi / length, high = 1.5 * pi / length;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        (equation(low) * equation(middle) <= 0.0 ? high : low) = middle;
    }
    return low * b(low) * std::sqrt(wire.bending_stiffness / wire.mass_per_length);
}

}  // namespace

TEST_CASE("second and fourth order in space arrive at their order on string and beam", "[wave][convergence]") {
    const double omega = beam_frequency(wire, 3.0 * pi / length).real();
    const double string_omega = 3.0 * pi / length * std::sqrt(15e3);
    const BeamParams<> string{.mass_per_length = 1.0, .tension = 15e3};
    // The step shrinks with dx^2, so that the error of time, dt^2, is of fourth order in dx as well.
    const auto check = [](const std::vector<double>& found, double wanted) {
        CHECK(found[0] == Approx(wanted).margin(0.1));
        CHECK(found[1] == Approx(wanted).margin(0.05));
    };
    const double dt = 2e-4;
    check(orders(
              [&](int n) {
                  return standing_wave_error(string_stencil(string, length / (30 * n), dt / (n * n)), 30 * n,
                                             string_omega, 0.02);
              },
              2),
          2.0);
    check(orders(
              [&](int n) {
                  return standing_wave_error(string_stencil<4>(string, length / (30 * n), dt / (n * n)), 30 * n,
                                             string_omega, 0.02);
              },
              1),
          4.0);
    check(orders(
              [&](int n) {
                  return standing_wave_error(beam_stencil(wire, length / (30 * n), dt / (n * n)), 30 * n, omega, 0.02);
              },
              2),
          2.0);
    check(orders(
              [&](int n) {
                  return standing_wave_error(beam_stencil<4>(wire, length / (30 * n), dt / (n * n)), 30 * n, omega,
                                             0.02);
              },
              1),
          4.0);
}

TEST_CASE("the implicit march with both dampings is of second order", "[wave][convergence]") {
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
    const auto found = orders(error, 4);
    CHECK(found[0] == Approx(2.0).margin(0.1));
    CHECK(found[1] == Approx(2.0).margin(0.05));
}

TEST_CASE("clamped as printed is of first order, by the mirror of second", "[wave][convergence]") {
    const double exact = clamped_frequency();
    CHECK(exact == Approx(52.76).margin(0.01));  // found by refinement there
    const auto grid = [&](int cells) { return beam_stencil(wire, length / cells, 1e-5); };
    const auto first = [&](int cells) {
        const auto s = grid(cells);
        return lowest_frequency(s, cells + 1, clamped_first_order(s), clamped_first_order(s));
    };
    const auto second = [&](int cells) {
        const auto s = grid(cells);
        return lowest_frequency(s, cells + 1, clamped(s), clamped(s));
    };
    CHECK(first(22) == Approx(56.88).margin(0.005));
    CHECK(second(22) == Approx(52.00).margin(0.005));
    // Layers of thickness sqrt(EI/T) = 0.1 m: the orders show once dx is well below.
    const auto of_first = orders([&](int n) { return std::abs(first(60 * n) - exact); });
    const auto of_second = orders([&](int n) { return std::abs(second(60 * n) - exact); });
    CHECK(of_first[1] == Approx(1.0).margin(0.15));
    CHECK(of_second[1] == Approx(2.0).margin(0.15));
}

TEST_CASE("a free end is of second order", "[wave][convergence]") {
    // A cantilever: (1.87510406871)^2 sqrt(EI/rA)/L^2; with L = 2 m to keep the numbers of the grid moderate.
    const BeamParams<> bar{.mass_per_length = 1.0, .bending_stiffness = 150.0};
    const double exact = std::pow(1.875104068711961 / 2.0, 2) * std::sqrt(150.0);
    const auto bending = orders([&](int n) {
        const auto s = beam_stencil(bar, 2.0 / (10 * n), 1e-5);
        return std::abs(lowest_frequency(s, 10 * n + 1, clamped(s), free_end(s)) - exact);
    });
    CHECK(bending[0] == Approx(2.0).margin(0.1));
    CHECK(bending[1] == Approx(2.0).margin(0.05));
    // A string held at one end: a quarter of a wave.
    const double quarter = 0.5 * pi / length * std::sqrt(15e3);
    const auto string = orders([&](int n) {
        const auto s = string_stencil(BeamParams<>{.tension = 15e3}, length / (10 * n), 1e-6);
        return std::abs(lowest_frequency(s, 10 * n + 1, pinned(s), free_end(s)) - quarter);
    });
    CHECK(string[1] == Approx(2.0).margin(0.05));
    // Pinned and free under tension and bending: w = A sin ax + B sinh bx, no moment and EI w''' = T w' at x = L.
    const double EI = 150.0, T = 100.0, L = 2.0;
    const auto determinant = [&](double omega) {
        const double half = 0.5 * T / EI, root = std::sqrt(half * half + omega * omega / EI);
        const double a = std::sqrt(root - half), b = std::sqrt(root + half);
        return -a * a * std::sin(a * L) * (EI * b * b - T) * b * std::cosh(b * L) +
               b * b * std::sinh(b * L) * (EI * a * a + T) * a * std::cos(a * L);
    };
    double low = 2.0, high = 12.0;  // sqrt(3 T / rA L^2) = 8.7 rad/s were it a rigid bar
    REQUIRE(determinant(low) * determinant(high) < 0.0);
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        (determinant(low) * determinant(middle) <= 0.0 ? high : low) = middle;
    }
    const auto both = orders([&](int n) {
        const auto s = beam_stencil(BeamParams<>{.bending_stiffness = EI, .tension = T}, L / (10 * n), 1e-5);
        return std::abs(lowest_frequency(s, 10 * n + 1, pinned(s), free_end(s)) - low);
    });
    CHECK(both[0] == Approx(2.0).margin(0.1));
    CHECK(both[1] == Approx(2.0).margin(0.1));
}

TEST_CASE("a wave packet on a moving beam is the one at rest, seen from the frame", "[wave][moving]") {
    // Both directions, by the exact shift x -> x - v t of a string's travelling wave.
    const BeamParams<> p{.mass_per_length = 1.35, .tension = 20e3};
    const double c = std::sqrt(20e3 / 1.35), v = 60.0;
    for (const double direction : {1.0, -1.0}) {
        CAPTURE(direction);
        const auto error = [&](int n) {
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
        };
        const auto found = orders(error);
        CHECK(found[1] == Approx(2.0).margin(0.15));
        CHECK(error(4) < 5e-3);
    }
}

}  // namespace wave_convergence
