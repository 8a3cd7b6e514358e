// SPDX-License-Identifier: BSD-3-Clause
/// The lines at rest and the two engines, held against tests/golden/targets.json; random sections.

#include "../../cases/catenary_cases.hpp"
#include "catch.hpp"
#include "targets.hpp"

#include <cstdlib>

using namespace panto;
using namespace panto::test;

namespace {

const Targets& targets() {
    static const Targets all(PANTO_TEST_GOLDEN "/targets.json");
    return all;
}

void check(const std::vector<Measured>& measured) {
    REQUIRE_FALSE(measured.empty());
    for (const Measured& m : measured) {
        const Target& t = targets().at(m.id);
        INFO(t.what << ": " << m.value << ' ' << t.unit << ", accepted " << t.low << " to " << t.high);
        CHECK(t.holds(m.value));
    }
}

}  // namespace

TEST_CASE("the stitched line has the golden forces, lengths, stiffnesses and frequencies") {
    check(stitched_six_spans());
}

TEST_CASE("the EN 50318:2002 line has the golden dropper forces, sag and elasticity") {
    check(en50318_static(targets()));
}

TEST_CASE("the engines agree while droppers go slack, at small and large steps") { check(engines_on_three_spans()); }

TEST_CASE("the engines agree on twenty spans") { check(engines_on_twenty_spans(600)); }

TEST_CASE("random sections rest in equilibrium and survive a pantograph") {
    const char* given = std::getenv("PANTO_TEST_SEED");
    const auto base = given ? std::strtoull(given, nullptr, 10) : 1;
    for (std::uint64_t seed = base; seed < base + 10; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const FiniteElements<> model(random_section(random));
        CHECK(model.shape().residual < targets().at("random.residual").high);
        const auto d = compare_engines(model, {.speed = 30.0, .start = 10.0}, 200, heavy_force);
        CHECK(d.height < 1e-9);
        CHECK(d.tension < 1e-5);
        CHECK(d.converged);
    }
}
