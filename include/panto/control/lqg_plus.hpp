// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The former name of control/lqg.hpp; this header is removed in the next release.

#pragma once

#include <panto/control/lqg.hpp>
