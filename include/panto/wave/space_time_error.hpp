// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/space_time_error.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/space_time_error.hpp> has moved: include <panto/absorbing/space_time_error.hpp>"

#include <panto/absorbing/space_time_error.hpp>
