// SPDX-License-Identifier: BSD-3-Clause
#include <panto/plant/model.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "message.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

using namespace panto;

namespace plant_model_test {
namespace {

plant::RigParams two_masses() {
    return {.pantograph = {Eigen::Vector2d(6.6, 5.8), Eigen::Vector2d(12.0, 70.0), Eigen::Vector2d(9430.0, 60.0)}};
}

/// What the loop sees when the motor, the bus and the readings are followed event by event, in tiny exact steps: an
/// oracle that knows of delays only that a command is used from time t + command_delay on.
std::vector<double> followed(const plant::RigParams& p, double dt, const std::vector<double>& commands, int fine) {
    const auto m = plant::continuous_model(p);
    const auto step = linalg::zero_order_hold(m.A, m.B, dt / fine);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(m.A.rows());
    const auto late = std::lround(p.command_delay * fine), seen = std::lround(p.reading_delay * fine);
    const int cycles = static_cast<int>(commands.size());
    std::vector<double> history, readings;
    for (int tick = 0; tick < cycles * fine; ++tick) {
        history.push_back(m.measured_force.dot(x));
        if (tick % fine == 0) readings.push_back(tick >= seen ? history[static_cast<std::size_t>(tick - seen)] : 0.0);
        const long from = tick - late;
        const double r = from >= 0 ? commands[static_cast<std::size_t>(from / fine)] : 0.0;
        x = step.A * x + step.B * Eigen::Vector3d(r, 0.0, 0.0);
    }
    return readings;
}

std::vector<double> sampled(const plant::RigParams& p, double dt, const std::vector<double>& commands) {
    const auto s = plant::sampled_model(p, dt);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(s.size());
    std::vector<double> readings;
    for (std::size_t t = 0; t < commands.size(); ++t) {
        readings.push_back(s.force.dot(x));
        x = (s.A * x).eval();
        for (Eigen::Index j = 0; j <= s.pending(); ++j)
            if (static_cast<std::size_t>(j) <= t) x += s.command.col(j) * commands[t - static_cast<std::size_t>(j)];
    }
    return readings;
}

/// The differential equations of three masses on the pad, written out, for Runge-Kutta's fourth-order rule.
Eigen::VectorXd rate(const Eigen::VectorXd& x, double reference, double head_force, const plant::RigParams& p) {
    const Eigen::VectorXd &m = p.pantograph.mass, &c = p.pantograph.damping, &k = p.pantograph.stiffness;
    const auto height = [&](int i) { return i < 3 ? x[2 + 2 * i] : 0.0; };
    const auto speed = [&](int i) { return i < 3 ? x[3 + 2 * i] : 0.0; };
    const auto link = [&](int i) {  // force of spring and damper below mass i
        return i < 0 ? 0.0 : k[i] * (height(i) - height(i + 1)) + c[i] * (speed(i) - speed(i + 1));
    };
    Eigen::VectorXd d = Eigen::VectorXd::Zero(x.size());
    const double force = p.pad_stiffness * (x[2] - x[0]);
    d[0] = x[1];
    d[1] = (p.motor.stiffness * (reference - x[0]) - p.motor.damping * x[1]) / p.motor.mass;
    for (int i = 0; i < 3; ++i) {
        d[2 + 2 * i] = speed(i);
        d[3 + 2 * i] = (link(i - 1) - link(i) + (i == 0 ? head_force - force : 0.0)) / m[i];
    }
    if (p.force_filter.cut_off > 0.0)
        d[8] = 2.0 * std::numbers::pi * p.force_filter.cut_off * (force / p.pad_stiffness - x[8]);
    return d;
}

Eigen::VectorXd integrated(Eigen::VectorXd x, double from, double to, double head_force, const plant::RigParams& p,
                           double dt) {
    const int steps = 200;
    const double h = dt / steps;
    for (int n = 0; n < steps; ++n) {
        const auto r = [&](double t) { return from + (to - from) * (n + t) / steps; };
        const auto f = [&](const Eigen::VectorXd& y, double t) { return rate(y, r(t), head_force, p); };
        const Eigen::VectorXd a = f(x, 0.0), b = f(x + 0.5 * h * a, 0.5), e = f(x + 0.5 * h * b, 0.5),
                              g = f(x + h * e, 1.0);
        x += h / 6.0 * (a + 2.0 * b + 2.0 * e + g);
    }
    return x;
}

}  // namespace

TEST_CASE("one step is the solution of the differential equations, held and interpolated, with and without filter") {
    const double dt = 2e-3;
    for (const double cut_off : {0.0, 100.0})
        for (const plant::Hold hold : {plant::Hold::zero_order, plant::Hold::first_order}) {
            const plant::RigParams p{.pantograph = {Eigen::Vector3d(6.6, 5.8, 5.8), Eigen::Vector3d(0.0, 0.0, 70.0),
                                                    Eigen::Vector3d(7000.0, 14100.0, 80.0)},
                                     .force_filter = {.cut_off = cut_off}};
            const auto plant = plant::sampled_model(p, dt, hold);
            CHECK(plant.size() == (cut_off > 0.0 ? 9 : 8));
            const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(plant.size(), 1e-3, 3e-3);
            const double before = 2e-3, now = -1e-3, force = 30.0;
            const Eigen::VectorXd next =
                plant.A * x + plant.command * Eigen::Vector3d(0.0, now, before) + plant.head_force * force;
            const Eigen::VectorXd expected =
                integrated(x, before, hold == plant::Hold::zero_order ? before : now, force, p, dt);
            // Runge-Kutta's error: (190 rad/s * 1e-5 s)^4 of the motion.
            CHECK((next - expected).norm() < 1e-10 * expected.norm());
        }
}

TEST_CASE("a filter at rest shows what is behind it, whatever its order") {
    for (int order = 1; order <= 8; ++order) {
        auto p = two_masses();
        p.force_filter.order = order;
        const auto m = plant::continuous_model(p);
        const Eigen::Index first = 6, size = m.A.rows();
        Eigen::VectorXd x = plant::filter_at_rest(p.force_filter, first, size);
        x[plant::head_height] = 1.0;  // penetration 1 m
        CHECK((m.A * x).tail(order).cwiseAbs().maxCoeff() < 1e-12);
        CHECK(m.measured_force.dot(x) == approx(240e3));
    }
    CHECK(plant::filter_at_rest({.cut_off = 0.0}, 6, 6).norm() == 0.0);
}

TEST_CASE("delays in whole and broken periods are those of commands and readings followed one by one") {
    std::vector<double> commands;
    for (int t = 0; t < 40; ++t) commands.push_back(1e-3 * std::sin(0.9 * t) + (t > 7 ? 2e-3 : 0.0));
    struct Delays {
        double command, reading;
    };
    for (const Delays d : {Delays{0.0, 0.0}, Delays{1.0, 1.0}, Delays{0.25, 0.5}, Delays{0.75, 0.75}, Delays{1.5, 0.0},
                           Delays{0.0, 0.75}, Delays{2.25, 1.5}, Delays{8.0, 7.75}})
        for (const int order : {1, 2, 5}) {
            auto p = two_masses();
            p.command_delay = d.command;
            p.reading_delay = d.reading;
            p.force_filter = {.cut_off = 80.0, .order = order};
            const auto truth = followed(p, 2e-3, commands, 8), model = sampled(p, 2e-3, commands);
            double largest = 0.0, error = 0.0;
            for (std::size_t t = 0; t < truth.size(); ++t) {
                largest = std::max(largest, std::abs(truth[t]));
                error = std::max(error, std::abs(truth[t] - model[t]));
            }
            CAPTURE(d.command);
            CAPTURE(d.reading);
            CAPTURE(order);
            CHECK(largest > 50.0);
            CHECK(error < 1e-11 * largest);  // both are exact: rounding of a few hundred steps
        }
}

TEST_CASE("only the sum of the two delays counts for the loop") {
    auto p = two_masses();
    p.command_delay = 0.7, p.reading_delay = 1.6;
    const auto one = plant::sampled_model(p, 1e-3);
    p.command_delay = 1.9, p.reading_delay = 0.4;
    const auto other = plant::sampled_model(p, 1e-3);
    CHECK(one.pending() == 3);
    CHECK((one.command - other.command).cwiseAbs().maxCoeff() < 1e-12);
    p.command_delay = 2.0 + 1e-12, p.reading_delay = 0.0;  // whole but for rounding
    CHECK(plant::sampled_model(p, 1e-3).pending() == 2);
}

TEST_CASE("the force filter is a Butterworth low-pass: |H|^2 = 1 / (1 + (f / f_c)^2n)") {
    for (int order = 1; order <= 8; ++order) {
        auto p = two_masses();
        p.force_filter = {.cut_off = 90.0, .order = order};
        const auto m = plant::continuous_model(p);
        for (const double f : {1.0, 45.0, 90.0, 200.0}) {
            const std::complex<double> s(0.0, 2.0 * std::numbers::pi * f);
            const Eigen::MatrixXcd resolvent = s * Eigen::MatrixXcd::Identity(m.A.rows(), m.A.cols()) - m.A;
            const Eigen::VectorXcd x = resolvent.partialPivLu().solve(m.B.col(0).cast<std::complex<double>>());
            const std::complex<double> before = (m.contact_force * x)(0), behind = (m.measured_force * x)(0);
            const double gain = std::norm(behind / before);
            CHECK(gain == approx(1.0 / (1.0 + std::pow(f / 90.0, 2 * order))).epsilon(1e-9));
        }
    }
}

TEST_CASE("behind a carried mass the load cell reads the contact force less mass times acceleration") {
    for (const auto contact : {plant::Contact::closed, plant::Contact::open})
        for (const auto by : {plant::MotorInput::reference, plant::MotorInput::acceleration})
            for (int order = 1; order <= 4; ++order) {
                auto p = two_masses();
                p.force_filter = {.cut_off = 90.0, .order = order};
                const auto light = plant::continuous_model(p, contact, by);
                p.carried_mass = 1.7;
                const auto heavy = plant::continuous_model(p, contact, by);
                for (const double f : {3.0, 40.0, 90.0, 150.0}) {
                    const std::complex<double> s(0.0, 2.0 * std::numbers::pi * f);
                    const auto response = [&](const plant::ContinuousModel& m) {
                        const Eigen::MatrixXcd rest = s * Eigen::MatrixXcd::Identity(m.A.rows(), m.A.cols()) - m.A;
                        return Eigen::VectorXcd(rest.partialPivLu().solve(m.B.col(0).cast<std::complex<double>>()));
                    };
                    const Eigen::VectorXcd x = response(heavy), y = response(light);
                    CHECK(std::abs(x[plant::head_height] - y[plant::head_height]) <= 1e-12 * std::abs(x[0]));
                    // Butterworth's denominator from its poles on the circle in the left half-plane.
                    std::complex<double> filter = 1.0;
                    const double w = 2.0 * std::numbers::pi * 90.0;
                    for (int k = 0; k < order; ++k)
                        filter *= w / (s - std::polar(w, std::numbers::pi * (0.5 + (k + 0.5) / order)));
                    const std::complex<double> wanted = ((heavy.contact_force * x)(0) - 1.7 * s * s * x[0]) * filter;
                    const std::complex<double> read = (heavy.measured_force * x)(0);
                    CHECK(std::abs(read - wanted) <= 1e-9 * std::abs(wanted));
                    if (by == plant::MotorInput::acceleration) CHECK(std::abs(x[0] * s * s - 1.0) <= 1e-9);
                }
            }
}

TEST_CASE("a motor at rest carries what the chain of springs says, filter or none") {
    for (const double cut_off : {0.0, 100.0}) {
        auto p = two_masses();
        p.force_filter.cut_off = cut_off;
        const auto m = plant::continuous_model(p);
        const double r = -0.01, lift = 120.0, f = -15.0;
        const Eigen::VectorXd x = m.A.partialPivLu().solve(-m.B * Eigen::Vector3d(r, lift, f));
        // By hand: the force F presses the head down on a spring of 9430 N/m above one of 60 N/m.
        const double F = m.contact_force.dot(x), q_1 = r + F / 240e3, q_2 = q_1 + (F - f) / 9430.0;
        CHECK(x[plant::motor_height] == approx(r));
        CHECK(x[plant::head_height] == approx(q_1));
        CHECK(x[4] == approx(q_2));
        CHECK(60.0 * q_2 == approx(lift - (F - f)));
        CHECK(m.measured_force.dot(x) == approx(F));
    }
}

TEST_CASE("off the pad nothing is measured and the head does not feel the motor") {
    const auto m = plant::continuous_model(two_masses(), plant::Contact::open);
    CHECK(m.contact_force.norm() == 0.0);
    CHECK(m.A(plant::head_speed, plant::motor_height) == 0.0);
    const double relative_to_head = m.A(plant::head_speed, plant::head_height);
    CHECK(relative_to_head == approx(-9430.0 / 6.6));
}

// @rt-tested: difference each_difference within_limits
TEST_CASE("two rigs are compared quantity by quantity") {
    const auto p = two_masses();
    CHECK(test::allocations_in([&] { (void)plant::difference(p, p), (void)plant::within_limits(p, 1.0, 0.0); }) == 0);
    CHECK(plant::difference(p, p).empty());
    const auto differs = [&](auto change) {
        auto other = p;
        change(other);
        return plant::difference(p, other);
    };
    CHECK(differs([](auto& o) { o.motor.damping *= 1.01; }) == "motor.damping");
    CHECK(differs([](auto& o) { o.pad_stiffness *= 1.0 + 1e-12; }) == "");
    CHECK(differs([](auto& o) { o.pad_stiffness *= 1.0 + 1e-6; }) == "pad_stiffness");
    CHECK(differs([](auto& o) { o.pantograph.mass[1] += 0.1; }) == "pantograph.mass");
    CHECK(differs([](auto& o) { o.pantograph.stiffness[1] = 0.0; }) == "pantograph.stiffness");
    CHECK(differs([](auto& o) { o.force_filter.order = 2; }) == "force_filter.order");
    CHECK(differs([](auto& o) { o.command_delay = 1.1; }) == "command_delay");
    CHECK(differs([](auto& o) { o.reading_delay = 0.0; }) == "reading_delay");
    CHECK(differs([](auto& o) { o.carried_mass = 0.3; }) == "carried_mass");
    CHECK(differs([](auto& o) { o.encoder_step = 1e-6; }) == "encoder_step");
    CHECK(differs([](auto& o) { o.drive_limits.speed = 1.0; }) == "drive_limits.speed");
    CHECK(differs([](auto& o) { o.drive_limits.acceleration = 50.0; }) == "drive_limits.acceleration");
    CHECK(differs([](auto& o) { o.drive_limits.force = 900.0; }) == "drive_limits.force");
    auto other = p;
    CHECK(plant::differences(p, other, "the drive").empty());
    other.pad_stiffness = 20e3;
    other.reading_delay = 0.5;
    CHECK(plant::differences(other, p, "the drive") ==
          "pad_stiffness is 20000 (that of the drive is " + panto::shown(p.pad_stiffness) +
              "), reading_delay is 0.5 (that of the drive is " + panto::shown(p.reading_delay) + ")");
    other.pantograph = {};
    CHECK(plant::difference(p, other) == "pad_stiffness");
    CHECK(plant::differences(other, p, "the drive").find("pantograph.mass.size() is 0 (") != std::string::npos);
}

TEST_CASE("what is no rig is refused by name") {
    const auto refused = [](auto change, double dt = 1e-3) {
        auto p = two_masses();
        change(p);
        return test::message([&] { (void)plant::sampled_model(p, dt); });
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(refused([](auto& p) { p.command_delay = -0.5; }) ==
          "plant::RigParams: command_delay is -0.5 periods, must be from 0 to 8");
    CHECK(refused([&](auto& p) { p.reading_delay = nan; }) ==
          "plant::RigParams: reading_delay is nan periods, must be from 0 to 8");
    CHECK(refused([](auto& p) { p.force_filter.order = 0; }) ==
          "plant::RigParams: force_filter.order is 0, must be from 1 to 8");
    CHECK(refused([](auto& p) { p.pantograph.mass = {}; }).find("mass is empty") != std::string::npos);
    CHECK(refused([](auto& p) { p.pantograph.damping[1] = -1.0; }).find("damping[1] must be finite and >= 0, got -1") !=
          std::string::npos);
    CHECK(refused([](auto& p) { p.motor.stiffness = 0.0; }).find("motor.stiffness must be finite and > 0, got 0") !=
          std::string::npos);
    CHECK(refused([](auto& p) { p.pad_stiffness = 0.0; }).find("pad_stiffness must be finite and > 0, got 0") !=
          std::string::npos);
    CHECK(refused([](auto& p) { p.carried_mass = -1.0; }).find("carried_mass must be finite and >= 0, got -1") !=
          std::string::npos);
    CHECK(
        refused([](auto& p) { p.carried_mass = 1.0, p.force_filter.cut_off = 0.0; }) ==
        "plant::RigParams: carried_mass is 1 kg without a force filter: the force would jump with every command; give "
        "force_filter.cut_off");
    CHECK(refused([](auto& p) { p.encoder_step = -1.0; }).find("encoder_step") != std::string::npos);
    CHECK(refused([](auto& p) { p.drive_limits.force = 0.0; }) ==
          "plant::RigParams: drive_limits.force is 0, must be above 0; infinity sets no limit");
    CHECK(refused([&](auto& p) { p.drive_limits.speed = nan; }).find("drive_limits.speed is nan") != std::string::npos);
    CHECK(refused([](auto&) {}, 0.0).find("dt must be finite and > 0, got 0") != std::string::npos);
    auto p = two_masses();
    p.command_delay = 0.5;
    CHECK(test::message([&] {
              (void)plant::sampled_model(p, 1e-3, plant::Hold::first_order);
          }).find("whole periods, at least 1") != std::string::npos);
}

TEST_CASE("springs in series, and a pantograph that is none for an overhead line") {
    const plant::ChainParams<> two{Eigen::Vector2d(1.0, 1.0), Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(300.0, 600.0)};
    CHECK(plant::static_stiffness(two) == approx(200.0));
    CHECK(plant::static_stiffness(plant::ChainParams<>{two.mass, two.damping, Eigen::Vector2d(300.0, 0.0)}) == 0.0);
    CHECK_NOTHROW(plant::require_follows_wire(two_masses().pantograph, "here"));
    CHECK(
        test::message([] {
            plant::require_follows_wire(
                {Eigen::Vector2d(1.0, 1.0), Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(1e4, 1e4)}, "here");
        })
            .starts_with("here: the springs of the pantograph hold its head with 5000 N/m, 50 N for each centimetre of "
                         "height, at most 1000 N/m are allowed: this pantograph is made for rigid lines"));
}

}  // namespace plant_model_test
