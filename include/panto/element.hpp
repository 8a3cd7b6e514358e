// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `element`: force laws between two points.

#pragma once

#include <panto/element/contact.hpp>
