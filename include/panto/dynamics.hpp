// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `dynamics`: things that are stepped.

#pragma once

#include <panto/dynamics/concepts.hpp>
#include <panto/dynamics/newmark.hpp>
#include <panto/dynamics/runge_kutta.hpp>
#include <panto/dynamics/simulate.hpp>
