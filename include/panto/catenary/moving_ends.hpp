// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ends for the piece of line that is computed in the train's frame.

#pragma once

#include <panto/catenary/moving_wires.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/supports.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace panto::catenary {

/// The point beyond the border that the bending of point 1 needs.
enum class BeyondBorder : unsigned char {
    straight,  ///< u_{-1} = 2 u_0 - u_1 : no moment
    mirrored   ///< u_{-1} = u_1 : no slope, as in the golden figures of reflections
};

/// An end that lets waves of one speed c (m/s, relative to the grid) leave without reflection:  u_t = c u_x , with x
/// counted inwards, in the box scheme between points 0 and 1 and levels n and n+1 :
///     (1 + r) u_0+ + (1 - r) u_1+ = (1 - r) u_0 + (1 + r) u_1 ,   r = c dt/dx .
/// Point 1 keeps the row of the wire's stencil. The scheme is of second order in dt and dx. It reflects a part of a
/// wave because its dispersion differs from that of the wire, and because the wire is damped.
class CharacteristicEnd {
    static constexpr int H = 2, columns = 2 * H;
    using Rows = Eigen::Matrix<double, H, columns>;

  public:
    /// @param from_border  the stencil, counted inwards: that of the wire at the left, wave::mirrored() at the right
    /// @throws SetupError if the speed is not positive.
    template <class = void>
    CharacteristicEnd(const wave::Stencil<>& from_border, double speed, BeyondBorder beyond = BeyondBorder::straight) {
        require_positive(speed, "catenary::CharacteristicEnd", "speed");
        for (Rows* rows : {&next_, &now_, &before_}) rows->setZero();
        const double r = speed * from_border.dt / from_border.dx;
        next_.row(0) << 1.0 + r, 1.0 - r, 0.0, 0.0;
        now_.row(0) << 1.0 - r, 1.0 + r, 0.0, 0.0;
        fold(from_border.next, next_, beyond);
        fold(from_border.now, now_, beyond);
        fold(from_border.before, before_, beyond);
    }

    [[nodiscard]] static constexpr int points() noexcept { return H; }
    [[nodiscard]] static constexpr int past_levels() noexcept { return 2; }
    [[nodiscard]] static constexpr int reach() noexcept { return columns; }
    [[nodiscard]] Eigen::MatrixXd next_rows() const { return next_; }
    [[nodiscard]] Eigen::MatrixXd past_rows(int i) const { return i == 0 ? now_ : before_; }
    /// Point 1 takes loads, point 0 does not.
    [[nodiscard]] static constexpr double share(int k) noexcept { return k == 0 ? 0.0 : 1.0; }

    /// @rt
    template <class EdgeView>
    void apply(const EdgeView& u) noexcept {
        for (int k = 0; k < H; ++k) {
            double sum = 0.0;
            for (int j = 0; j < columns; ++j) sum += now_(k, j) * u.past(0, j) + before_(k, j) * u.past(1, j);
            u.next(k) = sum;
        }
    }
    /// Does nothing: this end has no memory. @rt
    void reset() noexcept {}

  private:
    static void fold(const wave::Stencil<>::Row& weights, Rows& rows, BeyondBorder beyond) {
        for (int j = -H; j <= H; ++j) {
            const double w = wave::Stencil<>::at(weights, j);
            if (j >= -1) {
                rows(1, 1 + j) += w;
            } else if (beyond == BeyondBorder::mirrored) {
                rows(1, 1) += w;
            } else {
                rows(1, 0) += 2.0 * w;
                rows(1, 1) -= w;
            }
        }
    }

    Rows next_, now_, before_;
};

static_assert(wave::RowEnd<CharacteristicEnd>);

/// A clamped end: u_0 = 0, u_{-1} = u_1. In a moving frame it feeds energy into the wire and the droppers that pass
/// through. It is meant for comparisons.
template <class = void>
[[nodiscard]] wave::Support<> clamped_end(const wave::Stencil<>& from_border) {
    wave::Support<> end(from_border);
    end.hold(0, from_border.dx);
    end.fold(1, from_border, {.sign = 1.0});
    return end;
}

/// The four ends of two wires.
template <class End>
struct MovingEnds {
    End contact_left, contact_right, messenger_left, messenger_right;
};

/// Characteristic ends for the wave speeds of the two wires.
template <class = void>
[[nodiscard]] MovingEnds<CharacteristicEnd> characteristic_ends(const MovingWires& w,
                                                                BeyondBorder beyond = BeyondBorder::straight) {
    using wave::mirrored;
    return {CharacteristicEnd(w.contact, w.contact_speed + w.speed, beyond),
            CharacteristicEnd(mirrored(w.contact), w.contact_speed - w.speed, beyond),
            CharacteristicEnd(w.messenger, w.messenger_speed + w.speed, beyond),
            CharacteristicEnd(mirrored(w.messenger), w.messenger_speed - w.speed, beyond)};
}

/// Both wires clamped at both ends.
template <class = void>
[[nodiscard]] MovingEnds<wave::Support<>> clamped_ends(const MovingWires& w) {
    using wave::mirrored;
    return {clamped_end(w.contact), clamped_end(mirrored(w.contact)), clamped_end(w.messenger),
            clamped_end(mirrored(w.messenger))};
}

}  // namespace panto::catenary
