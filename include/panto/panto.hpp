// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All core rooms: what needs Eigen alone. Files and reports are in <panto/io.hpp>.

#pragma once

#include <panto/catenary.hpp>
#include <panto/control.hpp>
#include <panto/element.hpp>
#include <panto/interaction.hpp>
#include <panto/linalg.hpp>
#include <panto/opt.hpp>
#include <panto/pantograph.hpp>
#include <panto/rig.hpp>
#include <panto/system.hpp>
