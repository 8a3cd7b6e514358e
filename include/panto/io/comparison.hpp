// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/comparison_json.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/comparison.hpp> has moved: include <panto/session/comparison_json.hpp>"

#include <panto/session/comparison_json.hpp>
