// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/infinite_product.hpp>. This path is removed in the next release.

#pragma once

#include <panto/field/infinite_product.hpp>
