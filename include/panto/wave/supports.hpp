// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Supports at the end of a beam or string. The support defines the points beyond the border (for instance u_{-1} = u_1
/// where the slope vanishes), and these points are folded back into the rows of the stencil.

#pragma once

#include <panto/core/check.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/stencil.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace panto::wave {

/// An end whose rows couple three levels of its first 2 H points, as the stencil does. A prescribed displacement and
/// slope are the input of these rows.
template <Real Scalar = double, int HalfWidth = 2>
class Support {
    static constexpr int H = HalfWidth;
    static constexpr int columns = 2 * H;

  public:
    /// An end of this scheme; hold(), fold() or release() must define every point.
    explicit Support(const Stencil<Scalar, H>& s) : Support() { dx_ = s.dx, dt_ = s.dt; }

    Support() {
        for (auto* rows : {&next_, &now_, &before_}) rows->setZero();
        for (auto& weights : input_) weights.setZero();
        reset();
    }

    [[nodiscard]] static constexpr int points() noexcept { return H; }
    [[nodiscard]] static constexpr int past_levels() noexcept { return 2; }
    [[nodiscard]] static constexpr int reach() noexcept { return columns; }
    [[nodiscard]] double dx() const noexcept { return dx_; }  ///< m, of the scheme it was made for
    [[nodiscard]] double dt() const noexcept { return dt_; }  ///< s, of the scheme it was made for
    [[nodiscard]] Matrix<Scalar, Dynamic> next_rows() const { return next_; }
    /// Zero beyond past_levels().
    [[nodiscard]] Matrix<Scalar, Dynamic> past_rows(int i) const {
        if (i < 0 || i >= past_levels()) return Matrix<Scalar, Dynamic>::Zero(H, columns);
        return i == 0 ? now_ : before_;
    }

    /// Weights of (displacement, slope) of levels n+1, n, n-1 (`level` 0, 1, 2) in r_k. A held point uses only level
    /// n+1; a folded one uses all three if level n+1 couples points.
    /// @throws SetupError if `level` is not from 0 to 2.
    [[nodiscard]] Matrix<Scalar, Dynamic> motion_weights(int level) const {
        require(level >= 0 && level <= 2, "wave::Support", "level is ", level, ", must be from 0 to 2");
        return input_[static_cast<std::size_t>(level)];
    }

    /// The share of point k that belongs to the beam: 0 where the support holds it, 1/2 on a free border, else 1; NaN
    /// if this end has no point k.
    [[nodiscard]] double share(int k) const noexcept {
        return k < 0 || k >= H ? no_number<double>() : share_[static_cast<std::size_t>(k)];
    }

    /// Sets the motion of the support at level n+1, before the step that leads to this level. The motion stays until it
    /// is set again. The slope counts inwards: u_x at the left end, -u_x at the right one. @rt
    void set_motion(const Scalar& displacement, const Scalar& slope) noexcept {
        motion_(0, 0) = displacement;
        motion_(1, 0) = slope;
    }

    /// Sets the motion at all three levels: for a start from a deflected line at rest. @rt
    void rest_at(const Scalar& displacement, const Scalar& slope) noexcept {
        for (int level = 0; level < 3; ++level) {
            motion_(0, level) = displacement;
            motion_(1, level) = slope;
        }
    }

    /// Back to no displacement and no slope. @rt
    void reset() noexcept { rest_at(Scalar(0.0), Scalar(0.0)); }

    /// @rt
    template <class EdgeView>
    void apply(const EdgeView& u) noexcept {
        for (int k = 0; k < H; ++k) {
            if (!(share(k) > 0.0)) {  // held: only the motion acts
                u.next(k) = motion_(0, 0) + input_[0](k, 1) * motion_(1, 0);
                continue;
            }
            Scalar sum(0.0);
            for (int j = 0; j < columns; ++j) sum += now_(k, j) * u.past(0, j) + before_(k, j) * u.past(1, j);
            for (int level = 0; level < 3; ++level) {
                const auto& weights = input_[static_cast<std::size_t>(level)];
                sum += weights(k, 0) * motion_(0, level) + weights(k, 1) * motion_(1, level);
            }
            u.next(k) = sum;
        }
        for (int level = 2; level > 0; --level)
            for (int i = 0; i < 2; ++i) motion_(i, level) = motion_(i, level - 1);
    }

    /// Point k is held: u_k = displacement + k dx slope.
    void hold(int k, double dx) {
        next_(k, k) = Scalar(1.0);
        input_[0](k, 0) = Scalar(1.0);
        input_[0](k, 1) = Scalar(k * dx);
        share_[static_cast<std::size_t>(k)] = 0.0;
    }

    /// The points beyond the border: u_{-j} = sign u_j + `displacement` times the displacement of the support + `slope`
    /// j times its slope.
    struct Beyond {
        double sign = 0.0, displacement = 0.0, slope = 0.0;
    };

    /// Point k keeps the stencil's row, with the points beyond the border folded in.
    void fold(int k, const Stencil<Scalar, H>& s, const Beyond& beyond) {
        fold(k, s.next, beyond, next_, input_[0], -1.0);
        fold(k, s.now, beyond, now_, input_[1], 1.0);
        fold(k, s.before, beyond, before_, input_[2], 1.0);
        share_[static_cast<std::size_t>(k)] = 1.0;
    }

    /// Point k of a free border: every row of the stencil is c0 + c2 D2 + c4 D4, with D2, D4 for a free border.
    void release(int k, const Stencil<Scalar, H>& s) {
        natural(k, s.next, next_);
        natural(k, s.now, now_);
        natural(k, s.before, before_);
        share_[static_cast<std::size_t>(k)] = k == 0 ? 0.5 : 1.0;
    }

  private:
    using Row = typename Stencil<Scalar, H>::Row;
    using Rows = Matrix<Scalar, H, columns>;

    static void fold(int k, const Row& weights, const Beyond& beyond, Rows& rows, Matrix<Scalar, H, 2>& input,
                     double sign) {
        for (int j = -H; j <= H; ++j) {
            const Scalar& w = Stencil<Scalar, H>::at(weights, j);
            if (k + j >= 0) {
                rows(k, k + j) += w;
                continue;
            }
            const int out = -(k + j);
            rows(k, out) += Scalar(beyond.sign) * w;
            input(k, 0) += Scalar(sign * beyond.displacement) * w;
            input(k, 1) += Scalar(sign * beyond.slope * out) * w;
        }
    }

    static void natural(int k, const Row& weights, Rows& rows) {
        static_assert(H <= 2);
        static constexpr double D2[2][4] = {{-2.0, 2.0, 0.0, 0.0}, {1.0, -2.0, 1.0, 0.0}};
        static constexpr double D4[2][4] = {{2.0, -4.0, 2.0, 0.0}, {-2.0, 5.0, -4.0, 1.0}};
        const auto w = [&](int j) { return Stencil<Scalar, H>::at(weights, j); };
        const Scalar c4 = H == 2 ? w(H) : Scalar(0.0);
        const Scalar c2 = w(1) + Scalar(4.0) * c4;
        for (int j = 0; j < columns; ++j) rows(k, j) += c2 * Scalar(D2[k][j]) + c4 * Scalar(D4[k][j]);
        for (int j = -H; j <= H; ++j) rows(k, k) += w(j);
    }

    Rows next_, now_, before_;
    std::array<Matrix<Scalar, H, 2>, 3> input_;  // weights of levels n+1, n, n-1
    Matrix<Scalar, 2, 3> motion_;                // displacement and slope of these levels
    std::array<double, static_cast<std::size_t>(H)> share_{};
    double dx_ = 0.0, dt_ = 0.0;
};

namespace detail {

template <Real Scalar, int H>
void require_symmetric(const Stencil<Scalar, H>& s, const char* where) {
    for (const auto* row : {&s.next, &s.now, &s.before})
        for (int j = 1; j <= H; ++j) {
            const double right = value_of(s.at(*row, j)), left = value_of(s.at(*row, -j));
            require(std::abs(right - left) <= 1e-12 * (std::abs(right) + std::abs(left)), where,
                    "the stencil is not symmetric, which this support needs; clamped_first_order accepts any");
        }
}

}  // namespace detail

/// u_0 = ... = u_{H-1} = 0, as in Publication A. Of first order only, since it shortens the beam by dx at each end.
/// With a motion (set_motion) it is a shaker: u_k = displacement + k dx slope.
template <Real Scalar, int H>
[[nodiscard]] Support<Scalar, H> clamped_first_order(const Stencil<Scalar, H>& s) {
    Support<Scalar, H> end(s);
    for (int k = 0; k < H; ++k) end.hold(k, s.dx);
    return end;
}

/// Clamped to second order: u_0 = displacement, and u_{-1} = u_1 - 2 dx slope beyond the border.
/// @throws SetupError if the stencil is not symmetric, as that of a moving beam.
template <Real Scalar, int H>
[[nodiscard]] Support<Scalar, H> clamped(const Stencil<Scalar, H>& s) {
    static_assert(H <= 2, "the mirror has second order only: wider stencils are no better at this end");
    detail::require_symmetric(s, "wave::clamped");
    Support<Scalar, H> end(s);
    end.hold(0, s.dx);
    for (int k = 1; k < H; ++k) end.fold(k, s, {.sign = 1.0, .slope = -2.0 * s.dx});
    return end;
}

/// Held but free to turn: u_0 = displacement, and u_{-j} = 2 displacement - u_j. For a string this is the only
/// support.
/// @throws SetupError if the stencil is not symmetric.
template <Real Scalar, int H>
[[nodiscard]] Support<Scalar, H> pinned(const Stencil<Scalar, H>& s) {
    detail::require_symmetric(s, "wave::pinned");
    Support<Scalar, H> end(s);
    end.hold(0, s.dx);
    for (int k = 1; k < H; ++k) end.fold(k, s, {.sign = -1.0, .displacement = 2.0});
    return end;
}

/// Free: no moment, no transverse force, EI u_xxx = T u_x. A load on point 0 acts on half a cell: F in N is 2 F/dx
/// there.
/// @throws SetupError if the stencil is not symmetric.
template <Real Scalar, int H>
[[nodiscard]] Support<Scalar, H> free_end(const Stencil<Scalar, H>& s) {
    detail::require_symmetric(s, "wave::free_end");
    Support<Scalar, H> end(s);
    for (int k = 0; k < H; ++k) end.release(k, s);
    return end;
}

}  // namespace panto::wave
