// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A vehicle that has been checked and assembled. Every body or wheelset is a node with the six motions
/// u = (x, y, z, roll, pitch, yaw) of its centre. Each direction of a link is a Part. The force of a Part pulls both
/// nodes together and depends on the stretch
///     delta = g_b . u_b - g_a . u_a .
/// The rows g follow from the motion t + theta x r of a point at r from the centre, with translation t and rotation
/// theta. For a body, and for a wheelset with six freedoms, u are the degrees of freedom. For a wheelset with two
/// freedoms on the rails (wheelset.hpp), to first order,
///     u = A (y, yaw) + T (d_y, d_z, gamma):   z = d_z ,  roll = gamma + kappa (y - d_y + r0 gamma) .
/// Links act on the axle boxes of a wheelset, and these do not turn with the wheels. Degrees of freedom are sorted by
/// x, so that matrices are banded.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/element/air_spring.hpp>
#include <panto/vehicle/free_wheelset.hpp>
#include <panto/vehicle/multibody.hpp>
#include <panto/vehicle/node.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace panto::vehicle {

/// One direction of a link.
struct Part {
    int link = 0;
    Direction direction = Direction::z;
    std::array<int, 2> node{};
    std::array<NodeMotion, 2> row{};  ///< g_a, g_b
    std::array<double, 2> height{};   ///< m, of the link's point above the centre of each node
    double stiffness = 0.0, damping = 0.0, series = 0.0, gap = 0.0, stop = 0.0;
    int memory = -1;       ///< index of its damper force, -1 without a series spring
    double preload = 0.0;  ///< N, stiffness * delta at rest
    double friction = 0.0, friction_length = 0.0, friction_stroke = 0.0;
    int slip = -1;     ///< index of its friction force, -1 if it has none
    int rubber = -1;   ///< index among the rubber parts with friction, -1 for other parts
    int volumes = -1;  ///< index among the air springs with two volumes, -1 for other parts
    double area_stiffness = 0.0, orifice = 0.0, scale = 1.0;  ///< of such an air spring: N/m, m^2, factor of its force
    element::AirSpringGeometry<> air{};
    double knee = 0.0, beyond = 1.0;  ///< N, force at the knee, 0 for none; relative slope after it

    /// The stretch delta for the motions of its two nodes. @rt
    [[nodiscard]] double stretch(const NodeMotion& a, const NodeMotion& b) const noexcept {
        return row[1].dot(b) - row[0].dot(a);
    }
};

/// A point of a node and the direction in which it is measured.
struct Probe {
    int node = 0;
    NodeMotion row = NodeMotion::Zero();
};

struct Assembly {
    std::vector<Node> nodes{};  ///< in the order of x
    std::vector<Part> parts{};
    std::vector<std::string> links{};  ///< names
    std::vector<int> axles{};          ///< node indices, sorted by x
    int freedoms = 0;
    int memories = 0;
    int slips = 0;    ///< number of friction forces, for nonlinear models
    int rubbers = 0;  ///< number of rubber parts with friction, for nonlinear models
    int volumes = 0;  ///< number of air springs with two volumes, for nonlinear models
    double gravity = 9.81;
    WheelRail<> rail{};
    LinearGeometry<> geometry{};  ///< of every wheelset on its rails
    bool small_angle = false;     ///< see Multibody::coefficients
    bool free_wheelsets = false;  ///< see Multibody

    [[nodiscard]] double mass() const {
        double sum = 0.0;
        for (const Node& n : nodes) sum += n.mass;
        return sum;
    }
    /// @throws SetupError with the nearest name if there is none.
    [[nodiscard]] int node(std::string_view name) const {
        std::vector<std::string_view> known;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].name == name) return static_cast<int>(i);
            known.push_back(nodes[i].name);
        }
        throw SetupError(unknown_name("vehicle::Assembly", "body", name, known));
    }
    /// Whether the node of a probe is one of this vehicle. @rt
    [[nodiscard]] bool has(const Probe& p) const noexcept {
        return p.node >= 0 && static_cast<std::size_t>(p.node) < nodes.size();
    }
    /// @throws SetupError with the number of a probe whose node does not exist.
    void check(const std::vector<Probe>& probes, std::string_view where) const {
        for (std::size_t i = 0; i < probes.size(); ++i)
            require(has(probes[i]), where, "probe ", i, " is on node ", probes[i].node, ", must be from 0 to ",
                    nodes.size() - 1);
    }
    /// @param at  m, in the vehicle at rest. @throws SetupError as node.
    [[nodiscard]] Probe probe(std::string_view name, const std::array<double, 3>& at, Direction direction) const;
    /// Names of the wheelsets, from the front.
    [[nodiscard]] std::vector<std::string> wheelsets() const {
        std::vector<std::string> all;
        for (const int i : axles) all.push_back(nodes[static_cast<std::size_t>(i)].name);
        return all;
    }
    /// Static load of one wheel of a wheelset, N.
    [[nodiscard]] double wheel_load(int axle_node) const noexcept {
        const Node& n = nodes[static_cast<std::size_t>(axle_node)];
        return 0.5 * (n.suspension_load + n.mass * gravity);
    }
    /// Contact patch of one wheel of a wheelset. @throws SetupError as contact_patch.
    [[nodiscard]] ContactPatch<> patch(int axle_node) const {
        if (!small_angle) return rail.patch(wheel_load(axle_node));
        ContactPatch<> p =
            contact_patch(wheel_load(axle_node), 1.0 / rail.profile.radius, 1.0 / rail.profile.rail_radius,
                          rail.material, rail.friction, rail.creep_reduction);
        p.f23 = p.f33 = 0.0;
        return p;
    }
};

namespace detail {

/// Replaces spring and damper by an air spring.
inline void add_air_spring(Part& part, const AirSpring& air, const std::vector<double>& p, std::string_view link) {
    const std::string where = "vehicle::assemble: link '" + std::string(link) + "'";
    require(!(part.stiffness > 0.0) && !(part.damping > 0.0) && !(part.series > 0.0), where,
            "has an air spring and a spring or damper; give one of them");
    element::AirSpringGeometry<> g;
    g.pressure = air.pressure.at(p), g.area = air.area.at(p), g.area_slope = air.area_slope.at(p);
    g.bellows = air.bellows.at(p), g.reservoir = air.reservoir.at(p);
    element::NishimuraParams<> n;
    try {
        n = element::NishimuraParams<>::of(g, air.damping.at(p));
    } catch (const SetupError& e) {
        throw SetupError(where + ": " + e.what());
    }
    require_positive(n.orifice, where, "damping");
    const double both = n.bellows + n.reservoir;
    part.stiffness = n.area + n.bellows * n.reservoir / both;
    part.series = n.bellows * n.bellows / both;
    part.damping = n.orifice * n.bellows * n.bellows / (both * both);
    require_positive(part.stiffness, where, "static stiffness");
    part.air = g, part.area_stiffness = n.area, part.orifice = air.orifice.at(p);
    require_not_negative(part.orifice, where, "orifice");
}

/// Static equilibrium under gravity with the wheelsets fixed: preloads of the parts, loads of the wheelsets.
template <class = void>
void settle(Assembly& a) {
    int size = 0;
    std::vector<int> start(a.nodes.size(), -1);
    for (std::size_t i = 0; i < a.nodes.size(); ++i)
        if (!a.nodes[i].axle) start[i] = size, size += a.nodes[i].freedoms;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size);
    for (const Part& p : a.parts)
        for (int i = 0; i < 2 && p.stiffness > 0.0; ++i)
            for (int j = 0; j < 2; ++j) {
                const auto ri = static_cast<std::size_t>(i), rj = static_cast<std::size_t>(j);
                const auto ni = static_cast<std::size_t>(p.node[ri]), nj = static_cast<std::size_t>(p.node[rj]);
                const int fi = a.nodes[ni].freedoms, fj = a.nodes[nj].freedoms;
                if (start[ni] >= start[nj] && start[nj] >= 0)  // in the lower triangle
                    K.block(start[ni], start[nj], fi, fj) +=
                        (i == j ? p.stiffness : -p.stiffness) * p.row[ri].head(fi) * p.row[rj].head(fj).transpose();
            }
    for (std::size_t i = 0; i < a.nodes.size(); ++i)
        for (std::size_t j = 0; j < a.nodes[i].modes.size(); ++j) {
            const int k = start[i] + 6 + static_cast<int>(j);
            K(k, k) += a.nodes[i].mass * a.nodes[i].modes[j].frequency * a.nodes[i].modes[j].frequency;
        }
    Eigen::VectorXd u = Eigen::VectorXd::Zero(size);
    for (std::size_t i = 0; i < a.nodes.size(); ++i)
        if (start[i] >= 0) u[start[i] + 2] = -a.nodes[i].mass * a.gravity - a.nodes[i].dead_load;
    // Gaussian elimination in the lower triangle, skipping its many zeros. A zero pivot means a motion without
    // stiffness.
    const Eigen::VectorXd diagonal = K.diagonal();
    for (int k = 0; k < size; ++k) {
        std::size_t owner = 0;
        for (std::size_t i = 0; i < start.size(); ++i)
            if (start[i] >= 0 && start[i] <= k) owner = i;
        require(K(k, k) > 1e-9 * diagonal[k] && diagonal[k] > 0.0, "vehicle::assemble", "body '", a.nodes[owner].name,
                "' floats: no spring holds its motion in ",
                direction_names[static_cast<std::size_t>(std::min(k - start[owner], 5))],
                " against the wheelsets, link it to them");
        int end = size;  // of the column
        while (end > k + 1 && K(end - 1, k) == 0.0) --end;
        for (int i = k + 1; i < end; ++i) {
            const double f = K(i, k) / K(k, k);
            if (f == 0.0) continue;
            K.col(i).segment(i, end - i) -= f * K.col(k).segment(i, end - i);
            u[i] -= f * u[k];
        }
    }
    for (int k = size - 1; k >= 0; --k) {
        const int below = size - 1 - k;
        u[k] = (u[k] - K.col(k).tail(below).dot(u.tail(below))) / K(k, k);
    }
    for (Part& p : a.parts) {
        if (!(p.stiffness > 0.0)) continue;
        std::array<NodeMotion, 2> at;
        for (std::size_t i = 0; i < 2; ++i) {
            const int s = start[static_cast<std::size_t>(p.node[i])];
            const int freedoms = a.nodes[static_cast<std::size_t>(p.node[i])].freedoms;
            at[i].setZero();
            if (s >= 0) at[i].head(freedoms) = u.segment(s, freedoms);
        }
        p.preload = p.stiffness * p.stretch(at[0], at[1]);
        for (std::size_t i = 0; i < 2; ++i)  // the force on node a is +preload g_a, on b -preload g_b
            a.nodes[static_cast<std::size_t>(p.node[i])].suspension_load +=
                (i == 0 ? -p.preload : p.preload) * p.row[i][2];
    }
    for (const int i : a.axles)
        require(a.wheel_load(i) > 0.0, "vehicle::assemble", "wheelset '", a.nodes[static_cast<std::size_t>(i)].name,
                "' carries ", 2.0 * a.wheel_load(i), " N at rest, must be above 0: it would lift");
}

}  // namespace detail

inline Probe Assembly::probe(std::string_view name, const std::array<double, 3>& at, Direction direction) const {
    const int i = node(name);
    const Node& n = nodes[static_cast<std::size_t>(i)];
    return {i, detail::row_of(direction, at, n)};
}

/// Checks the vehicle and assembles it with the parameter values `p`.
/// @throws SetupError naming a body, wheelset, link or parameter that is not valid, a link to a missing body or from a
/// body to itself, a body that is not connected to the wheelsets, a wheelset that would lift.
template <class = void>
[[nodiscard]] Assembly assemble(const Multibody& v, const std::vector<double>& p) {
    const std::string_view where = "vehicle::assemble";
    require(p.size() == v.parameters.size(), where, "got ", p.size(), " values, expected one for each parameter, ",
            v.parameters.size());
    for (std::size_t i = 0; i < p.size(); ++i) require_finite(p[i], where, v.parameters[i].name);
    Assembly a;
    a.gravity = v.gravity, a.rail = v.rail, a.small_angle = v.coefficients.has_value();
    a.free_wheelsets = v.free_wheelsets;
    const auto& profile = v.rail.profile;
    require_positive(profile.rail_radius, "vehicle::WheelRail", "profile.rail_radius");
    if (a.small_angle) {
        require_positive(profile.half_distance, where, "half_distance");
        require_positive(profile.radius, where, "radius");
        validate(*v.coefficients, where);
        require(!(std::abs(profile.wheel_curvature) > 0.0), where, "wheel_curvature is ", profile.wheel_curvature,
                " 1/m and the contact coefficients, which replace it, are given; give one of them");
        a.geometry = LinearGeometry<>(*v.coefficients, profile.half_distance, profile.radius, 0.0, profile.rail_radius);
    } else {
        a.geometry = LinearGeometry<>(profile);
    }
    require_positive(v.gravity, where, "gravity");
    require(!v.axles.empty(), where, "there is no wheelset, at least one is needed");
    for (const RigidBody& b : v.bodies) {
        Node n{.name = b.name, .mass = b.mass.at(p), .dead_load = b.dead_load.at(p)};
        require_positive(n.mass, where, b.name, ": mass");
        for (std::size_t i = 0; i < 3; ++i) {
            n.inertia[i] = b.inertia[i].at(p), n.centre[i] = b.centre[i].at(p);
            require_positive(n.inertia[i], where, b.name, ": inertia[", i, "]");
            require_finite(n.centre[i], where, b.name, ": centre[", i, "]");
        }
        require_finite(n.dead_load, where, b.name, ": dead_load");
        for (const Bending& bending : b.bending) detail::add_bending(n, bending, p);
        detail::check_inertia(n, where);
        a.nodes.push_back(std::move(n));
    }
    for (const Axle& w : v.axles) {
        Node n{.name = w.name, .axle = true, .freedoms = v.free_wheelsets ? 6 : 2, .mass = w.mass.at(p)};
        n.inertia = {w.inertia.at(p), w.spin_inertia.at(p), w.inertia.at(p)};
        n.centre = {w.x.at(p), 0.0, v.rail.profile.radius};
        require_positive(n.mass, where, w.name, ": mass");
        require_positive(n.inertia[0], where, w.name, ": inertia");
        if (v.free_wheelsets)
            require_positive(n.inertia[1], where, w.name, ": spin_inertia");
        else
            require_not_negative(n.inertia[1], where, w.name, ": spin_inertia");
        require_finite(n.centre[0], where, w.name, ": x");
        detail::check_inertia(n, where);
        a.nodes.push_back(std::move(n));
    }
    std::stable_sort(a.nodes.begin(), a.nodes.end(),
                     [](const Node& m, const Node& n) { return m.centre[0] > n.centre[0]; });
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        Node& n = a.nodes[i];
        require(!n.name.empty(), where, "a body or wheelset has no name");
        for (std::size_t j = 0; j < i; ++j)
            require(a.nodes[j].name != n.name, where, "'", n.name, "' is the name of two bodies");
        n.first = a.freedoms;
        a.freedoms += n.freedoms;
        if (n.axle) a.axles.push_back(static_cast<int>(i));
    }
    for (const Link& l : v.links) {
        std::array<int, 2> node{};
        for (std::size_t i = 0; i < 2; ++i) {
            const auto found =
                std::find_if(a.nodes.begin(), a.nodes.end(), [&](const Node& n) { return n.name == l.between[i]; });
            if (found == a.nodes.end()) {
                std::vector<std::string_view> known;
                for (const Node& n : a.nodes) known.push_back(n.name);
                throw SetupError(unknown_name("vehicle::assemble: link '" + l.name + "'", "body", l.between[i], known));
            }
            node[i] = static_cast<int>(found - a.nodes.begin());
        }
        require(node[0] != node[1], where, "link '", l.name, "' connects '", l.between[0], "' to itself");
        const std::array<double, 3> at{l.at[0].at(p), l.at[1].at(p), l.at[2].at(p)};
        for (std::size_t i = 0; i < 3; ++i) require_finite(at[i], where, l.name, ": at[", i, "]");
        require(!l.parts.empty(), where, "link '", l.name, "' has no parts, at least one is needed");
        for (const Suspension& s : l.parts) {
            detail::refuse_idle(s, l.name);
            Part part{.link = static_cast<int>(a.links.size()), .direction = s.direction, .node = node};
            part.stiffness = s.stiffness.at(p), part.damping = s.damping.at(p), part.series = s.series.at(p);
            part.gap = s.gap.at(p), part.stop = s.stop.at(p);
            const auto named = [&](double value, const char* what) {
                require_not_negative(value, where, l.name, " ", direction_names[static_cast<std::size_t>(s.direction)],
                                     ": ", what);
            };
            named(part.stiffness, "stiffness"), named(part.damping, "damping"), named(part.series, "series");
            named(part.gap, "gap"), named(part.stop, "stop");
            part.knee = s.knee_force.at(p), part.beyond = s.beyond;
            named(part.knee, "knee_force");
            if (part.knee > 0.0) {
                require_positive(s.knee_speed.at(p), where, l.name, ": knee_speed");
                require_positive(s.beyond, where, l.name, ": beyond");
                require(!(part.damping > 0.0), where, l.name, " ",
                        direction_names[static_cast<std::size_t>(s.direction)], ": damping is ", part.damping,
                        " and knee_force ", part.knee, "; give one of them");
                part.damping = part.knee / s.knee_speed.at(p);
            }
            part.friction = s.friction.at(p), part.friction_length = s.friction_length.at(p);
            part.friction_stroke = s.friction_stroke.at(p);
            named(part.friction, "friction"), named(part.friction_stroke, "friction_stroke");
            if (part.friction > 0.0 && part.friction_stroke > 0.0) {
                require(!(part.friction_length > 0.0), where, l.name, ": friction_length is ", part.friction_length,
                        " m and friction_stroke ", part.friction_stroke, " m; give one of them");
                part.rubber = a.rubbers++;
            } else if (part.friction > 0.0) {
                require_positive(part.friction_length, where, l.name, ": friction_length");
                part.slip = a.slips++;
            }
            if (s.air) detail::add_air_spring(part, *s.air, p, l.name);
            require_positive(s.scale, where, l.name, ": scale");
            for (double* force : {&part.stiffness, &part.damping, &part.series, &part.stop, &part.knee, &part.friction,
                                  &part.area_stiffness})
                *force *= s.scale;
            part.scale = s.scale;
            if (part.orifice > 0.0) part.volumes = a.volumes++;
            if (part.series > 0.0 && part.damping > 0.0) part.memory = a.memories++;
            for (std::size_t i = 0; i < 2; ++i) {
                const Node& n = a.nodes[static_cast<std::size_t>(node[i])];
                part.row[i] = detail::row_of(s.direction, at, n);
                part.height[i] = at[2] - n.centre[2];
            }
            a.parts.push_back(std::move(part));
        }
        a.links.push_back(l.name);
    }
    detail::settle(a);
    for (const int axle : a.axles) {  // one that rolls alone is a model of its own
        const bool held = std::any_of(a.parts.begin(), a.parts.end(),
                                      [&](const Part& part) { return part.node[0] == axle || part.node[1] == axle; });
        require(held || a.nodes.size() == 1, where, "wheelset '", a.nodes[static_cast<std::size_t>(axle)].name,
                "' floats: no link touches it, link it to a body");
    }
    return a;
}

template <class = void>
[[nodiscard]] Assembly assemble(const Multibody& v) {
    return assemble(v, v.values());
}

/// The normal force of one wheel of a wheelset with six freedoms. In undisturbed running, the vertical parts of the
/// normal force and of the creep force together carry the wheel's load. This creep force is due to spin, which a
/// conical wheel always has.
/// @throws SetupError as contact_patch.
template <class Geometry, class Law>
[[nodiscard]] ElasticContact<> elastic_contact(const Assembly& a, const Geometry& geometry, int axle_node,
                                               const Law& law, const WheelsetForm& form) {
    const auto& profile = a.rail.profile;
    const double r0 = profile.radius;
    const ContactPatch<> patch = a.patch(axle_node);
    const auto rest = wheelset_motion(geometry, r0, r0, 0.0, 0.0, 0.0, 0.0, TrackPoint<double>{}, false);
    const auto creep = wheel_creep(rest, 0, profile.half_distance, r0, r0, patch, law, form);  // at any speed
    const double normal = (a.wheel_load(axle_node) - creep.force.eta * creep.sine) / creep.cosine;
    return {normal, hertz_approach(normal, patch.under(normal).ellipse, a.rail.material)};
}

template <class Law>
[[nodiscard]] ElasticContact<> elastic_contact(const Assembly& a, int axle_node, const Law& law,
                                               const WheelsetForm& form) {
    return elastic_contact(a, a.geometry, axle_node, law, form);
}

#ifdef PANTO_COMPILED
extern template Assembly assemble(const Multibody&, const std::vector<double>&);
#endif

}  // namespace panto::vehicle
