// SPDX-License-Identifier: BSD-3-Clause
// The golden clamped beam identified from its own record, without and with noise.
#include "../../cases/ident_cases.hpp"
#include "catch.hpp"

namespace ident_beam_verify {

TEST_CASE("without noise Levenberg-Marquardt finds the beam in at most 20 marches", "[ident][beam]") {
    const auto found = panto::test::identify_golden_beam();
    INFO(found.reason << ", " << found.evaluations << " marches, misfit " << found.value);
    CHECK(panto::test::golden_beam_error(found.x) <= 1e-6);
    CHECK(found.evaluations <= 20);
}

TEST_CASE("with noise the truth lies in the 95 % ellipsoid as often as it should", "[ident][beam][long]") {
    const int inside = panto::test::truths_in_beam_ellipsoid();
    CAPTURE(inside);
    CHECK(inside >= 89);
    CHECK(inside <= 99);
}

}  // namespace ident_beam_verify
