// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `transparent`: ends from the exact response of the infinite wire (docs/transparent.md).

#pragma once

#include <panto/transparent/end.hpp>
#include <panto/transparent/kernel.hpp>
#include <panto/transparent/rational.hpp>
#include <panto/transparent/reflection.hpp>
