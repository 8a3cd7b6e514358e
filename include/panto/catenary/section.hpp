// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A section of overhead line as an engineer describes it: spans, supports, droppers, wires. It holds only values;
/// static shape and stiffness are computed elsewhere.
///
/// Heights are upward from the nominal contact-wire height; positions run along the track from the first support. The
/// model is the vertical plane: stagger and longitudinal stretch are not modelled.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace panto::catenary {

/// A tensioned wire.
template <Real Scalar = double>
struct Wire {
    Scalar mass_per_length{};    ///< kg/m
    Scalar tension{};            ///< N
    Scalar bending_stiffness{};  ///< EI, N m^2; positive: it determines the width of the kinks at droppers
    Scalar axial_stiffness{};    ///< EA, N; for information only: it has no effect in the vertical plane
};

/// Properties common to all droppers. The stiffness is either given, or EA divided by the length of the dropper.
template <Real Scalar = double>
struct DropperType {
    std::optional<Scalar> stiffness = {};  ///< N/m, the same for every dropper; if empty, axial_stiffness is used
    Scalar axial_stiffness{};              ///< EA, N
    Scalar mass_per_length{};              ///< kg/m; half of the mass sits at each end
    Scalar clamp_mass_contact{};           ///< kg, at the contact wire
    Scalar clamp_mass_messenger{};         ///< kg, at the messenger or stitch wire
};

/// Smallest distance between two droppers, or between a dropper and a support, m. Real clamps are not closer, and the
/// shorter finite elements between closer ones would be so stiff that rounding errors become large.
inline constexpr double closest_droppers = 0.01;

/// No overhead line has values beyond these limits: such a value has a wrong unit, or is a typing error. The limits are
/// at least ten times what is built.
struct SectionLimits {
    static constexpr double mass_per_length = 100.0;       ///< kg/m
    static constexpr double tension = 1e6;                 ///< N
    static constexpr double bending_stiffness = 1e7;       ///< N m^2; a conductor rail has 2e5
    static constexpr double axial_stiffness = 1e10;        ///< N
    static constexpr double slowest = 1.0, fastest = 5e3;  ///< m/s, waves on a wire
    static constexpr double stiffness = 1e12;              ///< N/m, of a spring
    static constexpr double damping = 1e9;                 ///< N s/m
    static constexpr double mass = 1000.0;                 ///< kg, of a clamp
    static constexpr double arm = 20.0;                    ///< m
    static constexpr double span = 1000.0;                 ///< m
    static constexpr double height = 10.0;                 ///< m, of the contact wire, up or down
    static constexpr double messenger_height = 50.0;       ///< m
    static constexpr double alpha = 1e3, beta = 100.0;     ///< 1/s and s
    static constexpr double gravity = 100.0;               ///< m/s^2
    static constexpr double force = 1e4;                   ///< N, of a contact at rest, up or down
};

/// A dropper of one span.
struct Dropper {
    double position = 0.0;             ///< m from the start of the span, at least closest_droppers from the next
    double contact_wire_height = 0.0;  ///< m, prescribed static height of the contact wire (pre-sag: negative)
};

/// The arm that holds the contact wire sideways, as it acts in the vertical plane. A bar with the mass per length m and
/// the length l, hinged at the support, loads the wire with m g l/2 and adds the mass m l/3.
template <Real Scalar = double>
struct SteadyArm {
    Scalar mass_per_length{};                ///< kg/m
    Scalar length{};                         ///< m
    Scalar stiffness{};                      ///< N/m, vertical, from the static state
    std::optional<double> held_height = {};  ///< m; if given, a constant force holds the wire at this static height
    Scalar damping{};                        ///< N s/m, vertical, of a damper in parallel with the spring
};

/// A second wire that carries the droppers next to a support, clamped to the messenger at both ends.
template <Real Scalar = double>
struct StitchWire {
    Scalar mass_per_length{};  ///< kg/m
    Scalar tension{};          ///< N
    double length = 0.0;       ///< m, half on each side of the support
    Scalar clamp_mass{};       ///< kg, at each end
    /// Tension of the messenger between the clamps, N. If empty, it follows from the horizontal equilibrium of the
    /// clamps: the tension of the messenger elsewhere minus the tension of the stitch wire.
    std::optional<Scalar> messenger_tension = {};
};

/// A support of the line. At the first and the last support the contact wire is pinned, at height 0 or at the
/// held_height of a steady arm. A steady arm at these two supports must have no other values.
template <Real Scalar = double>
struct Support {
    double messenger_height = 0.0;                   ///< m, the encumbrance (system height)
    std::optional<Scalar> messenger_stiffness = {};  ///< N/m, vertical; without it the messenger is fixed here
    std::optional<Scalar> messenger_damping = {};    ///< N s/m, of a damper in parallel with that spring
    std::optional<SteadyArm<Scalar>> steady_arm = {};
    std::optional<StitchWire<Scalar>> stitch_wire = {};
};

struct Span {
    double length = 0.0;                 ///< m
    std::vector<Dropper> droppers = {};  ///< in order of position, all inside the span
};

/// Rayleigh damping C = alpha M + beta K, where K contains wires and droppers, but not supports and arms.
template <Real Scalar = double>
struct RayleighDamping {
    Scalar alpha{};  ///< 1/s
    Scalar beta{};   ///< s
};

/// A whole section. `supports` has one entry more than `spans`.
template <Real Scalar = double>
struct Section {
    std::string name = {};
    std::string source = {};  ///< where the data come from, with their confidence
    Wire<Scalar> contact_wire = {};
    Wire<Scalar> messenger_wire = {};
    DropperType<Scalar> dropper = {};
    RayleighDamping<Scalar> damping = {};
    std::vector<Span> spans = {};
    std::vector<Support<Scalar>> supports = {};
    double gravity = 9.81;  ///< m/s^2

    /// Length of the section, m.
    [[nodiscard]] double length() const {
        double sum = 0.0;
        for (const Span& span : spans) sum += span.length;
        return sum;
    }

    /// Distance from the first support to support `index`, m; `index` may be spans.size().
    /// @throws SetupError if there is no such support.
    [[nodiscard]] double support_position(std::size_t index) const {
        require(index <= spans.size(), "catenary::Section", "index of the support is ", index, ", must be from 0 to ",
                spans.size());
        double sum = 0.0;
        for (std::size_t i = 0; i < index; ++i) sum += spans[i].length;
        return sum;
    }
};

/// Speed of transverse waves on a wire, sqrt(T/m), m/s.
template <Real Scalar>
[[nodiscard]] Scalar wave_speed(const Wire<Scalar>& wire) {
    using std::sqrt;
    return sqrt(wire.tension / wire.mass_per_length);
}

/// Throws unless the section can be built.
/// @throws SetupError naming the field, its value and what is allowed.
template <Real Scalar>
void validate(const Section<Scalar>& section) {
    const std::string where = "catenary::Section" + (section.name.empty() ? "" : " '" + section.name + "'");
    using Most = SectionLimits;
    const auto at_most = [&](double v, double most, const auto&... field) {
        require(v <= most, where, field..., " is ", v, ", must be at most ", most,
                ": more belongs to no overhead line");
    };
    const auto positive = [&](const Scalar& v, double most, const auto&... field) {
        require_positive(value_of(v), where, field...);
        at_most(value_of(v), most, field...);
    };
    const auto not_negative = [&](const Scalar& v, double most, const auto&... field) {
        require_not_negative(value_of(v), where, field...);
        at_most(value_of(v), most, field...);
    };

    const auto check_wire = [&](const Wire<Scalar>& wire, std::string_view field) {
        positive(wire.mass_per_length, Most::mass_per_length, field, ".mass_per_length");
        positive(wire.tension, Most::tension, field, ".tension");
        positive(wire.bending_stiffness, Most::bending_stiffness, field, ".bending_stiffness");
        not_negative(wire.axial_stiffness, Most::axial_stiffness, field, ".axial_stiffness");
        const double speed = value_of(wave_speed(wire));
        require(speed >= Most::slowest && speed <= Most::fastest, where, field,
                ".tension and mass_per_length give waves of ", speed, " m/s, must be from ", Most::slowest, " to ",
                Most::fastest, " m/s");
    };
    check_wire(section.contact_wire, "contact_wire");
    check_wire(section.messenger_wire, "messenger_wire");

    if (section.dropper.stiffness)
        positive(*section.dropper.stiffness, Most::stiffness, "dropper.stiffness");
    else
        positive(section.dropper.axial_stiffness, Most::axial_stiffness, "dropper.axial_stiffness");
    not_negative(section.dropper.mass_per_length, Most::mass_per_length, "dropper.mass_per_length");
    not_negative(section.dropper.clamp_mass_contact, Most::mass, "dropper.clamp_mass_contact");
    not_negative(section.dropper.clamp_mass_messenger, Most::mass, "dropper.clamp_mass_messenger");
    not_negative(section.damping.alpha, Most::alpha, "damping.alpha");
    not_negative(section.damping.beta, Most::beta, "damping.beta");
    require_positive(section.gravity, where, "gravity");
    at_most(section.gravity, Most::gravity, "gravity");

    require(!section.spans.empty(), where, "spans is empty, at least one span is needed");
    require(section.supports.size() == section.spans.size() + 1, where, "supports has ", section.supports.size(),
            " entries for ", section.spans.size(), " spans, one more than spans is needed");

    for (std::size_t i = 0; i < section.spans.size(); ++i) {
        const Span& span = section.spans[i];
        require_positive(span.length, where, "spans[", i, "].length");
        at_most(span.length, Most::span, "spans[", i, "].length");
        require(!span.droppers.empty(), where, "spans[", i, "].droppers is empty, at least one dropper is needed");
        double last = 0.0;
        for (std::size_t j = 0; j < span.droppers.size(); ++j) {
            const Dropper& d = span.droppers[j];
            require_finite(d.position, where, "spans[", i, "].droppers[", j, "].position");
            require(d.position >= last + closest_droppers && d.position <= span.length - closest_droppers, where,
                    "spans[", i, "].droppers[", j, "].position is ", d.position, ", must be above ", last,
                    " (the one before, or the support) and below the span length ", span.length,
                    ", with a distance of at least ", closest_droppers, " m");
            require_finite(d.contact_wire_height, where, "spans[", i, "].droppers[", j, "].contact_wire_height");
            at_most(std::abs(d.contact_wire_height), Most::height, "size of spans[", i, "].droppers[", j,
                    "].contact_wire_height");
            last = d.position;
        }
    }

    for (std::size_t i = 0; i < section.supports.size(); ++i) {
        const Support<Scalar>& s = section.supports[i];
        require_positive(s.messenger_height, where, "supports[", i, "].messenger_height");
        at_most(s.messenger_height, Most::messenger_height, "supports[", i, "].messenger_height");
        if (s.messenger_stiffness)
            positive(*s.messenger_stiffness, Most::stiffness, "supports[", i, "].messenger_stiffness");
        if (s.messenger_damping) {
            not_negative(*s.messenger_damping, Most::damping, "supports[", i, "].messenger_damping");
            require(s.messenger_stiffness.has_value(), where, "supports[", i,
                    "].messenger_damping is given, but without messenger_stiffness the messenger is fixed here and "
                    "cannot move; give both or neither");
        }
        const bool end = i == 0 || i + 1 == section.supports.size();
        const bool only_height =
            !s.steady_arm || (s.steady_arm->held_height && value_of(s.steady_arm->length) == 0.0 &&
                              value_of(s.steady_arm->mass_per_length) == 0.0 &&
                              value_of(s.steady_arm->stiffness) == 0.0 && value_of(s.steady_arm->damping) == 0.0);
        require(!end || (!s.messenger_stiffness && only_height && !s.stitch_wire), where, "supports[", i,
                "] is an end of the section, where both wires are pinned: messenger_stiffness, stitch_wire and "
                "steady_arm, except for its held_height, are allowed at inner supports only");
        if (s.steady_arm) {
            not_negative(s.steady_arm->mass_per_length, Most::mass_per_length, "supports[", i,
                         "].steady_arm.mass_per_length");
            not_negative(s.steady_arm->length, Most::arm, "supports[", i, "].steady_arm.length");
            not_negative(s.steady_arm->stiffness, Most::stiffness, "supports[", i, "].steady_arm.stiffness");
            not_negative(s.steady_arm->damping, Most::damping, "supports[", i, "].steady_arm.damping");
            if (s.steady_arm->held_height) {
                require_finite(*s.steady_arm->held_height, where, "supports[", i, "].steady_arm.held_height");
                at_most(std::abs(*s.steady_arm->held_height), Most::height, "size of supports[", i,
                        "].steady_arm.held_height");
            }
        }
        if (s.stitch_wire) {
            const StitchWire<Scalar>& w = *s.stitch_wire;
            positive(w.mass_per_length, Most::mass_per_length, "supports[", i, "].stitch_wire.mass_per_length");
            positive(w.tension, Most::tension, "supports[", i, "].stitch_wire.tension");
            require(value_of(w.tension) < value_of(section.messenger_wire.tension), where, "supports[", i,
                    "].stitch_wire.tension is ", value_of(w.tension),
                    ", must be less than messenger_wire.tension = ", value_of(section.messenger_wire.tension));
            if (w.messenger_tension)
                positive(*w.messenger_tension, Most::tension, "supports[", i, "].stitch_wire.messenger_tension");
            not_negative(w.clamp_mass, Most::mass, "supports[", i, "].stitch_wire.clamp_mass");
            require_positive(w.length, where, "supports[", i, "].stitch_wire.length");
            require(w.length >= 2.0 * closest_droppers, where, "supports[", i, "].stitch_wire.length is ", w.length,
                    ", must be at least ", 2.0 * closest_droppers, " m");
            const double room = std::min(section.spans[i - 1].length, section.spans[i].length);
            require(w.length < room, where, "supports[", i, "].stitch_wire.length is ", w.length,
                    ", must be less than the shorter span, ", room, ", so that neighbouring stitch wires stay apart");
        }
    }
}

#ifdef PANTO_COMPILED
extern template void validate(const Section<double>&);
#endif

}  // namespace panto::catenary
