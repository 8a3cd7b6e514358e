// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `plant`: parameters and equations of the rig. Include the rig of the predictive paper (linear_drive.hpp,
/// drive_rig.hpp) and perturbation.hpp by name.

#pragma once

#include <panto/plant/chain.hpp>
#include <panto/plant/interaction_mass.hpp>
#include <panto/plant/model.hpp>
#include <panto/plant/rig.hpp>
