// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/loop_record.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/loop_record.hpp> has moved: include <panto/session/loop_record.hpp>"

#include <panto/session/loop_record.hpp>
