// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Wheels and rails with measured profiles. For every lateral shift, the roll is found at which both wheels touch: each
/// side rises until the smallest gap between wheel and rail is zero, and both must rise by the same amount. Only cross
/// sections are used: the shift of the contact along the rail due to yaw is of second order and is part of the
/// coefficient xi (contact_geometry.hpp). At a shift at which a wheel touches in two points, the contact has no
/// derivative; such a shift is refused, and the message names it.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/golden_section.hpp>
#include <panto/core/real.hpp>
#include <panto/vehicle/contact_geometry.hpp>
#include <panto/vehicle/cubic_spline.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace panto::vehicle {

/// A cross section of the left side, with points from inside to outside. Wheel: its lower side, z upward from the point
/// of the nominal radius. Rail: its head with the rail inclination, z upward from the top-of-rail level.
struct SurfaceProfile {
    std::vector<double> y;  ///< m, outward from the nominal contact
    std::vector<double> z;  ///< m
};

struct ProfilePair {
    SurfaceProfile wheel;
    SurfaceProfile rail;
    double wheel_distance = 0.7175;  ///< m, from the centre of the wheelset to the wheel's y = 0
    double rail_distance = 0.7175;   ///< m, from the centre line of the track to the rail's y = 0
    double radius = 0.46;            ///< m, of the wheel at its y = 0
};

/// The contact between a wheel and its rail, in the cross section.
struct ProfileContact {
    double gap = 0.0;      ///< m, smallest height of wheel above rail, wheelset at nominal height
    double wheel_y = 0.0;  ///< m, position of this gap on the wheel's profile
    double second_gap = std::numeric_limits<double>::infinity();  ///< m, gap at the next local minimum
    double second_y = 0.0;  ///< m, position of this minimum on the wheel's profile
};

/// Searches contacts of a pair of profiles.
class ProfileSearch {
  public:
    /// @throws SetupError naming the profile whose points are too few or do not run from inside to outside.
    explicit ProfileSearch(const ProfilePair& pair)
        : wheel_(pair.wheel.y, pair.wheel.z, "vehicle::ProfilePair.wheel"),
          rail_(pair.rail.y, pair.rail.z, "vehicle::ProfilePair.rail"),
          aw_(pair.wheel_distance),
          ar_(pair.rail_distance),
          r0_(pair.radius) {
        require_positive(aw_, "vehicle::ProfilePair", "wheel_distance");
        require_positive(ar_, "vehicle::ProfilePair", "rail_distance");
        require_positive(r0_, "vehicle::ProfilePair", "radius");
    }

    /// Contact of the left wheel at the shift u (in m, positive to the left) and the roll (in rad, positive if the left
    /// side is up). For the right wheel change both signs.
    [[nodiscard]] ProfileContact contact(double u, double roll) const {
        // Local minima of the gap on a grid finer than the points, each refined by golden section.
        const auto n = static_cast<int>(std::min<std::size_t>(4000, 4 * (wheel_.places().size() + 50)));
        const double lo = wheel_.lowest(), step = (wheel_.highest() - lo) / n;
        ProfileContact found{std::numeric_limits<double>::infinity()};
        double before = std::numeric_limits<double>::infinity(), here = gap(lo, u, roll);
        for (int i = 0; i <= n; ++i) {
            const double y = lo + i * step;
            const double after = i < n ? gap(y + step, u, roll) : std::numeric_limits<double>::infinity();
            if (is_finite(here) && here <= before && here < after) {
                const double at =
                    golden_section([&](double wheel_y) { return gap(wheel_y, u, roll); }, y - step, y + step);
                const double g = gap(at, u, roll);
                if (g < found.gap) {
                    found.second_gap = found.gap, found.second_y = found.wheel_y;
                    found.gap = g, found.wheel_y = at;
                } else if (g < found.second_gap) {
                    found.second_gap = g, found.second_y = at;
                }
            }
            before = here;
            here = after;
        }
        return found;
    }

    /// The roll between -limit and limit, in rad, at which both sides rise by the same amount; NaN if there is none.
    [[nodiscard]] double roll(double u, double limit = 0.1) const {
        const auto difference = [&](double phi) { return contact(u, phi).gap - contact(-u, -phi).gap; };
        // False position with the Illinois modification.
        double lo = -limit, hi = limit, f_lo = difference(lo), f_hi = difference(hi);
        while (!(is_finite(f_lo) && is_finite(f_hi)) && limit > 1e-3) {
            limit *= 0.5;
            lo = -limit, hi = limit, f_lo = difference(lo), f_hi = difference(hi);
        }
        if (!(f_lo < 0.0 && f_hi > 0.0 && is_finite(f_lo) && is_finite(f_hi)))
            return std::numeric_limits<double>::quiet_NaN();
        for (int n = 0, side = 0; n < 100 && hi - lo > 1e-15; ++n) {
            const double middle = hi - f_hi * (hi - lo) / (f_hi - f_lo), f = difference(middle);
            if (!is_finite(f)) return f;
            if (std::abs(f) < 1e-16) return middle;
            if (f > 0.0) {
                hi = middle, f_hi = f;
                if (side > 0) f_lo *= 0.5;
                side = 1;
            } else {
                lo = middle, f_lo = f;
                if (side < 0) f_hi *= 0.5;
                side = -1;
            }
        }
        return std::abs(f_lo) < std::abs(f_hi) ? lo : hi;
    }

    [[nodiscard]] const CubicSpline& wheel() const noexcept { return wheel_; }
    [[nodiscard]] const CubicSpline& rail() const noexcept { return rail_; }
    /// Outward position on the rail of a point of the wheel, m.
    [[nodiscard]] double rail_place(double wheel_y, double u, double roll) const {
        return std::cos(roll) * (aw_ + wheel_y) - std::sin(roll) * (wheel_.at(wheel_y).value - r0_) + u - ar_;
    }

  private:
    /// Height of a point of the wheel above the rail in m, with the wheelset at its nominal height; infinite beside the
    /// rail.
    [[nodiscard]] double gap(double wheel_y, double u, double roll) const {
        const double w = wheel_.at(wheel_y).value - r0_, place = rail_place(wheel_y, u, roll);
        if (place < rail_.lowest() || place > rail_.highest() || wheel_y < wheel_.lowest() ||
            wheel_y > wheel_.highest())
            return std::numeric_limits<double>::infinity();
        return std::sin(roll) * (aw_ + wheel_y) + std::cos(roll) * w + r0_ - rail_.at(place).value;
    }
    CubicSpline wheel_, rail_;
    double aw_, ar_, r0_;
};

struct TableParams {
    double range = 6e-3;             ///< m, largest shift
    double step = 0.25e-3;           ///< m, between entries
    double least_separation = 2e-6;  ///< m, least gap at a second point; about the elastic deformation of the contact
};

/// A pair of profiles as a contact geometry: splines over the shift, linear beyond the range.
template <Real Scalar = double>
class TabulatedGeometry {
  public:
    template <Real T>
    using Rebind = TabulatedGeometry<T>;

    /// @throws SetupError if a wheel leaves its rail or touches in two points within the range (with shift and
    /// positions), or if a parameter is not valid.
    explicit TabulatedGeometry(const ProfilePair& pair, const TableParams& params = {}) {
        const char* where = "vehicle::TabulatedGeometry";
        require_positive(params.range, where, "range");
        require(params.step > 0.0 && params.step <= params.range / 2.0, where, "step is ", params.step,
                " m, must be above 0 and at most half the range, ", params.range / 2.0);
        require_not_negative(params.least_separation, where, "least_separation");
        const ProfileSearch search(pair);
        const auto half = static_cast<int>(std::ceil(params.range / params.step));
        std::vector<double> rho, roll, lift, radius, tangent, outward;
        double last_y = 0.0;
        for (int i = -half; i <= half; ++i) {
            const double u = params.range * i / half, phi = search.roll(u);
            require(is_finite(phi), where, "at the shift ", u,
                    " m the wheels leave the profiles; choose a smaller range");
            const ProfileContact c = search.contact(u, phi);
            require(c.second_gap - c.gap > params.least_separation, where, "at the shift ", u,
                    " m the left wheel touches in two points, at ", c.wheel_y, " and ", c.second_y,
                    " m of its profile; choose a smaller range");
            require(i == -half || !(std::abs(c.second_y - last_y) < std::abs(c.wheel_y - last_y)) ||
                        !is_finite(c.second_gap),
                    where, "before the shift ", u, " m the left wheel touches in two points, at ", last_y, " and ",
                    c.wheel_y, " m of its profile; choose a smaller range");
            last_y = c.wheel_y;
            const auto wheel = search.wheel().at(c.wheel_y);
            const double r = pair.radius - wheel.value;
            rho.push_back(u);
            roll.push_back(phi);
            lift.push_back(-c.gap);
            radius.push_back(r);
            outward.push_back(pair.rail_distance + search.rail_place(c.wheel_y, u, phi));
            tangent.push_back(std::tan(std::atan(wheel.slope) + phi));
            if (i != 0) continue;
            const auto rail = search.rail().at(search.rail_place(c.wheel_y, u, phi));
            const auto bend = [](const SplineValue<double>& s) {
                return -s.curvature / std::pow(1.0 + s.slope * s.slope, 1.5);
            };
            const double crown = bend(rail);
            require(crown > 0.0, where, "the rail's curvature at the contact is ", crown, " 1/m, must be above 0");
            middle_ = {pair.wheel_distance + c.wheel_y, r, std::atan(wheel.slope), std::max(0.0, bend(wheel)),
                       1.0 / crown};
        }
        xi_ = value_of(contact_coefficients(middle_).xi);
        const double level = lift[static_cast<std::size_t>(half)];
        for (double& z : lift) z -= level;
        roll_ = CubicSpline(rho, roll), lift_ = CubicSpline(rho, lift), radius_ = CubicSpline(rho, radius);
        tangent_ = CubicSpline(rho, tangent), outward_ = CubicSpline(rho, outward);
    }

    /// @rt
    [[nodiscard]] WheelsetContact<Scalar> at(const Scalar& rho) const noexcept {
        const Scalar back = -rho;
        const auto roll = roll_.at(rho), lift = lift_.at(rho);
        return {roll.value,
                roll.slope,
                roll.curvature,
                lift.value,
                lift.slope,
                lift.curvature,
                {radius_.at(rho).value, radius_.at(back).value},
                {tangent_.at(rho).value, tangent_.at(back).value},
                {outward_.at(rho).value, outward_.at(back).value}};
    }
    [[nodiscard]] Scalar xi() const noexcept { return Scalar(xi_); }

    /// Distance, radius, angle and curvatures of the contact at zero shift: the data for the contact patch.
    [[nodiscard]] const WheelRailProfile<double>& middle() const noexcept { return middle_; }
    /// The range of the table, m.
    [[nodiscard]] double range() const noexcept { return roll_.highest(); }

    template <Real T>
    [[nodiscard]] TabulatedGeometry<T> cast() const {
        TabulatedGeometry<T> g;
        g.roll_ = roll_, g.lift_ = lift_, g.radius_ = radius_, g.tangent_ = tangent_, g.outward_ = outward_;
        g.middle_ = middle_, g.xi_ = xi_;
        return g;
    }

  private:
    template <Real>
    friend class TabulatedGeometry;
    TabulatedGeometry() = default;
    CubicSpline roll_, lift_, radius_, tangent_, outward_;
    WheelRailProfile<double> middle_{};
    double xi_ = 0.0;
};

static_assert(ContactGeometry<TabulatedGeometry<>>);

}  // namespace panto::vehicle
