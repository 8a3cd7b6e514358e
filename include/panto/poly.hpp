// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `poly`: polynomials and where their zeros lie.

#pragma once

#include <panto/poly/bistritz.hpp>
#include <panto/poly/circle_scan.hpp>
#include <panto/poly/jury.hpp>
#include <panto/poly/polynomial.hpp>
#include <panto/poly/root_discs.hpp>
#include <panto/poly/roots.hpp>
#include <panto/poly/schur_cohn.hpp>
#include <panto/poly/stability.hpp>
