// SPDX-License-Identifier: BSD-3-Clause
// BFGS, conjugate gradients and trust region on minima known in closed form.
#include <panto/opt/bfgs.hpp>
#include <panto/opt/conjugate_gradient.hpp>
#include <panto/opt/sum_of_squares.hpp>
#include <panto/opt/trust_region.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace panto;

namespace descent_test {
namespace {

/// Rosenbrock's valley in any even number of dimensions, minimum 0 at (1, ..., 1).
struct Valley {
    double operator()(const Parameters& x) const {
        double sum = 0.0;
        for (Eigen::Index i = 0; i + 1 < x.size(); i += 2)
            sum += 100.0 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1.0 - x[i], 2);
        return sum;
    }
    double operator()(const Parameters& x, Parameters& g) const {
        g = Parameters::Zero(x.size());
        for (Eigen::Index i = 0; i + 1 < x.size(); i += 2) {
            const double t = x[i + 1] - x[i] * x[i];
            g[i] = -400.0 * x[i] * t - 2.0 * (1.0 - x[i]);
            g[i + 1] = 200.0 * t;
        }
        return (*this)(x);
    }
};

struct ValleyByDifferences {
    double operator()(const Parameters& x) const { return Valley{}(x); }
};

/// Sum of k (x_k - 1)^2 / 2, k = 1 .. 1000 in steps.
struct Bowl {
    double operator()(const Parameters& x) const {
        double sum = 0.0;
        for (Eigen::Index i = 0; i < x.size(); ++i) sum += weight(i, x) * std::pow(x[i] - 1.0, 2) / 2.0;
        return sum;
    }
    double operator()(const Parameters& x, Parameters& g) const {
        g.resize(x.size());
        for (Eigen::Index i = 0; i < x.size(); ++i) g[i] = weight(i, x) * (x[i] - 1.0);
        return (*this)(x);
    }
    static double weight(Eigen::Index i, const Parameters& x) {
        return 1.0 + 999.0 * static_cast<double>(i) / static_cast<double>(std::max<Eigen::Index>(x.size() - 1, 1));
    }
};

/// A bowl about (1, 1) beside a wall, which adds less than 1e-26 there; its slope at x_1 = 3 is 1e237.
struct SteepWall {
    double operator()(const Parameters& x) const {
        return (x - Parameters::Ones(2)).squaredNorm() + std::exp(300.0 * (x[1] - 1.2));
    }
    double operator()(const Parameters& x, Parameters& g) const {
        g = 2.0 * (x - Parameters::Ones(2));
        g[1] += 300.0 * std::exp(300.0 * (x[1] - 1.2));
        return (*this)(x);
    }
};

/// x^20 + (x - .1)^2, lowest at .1 to 1e-19.
struct HighPower {
    double operator()(const Parameters& x) const { return std::pow(x[0], 20) + std::pow(x[0] - 0.1, 2); }
    double operator()(const Parameters& x, Parameters& g) const {
        g = Parameters::Constant(1, 20.0 * std::pow(x[0], 19) + 2.0 * (x[0] - 0.1));
        return (*this)(x);
    }
};

/// The valley, without a value beyond x_0 = 1.2.
struct Walled : Valley {
    double operator()(const Parameters& x) const {
        if (x[0] > 1.2) throw std::runtime_error("behind the wall");
        return x[1] > 1.6 ? std::numeric_limits<double>::quiet_NaN() : Valley::operator()(x);
    }
    double operator()(const Parameters& x, Parameters& g) const { return Valley::operator()(x, g); }
};

static_assert(DifferentiableObjective<Valley> && !DifferentiableObjective<ValleyByDifferences>);
static_assert(Optimizer<opt::Bfgs, Valley> && Optimizer<opt::ConjugateGradient, Valley> &&
              Optimizer<opt::TrustRegion, ValleyByDifferences>);

/// Each method, with bounds, an iteration limit and an observer.
template <class F>
opt::Minimum run(int method, const F& f, const Parameters& start, const opt::Bounds& bounds = {}, int limit = 3000,
                 const opt::Observer& observer = {}) {
    if (method == 2) {
        opt::TrustRegionParams p;
        p.bounds = bounds, p.iteration_limit = limit, p.observer = observer;
        return opt::trust_region(f, start, p);
    }
    opt::DescentParams p;
    p.bounds = bounds, p.iteration_limit = limit, p.observer = observer;
    return method == 0 ? opt::bfgs(f, start, p) : opt::conjugate_gradient(f, start, p);
}

const Eigen::Vector2d classic(-1.2, 1.0);

}  // namespace

TEST_CASE("every descent method finds the valley's minimum, by gradient and by differences") {
    for (int method = 0; method < 3; ++method) {
        CAPTURE(method);
        const auto m = run(method, Valley{}, classic);
        CHECK((m.x - Parameters::Ones(2)).norm() < 1e-7);
        CHECK(m.status == Status::ok);
        CHECK(m.iterations < 200);
        CHECK(m.failures == 0);
        CHECK((run(method, ValleyByDifferences{}, classic).x - Parameters::Ones(2)).norm() < 1e-5);
        CHECK((run(method, Valley{}, Parameters::Constant(8, -0.7)).x - Parameters::Ones(8)).norm() < 1e-6);
    }
}

TEST_CASE("a bowl of condition 1000 in 20 dimensions is found to the gradient's tolerance") {
    for (int method = 0; method < 3; ++method) {
        CAPTURE(method);
        const auto m = run(method, Bowl{}, Parameters::Constant(20, 5.0));
        CHECK((m.x - Parameters::Ones(20)).norm() < 1e-7);  // gradient 1e-8 over the smallest weight 1
        CHECK(m.iterations < 400);
    }
}

TEST_CASE("conjugate gradients end on a quadratic after about as many steps as it has dimensions") {
    CHECK(run(1, Bowl{}, Parameters::Constant(5, 5.0)).iterations <= 15);  // searches are not exact
}

TEST_CASE("a start with slopes whose squares overflow is left") {
    for (int method = 0; method < 3; ++method) {
        CAPTURE(method);
        for (const double x_1 : {2.0, 2.5, 3.0}) {
            const auto m = run(method, SteepWall{}, Eigen::Vector2d(0.0, x_1));
            CAPTURE(m.reason);
            CHECK((m.x - Parameters::Ones(2)).norm() < 1e-6);
            CHECK(m.status == Status::ok);
        }
        for (const double far : {1e6, 1e10, 1e15}) {
            const auto m = run(method, HighPower{}, Parameters::Constant(1, far));
            CAPTURE(m.reason);
            CHECK(m.x[0] == approx(0.1).epsilon(1e-6));
            CHECK(m.status == Status::ok);
        }
    }
}

TEST_CASE("in a box the minimum of a separable bowl is its projection, with every method and from every corner") {
    const opt::Bounds box{Eigen::Vector3d(-1.0, 1.5, 0.0), Eigen::Vector3d(0.3, 9.0, 2.0)};
    for (int method = 0; method < 3; ++method)
        for (int corner = 0; corner < 8; ++corner) {
            CAPTURE(method);
            CAPTURE(corner);
            Parameters start(3);
            for (int i = 0; i < 3; ++i) start[i] = corner >> i & 1 ? box.high(i) : box.low(i);
            const auto m = run(method, Bowl{}, start, box);
            CHECK(m.x[0] == 0.3);
            CHECK(m.x[1] == 1.5);
            CHECK(m.x[2] == approx(1.0).epsilon(1e-9));
            CHECK(m.status == Status::ok);
        }
}

TEST_CASE("the valley cut off at x_0 = 0.5 has its minimum at (0.5, 0.25)") {
    const opt::Bounds box{Parameters::Constant(2, -2.0), Eigen::Vector2d(0.5, 2.0)};
    for (int method = 0; method < 3; ++method) {
        CAPTURE(method);
        const auto m = run(method, Valley{}, classic, box);
        CHECK(m.x[0] == 0.5);
        CHECK(m.x[1] == approx(0.25).epsilon(1e-8));
    }
}

TEST_CASE("points without a value are avoided; a start without one is named") {
    for (int method = 0; method < 3; ++method) {
        CAPTURE(method);
        CHECK((run(method, Walled{}, classic).x - Parameters::Ones(2)).norm() < 1e-6);
        const auto lost = run(method, Walled{}, Eigen::Vector2d(1.3, 0.0));
        CHECK(lost.status == Status::not_finite);
        CHECK(lost.reason == "at the start the objective threw: behind the wall");
    }
}

TEST_CASE("the observer may stop, and the budget is kept") {
    for (int method = 0; method < 3; ++method) {
        const auto stopped =
            run(method, Valley{}, classic, {}, 100, [](const opt::Progress& now) { return now.iteration < 4; });
        CHECK(stopped.status == Status::stopped_by_user);
        CHECK(stopped.iterations == 4);
        CHECK(stopped.value < Valley{}(classic));
        CHECK(run(method, Valley{}, classic, {}, 5).status == Status::not_converged);
        CHECK_THROWS_AS((void)run(method, Valley{}, classic, {}, 0), SetupError);
        CHECK_THROWS_AS((void)run(method, Valley{}, classic, {Parameters::Zero(2), {}}), SetupError);
    }
}

TEST_CASE("residuals become an objective with the right gradient") {
    struct Residuals {
        Status residuals(const Parameters& x, Parameters& r) const {
            r = Eigen::Vector2d(10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]);
            return x[0] > 5.0 ? Status::not_finite : Status::ok;
        }
        Status jacobian(const Parameters& x, Matrix<double, Dynamic>& J) const {
            J.resize(2, 2);
            J << -20.0 * x[0], 10.0, -1.0, 0.0;
            return Status::ok;
        }
    };
    const Residuals r;
    const opt::SumOfSquares f(r);
    Parameters g, expected;
    CHECK(f(classic, g) == approx(Valley{}(classic, expected)).epsilon(1e-14));
    CHECK((g - expected).norm() < 1e-12 * expected.norm());
    CHECK((opt::bfgs(f, classic).x - Parameters::Ones(2)).norm() < 1e-7);
    CHECK_FALSE(panto::is_finite(f(Eigen::Vector2d(6.0, 0.0))));
}

}  // namespace descent_test
