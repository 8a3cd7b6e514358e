// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/transparent/kernel.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/transparent_kernel.hpp> has moved: include <panto/transparent/kernel.hpp>"

#include <panto/transparent/kernel.hpp>
