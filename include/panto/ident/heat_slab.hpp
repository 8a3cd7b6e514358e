// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/heat_slab.hpp>. This path is removed in the next release.

#pragma once

#include <panto/field/heat_slab.hpp>
