// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/higdon.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_higdon.hpp> has moved: include <panto/absorbing/higdon.hpp>"

#include <panto/absorbing/higdon.hpp>
