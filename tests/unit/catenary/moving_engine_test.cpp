// SPDX-License-Identifier: BSD-3-Clause
// The line in the train's frame: signs, growth, ends, and what must not change when the line is shifted or mirrored.
#include <panto/catenary/lines.hpp>
#include <panto/catenary/moving_engine.hpp>
#include <panto/linalg/spectral_radius.hpp>

#include "../../cases/moving_relations.hpp"
#include "../../cases/moving_signs.hpp"
#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "golden_json.hpp"
#include "message.hpp"
#include "predictive_line.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace moving_engine_test {
namespace {

using namespace panto;
using namespace panto::catenary;
using Eigen::VectorXd;
using test::phase_speed_at;
using test::predictive_line;
using test::small_grid;
using test::small_line;

constexpr double dt = test::moving_dt, dx = test::moving_dx;
const wave::BeamParams<>& contact_wire = test::moving_wire;

bool close(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

}  // namespace

TEST_CASE("the golden figures of group F tell the right convective signs from the printed ones") {
    const auto golden = test::golden("catenary_and_rig.json")["lptv"];
    const auto right = moving_wire_stencil(contact_wire, 0.0, 60.0, dx, dt);
    auto printed = right;  // the mixed term with the other sign
    for (std::size_t j = 0; j < printed.next.size(); ++j) {
        printed.next[j] = right.next[right.next.size() - 1 - j];
        printed.before[j] = right.before[right.before.size() - 1 - j];
    }
    // The golden speeds come from a scan over wave numbers, good to some 1e-4.
    const double to_right = golden["phase_speed_right_10Hz"], to_left = golden["phase_speed_left_10Hz"];
    CHECK(close(phase_speed_at(right, 10.0, 1.0), to_right, 1e-4 * to_right));
    CHECK(close(phase_speed_at(right, 10.0, -1.0), to_left, 1e-4 * to_left));
    CHECK(close(phase_speed_at(printed, 10.0, 1.0), to_left, 1e-4 * to_left));
    CHECK(close(phase_speed_at(printed, 10.0, -1.0), to_right, 1e-4 * to_right));
    // Independent of any scheme: ahead of the train waves are slow, c - v, behind it c + v.
    const auto fine = moving_wire_stencil(contact_wire, 0.0, 60.0, 0.02, 1e-5);
    const double c = std::sqrt(20e3 / 1.35), k = 2.0 * std::numbers::pi / (c - 60.0);
    const double bent = std::sqrt((20e3 + 150.0 * k * k) / 1.35);
    CHECK(phase_speed_at(fine, 1.0, 1.0) == approx(bent - 60.0).epsilon(1e-3));
    CHECK(phase_speed_at(fine, 1.0, -1.0) == approx(c + 60.0).epsilon(1e-3));
}

TEST_CASE("the energy of a wire grows by the force times half its rise over two steps") {
    // No droppers, no damping, and 60 steps, in which no wave reaches the ends. In the train's frame the energy is
    // that of the velocity at a fixed point, of the tension less m v^2, and of bending; both levels of a step count.
    PeriodicLine line{.period = 60.0, .contact_wire = contact_wire, .messenger_wire = contact_wire};
    const double v = 60.0, m = contact_wire.mass_per_length, T = contact_wire.tension - m * v * v,
                 EI = contact_wire.bending_stiffness;
    auto engine = moving_engine(line, {.speed = v, .dt = dt, .spans = 1, .least_damping = 0.0, .accept_growth = true});
    VectorXd before = engine.contact_wire(), now = before;
    const auto height = [&](const VectorXd& w) { return engine.passage().contact.of(w); };
    double work = 0.0, energy = 0.0, held = 0.0;
    for (int n = 0; n < 60; ++n) {
        const double force = 100.0 + 80.0 * std::sin(0.7 * n) + (n % 7 == 0 ? 60.0 : 0.0);
        engine.advance(force);
        const VectorXd& next = engine.contact_wire();
        work += 0.5 * force * (height(next) - height(before));
        held += force * (height(next) - height(now));
        energy = 0.0;
        for (Eigen::Index i = 1; i + 1 < next.size(); ++i) {
            const double speed = (next[i] - now[i]) / dt;
            const auto slope = [&](const VectorXd& w) { return (w[i + 1] - w[i]) / dx; };
            const auto bend = [&](const VectorXd& w) { return (w[i + 1] - 2.0 * w[i] + w[i - 1]) / (dx * dx); };
            energy += 0.5 * dx * (m * speed * speed + T * slope(next) * slope(now) + EI * bend(next) * bend(now));
        }
        before = now;
        now = next;
    }
    CHECK(work > 1.0);
    CHECK(close(energy, work, 1e-9 * work));
    CHECK(std::abs(held - work) > 0.01 * work);  // the other count would not do
}

TEST_CASE("a wire in the train's frame neither grows nor decays: by its roots and by the Schur-Cohn recursion") {
    const auto golden = test::golden("catenary_and_rig.json")["lptv"];
    CHECK(close(wave::growth_factor(moving_wire_stencil(contact_wire, 0.0, 60.0, dx, dt)),
                golden["growth_v60_dt850"].get<double>(), 1e-12));
    CHECK(close(wave::beam_largest_step(contact_wire, dx), golden["dt_max_v0"].get<double>(), 1e-5));
    CHECK(close(wave::largest_stable_step(moving_wire_stencil(contact_wire, 0.0, 60.0, dx, dt)), 14.4e-3, 5e-5));
    CHECK(test::growth_disagreements() == 0);
}

TEST_CASE("a resting hump falls into halves that run at c - v and c + v, with second order") {
    // Independent of the scheme: d'Alembert. A string at rest on the ground moves in the train's frame from the start.
    const double v = 60.0, T = 20e3, m = 1.35, c = std::sqrt(T / m), end = 0.1;
    const auto hump = [](double x) { return std::exp(-0.05 * (x - 35.0) * (x - 35.0)); };
    const auto exact = [&](double x, double t) { return 0.5 * (hump(x + (v - c) * t) + hump(x + (v + c) * t)); };
    const auto error = [&](int cells, int steps) {
        const wave::BeamParams<> string{.mass_per_length = m, .tension = T};
        const PeriodicLine line{.period = 60.0, .contact_wire = string, .messenger_wire = string};
        const MovingGrid grid{
            .speed = v, .dt = end / steps, .cells = cells, .spans = 1, .least_damping = 0.0, .accept_growth = true};
        auto engine = moving_engine(line, grid);
        VectorXd now(cells + 1), before(cells + 1);
        for (int i = 0; i <= cells; ++i) now[i] = exact(i * engine.dx(), 0.0);
        for (int i = 0; i <= cells; ++i) before[i] = exact(i * engine.dx(), -grid.dt);
        engine.start({now, now}, {before, before});
        for (int n = 0; n < steps; ++n) engine.step(0.0);
        double worst = 0.0;
        for (int i = 0; i <= cells; ++i)
            worst = std::max(worst, std::abs(engine.contact_wire()[i] - exact(i * engine.dx(), end)));
        CHECK(close((engine.contact_wire() - engine.messenger_wire()).norm(), 0.0, 0.0));
        return worst;
    };
    const double coarse = error(120, 100), fine = error(240, 200);
    CHECK(coarse < 0.02);
    CHECK(coarse / fine == approx(4.0).epsilon(0.1));
}

TEST_CASE("the radius of the period by Arnoldi's method is that of the matrix") {
    auto engine = moving_engine(small_line(), {.speed = 40.0, .dt = 0.0025, .cells = 16, .spans = 1});
    const int n = engine.states();
    REQUIRE(n == 68);
    Eigen::MatrixXd A(n, n);
    for (int i = 0; i < n; ++i) {
        VectorXd x = VectorXd::Unit(n, i);
        engine.put(x, 0);
        for (int k = 0; k < engine.steps_per_period(); ++k) engine.advance(0.0);
        engine.get(x);
        A.col(i) = x;
    }
    const double radius = linalg::spectral_radius(A);
    CHECK(radius < 1.0);
    CHECK(close(engine.period_radius(), radius, 1e-5 * radius));
    CHECK_THROWS_AS((void)panto::linalg::map_radius(0, [](VectorXd&) {}), SetupError);
}

TEST_CASE("shift of heights, scaled loads, a period later and the mirrored line are the same map") {
    const test::LineRelations r = test::line_relations();
    CHECK(r.shifted <= 1e-15);
    CHECK(r.later <= 1e-12);
    CHECK(r.mirrored <= 1e-12);
    CHECK(r.scaled <= 1e-14);
    CHECK(r.height > 0.003);
    auto engine = moving_engine(small_line(), small_grid);
    for (int n = 0; n < 200; ++n) engine.step(100.0);
    engine.reset();
    CHECK(engine.step(100.0).height > 0.0);
    CHECK(engine.position() == approx(40.0 * small_grid.dt));
}

TEST_CASE("stepping, looking ahead and the maps take no memory, and a prediction is what comes") {
    auto engine = moving_engine(small_line(), small_grid);
    std::array<Motion, 5> ahead{};
    VectorXd x = VectorXd::Zero(engine.states());
    for (int n = 0; n < 7; ++n) engine.step(100.0);
    // @rt-tested: MovingEngine::step MovingEngine::predict MovingEngine::reset MovingEngine::position
    // @rt-tested: MovingEngine::put MovingEngine::get MovingEngine::advance MovingEngine::contact_wire
    // @rt-tested: CharacteristicEnd::apply CharacteristicEnd::reset GridPlace::of
    const auto allocated = test::allocations_in([&] {
        engine.predict(80.0, ahead);
        engine.predict(80.0, {});
    });
    CHECK(allocated == 0);
    const auto law = [](std::size_t k, const Motion& wire) noexcept {
        return 80.0 + 5.0 * static_cast<double>(k) - 300.0 * wire.speed;
    };
    std::array<Motion, 5> answered{};
    CHECK(test::allocations_in([&] { engine.predict(law, answered); }) == 0);
    auto later = engine;
    for (std::size_t k = 0; k < answered.size(); ++k)
        CHECK(close(later.step(law(k, later.wire())).height, answered[k].height, 0.0));
    for (const Motion& m : ahead) {
        const Motion now = engine.step(80.0);
        CHECK(close(now.height, m.height, 0.0));
        CHECK(close(now.speed, m.speed, 0.0));
    }
    CHECK(test::allocations_in([&] {
              engine.step(80.0);
              engine.get(x);
              engine.put(x, 3);
              engine.advance(10.0);
              x[0] = engine.contact_wire()[0] + engine.messenger_wire()[0] + engine.position();
              engine.reset();
          }) == 0);
    CHECK(engine.status() == Status::ok);
    auto untroubled = engine;
    engine.step(std::nan(""));
    CHECK(engine.status() == Status::not_finite);
    CHECK(engine.step(80.0).height == untroubled.step(80.0).height);  // the state was kept
    CHECK(engine.status() == Status::ok);
    engine.step(HUGE_VAL);
    CHECK(engine.status() == Status::not_finite);
    engine.reset();
    CHECK(engine.status() == Status::ok);
}

TEST_CASE("the example of the docs") {
    // [moving]
    const PeriodicLine line = periodic_line(ac_simple_2015());  // what its spans have in common
    auto engine = moving_engine(line, {.speed = 50.0, .dt = 2e-3, .cells = 110, .spans = 2});
    for (int n = 0; n < engine.steps_per_period(); ++n) engine.step(60.0);  // one span under 60 N
    const double height = engine.wire().height;
    // [moving]
    CHECK(height > 0.005);
    CHECK(height < 0.1);
}

TEST_CASE("what cannot repeat itself is refused with what can") {
    const auto refused = [](MovingGrid grid) {
        return test::message([&] { (void)moving_engine(small_line(), grid); });
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    const MovingGrid good = small_grid;
    MovingGrid g = good;
    g.speed = 40.1;  // 8 m at 40.1 m/s in steps of 2.5 ms: 79.8
    const std::string text = refused(g);
    CHECK(has(text, "79.8"));
    CHECK(has(text, "a speed of 40 or 40.5063"));
    CHECK_NOTHROW((void)steps_per_period(8.0, 8.0 / (80.0 * 0.0025), 0.0025));
    g = good, g.speed = 0.0;
    CHECK(has(refused(g), "speed is 0"));
    g = good, g.speed = 128.0;
    CHECK(has(refused(g), "that of waves on the"));
    g = good, g.dt = 0.0125;
    CHECK(has(refused(g), "largest stable step"));
    g = good, g.cells = 4;
    CHECK(has(refused(g), "cells is 4"));
    g = good, g.spans = 0;
    CHECK(has(refused(g), "spans is 0"));
    g = good, g.contact_at = 0.1;
    CHECK(has(refused(g), "contact_at is 0.1"));
    g = good, g.least_damping = -1.0;
    CHECK(has(refused(g), "least_damping must be finite and >= 0, got -1"));
    const PassageParams passage{.speed = 40.0, .start = 3.0, .dt = small_grid.dt};
    g = moving_grid(passage, good);
    CHECK(close(g.start, 3.0, 0.0));
    CHECK(g.cells == good.cells);
    const PassageParams braking{.profile = SpeedProfile({{0.0, 40.0}, {10.0, 20.0}})};
    CHECK(has(test::message([&] { (void)moving_grid(braking, good); }), "up to 40 m/s; a line in the train's frame"));
    PeriodicLine unknown = small_line();
    unknown.static_height = [](double x) { return std::array<double, 2>{x > 4.0 ? std::nan("") : 0.0, 0.0}; };
    CHECK(has(test::message([&] { (void)moving_engine(unknown, good); }), "static_height"));
    auto engine = moving_engine(small_line(), good);
    VectorXd x = VectorXd::Constant(engine.states() - 1, 7.0);
    engine.put(x, 0);
    CHECK(engine.status() == Status::out_of_range);
    CHECK(engine.contact_wire().isZero(0.0));
    engine.get(x);
    CHECK(x == VectorXd::Constant(x.size(), 7.0));
    engine.put(VectorXd::Zero(engine.states()), 0);
    CHECK(engine.status() == Status::ok);
    CHECK(std::isnan(engine.dropper_force(1000)));
    PeriodicLine loose = small_line();
    loose.on_messenger.clear();
    loose.on_contact.clear();
    CHECK(has(test::message([&] { (void)moving_engine(loose, good); }), "nothing supports the line"));
    CHECK_NOTHROW(require_down_sampling(850, 5));
    CHECK(has(test::message([] { require_down_sampling(850, 6); }), "use 5 or 10"));
    CHECK(has(test::message([] { require_down_sampling(850, 0); }), "factor is 0"));
}

TEST_CASE("a section becomes a periodic line, or is refused by what does not fit") {
    const PeriodicLine line = periodic_line(ac_simple_2015(4));
    CHECK(line.droppers.size() == 9);
    CHECK(line.period == approx(55.0));
    double carried = 0.0, clamps = 0.0;
    for (const auto& d : line.droppers) carried += d.static_force;
    for (const auto& a : line.on_contact) clamps += a.mass;
    // Statics: droppers and the arm's constant force carry the contact wire of a span with its clamps.
    const double weight = 9.81 * (55.0 * 1.35 + clamps);
    CHECK(carried < weight);
    CHECK(carried > 0.7 * weight);
    CHECK(close(line.static_height(27.5)[0], -0.055, 1e-9));
    CHECK(close(line.static_height(27.5)[1], 0.0, 1e-6));
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has(test::message([] { (void)periodic_line(stitched_hil(4)); }), "stitch_wire"));
    Section<> s = ac_simple_2015(4);
    s.supports[1].messenger_stiffness.reset();
    CHECK(has(test::message([&] { (void)periodic_line(s); }), "fixes the messenger"));
    s = ac_simple_2015(4);
    s.spans[2].length = 54.0;
    CHECK(has(test::message([&] { (void)periodic_line(s); }), "spans[2]"));
    s = ac_simple_2015(4);
    s.supports[2].messenger_stiffness = 4e5;
    CHECK(has(test::message([&] { (void)periodic_line(s); }), "supports[2]"));
    PeriodicLine bad = small_line();
    bad.droppers[1].position = 8.0;
    CHECK(has(test::message([&] { validate(bad); }), "droppers[1].position is 8"));
    bad = small_line();
    bad.contact_wire.material_damping = 1.0;
    CHECK(has(test::message([&] { validate(bad); }), "material_damping"));
}

}  // namespace moving_engine_test
