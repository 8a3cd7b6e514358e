// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The version of these headers. This is the one place where it stands: CMake reads it here.

#pragma once

#include <string_view>

namespace panto {

inline constexpr std::string_view version = "0.1.0";
inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

}  // namespace panto
