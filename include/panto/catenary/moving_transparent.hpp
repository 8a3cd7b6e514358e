// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Transparent ends for a line in the train's frame: both wires continue beyond the grid, without droppers and masts.

#pragma once

#include <panto/catenary/moving_engine.hpp>
#include <panto/transparent/end.hpp>

namespace panto::catenary {

/// Ends that act like an infinitely long wire that starts at rest. Points 0 and 1 at each end take no loads.
/// @throws SetupError as wave::transparent_ends.
template <class = void>
[[nodiscard]] MovingEnds<wave::TransparentEnd<>> transparent_ends(const MovingWires& w,
                                                                  const wave::RationalParams& params = {}) {
    const auto contact = wave::transparent_ends(w.contact, params);
    const bool same = w.contact.next == w.messenger.next && w.contact.now == w.messenger.now &&
                      w.contact.before == w.messenger.before;
    const auto messenger = same ? contact : wave::transparent_ends(w.messenger, params);
    return {contact.left, contact.right, messenger.left, messenger.right};
}

}  // namespace panto::catenary
