// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The usual time step of a loop and of the line in it.

#pragma once

namespace panto {

inline constexpr double default_time_step = 2e-3;  ///< s, of the HiL paper's rig

}  // namespace panto
