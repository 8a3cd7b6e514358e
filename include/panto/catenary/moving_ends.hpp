// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where the piece of a line ends that is computed in the train's frame.

#pragma once

#include <panto/catenary/moving_wires.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/supports.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace panto::catenary {

/// What lies beyond the border for the bending of point 1.
enum class BeyondBorder : unsigned char {
    straight,  ///< u_{-1} = 2 u_0 - u_1 : no moment
    mirrored   ///< u_{-1} = u_1 : no slope, as the golden reflections have it
};

/// An end that lets go what runs towards it at one speed c (m/s, relative to the grid):  u_t = c u_x , x counted
/// inwards, by the box scheme between its points 0 and 1 and the levels n and n+1 :
///     (1 + r) u_0+ + (1 - r) u_1+ = (1 - r) u_0 + (1 + r) u_1 ,   r = c dt/dx .
/// Point 1 keeps the stencil's row. Second order in both steps; what it sends back is the difference between the wire's
/// dispersion and its own, and what damping changes.
class CharacteristicEnd {
    static constexpr int H = 2, columns = 2 * H;
    using Rows = Eigen::Matrix<double, H, columns>;

  public:
    /// `from_border` is the stencil counted inwards: the wire's at the left, wave::mirrored(the wire's) at the right.
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
    /// Point 1 bears loads, point 0 does not.
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
    /// It remembers nothing. @rt
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

/// Held, without slope: u_0 = 0, u_{-1} = u_1. In a frame that moves it feeds energy to the wire and to the droppers
/// that pass through; to compare with.
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

/// Ends that let go what runs at the wires' own speeds.
template <class = void>
[[nodiscard]] MovingEnds<CharacteristicEnd> characteristic_ends(const MovingWires& w,
                                                                BeyondBorder beyond = BeyondBorder::straight) {
    using wave::mirrored;
    return {CharacteristicEnd(w.contact, w.contact_speed + w.speed, beyond),
            CharacteristicEnd(mirrored(w.contact), w.contact_speed - w.speed, beyond),
            CharacteristicEnd(w.messenger, w.messenger_speed + w.speed, beyond),
            CharacteristicEnd(mirrored(w.messenger), w.messenger_speed - w.speed, beyond)};
}

/// Both wires held at both ends.
template <class = void>
[[nodiscard]] MovingEnds<wave::Support<>> clamped_ends(const MovingWires& w) {
    using wave::mirrored;
    return {clamped_end(w.contact), clamped_end(mirrored(w.contact)), clamped_end(w.messenger),
            clamped_end(mirrored(w.messenger))};
}

}  // namespace panto::catenary
