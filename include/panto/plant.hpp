// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The rig as a plant: its parameters, told once, and its equations.

#pragma once

#include <panto/plant/chain.hpp>
#include <panto/plant/model.hpp>
#include <panto/plant/rig.hpp>
