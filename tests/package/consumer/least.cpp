// SPDX-License-Identifier: BSD-3-Clause
// The least a unit can have of panto: already its alignment must be that of the compiled library.
#include <panto/core/real.hpp>

int main() {}
