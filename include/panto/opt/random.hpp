// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// opt::Random is the former name of panto::Random (core/random.hpp); this header is removed in the next release.

#pragma once

#include <panto/core/random.hpp>

namespace panto::opt {

using Random [[deprecated("take panto::Random of core/random.hpp")]] = panto::Random;

}  // namespace panto::opt
