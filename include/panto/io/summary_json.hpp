// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/summary_json.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/summary_json.hpp> has moved: include <panto/session/summary_json.hpp>"

#include <panto/session/summary_json.hpp>
