// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/linear_ride.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>
#include <panto/vehicle/track_design.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace panto::vehicle;

namespace nonlinear_vehicle_test {
namespace {

struct Difference {
    double largest = 0.0, of = 0.0;  ///< m or rad, over all freedoms
    double load = 0.0;               ///< N
};

/// The bogie of parts against the bogie written by hand, on one defect.
Difference against_bogie(double size, int steps, WheelsetForm form = {}, Flange<> flange = {}) {
    const SmoothDefect<> defect{.start = 2.0, .lateral = size, .vertical = size, .roll = 0.3 * size};
    const NonlinearVehicle<> parts(assemble(panto::test::bogie_of_parts({}, {})), 40.0, {}, form, flange);
    const Bogie<double, SmoothDefect<>> bogie({.flange = flange}, {}, 40.0, defect, {}, form);
    auto s = parts.rest();
    decltype(bogie)::State x = decltype(bogie)::State::Zero(), next;
    const std::array<int, 10> of{6, 8, 0, 1, 2, 3, 4, 5, 7, 9};
    Difference d;
    for (int n = 0; n < steps; ++n) {
        parts.step(n * 1e-3, 1e-3, defect, s);
        bogie.step(n * 1e-3, 1e-3, x, next);
        x = next;
        for (int i = 0; i < 10; ++i) {
            const double y = x[of[static_cast<std::size_t>(i)]];
            d.largest = std::max(d.largest, std::abs(s.x[i] - y));
            d.of = std::max(d.of, std::abs(y));
        }
    }
    parts.evaluate(steps * 1e-3, defect, s);
    const auto exact = bogie.loads(steps * 1e-3, x);
    for (int i = 0; i < 2; ++i)
        for (std::size_t side = 0; side < 2; ++side)
            d.load = std::max(
                d.load, std::abs(parts.loads(i, s)[side].vertical - exact[static_cast<std::size_t>(i)][side].vertical));
    return d;
}

/// A box on one wheelset whose vertical spring has a stop and a damper with a knee.
Multibody cart(double gap, double knee) {
    Multibody v;
    v.bodies.push_back({"box", 4000.0, {2000.0, 2000.0, 2000.0}, {0.0, 0.0, 1.0}});
    v.axles.push_back({"axle", 1500.0, 900.0, 100.0, 0.0});
    for (const double side : {1.0, -1.0}) {
        Suspension z{.direction = Direction::z, .stiffness = 2e5, .damping = 1e4, .gap = gap, .stop = 2e6};
        if (knee > 0.0) z.damping = 0.0, z.knee_force = knee, z.knee_speed = knee / 1e4, z.beyond = 0.1;
        v.links.push_back({"spring",
                           {"box", "axle"},
                           {0.0, side, 0.46},
                           {{.direction = Direction::x, .stiffness = 1e7},
                            {.direction = Direction::y, .stiffness = 5e6, .damping = 2e4},
                            z,
                            {.direction = Direction::pitch, .stiffness = 1e6, .damping = 2e4}}});
    }
    return v;
}

}  // namespace

TEST_SUITE("vehicle::NonlinearVehicle") {
    TEST_CASE("a bogie put together is the bogie written by hand, but for the turn of its frame") {
        // The frame turns by some milliradians, of which the parts leave out the squares.
        const auto large = against_bogie(5e-3, 400), small = against_bogie(5e-4, 400);
        CAPTURE(large.largest / large.of);
        CAPTURE(large.load);
        CHECK(large.of > 2e-3);
        CHECK(large.largest < 2e-3 * large.of);
        CHECK(large.load < 100.0);
        CHECK(small.largest < 2e-4 * small.of);
        const auto printed = against_bogie(5e-3, 400, {.printed_cross_level = true});
        CHECK(printed.largest < 2e-3 * printed.of);
        const auto dynamic = against_bogie(5e-3, 400, {.normal_force = NormalForce::dynamic});
        CHECK(dynamic.largest < 2e-3 * dynamic.of);
        CHECK(std::abs(dynamic.of - large.of) > 1e-5 * large.of);  // another model
        const auto flange = against_bogie(5e-3, 400, {}, {.stiffness = 1e7, .clearance = 2e-3});
        CHECK(std::abs(flange.of - large.of) > 0.01 * large.of);  // it touches
        CHECK(flange.largest < 2e-3 * flange.of);
    }

    TEST_CASE("on a small defect it is the linear march") {
        const Assembly a = assemble(panto::test::bogie_of_parts({}, {}));
        const SmoothDefect<> defect{.start = 2.0, .lateral = 1e-6, .vertical = 1e-6, .roll = 1e-6};
        const LinearMarch march(linearize(a, 40.0), 2e-4);
        const NonlinearVehicle<> vehicle(a, 40.0);
        auto x = march.rest();
        auto s = vehicle.rest();
        double difference = 0.0;
        for (int n = 0; n < 1500; ++n) {
            march.step(n * 2e-4, defect, x);
            vehicle.step(n * 2e-4, 2e-4, defect, s);
            difference = std::max(difference, (x.q - s.x.head<10>()).cwiseAbs().maxCoeff());
        }
        CHECK(difference < 3e-9);  // of some 1e-6: the trapezoidal rule's phase, as in the verification of the march
    }

    TEST_CASE("a stop holds beyond its gap, a damper gives way behind its knee, and both are linear before") {
        const SmoothDefect<> bump{.start = 1.0, .length = 12.0, .vertical = 0.05};
        const auto run = [&](double gap, double knee, double speed = 20.0) {
            const NonlinearVehicle<> vehicle(assemble(cart(gap, knee)), speed);
            auto s = vehicle.rest();
            double squeezed = 0.0;
            for (int n = 0; n < 1000; ++n) {
                vehicle.step(n * 1e-3, 1e-3, bump, s);
                vehicle.evaluate(n * 1e-3, bump, s);
                const double box = vehicle.displacement(vehicle.assembly().probe("box", {0, 0, 1.0}, Direction::z), s);
                const double axle =
                    vehicle.displacement(vehicle.assembly().probe("axle", {0, 0, 0.46}, Direction::z), s);
                squeezed = std::max(squeezed, std::abs(axle - box));
            }
            return squeezed;
        };
        const double free = run(1.0, 0.0), stopped = run(0.01, 0.0), knee = run(1.0, 500.0);
        CAPTURE(free);
        CHECK(free > 0.02);
        CHECK(stopped > 0.01);
        CHECK(stopped < 0.5 * (free + 0.01));
        CHECK(knee > 1.05 * free);
        CHECK(run(1.0, 1e6) == approx(free).epsilon(1e-12));
    }

    TEST_CASE("friction slips over its length: the force after a stroke is F tanh(Y/length)") {
        // A body that is drawn aside over a long wave; the golden loop of the lateral air spring, 2 kN over 4 mm.
        Multibody v = cart(1.0, 0.0);
        v.links[0].parts.push_back({.direction = Direction::z, .friction = 2000.0, .friction_length = 4e-3});
        const NonlinearVehicle<> vehicle(assemble(v), 20.0);
        const auto& parts = vehicle.assembly();
        REQUIRE(parts.parts[4].slip == 0);
        auto s = vehicle.rest();
        const SmoothDefect<> bump{.start = 1.0, .length = 12.0, .vertical = 0.05};
        // F' = |v|/alpha (sgn(v) F_m - F), integrated beside it by the stretch of the states.
        double expected = 0.0, error = 0.0, largest = 0.0;
        for (int n = 0; n < 600; ++n) {
            vehicle.evaluate(n * 1e-3, bump, s);
            const Part& p = parts.parts[4];
            const double d0 = p.row[1].dot(s.nodes[static_cast<std::size_t>(p.node[1])][0]) -
                              p.row[0].dot(s.nodes[static_cast<std::size_t>(p.node[0])][0]);
            vehicle.step(n * 1e-3, 1e-3, bump, s);
            vehicle.evaluate((n + 1) * 1e-3, bump, s);
            const double d1 = p.row[1].dot(s.nodes[static_cast<std::size_t>(p.node[1])][0]) -
                              p.row[0].dot(s.nodes[static_cast<std::size_t>(p.node[0])][0]);
            const double limit = d1 > d0 ? 2000.0 : -2000.0;
            expected = limit + (expected - limit) * std::exp(-std::abs(d1 - d0) / 4e-3);
            const double force = s.x[s.x.size() - 1];
            error = std::max(error, std::abs(force - expected));
            largest = std::max(largest, std::abs(force));
        }
        CHECK(largest > 1500.0);
        CHECK(largest < 2000.0);
        CHECK(error < 10.0);  // where the stroke turns within a step
    }

    TEST_CASE("rubber keeps its last reversal: its friction is that of the element over the same stroke") {
        Multibody v = cart(1.0, 0.0);
        v.links[0].parts.push_back({.direction = Direction::z, .friction = 2000.0, .friction_stroke = 1e-3});
        const NonlinearVehicle<> vehicle(assemble(v), 20.0);
        const auto& parts = vehicle.assembly();
        const Part& p = parts.parts[4];
        REQUIRE(p.rubber == 0);
        REQUIRE(parts.slips == 0);
        auto s = vehicle.rest();
        const SmoothDefect<> bump{.start = 1.0, .length = 3.0, .vertical = 0.01};
        const panto::element::BergRubber<> rubber({0.0, 2000.0, 1e-3, {1.0, 1.0}});
        auto z = rubber.rest();
        const auto stretch = [&](const Part& q, std::size_t of) {
            return q.stretch(s.nodes[static_cast<std::size_t>(q.node[0])][of],
                             s.nodes[static_cast<std::size_t>(q.node[1])][of]);
        };
        const int body = parts.node("box");
        const Node& box = parts.nodes[static_cast<std::size_t>(body)];
        double error = 0.0, largest = 0.0, least = 0.0;
        int reversals = 0;
        for (int n = 0; n < 600; ++n) {
            vehicle.step(n * 1e-3, 1e-3, bump, s);
            vehicle.evaluate((n + 1) * 1e-3, bump, s);
            const double before = z[0];
            rubber.accept(stretch(p, 0), 0.0, z);
            reversals += std::abs(z[0] - before) > 0.0;
            // What pulls the body beside the springs and dampers of all parts is the friction.
            double pull = box.mass * s.slope[parts.freedoms + box.first + 2];
            for (const Part& q : parts.parts)
                for (std::size_t i = 0; i < 2; ++i)
                    if (q.node[i] == body)
                        pull -= (i == 0 ? 1.0 : -1.0) * (q.stiffness * stretch(q, 0) + q.damping * stretch(q, 1)) *
                                q.row[i][2];
            const double friction = rubber.friction(stretch(p, 0), z);
            error = std::max(error, std::abs(pull - (p.node[0] == body ? friction : -friction)));
            largest = std::max(largest, friction), least = std::min(least, friction);
        }
        CHECK(reversals >= 2);
        CHECK(largest > 1000.0);
        CHECK(least < -1000.0);
        CHECK(error < 1e-6);
        v.links[0].parts.back().friction_length = 1e-3;
        CHECK_THROWS_AS((void)assemble(v), panto::SetupError);
    }

    TEST_CASE("an air spring of two volumes is Nishimura's with the orifice open and closed") {
        // Where little moves the thermodynamic spring has his stiffness: kappa p A^2 over both volumes if the orifice
        // is wide, over the bellows if nothing flows; his damper is taken small and large for it.
        const auto run = [](double damping, double orifice) {
            Multibody v = cart(1.0, 0.0);
            for (Link& l : v.links) {
                Suspension& z = l.parts[2];
                z.stiffness = 0.0, z.damping = 0.0;
                z.air = AirSpring{3e5, 0.05, 0.1, 0.012, 0.02, damping, orifice};
                z.scale = 0.8;
                l.parts.push_back({.direction = Direction::z, .damping = 3e3});
            }
            const NonlinearVehicle<> vehicle(assemble(v), 20.0);
            const SmoothDefect<> bump{.start = 1.0, .length = 12.0, .vertical = 1e-5};
            auto s = vehicle.rest();
            CHECK(vehicle.assembly().volumes == (orifice > 0.0 ? 2 : 0));
            std::vector<double> heights;
            const Probe roof = vehicle.assembly().probe("box", {0.0, 0.0, 1.0}, Direction::z);
            for (int n = 0; n < 800; ++n) {
                vehicle.evaluate(n * 1e-3, bump, s);
                heights.push_back(vehicle.displacement(roof, s));
                vehicle.step(n * 1e-3, 1e-3, bump, s);
            }
            return heights;
        };
        const auto off = [&](const std::vector<double>& a, const std::vector<double>& b) {
            double error = 0.0, largest = 0.0;
            for (std::size_t i = 0; i < a.size(); ++i)
                error = std::max(error, std::abs(a[i] - b[i])), largest = std::max(largest, std::abs(b[i]));
            CHECK(largest > 1e-6);
            return error / largest;
        };
        const auto open = run(1e2, 0.0), closed = run(1e8, 0.0);
        CHECK(off(open, closed) > 0.1);
        CHECK(off(run(1e2, 5e-5), open) < 0.05);  // the flow is as the root of the pressure
        CHECK(off(run(1e2, 1e-9), closed) < 0.02);
    }

    TEST_CASE("a wheel that lifts is named, with the time") {
        const NonlinearVehicle<> vehicle(assemble(cart(1.0, 0.0)), 60.0);
        const SmoothDefect<> ramp{.start = 1.0, .length = 6.0, .vertical = 0.06};
        auto s = vehicle.rest();
        RideState state;
        for (int n = 0; n < 200 && state.ok(); ++n) {
            vehicle.evaluate(n * 1e-3, ramp, s);
            state = vehicle.check(n * 1e-3, s);
            vehicle.step(n * 1e-3, 1e-3, ramp, s);
        }
        CHECK(state.status == RideStatus::wheel_lifted);
        CHECK(state.wheelset == 0);
        CHECK(state.time > 0.02);
        CHECK(state.value <= 0.0);
    }

    TEST_CASE("a record ends where a wheel lifts or leaves its rail, with wheel and time, not in numbers") {
        const auto message = [](const auto& vehicle, const auto& track, const LineSection& section) {
            try {
                const Probe probe = vehicle.assembly().probe(vehicle.assembly().nodes[0].axle ? "frame" : "box",
                                                             {0.0, 0.0, 1.0}, Direction::y);
                (void)accelerations(vehicle, track, {probe}, section);
                return std::string("nothing");
            } catch (const panto::SetupError& e) {
                return std::string(e.what());
            }
        };
        const auto says = [](const std::string& text, const char* what) {
            CAPTURE(text);
            CHECK(text.find(what) != std::string::npos);
        };
        // The bogie of parts at 90 m/s on 25 mm: with numbers up to 181 m/s^2 and a wheelset 1.8 m beside the track.
        const NonlinearVehicle<> bogie(assemble(panto::test::bogie_of_parts({}, {})), 90.0);
        const SmoothDefect<> swerve{.start = 5.0, .length = 20.0, .lateral = 25e-3};
        says(message(bogie, swerve, {.length = 100.0}),
             "vehicle::accelerations: off the rail after 0.11 s: front, right, shifted by -8.");
        const NonlinearVehicle<> lifts(assemble(cart(1.0, 0.0)), 60.0);
        const SmoothDefect<> ramp{.start = 1.0, .length = 6.0, .vertical = 0.06};
        says(message(lifts, ramp, {.length = 20.0}), "vehicle::accelerations: wheel lifted after 0.0");
        says(message(lifts, ramp, {.lead = 20.0, .length = 20.0}), "s: axle, left, whose normal force is -");
        says(message(lifts, LevelTrack{}, {.length = 20.0}), "nothing");
        // A record that ends before the run does, also as a part of a sum and on a designed line.
        const SampledTrack record({0.0, 0.25, std::vector<double>(81, 0.0), {}, {}});
        const LineSection section{.start = 2.0, .lead = 5.0, .length = 20.0};
        const char* lengths =
            "vehicle::LineSection: the record of the track goes from 0 to 20 m, but the leading wheelset runs up "
            "to 27 m: take a longer record or a shorter run";
        says(message(lifts, record, section), lengths);
        says(message(lifts, SuperposedTrack<LevelTrack, SampledTrack>{{}, record}, section), lengths);
        says(message(lifts, DesignedTrack<SampledTrack>{{}, record}, section), lengths);
        says(message(lifts, record, {.start = 2.0, .lead = 5.0, .length = 13.0}), "nothing");
    }

    TEST_CASE("the range of the contact is that of its table, of its flange, or 8 mm") {
        const Assembly a = assemble(cart(1.0, 0.0));
        CHECK(NonlinearVehicle<>(a, 20.0).largest_shift(0) == 8e-3);
        const double load = a.wheel_load(a.axles[0]);
        CHECK(NonlinearVehicle<>(a, 20.0, {}, {}, {.stiffness = 15e6}).largest_shift(0) == approx(7e-3 + load / 15e6));
        CHECK(std::isnan(NonlinearVehicle<>(a, 20.0).largest_shift(1)));
        struct Table : LinearGeometry<> {
            [[nodiscard]] double range() const noexcept { return 5e-3; }
        };
        CHECK(largest_shift(Table{}, {.stiffness = 15e6}, load) == 5e-3);
    }

    TEST_CASE("the loads of a linear vehicle are those of the nonlinear one, up to the square of the motion") {
        // @rt-tested: LinearLoads::normal LinearLoads::check
        Multibody six = panto::test::bogie_of_parts({}, {});
        six.free_wheelsets = true;
        Multibody armed = panto::test::bogie_of_parts({}, {});
        armed.links[0].parts[2].series = 2e6;
        const auto curve = TrackDesign({{8.0, {}}, {28.0, {.curvature = 1e-4, .cant = 0.01}}});
        for (const Multibody& description : {armed, six}) {
            const Assembly a = assemble(description);
            const auto compare = [&](const auto& track, double size) {
                const NonlinearVehicle<> vehicle(a, 40.0);
                const LinearMarch march(linearize(a, 40.0), 1e-4);
                const LinearLoads loads(march.vehicle());
                const double rest = loads.normal(0, march.rest())[0];
                auto s = vehicle.rest();
                auto x = march.rest();
                double off = 0.0, largest = 0.0;
                for (int n = 0; n < 4000; ++n) {
                    vehicle.step(n * 1e-4, 1e-4, track, s);
                    march.step(n * 1e-4, track, x);
                    if (n % 20 != 0) continue;
                    vehicle.evaluate((n + 1) * 1e-4, track, s);
                    for (int i = 0; i < 2; ++i)
                        for (std::size_t side = 0; side < 2; ++side) {
                            const double own = vehicle.loads(i, s)[side].normal;
                            off = std::max(off, std::abs(loads.normal(i, x)[side] - own));
                            largest = std::max(largest, std::abs(own - rest));
                        }
                }
                CHECK(loads.check(0.4, x).ok());
                CAPTURE(largest);
                CHECK(largest > size);
                CHECK(off < 0.02 * largest);
            };
            const SmoothDefect<> small{.start = 2.0, .lateral = 2e-4, .vertical = 4e-4, .roll = 1e-4};
            compare(small, 50.0);
            compare(DesignedTrack<SmoothDefect<>>{curve, small}, 50.0);
        }
    }

    TEST_CASE("the shift of a linear wheelset is that against its rails, and by its cross level about their centre") {
        const Assembly a = assemble(panto::test::bogie_of_parts({}, {}));
        const LinearMarch march(linearize(a, 40.0), 1e-3);
        const LinearLoads loads(march.vehicle());
        const int first = a.nodes[static_cast<std::size_t>(a.axles[0])].first;
        const RideLimits tight{.shift = 1e-4};
        const auto state = [&](double y, double lateral, double roll) {
            auto x = march.rest();
            x.q[first] = y, x.w[0] = lateral, x.w[6] = roll;
            return loads.check(0.0, x, tight);
        };
        CHECK(state(8e-5, 8e-5, 0.0).ok());
        CHECK(state(-8e-5, 0.0, 8e-5 / a.rail.profile.radius).ok());
        const RideState left = state(8e-5, -8e-5, 0.0), right = state(-8e-5, 0.0, -8e-5 / a.rail.profile.radius);
        CHECK(left.status == RideStatus::off_the_rail);
        CHECK(left.value == approx(1.6e-4));
        CHECK(left.side == 0);
        CHECK(right.status == RideStatus::off_the_rail);
        CHECK(right.side == 1);
    }

    TEST_CASE("a node or wheelset that does not exist has no motion and no loads") {
        const NonlinearVehicle<> vehicle(assemble(cart(1.0, 0.0)), 20.0);
        const auto s = vehicle.rest();
        for (const int i : {-1, 2}) {
            CHECK(std::isnan(vehicle.displacement({.node = i}, s)));
            CHECK(std::isnan(vehicle.acceleration({.node = i}, s)));
            CHECK(std::isnan(vehicle.loads(i, s)[1].vertical));
        }
    }

    TEST_CASE("a flange that pulls or has no width is refused") {
        const Assembly a = assemble(cart(1.0, 0.0));
        CHECK_THROWS_WITH_AS(NonlinearVehicle<>(a, 20.0, {}, {}, {.stiffness = -1.0}),
                             "vehicle::NonlinearVehicle: flange.stiffness must be finite and >= 0, got -1",
                             panto::SetupError);
        CHECK_THROWS_AS(NonlinearVehicle<>(a, 20.0, {}, {}, {.stiffness = 1e7, .width = 0.0}), panto::SetupError);
    }

    TEST_CASE("a state of another vehicle is refused, and nothing is written") {
        const NonlinearVehicle<> vehicle(assemble(cart(1.0, 0.0)), 20.0);
        auto other = NonlinearVehicle<>(assemble(panto::test::bogie_of_parts({}, {})), 20.0).rest();
        const SmoothDefect<> bump{.start = -5.0, .length = 20.0, .vertical = 0.05};
        CHECK(vehicle.step(0.0, 1e-3, bump, other) == panto::Status::out_of_range);
        CHECK(vehicle.evaluate(0.0, bump, other) == panto::Status::out_of_range);
        CHECK(other.x.isZero());
        CHECK(other.slope.isZero());
        const panto::vehicle::Assembly& a = vehicle.assembly();
        for (const auto& x : {other, NonlinearVehicle<>::State{}}) {
            const panto::vehicle::Probe p = a.probe(a.nodes.back().name, {0.0, 0.0, 0.0}, panto::vehicle::Direction::z);
            CHECK(std::isnan(vehicle.displacement(p, x)));
            CHECK(std::isnan(vehicle.acceleration(p, x)));
            CHECK(std::isnan(vehicle.loads(0, x)[0].normal));
            CHECK(vehicle.check(0.0, x).status == panto::vehicle::RideStatus::not_finite);
        }
        auto own = vehicle.rest();
        CHECK(vehicle.step(0.0, 1e-3, bump, own) == panto::Status::ok);
        own.axles.clear();
        CHECK(vehicle.step(0.0, 1e-3, bump, own) == panto::Status::out_of_range);
    }

    TEST_CASE("does not allocate") {
        // @rt-tested: NonlinearVehicle::step NonlinearVehicle::evaluate NonlinearVehicle::displacement
        // @rt-tested: NonlinearVehicle::acceleration NonlinearVehicle::loads NonlinearVehicle::check
        // @rt-tested: NonlinearVehicle::largest_shift largest_shift
        const NonlinearVehicle<> vehicle(assemble(cart(0.01, 500.0)), 30.0);
        auto s = vehicle.rest();
        const Probe probe = vehicle.assembly().probe("box", {0.0, 0.0, 2.0}, Direction::y);
        double sum = 0.0;
        bool good = true;
        CHECK(panto::test::allocations_in([&] {
                  for (int n = 0; n < 10; ++n)
                      vehicle.step(n * 1e-3, 1e-3, SmoothDefect<>{.start = 0.0, .lateral = 1e-3, .vertical = 1e-3}, s);
                  vehicle.evaluate(1e-2, LevelTrack{}, s);
                  sum =
                      vehicle.displacement(probe, s) + vehicle.acceleration(probe, s) + vehicle.loads(0, s)[0].vertical;
                  good = vehicle.check(1e-2, s).ok() && vehicle.largest_shift(0) > 0.0;
              }) == 0);
        CHECK(good);
        CHECK(sum > 1e4);
        CHECK_THROWS_AS(NonlinearVehicle<>(vehicle.assembly(), 0.0), panto::SetupError);
        for (const int node : {-1, 1000})
            CHECK_THROWS_AS((void)accelerations(vehicle, SmoothDefect<>{}, {Probe{.node = node}}, {.length = 1.0}),
                            panto::SetupError);
    }
}

}  // namespace nonlinear_vehicle_test
