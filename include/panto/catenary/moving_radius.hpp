// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// catenary::map_radius is the former name of linalg::map_radius; this header is removed in the next release.

#pragma once

#include <panto/linalg/map_radius.hpp>

#include <utility>

namespace panto::catenary {

template <class... Arguments>
[[deprecated("take linalg::map_radius")]] double map_radius(Arguments&&... arguments) {
    return linalg::map_radius(std::forward<Arguments>(arguments)...);
}

}  // namespace panto::catenary
