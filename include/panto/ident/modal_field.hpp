// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/modal_field.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/ident/modal_field.hpp> has moved: include <panto/field/modal_field.hpp>"

#include <panto/field/modal_field.hpp>
