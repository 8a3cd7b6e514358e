// SPDX-License-Identifier: BSD-3-Clause
// A second unit of a program, without the compiled library.
#include <panto/linalg/eigenvalues.hpp>

int in_another_unit() { return 0; }
