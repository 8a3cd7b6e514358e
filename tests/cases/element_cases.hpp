// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements driven by a given motion, for tests.

#pragma once

#include <panto/dynamics/runge_kutta.hpp>
#include <panto/element/memory.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace panto::test {

/// What an element does in one motion, step by step.
struct DrivenElement {
    std::vector<double> time, x, force;
};

/// Runge-Kutta on the memory under the motion x(t) with speed v(t), from rest; the memory ends up in `z`.
template <class E, class Motion, class Speed>
DrivenElement drive(const E& element, const Motion& x, const Speed& v, double duration, int steps,
                    typename E::Memory& z) {
    using Memory = typename E::Memory;
    DrivenElement out;
    z = element.rest();
    Memory next = z;
    const double dt = duration / steps;
    for (int n = 0; n <= steps; ++n) {
        const double t = n * dt;
        out.time.push_back(t);
        out.x.push_back(x(t));
        out.force.push_back(element.force(x(t), v(t), z));
        if (n == steps) break;
        const auto rate = [&](double at, const Memory& m, Memory& dz) { element.rate(x(at), v(at), m, dz); };
        dynamics::runge_kutta_step(rate, t, dt, z, next);
        z = next;
        element.accept(x(t + dt), v(t + dt), z);
    }
    return out;
}

template <class E>
DrivenElement drive_sine(const E& element, double amplitude, double frequency, int cycles, int steps) {
    const double w = 2.0 * std::numbers::pi * frequency;
    typename E::Memory z;
    return drive(
        element, [&](double t) { return amplitude * std::sin(w * t); },
        [&](double t) { return amplitude * w * std::cos(w * t); }, cycles / frequency, steps, z);
}

/// In-phase and quadrature stiffness of the last of `cycles` cycles.
inline std::array<double, 2> stiffness_of_last_cycle(const DrivenElement& run, double amplitude, double frequency,
                                                     int cycles) {
    const std::size_t per = (run.time.size() - 1) / static_cast<std::size_t>(cycles), first = run.time.size() - 1 - per;
    const double w = 2.0 * std::numbers::pi * frequency;
    double in_phase = 0.0, quadrature = 0.0;
    for (std::size_t n = first; n < first + per; ++n) {
        in_phase += run.force[n] * std::sin(w * run.time[n]);
        quadrature += run.force[n] * std::cos(w * run.time[n]);
    }
    const double scale = 2.0 / (amplitude * static_cast<double>(per));
    return {scale * in_phase, scale * quadrature};
}

/// Work of the last cycle, J, by the trapezoidal rule over the stroke.
inline double loss_of_last_cycle(const DrivenElement& run, int cycles) {
    const std::size_t per = (run.time.size() - 1) / static_cast<std::size_t>(cycles), first = run.time.size() - 1 - per;
    double work = 0.0;
    for (std::size_t n = first; n + 1 < run.time.size(); ++n)
        work += 0.5 * (run.force[n] + run.force[n + 1]) * (run.x[n + 1] - run.x[n]);
    return work;
}

}  // namespace panto::test
