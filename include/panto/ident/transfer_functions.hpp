// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/transfer_functions.hpp>. This path is removed in the next release.

#pragma once

#include <panto/field/transfer_functions.hpp>
