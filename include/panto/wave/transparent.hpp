// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/transparent/end.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/transparent.hpp> has moved: include <panto/transparent/end.hpp>"

#include <panto/transparent/end.hpp>
