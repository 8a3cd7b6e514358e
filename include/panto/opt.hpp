// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `opt`: minimizers and complementarity.

#pragma once

#include <panto/opt/lcp.hpp>
