// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/report.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/report.hpp> has moved: include <panto/session/report.hpp>"

#include <panto/session/report.hpp>
