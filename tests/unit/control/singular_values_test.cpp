// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/disturbance_models.hpp>
#include <panto/control/singular_values.hpp>

#include "message.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

using namespace panto;
using namespace panto::control;

namespace singular_values_test {
namespace {

/// Two lags of 1/s and 10/s, turned by the angles `in` and `out`: G = R(out) diag(1/(1 + i w), 3/(1 + i w/10)) R(in)'.
StateSpace turned(double in, double out) {
    const auto R = [](double a) { return Eigen::Matrix2d{{std::cos(a), -std::sin(a)}, {std::sin(a), std::cos(a)}}; };
    const Eigen::Matrix2d A = Eigen::Vector2d(-1.0, -10.0).asDiagonal(), B = Eigen::Vector2d(1.0, 30.0).asDiagonal();
    return {A, B * R(in).transpose(), R(out), Eigen::MatrixXd::Zero(2, 2)};
}

}  // namespace

TEST_CASE("singular values are the gains of the lags, whichever way inputs and outputs are turned") {
    const std::vector<double> w{0.0, 0.3, 1.0, 4.0, 30.0, 300.0};
    const auto curves = singular_values(turned(0.7, -1.9), w);
    REQUIRE(curves.size() == 2);
    for (std::size_t i = 0; i < w.size(); ++i) {
        const double slow = 1.0 / std::hypot(1.0, w[i]), fast = 3.0 / std::hypot(1.0, 0.1 * w[i]);
        CHECK(curves[0][i].first == w[i]);
        CHECK(std::abs(curves[0][i].second - fast) < 1e-13);
        CHECK(std::abs(curves[1][i].second - slow) < 1e-13);
    }
}

TEST_CASE("a row and a column have one value, their length") {
    StateSpace s = turned(0.4, 0.9);
    const std::array w{2.0};
    StateSpace row = s, column = s;
    row.C = s.C.topRows(1), row.D = s.D.topRows(1);
    column.B = s.B.leftCols(1), column.D = s.D.leftCols(1);
    for (const StateSpace& one : {row, column}) {
        const auto curves = singular_values(one, w);
        REQUIRE(curves.size() == 1);
        CHECK(std::abs(curves[0][0].second - frequency_response(one, 2.0).norm()) < 1e-14);
    }
    CHECK(test::message([&] { (void)singular_values(sampled(s, 0.1), std::array{40.0}); }).find("pi/dt") !=
          std::string::npos);
}

TEST_CASE("disturbances at the output and through a filter appear as the algebra of responses says") {
    const StateSpace plant = sampled(turned(0.7, -1.9), 0.05), filter = sampled(turned(0.2, 0.3), 0.05);
    const StateSpace shaped = with_shaped_disturbance(plant, filter);
    for (const double w : {0.1, 3.0, 50.0}) {
        const Eigen::MatrixXcd G = frequency_response(plant, w), all = frequency_response(shaped, w);
        CHECK((all.leftCols(2) - G).norm() < 1e-13);
        CHECK((all.rightCols(2) - G * frequency_response(filter, w)).norm() < 1e-13);
    }
    // A constant on each output.
    const StateSpace offset = with_output_disturbance(plant, Eigen::Matrix2d::Identity(), Eigen::Matrix2d::Identity());
    Eigen::VectorXd x(4);
    x << 0.0, 0.0, 0.3, -0.2;
    for (int k = 0; k < 5; ++k) {
        CHECK((offset.C * x - Eigen::Vector2d(0.3, -0.2)).norm() < 1e-15);
        x = (offset.A * x).eval();
    }
    CHECK((offset.B.topRows(2) - plant.B).norm() == 0.0);
    CHECK(test::message([&] {
              (void)with_output_disturbance(plant, Eigen::MatrixXd(0, 0), Eigen::MatrixXd(2, 0));
          }).find("S is empty") != std::string::npos);
    CHECK(test::message([&] {
              (void)with_shaped_disturbance(plant, sampled(turned(0.2, 0.3), 0.1));
          }).find("different time steps") != std::string::npos);
}

}  // namespace singular_values_test
