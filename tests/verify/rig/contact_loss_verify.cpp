// SPDX-License-Identifier: BSD-3-Clause
// Loss and regain of contact with the predictive controller on the simulated rig: the head is pulled down by 500 N, or
// pressed so lightly that it leaves the wire by itself, alike in the run without a rig.
#include "../../cases/predictive_lqg_cases.hpp"
#include "catch.hpp"

#include <cmath>
#include <cstdint>

using namespace panto;
using test::Ideal;

namespace contact_loss_verify {

using test::predictive_lqg::Case, test::predictive_lqg::Outcome, test::predictive_lqg::dt, test::predictive_lqg::open,
    test::predictive_lqg::run;

TEST_CASE("contact that is lost for 0.1 s comes back, and the motor follows the wire again", "[rig]") {
    Case c = test::predictive_lqg::loss(120e3);
    c.start = 520.0, c.end = 740.0, c.pull = 0.0227;
    const Ideal ideal = ideal_run(c);
    CHECK(std::fabs(open(ideal.record.force) - 0.1) <= 0.01);
    const Outcome r = run(c, ideal, 1);
    CAPTURE(r.open, r.force, r.late_mm, r.settled_after, r.report.explanation());
    CHECK(r.report.status == Status::ok);
    CHECK(r.open <= 2.0 * open(ideal.record.force));
    CHECK(r.late_mm <= 1.0);
}

TEST_CASE("losses of 50, 100 and 200 ms are borne on pads up to 120 kN/m", "[rig][long]") {
    for (const double pad : {5e3, 20e3, 60e3, 120e3})
        for (const double wanted : {0.05, 0.1, 0.2}) {
            const Case c = test::predictive_lqg::pulled_off(pad, wanted);
            const Ideal ideal = ideal_run(c);
            for (const std::uint64_t seed : {1U, 2U, 3U}) {
                const Outcome r = run(c, ideal, seed);
                CAPTURE(pad, wanted, seed, c.pull, r.open, r.force, r.late_mm, r.settled_after, r.report.explanation());
                CHECK(r.report.status == Status::ok);
                CHECK(r.late_mm <= 1.0);
                CHECK(r.settled_after <= 0.5);
            }
        }
}

namespace {

void lost_twice_as_long_at_most(double pad) {
    for (const double share : {0.05, 0.12}) {
        const Case c = test::predictive_lqg::light(pad, share);
        const Ideal ideal = ideal_run(c);
        const double alone = open(ideal.record.force);
        for (const std::uint64_t seed : {1U, 2U}) {
            const Outcome r = run(c, ideal, seed);
            CAPTURE(share, pad, c.lift(), seed, alone, r.open, r.force, r.late_mm, r.report.explanation());
            CHECK(r.report.status == Status::ok);
            CHECK(r.open <= 2.0 * alone);
        }
    }
}

}  // namespace

TEST_CASE("a run that loses contact for 5 or 12 % of the time without a rig loses it for twice as long at most",
          "[rig][long]") {
    for (const double pad : {5e3, 20e3, 60e3}) lost_twice_as_long_at_most(pad);
}

// Known to be missed: 8 and 14 times as long on 240 and 300 kN/m (docs/control.md).
TEST_CASE("the same on 240 and 300 kN/m", "[rig][long][!shouldfail]") {
    for (const double pad : {240e3, 300e3}) lost_twice_as_long_at_most(pad);
}

}  // namespace contact_loss_verify
