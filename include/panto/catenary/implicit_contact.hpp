// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a catenary must know of the pantograph to be solved together with the contact.

#pragma once

#include <panto/core/finite.hpp>
#include <panto/core/real.hpp>

namespace panto::catenary {

/// The pantograph at the end of a step, for the contact law that is solved together with the wire:
///     F = max(0, stiffness (head_height - head_compliance F - wire height))
template <Real Scalar = double>
struct ImplicitContact {
    Scalar stiffness{};        ///< N/m, of the penalty contact
    Scalar head_height{};      ///< m, at the end of the step, if no contact force acts then
    Scalar head_compliance{};  ///< m/N, how far a contact force at the end of the step presses the head down

    /// False if the contact law gives no force: stiffness not above 0, compliance below 0, or a value that is not
    /// finite. @rt
    [[nodiscard]] bool solvable() const noexcept {
        const double k = value_of(stiffness), c = value_of(head_compliance);
        return is_finite(k) && is_finite(c) && is_finite(value_of(head_height)) && k > 0.0 && c >= 0.0;
    }
};

}  // namespace panto::catenary
