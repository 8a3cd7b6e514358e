// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/run_csv.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/run_csv.hpp> has moved: include <panto/session/run_csv.hpp>"

#include <panto/session/run_csv.hpp>
