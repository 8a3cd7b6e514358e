// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records of the two problems of identify_boundary.cpp by other means than the modal fields that are fitted to them:
/// finite volumes and finite differences on fine grids, explicit in time.

#pragma once

#include <panto/field/heat_slab.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/ident/boundary_law.hpp>

#include <cmath>
#include <vector>

namespace boundary_records {

/// Newton's method on v - free + gain sum theta_i phi_i(v), which rises with v.
template <class Law, class Theta>
double at_boundary(const Law& law, const Theta& theta, double free, double gain, double v) {
    for (int k = 0; k < 20; ++k) {
        const double step = (v - free + gain * panto::ident::weighted(law.basis(v), theta)) /
                            (1.0 + gain * panto::ident::weighted(law.slopes(v), theta));
        v -= step;
        if (std::abs(step) <= 1e-14 * (1.0 + std::abs(v))) break;
    }
    return v;
}

/// Rises of temperature at the sensor every `period` s: cells of equal width, the temperature between centers straight,
/// flux and law in balance at the face, half a cell from the last center.
template <class Law, class Theta>
std::vector<double> cooled_slab(const panto::ident::HeatSlabParams<>& p, const Law& law, const Theta& theta,
                                double period, int samples, int cells = 200) {
    const double dx = p.thickness / cells, longest = 0.4 * dx * dx / p.diffusivity;
    const int steps = static_cast<int>(std::ceil(period / longest));
    const double number = p.diffusivity * period / steps / (dx * dx), half = 0.5 * dx / p.conductivity;
    std::vector<double> u(static_cast<std::size_t>(cells), 0.0), next = u, record{0.0};
    const double place = p.sensor * cells - 0.5;
    const auto left = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(left);
    double face = 0.0;
    for (int n = 1; n < samples; ++n) {
        for (int k = 0; k < steps; ++k) {
            face = at_boundary(law, theta, u.back(), half, face);
            for (std::size_t i = 0; i < u.size(); ++i) {
                const double before = i > 0 ? u[i] - u[i - 1] : 0.0;
                const double after = i + 1 < u.size() ? u[i + 1] - u[i] : 2.0 * (face - u[i]);
                next[i] = u[i] + number * (after - before);
            }
            u.swap(next);
        }
        record.push_back((1.0 - share) * u[left] + share * u[left + 1]);
    }
    return record;
}

/// Bending moments at the sensor every `period` s under the motion `table(t)`: central differences in space and time,
/// the knife edge with a point beyond it that the moment there bends, the clamp with one that mirrors.
template <class Law, class Theta, class Motion>
std::vector<double> shaken_beam(const panto::ident::SpringBeamParams<>& p, const Law& law, const Theta& theta,
                                const Motion& table, double period, int samples, int cells = 100) {
    const double dx = p.length / cells, d4 = p.bending_stiffness / (dx * dx * dx * dx);
    const double longest = 0.45 * std::sqrt(p.mass_per_length / d4);
    const int steps = static_cast<int>(std::ceil(period / longest));
    const double dt = period / steps, inertia = p.mass_per_length / (dt * dt), drag = p.damping / (2.0 * dt);
    const int sensor = static_cast<int>(std::lround(p.sensor * cells));
    // u[i + 1] is point i; one point beyond each border.
    std::vector<double> u(static_cast<std::size_t>(cells) + 3, 0.0), old = u, next = u, record{0.0};
    double slope = 0.0;
    for (int n = 1; n < samples; ++n) {
        for (int k = 0; k < steps; ++k) {
            for (std::size_t i = 2; i + 2 < u.size(); ++i) {
                const double bend = u[i - 2] - 4.0 * u[i - 1] + 6.0 * u[i] - 4.0 * u[i + 1] + u[i + 2];
                next[i] = (2.0 * inertia * u[i] - (inertia - drag) * old[i] - d4 * bend) / (inertia + drag);
            }
            const std::size_t end = u.size() - 2;
            next[1] = 0.0, next[end] = table(((n - 1) * steps + k + 1) * dt);
            slope = at_boundary(law, theta, next[2] / dx, 0.5 * dx / p.bending_stiffness, slope);
            next[0] = next[2] - 2.0 * dx * slope;
            next[end + 1] = next[end - 1];
            old.swap(u), u.swap(next);
        }
        const auto at = static_cast<std::size_t>(sensor) + 1;
        record.push_back(p.bending_stiffness * (u[at - 1] - 2.0 * u[at] + u[at + 1]) / (dx * dx));
    }
    return record;
}

}  // namespace boundary_records
