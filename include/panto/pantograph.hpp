// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `pantograph`: models of the pantograph.

#pragma once

#include <panto/pantograph/lumped.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/pantograph/static_force.hpp>
