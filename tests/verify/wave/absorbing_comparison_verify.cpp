// SPDX-License-Identifier: BSD-3-Clause
#include <panto/absorbing/higdon.hpp>
#include <panto/absorbing/search.hpp>
#include <panto/absorbing/space_time_error.hpp>
#include <panto/absorbing/sponge.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/wave/beam.hpp>

#include "catch.hpp"
#include "golden_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace absorbing_comparison_verify {
namespace {

using namespace panto;
using namespace panto::wave;

const BeamParams<> wire{.bending_stiffness = 150.0, .tension = 15e3};  // Publication B, Sec. 4.1.1

Stencil<double, 2> scheme() { return beam_stencil(wire, 0.05, 9.9e-5); }

double relative_error(const auto& end) {
    static const SpaceTimeError<2> experiment(scheme());
    static const double clamped = experiment.error(AbsorbingStencil{});
    return experiment.error(end) / clamped;
}

void collect(const nlohmann::json& node, std::vector<double>& numbers) {
    if (node.is_number()) numbers.push_back(node.get<double>());
    if (node.is_array())
        for (const auto& child : node) collect(child, numbers);
}

/// Every number with a decimal point in a text.
std::vector<double> decimals_in(const std::string& text) {
    std::vector<double> numbers;
    const auto part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
    for (std::size_t i = 0; i < text.size();) {
        if (!part(text[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && part(text[end])) ++end;
        if (text.substr(i, end - i).find('.') != std::string::npos) {
            char* stop = nullptr;
            numbers.push_back(std::strtod(text.c_str() + i, &stop));
            end = std::max(end, static_cast<std::size_t>(stop - text.c_str()));
        }
        i = end;
    }
    return numbers;
}

}  // namespace

TEST_CASE("sponge layers of 20, 100 and 400 points come to the known errors", "[wave]") {
    // Known to the three digits of a coarse tuning (methods sheet, section 5); here the damping in steps of a
    // factor 1.5.
    const struct {
        int layer;
        double known;
    } layers[] = {{20, 0.289}, {100, 0.122}, {400, 0.054}};
    for (const auto& [layer, known] : layers) {
        double best = std::numeric_limits<double>::infinity();
        for (double damping = 60.0; damping < 5000.0; damping *= 1.5)
            best = std::min(best, relative_error(SpongeLayer<2>(scheme(), layer, damping)));
        CAPTURE(layer, best);
        CHECK(std::abs(best - known) < 0.05 * known);
    }
}

TEST_CASE("Higdon's conditions on a beam: better with every order, and unstable from the third on", "[wave]") {
    const double c = std::sqrt(15e3);
    double last = 1.0;
    std::vector<double> speeds;
    for (const double speed : {c, 200.0, 400.0}) {
        speeds.push_back(speed);
        const AbsorbingStencil end = higdon_end({.boundary_points = 2, .speeds = speeds, .dx = 0.05, .dt = 9.9e-5});
        const double error = relative_error(end);
        CHECK(error < 0.5 * last);
        last = error;
        CHECK((bounded_radius(scheme(), end, 24, FarEnd::clamped) > 1.0 + 1e-4) == (speeds.size() == 3));
    }
}

TEST_CASE("what the published ways find depends on the seed and is far from what least squares find", "[wave]") {
    const AbsorbingSearch<2> search(scheme(), {});
    const auto found = search.by_pattern_search(search.plain_start(), {.first_mesh = 0.1, .evaluation_limit = 5000});
    const double by_pattern = relative_error(AbsorbingStencil({2, 1, 4}, found.x));
    const auto front = search.by_nsga2({.population = 40, .generations = 40, .seed = 5, .start = {found.x}});
    double by_nsga2 = std::numeric_limits<double>::infinity();
    for (const auto& point : front.front)
        by_nsga2 = std::min(by_nsga2, relative_error(AbsorbingStencil({2, 1, 4}, point.x)));
    CAPTURE(by_pattern, by_nsga2);
    CHECK(search.radius(found.x) <= 1.0 + 1e-8);
    CHECK(by_pattern < 0.5);
    CHECK(by_nsga2 <= by_pattern);
    CHECK(by_nsga2 > 0.0013);  // what absorbing_design_verify demands
}

TEST_CASE("no known coefficient of an absorbing stencil stands in headers or programs", "[wave]") {
    std::vector<double> known;
    const auto golden = test::golden("waves_and_identification.json");
    for (const auto& item : golden.at("best_abc").items())
        if (item.value().is_object()) collect(item.value().at("S[k][n][j]"), known);
    const auto published = test::golden("data/published_absorbing_stencils.json");
    collect(published.at("eq33"), known);
    collect(published.at("eq35"), known);
    REQUIRE(known.size() > 100);
    const std::filesystem::path source = std::filesystem::path(PANTO_TEST_GOLDEN).parent_path().parent_path();
    int files = 0, copies = 0;
    for (const char* folder : {"include", "examples", "programs"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(source / folder)) {
            if (!entry.is_regular_file()) continue;
            ++files;
            std::ifstream file(entry.path());
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            for (const double number : decimals_in(text))
                for (const double coefficient : known)
                    // Four equal digits; shorter numbers, as 0.25, are nobody's.
                    if (std::abs(number - std::abs(coefficient)) <= 5e-5 * number &&
                        std::abs(1000.0 * number - std::round(1000.0 * number)) > 1e-9) {
                        ++copies;
                        UNSCOPED_INFO(entry.path().string() << " has " << number);
                    }
        }
    CHECK(files > 50);
    CHECK(copies == 0);
    // The test can fail: it finds the published stencil where it stands.
    CHECK(decimals_in("weights{0.23401, -2.3323e-1};") == std::vector<double>{0.23401, 0.23323});
}

}  // namespace absorbing_comparison_verify
