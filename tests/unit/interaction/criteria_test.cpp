// SPDX-License-Identifier: BSD-3-Clause
#include <panto/interaction/criteria.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace panto::interaction;  // NOLINT(google-build-using-namespace): a test of this room alone

namespace criteria_test {
namespace {

constexpr double kmh = 1.0 / 3.6;  // m/s

nlohmann::json golden(const std::string& path) {
    std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/" + path);
    return nlohmann::json::parse(file);
}

const Criterion& find(const std::vector<Criterion>& all, std::string_view name) {
    const auto it = std::find_if(all.begin(), all.end(), [&](const Criterion& c) { return c.name == name; });
    REQUIRE(it != all.end());
    return *it;
}

/// The reference model's figures at 250 km/h, from the golden file.
FiguresOfMerit golden_figures() {
    const auto r = golden("en50318_reference_model.json").at("result");
    FiguresOfMerit f;
    f.samples = 6912;
    f.time_step = 0.00025;
    f.mean = r.at("Fm");
    f.sigma = r.at("sigma");
    f.statistical_max = r.at("stat_max");
    f.statistical_min = r.at("stat_min");
    f.actual_max = r.at("act_max");
    f.actual_min = r.at("act_min");
    f.uplift_max = r.at("uplift_mm").get<double>() / 1000.0;
    f.loss_percent = r.at("loss_of_contact_pct");
    return f;
}

}  // namespace

TEST_SUITE("interaction::quality_criteria") {
    TEST_CASE("limits the mean force by the law of supply and speed") {
        const auto limit = [](PowerSupply supply, double speed) {
            const auto all = quality_criteria(golden_figures(), speed * kmh, {.supply = supply});
            return *find(all, "mean_force").limit_high;
        };
        CHECK(limit(PowerSupply::ac, 300.0) == approx(157.3));
        CHECK(limit(PowerSupply::ac, 160.0) == approx(102.032));
        CHECK(limit(PowerSupply::dc_3kv, 200.0) == approx(148.8));
        CHECK(limit(PowerSupply::dc_1p5kv, 200.0) == approx(178.8));
    }

    TEST_CASE("what four digits do not show decides nothing") {
        const auto met = [](double force, double speed, PowerSupply supply = PowerSupply::ac) {
            FiguresOfMerit f = golden_figures();
            f.mean = force;
            return *find(quality_criteria(f, speed * kmh, {.supply = supply}), "mean_force").met;
        };
        // The static force of these runs is the limit: DSA380 on ac_simple_2015 at 200, 160, 250 and 280 km/h gives
        // means of 108.80, 102.0658, 130.7 and 146.1 N.
        CHECK(met(108.8, 200.0));
        CHECK(met(102.065774892948, 160.0));
        CHECK(met(130.7, 250.0));
        CHECK(met(146.1, 280.0));
        // The tolerance is half a newton, on both sides.
        CHECK(met(108.8 + 0.5 + 0.03, 200.0));
        CHECK_FALSE(met(108.8 + 0.5 + 0.06, 200.0));  // shown as 109.4
        CHECK(met(59.5, 200.0));
        CHECK_FALSE(met(59.48, 200.0));
        for (const double v : {200.0, 250.0, 300.0, 320.0})
            for (const auto& [supply, law] :
                 {std::pair{PowerSupply::ac, panto::pantograph::StaticForceLaw::ac},
                  std::pair{PowerSupply::dc_3kv, panto::pantograph::StaticForceLaw::dc_3kv},
                  std::pair{PowerSupply::dc_1p5kv, panto::pantograph::StaticForceLaw::dc_1p5kv}}) {
                const double force = panto::pantograph::static_force_at({.law = law}, v * kmh);
                CHECK(met(force * (1.0 + 1e-12), v, supply));
            }
        // 0.3 Fm and the ranges of EN 50318 alike; a limit of 0 has no digits to round to.
        FiguresOfMerit f = golden_figures();
        f.mean = 120.0, f.sigma = 0.1 * 3.0 * 120.0 * (1.0 + 1e-15), f.loss_percent = 1e-9;
        CHECK(*find(quality_criteria(f, 250.0 * kmh), "sigma").met);
        f.mean = 120.0 * (1.0 + 1e-15);
        CHECK(*find(en50318_2002_ranges(f, 250.0 * kmh), "mean_force").met);
        CHECK_FALSE(*find(en50318_2002_ranges(f, 250.0 * kmh), "contact_loss").met);
        f.sigma = 36.004;
        CHECK(*find(quality_criteria(f, 250.0 * kmh), "sigma").met);
        f.sigma = 36.01;
        CHECK_FALSE(*find(quality_criteria(f, 250.0 * kmh), "sigma").met);
        f.mean = 120.059;  // shown as 120.1
        CHECK_FALSE(*find(en50318_2002_ranges(f, 250.0 * kmh), "mean_force").met);
        f.statistical_max = 350.17;
        CHECK_FALSE(*find(quality_criteria(f, 160.0 * kmh), "statistical_max").met);
        f.statistical_max = 350.04;
        CHECK(*find(quality_criteria(f, 160.0 * kmh), "statistical_max").met);
        // Limits change at whole km/h, not at what their conversion makes of them.
        for (const double v : {std::nextafter(200.0 / 3.6, 0.0), std::nextafter(200.0 / 3.6, 99.0)})
            CHECK(*find(quality_criteria(f, v), "statistical_max").limit_high == 400.0);
        for (const double v : {std::nextafter(250.0 / 3.6, 0.0), std::nextafter(250.0 / 3.6, 99.0)})
            CHECK(*find(quality_criteria(f, v), "arcing_percentage").limit_high == 0.2);
    }

    TEST_CASE("has the lower limits, arcing limits and confidence of the collected data") {
        const auto data = golden("data/criteria.json");
        const auto at = [](PowerSupply supply, double speed) {
            return quality_criteria(golden_figures(), speed * kmh, {.supply = supply});
        };
        CHECK(*find(at(PowerSupply::ac, 250.0), "mean_force").limit_low == data.at("Fm_min").at("AC"));
        CHECK(*find(at(PowerSupply::dc_3kv, 200.0), "mean_force").limit_low == data.at("Fm_min").at("DC3kV"));
        CHECK(*find(at(PowerSupply::dc_1p5kv, 200.0), "mean_force").limit_low == data.at("Fm_min").at("DC1p5kV"));
        CHECK(find(at(PowerSupply::ac, 250.0), "mean_force").confidence.front() == 'A');
        CHECK(find(at(PowerSupply::ac, 160.0), "mean_force").confidence.front() == 'B');
        CHECK(find(at(PowerSupply::ac, 250.0), "sigma").confidence == "B");
        CHECK(find(at(PowerSupply::ac, 250.0), "statistical_min").confidence == "B");
        CHECK(find(at(PowerSupply::ac, 250.0), "statistical_max").confidence == "C");
        CHECK(*find(at(PowerSupply::ac, 160.0), "statistical_max").limit_high == 350.0);
        CHECK(*find(at(PowerSupply::ac, 250.0), "statistical_max").limit_high == 400.0);
        const auto arcing = data.at("arcing_NQ_pct");
        CHECK(*find(at(PowerSupply::ac, 249.0), "arcing_percentage").limit_high == arcing.at("AC_v_below_250"));
        CHECK(*find(at(PowerSupply::ac, 250.0), "arcing_percentage").limit_high == arcing.at("v_from_250"));
        CHECK(*find(at(PowerSupply::dc_3kv, 200.0), "arcing_percentage").limit_high == arcing.at("DC"));
    }

    TEST_CASE("judges figures by them, each on its own") {
        const auto judged = [](const FiguresOfMerit& f, const char* name) {
            return *find(quality_criteria(f, 250.0 * kmh), name).met;
        };
        const auto good = golden_figures();
        for (const auto* name : {"mean_force", "sigma", "statistical_min", "statistical_max", "arcing_percentage"})
            CHECK(judged(good, name));
        auto bad = good;
        bad.mean = 140.0;  // 130.6 is allowed
        CHECK_FALSE(judged(bad, "mean_force"));
        bad.mean = 59.0;
        CHECK_FALSE(judged(bad, "mean_force"));
        bad = good;
        bad.sigma = 0.31 * bad.mean;
        CHECK_FALSE(judged(bad, "sigma"));
        bad.statistical_min = 0.0;
        CHECK_FALSE(judged(bad, "statistical_min"));
        bad.statistical_max = 401.0;
        CHECK_FALSE(judged(bad, "statistical_max"));
    }

    TEST_CASE("takes losses of contact for arcs from 5 ms on") {
        auto figures = golden_figures();  // 1.728 s
        figures.losses = {{.duration = 0.0049}, {.duration = 0.001}};
        CHECK(*find(quality_criteria(figures, 300.0 * kmh), "arcing_percentage").value == 0.0);
        figures.losses.push_back({.duration = 0.005});
        const auto all = quality_criteria(figures, 300.0 * kmh);
        CHECK(*find(all, "arcing_percentage").value == approx(100.0 * 0.005 / 1.728));
        CHECK(*find(all, "arcing_percentage").met == false);
    }

    TEST_CASE("says nothing about what nobody told it") {
        auto figures = golden_figures();
        const auto untold = find(quality_criteria(figures, 250.0 * kmh), "uplift_space_needed");
        CHECK(*untold.value == approx(2.0 * 0.0490075));
        CHECK_FALSE(untold.met.has_value());
        CHECK(*find(quality_criteria(figures, 250.0 * kmh, {.uplift_space = 0.12}), "uplift_space_needed").met);
        CHECK_FALSE(*find(quality_criteria(figures, 250.0 * kmh, {.uplift_space = 0.09}), "uplift_space_needed").met);
        figures.uplift_max.reset();
        CHECK_FALSE(find(quality_criteria(figures, 250.0 * kmh), "uplift_space_needed").value.has_value());
        CHECK_FALSE(find(quality_criteria(figures, 250.0 * kmh, {.supply = PowerSupply::dc_3kv}), "statistical_max")
                        .met.has_value());
    }

    TEST_CASE("refuses speeds and supplies that make no sense") {
        CHECK_THROWS_AS(static_cast<void>(quality_criteria({}, -1.0)), panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(quality_criteria({}, std::numeric_limits<double>::quiet_NaN())),
                        panto::SetupError);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(quality_criteria({}, 50.0, {.uplift_space = std::numeric_limits<double>::quiet_NaN()})),
            "interaction::quality_criteria: uplift_space must be finite and > 0, got nan", panto::SetupError);
        CHECK_THROWS_AS(static_cast<void>(quality_criteria({}, 50.0, {.uplift_space = -0.1})), panto::SetupError);
        CHECK(power_supply("dc_1p5kv") == PowerSupply::dc_1p5kv);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(power_supply("dc_1.5kv")),
            "interaction::power_supply: no power supply is called 'dc_1.5kv'; did you mean 'dc_1p5kv'? "
            "Known are ac, dc_3kv, dc_1p5kv",
            panto::SetupError);
    }
}

TEST_SUITE("interaction::en50318_2002_ranges") {
    TEST_CASE("are those collected, at both speeds") {
        const auto accepted = golden("data/en50318_2002.json").at("accepted_ranges");
        for (const double speed : {250.0, 300.0}) {
            const auto& published = accepted.at(speed < 275.0 ? "250" : "300");
            const auto ranges = en50318_2002_ranges(golden_figures(), speed * kmh);
            CHECK(ranges.size() == published.size());
            const auto same = [&](const char* name, const char* key, double unit) {
                CAPTURE(key);
                CHECK(*find(ranges, name).limit_low == approx(published.at(key)[0].get<double>() * unit));
                CHECK(*find(ranges, name).limit_high == approx(published.at(key)[1].get<double>() * unit));
            };
            same("mean_force", "Fm_N", 1.0);
            same("sigma", "sigma_N", 1.0);
            same("statistical_max", "stat_max_N", 1.0);
            same("statistical_min", "stat_min_N", 1.0);
            same("actual_max", "act_max_N", 1.0);
            same("actual_min", "act_min_N", 1.0);
            same("uplift_max", "uplift_mm", 1e-3);
            CHECK(*find(ranges, "contact_loss").limit_high == published.at("loss_pct").get<double>());
        }
    }

    TEST_CASE("hold for the golden reference solution, and tell a wrong one") {
        const auto all = en50318_2002_ranges(golden_figures(), 250.0 * kmh);
        CHECK(std::all_of(all.begin(), all.end(), [](const Criterion& c) { return c.met.value_or(false); }));
        auto wrong = golden_figures();
        wrong.sigma = 33.0;  // what a contact wire that sags at its supports gives
        wrong.loss_percent = 0.1;
        const auto judged = en50318_2002_ranges(wrong, 250.0 * kmh);
        CHECK_FALSE(*find(judged, "sigma").met);
        CHECK_FALSE(*find(judged, "contact_loss").met);
        CHECK(*find(judged, "mean_force").met);
    }

    TEST_CASE("exist at no other speed") {
        CHECK_THROWS_WITH_AS(static_cast<void>(en50318_2002_ranges(golden_figures(), 275.0 * kmh)),
                             "interaction::en50318_2002_ranges: speed is 275 km/h, must be 250 or 300 km/h",
                             panto::SetupError);
        CHECK_THROWS_AS(
            static_cast<void>(en50318_2002_ranges(golden_figures(), std::numeric_limits<double>::quiet_NaN())),
            panto::SetupError);
    }
}

}  // namespace criteria_test
