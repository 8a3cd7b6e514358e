// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/sponge.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/sponge.hpp> has moved: include <panto/absorbing/sponge.hpp>"

#include <panto/absorbing/sponge.hpp>
