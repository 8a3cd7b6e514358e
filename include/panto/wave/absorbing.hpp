// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/stencil.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/wave/absorbing.hpp> has moved: include <panto/absorbing/stencil.hpp>"

#include <panto/absorbing/stencil.hpp>
