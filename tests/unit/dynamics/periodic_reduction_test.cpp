// SPDX-License-Identifier: BSD-3-Clause
#include <panto/dynamics/periodic_reduction.hpp>

#include "message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace periodic_reduction_test {
namespace {

using namespace panto;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct System {
    std::vector<MatrixXd> A = {}, B = {};
    MatrixXd C = {};
    double dt = 0.01;
};

/// Rods of masses that pass heat to their neighbours, at rates that repeat themselves after three samples. The input
/// acts on state 1, the output is state 2; states 6 to 11 are one end of the rod.
System rod() {
    System s;
    for (int k = 0; k < 3; ++k) {
        MatrixXd A = 0.4 * MatrixXd::Identity(12, 12);
        for (int i = 0; i < 11; ++i)
            A(i, i + 1) = 0.2 + 0.05 * ((i + k) % 3), A(i + 1, i) = 0.25 - 0.03 * ((i * k) % 4);
        s.A.push_back(A);
        s.B.push_back(VectorXd::Unit(12, 1) * (1.0 + 0.2 * k));
    }
    s.C = MatrixXd::Zero(1, 12);
    s.C(0, 2) = 1.0;
    return s;
}

template <class Any>
std::vector<double> answer(const Any& s, int samples) {
    VectorXd x = VectorXd::Zero(s.C.cols());
    std::vector<double> y;
    for (int n = 0; n < samples; ++n) {
        const auto k = static_cast<std::size_t>(n) % s.A.size();
        x = (s.A[k] * x + s.B[k].col(0) * (n < 4 ? 1.0 : std::sin(0.3 * n))).eval();
        y.push_back((s.C * x)[0]);
    }
    return y;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

}  // namespace

TEST_CASE("a part with as many states as it had is the same system; with fewer it misses little, and less with more") {
    const System whole = rod();
    const std::vector<Eigen::Index> end{6, 7, 8, 9, 10, 11};
    const auto reduced = [&](int states) {
        return dynamics::reduce_parts(whole, {.parts = {end}, .states = states, .periods = 20, .rank = 12});
    };
    const auto y = answer(whole, 60);
    const auto same = reduced(6);
    CHECK(same.states == std::vector<int>{6});
    CHECK(same.kept == std::vector<Eigen::Index>{0, 1, 2, 3, 4, 5});
    CHECK(same.A[1].rows() == 12);
    CHECK(distance(answer(same, 60), y) < 1e-10);
    const double one = distance(answer(reduced(1), 60), y), two = distance(answer(reduced(2), 60), y),
                 three = distance(answer(reduced(3), 60), y);
    CHECK(three < 0.2 * two);
    CHECK(two < 0.2 * one);
    CHECK(one < 0.1);
    CHECK(dynamics::period_radius(reduced(2)) < 1.0);
}

TEST_CASE("what the inputs do not reach, or the outputs do not see, is left out, and nothing else") {
    // Of the part 1 to 3, state 1 is reached and seen, 2 is reached only, 3 is seen only.
    System s;
    MatrixXd A = MatrixXd::Zero(4, 4);
    A << 0.5, 0.3, 0.0, 0.7,  //
        1.0, 0.6, 0.0, 0.0,   //
        5.0, 0.0, 0.5, 0.0,   //
        0.0, 0.0, 0.0, 0.7;
    s.A = {0.8 * A, 0.7 * A};
    s.B = {VectorXd::Unit(4, 0), VectorXd::Unit(4, 0)};
    s.C = MatrixXd(VectorXd::Unit(4, 0).transpose());
    const auto reduced = dynamics::reduce_parts(s, {.parts = {{1, 2, 3}}, .states = 3, .periods = 20, .rank = 8});
    CHECK(reduced.states == std::vector<int>{1});
    CHECK(distance(answer(reduced, 60), answer(s, 60)) < 1e-12);
}

TEST_CASE("an output without weight does not count") {
    // Outputs are states 0 and 1, each of which sees one of the part, 2 and 3.
    System s;
    MatrixXd A = MatrixXd::Zero(4, 4);
    A(0, 2) = A(1, 3) = 1.0, A(2, 2) = 0.6, A(3, 3) = -0.4;
    s.A = {A};
    s.B = {VectorXd(Eigen::Vector4d(0.0, 0.0, 1.0, 1.0))};
    s.C = MatrixXd::Identity(2, 4);
    for (int kept = 0; kept < 2; ++kept) {
        CAPTURE(kept);
        const auto reduced = dynamics::reduce_parts(
            s, {.parts = {{2, 3}}, .states = 1, .periods = 60, .output_weight = Eigen::Vector2d::Unit(kept)});
        VectorXd x = VectorXd::Zero(4), z = VectorXd::Zero(3);
        double worst = 0.0;
        for (int n = 0; n < 30; ++n) {
            x = (A * x + s.B[0].col(0)).eval(), z = (reduced.A[0] * z + reduced.B[0].col(0)).eval();
            worst = std::max(worst, std::abs((s.C * x - reduced.C * z)[kept]));
        }
        CHECK(worst < 1e-12);
    }
}

TEST_CASE("a factor of a Gramian keeps it when it is shortened") {
    MatrixXd factor = MatrixXd::Zero(5, 0), gram = MatrixXd::Zero(5, 5);
    for (int n = 0; n < 100; ++n) {
        const VectorXd more = VectorXd::LinSpaced(5, std::sin(0.7 * n), std::cos(1.3 * n * n));
        dynamics::detail::enlarge(factor, more, 6);
        gram += more * more.transpose();
    }
    CHECK(factor.cols() <= 30);
    CHECK((factor * factor.transpose() - gram).norm() < 1e-12 * gram.norm());
}

TEST_CASE("what cannot be reduced is refused by name") {
    const System whole = rod();
    const auto refused = [&](dynamics::ReductionParams p) {
        if (p.parts.empty()) p.parts = {{8, 9}};
        return test::message([&] { (void)dynamics::reduce_parts(whole, p); });
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has(refused({.parts = {{8, 12}}}), "names state 12"));
    CHECK(has(refused({.parts = {{8}, {8}}}), "parts[1] names state 8 a second time"));
    CHECK(has(refused({.parts = {{}}}), "parts[0] is empty"));
    CHECK(has(refused({.parts = {{2}}, .states = 1}), "an output depends on states of parts[0]"));
    CHECK(has(refused({.states = 0}), "states is 0"));
    CHECK(has(refused({.states = 10, .rank = 9}), "rank is 9"));
    CHECK(has(refused({.periods = 0}), "periods is 0"));
    CHECK(has(refused({.output_weight = VectorXd::Ones(2)}), "output_weight has 2 entries"));
}

}  // namespace periodic_reduction_test
