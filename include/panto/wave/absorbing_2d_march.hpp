// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/edge_march.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_2d_march.hpp> has moved: include <panto/absorbing/edge_march.hpp>"

#include <panto/absorbing/edge_march.hpp>
