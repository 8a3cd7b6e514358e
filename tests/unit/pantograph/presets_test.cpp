// SPDX-License-Identifier: BSD-3-Clause
#include <panto/pantograph/presets.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using panto::pantograph::preset;
using panto::pantograph::preset_names;

TEST_SUITE("pantograph::preset") {
    TEST_CASE("offers every published pantograph, with the published numbers") {
        std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/data/pantographs.json");
        const auto published = nlohmann::json::parse(file);
        std::size_t count = 0;
        for (const auto& item : published.items()) {
            const std::string& name = item.key();
            const auto& entry = item.value();
            if (name == "not_found") continue;
            ++count;
            CAPTURE(name);
            REQUIRE(entry.at("order") == "head first");
            const auto p = preset(name);
            CHECK(p.name == name);
            CHECK_FALSE(p.source.empty());
            CHECK(p.confidence.front() ==
                  (name == "benchmark2015" ? 'm' : entry.at("conf").get<std::string>().front()));
            const auto as_vector = [](const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
            CHECK(as_vector(p.params.mass) == entry.at("m_kg").get<std::vector<double>>());
            CHECK(as_vector(p.params.stiffness) == entry.at("k_N_m").get<std::vector<double>>());
            CHECK(as_vector(p.params.damping) == entry.at("c_Ns_m").get<std::vector<double>>());
        }
        CHECK(count == preset_names.size());
    }

    TEST_CASE("can all be built and stepped") {
        for (const auto name : preset_names) {
            const panto::pantograph::Lumped<> p(preset(name).params, 1e-3);
            auto x = p.at_rest(), next = x;
            p.step(x, {70.0, 120.0}, next);
            CHECK(next.u.norm() > 0.0);
        }
    }

    TEST_CASE("says which name is nearest when there is no such pantograph") {
        CHECK_THROWS_WITH_AS(static_cast<void>(preset("DSA-380")),
                             "pantograph::preset: no pantograph is called 'DSA-380'; did you mean 'DSA380'? Known are "
                             "EN50318_2002, benchmark2015, DSA380, DSA380_HiL, DSA250, TSG18F, Faiveley_CX, SSS400+",
                             panto::SetupError);
    }
}
