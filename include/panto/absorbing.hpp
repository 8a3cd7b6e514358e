// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `absorbing`: ends and edges that let waves out, and their design (docs/absorbing.md).

#pragma once

#include <panto/absorbing/design.hpp>
#include <panto/absorbing/edge.hpp>
#include <panto/absorbing/edge_design.hpp>
#include <panto/absorbing/edge_march.hpp>
#include <panto/absorbing/edge_stability.hpp>
#include <panto/absorbing/higdon.hpp>
#include <panto/absorbing/least_squares.hpp>
#include <panto/absorbing/output_error.hpp>
#include <panto/absorbing/refinement.hpp>
#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/search.hpp>
#include <panto/absorbing/space_time_error.hpp>
#include <panto/absorbing/sponge.hpp>
#include <panto/absorbing/stability.hpp>
#include <panto/absorbing/stencil.hpp>
