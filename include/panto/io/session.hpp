// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/session.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/io/session.hpp> has moved: include <panto/session/session.hpp>"

#include <panto/session/session.hpp>
