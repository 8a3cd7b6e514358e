// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The design of a line, from which its irregularities deviate: curvature and cant along the line. Both are linear
/// between posts, so that a straight and a curve are joined by a clothoid on which the cant rises evenly. Where the
/// slope of the cant changes, it is rounded by a parabola, because a corner would jolt the vehicle.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/vehicle/track.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::vehicle {

struct Curve {
    double curvature = 0.0;  ///< 1/m, positive to the left
    double cant = 0.0;       ///< rad, positive if the right rail is higher
};

/// @throws SetupError naming the field, if the curve is tighter than 10 m or the cant steeper than 0.5.
template <class... Place>
void validate(const Curve& c, std::string_view where, const Place&... place) {
    require(std::abs(c.curvature) <= 0.1, where, place..., "curvature is ", c.curvature,
            " 1/m, must be from -0.1 to 0.1: it is one over the radius");
    require(std::abs(c.cant) <= 0.5, where, place..., "cant is ", c.cant,
            " rad, must be from -0.5 to 0.5: it is the height of the outer rail over the distance of the rails");
}

/// The design at one position. Heading and offset of the centre line are measured from its tangent at the first post;
/// use their differences over the length of a vehicle.
struct DesignPoint {
    double curvature = 0.0;        ///< 1/m
    double curvature_slope = 0.0;  ///< 1/m^2
    double heading = 0.0;          ///< rad, integral of the curvature
    double offset = 0.0;           ///< m, integral of the heading
    Along<> cant{};                ///< rad
};

class TrackDesign {
  public:
    struct Post {
        double position = 0.0;  ///< m
        Curve curve{};
    };

    TrackDesign() = default;  ///< straight and level

    /// Before the first post and after the last one, their curvature and cant continue.
    /// @param rounding m, length over which the slope of the cant changes at a post
    /// @throws SetupError if a number is not finite, the rounding not positive, or two posts are closer to each other
    /// than the rounding.
    explicit TrackDesign(std::vector<Post> posts, double rounding = 5.0) : rounding_(rounding) {
        const char* where = "vehicle::TrackDesign";
        require_positive(rounding, where, "rounding");
        require(!posts.empty(), where, "there is no post, at least one is needed");
        double heading = 0.0, offset = 0.0;
        for (std::size_t i = 0; i < posts.size(); ++i) {
            const Post& p = posts[i];
            require_finite(p.position, where, "post ", i, ": position");
            validate(p.curve, where, "post ", i, ": ");
            if (i > 0) {
                Stretch& before = stretches_.back();
                const double length = p.position - before.start;
                require(length >= rounding, where, "post ", i, " is at ", p.position, " m, must be at least ", rounding,
                        " m, the rounding, behind post ", i - 1, " at ", before.start, " m");
                before.curvature_slope = (p.curve.curvature - before.curve.curvature) / length;
                before.cant_slope = (p.curve.cant - before.curve.cant) / length;
                const DesignPoint end = on(before, p.position);
                heading = end.heading, offset = end.offset;
            }
            stretches_.push_back({p.position, p.curve, 0.0, 0.0, heading, offset});
        }
    }

    /// A curve between straights, with a clothoid of length `transition` before and after it. The first clothoid begins
    /// at `start`; the curvature is full over `length`. All in m. @throws SetupError as above.
    [[nodiscard]] static TrackDesign curve(double start, double transition, double length, const Curve& c,
                                           double rounding = 5.0) {
        const double full = start + transition, end = full + length;
        return TrackDesign({{start, {}}, {full, c}, {end, c}, {end + transition, {}}}, rounding);
    }

    [[nodiscard]] bool straight() const noexcept { return stretches_.empty(); }  ///< and level: without posts

    /// @rt
    [[nodiscard]] DesignPoint at(double s) const noexcept {
        if (stretches_.empty()) return {};
        const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), s,
                                            [](double x, const Stretch& t) { return x < t.start; });
        const bool before = after == stretches_.begin();
        const std::size_t i = before ? 0 : static_cast<std::size_t>(after - stretches_.begin()) - 1;
        const Stretch& first = stretches_.front();
        DesignPoint p = on(before ? Stretch{first.start, first.curve} : stretches_[i], s);
        // A corner at a distance x below half the rounding w: its change of slope times (w/2 - |x|)^2/(2 w).
        const auto round = [&](std::size_t corner) {
            const double x = s - stretches_[corner].start, rest = 0.5 * rounding_ - std::abs(x);
            if (!(rest > 0.0)) return;
            const double change =
                stretches_[corner].cant_slope - (corner == 0 ? 0.0 : stretches_[corner - 1].cant_slope);
            p.cant = p.cant + Along<>{change * rest * rest / (2.0 * rounding_),
                                      (x < 0.0 ? 1.0 : -1.0) * change * rest / rounding_, change / rounding_};
        };
        round(i);
        if (!before && i + 1 < stretches_.size()) round(i + 1);
        return p;
    }

  private:
    /// The line from one post to the next, without the rounding.
    struct Stretch {
        double start = 0.0;
        Curve curve{};
        double curvature_slope = 0.0, cant_slope = 0.0, heading = 0.0, offset = 0.0;
    };

    [[nodiscard]] static DesignPoint on(const Stretch& t, double s) noexcept {
        const double x = s - t.start, k = t.curve.curvature, c = t.curvature_slope;
        return {k + c * x,
                c,
                t.heading + x * (k + 0.5 * c * x),
                t.offset + x * (t.heading + x * (0.5 * k + c * x / 6.0)),
                {t.curve.cant + t.cant_slope * x, t.cant_slope, 0.0}};
    }

    double rounding_ = 5.0;
    std::vector<Stretch> stretches_{};
};

/// A design with irregularities. Vehicles are then described relative to the design next to each of their bodies
/// (track_frame.hpp).
template <TrackInput Irregularities = LevelTrack>
struct DesignedTrack {
    TrackDesign design{};
    Irregularities irregularities{};

    /// @rt
    template <Real Scalar>
    [[nodiscard]] TrackPoint<Scalar> at(const Scalar& s) const noexcept {
        return irregularities.at(s);
    }
};

/// @throws SetupError as that of the irregularities.
template <class Irregularities>
void validate(const DesignedTrack<Irregularities>& track) {
    if constexpr (requires { validate(track.irregularities); }) validate(track.irregularities);
}

template <class T>
concept CurvedTrack = TrackInput<T> && requires(const T& track, double s) {
    { track.design.at(s) } noexcept -> std::same_as<DesignPoint>;
};

static_assert(CurvedTrack<DesignedTrack<>> && !CurvedTrack<LevelTrack>);

/// The lateral acceleration to the right that cant does not balance, v^2/R - g phi_c, in m/s^2; `gravity` is g in
/// m/s^2. @rt
[[nodiscard]] inline double cant_deficiency(const Curve& c, double speed, double gravity = 9.81) noexcept {
    return speed * speed * c.curvature - gravity * c.cant;
}

}  // namespace panto::vehicle
