// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `element`: force laws between two points, and elements with memory.

#pragma once

#include <panto/element/air_spring.hpp>
#include <panto/element/air_volumes.hpp>
#include <panto/element/contact.hpp>
#include <panto/element/damper.hpp>
#include <panto/element/memory.hpp>
#include <panto/element/rubber.hpp>
#include <panto/element/spring.hpp>
