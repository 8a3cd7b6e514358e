// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements with memory: dampers in series with springs, rubber, air springs. The memory is a separate value, so that
/// one element can be used in several places and runs. Memoryless makes an element of a law without memory
/// (contact.hpp).

#pragma once

#include <panto/core/real.hpp>
#include <panto/element/contact.hpp>

#include <concepts>
#include <utility>

namespace panto {

/// A force between two points as a function of their relative motion x (m, or rad), its rate v, and the memory z. A
/// positive force opposes a positive motion: that of a spring is k x.
///   rest()                 the memory at x = 0 after a long rest
///   force(x, v, z)         the force, N (or N m)
///   rate(x, v, z, dz)      dz is the time derivative of the continuous part of the memory z
///   accept(x, v, z)        called once at the end of every accepted step: reversals of dry friction are recorded here
template <class E, class Scalar = double>
concept ForceElement = Real<Scalar> && requires(const E& e, const Scalar& x, const Scalar& v, typename E::Memory& out,
                                                const typename E::Memory& z) {
    { e.rest() } -> std::same_as<typename E::Memory>;
    { e.force(x, v, z) } noexcept -> std::convertible_to<Scalar>;
    { e.rate(x, v, z, out) } noexcept -> std::same_as<void>;
    { e.accept(x, v, out) } noexcept -> std::same_as<void>;
};

namespace element {

/// A law without memory as an element.
template <class Law, Real Scalar = double>
    requires ForceLaw<Law, Scalar>
class Memoryless {
  public:
    using Memory = Vector<Scalar, 0>;

    explicit Memoryless(Law law) : law_(std::move(law)) {}
    [[nodiscard]] Memory rest() const { return {}; }
    /// @rt
    [[nodiscard]] Scalar force(const Scalar& x, const Scalar& v, const Memory&) const noexcept { return law_(x, v); }
    /// @rt
    void rate(const Scalar&, const Scalar&, const Memory&, Memory&) const noexcept {}
    /// @rt
    void accept(const Scalar&, const Scalar&, Memory&) const noexcept {}
    [[nodiscard]] const Law& law() const noexcept { return law_; }

  private:
    Law law_;
};

static_assert(ForceElement<Memoryless<PenaltyContact<>>>);

}  // namespace element
}  // namespace panto
