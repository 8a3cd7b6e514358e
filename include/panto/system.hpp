// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `system`: things that are stepped.

#pragma once

#include <panto/system/concepts.hpp>
#include <panto/system/newmark.hpp>
