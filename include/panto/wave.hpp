// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `wave`: waves on strings, beams and membranes (docs/wave.md). Until the next release, the rooms
/// `absorbing` and `transparent` as well, which were part of it.

#pragma once

#include <panto/absorbing.hpp>
#include <panto/transparent.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/differences.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/energy.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/state_space.hpp>
#include <panto/wave/stencil.hpp>
#include <panto/wave/string.hpp>
#include <panto/wave/supports.hpp>
#include <panto/wave/wave_equation_2d.hpp>
