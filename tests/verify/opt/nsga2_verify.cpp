// SPDX-License-Identifier: BSD-3-Clause
// NSGA-II on the standard problems ZDT1-3, BNH and SRN: hypervolume against that of the true front.
#include "../../cases/opt_cases.hpp"
#include "catch.hpp"

using namespace panto;

namespace nsga2_verify {
namespace {

void expect(const char* name) {
    const auto golden = test::golden("waves_and_identification.json").at("moo");
    const double minimum = golden.at("nsga2_expected_ratio_min").at(name);
    for (const double ratio : test::hypervolume_ratios(name)) {
        INFO(name << ": " << ratio);
        CHECK(ratio >= minimum);
        CHECK(ratio < 1.0);  // points of a front cover less than the front
    }
}

}  // namespace

TEST_CASE("NSGA-II reaches the golden hypervolumes of ZDT1, ZDT2 and ZDT3 with three seeds") {
    expect("ZDT1");
    expect("ZDT2");
    expect("ZDT3");
}

TEST_CASE("NSGA-II reaches the golden hypervolumes of the constrained problems BNH and SRN with three seeds") {
    expect("BNH");
    expect("SRN");
}

}  // namespace nsga2_verify
