// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/edge.hpp>. This path is removed in the next release.

#pragma once

#include <panto/absorbing/edge.hpp>
