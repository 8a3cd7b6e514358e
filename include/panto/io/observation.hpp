// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// io::Observation is the former name of interaction::Observation; this header is removed in the next release.

#pragma once

#include <panto/interaction/observation.hpp>

namespace panto::io {

template <class Engine>
using Observation [[deprecated("take interaction::Observation")]] = interaction::Observation<Engine>;

}  // namespace panto::io
