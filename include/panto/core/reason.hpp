// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The operating system's reason for a failure as text.

#pragma once

#include <cstring>
#include <string>

namespace panto {

/// "No such file or directory" for ENOENT. In English in any locale if the C library is glibc 2.32 or newer; otherwise
/// as std::strerror gives it.
[[nodiscard]] inline std::string reason(int error) {
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
    if (const char* text = ::strerrordesc_np(error)) return text;
#endif
#endif
    return std::strerror(error);
}

}  // namespace panto
