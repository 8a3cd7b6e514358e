// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The free oscillation of a signal, fitted so that its next values can be predicted: a strip without a damper rings on
/// after every touch, which would hide by how much the force changes. In samples i = 0 ... n - 1,
///
///     y_i = sum_k ( c_k + e^(-s_k i) (a_k cos w_k i + b_k sin w_k i) ) + noise
///
/// The oscillations are fitted by least squares, one after the other, each with the w and s that leave the smallest
/// residual. An oscillation that explains less than 30 % of the remaining variance is taken for noise.

#pragma once

#include <panto/core/compiled.hpp>

#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>

namespace panto::rig {

template <class = void>  // so that its functions are only compiled where they are used
class FreeOscillation {
  public:
    static constexpr std::size_t most = 3;     ///< oscillations
    static constexpr std::size_t fewest = 20;  ///< samples

    /// Fits the samples and replaces them by the residuals. NaN if there are fewer than 20, or one is not finite. @rt
    explicit FreeOscillation(std::span<double> y) noexcept : samples_(static_cast<double>(y.size())) {
        if (y.size() < fewest) {
            noise_ = waves_[0].abc[2] = std::numeric_limits<double>::quiet_NaN();
            return;
        }
        for (Wave& wave : waves_) {
            wave = strongest(y);
            for (std::size_t i = 0; i < y.size(); ++i) y[i] -= value(wave, static_cast<double>(i));
            if (wave.is_noise()) break;
        }
        for (const double left : y) noise_ += left * left / samples_;
        noise_ = std::sqrt(noise_);
    }

    /// The fitted y_i; i may be beyond the samples. @rt
    [[nodiscard]] double operator()(double i) const noexcept {
        double sum = 0.0;
        for (const Wave& wave : waves_) sum += value(wave, i);
        return sum;
    }

    /// Standard deviation of the residuals. @rt
    [[nodiscard]] double noise() const noexcept { return noise_; }

  private:
    using Phasor = std::complex<double>;

    struct Wave {
        Phasor turn{0.0, 0.0};  // e^(-s + i w)
        Eigen::Vector3d abc{0.0, 0.0, 0.0};
        double explained = 0.0, total = 0.0;  // sums of squares about the mean
        [[nodiscard]] bool is_noise() const noexcept { return !(explained > 0.3 * total); }
    };

    static double value(const Wave& wave, double i) noexcept {
        const Phasor p = wave.is_noise() ? Phasor(0.0, 0.0) : std::pow(wave.turn, i);
        return wave.abc[0] * p.real() + wave.abc[1] * p.imag() + wave.abc[2];
    }

    [[nodiscard]] Wave fitted(std::span<const double> y, double w, double s) const noexcept {
        Wave wave{.turn = std::polar(std::exp(-s), w)};
        Eigen::Matrix3d G = Eigen::Matrix3d::Zero();
        Eigen::Vector3d h = Eigen::Vector3d::Zero();
        double squares = 0.0;
        Phasor p(1.0, 0.0);
        for (const double sample : y) {
            const Eigen::Vector3d basis(p.real(), p.imag(), 1.0);
            G += basis * basis.transpose();
            h += sample * basis;
            squares += sample * sample;
            p *= wave.turn;
        }
        wave.abc = G.inverse() * h;
        wave.total = squares - h[2] * h[2] / samples_;
        wave.explained = h.dot(wave.abc) - h[2] * h[2] / samples_;
        if (wave.is_noise()) wave.abc = {0.0, 0.0, h[2] / samples_};
        return wave;
    }

    /// The oscillation that explains most of y. The search goes from 1.5 periods in all samples to 5 samples per
    /// period, and from no decay to one that leaves about a third of the amplitude after half of the samples.
    [[nodiscard]] Wave strongest(std::span<const double> y) const noexcept {
        const double turn = 2.0 * std::numbers::pi, step = 0.25 * turn / samples_, fades = 0.5 / samples_;
        double w = 0.0, s = 0.0;
        Wave best;
        const auto better = [&](double at, double decay) {
            const Wave here = fitted(y, at, decay);
            if (best.total > 0.0 && !(here.explained > best.explained)) return;
            best = here, w = at, s = decay;
        };
        for (double at = 1.5 * turn / samples_; at <= 0.2 * turn; at += step)
            for (const double decay : {0.0, fades, 2.0 * fades, 4.0 * fades}) better(at, decay);
        for (double part = 0.5; part > 1e-4; part *= 0.5)
            for (const double sign : {-1.0, 1.0}) {
                better(w + sign * part * step, s);
                better(w, std::max(0.0, s + sign * part * fades));
            }
        return best;
    }

    std::array<Wave, most> waves_{};
    double samples_, noise_ = 0.0;
};

}  // namespace panto::rig
