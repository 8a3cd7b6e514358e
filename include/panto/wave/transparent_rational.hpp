// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/transparent/rational.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/transparent_rational.hpp> has moved: include <panto/transparent/rational.hpp>"

#include <panto/transparent/rational.hpp>
