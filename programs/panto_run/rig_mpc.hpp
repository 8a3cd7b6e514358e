// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Predictive impedance control of the rig that the other controllers have: --controller mpc --rig pad.

#pragma once

#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/rig_mpc.hpp>

#include "job.hpp"

namespace panto_run {

/// Made for the line where the run begins, pressed as it is then.
/// @throws SetupError if the line does not repeat itself on the way, or a span takes too many cycles.
panto::control::RigMpc rig_mpc(const Options& options, const Job& job, const panto::catenary::RealTimeEngine<>& wire);

}  // namespace panto_run
