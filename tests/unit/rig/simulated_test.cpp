// SPDX-License-Identifier: BSD-3-Clause
#include <panto/rig/simulated.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace panto;
using rig::Simulated;
using rig::SimulatedFault;
using std::chrono::nanoseconds;

namespace simulated_test {
namespace {

constexpr double dt = 2e-3;

nanoseconds at(double seconds) { return nanoseconds(std::llround(1e9 * seconds)); }

/// The drive far above the strip, everything at rest, no delay: the motor alone.
rig::SimulatedParams free_motor(const dynamics::OscillatorParams<double>& motor = plant::table2_motor) {
    rig::SimulatedParams p{.uplift_force = 0.0, .start_height = 0.1};
    p.rig.motor = motor;
    p.rig.command_delay = p.rig.reading_delay = 0.0;
    return p;
}

/// No filter; delays in periods.
rig::SimulatedParams unfiltered(double command_delay, double reading_delay) {
    rig::SimulatedParams p{.uplift_force = 130.0};
    p.rig.force_filter.cut_off = 0.0;
    p.rig.command_delay = command_delay;
    p.rig.reading_delay = reading_delay;
    return p;
}

/// Time and height of the highest point of the motor's answer to a unit step, by a parabola through three samples.
std::pair<double, double> peak_of_step(const dynamics::OscillatorParams<double>& motor) {
    Simulated stand(free_motor(motor), 1e-4);
    stand.drive.write({1.1});  // a step of 1 from 0.1
    std::vector<double> height{0.0};
    for (int i = 1; i < 500; ++i) {
        stand.clock.sleep_until(at(1e-4 * i));
        height.push_back(stand.motor_height() - 0.1);
    }
    std::size_t top = 1;
    while (height[top + 1] > height[top]) ++top;
    const double before = height[top - 1], middle = height[top], after = height[top + 1];
    const double shift = 0.5 * (before - after) / (before - 2.0 * middle + after);
    return {1e-4 * (static_cast<double>(top) + shift), middle - 0.25 * (before - after) * shift};
}

}  // namespace

TEST_CASE("every pantograph starts at rest on the pad, one without a roof spring too, and stays there") {
    std::vector<pantograph::LumpedParams<>> all;
    for (const std::string_view name : pantograph::preset_names) all.push_back(pantograph::preset(name).params);
    all.push_back(pantograph::preset("DSA380_HiL").params);
    all.back().stiffness[2] = 0.0;
    for (const double soft : {1e-6, 1e-9, 1e-12, 1e-300}) {  // N/m: as good as none
        all.insert(all.end() - 1, all.back());
        all[all.size() - 2].stiffness[2] = soft;
    }
    bool floats = false;
    for (const auto& params : all) {
        floats = floats || params.stiffness[params.stiffness.size() - 1] <= 0.0;
        for (const std::optional<double> start : {std::optional<double>(), std::optional<double>(2e-3)}) {
            Simulated stand({.rig = {.pantograph = params}, .uplift_force = 120.0, .start_height = start}, dt);
            const double force = stand.contact_force(), head = stand.head_height();
            CHECK(force > 0.0);
            CHECK(force == approx(240e3 * (head - stand.motor_height())).epsilon(1e-9));
            stand.clock.sleep_until(at(1.0));
            // Rounding of heights, 1e-16 m, times the pad, over 10^4 steps of the exact model.
            CHECK(stand.contact_force() == approx(force).epsilon(1e-6));
            CHECK(stand.head_height() == approx(head).epsilon(1e-6).scale(1e-3));
        }
    }
    CHECK(floats);
    all.back().stiffness[2] = 0.0;
    CHECK_THROWS_WITH_AS(Simulated({.rig = {.pantograph = all.back()}, .uplift_force = -10.0}, dt),
                         doctest::Contains("stiffness[2] is 0, but this spring would have to carry -10 N"), SetupError);
    CHECK_THROWS_WITH_AS(Simulated({.start_height = 1e14}, dt),
                         doctest::Contains("start_height is 1e+14 m, must be from -10 to 10 m"), SetupError);
}

TEST_CASE("dead readings to order say ok, and steps of the load cell are as coarse as asked for") {
    rig::SimulatedParams coarse{.start_height = 2e-3, .force_noise = 3.0, .force_step = 0.5};
    coarse.rig.force_filter.cut_off = 0.0;
    Simulated stand(coarse, dt);
    stand.inject(SimulatedFault::force_frozen, 0.1, 0.2);
    stand.inject(SimulatedFault::force_zero, 0.3, 0.4);
    stand.inject(SimulatedFault::encoder_frozen, 0.1, 0.2);
    const auto run = [&](double until) {
        std::vector<double> forces, heights;
        for (double t = stand.time() + dt; t < until; t += dt) {
            stand.drive.write({2e-3 + 1e-3 * std::sin(20.0 * t)});
            stand.clock.sleep_until(at(t));
            const auto force = stand.sensor.read();
            const auto height = stand.drive.read();
            CHECK(force.status == Status::ok);
            CHECK(height.status == Status::ok);
            forces.push_back(force.value);
            heights.push_back(height.value.height);
        }
        const auto spread = [](const std::vector<double>& x) {
            const auto [low, high] = std::minmax_element(x.begin(), x.end());
            return *high - *low;
        };
        for (const double f : forces) CHECK(std::remainder(f, 0.5) == 0.0);
        return std::array{spread(forces), spread(heights), forces.back()};
    };
    CHECK(run(0.099)[0] > 0.0);
    const auto frozen = run(0.199);
    CHECK(frozen[0] == 0.0);
    CHECK(frozen[1] == 0.0);
    CHECK(run(0.299)[1] > 1e-4);
    const auto zero = run(0.399);
    CHECK(zero[0] == 0.0);
    CHECK(zero[2] == 0.0);
}

TEST_CASE("the motor of Table 2 peaks at 1.229 after 16.4 ms, that of the text at 1.3 after 12 ms") {
    std::ifstream file(std::string(PANTO_TEST_GOLDEN) + "/catenary_and_rig.json");
    const auto golden = nlohmann::json::parse(file).at("motor");
    const auto [time, value] = peak_of_step(plant::table2_motor);
    // Parabola through samples 0.1 ms apart on a period of 33 ms: 1e-7 relative.
    CHECK(time == approx(golden.at("peak_time_table2").get<double>()).epsilon(1e-5));
    CHECK(value == approx(golden.at("peak_value_table2").get<double>()).epsilon(1e-7));
    const auto [time_of_text, value_of_text] = peak_of_step(plant::motor_of_the_text);
    CHECK(time_of_text == approx(0.012).epsilon(1e-4));
    CHECK(value_of_text == approx(1.3).epsilon(1e-4));
}

TEST_CASE("the motor is advanced exactly: sub-steps do not matter") {
    rig::SimulatedParams p = free_motor();
    p.substeps = 1;
    Simulated coarse(p, dt);
    p.substeps = 50;
    Simulated fine(p, dt);
    for (int i = 0; i < 100; ++i) {
        const double r = 0.1 + 1e-3 * std::sin(0.2 * i);
        coarse.drive.write({r});
        fine.drive.write({r});
        coarse.clock.sleep_until(at(dt * (i + 1)));
        fine.clock.sleep_until(at(dt * (i + 1)));
        CHECK(coarse.motor_height() == approx(fine.motor_height()).epsilon(1e-12));
    }
}

TEST_CASE("pressed together, everything is at rest and the force is that of statics") {
    Simulated stand({.uplift_force = 157.3, .start_height = 0.05}, dt);
    // The lift less what the frame spring of 80 N/m takes at the height of the frame:
    // u_frame = u_head + F (1/7000 + 1/14100), u_head = 0.05 + F / 240e3.
    const double compliance = 1.0 / 7000.0 + 1.0 / 14100.0 + 1.0 / 240e3;
    const double force = (157.3 - 80.0 * 0.05) / (1.0 + 80.0 * compliance);
    CHECK(stand.sensor.read().value == approx(force).epsilon(1e-9));
    CHECK(stand.contact_force() == approx(force).epsilon(1e-9));
    CHECK(stand.head_height() == approx(0.05 + force / 240e3).epsilon(1e-9));
    stand.clock.sleep_until(at(2.0));
    CHECK(stand.contact_force() == approx(force).epsilon(1e-6));
    CHECK(std::fabs(stand.motor_height() - 0.05) < 1e-12);
}

TEST_CASE("without a start height the drive stands where the strip at the nominal height presses it") {
    Simulated stand({.uplift_force = 130.0}, dt);
    CHECK(stand.head_height() == approx(0.0).scale(1.0).epsilon(1e-9));
    CHECK(stand.motor_height() == approx(-stand.contact_force() / 240e3).epsilon(1e-9));
}

TEST_CASE("a drive beyond the reach of the strip feels nothing") {
    Simulated stand({.uplift_force = 0.8, .start_height = 0.03}, dt);
    CHECK(stand.sensor.read().value == 0.0);
    CHECK(stand.head_height() == approx(0.01));  // 0.8 N / 80 N/m
    stand.clock.sleep_until(at(1.0));
    CHECK(stand.head_height() == approx(0.01));
}

TEST_CASE("energy neither appears nor vanishes while the strip bounces on a drive at rest") {
    const auto one = [](double x) { return Vector<double, Dynamic>::Constant(1, x); };
    Simulated stand({.rig = {.pantograph = {.mass = one(6.6), .damping = one(0.0), .stiffness = one(2000.0)},
                             .force_filter = {.cut_off = 0.0}},
                     .uplift_force = 0.0,
                     .start_height = 0.001,
                     .substeps = 200},
                    dt);
    stand.set_uplift_force(100.0);  // thrown up once, then left alone
    stand.clock.sleep_until(at(0.02));
    stand.set_uplift_force(0.0);
    double early = 0.0, late = 0.0;  // how deep it swings
    for (int i = 1; i <= 20000; ++i) {
        stand.clock.sleep_until(at(0.02 + 1e-3 * i));
        (i <= 1000 ? early : late) = std::min(i <= 1000 ? early : late, stand.head_height());
        if (i == 19000) late = 0.0;
    }
    CHECK(early < -0.001);
    // Contact opens and closes at sub-steps of 10 us, some 200 times.
    CHECK(late == approx(early).epsilon(0.02));
}

TEST_CASE("force and position are read one period late, and a command acts one period late") {
    for (const int measured : {0, 1, 2})
        for (const int commanded : {0, 1, 2}) {
            CAPTURE(measured);
            CAPTURE(commanded);
            Simulated stand(unfiltered(commanded, measured), dt);
            std::vector<double> height, force;
            const double start = stand.motor_height();
            for (int n = 0; n < 12; ++n) {
                stand.clock.sleep_until(at(dt * n));
                height.push_back(stand.motor_height());
                force.push_back(stand.contact_force());
                const auto back = static_cast<std::size_t>(std::max(0, n - measured));
                CHECK(stand.drive.read().value.height == height[back]);
                CHECK(stand.sensor.read().value == force[back]);
                stand.drive.write({n >= 3 ? start + 1e-3 : start});  // asked for in cycle 3
            }
            const auto moves = static_cast<std::size_t>(3 + commanded);
            CHECK(std::fabs(height[moves] - start) < 1e-9);
            CHECK(height[moves + 1] - start > 1e-5);
        }
}

TEST_CASE("with delays in broken periods the rig in contact does what its sampled model says") {
    struct Delays {
        double command, reading;
    };
    for (const Delays d : {Delays{0.0, 0.0}, Delays{0.3, 0.0}, Delays{0.0, 0.7}, Delays{0.45, 0.8}, Delays{1.5, 1.25},
                           Delays{2.0, 0.5}, Delays{8.0, 7.9}})
        for (const double cut_off : {0.0, 120.0}) {
            CAPTURE(d.command);
            CAPTURE(d.reading);
            rig::SimulatedParams p = unfiltered(d.command, d.reading);
            p.rig.force_filter = {.cut_off = cut_off, .order = 2};
            Simulated stand(p, dt);
            const auto model = plant::sampled_model(p.rig, dt);
            const double height = stand.motor_height(), force = stand.contact_force();
            Eigen::VectorXd x = Eigen::VectorXd::Zero(model.size());  // deviations from rest
            Eigen::VectorXd commands = Eigen::VectorXd::Zero(model.command.cols());
            for (int n = 0; n < 60; ++n) {
                stand.clock.sleep_until(at(dt * n));
                CHECK(stand.drive.read().value.height - height == approx(x[0]).epsilon(1e-9).scale(1e-6));
                CHECK(stand.sensor.read().value - force == approx(model.force.dot(x)).epsilon(1e-8).scale(1.0));
                for (Eigen::Index j = commands.size(); j-- > 1;) commands[j] = commands[j - 1];
                commands[0] = 2e-5 * std::sin(0.3 * n);  // not enough to lose contact
                stand.drive.write({height + commands[0]});
                x = (model.A * x + model.command * commands).eval();
            }
        }
}

TEST_CASE("the force filter answers a jump as a first-order low-pass of 100 Hz") {
    rig::SimulatedParams p = unfiltered(1.0, 0.0);
    Simulated raw(p, 1e-4);
    p.rig.force_filter.cut_off = 100.0;
    Simulated stand(p, 1e-4);
    // The drive moves and the force with it; filtered and raw obey f' = w (F - f), integrated here by the trapezoid.
    const double w = 2.0 * 3.14159265358979323846 * 100.0, h = 1e-4, start = stand.motor_height();
    double f = stand.sensor.read().value, last = raw.contact_force();
    for (int i = 1; i < 400; ++i) {
        stand.drive.write({start + 2e-4});
        raw.drive.write({start + 2e-4});
        stand.clock.sleep_until(at(h * i));
        raw.clock.sleep_until(at(h * i));
        CHECK(raw.sensor.read().value == raw.contact_force());
        f = (f * (1.0 - 0.5 * w * h) + 0.5 * w * h * (last + raw.contact_force())) / (1.0 + 0.5 * w * h);
        last = raw.contact_force();
        // Trapezoid at w h = 0.06 and changes over milliseconds: 1e-3 of swings of some 40 N.
        CHECK(std::fabs(stand.sensor.read().value - f) < 0.05);
        CHECK(stand.contact_force() == approx(raw.contact_force()).epsilon(1e-9));
    }
}

TEST_CASE("noise has the size asked for, is repeated by its seed, and resolution is that of the encoder") {
    const rig::SimulatedParams p{.uplift_force = 130.0, .force_noise = 2.0, .position_noise = 2e-5, .seed = 5};
    Simulated stand(p, dt), same(p, dt);
    rig::SimulatedParams q = p;
    q.seed = 6;
    Simulated other(q, dt);
    double force = 0.0, height = 0.0;
    bool differs = false;
    constexpr int n = 20000;
    for (int i = 1; i <= n; ++i) {
        for (Simulated* s : {&stand, &same, &other}) s->clock.sleep_until(at(dt * i));
        const double now = stand.sensor.read().value;
        CHECK(now == same.sensor.read().value);
        CHECK(now == stand.sensor.read().value);  // one frame, one value, however often it is read
        differs = differs || now != other.sensor.read().value;
        force += std::pow(now - stand.contact_force(), 2);
        height += std::pow(stand.drive.read().value.height - stand.motor_height(), 2);
    }
    CHECK(differs);
    // The standard error of a standard deviation of 20000 samples is 0.5 %.
    CHECK(std::sqrt(force / n) == approx(2.0).epsilon(0.02));
    CHECK(std::sqrt(height / n) == approx(2e-5).epsilon(0.02));

    rig::SimulatedParams rounded{.uplift_force = 130.0, .start_height = 0.00123};
    rounded.rig.encoder_step = 1e-3;
    Simulated coarse(rounded, dt);
    CHECK(coarse.drive.read().value.height == approx(0.001));
}

TEST_CASE("a drive with limits moves along the trapezoid of its acceleration and its speed") {
    // In the air a step of 20 mm asks for 900 m/s^2 at first, and for the speed up to 1 mm before its end.
    constexpr double a = 20.0, v = 0.2, step = 0.02;
    for (const bool by_force : {false, true}) {
        rig::SimulatedParams p = free_motor();
        p.rig.drive_limits.speed = v;
        (by_force ? p.rig.drive_limits.force : p.rig.drive_limits.acceleration) = by_force ? a * p.rig.motor.mass : a;
        for (const double way : {1.0, -1.0}) {
            p.start_height = 0.5;
            Simulated stand(p, dt);
            stand.drive.write({0.5 + way * step});
            double fastest = 0.0;
            for (int n = 1; n <= 48; ++n) {
                const double t = n * dt, rise = v / a, before = way * (stand.motor_height() - 0.5);
                stand.clock.sleep_until(at(t));
                const double moved = way * (stand.motor_height() - 0.5);
                CHECK(moved == approx(t < rise ? 0.5 * a * t * t : v * (t - 0.5 * rise)));
                fastest = std::max(fastest, (moved - before) / dt);
            }
            CHECK(fastest == approx(v));
        }
    }
    // A contact force pushes the motor up: the drive has less left to press down, and more to lift.
    for (const double way : {1.0, -1.0}) {
        rig::SimulatedParams pressed{.uplift_force = 130.0};
        pressed.rig.command_delay = 0.0;
        pressed.rig.drive_limits.force = 500.0;
        pressed.substeps = 1000;
        Simulated stand(pressed, dt);
        const double from = stand.motor_height(), force = stand.contact_force();
        stand.drive.write({from + way * 0.02});
        stand.clock.sleep_until(at(2e-5));
        const double acceleration = (stand.motor_height() - from) / (0.5 * 2e-5 * 2e-5);
        CHECK(acceleration == approx((force + way * 500.0) / 10.0).epsilon(1e-3));
    }
}

TEST_CASE("a drive that cannot hold the strip is refused") {
    rig::SimulatedParams p{.uplift_force = 130.0, .start_height = 0.0};
    const double force = Simulated(p, dt).contact_force();
    REQUIRE(force > 100.0);
    p.rig.drive_limits.force = 1.01 * force;
    CHECK_NOTHROW(Simulated(p, dt));
    p.rig.drive_limits.force = 50.0;
    CHECK(panto::test::message([&] {
              Simulated stand(p, dt);
          }).find("rig::Simulated: drive_limits.force of the rig is 50 N, but the contact force at rest is ") == 0);
    // In the air it has nothing to hold.
    p.start_height = 3.0;
    CHECK_NOTHROW(Simulated(p, dt));
}

TEST_CASE("the load cell also feels the mass that it carries") {
    // The momentum of the carried mass: in the air the readings of a move add up to 0, and their moments to the mass
    // times the way, because the filter only delays by as much as it does a constant force.
    rig::SimulatedParams p = free_motor();
    p.rig.carried_mass = 1.5;
    p.start_height = 0.5;
    constexpr double fine = 1e-4, way = -0.01;
    Simulated stand(p, fine);
    double sum = 0.0, moment = 0.0, largest = 0.0;
    for (int n = 0; n < 4000; ++n) {
        if (n == 10) stand.drive.write({0.5 + way});
        stand.clock.sleep_until(at(fine * (n + 1)));
        const double force = stand.sensor.read().value, t = fine * (n + 1);
        sum += fine * force, moment += fine * force * t, largest = std::max(largest, std::fabs(force));
    }
    // int a dt = 0, int t a dt = -way; the reading is -m a.
    CHECK(largest > 100.0);
    CHECK(std::fabs(sum) < 1e-4 * largest);
    CHECK(moment == approx(p.rig.carried_mass * way).epsilon(1e-3));
}

TEST_CASE("a fault that would never come is refused") {
    Simulated stand({}, dt);
    CHECK_THROWS_WITH_AS(stand.inject(SimulatedFault::force_nan, 5.0, 1.0),
                         "rig::Simulated: a fault is scheduled from 5 to 1 s, the end must come after the start",
                         SetupError);
    CHECK_THROWS_AS(stand.inject(SimulatedFault::force_nan, std::nan(""), 1.0), SetupError);
    CHECK_NOTHROW(stand.inject(SimulatedFault::force_nan, 1.0, HUGE_VAL));
}

TEST_CASE("a strip that is pulled down loses contact and finds it again") {
    Simulated stand({.uplift_force = 130.0}, dt);
    const double before = stand.contact_force();
    stand.inject(SimulatedFault::strip_pulled_down, 0.1, 0.2);
    stand.clock.sleep_until(at(0.1));
    CHECK(stand.contact_force() == approx(before).epsilon(1e-6));
    stand.clock.sleep_until(at(0.19));
    CHECK(stand.contact_force() == 0.0);
    CHECK(stand.head_height() < stand.motor_height());
    bool again = false;
    for (int i = 0; i < 2000; ++i) {
        stand.clock.sleep_until(at(0.2 + 1e-3 * i));
        CHECK(stand.contact_force() >= 0.0);
        again = again || stand.contact_force() > 0.5 * before;
    }
    CHECK(again);
}

TEST_CASE("a force on the head moves a free one by Newton's law, wherever the bus divides the sub-steps") {
    // A half-sine of -40 N for 0.1 s on 5 kg. With the force of the middle of each sub-step, h = 0.1 ms, the speed is
    // off by at most h^2 / 12 pi F / (T m) and the height by h^2 / 12 F / m more.
    constexpr double force = -40.0, mass = 5.0, length = 0.1, begin = 0.05, pi = 3.14159265358979;
    constexpr double error = 1e-8 / 12.0 * 40.0 / mass;
    for (const double delay : {1.0, 0.37}) {
        rig::SimulatedParams p{.uplift_force = 0.0, .start_height = 0.1};
        p.rig.pantograph = {Eigen::VectorXd::Constant(1, mass), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
        p.rig.command_delay = delay;
        p.head_force = [&](double t) {
            return t > begin && t < begin + length ? force * std::sin(pi * (t - begin) / length) : 0.0;
        };
        Simulated stand(p, dt);
        const double speed = force * length / (pi * mass), before = stand.head_height();
        for (int n = 1; n <= 150; ++n) {
            stand.clock.sleep_until(at(n * dt));
            const double t = n * dt - begin, during = std::min(t, length);
            const double fallen =
                t < 0.0 ? 0.0
                        : speed * (during - length / pi * std::sin(pi * during / length)) + 2.0 * speed * (t - during);
            CHECK(std::abs(stand.head_height() - before - fallen) <=
                  error * (1.0 + pi * std::max(0.0, t) / length) + 1e-12);
        }
    }
}

TEST_CASE("ordered faults come, go and come again") {
    Simulated stand({.uplift_force = 130.0, .sensor_range = 200.0}, dt);
    stand.inject(SimulatedFault::force_lost, 0.10, 0.11);
    stand.inject(SimulatedFault::force_lost, 0.12, 0.13);
    stand.inject(SimulatedFault::force_stale, 0.20, 0.21);
    stand.inject(SimulatedFault::force_nan, 0.30, 0.31);
    stand.inject(SimulatedFault::encoder_lost, 0.40, 0.41);
    stand.inject(SimulatedFault::encoder_nan, 0.50, 0.51);
    stand.inject(SimulatedFault::drive_refuses, 0.60, 0.61);
    const auto force_at = [&](double t) { return stand.clock.sleep_until(at(t)), stand.sensor.read(); };
    CHECK(force_at(0.09).status == Status::ok);
    CHECK(force_at(0.105).status == Status::sensor_lost);
    CHECK(force_at(0.115).status == Status::ok);
    CHECK(force_at(0.125).status == Status::sensor_lost);
    CHECK(force_at(0.205).status == Status::sensor_stale);
    CHECK(std::isnan(force_at(0.305).value));
    CHECK(force_at(0.405).status == Status::ok);
    CHECK(stand.drive.read().status == Status::sensor_lost);
    stand.clock.sleep_until(at(0.505));
    CHECK(std::isnan(stand.drive.read().value.height));
    stand.clock.sleep_until(at(0.605));
    CHECK(stand.drive.write({0.0}) == Status::drive_fault);
    stand.clock.sleep_until(at(0.65));
    CHECK(stand.drive.write({stand.motor_height()}) == Status::ok);
    stand.drive.write({-0.03});
    for (int i = 0; i < 10 && stand.sensor.read().status == Status::ok; ++i) stand.clock.sleep_until(at(0.65 + dt * i));
    CHECK(stand.sensor.read().status == Status::sensor_saturated);
    CHECK(stand.sensor.read().value == 200.0);
    stand.inject(SimulatedFault::force_nan, 0.8, 0.9);
    CHECK_THROWS_AS(stand.inject(SimulatedFault::force_nan, 0.8, 0.9), SetupError);
}

TEST_CASE("a drive that is stopped stays where it is; what is not a number is refused") {
    Simulated stand(free_motor(), dt);
    CHECK(stand.drive.write({std::nan("")}) == Status::drive_fault);
    stand.drive.write({0.12});
    stand.clock.sleep_until(at(0.01));
    stand.drive.stop();
    CHECK(stand.stopped());
    const double held = stand.motor_height();
    stand.clock.sleep_until(at(1.0));
    CHECK(stand.motor_height() == approx(held).epsilon(1e-6));
    stand.drive.write({0.11});
    CHECK_FALSE(stand.stopped());
}

TEST_CASE("time passes only when somebody sleeps, and never backwards") {
    Simulated stand({}, dt);
    CHECK(stand.clock.now() == nanoseconds(0));
    for (int i = 0; i < 10; ++i) static_cast<void>(stand.sensor.read());
    CHECK(stand.clock.now() == nanoseconds(0));
    stand.clock.sleep_until(nanoseconds(1'234'567));
    CHECK(stand.clock.now() == nanoseconds(1'234'567));
    stand.clock.sleep_until(nanoseconds(5));
    CHECK(stand.clock.now() == nanoseconds(1'234'567));
}

TEST_CASE("parameters without meaning are refused by name") {
    const auto refused = [](auto change) {
        rig::SimulatedParams p;
        change(p);
        return test::message([&] { Simulated stand(p, dt); });
    };
    CHECK(refused([](auto& p) { p.rig.pad_stiffness = -1.0; }) ==
          "rig::Simulated: pad_stiffness must be finite and > 0, got -1");
    CHECK(refused([](auto& p) { p.rig.command_delay = 9.0; }) ==
          "rig::Simulated: command_delay is 9 periods, must be from 0 to 8");
    CHECK(!refused([](auto& p) { p.rig.force_filter.cut_off = -1.0; }).empty());
    CHECK(!refused([](auto& p) { p.rig.motor.mass = 0.0; }).empty());
    CHECK(!refused([](auto& p) { p.rig.pantograph = {}; }).empty());
    CHECK_THROWS_AS(Simulated({.substeps = 0}, dt), SetupError);
    CHECK_THROWS_AS(Simulated({.uplift_force = std::numeric_limits<double>::infinity()}, dt), SetupError);
    CHECK_THROWS_AS(Simulated({}, 0.0), SetupError);
    Simulated stand({}, dt);
    CHECK_THROWS_AS(stand.set_uplift_force(std::nan("")), SetupError);
}

TEST_CASE("reading, writing and the passing of time do not allocate") {
    // @rt-tested: Sensor::read PositionDrive::read PositionDrive::write PositionDrive::stop
    // @rt-tested: SimulatedClock::now SimulatedClock::sleep_until
    rig::SimulatedParams p{.uplift_force = 130.0, .force_noise = 1.0, .position_noise = 1e-5};
    p.rig.encoder_step = 1e-6;
    p.rig.drive_limits.speed = 1.0;
    Simulated stand(p, dt);
    CHECK(panto::test::allocations_in([&] {
              for (int i = 1; i <= 100; ++i) {
                  stand.clock.sleep_until(stand.clock.now() + at(dt));
                  static_cast<void>(stand.sensor.read());
                  stand.drive.write({stand.drive.read().value.height});
              }
              stand.drive.stop();
          }) == 0);
}

}  // namespace simulated_test
