// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/output_error.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_output_error.hpp> has moved: include <panto/absorbing/output_error.hpp>"

#include <panto/absorbing/output_error.hpp>
