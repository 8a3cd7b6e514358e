// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sponge layer: the wire continues for some points beyond the border with viscous damping that grows quadratically,
/// and is clamped at its far end. Simple, stable for any damping, and expensive: it needs hundreds of points for the
/// effect of a few weights of absorbing.hpp. For comparison.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

/// An `End` that contains its layer. For explicit schemes.
template <int HalfWidth = 2>
class SpongeLayer {
    static constexpr int H = HalfWidth;

  public:
    /// `layer` points beyond the border; `damping` in N s/m^2 at the far end of the layer.
    /// @throws SetupError if the scheme is implicit or has no weights, the layer is empty or beyond 2^24 points, or the
    /// damping is negative.
    SpongeLayer(const Stencil<double, H>& scheme, int layer, double damping) : scheme_(scheme), layer_(layer) {
        constexpr const char* where = "wave::SpongeLayer";
        require(scheme.is_explicit(), where, "the scheme is implicit, must be explicit");
        constexpr int most = 1 << 24;
        require(layer >= 1 && layer <= most, where, "layer is ", layer, ", must be from 1 to ", most, " points");
        detail::require_weights(scheme, where);
        require_not_negative(damping, where, "damping");
        const Eigen::Index rows = layer + H;
        added_.setZero(rows);
        for (int i = 0; i < layer; ++i) {
            const double depth = static_cast<double>(layer - i) / layer;
            added_[i] = 0.5 * damping * depth * depth / scheme.dt;
        }
        inverse_ = (added_ + Stencil<double, H>::at(scheme.next, 0)).inverse();
        for (Eigen::VectorXd* line : {&next_, &now_, &before_}) line->setZero(H + layer + 2 * H);
    }

    [[nodiscard]] static constexpr int points() noexcept { return H; }
    [[nodiscard]] static constexpr int past_levels() noexcept { return 2; }
    [[nodiscard]] static constexpr int reach() noexcept { return 2 * H; }
    [[nodiscard]] Eigen::MatrixXd next_rows() const { return Eigen::MatrixXd::Identity(H, 2 * H); }

    /// Advances the layer and the boundary points, which follow the scheme itself. @rt
    template <class EdgeView>
    void apply(const EdgeView& u) noexcept {
        // A line: H clamped points, the layer from the outside in, the first 2 H points of the grid.
        for (int j = 0; j < 2 * H; ++j) {
            now_[H + layer_ + j] = u.past(0, j);
            before_[H + layer_ + j] = u.past(1, j);
        }
        for (Eigen::Index i = 0; i < layer_ + H; ++i) {
            double sum = added_[i] * before_[H + i];
            for (int j = -H; j <= H; ++j)
                sum += Stencil<double, H>::at(scheme_.now, j) * now_[H + i + j] +
                       Stencil<double, H>::at(scheme_.before, j) * before_[H + i + j];
            next_[H + i] = sum * inverse_[i];
        }
        for (int k = 0; k < H; ++k) u.next(k) = next_[H + layer_ + k];
        before_.swap(now_);
        now_.swap(next_);
    }

    /// The layer at rest. @rt
    void reset() noexcept {
        now_.setZero();
        before_.setZero();
    }

  private:
    Stencil<double, H> scheme_;
    int layer_;
    Eigen::ArrayXd added_, inverse_;  // dv/2dt of every point; 1 / weight of its new value
    Eigen::VectorXd next_, now_, before_;
};

}  // namespace panto::wave
