// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The former place of the rig's model, now in the room plant (plant/model.hpp), and of closed_loop_radius()
/// (control/closed_loop.hpp). This header is removed in the next release. There is no alias for pad_plant():
/// plant::sampled_model() takes other parameters.

#pragma once

#include <panto/control/closed_loop.hpp>
#include <panto/plant/model.hpp>

namespace panto::control {

using Hold [[deprecated("take plant::Hold")]] = plant::Hold;
using PadPlant [[deprecated("take plant::SampledModel")]] = plant::SampledModel;
[[deprecated("take plant::table2_motor")]] inline constexpr auto table2_motor = plant::table2_motor;

}  // namespace panto::control
