// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/transparent/reflection.hpp>. This path is removed in the next release.

#pragma once

#include <panto/transparent/reflection.hpp>
