// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/search.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing_search.hpp> has moved: include <panto/absorbing/search.hpp>"

#include <panto/absorbing/search.hpp>
