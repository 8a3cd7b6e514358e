// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The section under a resting vertical force: how far it yields, with droppers going slack.

#pragma once

#include <panto/catenary/unilateral.hpp>

#include <string>

namespace panto::catenary {

/// Equilibrium under a static upward force on the contact wire.
template <Real Scalar = double>
struct StaticLoad {
    double position = 0.0;                 ///< m
    Scalar force{};                        ///< N upward
    Scalar uplift{};                       ///< m, of the contact wire at `position`
    Vector<Scalar, Dynamic> displacement;  ///< m (slopes: 1), by row of the model
    std::vector<Scalar> dropper_tension;   ///< N, 0 where slack
    int slack_droppers = 0;
};

/// @param bilateral droppers that push as well, for the linear elasticity.
/// @throws SetupError if the position lies outside the section or the force is not finite.
template <Real Scalar>
[[nodiscard]] StaticLoad<Scalar> static_load(const FiniteElements<Scalar>& model, double position, const Scalar& force,
                                             bool bilateral = false) {
    const std::string where = "catenary::static_load";
    require_finite(position, where, "position");
    require(position >= 0.0 && position <= model.length(), where,
            "position is " + shown(position) + " m, allowed is from 0 to " + shown(model.length()) + " m");
    require_finite(value_of(force), where, "force");

    StaticLoad<Scalar> result;
    result.position = position;
    result.force = force;
    const WirePoint point = model.point(position);
    Vector<Scalar, Dynamic> load = Vector<Scalar, Dynamic>::Zero(model.size());
    for (std::size_t i = 0; i < 4; ++i)
        if (point.row[i] >= 0) load[point.row[i]] += force * Scalar(point.value[i]);

    Unilateral<Scalar> structure(model, model.stiffness());
    result.displacement = load;
    if (bilateral)
        linalg::BandCholesky<Scalar>(model.stiffness()).solve(result.displacement);
    else
        require(structure.solve(load, result.displacement) == Status::ok, where,
                "no equilibrium was found under " + shown(value_of(force)) +
                    " N; the wire may be lifted off too many droppers");
    result.uplift = interpolate<Scalar>(point.row, point.value, [&](int i) { return result.displacement[i]; });
    for (const DropperLink<Scalar>& d : model.droppers()) {
        const Scalar t = Unilateral<Scalar>::linear_tension(d, result.displacement);
        const bool slack = t < Scalar(0.0) && !bilateral;
        result.dropper_tension.push_back(slack ? Scalar(0.0) : t);
        result.slack_droppers += slack;
    }
    return result;
}

/// Uplift per newton at a position, m/N: linear (infinitesimal force), or under a force with droppers going slack.
template <Real Scalar>
[[nodiscard]] Scalar elasticity(const FiniteElements<Scalar>& model, double position) {
    return static_load(model, position, Scalar(1.0), true).uplift;
}
template <Real Scalar>
[[nodiscard]] Scalar elasticity(const FiniteElements<Scalar>& model, double position, const Scalar& force) {
    require(value_of(force) > 0.0, "catenary::elasticity",
            "force is " + shown(value_of(force)) + " N, allowed is above 0");
    return static_load(model, position, force).uplift / force;
}

}  // namespace panto::catenary
