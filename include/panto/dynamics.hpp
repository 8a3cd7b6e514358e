// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `dynamics`: models in discrete time and their time steps. Include periodic systems by name:
/// dynamics/periodic_system.hpp, dynamics/periodic_reduction.hpp.

#pragma once

#include <panto/dynamics/concepts.hpp>
#include <panto/dynamics/newmark.hpp>
#include <panto/dynamics/runge_kutta.hpp>
#include <panto/dynamics/simulate.hpp>
