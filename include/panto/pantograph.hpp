// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `pantograph` except for pantograph/with_elements.hpp, which few programs need.

#pragma once

#include <panto/pantograph/lumped.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/pantograph/static_force.hpp>
