// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `linalg`: linear algebra that Eigen lacks. Include map_radius.hpp and periodic_dare.hpp by name.

#pragma once

#include <panto/linalg/balance.hpp>
#include <panto/linalg/band_lu.hpp>
#include <panto/linalg/banded.hpp>
#include <panto/linalg/dare.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/linalg/fft.hpp>
#include <panto/linalg/hold.hpp>
#include <panto/linalg/lane_band.hpp>
#include <panto/linalg/lane_layout.hpp>
#include <panto/linalg/local_cholesky.hpp>
#include <panto/linalg/spectral_radius.hpp>
#include <panto/linalg/svd.hpp>
