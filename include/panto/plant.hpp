// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The rig as a plant: its parameters, given once, and its equations. The rig of the predictive paper is included by
/// name: linear_drive.hpp, drive_rig.hpp.

#pragma once

#include <panto/plant/chain.hpp>
#include <panto/plant/model.hpp>
#include <panto/plant/rig.hpp>
