// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Protection against units that were compiled with different -m flags and linked into one program.
///
/// Eigen aligns and frees memory according to the compiler's -m flags, so units compiled for SSE2 and for AVX-512 must
/// not be linked into one program (docs/compile_time.md). Two checks of the linker refuse such a program:
/// - Every unit with panto::compiled refers to a symbol whose name contains the alignment that the unit assumes. The
///   library, static or shared, only defines the symbol of its own alignment: with any other, a reference to
///   EigenAlignment<...>::as_in_the_compiled_library is undefined.
/// - Every unit, header-only ones as well, defines panto_units_differ_in_m_flags in a section group named after its
///   alignment. The linker keeps one group of each name, so a second alignment is a multiple definition. This check is
///   for ELF objects (Linux) and does not look into shared libraries.

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

// Static, so that every unit has its own pointer: of a shared one the linker would keep only that of one unit.
[[gnu::used, gnu::retain]] static const char* const alignment_of_this_unit =
    &AlignmentOfThisUnit::as_in_the_compiled_library;
#endif

#if defined(__ELF__) && defined(__GNUC__) && !defined(__CUDACC__)
// In assembler, since what C++ places in a group is weak, and weak symbols never collide. Link-time optimization joins
// several units into one, hence .ifndef.
[[gnu::used]] static void alignment_as_in_all_units() noexcept {
    asm volatile(
        ".ifndef panto_units_differ_in_m_flags\n"
        ".pushsection .rodata.panto_alignment, \"aG\", %%progbits, panto_alignment_%c0_%c1_%c2, comdat\n"
        ".globl panto_units_differ_in_m_flags\n"
        ".hidden panto_units_differ_in_m_flags\n"
        "panto_units_differ_in_m_flags:\n"
        ".byte 0\n"
        ".popsection\n"
        ".endif\n"
        :
        : "i"(EIGEN_MAX_ALIGN_BYTES), "i"(EIGEN_MAX_STATIC_ALIGN_BYTES),
          "i"(EIGEN_DEFAULT_MATRIX_STORAGE_ORDER_OPTION == Eigen::RowMajor));
}
#endif

}  // namespace panto::compiled
