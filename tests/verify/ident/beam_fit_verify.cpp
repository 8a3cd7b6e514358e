// SPDX-License-Identifier: BSD-3-Clause
// Beams identified from records by modes: how often the intervals hold the truth.
#include "../../cases/modal_record_cases.hpp"
#include "catch.hpp"

namespace ident_beam_fit_verify {

TEST_CASE("intervals hold the truth in 90 to 99 of 100 modal records, whatever the grid", "[ident][beam][long]") {
    for (const int points : {45, 67}) {
        CAPTURE(points);
        for (const int inside : panto::test::truths_in_intervals(points)) {
            CHECK(inside >= 90);
            CHECK(inside <= 99);
        }
    }
}

}  // namespace ident_beam_fit_verify
