// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `field`: linear fields in one dimension by their modes, exact in space (docs/field.md).

#pragma once

#include <panto/field/heat_slab.hpp>
#include <panto/field/infinite_product.hpp>
#include <panto/field/modal_beam.hpp>
#include <panto/field/modal_field.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/field/transfer_functions.hpp>
