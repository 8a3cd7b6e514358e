// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `interaction`: pantograph and catenary together, and figures of merit. Include several pantographs,
/// interaction/several_pantographs.hpp, by name.

#pragma once

#include <panto/interaction/butterworth.hpp>
#include <panto/interaction/concepts.hpp>
#include <panto/interaction/criteria.hpp>
#include <panto/interaction/error_index.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/interaction/interaction_mass.hpp>
#include <panto/interaction/observation.hpp>
#include <panto/interaction/policies.hpp>
#include <panto/interaction/record.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/interaction/spectrum.hpp>
#include <panto/interaction/stability.hpp>
#include <panto/interaction/statistics.hpp>
