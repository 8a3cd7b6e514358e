// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `catenary`: virtual overhead lines. Include the line in the train's frame, catenary/moving_engine.hpp, by
/// name: it also needs the room `wave`.

#pragma once

#include <panto/catenary/assembly.hpp>
#include <panto/catenary/concepts.hpp>
#include <panto/catenary/elements.hpp>
#include <panto/catenary/finite_element.hpp>
#include <panto/catenary/influence.hpp>
#include <panto/catenary/lines.hpp>
#include <panto/catenary/mesh.hpp>
#include <panto/catenary/passage.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/catenary/section.hpp>
#include <panto/catenary/slackening.hpp>
#include <panto/catenary/static_load.hpp>
#include <panto/catenary/static_shape.hpp>
#include <panto/catenary/unilateral.hpp>
