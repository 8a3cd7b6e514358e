// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/control/lqg.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/control/lqg_plus.hpp> has moved: include <panto/control/lqg.hpp>"

#include <panto/control/lqg.hpp>
