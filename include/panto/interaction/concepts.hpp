// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a catenary engine must offer beyond CatenaryModel to be simulated together with a pantograph.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/catenary/static_load.hpp>

#include <concepts>

namespace panto {

/// An engine on a finite-element model that can be solved together with the contact.
template <class E>
concept CoupledCatenary =
    CatenaryModel<E> && requires(E& engine, const E& observed, const catenary::ImplicitContact<double>& contact,
                                 const catenary::StaticLoad<double>& load, std::size_t index) {
        { engine.step_contact(contact) } noexcept -> std::same_as<Result<double>>;  ///< N, contact force
        { engine.reset(load) } -> std::same_as<void>;                               ///< at rest under a static load
        { observed.position() } noexcept -> std::same_as<double>;                   ///< m, of the contact point
        { observed.speed() } noexcept -> std::same_as<double>;                      ///< m/s, along the track
        { observed.time() } noexcept -> std::same_as<double>;                       ///< s
        { observed.wire() } noexcept -> std::convertible_to<Motion>;                ///< of the wire above the strip
        { observed.status() } noexcept -> std::same_as<Status>;                     ///< of the last step
        { observed.dropper_force(index) } noexcept -> std::same_as<double>;         ///< N, elastic tension
        { observed.uplift(index) } noexcept -> std::same_as<double>;                ///< m, at a contact-wire node
        { observed.model() } noexcept -> std::convertible_to<const catenary::FiniteElements<double>&>;
    };

}  // namespace panto
