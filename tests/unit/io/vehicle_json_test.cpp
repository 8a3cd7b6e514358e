// SPDX-License-Identifier: BSD-3-Clause
#include <panto/io/vehicle_json.hpp>
#include <panto/vehicle/assembly.hpp>

#include "../../support/approx.hpp"
#include "../../support/message.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

using panto::io::vehicle_from_text;

namespace vehicle_json_test {
namespace {

/// A body on a wheelset, as text; `at` is replaced by `by`.
std::string text(const std::string& at = "", const std::string& by = "") {
    std::string t = R"({"format": "panto-vehicle", "version": 1, "name": "cart",
  "parameters": {"m": 4000.0, "k": 2e5, "half": 1.0},
  "modules": {"leg": {"links": [{"name": "leg", "between": ["@top", "wheels"], "at_m": [0, "half", 0.46],
      "both_sides": true, "parts": [{"direction": "z", "stiffness_N_per_m": "k"},
        {"direction": "x", "stiffness_N_per_m": {"sum": {"k": 3.0}, "plus": 1000.0}},
        {"direction": "y", "stiffness_N_per_m": 1e6}, {"direction": "pitch", "stiffness_N_m_per_rad": 1e6}]}],
    "axles": [{"name": "wheels", "mass_kg": 1500, "inertia_kg_m2": 900, "spin_inertia_kg_m2": 100, "x_m": 0.0}]}},
  "bodies": [{"name": "box", "mass_kg": "m", "inertia_kg_m2": [2000, 2000, 2000], "centre_m": [3.0, 0, 1]}],
  "place": [{"module": "leg", "as": "one", "x_m": {"sum": {"half": 3.0}}, "with": {"top": "box"}}]})";
    if (!at.empty()) t.replace(t.find(at), at.size(), by);
    return t;
}

void refuses(const std::string& at, const std::string& by, const std::string& message) {
    std::string said = "nothing";
    try {
        (void)vehicle_from_text(text(at, by), "cart.json");
    } catch (const panto::SetupError& e) {
        said = e.what();
    }
    CAPTURE(said);
    CHECK(said.find(message) != std::string::npos);
}

}  // namespace

TEST_CASE("A vehicle file: modules are placed, parameters stand where they are named, pairs are mirrored") {
    const auto v = vehicle_from_text(text(), "cart.json");
    CHECK(v.name == "cart");
    CHECK(v.parameter("k") == 2e5);
    REQUIRE(v.links.size() == 2);
    CHECK(v.links[0].name == "one/leg left");
    CHECK(v.links[1].name == "one/leg right");
    CHECK(v.links[0].between[0] == "box");
    CHECK(v.links[0].between[1] == "one/wheels");
    const auto p = v.values();
    CHECK(v.links[0].at[0].at(p) == 3.0);
    CHECK(v.links[1].at[1].at(p) == -1.0);
    CHECK(v.links[0].parts[1].stiffness.at(p) == 601000.0);
    const auto a = panto::vehicle::assemble(v);
    CHECK(a.freedoms == 8);
    CHECK(a.wheel_load(a.axles[0]) == approx(0.5 * 5500.0 * 9.81));
}

TEST_CASE("A vehicle file says whether wheelsets have six freedoms, and says so again when written") {
    const auto v =
        vehicle_from_text(text("\"modules\"", "\"wheel_rail\": {\"free_wheelsets\": true}, \"modules\""), "cart.json");
    CHECK(v.free_wheelsets);
    CHECK(panto::vehicle::assemble(v).freedoms == 12);
    CHECK(vehicle_from_text(panto::io::vehicle_to_text(v), "again").free_wheelsets);
    CHECK_FALSE(vehicle_from_text(text(), "cart.json").free_wheelsets);
}

TEST_CASE("A vehicle file says how a body bends, and says so again when written") {
    const std::string mass = "\"mass_kg\": \"m\"";
    const auto with = [&](const std::string& what) { return text(mass, mass + ", \"bending\": [" + what + "]"); };
    const auto v = vehicle_from_text(
        with(R"({"direction": "z", "modes": 2, "length_m": 20, "stiffness_N_m2": "k", "damping_ratio": 0.01})"),
        "cart.json");
    CHECK(panto::vehicle::assemble(v).freedoms == 10);
    const auto again = vehicle_from_text(panto::io::vehicle_to_text(v), "again");
    REQUIRE(again.bodies[0].bending.size() == 1);
    const auto& b = again.bodies[0].bending[0];
    CHECK(b.modes == 2);
    CHECK(b.length == 20.0);
    CHECK(b.damping == 0.01);
    CHECK(b.stiffness.at(again.values()) == 2e5);
    refuses(mass, mass + R"(, "bending": [{"direction": "z", "lenght_m": 20}])",
            "bodies[0].bending[0].lenght_m: unknown key");
    refuses(mass, mass + R"(, "bending": [{"direction": "z", "modes": 9, "length_m": 20, "stiffness_N_m2": 1e9}])",
            "bodies[0].bending[0].modes: is 9, must be a whole number from 1 to 4");
}

TEST_CASE("A vehicle file is refused with the path of what is wrong") {
    refuses("\"version\": 1", "\"version\": 2", "file has version 2, this version of panto reads up to version 1");
    refuses("panto-vehicle", "panto-catenary", "\"panto-vehicle\" is needed");
    refuses("\"mass_kg\": \"m\"", "\"mass\": \"m\"", "bodies[0].mass: unknown key, did you mean 'mass_kg'?");
    refuses("\"mass_kg\": \"m\"", "\"mass_kg\": \"mm\"",
            "bodies[0].mass_kg: no parameter is called 'mm', did you mean 'm'?");
    refuses("\"mass_kg\": \"m\"", "\"mass_kg\": null", "bodies[0].mass_kg: is neither a number nor a parameter");
    refuses("\"k\": 3.0", "\"kk\": 3.0",
            "modules.leg.links[0].parts[1].stiffness_N_per_m: no parameter is called 'kk'");
    refuses("\"direction\": \"z\"", "\"direction\": \"up\"", "modules.leg.links[0].parts[0].direction: is 'up'");
    refuses("\"stiffness_N_m_per_rad\"", "\"stiffness_N_per_m\"",
            "is not for direction pitch, use stiffness_N_m_per_rad");
    refuses("\"with\": {\"top\"", "\"with\": {\"tip\"", "modules.leg.links[0].between: names '@top'");
    refuses("\"with\": {", "\"with\": {\"tip\": \"box\", ",
            "file 'cart.json': place[0].with.tip: has no effect: nothing in module 'leg' names '@tip'");
    refuses("\"modules\": {", "\"modules\": {\"arm\": {\"lnks\": []}, ",
            "file 'cart.json': modules.arm: is a module that is placed nowhere");
    refuses("\"module\": \"leg\"", "\"module\": \"log\"",
            "place[0].module: no module is called 'log', did you mean 'leg'?");
    refuses("[3.0, 0, 1]", "[3.0, 0]", "bodies[0].centre_m: is list [3.0,0], a list of 3 is needed");
    refuses("\"both_sides\": true", "\"both_sides\": 1", "true or false is needed");
    refuses("\"direction\": \"z\"", "\"friction_N\": 1, \"direction\": \"z\"",
            "must be given together with one of friction_length_m and friction_stroke_m");
    refuses("\"direction\": \"z\", \"stiffness_N_per_m\": \"k\"",
            "\"direction\": \"z\", \"air_spring\": {\"pressure\": 6e5}",
            "modules.leg.links[0].parts[0].air_spring.pressure: unknown key, did you mean 'pressure_Pa'?");
    refuses("\"axles\": [{", "\"place\": [{\"module\": \"leg\", \"as\": \"x\"}], \"axles\": [{",
            "modules.leg.place[0].module: places a module in itself: leg > leg");
}

TEST_CASE("Wheel and rail, and parts without effect, are refused with file and path") {
    const auto wheel_rail = [](const std::string& what, const std::string& message) {
        refuses("\"modules\"", "\"wheel_rail\": {" + what + "}, \"modules\"", "file 'cart.json': wheel_rail" + message);
    };
    wheel_rail("\"wheel_radius_m\": -1", ".wheel_radius_m: is -1, must be above 0");
    wheel_rail("\"half_distance_m\": 0", ".half_distance_m: is 0, must be above 0");
    wheel_rail("\"friction\": -0.3", ".friction: is -0.3, must be above 0");
    wheel_rail("\"creep_reduction\": 0", ".creep_reduction: is 0, must be above 0");
    wheel_rail("\"youngs_modulus_Pa\": 0", ".youngs_modulus_Pa: is 0, must be above 0");
    wheel_rail("\"poisson\": 0.7", ".poisson: is 0.7, must be from 0 to 0.5");
    wheel_rail("\"rail_radius_m\": 0", ".rail_radius_m: is 0, must be above 0");
    wheel_rail("\"wheel_curvature_per_m\": -1", ".wheel_curvature_per_m: is -1, must be from 0");
    wheel_rail("\"contact_angle_rad\": 2", ": vehicle::WheelRailProfile: angle is 2, must be above 0");
    const auto coefficients = [&](const std::string& lambda, const std::string& sigma, const std::string& message) {
        wheel_rail("\"coefficients\": {\"lambda\": " + lambda + ", \"sigma\": " + sigma +
                       R"(, "epsilon": 0.1, "zeta_per_m": 0.07, "xi_m": 0.04})",
                   ".coefficients" + message);
    };
    coefficients("-1", "0.05", ".lambda: is -1, must be from 0 to 1");
    coefficients("0.1", "1e9", ".sigma: is 1e+09, must be from 0 to 1");
    const std::string part = "\"direction\": \"z\"", path = "modules.leg.links[0].parts[0].";
    refuses(part, part + ", \"stop_gap_m\": 0.02",
            path + "stop_gap_m: must be given together with stop_stiffness_N_per_m");
    refuses(part, part + ", \"series_stiffness_N_per_m\": 1e6",
            path + "series_stiffness_N_per_m: must be given together with a damper");
    refuses(part, part + ", \"beyond_knee\": 0.1", path + "beyond_knee: must be given together with knee_force_N");
}

TEST_CASE("The shipped vehicles can be put together") {
    const std::string folder = std::string(PANTO_DATA_DIR) + "/vehicles/";
    const auto coach = panto::vehicle::assemble(panto::io::read_vehicle(folder + "manchester_1.json"));
    CHECK(coach.freedoms == 26);
    CHECK(coach.mass() == approx(32000.0 + 2 * 2615.0 + 4 * 1813.0));
    const auto train = panto::vehicle::assemble(panto::io::read_vehicle(folder + "tgv_like.json"));
    CHECK(train.freedoms == 190);
    CHECK(train.memories == 54);
}

TEST_CASE("Every parameter of Tables B.1 to B.3 stands under its number, and moves the vehicle") {
    const auto v = panto::io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like_117.json");
    std::array<int, 118> found{};
    for (const auto& p : v.parameters)
        if (p.name[0] >= '1' && p.name[0] <= '9') ++found.at(static_cast<std::size_t>(std::stoi(p.name)));
    for (std::size_t i = 1; i <= 117; ++i) {
        CAPTURE(i);
        CHECK(found[i] == 1);
    }
    const auto parts = [&](const std::vector<double>& values) {
        double sum = 0.0;
        const auto a = panto::vehicle::assemble(v, values);
        for (const auto& n : a.nodes) sum += n.mass + n.inertia[0] + n.inertia[1] + n.inertia[2];
        for (const auto& p : a.parts)
            sum += p.stiffness + p.damping + p.series + p.stop + 1e6 * p.gap + p.knee + p.friction +
                   1e6 * p.friction_length;
        return sum;
    };
    const auto values = v.values();
    const double before = parts(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto moved = values;
        moved[i] = moved[i] > 0.0 ? 1.01 * moved[i] : 1e3;
        CAPTURE(v.parameters[i].name);
        CHECK(parts(moved) != before);
    }
    const auto a = panto::vehicle::assemble(v);
    CHECK(a.freedoms == 190);
    CHECK(a.mass() == approx(409700.0));
}

TEST_CASE("A vehicle that is written reads back as the same vehicle") {
    const auto same = [](const panto::vehicle::Multibody& v) {
        const std::string text = panto::io::vehicle_to_text(v);
        const auto again = vehicle_from_text(text, "again.json");
        CHECK(panto::io::vehicle_to_text(again) == text);
        const auto a = panto::vehicle::assemble(v), b = panto::vehicle::assemble(again);
        REQUIRE(a.nodes.size() == b.nodes.size());
        REQUIRE(a.parts.size() == b.parts.size());
        REQUIRE(a.links == b.links);
        const auto close = [](double x, double y) { CHECK(x == approx(y).epsilon(1e-13)); };
        for (std::size_t i = 0; i < a.nodes.size(); ++i) {
            const auto &m = a.nodes[i], &n = b.nodes[i];
            CHECK(m.name == n.name);
            close(m.mass, n.mass), close(m.dead_load, n.dead_load);
            for (std::size_t k = 0; k < 3; ++k) close(m.inertia[k], n.inertia[k]), close(m.centre[k], n.centre[k]);
        }
        for (std::size_t i = 0; i < a.parts.size(); ++i) {
            const auto &p = a.parts[i], &q = b.parts[i];
            CHECK(p.node == q.node);
            CHECK(p.direction == q.direction);
            for (const auto field :
                 {&panto::vehicle::Part::stiffness, &panto::vehicle::Part::damping, &panto::vehicle::Part::series,
                  &panto::vehicle::Part::gap, &panto::vehicle::Part::stop, &panto::vehicle::Part::knee,
                  &panto::vehicle::Part::beyond, &panto::vehicle::Part::friction,
                  &panto::vehicle::Part::friction_length, &panto::vehicle::Part::friction_stroke,
                  &panto::vehicle::Part::orifice, &panto::vehicle::Part::area_stiffness})
                close(p.*field, q.*field);
            CHECK((p.row[0] - q.row[0]).norm() + (p.row[1] - q.row[1]).norm() < 1e-12);
        }
        const auto patch = a.patch(a.axles[0]), other = b.patch(b.axles[0]);
        close(patch.f11, other.f11), close(patch.f23, other.f23), close(patch.friction, other.friction);
        close(a.geometry.at(1e-3).roll, b.geometry.at(1e-3).roll);
        close(a.gravity, b.gravity);
    };
    const std::string folder = std::string(PANTO_DATA_DIR) + "/vehicles/";
    for (const char* name : {"manchester_1.json", "tgv_like.json", "tgv_like_117.json"})
        same(panto::io::read_vehicle(folder + name));
    auto v = vehicle_from_text(text(), "cart.json");
    v.gravity = 3.7, v.rail.friction = 0.2, v.rail.profile.angle = 0.1;
    v.bodies[0].dead_load = 1e3;
    auto& part = v.links[0].parts[0];
    part.gap = 0.01, part.stop = 1e6, part.scale = 0.5, part.friction = 100.0, part.friction_length = 2e-3;
    part.knee_force = 2e3, part.knee_speed = 0.1, part.beyond = 0.25, part.series = 1e6;
    same(v);
    part.friction_length = 0.0, part.friction_stroke = 1e-3;
    auto& aside = v.links[0].parts[2];  // an air spring that shears, with an orifice
    aside.stiffness = 0.0;
    aside.air = panto::vehicle::AirSpring{6e5, 0.2, 0.1, 0.05, 0.06, 2e4, 1e-4};
    same(v);
    part.damping = 10.0;  // beside a knee
    const std::string where =
        "file 'io::vehicle_to_text': links[0].parts[0].damping_N_s_per_m: is given together with a knee";
    CHECK(panto::test::message([&] { (void)panto::io::vehicle_to_text(v); }).find(where) == 0);
    part.damping = 0.0;
    v.bodies[0].mass = std::nan("");
    CHECK(panto::test::message([&] { (void)panto::io::vehicle_to_text(v); }).find("bodies[0].mass_kg") !=
          std::string::npos);
    v.bodies[0].mass = 1.0, v.parameters[1].name = v.parameters[0].name;
    CHECK(panto::test::message([&] { (void)panto::io::vehicle_to_text(v); }).find("parameters have the same name") !=
          std::string::npos);
}

}  // namespace vehicle_json_test
