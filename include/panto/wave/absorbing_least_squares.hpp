// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/least_squares.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_least_squares.hpp> has moved: include <panto/absorbing/least_squares.hpp>"

#include <panto/absorbing/least_squares.hpp>
