// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// io::TimedCycle is the former name of rig::TimedCycle; this header is removed in the next release.

#pragma once

#include <panto/rig/timed_cycle.hpp>

namespace panto::io {

template <class CycleType>
using TimedCycle [[deprecated("take rig::TimedCycle")]] = rig::TimedCycle<CycleType>;

}  // namespace panto::io
