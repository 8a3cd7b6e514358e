// SPDX-License-Identifier: BSD-3-Clause
// Predictive impedance control beside the default controller on the simulated rig of the HiL paper.
#include "../../cases/rig_mpc_cases.hpp"
#include "catch.hpp"

#include <cstdint>
#include <sstream>

using namespace panto;

TEST_CASE("predictive impedance control beside the default controller on the simulated rig", "[rig][long]") {
    for (const double kmh : {250.0, 300.0}) {
        const test::rig_mpc::Comparison comparison(kmh);
        for (const std::uint64_t seed : {1U, 2U}) {
            const test::rig_mpc::Runs runs = comparison.runs(seed);
            const auto described = [&](const char* what, const test::rig_mpc::Outcome& r) {
                std::ostringstream text;
                text << what << ", " << kmh << " km/h, seed " << seed << ": " << r.report.explanation() << ", index "
                     << r.index << " %, error " << r.rms_mm << " mm rms, " << r.peak_mm << " mm, after a loss "
                     << r.late_mm << " mm, open " << r.open_ms << " ms, energy " << r.leak << " J, momentum "
                     << r.momentum << " N s\n";
                return text.str();
            };
            const auto& [mpc, usual] = runs.plain;
            INFO(described("mpc", mpc) << described("default", usual));
            CHECK(mpc.report.status == Status::ok);
            CHECK(usual.report.status == Status::ok);
            // What is asked of the default controller (predictive_verify.cpp), and of the balances on the other rig.
            CHECK(mpc.index <= 1.5);
            CHECK(mpc.peak_mm <= 0.5);
            CHECK(mpc.leak <= 1.2);
            CHECK(mpc.momentum <= 10.0);
            CHECK(mpc.leak < 0.5 * usual.leak);

            const auto& [lost, usual_lost] = runs.lost;
            INFO(described("mpc, lost readings", lost) << described("default, lost readings", usual_lost));
            CHECK(lost.report.status == Status::ok);
            CHECK(lost.index <= 1.5);
            CHECK(lost.leak <= 1.2);

            const auto& [off, usual_off] = runs.pulled;
            INFO(described("mpc, pulled off", off) << described("default, pulled off", usual_off));
            CHECK(off.report.status == Status::ok);
            CHECK(off.open_ms >= 40.0);
            CHECK(off.late_mm <= 1.0);  // contact_loss_verify.cpp
        }
    }
}
