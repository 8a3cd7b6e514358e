// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `rig`: real time and hardware. Include the headers for the loop of the predictive paper by name:
/// impedance_loop.hpp, nonlinear_impedance_loop.hpp, carried_drive.hpp.

#pragma once

#include <panto/rig/commissioning.hpp>
#include <panto/rig/commissioning_plan.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/coupling.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/cycle_limits.hpp>
#include <panto/rig/drive_pair.hpp>
#include <panto/rig/drive_ref.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/force_watch.hpp>
#include <panto/rig/histogram.hpp>
#include <panto/rig/iterative_validation.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/preview.hpp>
#include <panto/rig/readings.hpp>
#include <panto/rig/realtime.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/ringing.hpp>
#include <panto/rig/run.hpp>
#include <panto/rig/sensor_ref.hpp>
#include <panto/rig/series_drive.hpp>
#include <panto/rig/simulated.hpp>
#include <panto/rig/simulated_params.hpp>
#include <panto/rig/timed_cycle.hpp>
#include <panto/rig/wait.hpp>
