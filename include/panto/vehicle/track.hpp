// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The irregularities of a track: its lateral and vertical displacement and its roll (left rail up), as functions of
/// the position s along the line. Rates in time are v d/ds.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <cmath>
#include <concepts>
#include <numbers>

namespace panto::vehicle {

/// A quantity along the line with two derivatives with respect to position.
template <Real Scalar = double>
struct Along {
    Scalar value{0.0};
    Scalar slope{0.0};      ///< per m
    Scalar curvature{0.0};  ///< per m^2

    friend Along operator+(const Along& a, const Along& b) noexcept {
        return {a.value + b.value, a.slope + b.slope, a.curvature + b.curvature};
    }
    friend Along operator*(const Scalar& f, const Along& a) noexcept {
        return {f * a.value, f * a.slope, f * a.curvature};
    }
};

template <Real Scalar = double>
struct TrackPoint {
    Along<Scalar> lateral{};   ///< m, d_y, to the left
    Along<Scalar> vertical{};  ///< m, d_z, up
    Along<Scalar> roll{};      ///< rad, gamma, left rail up
};

template <class T, class Scalar = double>
concept TrackInput = Real<Scalar> && requires(const T& track, const Scalar& s) {
    { track.at(s) } noexcept -> std::same_as<TrackPoint<Scalar>>;
};

/// A perfect track.
struct LevelTrack {
    /// @rt
    template <Real Scalar>
    [[nodiscard]] TrackPoint<Scalar> at(const Scalar&) const noexcept {
        return {};
    }
};

/// One smooth defect, sin^4(pi (s - start)/length) from `start` on, with three continuous derivatives. Position, length
/// and heights may carry derivatives, to be identified as parameters.
template <Real Parameter = double>
struct SmoothDefect {
    Parameter start{5.0};     ///< m
    Parameter length{20.0};   ///< m
    Parameter lateral{0.0};   ///< m
    Parameter vertical{0.0};  ///< m
    Parameter roll{0.0};      ///< rad

    /// @rt
    template <Real Scalar>
    [[nodiscard]] TrackPoint<Scalar> at(const Scalar& s) const noexcept {
        using std::cos, std::sin;
        if (value_of(s) <= value_of(start) || value_of(s) >= value_of(start) + value_of(length)) return {};
        const Scalar k = Scalar(std::numbers::pi) / Scalar(length), u = k * (s - Scalar(start));
        const Scalar c = cos(u), w = sin(u), w2 = w * w;
        const Along<Scalar> shape{w2 * w2, Scalar(4.0) * k * w2 * w * c,
                                  Scalar(4.0) * k * k * w2 * (Scalar(3.0) * c * c - w2)};
        return {Scalar(lateral) * shape, Scalar(vertical) * shape, Scalar(roll) * shape};
    }
};

/// @throws SetupError naming the field that is not finite, or a length that is not positive.
template <Real Parameter>
void validate(const SmoothDefect<Parameter>& d) {
    require_finite(value_of(d.start), "vehicle::SmoothDefect", "start");
    require_positive(value_of(d.length), "vehicle::SmoothDefect", "length");
    require_finite(value_of(d.lateral), "vehicle::SmoothDefect", "lateral");
    require_finite(value_of(d.vertical), "vehicle::SmoothDefect", "vertical");
    require_finite(value_of(d.roll), "vehicle::SmoothDefect", "roll");
}

static_assert(TrackInput<LevelTrack> && TrackInput<SmoothDefect<>>);

}  // namespace panto::vehicle
