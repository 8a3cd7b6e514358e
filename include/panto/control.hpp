// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `control`: from wanted to commanded. <panto/control/predictive_lqg.hpp>, which is young, is asked
/// for by name.

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
#include <panto/control/steady_kalman.hpp>
#include <panto/control/tracking_controller.hpp>
#include <panto/control/wire_response.hpp>
