// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Most of the room `control`: controllers of the drive. Include the heavier headers by name: predictive_lqg.hpp,
/// contact_observer.hpp, margins.hpp, steady_kalman.hpp, tracking_controller.hpp, mpc.hpp, force_correction.hpp,
/// impedance_mpc.hpp.

#pragma once

#include <panto/control/closed_loop.hpp>
#include <panto/control/concepts.hpp>
#include <panto/control/direct.hpp>
#include <panto/control/exosystem.hpp>
#include <panto/control/kalman.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/lqr.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/control/state_space.hpp>
#include <panto/control/wire_response.hpp>
