// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Force laws between two points, and the contact of strip and wire.
///
///     F = max(0, k p + c p')  while p > 0,  else 0
///
/// with the stiffness k, the damping c and the penetration p = z_strip - z_wire [EN 50318, penalty contact]. Eq. (10)
/// of the HiL paper prints the opposite sign, with which the contact would pull.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <concepts>

namespace panto {

/// Force as a function of a stretch (or penetration) and its rate. A law has no memory; for elements with memory
/// (Maxwell arms, friction) see memory.hpp.
template <class Law, class Scalar = double>
concept ForceLaw = Real<Scalar> && requires(const Law& law, Scalar stretch, Scalar rate) {
    { law(stretch, rate) } noexcept -> std::convertible_to<Scalar>;
};

namespace element {

inline constexpr double default_contact_stiffness = 50e3;  ///< N/m, of strip and wire [EN 50318]

/// Unilateral spring and damper: pushes while pressed together, never pulls.
template <Real Scalar = double>
struct PenaltyContact {
    Scalar stiffness = Scalar(default_contact_stiffness);  ///< N/m
    Scalar damping = Scalar(0.0);                          ///< N s/m

    /// Contact force, N. At penetration 0 the derivative is that of the open contact, 0. @rt
    [[nodiscard]] Scalar operator()(const Scalar& penetration, const Scalar& rate) const noexcept {
        if (!(Scalar(0.0) < penetration)) return Scalar(0.0);
        const Scalar force = stiffness * penetration + damping * rate;
        return force < Scalar(0.0) ? Scalar(0.0) : force;
    }
};

static_assert(ForceLaw<PenaltyContact<>>);

/// Throws unless the contact can carry a force.
/// @throws SetupError naming the field, its value and what is allowed.
template <Real Scalar>
void validate(const PenaltyContact<Scalar>& contact) {
    require_positive(value_of(contact.stiffness), "element::PenaltyContact", "stiffness");
    require_not_negative(value_of(contact.damping), "element::PenaltyContact", "damping");
}

}  // namespace element
}  // namespace panto
