// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Characteristics from a table, and the hydraulic damper, in series with its elastic mounts,
///     F' = k (v - f^-1(F)) ,
/// where v is the speed at which damper and mounts together are stretched, f the damping force as a function of the
/// piston's speed, and k the stiffness of mounts and oil in series.
/// [Kraft 2012, 2.3.2.3: fig. 2.26 shows series, the text says parallel; series is meant.]

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/element/memory.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace panto::element {

/// A function that is linear between given points; beyond them the outermost slopes continue.
template <Real Scalar = double>
class PiecewiseLinear {
  public:
    struct Point {
        Scalar x, y;
    };

    /// @param points in order of x; y increases too.
    /// @throws SetupError if there are fewer than two points, or x or y does not increase from one to the next.
    explicit PiecewiseLinear(std::vector<Point> points) : points_(std::move(points)) {
        const char* where = "element::PiecewiseLinear";
        require(points_.size() >= 2, where, "there are ", points_.size(), " points, must be at least 2");
        for (std::size_t i = 0; i < points_.size(); ++i) {
            require_finite(value_of(points_[i].x), where, "x[", i, "]");
            require_finite(value_of(points_[i].y), where, "y[", i, "]");
            if (i == 0) continue;
            require(value_of(points_[i].x) > value_of(points_[i - 1].x), where, "x[", i, "] is ",
                    value_of(points_[i].x), ", must be above the one before, ", value_of(points_[i - 1].x));
            require(value_of(points_[i].y) > value_of(points_[i - 1].y), where, "y[", i, "] is ",
                    value_of(points_[i].y), ", must be above the one before, ", value_of(points_[i - 1].y));
        }
    }

    /// An odd function. The given points have x > 0; the origin and the mirrored points are added.
    [[nodiscard]] static PiecewiseLinear odd(const std::vector<Point>& right) {
        require(!right.empty() && value_of(right.front().x) > 0.0, "element::PiecewiseLinear",
                "the first x of an odd table is ", right.empty() ? 0.0 : value_of(right.front().x),
                ", must be above 0");
        std::vector<Point> all;
        for (auto p = right.rbegin(); p != right.rend(); ++p) all.push_back({-p->x, -p->y});
        all.push_back({Scalar(0.0), Scalar(0.0)});
        all.insert(all.end(), right.begin(), right.end());
        return PiecewiseLinear(std::move(all));
    }

    /// @rt
    [[nodiscard]] Scalar operator()(const Scalar& x) const noexcept {
        return read(
            x, [](const Point& p) -> const Scalar& { return p.x; },
            [](const Point& p) -> const Scalar& { return p.y; });
    }
    /// The x that belongs to y. @rt
    [[nodiscard]] Scalar inverse(const Scalar& y) const noexcept {
        return read(
            y, [](const Point& p) -> const Scalar& { return p.y; },
            [](const Point& p) -> const Scalar& { return p.x; });
    }
    [[nodiscard]] const std::vector<Point>& points() const noexcept { return points_; }

  private:
    template <class From, class To>
    [[nodiscard]] Scalar read(const Scalar& at, const From& from, const To& to) const noexcept {
        std::size_t i = 1;
        while (i + 1 < points_.size() && value_of(at) > value_of(from(points_[i]))) ++i;
        const Point &a = points_[i - 1], &b = points_[i];
        return to(a) + (at - from(a)) * ((to(b) - to(a)) / (from(b) - from(a)));
    }
    std::vector<Point> points_;
};

/// A damper without memory: a table of force by speed.
template <Real Scalar = double>
struct TabulatedDamper {
    PiecewiseLinear<Scalar> force_by_speed;  ///< force, N, as a function of speed, m/s
    /// @rt
    [[nodiscard]] Scalar operator()(const Scalar&, const Scalar& v) const noexcept { return force_by_speed(v); }
};
/// A spring without memory, for instance a stop: a table of force by stretch.
template <Real Scalar = double>
struct TabulatedSpring {
    PiecewiseLinear<Scalar> force_by_stretch;  ///< force, N, as a function of stretch, m
    /// @rt
    [[nodiscard]] Scalar operator()(const Scalar& x, const Scalar&) const noexcept { return force_by_stretch(x); }
};

/// The hydraulic damper in series with its mounts. Its memory is its force, N.
template <Real Scalar = double>
class HydraulicDamper {
  public:
    using Memory = Vector<Scalar, 1>;

    /// @param series_stiffness N/m, of the mounts and the oil.
    /// @throws SetupError if it is not positive or the table does not pass through the origin.
    HydraulicDamper(PiecewiseLinear<Scalar> force_by_speed, const Scalar& series_stiffness)
        : table_(std::move(force_by_speed)), k_(series_stiffness) {
        require_positive(value_of(k_), "element::HydraulicDamper", "series_stiffness");
        const double at_rest = value_of(table_(Scalar(0.0)));
        const auto& last = table_.points().back();
        require(std::abs(at_rest) <= 1e-12 * std::abs(value_of(last.y)), "element::HydraulicDamper",
                "the table's force at speed 0 is ", at_rest, " N, expected 0");
    }

    [[nodiscard]] Memory rest() const { return Memory(Scalar(0.0)); }
    /// @rt
    [[nodiscard]] Scalar force(const Scalar&, const Scalar&, const Memory& z) const noexcept { return z[0]; }
    /// @rt
    void rate(const Scalar&, const Scalar& v, const Memory& z, Memory& dz) const noexcept {
        dz[0] = k_ * (v - table_.inverse(z[0]));
    }
    /// @rt
    void accept(const Scalar&, const Scalar&, Memory&) const noexcept {}

  private:
    PiecewiseLinear<Scalar> table_;
    Scalar k_;
};

static_assert(ForceElement<HydraulicDamper<>> && ForceLaw<TabulatedDamper<>> && ForceLaw<TabulatedSpring<>>);

}  // namespace panto::element
