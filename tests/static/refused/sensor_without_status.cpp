// SPDX-License-Identifier: BSD-3-Clause
// A force sensor that returns a bare number: a lost reading would look like any other.
// refused: same_as|is_same
#include <panto/rig/concepts.hpp>

struct LoadCell {
#ifdef ACCEPTED
    panto::Result<double> read() noexcept { return {}; }
#else
    double read() noexcept { return 0.0; }
#endif
};
static_assert(panto::ForceSensor<LoadCell>);
