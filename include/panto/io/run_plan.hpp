// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/run_plan.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/run_plan.hpp> has moved: include <panto/session/run_plan.hpp>"

#include <panto/session/run_plan.hpp>
