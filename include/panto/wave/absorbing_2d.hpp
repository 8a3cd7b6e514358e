// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/edge.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_2d.hpp> has moved: include <panto/absorbing/edge.hpp>"

#include <panto/absorbing/edge.hpp>
