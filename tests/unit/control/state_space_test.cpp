// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/exosystem.hpp>
#include <panto/control/lqr.hpp>
#include <panto/control/state_space.hpp>
#include <panto/control/steady_kalman.hpp>
#include <panto/plant/model.hpp>

#include "../../support/golden_json.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

using namespace panto;
using namespace panto::control;

namespace state_space_test {
namespace {

Eigen::MatrixXd scipy(const nlohmann::json& j, const char* name) { return test::golden_matrix(j.at(name)); }

StateSpace system_of(const nlohmann::json& j, double dt = 0.0) {
    return {scipy(j, "A"), scipy(j, "B"), scipy(j, "C"), scipy(j, "D"), dt};
}

/// Largest difference over the largest entry.
double gap(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    REQUIRE(a.rows() == b.rows());
    REQUIRE(a.cols() == b.cols());
    return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff() / std::max(1e-300, b.cwiseAbs().maxCoeff());
}

double gap(const StateSpace& a, const StateSpace& b) {
    const double state = std::max(gap(a.A, b.A), gap(a.B, b.B)), output = (a.C - b.C).norm() + (a.D - b.D).norm();
    return std::max(state, output / (b.C.norm() + b.D.norm()));
}

StateSpace first_plant() {
    return {Eigen::Matrix2d{{0.0, 1.0}, {-40.0, -2.0}}, Eigen::Vector2d(0.0, 40.0), Eigen::RowVector2d(1.0, 0.0),
            Eigen::MatrixXd::Zero(1, 1)};
}

StateSpace discrete(double a, double b, double c, double d) {
    const auto one = [](double x) { return Eigen::MatrixXd::Constant(1, 1, x); };
    return {one(a), one(b), one(c), one(d), 0.01};
}

}  // namespace

TEST_CASE("holds, delays and designs on them are those of scipy") {
    const auto golden = test::golden("scipy/state_space.json");
    const double dt = golden.at("dt_s");
    for (const auto& plant : golden.at("plants")) {
        CAPTURE(plant.at("name").get<std::string>());
        const StateSpace continuous = system_of(plant);
        CHECK(gap(sampled(continuous, dt), system_of(plant.at("zoh"), dt)) < 1e-12);
        CHECK(gap(sampled(continuous, dt, InputHold::first_order), system_of(plant.at("foh"), dt)) < 1e-9);
        for (const auto& point : plant.at("response_zoh")) {
            const double w = 2.0 * std::numbers::pi * point.at("Hz").get<double>();
            const Eigen::MatrixXcd h = frequency_response(sampled(continuous, dt), w);
            CHECK(gap(h.real(), scipy(point, "re")) < 1e-9);
            CHECK(gap(h.imag(), scipy(point, "im")) < 1e-9);
        }
        if (!plant.contains("late")) continue;
        for (const auto& late : plant.at("late")) {
            const double steps = late.at("steps");
            CAPTURE(steps);
            const StateSpace s = sampled(continuous, dt, InputHold::zero_order, steps * dt);
            CHECK(gap(s.A, scipy(late, "A")) < 1e-12);
            CHECK(gap(s.B, scipy(late, "B")) < 1e-12);
            CHECK(gap(s.C, scipy(late, "C")) == 0.0);

            const Eigen::MatrixXd Q = s.C.row(0).transpose() * s.C.row(0), R = Eigen::MatrixXd::Constant(1, 1, 1e-2);
            CHECK(gap(lqr(s.A, s.B, Q, R).K, scipy(late, "lqr")) < 1e-9);

            const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(1, 1);
            const StateSpace disturbed = with_input_disturbance(s, one, one);
            const Eigen::Index n = s.states(), ny = s.outputs();
            Eigen::MatrixXd W = 1e-10 * Eigen::MatrixXd::Identity(n + 1, n + 1);
            W(n, n) = 1e-6;
            const Eigen::MatrixXd V = 1e-8 * (Eigen::MatrixXd::Identity(ny, ny) + 0.5 * Eigen::MatrixXd::Ones(ny, ny));
            CHECK(gap(SteadyKalman(disturbed, W, V).gain(), scipy(late, "kalman")) < 1e-9);

            const StateSpace first{s.A, s.B, s.C.topRows(1), s.D.topRows(1), s.dt};
            const StateSpace servo = with_integrators(first);
            Eigen::MatrixXd weight = Eigen::MatrixXd::Zero(n + 1, n + 1);
            weight.topLeftCorner(n, n) = Q;
            weight(n, n) = 100.0;
            CHECK(gap(lqr(servo.A, servo.B, weight, R).K, scipy(late, "servo")) < 1e-9);
        }
    }
}

TEST_CASE("a broken delay equals a whole one of half the step") {
    const StateSpace plant = first_plant();
    const StateSpace coarse = sampled(plant, 0.01, InputHold::zero_order, 0.035);
    const StateSpace fine = sampled(plant, 0.005, InputHold::zero_order, 0.035);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(coarse.states()), z = Eigen::VectorXd::Zero(fine.states());
    for (int k = 0; k < 50; ++k) {
        const Eigen::VectorXd u = Eigen::VectorXd::Constant(1, std::sin(0.7 * k) + 0.1 * k);
        CHECK(std::abs((coarse.C * x - fine.C * z)[0]) < 1e-12);
        x = coarse.A * x + coarse.B * u;
        z = fine.A * z + fine.B * u;
        z = fine.A * z + fine.B * u;
    }
    CHECK((coarse.C * x).norm() > 0.1);
}

TEST_CASE("a sampled rig is its continuous model, sampled with the delay of its loop") {
    const double dt = 2e-3;
    for (const auto& tried : {std::pair(2.0, InputHold::zero_order), std::pair(1.35, InputHold::zero_order),
                              std::pair(2.0, InputHold::first_order)}) {
        const double delay = tried.first;
        const InputHold hold = tried.second;
        CAPTURE(delay);
        const plant::RigParams rig{.pantograph = {Eigen::VectorXd::Constant(1, 8.0), Eigen::VectorXd::Constant(1, 60.0),
                                                  Eigen::VectorXd::Constant(1, 500.0)},
                                   .command_delay = delay - 1.0};
        const plant::SampledModel model = plant::sampled_model(rig, dt, hold);
        const plant::ContinuousModel m = plant::continuous_model(rig);
        const StateSpace general =
            sampled({m.A, m.B.col(0), m.measured_force, Eigen::MatrixXd::Zero(1, 1)}, dt, hold, delay * dt);
        Eigen::VectorXd x = Eigen::VectorXd::Zero(model.size()), z = Eigen::VectorXd::Zero(general.states());
        Eigen::VectorXd sent = Eigen::VectorXd::Zero(model.command.cols());  // the last command first
        double most = 0.0;
        for (int k = 0; k < 60; ++k) {
            const double u = 1e-3 * std::sin(0.7 * k) + (k > 20 ? 2e-3 : 0.0);
            const double force = model.force * x, other = (general.C * z)[0] + general.D(0, 0) * u;
            CHECK(std::abs(force - other) < 1e-9);  // N; two orders of exponentials and products
            most = std::max(most, std::abs(force));
            sent.tail(sent.size() - 1) = sent.head(sent.size() - 1).eval();
            sent[0] = u;
            x = model.A * x + model.command * sent;
            z = general.A * z + general.B * u;
        }
        CHECK(most > 10.0);
    }
}

TEST_CASE("a delay is the phase e^(-i w delay) times the response without it") {
    for (const double steps : {0.0, 1.0, 2.0, 3.0}) {
        const StateSpace late = sampled(first_plant(), 0.01, InputHold::first_order, steps * 0.01);
        const StateSpace prompt = sampled(first_plant(), 0.01, InputHold::first_order);
        for (const double w : {0.1, 3.0, 100.0, 300.0}) {
            const std::complex<double> turned =
                frequency_response(prompt, w)(0, 0) * std::polar(1.0, -w * steps * 0.01);
            CHECK(std::abs(frequency_response(late, w)(0, 0) - turned) < 1e-12);
        }
    }
    const StateSpace piped = series(pure_delay(1, 3, 0.01), sampled(first_plant(), 0.01));
    const StateSpace late = sampled(first_plant(), 0.01, InputHold::zero_order, 0.03);
    for (const double w : {0.1, 30.0})
        CHECK(std::abs(frequency_response(piped, w)(0, 0) - frequency_response(late, w)(0, 0)) < 1e-13);
}

TEST_CASE("connections respond as the algebra of their responses says") {
    const StateSpace a = discrete(0.9, 0.3, 1.2, 0.4), b = discrete(-0.5, 1.1, 0.7, -0.2);
    StateSpace wide = sampled({Eigen::Matrix2d{{-3.0, 2.0}, {-50.0, -1.0}}, Eigen::Matrix2d{{1.0, 0.5}, {0.0, 2.0}},
                               Eigen::Matrix2d{{1.0, 4.0}, {0.2, 0.1}}, Eigen::Matrix2d{{0.3, -1.0}, {0.0, 0.1}}},
                              0.01);
    StateSpace other = wide;
    other.A *= 0.5;
    other.D << 0.1, 0.2, -0.3, 0.0;
    for (const double w : {0.0, 2.0, 70.0, 314.0}) {
        CAPTURE(w);
        const auto Ga = frequency_response(a, w)(0, 0), Gb = frequency_response(b, w)(0, 0);
        CHECK(std::abs(frequency_response(series(a, b), w)(0, 0) - Ga * Gb) < 1e-13);
        CHECK(std::abs(frequency_response(parallel(a, b), w)(0, 0) - (Ga + Gb)) < 1e-13);
        CHECK(std::abs(frequency_response(feedback(a, b), w)(0, 0) - Ga / (1.0 + Ga * Gb)) < 1e-13);
        const Eigen::MatrixXcd Gw = frequency_response(wide, w), Go = frequency_response(other, w);
        const Eigen::MatrixXcd closed = (Eigen::MatrixXcd::Identity(2, 2) + Gw * Go).inverse() * Gw;
        CHECK((frequency_response(feedback(wide, other), w) - closed).norm() < 1e-11 * (1.0 + closed.norm()));
        CHECK((frequency_response(series(wide, other), w) - Go * Gw).norm() < 1e-11 * (1.0 + (Go * Gw).norm()));
    }
    // An integrator: dt/(z - 1) times the response.
    const std::complex<double> z = std::polar(1.0, 20.0 * 0.01);
    const Eigen::MatrixXcd summed = frequency_response(with_integrators(a), 20.0);
    CHECK(std::abs(summed(1, 0) - 0.01 / (z - 1.0) * frequency_response(a, 20.0)(0, 0)) < 1e-13);
}

TEST_CASE("regulator equations: the output is the signal, from the first step on") {
    const double dt = 0.01;
    const StateSpace plant = sampled(first_plant(), dt, InputHold::zero_order, 0.035);
    for (const Exosystem& signal : {polynomial_signal(0, dt), polynomial_signal(2, dt), polynomial_signal(5, dt),
                                    sine_signal(0.1, dt), sine_signal(60.0, dt)}) {
        const Regulation r = regulator_equations(plant, signal);
        Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(signal.S.rows(), 1.0, -0.5), x = r.Pi * w;
        for (int k = 0; k < 30; ++k) {
            const double size = 1.0 + w.cwiseAbs().maxCoeff();
            CHECK(std::abs((plant.C * x - signal.F * w)[0]) < 1e-9 * size);
            x = (plant.A * x + plant.B * (r.Gamma * w)).eval();
            w = (signal.S * w).eval();
        }
    }
    // A signal that also pushes: it is cancelled where it acts.
    Eigen::MatrixXd E = Eigen::MatrixXd::Zero(plant.states(), 1);
    E.topRows(2) << 0.3, -2.0;
    const Regulation r = regulator_equations(plant, polynomial_signal(0, dt), E);
    CHECK((plant.A * r.Pi + plant.B * r.Gamma + E - r.Pi).norm() < 1e-10);
    CHECK(std::abs((plant.C * r.Pi)(0, 0) - 1.0) < 1e-12);
}

TEST_CASE("signals are what they are called") {
    const double dt = 0.02;
    const Exosystem cubic = polynomial_signal(3, dt), sine = sine_signal(7.0, dt);
    Eigen::VectorXd w = Eigen::Vector4d(1.0, -2.0, 3.0, 6.0), v = Eigen::Vector2d(0.0, 1.0);
    for (int k = 0; k <= 20; ++k) {
        const double t = k * dt;
        CHECK(std::abs((cubic.F * w)[0] - (1.0 - 2.0 * t + 1.5 * t * t + t * t * t)) < 1e-12);
        CHECK(std::abs((sine.F * v)[0] - std::sin(7.0 * t)) < 1e-13);
        w = (cubic.S * w).eval();
        v = (sine.S * v).eval();
    }
}

TEST_CASE("what cannot be connected, sampled or followed is refused with the reason") {
    using test::message;
    const StateSpace plant = first_plant(), stepped = sampled(plant, 0.01);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto says = [](const std::string& text, const char* part) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    };
    says(message([&] { (void)sampled(stepped, 0.01); }), "discrete already");
    says(message([&] { (void)sampled(plant, 0.0); }), "dt");
    says(message([&] { (void)sampled(plant, 0.01, InputHold::zero_order, -0.1); }), "delay");
    says(message([&] { (void)sampled(plant, 0.01, InputHold::zero_order, nan); }), "delay");
    says(message([&] { (void)sampled(plant, 0.01, InputHold::first_order, 0.005); }), "whole number of steps");
    says(message([&] { (void)series(plant, stepped); }), "different time steps");
    says(message([&] { (void)series(stepped, pure_delay(2, 1, 0.01)); }), "inputs");
    says(message([&] { (void)parallel(stepped, pure_delay(2, 1, 0.01)); }), "by");
    says(message([&] { (void)feedback(discrete(0.5, 1.0, 1.0, 1.0), discrete(0.5, 1.0, 1.0, -1.0)); }), "singular");
    says(message([&] { (void)with_integrators(plant); }), "sample it first");
    says(
        message([&] { (void)with_input_disturbance(plant, Eigen::MatrixXd::Ones(2, 2), Eigen::MatrixXd::Ones(1, 1)); }),
        "1 inputs");
    says(message([&] { (void)frequency_response(stepped, 400.0); }), "pi/dt");
    says(message([&] { (void)frequency_response(discrete(1.0, 1.0, 1.0, 0.0), 0.0); }), "pole");
    StateSpace bad = plant;
    bad.A(1, 0) = nan;
    says(message([&] { (void)sampled(bad, 0.01); }), "A(1,0)");
    bad = plant;
    bad.B.resize(3, 1);
    says(message([&] { (void)sampled(bad, 0.01); }), "sizes");
    // A plant that does not transmit constants: y = u[k-1] - u[k-2].
    StateSpace difference = pure_delay(1, 2, 0.01);
    difference.C << 1.0, -1.0;
    says(message([&] { (void)regulator_equations(difference, polynomial_signal(0, 0.01)); }),
         "cannot follow this signal");
    says(message([&] { (void)regulator_equations(plant, polynomial_signal(0, 0.01)); }), "sample it first");
    // Parts for different steps, parts without states, and entries that are not numbers.
    says(message([&] { (void)regulator_equations(stepped, polynomial_signal(2, 0.005)); }), "steps of 0.005 s");
    says(message([&] { (void)regulator_equations(stepped, sine_signal(2.0, 0.02)); }), "steps of 0.02 s");
    const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(1, 1);
    says(message([&] { (void)regulator_equations(stepped, {nan * one, one}); }), "entry of S");
    says(message([&] { (void)regulator_equations(stepped, {one, nan * one}); }), "entry of F");
    says(message([&] {
             (void)regulator_equations(stepped, polynomial_signal(0, 0.01), nan * Eigen::MatrixXd::Ones(2, 1));
         }),
         "entry of E");
    says(message([&] { (void)regulator_equations(static_gain(one, 0.01), polynomial_signal(0, 0.01)); }), "no states");
    says(message([&] { (void)with_input_disturbance(stepped, nan * one, one); }), "entry of S");
    says(message([&] { (void)with_input_disturbance(stepped, Eigen::MatrixXd(0, 0), Eigen::MatrixXd(1, 0)); }),
         "S is empty");
    says(message([&] { (void)polynomial_signal(6, 0.01); }), "degree");
    says(message([&] { (void)sine_signal(400.0, 0.01); }), "pi/dt");
    says(message([&] { (void)pure_delay(0, 1, 0.01); }), "channels");
    says(message([&] { (void)pure_delay(1, 2000000000, 0.01); }), "at most 1000");
    says(message([&] { (void)polynomial_signal(2, 1e300); }), "not finite");
}

}  // namespace state_space_test
