// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/simulate.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/simulate.hpp> has moved: include <panto/session/simulate.hpp>"

#include <panto/session/simulate.hpp>
