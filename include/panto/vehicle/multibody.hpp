// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A vehicle as a value: rigid bodies, wheelsets and links between them, with named parameters. Nothing is computed
/// here; `assemble` (assembly.hpp) checks it and makes a model of it. Positions are those of the vehicle at rest: x
/// forward from any origin, y to the left, z above the rail.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/vehicle/bogie.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::vehicle {

/// A number plus multiples of parameters: number + sum factor * parameter.
struct Quantity {
    double number = 0.0;
    std::vector<std::pair<int, double>> terms{};  ///< index of the parameter, and its factor

    Quantity() = default;
    Quantity(double n) : number(n) {}  // NOLINT: implicit, so that a number can be given as a quantity
    /// @param index of the parameter, see Multibody::add_parameter.
    [[nodiscard]] static Quantity of(int index, double factor = 1.0, double plus = 0.0) {
        Quantity q(plus);
        q.terms.emplace_back(index, factor);
        return q;
    }
    /// Whether it is a parameter or a number other than 0.
    [[nodiscard]] bool given() const noexcept { return std::abs(number) > 0.0 || !terms.empty(); }
    /// The value for given parameters. NaN if a term refers to a parameter that does not exist; `assemble` refuses it.
    [[nodiscard]] double at(std::span<const double> parameters) const noexcept {
        double sum = number;
        for (const auto& [index, factor] : terms) {
            const auto i = static_cast<std::size_t>(index);  // a negative index becomes larger than every size
            sum += i < parameters.size() ? factor * parameters[i] : no_number<double>();
        }
        return sum;
    }
    friend Quantity operator+(Quantity a, const Quantity& b) {
        a.number += b.number;
        a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
        return a;
    }
    friend Quantity operator*(double factor, Quantity a) {
        a.number *= factor;
        for (auto& term : a.terms) term.second *= factor;
        return a;
    }
};

enum class Direction { x, y, z, roll, pitch, yaw };
inline constexpr std::array<std::string_view, 6> direction_names{"x", "y", "z", "roll", "pitch", "yaw"};

/// A body bends like a beam with free ends (bending.hpp).
struct Bending {
    Direction direction = Direction::z;  ///< z or y
    int modes = 1;                       ///< the lowest ones
    double length = 0.0;                 ///< m, of the beam; its middle is the centre of mass
    Quantity stiffness{};                ///< N m^2, E I
    double damping = 0.0;                ///< of every mode, relative to critical
};

/// A car body or a bogie frame with small rotations: six degrees of freedom, and one for each mode of bending.
struct RigidBody {
    std::string name{};
    Quantity mass{};                    ///< kg
    std::array<Quantity, 3> inertia{};  ///< kg m^2, about x, y, z through the centre of mass
    std::array<Quantity, 3> centre{};   ///< m
    Quantity dead_load{};               ///< N, weight of parts that are not modelled; acts at the centre
    std::vector<Bending> bending{};     ///< at most four modes in all
};

/// A wheelset on its rails. Its degrees of freedom are y and yaw; its height and roll follow from these (wheelset.hpp).
/// With Multibody::free_wheelsets, a wheelset has all six freedoms.
struct Axle {
    std::string name{};
    Quantity mass{};          ///< kg
    Quantity inertia{};       ///< kg m^2, about x and z
    Quantity spin_inertia{};  ///< kg m^2, about the axle
    Quantity x{};             ///< m
};

/// Nishimura's linear air spring [element/air_spring.hpp], with K1 = kappa p A^2/V_b, K2 = kappa p A^2/V_r and
/// K3 = (p - p_a) dA/dz, the polytropic exponent kappa and the ambient pressure p_a. It acts as a spring
/// K3 + K1 K2/(K1 + K2) in parallel with an arm: a damper C K1^2/(K1 + K2)^2 in series with a spring K1^2/(K1 + K2).
struct AirSpring {
    Quantity pressure{};              ///< Pa, absolute, p
    Quantity area{}, area_slope{};    ///< m^2, A; m^2/m, dA/dz
    Quantity bellows{}, reservoir{};  ///< m^3, V_b and V_r
    Quantity damping{};               ///< N s/m, C
    /// m^2, mu A_o, discharge coefficient times area of an orifice. If it is above 0, nonlinear models have two volumes
    /// of air and this orifice between them [element/air_volumes.hpp] in place of C, without exchange of heat.
    Quantity orifice{};
};

/// The suspension in one direction: a spring, a damper and a stop in parallel. The damper may have a spring in series,
/// which stands for its mounts and its oil. Units are N/m and N s/m for translations, N m/rad and N m s/rad for
/// rotations. A damper with a knee has the slope knee_force/knee_speed up to the knee and `beyond` times this slope
/// after it. Linear models use the slope at rest and leave out the stop.
struct Suspension {
    Direction direction = Direction::z;
    Quantity stiffness{};
    Quantity damping{};                   ///< of a damper without a knee
    Quantity series{};                    ///< stiffness in series with the damper, 0 for none
    Quantity gap{};                       ///< m or rad, to either side, before the stop
    Quantity stop{};                      ///< stiffness of the stop, 0 for none
    Quantity knee_speed{}, knee_force{};  ///< m/s and N, or rad/s and N m; 0 for none
    double beyond = 1.0;                  ///< slope after the knee relative to that before it
    Quantity friction{};                  ///< N, of a lateral air spring: dF/dt = |v|/length (sgn(v) friction - F)
    Quantity friction_length{};           ///< m
    Quantity friction_stroke{};           ///< m, for rubber in place of friction_length: x_2 in element/rubber.hpp
    std::optional<AirSpring> air{};
    double scale = 1.0;  ///< factor on all forces, such as 1/2 for each of two cars on one bogie
};

/// Connects two bodies, or a body and a wheelset, at a common point.
struct Link {
    std::string name{};
    std::array<std::string, 2> between{};
    std::array<Quantity, 3> at{};  ///< m
    std::vector<Suspension> parts{};
};

struct Multibody {
    struct Parameter {
        std::string name{};
        double value = 0.0;
    };

    std::string name{};
    std::string source{};  ///< source of its figures
    std::vector<Parameter> parameters{};
    WheelRail<> rail{};
    /// If given, used instead of the coefficients of rail.profile, for a contact with small angle, cos(delta0) = 1,
    /// without spin creep.
    std::optional<ContactCoefficients<>> coefficients{};
    double gravity = 9.81;  ///< m/s^2
    /// Wheelsets have six freedoms on elastic contacts (free_wheelset.hpp), not two. Axle boxes do not turn with them.
    bool free_wheelsets = false;
    std::vector<RigidBody> bodies{};
    std::vector<Axle> axles{};
    std::vector<Link> links{};

    /// Adds a parameter and returns it as a quantity. @throws SetupError if the name is taken.
    Quantity add_parameter(const std::string& parameter, double value) {
        for (const Parameter& p : parameters)
            require(p.name != parameter, "vehicle::Multibody", "parameter '", parameter, "' exists already");
        parameters.push_back({parameter, value});
        return Quantity::of(static_cast<int>(parameters.size()) - 1);
    }

    /// @throws SetupError with the nearest name if there is none.
    [[nodiscard]] int parameter_index(std::string_view parameter) const {
        std::vector<std::string_view> known;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].name == parameter) return static_cast<int>(i);
            known.push_back(parameters[i].name);
        }
        require(!known.empty(), "vehicle::Multibody", "no parameter is called '", parameter, "': there are none");
        throw SetupError(unknown_name("vehicle::Multibody", "parameter", parameter, known));
    }
    [[nodiscard]] double parameter(std::string_view which) const {
        return parameters[static_cast<std::size_t>(parameter_index(which))].value;
    }
    void set_parameter(std::string_view which, double value) {
        parameters[static_cast<std::size_t>(parameter_index(which))].value = value;
    }
    [[nodiscard]] std::vector<double> values() const {
        std::vector<double> all;
        for (const Parameter& p : parameters) all.push_back(p.value);
        return all;
    }
};

namespace detail {

/// @throws SetupError naming a quantity that has no effect without another one that is not given.
template <class = void>
void refuse_idle(const Suspension& s, std::string_view link) {
    const auto refuse = [&](const char* what, const char* without) {
        throw_setup_error("vehicle::assemble",
                          {"link '", link, "' ", direction_names[static_cast<std::size_t>(s.direction)], " has ", what,
                           " without ", without, ", which it needs"});
    };
    const bool damper = s.damping.given() || s.knee_force.given();
    if (!s.stiffness.given() && !damper && !s.stop.given() && !s.friction.given() && !s.air)
        refuse("no effect", "a spring, damper, stop, friction or air spring");
    if (s.gap.given() && !s.stop.given()) refuse("a gap", "a stop");
    if (s.series.given() && !damper) refuse("a series stiffness", "a damper");
    if (s.knee_speed.given() && !s.knee_force.given()) refuse("knee_speed", "knee_force");
    if (std::abs(s.beyond - 1.0) > 0.0 && !s.knee_force.given()) refuse("a slope beyond the knee", "a knee_force");
    if (s.friction_length.given() && !s.friction.given()) refuse("friction_length", "friction");
    if (s.friction_stroke.given() && !s.friction.given()) refuse("friction_stroke", "friction");
}

}  // namespace detail

}  // namespace panto::vehicle
