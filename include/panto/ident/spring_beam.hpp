// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/field/spring_beam.hpp>. This path is removed in the next release.

#pragma once
#pragma GCC warning "<panto/ident/spring_beam.hpp> has moved: include <panto/field/spring_beam.hpp>"

#include <panto/field/spring_beam.hpp>
