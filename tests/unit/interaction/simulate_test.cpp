// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/element/damper.hpp>
#include <panto/element/spring.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/pantograph/with_elements.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/rig_stand_in.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace panto::interaction;
using panto::Result;
using panto::SetupError;
using panto::Status;
using panto::catenary::FiniteElements;
using panto::catenary::ImplicitContact;
using panto::catenary::PassageParams;
using panto::catenary::RealTimeEngine;
using panto::pantograph::LumpedParams;

namespace simulate_test {
namespace element = panto::element;
namespace pantograph = panto::pantograph;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

LumpedParams<> two_masses() {  // the reference model of EN 50318
    LumpedParams<> p;
    p.mass = Eigen::Vector2d(7.2, 15.0);
    p.damping = Eigen::Vector2d(10.0, 90.0);
    p.stiffness = Eigen::Vector2d(4200.0, 50.0);
    return p;
}

const FiniteElements<>& en50318() {
    static const FiniteElements<> m(panto::catenary::en50318_2002(4), {.contact = 1.2});
    return m;
}

/// The real-time engine, which spoils the results of its steps after some good ones if it is told to.
struct Engine : RealTimeEngine<> {
    explicit Engine(double speed = 50.0, double start = 30.0) : Engine(en50318(), {.speed = speed, .start = start}) {}
    Engine(const FiniteElements<>& m, const PassageParams& passage) : RealTimeEngine<>(m, passage) {}
    Status spoilt = Status::ok;
    double force = 0.0;
    int good_steps = std::numeric_limits<int>::max();

    Result<double> step_contact(const ImplicitContact<double>& contact) noexcept {
        const auto result = RealTimeEngine<>::step_contact(contact);
        return good_steps-- > 0 ? result : Result<double>{force, spoilt};
    }
};

const SimulationParams good{.pantograph = two_masses(), .uplift_force = 120.0, .end = 200.0};

/// What stands in the way of a simulation, or nothing.
std::string objection(const SimulationParams& p) {
    static Engine standing(0.0);
    try {
        Simulation<Engine> run(standing, p);
    } catch (const SetupError& error) {
        return error.what();
    }
    return "";
}

double mean(const std::vector<double>& values, std::size_t from) {
    double sum = 0.0;
    for (std::size_t i = from; i < values.size(); ++i) sum += values[i];
    return sum / static_cast<double>(values.size() - from);
}

}  // namespace

TEST_SUITE("interaction::simulate") {
    TEST_CASE("couplings are known by their names") {
        for (const Coupling c : {Coupling::implicit, Coupling::explicit_delayed, Coupling::interaction_mass})
            CHECK(coupling(name(c)) == c);
        CHECK_THROWS_WITH_AS(static_cast<void>(coupling("explicit_delay")),
                             "interaction::coupling: no coupling is called 'explicit_delay'; did you mean "
                             "'explicit_delayed'? Known are implicit, explicit_delayed, interaction_mass",
                             SetupError);
    }

    TEST_CASE("every parameter that makes no sense is named") {
        CHECK(objection(good) == "");
        struct Field {
            std::string name;
            std::function<double&(SimulationParams&)> of;
            bool zero_allowed;
        };
        const std::vector<Field> fields{
            {"uplift_force", [](SimulationParams& p) -> double& { return p.uplift_force; }, true},
            {"contact_stiffness", [](SimulationParams& p) -> double& { return p.contact_stiffness; }, false},
            {"uplift_ramp", [](SimulationParams& p) -> double& { return p.uplift_ramp; }, true},
            {"mass", [](SimulationParams& p) -> double& { return p.mass.mass; }, false},
            {"damping", [](SimulationParams& p) -> double& { return p.mass.damping; }, true},
            {"stiffness", [](SimulationParams& p) -> double& { return p.mass.stiffness; }, false},
            {"mass[1]", [](SimulationParams& p) -> double& { return p.pantograph.mass[1]; }, false},
            {"damping[0]", [](SimulationParams& p) -> double& { return p.pantograph.damping[0]; }, true},
            {"stiffness[1]", [](SimulationParams& p) -> double& { return p.pantograph.stiffness[1]; }, true}};
        for (const Field& field : fields)
            for (const double bad : {0.0, -1.0, not_a_number, infinity, -infinity}) {
                SimulationParams p = good;
                field.of(p) = bad;
                const std::string text = objection(p);
                CAPTURE(field.name);
                CAPTURE(text);
                if (field.zero_allowed && bad == 0.0)
                    CHECK(text == "");
                else {
                    CHECK(text.find(": " + field.name + " must be finite") != std::string::npos);
                    CHECK(text.ends_with(", got " + panto::shown(bad)));
                }
            }
        SimulationParams p = good;
        p.pantograph = {};
        CHECK(objection(p).find("mass is empty") != std::string::npos);
    }

    TEST_CASE("the end lies between the start and the end of the section") {
        for (const double bad : {not_a_number, infinity, 30.0, 10.0, -5.0, 240.1}) {
            SimulationParams p = good;
            p.end = bad;
            CAPTURE(bad);
            CHECK(objection(p).find("interaction::simulate: end ") == 0);
        }
        SimulationParams p = good;
        p.end = 240.0;
        CHECK(objection(p) == "");
        p.end = 300.0;
        CHECK(objection(p) ==
              "interaction::simulate: end is 300 m, must be above the start, 30 m, and at most the length of the "
              "section, "
              "240 m; set past_the_end to run beyond it");
    }

    TEST_CASE("a run to the very end stops on the line; told to, it runs on, and the wire rests behind it") {
        SimulationParams p = good;
        p.end = 240.0;
        Engine engine(55.0, 237.0);  // 0.11 m a step: 27 steps and a bit
        const SimulationRecord record = panto::interaction::simulate(engine, p);
        CHECK(record.contact.position.size() == 28);
        CHECK(record.contact.position.back() <= 240.0);
        Simulation<Engine> run((engine.reset(), engine), p);
        while (!run.finished()) REQUIRE(run.step() == Status::ok);
        CHECK(run.step() == Status::end_of_line);  // for those who go on all the same
        engine.reset();
        p.end = 241.0;
        CHECK_THROWS_AS((void)panto::interaction::simulate(engine, p), SetupError);
        p.past_the_end = true;
        const SimulationRecord behind = panto::interaction::simulate(engine, p);
        CHECK(behind.contact.position.back() >= 241.0);
        CHECK(behind.contact.height.back() == approx(0.0));
        CHECK(behind.unconverged_steps == 0);
        CHECK(engine.wire().speed == 0.0);
    }

    TEST_CASE("a run from the static shape begins there, also on an engine that stands under a load") {
        SimulationParams p = good;
        p.end = 40.0;
        Engine engine;
        const SimulationRecord expected = panto::interaction::simulate(engine, p);
        engine.reset(panto::catenary::static_load(en50318(), 30.0, 300.0));
        const SimulationRecord record = panto::interaction::simulate(engine, p);
        CHECK(record.contact.force == expected.contact.force);
        CHECK(record.contact.height == expected.contact.height);
    }

    TEST_CASE("the record counts the droppers that are slack at once") {
        SimulationParams p = good;
        p.uplift_force = 250.0;
        Engine engine;
        Simulation<Engine> run(engine, p);
        std::vector<int> expected;
        const auto count = [&] {
            int slack = 0;
            for (std::size_t j = 0; j < en50318().droppers().size(); ++j) slack += engine.dropper_force(j) <= 0.0;
            expected.push_back(slack);
            CHECK(engine.slack_droppers() == slack);
        };
        count();
        while (!run.finished()) (void)run.step(), count();
        engine.reset();
        const SimulationRecord record = panto::interaction::simulate(engine, p);
        CHECK(record.slack_droppers == expected);
        std::int64_t steps = 0, sum = 0;
        for (const auto& d : record.droppers) steps += d.slack_steps;
        for (const int slack : record.slack_droppers) sum += slack;
        CHECK(sum == steps);
        CHECK(*std::max_element(expected.begin(), expected.end()) >= 2);
    }

    TEST_CASE("a ramp contradicts the loaded equilibrium, and an engine that was used must be reset") {
        SimulationParams p = good;
        p.start = Start::loaded_equilibrium;
        p.uplift_ramp = 50.0;
        CHECK(objection(p) ==
              "interaction::simulate: uplift_ramp is 50 m, must be 0 with Start::loaded_equilibrium, which begins "
              "with the whole force");
        Engine used;
        used.step(0.0);
        CHECK_THROWS_WITH_AS((Simulation<Engine>(used, good)),
                             "interaction::simulate: the engine stands at 30.1 m after steps of an earlier run; call "
                             "its reset() first",
                             SetupError);
        used.reset();
        CHECK_NOTHROW((Simulation<Engine>(used, good)));
    }

    TEST_CASE("an engine that stands still would never arrive") {
        Engine e(0.0);
        CHECK_THROWS_WITH_AS(static_cast<void>(simulate(e, good)),
                             "interaction::simulate: after 100000000 steps of 2 ms the contact is only at 30 m, before "
                             "the end, 200 m: the train is too slow, or stops before",
                             SetupError);
        Engine creeping(1e-300);  // nor would this one, ever
        CHECK_THROWS_AS(static_cast<void>(simulate(creeping, good)), SetupError);
        // Nor one that brakes to a halt on the way: 30 m + 2 s 25 m/s.
        Engine halting(en50318(), {.start = 30.0, .profile = panto::catenary::SpeedProfile({{0.0, 50.0}, {2.0, 0.0}})});
        CHECK_THROWS_AS(static_cast<void>(simulate(halting, good)), SetupError);
        SimulationParams short_of_it = good;
        short_of_it.end = 79.0;
        CHECK(simulate(halting, short_of_it).contact.position.back() == approx(79.0).epsilon(1e-3));
    }

    TEST_CASE("an engine need not be a finite-element model, nor run at constant speed") {
        SimulationParams p = good;
        p.uplift_ramp = 20.0;
        p.end = 400.0;
        panto::test::StandInCatenary e;
        const SimulationRecord record = simulate(e, p);
        const auto& c = record.contact;
        CHECK(record.droppers.empty());
        CHECK(c.supports.empty());
        REQUIRE(c.time.size() == c.force.size());
        CHECK(record.slack_droppers.empty());  // it has no droppers
        for (std::size_t k = 0; k < c.time.size(); k += 50)
            CHECK(c.position[k] == approx(20.0 * c.time[k] + c.time[k] * c.time[k]));
        // In the end at rest: springs of 4200 and 50 N/m and the contact below a wire of 2000 N/m.
        // F = 120 - 50 u_frame,  u_frame = F / 2000 + F / 50e3 + F / 4200
        const double rest = 120.0 / (1.0 + 50.0 * (1.0 / 2000.0 + 1.0 / 50e3 + 1.0 / 4200.0));
        CHECK(c.force.back() == approx(rest).epsilon(0.01));  // after 12 s with a time constant near 0.3 s
        CHECK(c.height.back() == approx(rest / 2000.0).epsilon(0.01));
        const auto at = [&](double x) {
            return static_cast<std::size_t>(std::lower_bound(c.position.begin(), c.position.end(), x) -
                                            c.position.begin());
        };
        CHECK(c.force[at(2.0)] < 0.5 * c.force[at(25.0)]);  // the ramp is one of the way

        p.coupling = Coupling::interaction_mass;
        p.contact_stiffness = 20e3;
        e.reset();
        CHECK(simulate(e, p).contact.force.back() == approx(rest).epsilon(0.02));
        e.reset();
        p.coupling = Coupling::explicit_delayed;
        CHECK_THROWS_WITH_AS(
            (void)simulate(e, p),
            "interaction::simulate: the coupling explicit_delayed can be checked only for engines with a "
            "finite-element model(); use the implicit coupling, or set accept_unstable",
            SetupError);
        p.accept_unstable = true;
        CHECK(simulate(e, p).contact.force.back() == approx(rest).epsilon(0.02));
        e.reset();
        p = good;
        p.start = Start::loaded_equilibrium;
        CHECK_THROWS_WITH_AS((void)simulate(e, p),
                             "interaction::simulate: this engine has no static_height() and rest_under(), which "
                             "Start::loaded_equilibrium needs; use Start::at_datum with an uplift_ramp",
                             SetupError);
    }

    TEST_CASE("a roof that moves presses the pantograph up by its spring and damper; a level one changes no bit") {
        SimulationParams p = good;
        p.end = 60.0;
        Engine e;
        const auto plain = simulate(e, p).contact.force;
        e.reset();
        p.roof = [](double) { return panto::Motion{0.3, 0.0, 0.0}; };  // high, but level
        CHECK(simulate(e, p).contact.force == plain);

        // Below a wire that hardly gives way, at 0.25 Hz: the frame takes up 15 kg (2 pi 0.25 Hz)^2 / 4200 N/m = 1 %.
        panto::test::StandInCatenary wire;
        wire.stiffness = 1e9;
        p.end = 300.0;
        p.uplift_ramp = 20.0;
        const auto height = [](double t) { return 0.02 * (1.0 - std::cos(1.5707963267949 * t)); };
        const auto speed = [](double t) { return 0.02 * 1.5707963267949 * std::sin(1.5707963267949 * t); };
        p.roof = [&](double t) { return panto::Motion{1.0 + height(t), speed(t), 0.0}; };
        const auto moved = simulate(wire, p).contact;
        wire.reset();
        p.roof = {};
        const auto still = simulate(wire, p).contact;
        double off = 0.0, most = 0.0;
        for (std::size_t k = 2000; k < moved.time.size(); ++k) {  // the start has faded
            const double expected = 50.0 * height(moved.time[k]) + 90.0 * speed(moved.time[k]);
            off = std::max(off, std::abs(moved.force[k] - still.force[k] - expected));
            most = std::max(most, std::abs(expected));
        }
        CHECK(most > 2.0);
        CHECK(off < 0.05 * most);
        p.roof = [](double) { return panto::Motion{not_a_number, 0.0, 0.0}; };
        wire.reset();
        CHECK_THROWS_AS((void)simulate(wire, p), SetupError);
    }

    TEST_CASE("with implicit coupling the force is the contact stiffness times the penetration at that instant") {
        Engine e;
        Simulation<Engine> run(e, good);
        int contacts = 0;
        while (!run.finished()) {
            REQUIRE(run.step() == Status::ok);
            const double penetration = run.head_height() - e.wire().height;
            CHECK(std::abs(run.contact_force() - std::max(0.0, 50e3 * penetration)) < 1e-6);
            contacts += run.contact_force() > 0.0;
        }
        CHECK(contacts > 1000);
    }

    TEST_CASE("from the loaded equilibrium everything stays at rest while the train stands, with every coupling") {
        for (const Coupling c : {Coupling::implicit, Coupling::explicit_delayed, Coupling::interaction_mass}) {
            CAPTURE(name(c));
            SimulationParams p = good;
            p.coupling = c;
            p.contact_stiffness = 20e3;
            p.start = Start::loaded_equilibrium;
            p.uplift_force = 160.0;
            Engine e(0.0, 93.0);
            Simulation<Engine> run(e, p);
            const double force = run.contact_force(), height = e.wire().height;
            const double lifted = panto::catenary::static_load(en50318(), 93.0, force).uplift;
            CHECK(height == approx(en50318().static_height(93.0)[0] + lifted).epsilon(1e-9));
            // Only the spring to the roof takes force away: 50 N/m on a frame that stands 0.15 m high.
            const double contact = force / 20e3 + (c == Coupling::interaction_mass ? force / 50e3 : 0.0);
            CHECK(force == approx(160.0 - 50.0 * (height + contact + force / 4200.0)).epsilon(1e-9));
            double change = 0.0, moved = 0.0;
            for (int n = 0; n < 300; ++n) {
                REQUIRE(run.step() == Status::ok);
                change = std::max(change, std::abs(run.contact_force() - force));
                moved = std::max(moved, std::abs(e.wire().height - height));
            }
            CHECK(change < 1e-6);  // a height's rounding of 1e-12 m times stiffness and loop
            CHECK(moved < 1e-9);
        }
    }

    TEST_CASE("a pantograph too weak to reach the wire rests below it") {
        auto section = panto::catenary::en50318_2002(2);
        for (auto& dropper : section.spans[0].droppers) dropper.contact_wire_height = 0.001;
        SimulationParams p = good;
        p.start = Start::loaded_equilibrium;
        p.uplift_force = 0.0;
        p.end = 100.0;
        Engine e(FiniteElements<>(section, {.contact = 1.0}), {.speed = 0.0, .start = 30.0});
        Simulation<Engine> run(e, p);
        for (int n = 0; n < 50; ++n) REQUIRE(run.step() == Status::ok);
        CHECK(run.contact_force() == 0.0);
        CHECK(run.head_height() == 0.0);
    }

    TEST_CASE(
        "a force on the head moves a free one by Newton's law, and the wire carries it as long as it is pressed") {
        // A half-sine of -40 N for 0.1 s on 5 kg: v = F T / (pi m) (1 - cos(pi t / T)). The trapezoidal rule is off by
        // at most dt^2 / 6 pi F / (T m) in speed, and by dt^2 / 12 F / m more in height.
        constexpr double force = -40.0, mass = 5.0, length = 0.1, begin = 0.05, pi = 3.14159265358979;
        panto::test::StandInCatenary wire;
        SimulationParams p{
            .pantograph = {Eigen::VectorXd::Constant(1, mass), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)},
            .end = 200.0};
        p.head_force = [&](double t) {
            return t > begin && t < begin + length ? force * std::sin(pi * (t - begin) / length) : 0.0;
        };
        Simulation<panto::test::StandInCatenary> run(wire, p);
        const double error = wire.dt() * wire.dt() / 12.0 * std::abs(force) / mass;
        for (int n = 1; n <= 150; ++n) {
            REQUIRE(run.step() == Status::ok);
            const double t = n * wire.dt() - begin, during = std::min(t, length);
            const double speed = force * length / (pi * mass);
            const double fallen =
                t < 0.0 ? 0.0
                        : speed * (during - length / pi * std::sin(pi * during / length)) + 2.0 * speed * (t - during);
            CHECK(std::abs(run.head_height() - fallen) <= error * (1.0 + 2.0 * pi * std::max(0.0, t) / length));
        }
        CHECK(run.head_height() < -0.05);

        // One that acts from the beginning: the trapezoidal rule is exact.
        panto::test::StandInCatenary above;
        p.head_force = [](double) { return force; };
        Simulation<panto::test::StandInCatenary> fall(above, p);
        for (int n = 1; n <= 50; ++n) {
            REQUIRE(fall.step() == Status::ok);
            CHECK(fall.head_height() == approx(0.5 * force / mass * std::pow(n * above.dt(), 2)).epsilon(1e-9));
        }

        // At rest the wire carries a push as well, less what the spring to the roof takes: F = 120 + 30 - 50 u_2 with
        // u_2 = u_1 + (F - 30) / 4200 and u_1 = F / 50e3 below a wire that does not give way.
        panto::test::StandInCatenary rigid;
        rigid.stiffness = 1e9;
        p = good;
        p.end = 600.0;
        p.head_force = [](double t) { return 30.0 * std::min(1.0, t); };
        const double carried = (150.0 + 50.0 * 30.0 / 4200.0) / (1.0 + 50.0 / 4200.0 + 50.0 / 50e3);
        CHECK(std::abs(simulate(rigid, p).contact.force.back() - carried) < 0.01);
    }

    TEST_CASE("on average the wire carries the uplift force less what the roof spring takes") {
        SimulationParams p = good;
        p.start = Start::loaded_equilibrium;
        p.pantograph.stiffness[1] = 0.0;  // then nothing takes any
        Engine e;
        const auto record = simulate(e, p);
        // Over three spans the momentum of 22 kg at 0.3 m/s is left: 7 N s in 3.4 s; the damper takes 90 N s/m times
        // the rise of the frame, a few centimetres.
        CHECK(mean(record.contact.force, 0) == approx(120.0).epsilon(0.03));
    }

    TEST_CASE("the record holds the start and every step until the end, a step apart") {
        Engine e;
        SimulationParams p = good;
        p.start = Start::loaded_equilibrium;
        const auto record = simulate(e, p);
        const auto& c = record.contact;
        REQUIRE(c.time.size() == 1701);  // 170 m at 0.1 m a step
        CHECK(c.force.size() == c.time.size());
        CHECK(c.height.size() == c.time.size());
        CHECK(c.time.front() == 0.0);
        CHECK(c.time.back() == approx(3.4));
        CHECK(c.position.front() == 30.0);
        CHECK(c.position.back() == approx(200.0));
        REQUIRE(c.supports.size() == 3);
        CHECK(c.supports[1].position == 120.0);
        CHECK(c.supports[1].uplift.size() == c.time.size());
        CHECK(*std::max_element(c.supports[1].uplift.begin(), c.supports[1].uplift.end()) > 0.01);
        REQUIRE(record.droppers.size() == 36);
        for (const auto& d : record.droppers) {
            CHECK(d.smallest <= d.static_force);
            CHECK(d.largest >= d.static_force);
            CHECK((d.slack_steps > 0) == (d.smallest == 0.0));
        }
        CHECK(record.unconverged_steps == 0);
    }

    TEST_CASE("a run repeats itself bit for bit") {
        Engine first, second;
        CHECK(simulate(first, good).contact.force == simulate(second, good).contact.force);
    }

    TEST_CASE("the observer ends a run") {
        Engine e;
        int calls = 0;
        const auto record = simulate(e, good, [&](double position) {
            CHECK(position == e.position());
            return ++calls < 10;
        });
        CHECK(calls == 10);
        CHECK(record.contact.time.size() == 11);
    }

    TEST_CASE("with a ramp the uplift force grows along the track") {
        SimulationParams p = good;
        p.uplift_ramp = 50.0;
        Engine e(20.0);
        const auto record = simulate(e, p);
        const auto mean_between = [&](double from, double to) {
            double sum = 0.0, count = 0.0;
            for (std::size_t i = 0; i < record.contact.time.size(); ++i)
                if (record.contact.position[i] >= from && record.contact.position[i] < to)
                    sum += record.contact.force[i], ++count;
            return sum / count;
        };
        CHECK(record.contact.force.front() == 0.0);
        CHECK(mean_between(50.0, 60.0) == approx(60.0).epsilon(0.15));  // half of 120 N
        CHECK(mean_between(100.0, 200.0) == approx(117.0).epsilon(0.05));
    }

    TEST_CASE("a delayed coupling above its limit is refused, and the limit named is the limit") {
        for (const Coupling c : {Coupling::explicit_delayed, Coupling::interaction_mass}) {
            SimulationParams p = good;
            p.coupling = c;
            p.contact_stiffness = 5e6;
            const std::string text = objection(p), before = "the loop is stable up to ";
            CAPTURE(text);
            REQUIRE(text.find("interaction::simulate: contact_stiffness is 5000000 N/m; with the coupling " +
                              std::string(name(c)) + " and a step of 2 ms " + before) == 0);
            const double limit = std::stod(text.substr(text.find(before) + before.size()));
            CHECK(limit > 10e3);
            p.contact_stiffness = 0.999 * limit;
            CHECK(objection(p) == "");
            p.contact_stiffness = 1.001 * limit;
            CHECK(objection(p) != "");
            p.accept_unstable = true;
            CHECK(objection(p) == "");
            p.accept_unstable = false;
            p.contact_stiffness = 5e6;
            p.coupling = Coupling::implicit;  // knows no limit
            CHECK(objection(p) == "");
        }
    }

    TEST_CASE("the limit of the delayed coupling is where a run begins to chatter") {
        SimulationParams p = good;
        p.coupling = Coupling::explicit_delayed;
        p.contact_stiffness = 5e6;
        p.start = Start::loaded_equilibrium;
        const std::string text = objection(p), before = "the loop is stable up to ";
        const double limit = std::stod(text.substr(text.find(before) + before.size()));
        p.accept_unstable = true;
        const auto roughness = [&](double stiffness) {  // mean change of the force from step to step
            p.contact_stiffness = stiffness;
            Engine e;
            const auto force = simulate(e, p).contact.force;
            double sum = 0.0;
            for (std::size_t i = 1; i < force.size(); ++i) sum += std::abs(force[i] - force[i - 1]);
            return sum / static_cast<double>(force.size());
        };
        CHECK(roughness(3.0 * limit) > 5.0 * roughness(0.5 * limit));
    }

    TEST_CASE("a run that breaks down says where and why, and one that does not converge is counted") {
        Engine broken;
        broken.good_steps = 20;
        broken.spoilt = Status::not_finite;
        CHECK_THROWS_WITH_AS(static_cast<void>(simulate(broken, good)),
                             "interaction::simulate: the run broke down at 32.1 m (not finite); the coupling is "
                             "unstable for these parameters",
                             SetupError);
        Engine silent;
        silent.good_steps = 20;
        silent.force = not_a_number;  // and yet "ok"
        CHECK_THROWS_AS(static_cast<void>(simulate(silent, good)), SetupError);

        Engine tired;
        tired.good_steps = 20;
        tired.spoilt = Status::not_converged;
        CHECK(simulate(tired, good).unconverged_steps == 1700 - 20);
    }

    TEST_CASE("does not allocate while stepping, whatever the coupling") {
        // @rt-tested: Simulation::step
        for (const Coupling c : {Coupling::implicit, Coupling::explicit_delayed, Coupling::interaction_mass}) {
            SimulationParams p = good;
            p.coupling = c;
            p.contact_stiffness = 20e3;
            Engine e;
            Simulation<Engine> run(e, p);
            Status status = Status::ok;
            CHECK(panto::test::allocations_in([&] {
                      for (int n = 0; n < 100; ++n) status = std::max(status, run.step());
                  }) == 0);
            CHECK(status == Status::ok);
        }
    }

    TEST_CASE("runs a pantograph with elements as one whose chain has their stiffness and damping") {
        SimulationParams p = good, chain = good;
        p.end = chain.end = 60.0;
        p.pantograph.damping[1] = 20.0, p.pantograph.stiffness[1] = 15.0, p.pantograph.stiffness[0] = 3000.0;
        const pantograph::Elements elements(
            pantograph::between(1, pantograph::roof, element::KelvinVoigt<>{35.0, 70.0}),
            pantograph::between(0, 1, element::KelvinVoigt<>{1200.0, 0.0}));
        const auto roof = [](double t) {
            return panto::Motion{.height = 0.01 * std::sin(20.0 * t), .speed = 0.2 * std::cos(20.0 * t)};
        };
        p.roof = chain.roof = roof;
        for (const Start start : {Start::at_datum, Start::loaded_equilibrium}) {
            p.start = chain.start = start;
            Engine a, b;
            const auto with = simulate(a, p, elements).contact.force, without = simulate(b, chain).contact.force;
            REQUIRE(with.size() == without.size());
            double off = 0.0;
            for (std::size_t i = 0; i < with.size(); ++i) off = std::max(off, std::abs(with[i] - without[i]));
            CHECK(off < 1e-6);  // rounding of the motion, 1e-12 m and less, on 50 kN/m, amplified by the contact
        }
    }

    TEST_CASE("takes a frame damper by its table and a stop, and shows their forces") {
        Engine wire;
        // [elements]
        SimulationParams p{
            .pantograph = two_masses(), .uplift_force = 120.0, .start = Start::loaded_equilibrium, .end = 90.0};
        p.pantograph.damping[1] = 0.0;  // the damper of the frame takes its place
        const auto table = element::PiecewiseLinear<>::odd({{0.1, 12.0}, {0.4, 20.0}});  // N by m/s
        const pantograph::Elements elements(
            pantograph::between(1, pantograph::roof, element::HydraulicDamper<>(table, 5e4)),
            pantograph::between(0, 1, element::BumpStop<>{.gap = 0.03, .stiffness = 1e5}));
        const SimulationRecord record = simulate(wire, p, elements);
        // [elements]
        CHECK(record.unconverged_steps == 0);
        CHECK(mean(record.contact.force, 0) == approx(120.0).epsilon(0.1));
        // At rest the damper carries nothing, and the spring of the head is pressed in by less than the gap.
        wire.reset();
        CHECK(record.contact.force[0] == approx(Simulation<Engine>(wire, p).contact_force()).epsilon(1e-6));

        wire.reset();
        Simulation run(wire, p, elements);
        double pressed_in = 0.0, damped = 0.0, law = 0.0, most = 0.0;
        while (!run.finished() && run.step() == Status::ok) {
            const auto& x = run.pantograph().state();
            pressed_in = std::max(pressed_in, std::abs(std::get<1>(x.elements).force));
            damped = std::max(damped, std::abs(std::get<0>(x.elements).force));
            const double gap = wire.wire().height - run.head_height();
            law = std::max(law, std::abs(run.contact_force() - std::max(0.0, -5e4 * gap)));
            most = std::max(most, run.contact_force());
        }
        CHECK(pressed_in > 1.0);
        CHECK(damped > 1.0);
        const double give = wire.dt() * wire.dt() / (4.0 * 7.2);  // m/N, of the head in a step
        CHECK(law < 5e4 * give * give * 1e5 * most);              // where the contact presses the head into the stop
    }

    TEST_CASE("refuses elements with a coupling whose limit they change, and elements that do not fit") {
        Engine wire;
        const pantograph::Elements stop(pantograph::between(0, 1, element::BumpStop<>{.gap = 0.03, .stiffness = 1e5}));
        SimulationParams p = good;
        p.coupling = Coupling::explicit_delayed;
        CHECK_THROWS_WITH_AS((Simulation(wire, p, stop)),
                             "interaction::simulate: the coupling explicit_delayed is checked for pantographs without "
                             "elements only; take the implicit coupling, or set accept_unstable",
                             SetupError);
        p.accept_unstable = true;
        CHECK_NOTHROW((Simulation(wire, p, stop)));
        const pantograph::Elements third(pantograph::between(2, pantograph::roof, element::KelvinVoigt<>{0.0, 70.0}));
        CHECK_THROWS_WITH_AS(
            (void)simulate(wire, good, third),
            "pantograph::WithElements: an end of element 0 is mass 2, must be from 0, the pan-head, to "
            "1, or pantograph::roof",
            SetupError);
    }
}

}  // namespace simulate_test
