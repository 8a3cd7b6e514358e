// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `wave`: stencils of strings, beams and membranes, dispersion, marching, absorbing and transparent
/// boundaries.

#pragma once

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
#include <panto/wave/beam.hpp>
#include <panto/wave/differences.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/energy.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/moving_beam.hpp>
#include <panto/wave/space_time_error.hpp>
#include <panto/wave/sponge.hpp>
#include <panto/wave/state_space.hpp>
#include <panto/wave/stencil.hpp>
#include <panto/wave/string.hpp>
#include <panto/wave/supports.hpp>
#include <panto/wave/transparent.hpp>
#include <panto/wave/transparent_kernel.hpp>
#include <panto/wave/transparent_rational.hpp>
#include <panto/wave/transparent_reflection.hpp>
#include <panto/wave/wave_equation_2d.hpp>
