// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/heat_slab.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/ident/heat_slab.hpp> has moved: include <panto/field/heat_slab.hpp>"

#include <panto/field/heat_slab.hpp>
