// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/infinite_product.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/ident/infinite_product.hpp> has moved: include <panto/field/infinite_product.hpp>"

#include <panto/field/infinite_product.hpp>
