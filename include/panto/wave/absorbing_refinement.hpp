// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/refinement.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_refinement.hpp> has moved: include <panto/absorbing/refinement.hpp>"

#include <panto/absorbing/refinement.hpp>
