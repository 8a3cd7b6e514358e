// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// opt::Random, as panto::Random (core/random.hpp) was called before; this header goes with the next release.

#pragma once

#include <panto/core/random.hpp>

namespace panto::opt {

using panto::Random;

}  // namespace panto::opt
