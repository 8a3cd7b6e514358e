// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Absorbing layers for a line in the train's frame: both wires continue beyond the grid, without droppers and masts,
/// with a viscous damping that grows quadratically, and are clamped at the far end. A wave that crosses the layer twice
/// keeps the share exp(-d L / (3 rA c)) of its amplitude, where d is the damping at the far end, L the length of the
/// layer, rA the mass per length of the wire and c the wave speed. The increase of the damping reflects waves that are
/// longer than the layer: the layer must be as long as the waves.
///
/// The rows couple neighbours at level n+1, so the layer is solved together with the grid. The layer is eliminated from
/// its far end inwards. This leaves one equation for its point next to the grid, u_{-1}+ = r - c u_0+ , where c is a
/// coefficient and not the wave speed.

#pragma once

#include <panto/catenary/moving_ends.hpp>
#include <panto/core/check.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>

namespace panto::catenary {

struct LayerParams {
    int points = 78;          ///< number of points beyond the border, at each end
    double remainder = 1e-2;  ///< share of a wave's amplitude left after it has crossed the layer twice
};

/// An end that contains its layer. Both of its points take loads.
class LayerEnd {
    static constexpr int H = 2;

  public:
    /// @param from_border  the stencil, counted inwards, as for CharacteristicEnd
    /// @param damping  at the far end of the layer, N s/m^2
    /// @throws SetupError if there are no points or too many, the damping is negative, or the stencil couples points
    /// that are not neighbours at level n+1.
    template <class = void>
    LayerEnd(const wave::Stencil<>& from_border, int points, double damping);

    [[nodiscard]] static constexpr int points() noexcept { return H; }
    [[nodiscard]] static constexpr int past_levels() noexcept { return 2; }
    [[nodiscard]] static constexpr int reach() noexcept { return 2 * H; }
    [[nodiscard]] static constexpr double share(int) noexcept { return 1.0; }
    [[nodiscard]] Eigen::MatrixXd next_rows() const { return next_; }

    /// @rt
    template <class EdgeView>
    void apply(const EdgeView& u) noexcept {
        // Complete the layer at level n: when the last step computed it, u_0 was not known yet.
        double inner = u.past(0, 0);
        for (int a = layer_ - 1; a >= 0; --a) inner = now_[H + a] -= up_[a] * inner;
        for (int j = 0; j < 2 * H; ++j) {
            now_[H + layer_ + j] = u.past(0, j);
            before_[H + layer_ + j] = u.past(1, j);
        }
        double last = 0.0;
        for (int a = 0; a < layer_; ++a)
            last = new_[H + a] = (known(H + a) + added_[a] * before_[H + a] - low_ * last) * inverse_[a];
        u.next(0) = known(H + layer_) - low_ * last;
        u.next(1) = known(H + layer_ + 1);
        before_.swap(now_);
        now_.swap(new_);
    }

    /// Puts the layer at rest. @rt
    void reset() noexcept {
        now_.setZero();
        before_.setZero();
    }

    [[nodiscard]] int memory() const noexcept { return 2 * layer_; }
    /// Writes memory() numbers to `x`. @rt
    void get(double* x) const noexcept {
        std::copy_n(now_.data() + H, layer_, x);
        std::copy_n(before_.data() + H, layer_, x + layer_);
    }
    /// Reads memory() numbers from `x`. @rt
    void put(const double* x) noexcept {
        std::copy_n(x, layer_, now_.data() + H);
        std::copy_n(x + layer_, layer_, before_.data() + H);
    }

  private:
    /// The terms of levels n and n-1 in the row of a point, without the damping of the layer.
    [[nodiscard]] double known(int i) const noexcept {
        double sum = 0.0;
        for (int j = -H; j <= H; ++j)
            sum += wave::Stencil<>::at(stencil_.now, j) * now_[i + j] +
                   wave::Stencil<>::at(stencil_.before, j) * before_[i + j];
        return sum;
    }

    wave::Stencil<> stencil_;
    int layer_;
    double low_ = 0.0;              // weight of the outer neighbour at level n+1
    Eigen::VectorXd added_;         // damping / 2 dt
    Eigen::VectorXd inverse_, up_;  // of the elimination: 1 / pivot, weight of the inner neighbour
    // Each holds H clamped points, the layer from its far end inwards, and the first 2 H points of the grid. Between
    // two steps, the layer in now_ does not contain the share of u_0 yet.
    Eigen::VectorXd now_, before_, new_;
    Eigen::Matrix<double, H, 2 * H> next_ = Eigen::Matrix<double, H, 2 * H>::Zero();
};

template <class>
LayerEnd::LayerEnd(const wave::Stencil<>& from_border, int points, double damping)
    : stencil_(from_border), layer_(points) {
    constexpr const char* where = "catenary::LayerEnd";
    constexpr int most = 1 << 16;
    require(points >= 1 && points <= most, where, "points is ", points, ", must be from 1 to ", most);
    require_not_negative(damping, where, "damping");
    const auto at = [&](int j) { return wave::Stencil<>::at(from_border.next, j); };
    require(!(std::abs(at(-2)) > 0.0) && !(std::abs(at(2)) > 0.0), where,
            "the stencil couples points two apart at level n+1, must couple neighbours only");
    low_ = at(-1);
    added_ = inverse_ = up_ = Eigen::VectorXd::Zero(layer_);
    double up = 0.0;
    for (int a = 0; a < layer_; ++a) {
        const double depth = static_cast<double>(layer_ - a) / layer_;
        added_[a] = 0.5 * damping * depth * depth / from_border.dt;
        inverse_[a] = 1.0 / (at(0) + added_[a] - low_ * up);
        up = up_[a] = at(1) * inverse_[a];
    }
    for (Eigen::VectorXd* line : {&now_, &before_, &new_}) line->setZero(H + layer_ + 2 * H);
    next_.row(0) << at(0) - low_ * up, at(1), 0.0, 0.0;
    next_.row(1) << at(-1), at(0), at(1), 0.0;
}

static_assert(wave::End<LayerEnd>);

/// Absorbing layers at all four ends.
/// @throws SetupError if `remainder` is not between 0 and 1, or as LayerEnd.
template <class = void>
[[nodiscard]] MovingEnds<LayerEnd> absorbing_layers(const MovingWires& w, const LayerParams& p = {}) {
    require(p.remainder > 0.0 && p.remainder < 1.0, "catenary::absorbing_layers", "remainder is ", p.remainder,
            ", must be above 0 and below 1");
    const auto end = [&](const wave::Stencil<>& s, double mass_per_length, double wave_speed) {
        const double length = p.points * s.dx;
        return LayerEnd(s, p.points, -3.0 * std::log(p.remainder) * mass_per_length * wave_speed / length);
    };
    using wave::mirrored;
    return {end(w.contact, w.contact_mass, w.contact_speed), end(mirrored(w.contact), w.contact_mass, w.contact_speed),
            end(w.messenger, w.messenger_mass, w.messenger_speed),
            end(mirrored(w.messenger), w.messenger_mass, w.messenger_speed)};
}

}  // namespace panto::catenary
