// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/transfer_functions.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/ident/transfer_functions.hpp> has moved: include <panto/field/transfer_functions.hpp>"

#include <panto/field/transfer_functions.hpp>
