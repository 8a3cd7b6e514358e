// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/edge_stability.hpp>. This path is removed in the next release.

#pragma once

#include <panto/absorbing/edge_stability.hpp>
