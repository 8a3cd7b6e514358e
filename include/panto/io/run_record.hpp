// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moved: include <panto/session/run_record.hpp>. This path is removed in the next release.

#pragma once

#include <panto/session/run_record.hpp>
