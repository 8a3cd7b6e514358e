// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/results_table.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/results_table.hpp> has moved: include <panto/session/results_table.hpp>"

#include <panto/session/results_table.hpp>
