// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/steady_kalman.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

using namespace panto;
using namespace panto::control;

namespace steady_kalman_test {
namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

StateSpace two_masses() {
    return {Eigen::Matrix2d{{1.0, 0.002}, {-0.09, 0.98}}, Eigen::Vector2d(0.0, 0.002), Eigen::Matrix2d::Identity(),
            Eigen::MatrixXd::Zero(2, 1), 0.002};
}
const Eigen::Matrix2d W{{1e-8, 0.0}, {0.0, 1e-4}};
const Eigen::Matrix2d V{{1e-6, 4e-5}, {4e-5, 1e-2}};  // readings that err together

Kalman<> moving(const Eigen::Matrix2d& P0) {
    const StateSpace m = two_masses();
    return Kalman<>({m.A, m.B, m.C, W, V}, Eigen::VectorXd::Zero(2), P0);
}

Eigen::VectorXd reading(int k) { return Eigen::Vector2d(0.01 * std::sin(0.1 * k), 5.0 * std::cos(0.1 * k)); }
const Eigen::VectorXd push = Eigen::VectorXd::Constant(1, 0.2);

}  // namespace

TEST_CASE("a steady filter is the moving one after a long time") {
    SteadyKalman steady(two_masses(), W, V);
    Kalman<> filter = moving(Eigen::Matrix2d::Identity());
    for (int k = 0; k < 3000; ++k) {
        REQUIRE(steady.update(reading(k)) == Status::ok);
        REQUIRE(filter.update(reading(k)) == Status::ok);
        REQUIRE(steady.predict(push) == Status::ok);
        REQUIRE(filter.predict(push) == Status::ok);
    }
    CHECK((steady.state() - filter.state()).norm() < 1e-10 * filter.state().norm());
    const Eigen::MatrixXd spread = filter.covariance() + V;
    CHECK((steady.innovation_deviation().cwiseAbs2() - spread.diagonal()).norm() < 1e-10 * spread.norm());
}

TEST_CASE("taking some readings equals a filter that has no others, with readings that err together too") {
    const StateSpace m = two_masses();
    for (const std::array<bool, 2> arrived :
         {std::array{true, false}, std::array{false, true}, std::array{true, true}}) {
        Kalman<> some = moving(Eigen::Matrix2d::Identity());
        const Eigen::Index first = arrived[0] ? 0 : 1, count = arrived[0] && arrived[1] ? 2 : 1;
        Kalman<> only({m.A, m.B, m.C.middleRows(first, count), W, V.block(first, first, count, count)},
                      Eigen::VectorXd::Zero(2), Eigen::Matrix2d::Identity());
        for (int k = 0; k < 20; ++k) {
            Eigen::VectorXd y = reading(k);
            const Eigen::VectorXd seen = y.segment(first, count);
            for (Eigen::Index i = 0; i < 2; ++i)
                if (!arrived[static_cast<std::size_t>(i)]) y[i] = not_a_number;  // not looked at
            REQUIRE(some.update_some(y, arrived) == Status::ok);
            REQUIRE(only.update(seen) == Status::ok);
            (void)some.predict(push), (void)only.predict(push);
            CHECK((some.state() - only.state()).norm() < 1e-13 * (1.0 + only.state().norm()));
            CHECK((some.covariance() - only.covariance()).norm() < 1e-13 * only.covariance().norm());
        }
    }
    Kalman<> none = moving(W), untouched = moving(W);
    CHECK(none.update_some(reading(1), std::array{false, false}) == Status::ok);
    CHECK(none.state() == untouched.state());
    CHECK(none.update_some(reading(1), std::array{true}) == Status::out_of_range);
    CHECK(none.update_some(Eigen::VectorXd::Ones(3), std::array{true, true}) == Status::out_of_range);
    CHECK(none.update_some(Eigen::Vector2d(1.0, not_a_number), std::array{false, true}) == Status::sensor_implausible);
    CHECK(none.covariance() == untouched.covariance());
}

TEST_CASE("a gate refuses what is too far from the expected, by the normalized square of the innovation") {
    Kalman<> filter = moving(W);
    const Eigen::MatrixXd spread = two_masses().C * W * two_masses().C.transpose() + V;
    const Eigen::VectorXd direction = Eigen::Vector2d(1e-3, -0.3);
    const double length = std::sqrt(direction.dot(spread.inverse() * direction));
    const Eigen::MatrixXd before = filter.covariance();
    CHECK(filter.update(direction * (3.001 / length), 3.0) == Status::sensor_implausible);
    CHECK(filter.state().norm() == 0.0);
    CHECK(filter.covariance() == before);
    CHECK(filter.update(direction * (2.999 / length), 3.0) == Status::ok);
    CHECK(filter.state().norm() > 0.0);
    CHECK(filter.update(direction, not_a_number) == Status::out_of_range);

    SteadyKalman steady(two_masses(), W, V, {.deviations = 4.0, .longest = 2});
    const double limit = 4.0 * steady.innovation_deviation()[0];
    CHECK(steady.update(Eigen::Vector2d(1.01 * limit, 0.0)) == Status::sensor_implausible);
    CHECK(steady.state().norm() == 0.0);
    CHECK(steady.update(Eigen::Vector2d(0.99 * limit, 0.0)) == Status::ok);
    CHECK(steady.state().norm() > 0.0);
    // A plant that has really moved is believed after `longest` readings.
    (void)steady.reset(Eigen::Vector2d::Zero());
    const Eigen::VectorXd elsewhere = Eigen::Vector2d(1.0, 0.0);
    CHECK(steady.update(elsewhere) == Status::sensor_implausible);
    CHECK(steady.update(elsewhere) == Status::sensor_implausible);
    CHECK(steady.update(elsewhere) == Status::ok);
    CHECK(steady.state()[0] > 0.0);
    // All further readings correct the estimate until they are within the gate. The next one outside is refused again.
    (void)steady.reset(Eigen::VectorXd::Zero(two_masses().states()));
    Eigen::VectorXd truth = Eigen::VectorXd::Unit(two_masses().states(), 0);
    int refused = 0, outside = 0;
    for (bool within = false; !within && outside < 1000; truth = (two_masses().A * truth).eval()) {
        const Eigen::VectorXd y = two_masses().C * truth, off = y - two_masses().C * steady.state();
        within = (off.array().abs() <= 4.0 * steady.innovation_deviation().array()).all();
        if (!within) ++outside;
        if (steady.update(y) != Status::ok) ++refused;
        (void)steady.predict(Eigen::VectorXd::Zero(two_masses().inputs()));
    }
    CHECK(refused == 2);
    CHECK(outside > 3);
    CHECK(outside < 1000);
    CHECK(steady.update(Eigen::Vector2d(100.0, 0.0)) == Status::sensor_implausible);
}

TEST_CASE("a missing reading leaves its part to the model") {
    SteadyKalman steady(two_masses(), W, V);
    CHECK(steady.update(Eigen::Vector2d(not_a_number, not_a_number)) == Status::sensor_lost);
    CHECK(steady.state().norm() == 0.0);
    CHECK(steady.update(Eigen::Vector2d(not_a_number, 1.0)) == Status::ok);
    CHECK((steady.state() - steady.gain().col(1)).norm() < 1e-15);
}

TEST_CASE("a filter takes over where another one stands") {
    Kalman<> on = moving(Eigen::Matrix2d::Identity()), off = moving(W);
    (void)on.update(reading(3));
    CHECK(off.take_over(on) == Status::ok);
    CHECK(off.state() == on.state());
    CHECK(off.covariance() == on.covariance());
    const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(1, 1);
    Kalman<> smaller({one, one, one, one, one}, Eigen::VectorXd::Zero(1), one);
    CHECK(smaller.take_over(on) == Status::out_of_range);
}

// @rt-tested: Kalman::update_some Kalman::take_over SteadyKalman::update SteadyKalman::predict SteadyKalman::reset
TEST_CASE("steps of filters do not allocate and change nothing on bad input") {
    SteadyKalman steady(two_masses(), W, V, {.deviations = 4.0});
    Kalman<> filter = moving(W), other = moving(W);
    const Eigen::VectorXd y = reading(1), start = Eigen::Vector2d(0.1, 0.2);
    const std::array arrived{true, false};
    CHECK(test::allocations_in([&] {
              (void)steady.update(y), (void)steady.predict(push), (void)steady.reset(start);
              (void)filter.update(y, 3.0), (void)filter.update_some(y, arrived), (void)other.take_over(filter);
          }) == 0);
    CHECK(steady.update(Eigen::VectorXd::Ones(1)) == Status::out_of_range);
    CHECK(steady.predict(Eigen::VectorXd::Ones(2)) == Status::out_of_range);
    CHECK(steady.predict(Eigen::VectorXd::Constant(1, not_a_number)) == Status::not_finite);
    CHECK(steady.reset(Eigen::VectorXd::Ones(3)) == Status::out_of_range);
    CHECK(steady.reset(Eigen::Vector2d(0.0, not_a_number)) == Status::not_finite);
    CHECK(steady.state() == start);
    // A reading of 0.01 of the state, so that the gain is about 100.
    const auto of_one = [](double x) { return Eigen::MatrixXd::Constant(1, 1, x); };
    SteadyKalman coarse({of_one(0.9), of_one(1.0), of_one(0.01), of_one(0.0), 0.002}, of_one(1.0), of_one(1e-9));
    CHECK(coarse.update(Eigen::VectorXd::Constant(1, 1e307)) == Status::not_finite);
    CHECK(coarse.state()[0] == 0.0);
    CHECK(coarse.update(Eigen::VectorXd::Constant(1, 1.0)) == Status::ok);
}

TEST_CASE("a filter that cannot be is refused with the reason") {
    using test::message;
    const auto says = [](const std::string& text, const char* part) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    };
    StateSpace m = two_masses();
    m.dt = 0.0;
    says(message([&] { (void)SteadyKalman(m, W, V); }), "continuous");
    m = two_masses();
    m.D(0, 0) = 1.0;
    says(message([&] { (void)SteadyKalman(m, W, V); }), "direct term");
    says(message([&] { (void)SteadyKalman(two_masses(), W, V, {.deviations = -1.0}); }), "gate.deviations");
    says(message([&] { (void)SteadyKalman(two_masses(), W, V, {.longest = -1}); }), "gate.longest");
    m = two_masses();
    m.A << 1.5, 0.0, 0.0, 0.5;
    m.C << 0.0, 1.0, 0.0, 2.0;
    says(message([&] { (void)SteadyKalman(m, W, V); }),
         "is not detectable: no reading shows the mode with eigenvalue 1.5");
    // Covariances are named as the caller knows them.
    m = two_masses();
    Eigen::MatrixXd bad = W;
    bad(0, 0) = -1.0;
    says(message([&] { (void)SteadyKalman(m, bad, V); }), "W is not positive semi-definite");
    says(message([&] { (void)SteadyKalman(m, W, -V); }), "V is not positive semi-definite");
    bad = W;
    bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
    says(message([&] { (void)SteadyKalman(m, bad, V); }), "entry of W");
    m = two_masses();  // an integrator without noise: no gain makes its error decay
    m.A << 1.0, 0.0, 0.0, 0.5;
    m.C << 1.0, 0.0, 0.0, 1.0;
    says(message([&] { (void)SteadyKalman(m, 0.0 * W, V); }), "the eigenvalue of A nearest to the unit circle is 1");
    bad = W;
    bad(0, 1) += 1.0;
    says(message([&] { (void)SteadyKalman(m, bad, V); }), "W is not symmetric");
}

}  // namespace steady_kalman_test
