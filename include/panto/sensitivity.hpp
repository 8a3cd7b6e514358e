// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `sensitivity`: how much each parameter matters.

#pragma once

#include <panto/sensitivity/exact.hpp>
#include <panto/sensitivity/morris.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/sensitivity/screening.hpp>
#include <panto/sensitivity/sobol.hpp>
