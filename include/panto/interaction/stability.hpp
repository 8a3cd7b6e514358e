// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether a coupling with one step of delay is stable, checked before a run.
///
/// With an interaction mass, the critical loop consists of mass and pantograph: a small linear system, which is stable
/// if its spectral radius is below 1. Without a mass, the loop consists of wire and pantograph. The wire is then
/// described by its response to a one-step force pulse at a fixed contact point, and the loop is simulated to see
/// whether a disturbance fades. All contacts and droppers are treated as bilateral, because stability depends on small
/// motions about the loaded state.

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/core/bisect.hpp>
#include <panto/interaction/interaction_mass.hpp>
#include <panto/linalg/spectral_radius.hpp>
#include <panto/pantograph/lumped.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::interaction {

/// Spectral radius of the loop of interaction mass and pantograph. The contact force of the step before acts on the
/// mass, and the wire is at rest. Above 1 the mass chatters against the strip.
/// @throws SetupError if the stiffness is not positive, or as linalg::spectral_radius does.
template <class = void>
[[nodiscard]] double mass_loop_radius(const InteractionMass<>& mass, const pantograph::Lumped<>& pantograph,
                                      double contact_stiffness) {
    require_positive(contact_stiffness, "interaction::mass_loop_radius", "contact_stiffness");
    const Eigen::Index n = pantograph.size(), size = 3 * n + 4;  // [u; v; a] of the pantograph, of the mass, and F_c
    Eigen::MatrixXd A(size, size);
    for (Eigen::Index column = 0; column < size; ++column) {
        const Eigen::VectorXd x = Eigen::VectorXd::Unit(size, column);
        const pantograph::Lumped<>::State now{x.head(n), x.segment(n, n), x.segment(2 * n, n)};
        pantograph::Lumped<>::State next = now;
        const auto moved = mass.step({x[3 * n], x[3 * n + 1], x[3 * n + 2]}, 0.0, 0.0, x[3 * n + 3]);
        pantograph.predict(now, 0.0, next);
        const double force =
            contact_stiffness * (next.u[0] - moved.height) / (1.0 + contact_stiffness * pantograph.head_compliance());
        pantograph.add_contact(force, next);
        A.col(column) << next.u, next.v, next.a, moved.height, moved.speed, moved.acceleration, force;
    }
    return linalg::spectral_radius(A);
}

/// The response of the wire at its contact point: entry n is the height n steps after a force of 1 N that lasted one
/// step, m/N. The contact point is fixed at `x`.
/// @throws SetupError if x is not on the line, dt not positive, or the matrix of a step not positive definite.
template <class = void>
[[nodiscard]] std::vector<double> pulse_response(const catenary::FiniteElements<>& model, double x, double dt,
                                                 int steps) {
    require(x >= 0.0 && x <= model.length() * (1.0 + 1e-12), "interaction::pulse_response", "x is ", x,
            " m, must be from 0 to ", model.length(), " m, where the line ends");
    require_positive(dt, "interaction::pulse_response", "dt");
    linalg::SymmetricBand<> S = model.stiffness();
    const linalg::SymmetricBand<> C = model.damping();
    S.add(4.0 / (dt * dt), model.mass());
    S.add(2.0 / dt, C);
    const linalg::BandCholesky<> solver(S);
    const catenary::WirePoint p = model.point(x);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(model.size()), v = u, a = u, next = u, load = u, damping = u;
    std::vector<double> response;
    for (int n = 0; n < steps; ++n) {
        model.mass().multiply(Eigen::VectorXd(4.0 / (dt * dt) * u + 4.0 / dt * v + a), load);
        C.multiply(Eigen::VectorXd(2.0 / dt * u + v), damping);
        next = load + damping;
        if (n == 0)
            for (std::size_t i = 0; i < 4; ++i)
                if (p.row[i] >= 0) next[p.row[i]] += p.value[i];
        solver.solve(next);
        const Eigen::VectorXd d = next - u;
        a = 4.0 / (dt * dt) * d - 4.0 / dt * v - a;
        v = 2.0 / dt * d - v;
        u = next;
        double height = 0.0;
        for (std::size_t i = 0; i < 4; ++i)
            if (p.row[i] >= 0) height += p.value[i] * u[p.row[i]];
        response.push_back(height);
    }
    return response;
}

/// Whether a disturbance of pantograph and wire fades, if the contact force of the step before acts on the wire.
/// @param wire  pulse_response(), m/N
/// @throws SetupError if the stiffness is not positive.
template <class = void>
[[nodiscard]] bool delayed_loop_fades(const std::vector<double>& wire, const pantograph::Lumped<>& pantograph,
                                      double contact_stiffness) {
    require_positive(contact_stiffness, "interaction::delayed_loop_fades", "contact_stiffness");
    const std::size_t steps = wire.size();
    const double flexibility = 1.0 / contact_stiffness + pantograph.head_compliance();
    auto now = pantograph.at_rest(), next = now;
    now.v[0] = 1.0;
    std::vector<double> force(steps, 0.0);
    for (std::size_t t = 0; t < steps; ++t) {
        double height = 0.0;
        for (std::size_t n = 1; n <= t; ++n) height += wire[n - 1] * force[t - n];
        pantograph.predict(now, 0.0, next);
        force[t] = (next.u[0] - height) / flexibility;
        if (!(std::abs(force[t]) < 1e12)) return false;
        pantograph.add_contact(force[t], next);
        std::swap(now, next);
    }
    // The first third contains the impact itself. The largest force of the last third must not exceed that of the
    // second third.
    const auto largest = [&](std::size_t from, std::size_t to) {
        double most = 0.0;
        for (std::size_t t = from; t < to; ++t) most = std::max(most, std::abs(force[t]));
        return most;
    };
    return largest(2 * steps / 3, steps) <= largest(steps / 3, 2 * steps / 3);
}

/// The pulse responses at three places in the middle of the section, which decide stability: a support, the dropper
/// next to it, and mid-span.
/// @throws SetupError as pulse_response() does.
template <class = void>
[[nodiscard]] std::vector<std::vector<double>> pulse_responses(const catenary::FiniteElements<>& model, double dt) {
    constexpr int steps = 900;
    const auto& mesh = model.mesh();
    const std::size_t span = (mesh.supports.size() - 1) / 2;
    std::vector<std::vector<double>> responses;
    const double support = mesh.supports[span];
    if (support > 0.0) responses.push_back(pulse_response(model, support, dt, steps));
    for (const auto& d : mesh.droppers)
        if (d.span == span) {
            responses.push_back(pulse_response(model, d.position, dt, steps));
            break;
        }
    responses.push_back(pulse_response(model, 0.5 * (mesh.supports[span] + mesh.supports[span + 1]), dt, steps));
    return responses;
}

/// Largest value below `unstable` up to which `stable(value)` holds, to a relative accuracy of 1e-6.
template <class Stable>
[[nodiscard]] double largest_stable(const Stable& stable, double unstable) {
    double high = unstable, low = unstable;
    for (int i = 0; i < 60 && !stable(low); ++i) high = low, low *= 0.5;
    return bisect(stable, low, high, 1e-6).holds;
}

#ifdef PANTO_COMPILED
extern template double mass_loop_radius(const InteractionMass<>&, const pantograph::Lumped<>&, double);
extern template std::vector<std::vector<double>> pulse_responses(const catenary::FiniteElements<>&, double);
extern template bool delayed_loop_fades(const std::vector<double>&, const pantograph::Lumped<>&, double);
#endif

}  // namespace panto::interaction
