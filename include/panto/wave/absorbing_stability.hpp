// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/stability.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_stability.hpp> has moved: include <panto/absorbing/stability.hpp>"

#include <panto/absorbing/stability.hpp>
