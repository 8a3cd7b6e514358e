// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `opt`: minimizers and the linear complementarity problem. Include quadratic_program.hpp by name.

#pragma once

#include <panto/opt/bfgs.hpp>
#include <panto/opt/concepts.hpp>
#include <panto/opt/conjugate_gradient.hpp>
#include <panto/opt/executor.hpp>
#include <panto/opt/genetic.hpp>
#include <panto/opt/global_then_local.hpp>
#include <panto/opt/hypervolume.hpp>
#include <panto/opt/lcp.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/nsga2.hpp>
#include <panto/opt/pareto.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/opt/random.hpp>
#include <panto/opt/simulated_annealing.hpp>
#include <panto/opt/sum_of_squares.hpp>
#include <panto/opt/trust_region.hpp>
