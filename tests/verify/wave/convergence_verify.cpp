// SPDX-License-Identifier: BSD-3-Clause
// Orders of convergence of schemes and supports, against closed forms; see tests/cases/wave_convergence_cases.hpp.
#include "../../cases/wave_convergence_cases.hpp"
#include "catch.hpp"

#include <vector>

namespace wave_convergence {
namespace {

namespace convergence = panto::test::convergence;

}  // namespace

TEST_CASE("second and fourth order in space arrive at their order on string and beam", "[wave][convergence]") {
    const auto check = [](const std::vector<double>& found, double wanted) {
        CHECK(found[0] == Approx(wanted).margin(0.1));
        CHECK(found[1] == Approx(wanted).margin(0.05));
    };
    check(convergence::of_string<2>(), 2.0);
    check(convergence::of_string<4>(), 4.0);
    check(convergence::of_beam<2>(), 2.0);
    check(convergence::of_beam<4>(), 4.0);
}

TEST_CASE("the implicit march with both dampings is of second order", "[wave][convergence]") {
    const auto found = convergence::of_damped_beam();
    CHECK(found[0] == Approx(2.0).margin(0.1));
    CHECK(found[1] == Approx(2.0).margin(0.05));
}

TEST_CASE("clamped as printed is of first order, by the mirror of second", "[wave][convergence]") {
    CHECK(convergence::clamped_frequency() == Approx(52.76).margin(0.01));  // found by refinement there
    CHECK(convergence::clamped_as_printed(22) == Approx(56.88).margin(0.005));
    CHECK(convergence::clamped_by_mirror(22) == Approx(52.00).margin(0.005));
    CHECK(convergence::of_clamp(convergence::clamped_as_printed)[1] == Approx(1.0).margin(0.15));
    CHECK(convergence::of_clamp(convergence::clamped_by_mirror)[1] == Approx(2.0).margin(0.15));
}

TEST_CASE("a free end is of second order", "[wave][convergence]") {
    const auto bending = convergence::of_cantilever();
    CHECK(bending[0] == Approx(2.0).margin(0.1));
    CHECK(bending[1] == Approx(2.0).margin(0.05));
    CHECK(convergence::of_free_string()[1] == Approx(2.0).margin(0.05));
    const auto both = convergence::of_pinned_and_free();
    CHECK(both[0] == Approx(2.0).margin(0.1));
    CHECK(both[1] == Approx(2.0).margin(0.1));
}

TEST_CASE("a wave packet on a moving beam is the one at rest, seen from the frame", "[wave][moving]") {
    for (const double direction : {1.0, -1.0}) {
        CAPTURE(direction);
        CHECK(convergence::of_moving_packet(direction)[1] == Approx(2.0).margin(0.15));
        CHECK(convergence::moving_packet_error(direction, 4) < 5e-3);
    }
}

}  // namespace wave_convergence
