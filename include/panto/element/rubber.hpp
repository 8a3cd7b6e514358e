// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rubber and bushes.
/// Generalized Maxwell model: a spring in parallel with arms, each of which is a spring and a damper in series,
///     K(i omega) = k0 + sum_j k_j i omega d_j/(k_j + i omega d_j) .
/// With one arm this is the bush of the program Vampire.
/// Berg [1998], one axis: F = k_e x + F_f + F_v, where F_v is one Maxwell arm and F_f dry friction that depends on the
/// amplitude. After the last reversal, at x_s with the friction F_s, and with m = F_s/F_max,
///     rising   F_f = F_s + (x - x_s)(F_max - F_s)/(x_2 (1 - m) + x - x_s) ,
///     falling  F_f = F_s + (x - x_s)(F_max + F_s)/(x_2 (1 + m) - (x - x_s)) ,
/// where x_2 is the stroke from rest after which the friction is half of F_max.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/element/memory.hpp>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>

namespace panto::element {

template <Real Scalar = double>
struct MaxwellArm {
    Scalar stiffness{};  ///< N/m, k_j
    Scalar damping{};    ///< N s/m, d_j in series
};

/// The generalized Maxwell model. Its memory is the force of each arm, N.
template <int Arms, Real Scalar = double>
class GeneralizedMaxwell {
    static_assert(Arms >= 1);

  public:
    using Memory = Vector<Scalar, Arms>;
    static constexpr std::size_t arms = static_cast<std::size_t>(Arms);

    /// @param stiffness N/m, k0 of the parallel spring.
    /// @throws SetupError if it is negative or an arm has no stiffness or damping.
    GeneralizedMaxwell(const Scalar& stiffness, const std::array<MaxwellArm<Scalar>, arms>& parts)
        : k0_(stiffness), arms_(parts) {
        require_not_negative(value_of(k0_), "element::GeneralizedMaxwell", "stiffness");
        for (std::size_t j = 0; j < arms; ++j) {
            require_positive(value_of(arms_[j].stiffness), "element::GeneralizedMaxwell", "arm[", j, "].stiffness");
            require_positive(value_of(arms_[j].damping), "element::GeneralizedMaxwell", "arm[", j, "].damping");
        }
    }

    [[nodiscard]] Memory rest() const { return Memory::Constant(Scalar(0.0)); }
    /// @rt
    [[nodiscard]] Scalar force(const Scalar& x, const Scalar&, const Memory& z) const noexcept {
        Scalar f = k0_ * x;
        for (int j = 0; j < Arms; ++j) f = f + z[j];
        return f;
    }
    /// @rt
    void rate(const Scalar&, const Scalar& v, const Memory& z, Memory& dz) const noexcept {
        for (std::size_t j = 0; j < arms; ++j) {
            const auto i = static_cast<Eigen::Index>(j);
            dz[i] = arms_[j].stiffness * (v - z[i] / arms_[j].damping);
        }
    }
    /// @rt
    void accept(const Scalar&, const Scalar&, Memory&) const noexcept {}

    /// Dynamic stiffness, N/m, at the angular frequency `omega`, rad/s.
    [[nodiscard]] std::complex<double> dynamic_stiffness(double omega) const {
        std::complex<double> K = value_of(k0_);
        for (const auto& arm : arms_) {
            const std::complex<double> damper{0.0, omega * value_of(arm.damping)};
            K += value_of(arm.stiffness) * damper / (value_of(arm.stiffness) + damper);
        }
        return K;
    }

  private:
    Scalar k0_;
    std::array<MaxwellArm<Scalar>, arms> arms_;
};

template <Real Scalar = double>
struct BergParams {
    Scalar elastic{};          ///< N/m, k_e
    Scalar friction{};         ///< N, F_max
    Scalar friction_stroke{};  ///< m, x_2
    MaxwellArm<Scalar> viscous{};
};

/// Berg's model. Its memory is the last reversal (x_s, F_s), the position at the end of the last step, and the viscous
/// force. Between two calls of accept() the motion is assumed monotonic: a reversal within a step is placed at the
/// start of the step.
template <Real Scalar = double>
class BergRubber {
  public:
    using Memory = Vector<Scalar, 4>;  ///< x_s, m; F_s, N; last x, m; F_v, N

    /// @throws SetupError naming the parameter that is not positive (the elastic one may be 0).
    explicit BergRubber(const BergParams<Scalar>& params) : p_(params) {
        const char* where = "element::BergRubber";
        require_not_negative(value_of(p_.elastic), where, "elastic");
        require_positive(value_of(p_.friction), where, "friction");
        require_positive(value_of(p_.friction_stroke), where, "friction_stroke");
        require_positive(value_of(p_.viscous.stiffness), where, "viscous.stiffness");
        require_positive(value_of(p_.viscous.damping), where, "viscous.damping");
    }

    [[nodiscard]] Memory rest() const { return Memory::Constant(Scalar(0.0)); }

    /// @rt
    [[nodiscard]] Scalar force(const Scalar& x, const Scalar&, const Memory& z) const noexcept {
        return p_.elastic * x + friction(x, z) + z[3];
    }
    /// The friction F_f, N. @rt
    [[nodiscard]] Scalar friction(const Scalar& x, const Memory& z) const noexcept {
        if (turned(x, z)) return from(z[2], from(z[0], z[1], z[2]), x);
        return from(z[0], z[1], x);
    }
    /// @rt
    void rate(const Scalar&, const Scalar& v, const Memory& z, Memory& dz) const noexcept {
        dz[0] = dz[1] = dz[2] = Scalar(0.0);
        dz[3] = p_.viscous.stiffness * (v - z[3] / p_.viscous.damping);
    }
    /// @rt
    void accept(const Scalar& x, const Scalar&, Memory& z) const noexcept {
        if (turned(x, z)) {
            z[1] = from(z[0], z[1], z[2]);
            z[0] = z[2];
        }
        z[2] = x;
    }

  private:
    [[nodiscard]] bool turned(const Scalar& x, const Memory& z) const noexcept {
        return (value_of(x) - value_of(z[2])) * (value_of(z[2]) - value_of(z[0])) < 0.0;
    }
    /// Friction at x after a reversal at xs with the friction fs, without another reversal in between.
    [[nodiscard]] Scalar from(const Scalar& xs, const Scalar& fs, const Scalar& x) const noexcept {
        const Scalar u = x - xs;
        const bool rising = value_of(u) >= 0.0;
        // How far the friction is below its limit, in parts of F_max; 0 only after a very long stroke.
        const Scalar left = rising ? Scalar(Scalar(1.0) - fs / p_.friction) : Scalar(Scalar(1.0) + fs / p_.friction);
        if (!(value_of(left) > 0.0)) return fs;
        return fs + u * p_.friction * left / (p_.friction_stroke * left + (rising ? u : Scalar(-u)));
    }
    BergParams<Scalar> p_;
};

static_assert(ForceElement<GeneralizedMaxwell<1>> && ForceElement<GeneralizedMaxwell<3>> && ForceElement<BergRubber<>>);

}  // namespace panto::element
