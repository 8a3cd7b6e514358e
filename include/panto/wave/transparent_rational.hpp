// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/transparent/rational.hpp>. This path is removed in the next release.

#pragma once

#include <panto/transparent/rational.hpp>
