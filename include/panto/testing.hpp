// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `testing`: testers for parts of your own, one per concept.

#pragma once

#include <panto/testing/catenary.hpp>
#include <panto/testing/clock.hpp>
#include <panto/testing/controller.hpp>
#include <panto/testing/coupling.hpp>
#include <panto/testing/discrete_system.hpp>
#include <panto/testing/drive.hpp>
#include <panto/testing/executor.hpp>
#include <panto/testing/findings.hpp>
#include <panto/testing/force_element.hpp>
#include <panto/testing/force_sensor.hpp>
