// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Contact of the wheels of a wheelset with their rails. The wheels are cones of angle delta0, or arcs of radius R_W;
/// the rails have a head of radius R_S. In the centred position, the contact is at the distance a from the centre line
/// and the wheel has the radius r0. With D = a cos(delta0) - r0 sin(delta0), c = 1/R_W and q = 1/(1 - c R_S), a lateral
/// shift rho and a yaw psi of the wheelset give, to second order, the rolling radius r, the contact angle delta, roll
/// and lift,
///     r = r0 + s lambda rho ,          lambda = q sin(delta0) (a + R_S sin(delta0))/D
///     delta = delta0 + s epsilon rho/a ,  epsilon = q a (c a + sin(delta0))/D
///     roll = sigma rho/a ,             sigma = a sin(delta0)/D
///     lift = zeta rho^2/2 - xi psi^2/2 ,
///     zeta = sin(delta0)/D + q (c a + sin(delta0)) (a + R_S sin(delta0))/(cos(delta0) D^2) ,
///     xi = tan(delta0) (a - r0 tan(delta0)) + q c (a - r0 tan(delta0))^2
/// with s = +1 for the left wheel, y = +a, and -1 for the right one. [Kraft 2012, ch. 2 and app. A, corrected: (2.2)
/// and (2.3) lack a term, and (2.8) to (2.12) hold for small delta0 only: at 0.2 their zeta is a quarter too low.]
/// `exact_contact` gives the same without series expansion, in closed form as a function of the roll.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <string_view>

namespace panto::vehicle {

/// A wheelset of two equal wheels on two equal rails.
template <Real Scalar = double>
struct WheelRailProfile {
    Scalar half_distance{0.7175};  ///< m, a: from the centre line to the contact of either wheel
    Scalar radius{0.46};           ///< m, r0 of the wheel at its contact
    Scalar angle{0.2};             ///< rad, delta0 of the contact
    Scalar wheel_curvature{0.0};   ///< 1/m, 1/R_W of the hollow wheel profile; 0 for a cone
    Scalar rail_radius{0.3};       ///< m, R_S of the rail head; 0 for an edge
};

/// @throws SetupError if half_distance or radius is not positive, wheel_curvature or rail_radius is negative, the angle
/// is not above 0 and at most 1.2 and below atan(half_distance/radius), or the radius of the hollow wheel profile is
/// not above that of the rail head.
template <Real Scalar>
void validate(const WheelRailProfile<Scalar>& p) {
    const char* where = "vehicle::WheelRailProfile";
    require_positive(value_of(p.half_distance), where, "half_distance");
    require_positive(value_of(p.radius), where, "radius");
    require_not_negative(value_of(p.wheel_curvature), where, "wheel_curvature");
    require_not_negative(value_of(p.rail_radius), where, "rail_radius");
    const double angle = value_of(p.angle);
    require(angle > 0.0 && angle <= 1.2, where, "angle is ", angle, ", must be above 0 and at most 1.2");
    const double cr = value_of(p.wheel_curvature) * value_of(p.rail_radius);
    require(cr < 1.0, where, "wheel_curvature is ", value_of(p.wheel_curvature), ", must be below 1/rail_radius, ",
            1.0 / value_of(p.rail_radius));
    const double D = value_of(p.half_distance) * std::cos(angle) - value_of(p.radius) * std::sin(angle);
    require(D > 0.0, where, "angle is ", angle, ", must be below atan(half_distance/radius)");
}

/// @throws SetupError naming a field in which `own`, the profile of a vehicle, differs from `middle`, that of its
/// contact geometry.
inline void require_same(const WheelRailProfile<>& own, const WheelRailProfile<>& middle, std::string_view where) {
    const auto same = [&](double one, double other, const char* field) {
        require(std::abs(one - other) <= 1e-9 * std::abs(other), where, "rail.profile.", field, " is ", one,
                ", but that of the contact geometry ", other, ": set rail.profile to its middle()");
    };
    same(own.half_distance, middle.half_distance, "half_distance");
    same(own.radius, middle.radius, "radius");
    same(own.angle, middle.angle, "angle");
    same(own.wheel_curvature, middle.wheel_curvature, "wheel_curvature");
    same(own.rail_radius, middle.rail_radius, "rail_radius");
}

/// The coefficients defined above.
template <Real Scalar = double>
struct ContactCoefficients {
    Scalar lambda{}, sigma{}, epsilon{};  ///< -
    Scalar zeta{};                        ///< 1/m
    Scalar xi{};                          ///< m
};

/// @throws SetupError as validate.
template <Real Scalar>
[[nodiscard]] ContactCoefficients<Scalar> contact_coefficients(const WheelRailProfile<Scalar>& p) {
    validate(p);
    using std::cos, std::sin;
    const Scalar &a = p.half_distance, &c = p.wheel_curvature, one(1.0);
    const Scalar sine = sin(p.angle), cosine = cos(p.angle), tangent = sine / cosine;
    const Scalar D = a * cosine - p.radius * sine, q = one / (one - c * p.rail_radius);
    const Scalar wheel = q * (c * a + sine), rail = a + p.rail_radius * sine, arm = a - p.radius * tangent;
    return {q * sine * rail / D, a * sine / D, a * wheel / D, sine / D + wheel * rail / (cosine * D * D),
            tangent * arm + q * c * arm * arm};
}

/// The largest coefficients for which a wheelset can be described by them: with these, a shift of 8 mm tilts the
/// contact by 0.8 rad.
inline constexpr ContactCoefficients<> largest_coefficients{1.0, 1.0, 100.0, 200.0, 100.0};

/// @throws SetupError naming a coefficient that is negative or above the largest.
inline void validate(const ContactCoefficients<>& c, std::string_view where) {
    const auto check = [&](double value, double largest, const char* name, const char* unit) {
        require(value >= 0.0 && value <= largest, where, "coefficient ", name, " is ", value, unit,
                ", must be from 0 to ", largest);
    };
    check(c.lambda, largest_coefficients.lambda, "lambda", "");
    check(c.sigma, largest_coefficients.sigma, "sigma", "");
    check(c.epsilon, largest_coefficients.epsilon, "epsilon", "");
    check(c.zeta, largest_coefficients.zeta, "zeta", " 1/m");
    check(c.xi, largest_coefficients.xi, "xi", " m");
}

/// Both wheels of a wheelset on straight rails, without yaw. First the left wheel, then the right one.
template <Real Scalar = double>
struct ExactContact {
    Scalar y{}, z{};                 ///< m, shift of the wheelset to the left and upward
    std::array<Scalar, 2> radius{};  ///< m, rolling radii
    std::array<Scalar, 2> angle{};   ///< rad, of the contact plane to the track, positive if the outer side is higher
};

/// The exact kinematics as a function of the roll (left side up), in closed form: tangents of two circles for cones,
/// the coupler of a four-bar linkage for arcs. Valid for a roll at which both wheels touch.
template <Real Scalar>
[[nodiscard]] ExactContact<Scalar> exact_contact(const WheelRailProfile<Scalar>& p, const Scalar& roll) {
    validate(p);
    using std::asin, std::cos, std::sin, std::sqrt;
    const Scalar &a = p.half_distance, &r0 = p.radius, &rail = p.rail_radius;
    const Scalar sine = sin(p.angle), cosine = cos(p.angle), sr = sin(roll), cr = cos(roll);
    const Scalar g = a + rail * sine, h = r0 + rail * cosine;  // centre of the arc of the rail head
    ExactContact<Scalar> contact;
    std::array<Scalar, 2> ny, nz;  // normals, from rail to wheel
    if (value_of(p.wheel_curvature) > 0.0) {
        const Scalar wheel = Scalar(1.0) / p.wheel_curvature, apart = wheel - rail;
        const Scalar gw = a + wheel * sine, hw = r0 + wheel * cosine;
        const Scalar dy = gw * cr - g, dz = gw * sr, w = sqrt(apart * apart / (dy * dy + dz * dz) - Scalar(1.0));
        const Scalar py = dz * w, pz = -(dy * w);
        contact.y = py - hw * sr;
        contact.z = pz + hw * cr - h;
        for (std::size_t i = 0; i < 2; ++i) {
            const Scalar s(i == 0 ? 1.0 : -1.0);
            ny[i] = -(py + s * dy) / apart;
            nz[i] = -(pz + s * dz) / apart;
            contact.angle[i] = asin(-(s * ny[i]));
        }
    } else {
        std::array<Scalar, 2> m;
        for (std::size_t i = 0; i < 2; ++i) {
            const Scalar s(i == 0 ? 1.0 : -1.0);
            contact.angle[i] = p.angle + s * roll;
            ny[i] = -(s * sin(contact.angle[i]));
            nz[i] = cos(contact.angle[i]);
            m[i] = s * g * ny[i] - h * nz[i] + a * sine + r0 * cosine + rail;
        }
        const Scalar det = ny[0] * nz[1] - nz[0] * ny[1];
        contact.y = (m[0] * nz[1] - m[1] * nz[0]) / det;
        contact.z = (ny[0] * m[1] - ny[1] * m[0]) / det;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const Scalar s(i == 0 ? 1.0 : -1.0);
        const Scalar dy = s * g + rail * ny[i] - contact.y, dz = rail * nz[i] - h - contact.z;
        contact.radius[i] = sr * dy - cr * dz;
    }
    return contact;
}

/// What the equations of a wheelset need of the contact at the lateral shift rho: roll and lift, with their derivatives
/// with respect to rho, and for the left and the right wheel the radius, the tangent of the contact angle and the
/// position of the contact.
template <Real Scalar = double>
struct WheelsetContact {
    Scalar roll{}, roll_slope{}, roll_curvature{};  ///< rad, rad/m, rad/m^2
    Scalar lift{}, lift_slope{}, lift_curvature{};  ///< m, -, 1/m
    std::array<Scalar, 2> radius{};                 ///< m
    std::array<Scalar, 2> tangent{};                ///< -
    std::array<Scalar, 2> outward{};                ///< m, distance of the contacts from the centre line, on the rails
};

template <class G, class Scalar = double>
concept ContactGeometry = Real<Scalar> && requires(const G& geometry, const Scalar& rho) {
    { geometry.at(rho) } noexcept -> std::same_as<WheelsetContact<Scalar>>;
    { geometry.xi() } noexcept -> std::convertible_to<Scalar>;  ///< m, coefficient of the lift -xi psi^2/2 due to yaw
};

/// The expansion defined above, with tan(delta) = tan(delta0) + s epsilon rho/a.
template <Real Scalar = double>
class LinearGeometry {
  public:
    template <Real T>
    using Rebind = LinearGeometry<T>;

    LinearGeometry() = default;
    LinearGeometry(const ContactCoefficients<Scalar>& c, const Scalar& half_distance, const Scalar& radius,
                   const Scalar& angle, const Scalar& rail_radius = Scalar(0.0))
        : c_(c),
          kappa_(c.sigma / half_distance),
          slope_(c.epsilon / half_distance),
          radius_(radius),
          half_distance_(half_distance) {
        using std::cos, std::tan;
        tangent_ = tan(angle);
        inward_ = rail_radius * cos(angle) * slope_;
    }
    /// @throws SetupError as validate.
    explicit LinearGeometry(const WheelRailProfile<Scalar>& p)
        : LinearGeometry(contact_coefficients(p), p.half_distance, p.radius, p.angle, p.rail_radius) {}

    /// @rt
    [[nodiscard]] WheelsetContact<Scalar> at(const Scalar& rho) const noexcept {
        const Scalar dr = c_.lambda * rho, dt = slope_ * rho, lift = c_.zeta * rho, in = inward_ * rho;
        return {kappa_ * rho,
                kappa_,
                Scalar(0.0),
                Scalar(0.5) * lift * rho,
                lift,
                c_.zeta,
                {radius_ + dr, radius_ - dr},
                {tangent_ + dt, tangent_ - dt},
                {half_distance_ - in, half_distance_ + in}};
    }
    [[nodiscard]] const Scalar& xi() const noexcept { return c_.xi; }

    /// The same with another scalar type.
    template <Real T>
    [[nodiscard]] LinearGeometry<T> cast() const {
        LinearGeometry<T> g;
        g.c_ = {T(c_.lambda), T(c_.sigma), T(c_.epsilon), T(c_.zeta), T(c_.xi)};
        g.kappa_ = T(kappa_), g.slope_ = T(slope_), g.radius_ = T(radius_), g.tangent_ = T(tangent_);
        g.half_distance_ = T(half_distance_), g.inward_ = T(inward_);
        return g;
    }
    [[nodiscard]] const ContactCoefficients<Scalar>& coefficients() const noexcept { return c_; }

  private:
    template <Real>
    friend class LinearGeometry;
    ContactCoefficients<Scalar> c_{};
    Scalar kappa_{}, slope_{}, radius_{}, tangent_{}, half_distance_{}, inward_{};
};

/// @throws SetupError if a coefficient is negative or not finite; those of a valid profile are not.
template <Real Scalar>
void validate(const LinearGeometry<Scalar>& g) {
    const char* where = "vehicle::LinearGeometry";
    const auto& c = g.coefficients();
    require_not_negative(value_of(c.lambda), where, "lambda");
    require_not_negative(value_of(c.sigma), where, "sigma");
    require_not_negative(value_of(c.epsilon), where, "epsilon");
    require_not_negative(value_of(c.zeta), where, "zeta");
    require_not_negative(value_of(c.xi), where, "xi");
}

static_assert(ContactGeometry<LinearGeometry<>>);

}  // namespace panto::vehicle
