// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The section at rest under a vertical force, with droppers that go slack.

#pragma once

#include <panto/catenary/unilateral.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace panto::catenary {

/// Equilibrium under a static upward force on the contact wire.
template <Real Scalar = double>
struct StaticLoad {
    double position = 0.0;                      ///< m
    Scalar force{};                             ///< N upward
    Scalar uplift{};                            ///< m, of the contact wire at `position`
    Vector<Scalar, Dynamic> displacement = {};  ///< m (slopes: 1), by row of the model
    std::vector<Scalar> dropper_tension = {};   ///< N, 0 where slack
    int slack_droppers = 0;
};

/// @throws SetupError if a static force, N, is not finite or larger than any pantograph's.
template <class... Parts>
void require_static_force(double force, std::string_view where, const Parts&... field) {
    require_finite(force, where, field...);
    require(std::abs(force) <= SectionLimits::force, where, field..., " is ", force, " N, must be from ",
            -SectionLimits::force, " to ", SectionLimits::force, " N");
}

/// The section at rest under `force`, N upward, at `position`, m.
/// @param bilateral lets droppers push as well, for the linear elasticity.
/// @throws SetupError if the position lies outside the section or require_static_force() refuses the force.
template <Real Scalar>
[[nodiscard]] StaticLoad<Scalar> static_load(const FiniteElements<Scalar>& model, double position, const Scalar& force,
                                             bool bilateral = false) {
    const std::string where = "catenary::static_load";
    require_finite(position, where, "position");
    require(position >= 0.0 && position <= model.length() * (1.0 + 1e-12), where, "position is ", position,
            " m, must be from 0 to ", model.length(), " m");
    require_static_force(value_of(force), where, "force");

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
        require(structure.solve(load, result.displacement) == Status::ok, where, "no equilibrium was found under ",
                value_of(force), " N; the wire may be lifted off too many droppers");
    result.uplift = interpolate<Scalar>(point.row, point.value, [&](int i) { return result.displacement[i]; });
    for (const DropperLink<Scalar>& d : model.droppers()) {
        const Scalar t = Unilateral<Scalar>::linear_tension(d, result.displacement);
        const bool slack = t < Scalar(0.0) && !bilateral;
        result.dropper_tension.push_back(slack ? Scalar(0.0) : t);
        result.slack_droppers += slack;
    }
    return result;
}

/// Throws unless this model, with droppers that only pull, is at rest under the static load, which must act at `start`,
/// m. A load of another section, at another position, or with bilateral droppers that push is refused.
/// @throws SetupError if sizes or positions differ, a value is not finite or a force is unbalanced.
template <Real Scalar>
void require_at_rest(const FiniteElements<Scalar>& model, const StaticLoad<Scalar>& at, double start,
                     const std::string& where) {
    require(at.displacement.size() == model.size(), where, "the static load belongs to another model");
    require_finite(at.position, where, "position of the static load");
    require(std::abs(at.position - start) <= 1e-9 * model.length(), where, "the static load acts at ", at.position,
            " m, must act where the pantograph starts, ", start, " m");
    require_finite(value_of(at.force), where, "force of the static load");
    std::vector<double> unbalanced(static_cast<std::size_t>(model.size()), 0.0);
    double largest = 0.0;
    const auto add = [&](int row, double force) {
        unbalanced[static_cast<std::size_t>(row)] += force;
        largest = std::max(largest, std::abs(force));
    };
    for (int i = 0; i < model.size(); ++i) {
        require_finite(value_of(at.displacement[i]), where, "displacement of the static load");
        for (int k = 0; k <= std::min(i, model.stiffness().half_bandwidth()); ++k) {
            const double stiffness = value_of(model.stiffness().below(i, k));
            add(i, -stiffness * value_of(at.displacement[i - k]));
            if (k > 0) add(i - k, -stiffness * value_of(at.displacement[i]));
        }
    }
    const WirePoint point = model.point(at.position);
    for (std::size_t i = 0; i < 4; ++i)
        if (point.row[i] >= 0) add(point.row[i], value_of(at.force) * point.value[i]);
    for (const DropperLink<Scalar>& d : model.droppers()) {
        const double tension = value_of(Unilateral<Scalar>::linear_tension(d, at.displacement));
        if (tension < 0.0) add(d.top, tension), add(d.bottom, -tension);
    }
    const double rounding = 1e4 * value_of(Eigen::NumTraits<Scalar>::epsilon()) * largest;
    for (const double force : unbalanced)
        require(std::abs(force) <= rounding + 1e-6 * std::abs(value_of(at.force)), where, "the static load leaves ",
                std::abs(force),
                " N unbalanced in this model: it belongs to another one, or was computed with bilateral droppers");
}

/// Elasticity at a position, m/N: uplift per newton of an infinitesimal force.
template <Real Scalar>
[[nodiscard]] Scalar elasticity(const FiniteElements<Scalar>& model, double position) {
    return static_load(model, position, Scalar(1.0), true).uplift;
}
/// The same for a given force, N, under which droppers may go slack.
template <Real Scalar>
[[nodiscard]] Scalar elasticity(const FiniteElements<Scalar>& model, double position, const Scalar& force) {
    require(value_of(force) > 0.0, "catenary::elasticity", "force is ", value_of(force), " N, must be above 0");
    return static_load(model, position, force).uplift / force;
}

#ifdef PANTO_COMPILED
extern template StaticLoad<double> static_load(const FiniteElements<double>&, double, const double&, bool);
extern template void require_at_rest(const FiniteElements<double>&, const StaticLoad<double>&, double,
                                     const std::string&);
#endif

}  // namespace panto::catenary
