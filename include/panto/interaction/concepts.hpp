// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a catenary engine must offer beyond CatenaryModel to be simulated together with a pantograph, and what it may
/// offer for the record of a run. Engines of any kind can meet these concepts.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/catenary/implicit_contact.hpp>

#include <concepts>
#include <cstddef>

namespace panto {

/// An engine that can be solved together with the contact.
template <class E>
concept CoupledCatenary = CatenaryModel<E> && TravellingContact<E> &&
                          requires(E& engine, const E& observed, const catenary::ImplicitContact<double>& contact) {
                              {
                                  engine.step_contact(contact)
                              } noexcept -> std::same_as<Result<double>>;  ///< N, contact force
                              {
                                  observed.wire()
                              } noexcept -> std::convertible_to<Motion>;  ///< of the wire above the strip
                          };

/// An engine that tells where its wire is, as a record of a run needs it.
template <class E>
concept ShowsWire = TravellingContact<E> && requires(const E& engine) {
    { engine.wire() } -> std::convertible_to<Motion>;  ///< of the wire above the strip
};

/// An engine that gives the forces of its droppers.
template <class E>
concept ShowsDroppers = requires(const E& engine, std::size_t dropper) {
    { engine.droppers().size() } -> std::convertible_to<std::size_t>;
    { engine.droppers()[dropper].position } -> std::convertible_to<double>;      ///< m along the track
    { engine.droppers()[dropper].static_force } -> std::convertible_to<double>;  ///< N, without pantograph
    { engine.dropper_force(dropper) } noexcept -> std::same_as<double>;          ///< N, elastic tension, 0 if slack
};

/// An engine that gives the uplift of the wire at its supports, without the two ends.
template <class E>
concept ShowsSupports = requires(const E& engine, std::size_t support) {
    { engine.supports().size() } -> std::convertible_to<std::size_t>;
    { engine.supports()[support] } -> std::convertible_to<double>;        ///< m along the track
    { engine.support_uplift(support) } noexcept -> std::same_as<double>;  ///< m above the state without pantograph
};

}  // namespace panto
