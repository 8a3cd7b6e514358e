// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/reflection.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_reflection.hpp> has moved: include <panto/absorbing/reflection.hpp>"

#include <panto/absorbing/reflection.hpp>
