// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Protection for programs that link the compiled library (panto::compiled, docs/compile_time.md).
///
/// Eigen aligns and frees memory according to the compiler's -m flags, so units compiled for SSE2 and for AVX-512 must
/// not be linked into one program. Every unit of a program that links the compiled library therefore refers to a symbol
/// whose name contains the alignment that the unit assumes. The library only defines the symbol of its own alignment.
/// With any other, linking fails with an undefined reference to EigenAlignment<...>::as_in_the_compiled_library.

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
// Declared before it is used; otherwise Clang refuses its definition in the library.
template <>
const char AlignmentOfThisUnit::as_in_the_compiled_library;

// Static, so that every unit has its own: of a shared one the linker would keep only that of one unit.
[[gnu::used, gnu::retain]] static const char* const alignment_of_this_unit =
    &AlignmentOfThisUnit::as_in_the_compiled_library;
#endif

}  // namespace panto::compiled
