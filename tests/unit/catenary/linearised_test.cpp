// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/linearised.hpp>
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>
#include <panto/control/wire_response.hpp>

#include "../../support/approx.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace panto::catenary;
using panto::Motion;
using panto::SetupError;

namespace linearised_test {
namespace {

constexpr std::size_t horizon = 10;

const FiniteElements<>& line() {
    static const FiniteElements<> model(en50318_2002(4), {.contact = 1.5, .messenger = 3.0});
    return model;
}

double force_at(int n) { return 200.0 + 150.0 * std::sin(0.06 * n); }

template <class Engine>
std::vector<bool> slack_set(const Engine& engine) {
    std::vector<bool> slack;
    for (std::size_t j = 0; j < line().droppers().size(); ++j) slack.push_back(engine.dropper_force(j) == 0.0);
    return slack;
}

/// Runs until droppers are slack that stay so over the horizon under a constant force, which is returned.
template <class Engine>
double run_to_slack(Engine& engine) {
    for (int n = 0; n < 500; ++n) {
        engine.step(force_at(n));
        const auto now = slack_set(engine);
        if (n < 60 || std::count(now.begin(), now.end(), true) == 0) continue;
        Engine ahead = engine;
        bool same = true;
        for (std::size_t i = 0; i < horizon && same; ++i) {
            ahead.step(force_at(n));
            same = slack_set(ahead) == now;
        }
        if (same) return force_at(n);
    }
    return 0.0;
}

TEST_CASE("a linearised line answers as the engine's own steps differ, slack droppers included") {
    RealTimeEngine<> engine(line(), {.speed = 60.0, .start = 60.0});
    const double force = run_to_slack(engine);
    REQUIRE(force > 0.0);
    REQUIRE(engine.slack_droppers() > 0);
    const LinearisedLine about(engine, static_cast<int>(horizon));
    const LineResponse response = about.response();
    // Within the set of slack droppers the step is linear, so any change of the force will do; rounding of heights,
    // 1e-15 m, leaves 1e-9 of an answer of 1e-5 m/N.
    const double change = 0.1;
    for (const std::size_t j : {0U, 3U, 9U}) {
        std::array<double, horizon> forces{};
        std::array<Motion, horizon> up{}, down{};
        forces.fill(force);
        forces[j] = force + change;
        engine.predict(forces, up);
        forces[j] = force - change;
        engine.predict(forces, down);
        for (std::size_t i = 0; i < horizon; ++i) {
            const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
            const double height = (up[i].height - down[i].height) / (2.0 * change),
                         speed = (up[i].speed - down[i].speed) / (2.0 * change);
            CHECK(response.height(row, column) == approx(height).epsilon(1e-6).scale(1e-6));
            CHECK(response.speed(row, column) == approx(speed).epsilon(1e-6).scale(1e-4));
        }
    }
    CHECK(about.compliance() == response.height(0, 0));
    CHECK(response.to_constant_force(4)[0] == approx(response.height.row(4).sum()));

    ReferenceEngine<> reference(line(), {.speed = 60.0, .start = 60.0});
    CHECK(run_to_slack(reference) == force);
    const LineResponse other = LinearisedLine(reference, static_cast<int>(horizon)).response();
    CHECK((other.height - response.height).cwiseAbs().maxCoeff() == 0.0);

    const auto fitted = panto::control::wire_response(response),
               predicted = panto::control::wire_response(engine, force);
    CHECK(fitted.a == approx(predicted.a));
    CHECK(fitted.b == approx(predicted.b));
    CHECK(fitted.g == approx(predicted.g).scale(1e-8));
}

TEST_CASE("a linearised line at rest is the line itself; a slack dropper makes it softer") {
    const PassageParams passage{.speed = 0.0, .start = 75.0};
    RealTimeEngine<> engine(line(), passage);
    CHECK(LinearisedLine(engine, 1).compliance() == approx(engine.step_compliance(75.0)).epsilon(1e-9));
    engine.rest_under(400.0);
    REQUIRE(engine.slack_droppers() > 0);
    CHECK(LinearisedLine(engine, 1).compliance() > engine.step_compliance(75.0));
}

TEST_CASE("a linearised line follows a train that brakes") {
    RealTimeEngine<> engine(line(), {.start = 60.0, .profile = SpeedProfile({{0.0, 50.0}, {0.1, 20.0}})});
    for (int n = 0; n < 10; ++n) engine.step(60.0);
    REQUIRE(engine.slack_droppers() == 0);
    const LineResponse response = LinearisedLine(engine, 8).response();
    std::array<Motion, 8> more{}, less{};
    engine.predict(60.1, more);
    engine.predict(59.9, less);
    for (int i = 0; i < 8; ++i) {
        const auto k = static_cast<std::size_t>(i);
        CHECK(response.to_constant_force(i)[0] == approx((more[k].height - less[k].height) / 0.2).epsilon(1e-7));
        CHECK(response.to_constant_force(i)[1] == approx((more[k].speed - less[k].speed) / 0.2).epsilon(1e-6));
    }
    // It has answers, but no period.
    const std::string text = panto::test::message([&] { (void)periodic_response(LinearisedLine(engine, 8), 2, 2, 3); });
    CHECK(text.find("the response is periodic only at constant speed") != std::string::npos);
}

TEST_CASE("the answers to a force held over a cycle are sums of those to forces at the ends of steps") {
    RealTimeEngine<> engine(line(), {.speed = 60.0, .start = 60.0});
    const LinearisedLine about(engine, 12);
    const LineResponse response = about.response();
    const PeriodicResponse cycles = periodic_response(about, 3, 2, 4);
    CHECK(cycles.dt == approx(4e-3));
    REQUIRE(cycles.answer.size() == 3);
    for (int j = 0; j < 3; ++j)
        for (int i = 1; i <= 4; ++i) {
            const auto y = cycles.answer[static_cast<std::size_t>((j + i) % 3)].col(i - 1);
            const int row = 2 * (j + i) - 1;
            CHECK(y[0] == approx(response.height(row, 2 * j) + response.height(row, 2 * j + 1)).epsilon(1e-9));
            CHECK(y[1] == approx(response.speed(row, 2 * j) + response.speed(row, 2 * j + 1)).epsilon(1e-9));
        }
    CHECK_THROWS_AS((void)periodic_response(about, 4, 2, 4), SetupError);
    CHECK_THROWS_AS((void)periodic_response(about, 3, 0, 4), SetupError);
}

TEST_CASE("behind the last support a linearised line is at rest, as the engines are") {
    const auto check = [](auto engine) {
        const double end = line().length();
        const int last = static_cast<int>(engine.steps_on_line());  // steps from the start
        REQUIRE(last == 5);
        engine.step(150.0);
        const LineResponse response = LinearisedLine(engine, 8).response();
        REQUIRE(engine.position_after(7.0 * engine.dt()) > end);
        for (int i = 0; i < 8; ++i) {
            auto up = engine, down = engine;
            Motion more{}, less{};
            for (int n = 0; n <= i; ++n) more = up.step(150.1), less = down.step(149.9);
            CHECK(response.to_constant_force(i)[1] ==
                  approx((more.speed - less.speed) / 0.2).epsilon(1e-6).scale(1e-6));
            CHECK((response.to_constant_force(i)[1] == 0.0) == (i + 2 > last));
        }
    };
    const PassageParams passage{.speed = 60.0, .start = line().length() - 5.5 * 60.0 * 2e-3, .dt = 2e-3};
    check(RealTimeEngine<>(line(), passage));
    check(ReferenceEngine<>(line(), passage));
}

TEST_CASE("a linearised line refuses steps that it has not") {
    const RealTimeEngine<> engine(line(), {.speed = 60.0, .start = 60.0});
    CHECK_THROWS_AS(LinearisedLine(engine, 0), SetupError);
    const LinearisedLine about(engine, 3);
    auto x = about.zero();
    CHECK_THROWS_AS(about.advance(x, 3, 1.0), SetupError);
    CHECK_THROWS_AS((void)about.output(x, -1), SetupError);
    LinearisedLine::State shorter = about.zero();
    shorter.a.conservativeResize(shorter.a.size() - 1);
    CHECK_THROWS_AS(about.advance(shorter, 0, 1.0), SetupError);
    CHECK_THROWS_AS(about.advance(x, 0, std::nan("")), SetupError);
    shorter.u.resize(0);
    CHECK_THROWS_AS((void)about.output(shorter, 0), SetupError);
    const LineResponse response = about.response();
    CHECK(response.steps() == 3);
    CHECK_THROWS_AS((void)response.to_constant_force(3), SetupError);
    CHECK_THROWS_AS((void)panto::control::wire_response(response), SetupError);
}

}  // namespace
}  // namespace linearised_test
