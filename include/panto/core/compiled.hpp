// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Protection for programs that link the compiled library (panto::compiled, docs/compile_time.md).
///
/// Eigen aligns memory as the compiler's -m flags demand, and frees it accordingly: units compiled for SSE2 and for
/// AVX-512 must not meet in one program. Every unit of a program that links the compiled library therefore asks for a
/// symbol whose name contains the alignment the unit assumes. The library defines the one it was compiled with; any
/// other is an undefined reference to EigenAlignment<...>::as_in_the_compiled_library when the program is linked.

#pragma once

#include <panto/core/eigen_instances.hpp>

#include <Eigen/Core>

namespace panto::compiled {

/// `Largest`: alignment of allocated memory, bytes. `Static`: of members and local variables.
template <int Largest, int Static, bool RowMajor>
struct EigenAlignment {
    static const char as_in_the_compiled_library;
};

using AlignmentOfThisUnit = EigenAlignment<EIGEN_MAX_ALIGN_BYTES, EIGEN_MAX_STATIC_ALIGN_BYTES,
                                           (EIGEN_DEFAULT_MATRIX_STORAGE_ORDER_OPTION == Eigen::RowMajor)>;

#ifdef PANTO_COMPILED
// Declared before it is used: Clang refuses the library's definition otherwise.
template <>
const char AlignmentOfThisUnit::as_in_the_compiled_library;

// One per unit: of a shared one the linker would keep that of a single unit.
[[gnu::used, gnu::retain]] static const char* const alignment_of_this_unit =
    &AlignmentOfThisUnit::as_in_the_compiled_library;
#endif

}  // namespace panto::compiled
