// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a rig and a simulation are made of; needs Eigen alone. Rooms for designing models and finding parameters are
/// asked for by name, which keeps a rig's compile time small: <panto/poly.hpp>, <panto/wave.hpp>, <panto/opt.hpp>,
/// <panto/sensitivity.hpp>, <panto/ident.hpp>; a run with report and files is in <panto/session.hpp>.

#pragma once

#include <panto/catenary.hpp>
#include <panto/control.hpp>
#include <panto/dynamics.hpp>
#include <panto/element.hpp>
#include <panto/interaction.hpp>
#include <panto/linalg.hpp>
#include <panto/pantograph.hpp>
#include <panto/plant.hpp>
#include <panto/rig.hpp>
