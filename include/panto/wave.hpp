// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `wave`, in three parts: waves on strings, beams and membranes (docs/wave.md), absorbing ends and
/// their design (docs/absorbing.md), and transparent ends from the exact response of the infinite beam
/// (docs/transparent.md).

#pragma once

// Waves: stencils, dispersion, marching.
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

// Absorbing ends.
#include <panto/wave/absorbing.hpp>
#include <panto/wave/absorbing_2d.hpp>
#include <panto/wave/absorbing_2d_design.hpp>
#include <panto/wave/absorbing_2d_march.hpp>
#include <panto/wave/absorbing_2d_stability.hpp>
#include <panto/wave/absorbing_design.hpp>
#include <panto/wave/absorbing_higdon.hpp>
#include <panto/wave/absorbing_least_squares.hpp>
#include <panto/wave/absorbing_output_error.hpp>
#include <panto/wave/absorbing_refinement.hpp>
#include <panto/wave/absorbing_reflection.hpp>
#include <panto/wave/absorbing_search.hpp>
#include <panto/wave/absorbing_stability.hpp>
#include <panto/wave/space_time_error.hpp>
#include <panto/wave/sponge.hpp>

// Transparent ends.
#include <panto/wave/transparent.hpp>
#include <panto/wave/transparent_kernel.hpp>
#include <panto/wave/transparent_rational.hpp>
#include <panto/wave/transparent_reflection.hpp>
