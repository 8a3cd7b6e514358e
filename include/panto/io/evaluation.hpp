// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/evaluation.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/evaluation.hpp> has moved: include <panto/session/evaluation.hpp>"

#include <panto/session/evaluation.hpp>
