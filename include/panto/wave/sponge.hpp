// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/sponge.hpp>. This path is removed in the next release.

#pragma once

#include <panto/absorbing/sponge.hpp>
