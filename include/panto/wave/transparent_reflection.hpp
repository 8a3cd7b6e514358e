// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/transparent/reflection.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/transparent_reflection.hpp> has moved: include <panto/transparent/reflection.hpp>"

#include <panto/transparent/reflection.hpp>
