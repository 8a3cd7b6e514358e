// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/report_plots.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/report_plots.hpp> has moved: include <panto/session/report_plots.hpp>"

#include <panto/session/report_plots.hpp>
