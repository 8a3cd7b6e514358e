// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "sections.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

using namespace panto::catenary;
using Eigen::VectorXd;
using panto::Motion;
using panto::SetupError;
using panto::Status;
using panto::test::mirrored;
using panto::test::raised;
using panto::test::random_section;
using panto::test::scaled;
using panto::test::seed;

namespace engines_test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Presses hard enough for slack droppers, and lets go now and then.
double force_at(int step) {
    return std::max(0.0, 140.0 + 260.0 * std::sin(0.11 * step) + 60.0 * std::cos(0.47 * step));
}
/// A pantograph head that knocks against the wire from below.
double head_at(int step) { return 0.04 + 0.06 * std::sin(0.07 * step) + 0.01 * std::cos(0.31 * step); }

bool same(const Motion& a, const Motion& b) {
    return a.height == b.height && a.speed == b.speed && a.acceleration == b.acceleration;
}

/// Apart by what a prediction near the contact leaves out: some 1e-12 of heights of a metre. Speeds and accelerations
/// are differences over a step of 1e-3 s and more.
bool alike(const Motion& a, const Motion& b) {
    return std::abs(a.height - b.height) <= 1e-11 && std::abs(a.speed - b.speed) <= 1e-8 &&
           std::abs(a.acceleration - b.acceleration) <= 1e-5;
}

/// Kinetic and elastic energy about the static shape, J.
double energy(const ReferenceEngine<>& engine) {
    VectorXd product = VectorXd::Zero(engine.model().size());
    engine.model().mass().multiply(engine.velocity(), product);
    const double kinetic = 0.5 * engine.velocity().dot(product);
    engine.model().stiffness().multiply(engine.displacement(), product);
    return kinetic + 0.5 * engine.displacement().dot(product);
}

Section<> undamped(Section<> s) {
    s.damping = {};
    return s;
}

/// Runs both engines side by side and counts the slack droppers of all steps.
template <class Step>
int compare(const Section<>& section, const PassageParams& passage, int steps, Step step) {
    const FiniteElements<> model(section, {.contact = 1.2, .messenger = 2.5});
    ReferenceEngine<> reference(model, passage);
    RealTimeEngine<> engine(model, passage);
    int slack = 0;
    double wire = 0.0, speed = 0.0, tension = 0.0, uplift = 0.0, force = 0.0;
    for (int n = 0; n < steps; ++n) {
        force = std::max(force, std::abs(step(reference, n) - step(engine, n)));
        REQUIRE(reference.status() == Status::ok);
        REQUIRE(engine.status() == Status::ok);
        wire = std::max(wire, std::abs(reference.wire().height - engine.wire().height));
        speed = std::max(speed, std::abs(reference.wire().speed - engine.wire().speed));
        for (std::size_t j = 0; j < model.droppers().size(); ++j) {
            tension = std::max(tension, std::abs(reference.dropper_force(j) - engine.dropper_force(j)));
            CHECK((reference.dropper_force(j) == 0.0) == (engine.dropper_force(j) == 0.0));
            slack += engine.dropper_force(j) == 0.0;
        }
        for (const std::size_t node : model.mesh().contact_supports)
            uplift = std::max(uplift, std::abs(reference.uplift(node) - engine.uplift(node)));
        for (int row = 0; row < model.size(); row += 7)
            uplift = std::max(uplift, std::abs(reference.displacement()[row] - engine.displacement(row)));
    }
    // Rounding: displacements of 0.1 m from stiffnesses up to 1e8 N/m; tensions are those times 1e5 N/m.
    CHECK(wire < 1e-10);
    CHECK(speed < 1e-7);
    CHECK(uplift < 1e-9);
    CHECK(tension < 1e-4);
    CHECK(force < 1e-5);
    return slack;
}

}  // namespace

TEST_SUITE("catenary::engines") {
    TEST_CASE("without damping a wire keeps the energy a blow gave it") {
        // M, K linear as long as no dropper goes slack; the average acceleration rule conserves energy exactly.
        ReferenceEngine<> engine(FiniteElements<>(undamped(en50318_2002(2)), {.contact = 2.0}),
                                 {.speed = 0.0, .start = 57.0, .accept_coarse_mesh = true});
        for (int n = 0; n < 25; ++n) engine.step(20.0 * std::sin(0.125 * n));
        engine.step(0.0);
        const double initially = energy(engine);
        CHECK(initially > 1e-3);
        double worst = 0.0;
        for (int n = 0; n < 2000; ++n) {
            engine.step(0.0);
            worst = std::max(worst, std::abs(energy(engine) / initially - 1.0));
        }
        CHECK(worst < 1e-9);  // rounding of the acceleration, 4/dt^2 times that of the displacement
        for (std::size_t j = 0; j < engine.model().droppers().size(); ++j) CHECK(engine.dropper_force(j) > 0.0);
    }

    TEST_CASE("a force does the work that the wire's energy gains") {
        ReferenceEngine<> engine(FiniteElements<>(undamped(stitched_hil(2))), {.speed = 0.0, .start = 40.0});
        double work = 0.0, before = engine.wire().height;
        for (int n = 0; n < 500; ++n) {
            const double old_force = n == 0 ? 0.0 : 15.0 * std::sin(0.05 * (n - 1));
            const double new_force = 15.0 * std::sin(0.05 * n);
            engine.step(new_force);
            work += 0.5 * (old_force + new_force) * (engine.wire().height - before);
            before = engine.wire().height;
        }
        CHECK(work > 0.1);
        CHECK(energy(engine) == approx(work).epsilon(1e-9));
    }

    TEST_CASE("damping takes energy and never gives any") {
        ReferenceEngine<> engine(FiniteElements<>(en50318_2002(2), {.contact = 1.0}), {.start = 57.0});
        for (int n = 0; n < 25; ++n) engine.step(20.0);
        engine.step(0.0);
        double last = energy(engine);
        for (int n = 0; n < 500; ++n) {
            engine.step(0.0);
            const double now = energy(engine);
            CHECK(now <= last * (1.0 + 1e-12));
            last = now;
        }
    }

    TEST_CASE("the real-time engine equals the reference engine under given forces, slack droppers included") {
        int slack = 0;
        for (unsigned i = 0; i < 3; ++i) {
            CAPTURE(seed() + i);
            slack += compare(random_section(seed() + i, 3), {.speed = 60.0, .start = 20.0, .accept_coarse_mesh = true},
                             400, [](auto& engine, int n) {
                                 engine.step(force_at(n));
                                 return 0.0;
                             });
        }
        CHECK(slack > 50);
    }

    TEST_CASE("the real-time engine equals the reference engine in contact with a pantograph that jumps") {
        int slack = 0, lost = 0;
        for (unsigned i = 0; i < 3; ++i) {
            CAPTURE(seed() + i);
            slack += compare(random_section(seed() + i, 3), {.speed = 60.0, .start = 20.0, .accept_coarse_mesh = true},
                             400, [&](auto& engine, int n) {
                                 const auto result =
                                     engine.step_contact({.stiffness = 50e3,
                                                          .head_height = head_at(n) + engine.wire().height / 3,
                                                          .head_compliance = 2e-7});
                                 lost += result.value == 0.0;
                                 return result.value;
                             });
        }
        CHECK(slack > 50);
        CHECK(lost > 50);
    }

    TEST_CASE("the real-time engine equals the reference engine with long steps, where droppers act on each other") {
        const int slack =
            compare(stitched_hil(3), {.speed = 0.0, .start = 60.0, .dt = 20e-3}, 150, [](auto& engine, int n) {
                engine.step(2.0 * force_at(n));
                return 0.0;
            });
        CHECK(slack > 50);
    }

    TEST_CASE("a hard contact finds its force although slack droppers halve the stiffness it meets") {
        // A heavy messenger on stiff droppers: with them slack, the light contact wire alone answers, many times as
        // soft. Trying in turn, force after corrections after force, swings further with every turn.
        Section<> heavy = stitched_hil(3);
        heavy.messenger_wire.mass_per_length = 6.0;
        heavy.messenger_wire.tension = 60e3;
        heavy.dropper.axial_stiffness = 1e7;
        heavy.contact_wire.mass_per_length = 0.5;
        Section<> stiff = en50318_2002(3);
        stiff.dropper.stiffness = 1e7;
        for (const Section<>& section : {heavy, stiff})
            for (const double dt : {1e-3, 10e-3, 50e-3}) {
                const FiniteElements<> model(section);
                const PassageParams passage{
                    .speed = 5.0, .start = model.droppers()[10].position, .dt = dt, .accept_coarse_mesh = true};
                RealTimeEngine<> engine(model, passage);
                ReferenceEngine<> reference(model, passage);
                for (int n = 0; n < 20; ++n) {
                    const ImplicitContact<> hard{.stiffness = 1e9, .head_height = 0.03};
                    const auto result = engine.step_contact(hard), expected = reference.step_contact(hard);
                    CHECK(result.status == Status::ok);
                    CHECK(result.value == approx(expected.value).epsilon(1e-6).scale(100.0));
                }
            }
    }

    TEST_CASE("the contact force is that of the contact spring against the wire and the yielding head") {
        // [coupled]
        RealTimeEngine<> engine(FiniteElements<>(stitched_hil(2)), {.speed = 50.0, .start = 30.0});
        const ImplicitContact<> contact{.stiffness = 4e4, .head_height = 0.02, .head_compliance = 3e-6};
        for (int n = 0; n < 50; ++n) {
            const auto result = engine.step_contact(contact);
            REQUIRE(result.status == Status::ok);
            const double gap = 0.02 - 3e-6 * result.value - engine.wire().height;
            CHECK(result.value == approx(std::max(0.0, 4e4 * gap)).epsilon(1e-6));
        }
        // [coupled]
    }

    TEST_CASE("a force that stays is answered by the static equilibrium in the end, with the same slack droppers") {
        Section<> s = stitched_hil(3);
        s.damping = {.alpha = 3.0, .beta = 1e-3};
        const FiniteElements<> model(s);
        const auto expected = static_load(model, 97.0, 500.0);
        CHECK(expected.slack_droppers > 0);
        RealTimeEngine<> engine(model, {.speed = 0.0, .start = 97.0, .dt = 4e-3});
        for (int n = 0; n < 4000; ++n) engine.step(500.0);
        CHECK(engine.wire().height - model.static_height(97.0)[0] == approx(expected.uplift).epsilon(1e-9));
        for (std::size_t j = 0; j < model.droppers().size(); ++j)
            CHECK(std::abs(engine.dropper_force(j) - expected.dropper_tension[j]) < 1e-5);
    }

    TEST_CASE("a start under a static load stays at rest as long as the force does") {
        const FiniteElements<> model(stitched_hil(3));
        const PassageParams standing{.speed = 0.0, .start = 97.0};
        const auto load = static_load(model, 97.0, 500.0);
        REQUIRE(load.slack_droppers > 0);
        const auto check = [&](auto engine) {
            for (int n = 0; n < 7; ++n) engine.step(force_at(n));
            engine.reset(load);
            const double height = engine.wire().height;
            CHECK(height == approx(model.static_height(97.0)[0] + load.uplift).epsilon(1e-12));
            double moved = 0.0;
            for (int n = 0; n < 200; ++n) moved = std::max(moved, std::abs(engine.step(500.0).height - height));
            CHECK(moved < 1e-10);
            for (std::size_t j = 0; j < model.droppers().size(); ++j)
                CHECK(std::abs(engine.dropper_force(j) - load.dropper_tension[j]) < 1e-5);
        };
        check(ReferenceEngine<>(model, standing));
        check(RealTimeEngine<>(model, standing));
        const auto foreign = static_load(FiniteElements<>(stitched_hil(2)), 97.0, 500.0);
        CHECK_THROWS_WITH_AS(ReferenceEngine<>(model, standing).reset(foreign),
                             "catenary::ReferenceEngine: the static load belongs to another model", SetupError);
        CHECK_THROWS_WITH_AS(RealTimeEngine<>(model, standing).reset(foreign),
                             "catenary::RealTimeEngine: the static load belongs to another model", SetupError);

        // Loads of the right size that do not leave this model at rest.
        Section<> tighter = stitched_hil(3);
        tighter.contact_wire.tension *= 1.01;
        const auto alike = static_load(FiniteElements<>(tighter), 97.0, 500.0);
        const auto bilateral = static_load(model, 97.0, 500.0, true);
        auto spoilt = load, nowhere = load;
        spoilt.displacement[3] = not_a_number;
        nowhere.position = not_a_number;
        for (const auto& bad : {alike, bilateral, spoilt, nowhere}) {
            ReferenceEngine<> reference(model, standing);
            RealTimeEngine<> engine(model, standing);
            CHECK_THROWS_AS(reference.reset(bad), SetupError);
            CHECK_THROWS_AS(engine.reset(bad), SetupError);
        }
        const auto slight = static_load(model, 97.0, 500.0 * 1e-3, true);  // no dropper pushes: bilateral or not
        CHECK_NOTHROW(RealTimeEngine<>(model, standing).reset(slight));
    }

    TEST_CASE("without a force nothing ever moves") {
        const auto check = [](auto engine) {
            for (int n = 0; n < 100; ++n) engine.step(0.0);
            CHECK(engine.wire().height == engine.model().static_height(engine.position())[0]);
            for (std::size_t j = 0; j < engine.model().droppers().size(); ++j)
                CHECK(engine.dropper_force(j) == engine.model().droppers()[j].static_force);
        };
        check(ReferenceEngine<>(FiniteElements<>(stitched_hil(2)), {.speed = 60.0}));
        check(RealTimeEngine<>(FiniteElements<>(stitched_hil(2)), {.speed = 60.0}));
    }

    TEST_CASE("reset() repeats a run bit for bit") {
        const auto check = [](auto engine) {
            std::vector<Motion> first;
            for (int n = 0; n < 150; ++n) first.push_back(engine.step(force_at(n)));
            engine.reset();
            CHECK(engine.time() == 0.0);
            CHECK(engine.wire().height == engine.model().static_height(40.0)[0]);
            bool equal = true;
            for (int n = 0; n < 150; ++n)
                equal = equal && same(engine.step(force_at(n)), first[static_cast<std::size_t>(n)]);
            CHECK(equal);
        };
        const PassageParams passage{.speed = 60.0, .start = 40.0};
        check(ReferenceEngine<>(FiniteElements<>(stitched_hil(2)), passage));
        check(RealTimeEngine<>(FiniteElements<>(stitched_hil(2)), passage));
    }

    TEST_CASE(
        "start_under() makes every reset() lead to rest under the load, and a load at rest replaces it for once") {
        const FiniteElements<> model(stitched_hil(3));
        RealTimeEngine<> engine(model, {.speed = 60.0, .start = 97.0, .dt = 2e-3});
        const auto load = static_load(model, 97.0, 500.0), light = static_load(model, 97.0, 50.0);
        engine.start_under(load);
        const double height = engine.wire().height, slack = engine.slack_droppers();
        CHECK(slack > 0);
        for (int n = 0; n < 200; ++n) engine.step(20.0 * n);
        engine.reset();
        CHECK(engine.wire().height == height);
        CHECK(engine.slack_droppers() == slack);
        CHECK(engine.time() == 0.0);
        const double next = engine.step(500.0).height;
        engine.reset(light);
        CHECK(engine.wire().height < height);
        CHECK(engine.slack_droppers() <= slack);
        for (const auto& m : {engine.step(50.0), engine.step(50.0)}) CHECK(is_finite(m));
        engine.reset();
        CHECK(engine.step(500.0).height == next);
        CHECK_THROWS_AS(engine.start_under(static_load(model, 130.0, 500.0)), SetupError);
    }

    TEST_CASE("a prediction is what the steps then bring, and leaves no trace") {
        const FiniteElements<> model(stitched_hil(2));
        const PassageParams passage{.speed = 60.0, .start = 40.0};
        RealTimeEngine<> curious(model, passage), plain(model, passage);
        bool equal = true, right = true;
        for (int n = 0; n < 200; ++n) {
            std::array<Motion, 5> ahead;
            curious.predict(force_at(n), ahead);
            RealTimeEngine<> later = plain;  // a copy that really goes there
            if (n % 20 == 0)
                for (const Motion& m : ahead) right = right && alike(m, later.step(force_at(n)));
            equal = equal && same(curious.step(force_at(n)), plain.step(force_at(n)));
        }
        CHECK(equal);
        CHECK(right);
        // The same under forces that change, of which the last one is kept.
        std::array<Motion, 5> ahead;
        curious.predict(std::array{100.0, 250.0, 80.0}, ahead);
        RealTimeEngine<> later = plain;
        const std::array<double, 5> forces{100.0, 250.0, 80.0, 80.0, 80.0};
        for (std::size_t j = 0; j < 5; ++j) CHECK(alike(ahead[j], later.step(forces[j])));
        // Under a law that answers the wire: near the contact, and over the whole line if there are more steps.
        const auto law = [](std::size_t k, const Motion& wire) noexcept {
            return 100.0 + 20.0 * static_cast<double>(k) - 80.0 * wire.speed - 2e3 * wire.height;
        };
        for (const std::size_t steps : {5u, 20u}) {
            std::array<Motion, 20> motion;
            curious.predict(law, std::span(motion.data(), steps));
            later = plain;
            for (std::size_t k = 0; k < steps; ++k) CHECK(alike(motion[k], later.step(law(k, later.wire()))));
            CHECK(std::abs(law(4, motion[3]) - law(4, plain.wire())) > 1.0);
        }
        curious.predict(law, {});
        curious.predict(100.0, {});  // nothing to fill in
        CHECK(same(curious.step(100.0), plain.step(100.0)));
        ahead.fill({});
        curious.predict(std::span<const double>{}, ahead);
        later = plain;
        for (const Motion& m : ahead) CHECK(alike(m, later.step(100.0)));
    }

    TEST_CASE("a prediction near the contact is that of the whole line") {
        // @rt-tested: NearLine::predict Strips::times Strips::times_backward Influence::rows wire_motion
        int changes = 0;  // of the slack droppers, within a prediction
        for (const Section<>& section : {stitched_hil(4), en50318_2002(4), random_section(seed(), 3)}) {
            RealTimeEngine<> engine(FiniteElements<>(section, {.contact = 0.75, .messenger = 1.5, .stitch = 0.5}),
                                    {.speed = 300.0 / 3.6, .start = 0.7 * section.length()});
            for (std::int64_t n = 0; n < engine.steps_on_line() + 20; ++n) {  // past masts, onto the end and beyond
                if (n % 7 == 0) {
                    std::array<double, 8> forces{};
                    std::array<Motion, 8> ahead{};
                    for (std::size_t j = 0; j < 8; ++j)
                        forces[j] = force_at(static_cast<int>(n)) + 40.0 * static_cast<double>(j % 3);
                    engine.predict(forces, ahead);
                    RealTimeEngine<> whole = engine;
                    for (std::size_t j = 0; j < 8; ++j) {
                        const int slack = whole.slack_droppers();
                        const Motion m = whole.step(forces[j]);
                        changes += whole.slack_droppers() != slack;
                        CHECK(alike(ahead[j], m));
                    }
                }
                engine.step(force_at(static_cast<int>(n)));
            }
        }
        CHECK(changes > 20);
    }

    TEST_CASE("a blow to a mirrored section is answered alike") {
        const Section<> s = random_section(seed(), 3);
        RealTimeEngine<> here(FiniteElements<>(s), {.speed = 0.0, .start = 50.0});
        RealTimeEngine<> there(FiniteElements<>(mirrored(s)), {.speed = 0.0, .start = s.length() - 50.0});
        double worst = 0.0;
        for (int n = 0; n < 300; ++n)
            worst = std::max(worst, std::abs(here.step(force_at(n)).height - there.step(force_at(n)).height));
        CHECK(worst < 1e-10);
    }

    TEST_CASE("a section that lies higher moves higher and feels the same") {
        const Section<> s = random_section(seed(), 3);
        const PassageParams passage{.speed = 60.0, .start = 20.0, .accept_coarse_mesh = true};
        RealTimeEngine<> low(FiniteElements<>(s, {.contact = 1.2}), passage);
        RealTimeEngine<> high(FiniteElements<>(raised(s, 0.25), {.contact = 1.2}), passage);
        double height = 0.0, tension = 0.0;
        for (int n = 0; n < 300; ++n) {
            height = std::max(height, std::abs(high.step(force_at(n)).height - low.step(force_at(n)).height - 0.25));
            for (std::size_t j = 0; j < low.model().droppers().size(); ++j)
                tension = std::max(tension, std::abs(high.dropper_force(j) - low.dropper_force(j)));
        }
        CHECK(height < 1e-10);
        CHECK(tension < 1e-5);
    }

    TEST_CASE("twice the masses, tensions, stiffnesses and forces are the same motion") {
        const Section<> s = random_section(seed() + 1, 3);
        const PassageParams passage{.speed = 60.0, .start = 20.0, .accept_coarse_mesh = true};
        RealTimeEngine<> once(FiniteElements<>(s, {.contact = 1.2}), passage);
        RealTimeEngine<> twice(FiniteElements<>(scaled(s, 2.0), {.contact = 1.2}), passage);
        double worst = 0.0;
        for (int n = 0; n < 300; ++n)
            worst = std::max(worst, std::abs(twice.step(2.0 * force_at(n)).height - once.step(force_at(n)).height));
        CHECK(worst < 1e-10);
    }

    TEST_CASE("the speed is the rate of the height that the pantograph sees, its slope included") {
        RealTimeEngine<> engine(FiniteElements<>(ac_simple_2015(2), {.contact = 1.0}),
                                {.speed = 60.0, .start = 20.0, .dt = 1e-4});
        std::vector<Motion> m;
        for (int n = 0; n < 3000; ++n) m.push_back(engine.step(100.0 * std::sin(2e-3 * n)));
        double rate = 0.0, acceleration = 0.0;
        for (std::size_t n = 1; n + 1 < m.size(); ++n) {
            rate = std::max(rate, std::abs((m[n + 1].height - m[n - 1].height) / 2e-4 - m[n].speed));
            acceleration = std::max(acceleration, std::abs((m[n].speed - m[n - 1].speed) / 1e-4 - m[n].acceleration));
        }
        // Speeds of some 0.1 m/s; curvature jumps at nodes, (v dt) times 0.01 1/m times v.
        CHECK(rate < 5e-3);
        CHECK(acceleration < 1e-6);
    }

    TEST_CASE("one newton at the end of a step lifts the wire by the step's compliance") {
        const FiniteElements<> model(stitched_hil(2));
        const PassageParams passage{.speed = 60.0, .start = 40.0};
        RealTimeEngine<> free(model, passage), pressed(model, passage);
        const double lifted = pressed.step(1.0).height - free.step(0.0).height;
        CHECK(lifted == approx(free.step_compliance(free.position())).epsilon(1e-9));
    }

    TEST_CASE("the slackening matrix is symmetric, and one dropper's answer to itself lies between nothing and all") {
        const RealTimeEngine<> engine(FiniteElements<>(stitched_hil(3)), {.speed = 60.0});
        const auto& M = engine.slackening_matrix();
        double largest = 0.0, skew = 0.0;
        for (Eigen::Index j = 0; j < M.rows(); ++j) {
            for (Eigen::Index i = 0; i < M.cols(); ++i) {
                largest = std::max(largest, std::abs(M(i, j)));
                skew = std::max(skew, std::abs(M(i, j) - M(j, i)));
            }
            const double own = M(j, j) * engine.model().droppers()[static_cast<std::size_t>(j)].stiffness;
            CHECK(own > 0.0);
            CHECK(own < 1.0);
        }
        CHECK(skew < 1e-12 * largest);
        CHECK(engine.bytes_per_step() > 0);
        for (const auto& [i, j] : {std::pair<Eigen::Index, Eigen::Index>{-1, 0}, {0, -1}, {M.rows(), 0}, {0, M.cols()}})
            CHECK(std::isnan(M(i, j)));
        // @rt-tested: SlackeningMatrix::operator()
        CHECK(panto::test::allocations_in([&] { largest += M(0, 1) + M(0, M.cols() - 1); }) == 0);
    }

    TEST_CASE("the slackening matrix is that of the whole line, and grows with its length, not its square") {
        std::array<std::size_t, 3> numbers{};
        for (const unsigned spans : {4U, 6U, 8U}) {
            const FiniteElements<> model(stitched_hil(spans));
            const double dt = 2e-3;
            const RealTimeEngine<> engine(model, {.speed = 60.0, .dt = dt});
            const auto& M = engine.slackening_matrix();
            numbers[spans / 2 - 2] = M.numbers();
            if (spans != 4) continue;
            panto::linalg::SymmetricBand<> S = model.stiffness();
            S.add(4.0 / (dt * dt), model.mass());
            S.add(2.0 / dt, model.damping());
            const panto::linalg::BandCholesky<> whole(S);
            double error = 0.0;
            for (Eigen::Index j = 0; j < M.cols(); ++j) {
                const auto& own = model.droppers()[static_cast<std::size_t>(j)];
                VectorXd x = VectorXd::Zero(model.size());
                x[own.top] += 1.0, x[own.bottom] -= 1.0;
                whole.solve(x);
                for (Eigen::Index i = 0; i < M.rows(); ++i) {
                    const auto& d = model.droppers()[static_cast<std::size_t>(i)];
                    error = std::max(error,
                                     std::abs(M(i, j) - (i == j ? 1.0 / own.stiffness : 0.0) + x[d.top] - x[d.bottom]));
                }
            }
            CHECK(error < 1e-14 * M(0, 0));  // rounding of either solution
        }
        CHECK(numbers[2] - numbers[1] == numbers[1] - numbers[0]);  // two spans more
    }

    TEST_CASE("a force that is no number is reported, and reset() clears what it left behind") {
        const FiniteElements<> model(stitched_hil(2));
        const PassageParams passage{.speed = 60.0, .start = 40.0};
        const auto check = [&](auto engine) {
            const Motion first = engine.step(100.0);
            for (const double bad : {not_a_number, std::numeric_limits<double>::infinity()}) {
                const Motion spoilt = engine.step(bad);
                CHECK_FALSE(panto::is_finite(spoilt));
                CHECK(engine.status() == Status::not_finite);
                engine.step(100.0);
                CHECK(engine.status() == Status::not_finite);
                engine.reset();
                CHECK(engine.status() == Status::ok);  // of the state as it is now
                CHECK(same(engine.step(100.0), first));
                CHECK(engine.status() == Status::ok);
            }
            engine.reset();
            const auto result = engine.step_contact({.stiffness = 5e4, .head_height = not_a_number});
            CHECK(result.status == Status::not_finite);
            CHECK_FALSE(result.usable());
        };
        check(ReferenceEngine<>(model, passage));
        check(RealTimeEngine<>(model, passage));
    }

    TEST_CASE("a contact from which no force follows is refused, and moves nothing") {
        const FiniteElements<> model(random_section(3), {.contact = 1.2, .messenger = 2.5});
        RealTimeEngine<> fast(model, {.speed = 40.0, .start = 10.0});
        ReferenceEngine<> slow(model, {.speed = 40.0, .start = 10.0});
        const auto refuses = [](auto& engine) {
            const ImplicitContact<double> sound{.stiffness = 5e4, .head_height = 0.05, .head_compliance = 1e-6};
            REQUIRE(engine.step_contact(sound).status == Status::ok);
            const double time = engine.time(), height = engine.wire().height;
            for (const double k : {not_a_number, std::numeric_limits<double>::infinity(), -5e4, 0.0}) {
                CHECK(engine.step_contact({k, 0.05, 1e-6}).status == Status::not_finite);
                CHECK(engine.status() == Status::not_finite);
            }
            CHECK(engine.step_contact({5e4, not_a_number, 1e-6}).status == Status::not_finite);
            CHECK(engine.step_contact({5e4, 0.05, not_a_number}).status == Status::not_finite);
            CHECK(engine.step_contact({5e4, 0.05, -1e-6}).status == Status::not_finite);
            CHECK(engine.time() == time);
            CHECK(engine.wire().height == height);
            CHECK(engine.step_contact(sound).status == Status::ok);
        };
        refuses(fast);
        refuses(slow);
        CHECK_THROWS_WITH_AS((ReferenceEngine<>(model, {.speed = 40.0, .start = 10.0, .dt = 1e-200})),
                             "catenary::Passage: dt is 1e-200 s, must be from 1e-7 to 1 s", SetupError);
        CHECK_THROWS_AS((RealTimeEngine<>(model, {.speed = 40.0, .start = 10.0, .dt = 1e200})), SetupError);
        CHECK_THROWS_AS((RealTimeEngine<>(model, {.speed = 40.0, .start = 10.0, .dt = not_a_number})), SetupError);
    }

    TEST_CASE("behind the end of the section the pantograph stays at its end") {
        RealTimeEngine<> engine(FiniteElements<>(stitched_hil(2)), {.speed = 60.0, .start = 129.9});
        for (int n = 0; n < 50; ++n) CHECK(engine.step(100.0).height == approx(0.0));
        CHECK(engine.position() > 130.0);
    }

    TEST_CASE("behind the last support the wire is at rest, and the status says that the line has ended") {
        const auto check = [](auto engine) {
            CHECK(engine.steps_on_line() == 166);  // 20 m at 60 m/s and 2 ms: 166.7
            for (int n = 1; n <= 166; ++n) {
                engine.step(150.0);
                REQUIRE(engine.status() == Status::ok);
            }
            CHECK(engine.position() < 130.0);
            CHECK(engine.wire().speed != 0.0);
            for (int n = 0; n < 5; ++n) {
                const Motion m =
                    n % 2 ? engine.step(150.0) : ((void)engine.step_contact({5e4, 0.01, 0.0}), engine.wire());
                CHECK(engine.status() == Status::end_of_line);
                CHECK(std::abs(m.height) < 1e-12);
                CHECK(m.speed == 0.0);
                CHECK(m.acceleration == 0.0);
            }
            CHECK(engine.step_contact({5e4, 0.01, 0.0}).status == Status::end_of_line);
            engine.step(not_a_number);  // worse than the end of the line
            CHECK(engine.status() == Status::not_finite);
            engine.reset();
            CHECK(engine.status() == Status::ok);
        };
        const FiniteElements<> model(stitched_hil(2));
        const PassageParams passage{.speed = 60.0, .start = 110.0};
        check(ReferenceEngine<>(model, passage));
        check(RealTimeEngine<>(model, passage));
        RealTimeEngine<> engine(model, passage);
        for (int n = 0; n < 164; ++n) engine.step(150.0);
        std::array<Motion, 5> ahead{};
        engine.predict(150.0, ahead);
        CHECK(ahead[1].speed != 0.0);
        for (std::size_t i = 2; i < ahead.size(); ++i) {
            CHECK(ahead[i].speed == 0.0);
            CHECK(ahead[i].acceleration == 0.0);
        }
        CHECK(engine.status() == Status::ok);  // a look ahead is no step
        // The last step ends on the last support, to rounding; one that stands never gets there.
        CHECK(steps_on_line(model, {.speed = 0.1 / 3.0, .start = 129.9, .dt = 0.3}) == 10);
        CHECK(steps_on_line(model, {.speed = 0.0, .start = 129.9}) == std::numeric_limits<std::int64_t>::max());
    }

    TEST_CASE("a start at rest under a load that stands elsewhere is refused with both places") {
        const FiniteElements<> model(stitched_hil(3));
        const PassageParams passage{.speed = 60.0, .start = 70.0};
        const auto elsewhere = static_load(model, 130.0, 120.0);
        ReferenceEngine<> reference(model, passage);
        RealTimeEngine<> engine(model, passage);
        CHECK_THROWS_WITH_AS(
            reference.reset(elsewhere),
            "catenary::ReferenceEngine: the static load acts at 130 m, must act where the pantograph starts, 70 m",
            SetupError);
        CHECK_THROWS_AS(engine.reset(elsewhere), SetupError);
        CHECK_NOTHROW(engine.reset(static_load(model, 70.0, 120.0)));
    }

    TEST_CASE("both engines check the passage, and keep its warnings") {
        const FiniteElements<> model(stitched_hil(2));
        CHECK_THROWS_AS(ReferenceEngine<>(model, {.speed = -1.0}), SetupError);
        CHECK_THROWS_AS(RealTimeEngine<>(model, {.speed = -1.0}), SetupError);
        CHECK(ReferenceEngine<>(model, {.speed = 140.0, .accept_coarse_mesh = true}).warnings().size() == 1);
        CHECK(RealTimeEngine<>(model, {.speed = 160.0}).warnings().size() == 2);
    }

    TEST_CASE("no engine allocates in its steps") {
        // @rt-tested: ReferenceEngine::reset ReferenceEngine::step ReferenceEngine::step_contact
        // @rt-tested: ReferenceEngine::dropper_force ReferenceEngine::uplift ReferenceEngine::displacement
        // @rt-tested: ImplicitContact::solvable ReferenceEngine::velocity RealTimeEngine::reset
        // @rt-tested: RealTimeEngine::step RealTimeEngine::step_contact
        // @rt-tested: RealTimeEngine::predict RealTimeEngine::dropper_force RealTimeEngine::uplift
        // @rt-tested: RealTimeEngine::displacement RealTimeEngine::step_compliance Influence::at Influence::add
        // @rt-tested: steps_on_line
        // @rt-tested: ReferenceEngine::slack_droppers RealTimeEngine::slack_droppers
        const FiniteElements<> model(stitched_hil(2));
        const PassageParams passage{.speed = 60.0, .start = 40.0};
        ReferenceEngine<> reference(model, passage);
        RealTimeEngine<> engine(model, passage);
        std::array<Motion, 4> ahead;
        double sum = 0.0;
        const auto run = [&](auto& e) {
            e.reset();
            for (int n = 0; n < 60; ++n) {
                e.step(force_at(n));
                sum += e.step_contact({.stiffness = 5e4, .head_height = head_at(n)}).value;
                for (std::size_t j = 0; j < model.droppers().size(); ++j) sum += e.dropper_force(j);
                sum += e.uplift(20) + e.slack_droppers();
            }
            sum += static_cast<double>(e.steps_on_line() + steps_on_line(model, passage));
        };
        CHECK(panto::test::allocations_in([&] {
                  run(reference);
                  sum += reference.displacement()[3] + reference.velocity()[3];
              }) == 0);
        CHECK(panto::test::allocations_in([&] {
                  run(engine);
                  engine.predict(300.0, ahead);
                  engine.predict([](std::size_t, const Motion& m) noexcept { return 300.0 - 50.0 * m.speed; }, ahead);
                  sum += engine.displacement(3) + engine.step_compliance(41.0);
              }) == 0);
        CHECK(std::isfinite(sum));
    }

    TEST_CASE("a node, a dropper or a row that there is not is answered with no number") {
        const FiniteElements<> model(en50318_2002(2));
        const PassageParams passage{.speed = 0.0, .start = 30.0};
        ReferenceEngine<> reference(model, passage);
        RealTimeEngine<> engine(model, passage);
        const std::size_t nodes = model.mesh().contact.size(), droppers = model.droppers().size();
        for (const std::size_t wrong : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 40}) {
            CHECK(std::isnan(reference.uplift(nodes + wrong)));
            CHECK(std::isnan(engine.uplift(nodes + wrong)));
            CHECK(std::isnan(reference.dropper_force(droppers + wrong)));
            CHECK(std::isnan(engine.dropper_force(droppers + wrong)));
            CHECK_THROWS_WITH_AS((void)model.contact_row(nodes + wrong), doctest::Contains("node is "),
                                 panto::SetupError);
        }
        for (const int wrong : {-1, model.size(), 1 << 30}) CHECK(std::isnan(engine.displacement(wrong)));
        for (const std::size_t wrong : {std::size_t{1}, ~std::size_t{0}})
            CHECK(std::isnan(engine.support_uplift(wrong)));
        CHECK(engine.support_uplift(0) == 0.0);
        CHECK(engine.uplift(nodes - 1) == 0.0);
        CHECK(engine.dropper_force(droppers - 1) > 0.0);
        CHECK(engine.displacement(model.size() - 1) == 0.0);
        CHECK(model.section().support_position(2) == model.length());
        CHECK_THROWS_WITH_AS((void)model.section().support_position(3), doctest::Contains("must be from 0 to 2"),
                             panto::SetupError);
    }
}

}  // namespace engines_test
