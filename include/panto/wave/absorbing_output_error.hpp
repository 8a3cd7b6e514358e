// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/absorbing/output_error.hpp>. This path is removed in the next release.

#pragma once

#include <panto/absorbing/output_error.hpp>
