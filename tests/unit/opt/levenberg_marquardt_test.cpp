// SPDX-License-Identifier: BSD-3-Clause
#include <panto/opt/levenberg_marquardt.hpp>

#include "../../support/approx.hpp"
#include "../../support/point.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace panto;
using opt::levenberg_marquardt;

namespace levenberg_marquardt_test {
namespace {

using test::point;

/// Rosenbrock's valley as residuals, minimum 0 at (1, 1).
struct Valley {
    Status residuals(const Parameters& x, Parameters& r) const {
        r = point({10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]});
        return Status::ok;
    }
    Status jacobian(const Parameters& x, Matrix<double, Dynamic>& J) const {
        J.resize(2, 2);
        J << -20.0 * x[0], 10.0, -1.0, 0.0;
        return Status::ok;
    }
};

struct ValleyByDifferences {
    Status residuals(const Parameters& x, Parameters& r) const { return Valley{}.residuals(x, r); }
};

struct ValleyAtOnce : ValleyByDifferences {
    Status linearize(const Parameters& x, Parameters& r, Matrix<double, Dynamic>& J) const {
        (void)Valley{}.residuals(x, r);
        return Valley{}.jacobian(x, J);
    }
};

/// y = a exp(-b t) sampled without noise; throws or returns NaN for b beyond a wall between start and solution.
struct Decay {
    bool throws = false;
    double wall = 1e300;
    Status residuals(const Parameters& x, Parameters& r) const {
        if (x[1] > wall) {
            if (throws) throw std::runtime_error("too fast");
            r = Parameters::Constant(20, std::numeric_limits<double>::quiet_NaN());
            return Status::ok;
        }
        r.resize(20);
        for (int i = 0; i < 20; ++i) r[i] = x[0] * std::exp(-x[1] * 0.1 * i) - 3e6 * std::exp(-2.5 * 0.1 * i);
        return Status::ok;
    }
};

static_assert(Optimizer<opt::LevenbergMarquardt, Valley>);
static_assert(DifferentiableLeastSquares<Valley> && !DifferentiableLeastSquares<Decay>);
static_assert(LinearizedLeastSquares<ValleyAtOnce> && !LinearizedLeastSquares<Valley>);

}  // namespace

TEST_CASE("the valley's minimum is found to rounding with a Jacobian, at once, and by differences") {
    const Parameters start = point({-1.2, 1.0});
    const auto exact = levenberg_marquardt(Valley{}, start);
    CHECK((exact.x - point({1.0, 1.0})).norm() < 1e-13);
    CHECK(exact.status == Status::ok);
    opt::LevenbergMarquardtParams far;
    far.first_radius = 100.0;
    CHECK(levenberg_marquardt(Valley{}, start, far).evaluations < 30);  // MINPACK needs 21 residuals, with this radius
    CHECK(exact.evaluations < 40);
    const auto joint = levenberg_marquardt(ValleyAtOnce{}, start);
    CHECK(joint.x == exact.x);
    CHECK(joint.evaluations == exact.evaluations);
    CHECK(joint.derivatives == joint.evaluations);
    CHECK((levenberg_marquardt(ValleyByDifferences{}, start).x - point({1.0, 1.0})).norm() < 1e-9);
    opt::LevenbergMarquardtParams central;
    central.differences = opt::Differences::central;
    CHECK((levenberg_marquardt(ValleyByDifferences{}, start, central).x - point({1.0, 1.0})).norm() < 1e-12);
}

TEST_CASE("parameters in very different units are found alike") {
    const auto m = levenberg_marquardt(Decay{}, point({1e5, 0.3}));
    CHECK(m.x[0] == approx(3e6).epsilon(1e-9));
    CHECK(m.x[1] == approx(2.5).epsilon(1e-9));
}

TEST_CASE("a linear problem takes one step, and its minimum satisfies the normal equations") {
    struct Line {
        Status residuals(const Parameters& x, Parameters& r) const {
            r.resize(5);
            for (int i = 0; i < 5; ++i) r[i] = x[0] + x[1] * i - i * i;
            return Status::ok;
        }
        Status jacobian(const Parameters&, Matrix<double, Dynamic>& J) const {
            J.resize(5, 2);
            for (int i = 0; i < 5; ++i) J(i, 0) = 1.0, J(i, 1) = i;
            return Status::ok;
        }
    };
    const auto m = levenberg_marquardt(Line{}, point({1.0, 1.0}));
    CHECK((m.x - point({-2.0, 4.0})).norm() < 1e-12);  // least squares line through the squares of 0..4
    CHECK(m.iterations <= 2);
    CHECK(m.value == approx(14.0));
}

TEST_CASE("a bound that cuts the solution off is active, and the others are optimal along it") {
    opt::LevenbergMarquardtParams p;
    p.bounds.upper = point({0.5, 10.0});
    const auto m = levenberg_marquardt(Valley{}, point({-1.2, 1.0}), p);
    CHECK(m.x[0] == 0.5);
    CHECK(m.x[1] == approx(0.25).epsilon(1e-12));  // the valley's floor x1 = x0^2
    p.bounds = {point({-3.0, -3.0}), point({3.0, 0.5})};
    const auto low = levenberg_marquardt(Valley{}, point({-1.2, 0.5}), p);
    CHECK(low.x[1] == 0.5);
    // stationary in x0: -400 x0 (x1 - x0^2) - 2 (1 - x0) = 0
    CHECK(std::abs(-400.0 * low.x[0] * (0.5 - low.x[0] * low.x[0]) - 2.0 * (1.0 - low.x[0])) < 1e-9);
    CHECK(low.x[0] > 0.0);
}

TEST_CASE("the best point of a box agrees with the best over all its faces") {
    struct Plane {  // strictly convex: a unique minimum in the box
        Matrix<double, Dynamic> A;
        Parameters b;
        Status residuals(const Parameters& x, Parameters& r) const { return r = A * x - b, Status::ok; }
        Status jacobian(const Parameters&, Matrix<double, Dynamic>& J) const { return J = A, Status::ok; }
    };
    unsigned state = 1;
    const auto number = [&state] { return state = state * 1664525u + 1013904223u, state / 2147483648.0 - 1.0; };
    for (int trial = 0; trial < 50; ++trial) {
        Plane f;
        f.A.resize(6, 4), f.b.resize(6);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 4; ++j) f.A(i, j) = number() * (j == 0 ? 100.0 : 1.0);
        for (int i = 0; i < 6; ++i) f.b[i] = 3.0 * number();
        double smallest = 1e300;  // each parameter low, high or free: solve for the free ones, keep what is in the box
        for (int face = 0; face < 81; ++face) {
            Parameters x = Parameters::Zero(4);
            std::vector<int> open;
            for (int j = 0, code = face; j < 4; ++j, code /= 3) {
                if (code % 3 == 2) open.push_back(j);
                x[j] = code % 3 == 0 ? -0.3 : code % 3 == 1 ? 0.4 : 0.0;
            }
            if (!open.empty()) {
                Matrix<double, Dynamic> part(6, static_cast<Eigen::Index>(open.size()));
                for (std::size_t j = 0; j < open.size(); ++j) part.col(static_cast<int>(j)) = f.A.col(open[j]);
                const Parameters y = part.householderQr().solve(f.b - f.A * x);
                for (std::size_t j = 0; j < open.size(); ++j) x[open[j]] = y[static_cast<int>(j)];
            }
            if (x.minCoeff() >= -0.3 && x.maxCoeff() <= 0.4)
                smallest = std::min(smallest, (f.A * x - f.b).squaredNorm());
        }
        opt::LevenbergMarquardtParams p;
        p.bounds = {Parameters::Constant(4, -0.3), Parameters::Constant(4, 0.4)};
        const auto m = levenberg_marquardt(f, Parameters::Constant(4, trial % 2 ? 0.4 : 0.1), p);
        CHECK(m.value == approx(smallest).epsilon(1e-10));
        CHECK(m.iterations < 40);
    }
}

TEST_CASE("trials that throw or give NaN are taken back, and the minimum is found all the same") {
    for (const bool throws : {false, true}) {
        const Decay decay{throws, 2.6};
        const auto m = levenberg_marquardt(decay, point({1e5, 0.3}));
        CHECK(m.failures > 0);
        CHECK(m.x[1] == approx(2.5).epsilon(1e-9));
        const auto lost = levenberg_marquardt(decay, point({1e5, 3.0}));
        CHECK(lost.status == Status::not_finite);
        CHECK(lost.x[1] == 3.0);
        CHECK(lost.reason.find(throws ? "too fast" : "not a finite number") != std::string::npos);
    }
}

TEST_CASE("a parameter without influence stays where it is") {
    struct Blind {
        Status residuals(const Parameters& x, Parameters& r) const {
            r = point({x[0] - 2.0, x[0] * x[0] - 4.0, 0.0});
            return Status::ok;
        }
    };
    const auto m = levenberg_marquardt(Blind{}, point({1.0, 7.0}));
    CHECK(m.x[0] == approx(2.0));
    CHECK(m.x[1] == 7.0);
}

TEST_CASE("fewer residuals than parameters: some exact solution is found") {
    struct Circle {
        Status residuals(const Parameters& x, Parameters& r) const {
            r = Parameters::Constant(1, x.squaredNorm() - 1.0);
            return Status::ok;
        }
    };
    CHECK(levenberg_marquardt(Circle{}, point({1.0, 2.0, 3.0})).x.norm() == approx(1.0));
}

TEST_CASE("the observer sees every iteration and may stop") {
    int seen = 0;
    opt::LevenbergMarquardtParams p;
    p.observer = [&seen](const opt::Progress& progress) { return ++seen, progress.iteration < 3; };
    const auto m = levenberg_marquardt(Valley{}, point({-1.2, 1.0}), p);
    CHECK(m.status == Status::stopped_by_user);
    CHECK(seen == 3);
    CHECK(m.iterations == 3);
    p.observer = nullptr;
    p.iteration_limit = 4;
    CHECK(levenberg_marquardt(Valley{}, point({-1.2, 1.0}), p).status == Status::not_converged);
}

TEST_CASE("bad input is named") {
    opt::LevenbergMarquardtParams p;
    p.bounds.lower = point({0.0, 0.0});
    CHECK_THROWS_WITH_AS((void)levenberg_marquardt(Valley{}, point({-1.2, 1.0}), p),
                         "opt::levenberg_marquardt: start[0] is -1.2, must be within the bounds, 0 to inf", SetupError);
    p.bounds.upper = point({1.0, -1.0});
    CHECK_THROWS_AS((void)levenberg_marquardt(Valley{}, point({0.5, 0.5}), p), SetupError);
    p.bounds.upper = point({1.0});
    CHECK_THROWS_AS((void)levenberg_marquardt(Valley{}, point({0.5, 0.5}), p), SetupError);
    CHECK_THROWS_AS((void)levenberg_marquardt(Valley{}, Parameters()), SetupError);
    CHECK_THROWS_AS((void)levenberg_marquardt(Valley{}, point({std::nan(""), 0.0})), SetupError);
    p = {};
    p.iteration_limit = 0;
    CHECK_THROWS_AS((void)levenberg_marquardt(Valley{}, point({0.5, 0.5}), p), SetupError);
}

}  // namespace levenberg_marquardt_test
