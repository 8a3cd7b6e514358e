// SPDX-License-Identifier: BSD-3-Clause
// The problems of Moré, Garbow and Hillstrom from the standard start, ten and a hundred times it: published minima
// are found, and whatever is found, ok is said only where the point is stationary.
#include <panto/opt/bfgs.hpp>
#include <panto/opt/conjugate_gradient.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/trust_region.hpp>

#include "../../cases/more_garbow_hillstrom.hpp"
#include "catch.hpp"

using namespace panto;

namespace opt_mgh_verify {
namespace {

/// r'r with its gradient by duals.
struct Squares {
    const test::MghProblem& f;
    double operator()(const Parameters& x) const { return f(x).squaredNorm(); }
    double operator()(const Parameters& x, Parameters& g) const {
        Parameters r;
        Matrix<double, Dynamic> J;
        if (ident::DualResiduals<test::MghProblem>(f).linearize(x, r, J) != Status::ok)
            return g = Parameters::Zero(x.size()), std::numeric_limits<double>::quiet_NaN();
        g = 2.0 * J.transpose() * r;
        return r.squaredNorm();
    }
};

bool published(const test::MghProblem& p, double value) {
    for (const double minimum : p.minima) {
        if (minimum > 0.0 && std::abs(value - minimum) <= 1e-5 * minimum) return true;  // six digits are printed
        if (!(minimum > 0.0) && value <= 1e-12) return true;
    }
    return false;
}

/// Whether r'r cannot fall by more than a millionth of it: by a full step of Gauss and Newton, or where J loses rank by
/// one of Newton with a Hessian from differences of exact gradients.
bool stationary(const test::MghProblem& p, const Parameters& x) {
    if (test::promised_share(p, x) < 1e-6) return true;
    const Squares f{p};
    Parameters g, above, below;
    const double value = f(x, g);
    if (!panto::is_finite(value)) return false;
    Matrix<double, Dynamic> H(x.size(), x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        const double h = 1e-5 * std::max(1e-2, std::abs(x[i]));
        Parameters up = x, down = x;
        up[i] += h, down[i] -= h;
        (void)f(up, above), (void)f(down, below);
        H.col(i) = (above - below) / (2.0 * h);
    }
    const Parameters step = H.completeOrthogonalDecomposition().solve(g);
    return 0.5 * std::abs(g.dot(step)) <= 1e-6 * value;
}

void check(const test::MghProblem& p, double factor, const char* method, const opt::Minimum& m, bool must_arrive) {
    INFO(p.name << " from " << factor << " times its start by " << method << ": " << m.value << " after "
                << m.iterations << " iterations, " << name(m.status) << ": " << m.reason);
    const bool there = published(p, m.value);
    if (m.status == Status::ok) CHECK((there || stationary(p, m.x)));
    if (must_arrive) {
        CHECK(there);
        CHECK(m.status == Status::ok);
    }
}

Parameters times(double factor, const Parameters& start) {
    return start.norm() > 0.0 ? Parameters(factor * start)
                              : Parameters(Parameters::Constant(start.size(), factor - 1.0));
}

}  // namespace

TEST_CASE("the published minima from the standard starts, and an honest status from far ones", "[opt][mgh]") {
    const auto all = test::mgh_problems();
    REQUIRE(all.back().number == 35);
    for (const test::MghProblem& p : all)
        for (const double factor : {1.0, 10.0, 100.0}) {
            const Parameters start = times(factor, p.start);
            if (!panto::is_finite(p(start).squaredNorm())) continue;  // Jennrich and Sampson from (30, 40)
            const ident::DualResiduals<test::MghProblem> exact(p);
            check(p, factor, "exact derivatives", opt::levenberg_marquardt(exact, start), factor < 2.0);
            const test::ByDifferences<test::MghProblem> alone{p};
            const bool hard = p.name == "Watson, 12";  // its J has a condition of 1e10: differences show half of it
            check(p, factor, "differences", opt::levenberg_marquardt(alone, start), factor < 2.0 && !hard);
        }
}

TEST_CASE("general minimizers find the published minima or do not say so", "[opt][mgh]") {
    int found[3] = {0, 0, 0}, problems = 0;
    for (const test::MghProblem& p : test::mgh_problems())
        for (const double factor : {1.0, 10.0}) {
            const Parameters start = times(factor, p.start);
            const Squares f{p};
            if (!panto::is_finite(f(start))) continue;
            problems += factor < 2.0;
            const opt::Minimum m[] = {opt::bfgs(f, start), opt::trust_region(f, start),
                                      opt::conjugate_gradient(f, start)};
            const char* names[] = {"BFGS", "trust region", "conjugate gradients"};
            for (int k = 0; k < 3; ++k) {
                check(p, factor, names[k], m[k], false);
                found[k] += factor < 2.0 && m[k].status == Status::ok && published(p, m[k].value);
            }
        }
    INFO("of " << problems << " problems: BFGS " << found[0] << ", trust region " << found[1]
               << ", conjugate gradients " << found[2]);
    CHECK(found[0] >= 30);
    CHECK(found[1] >= 30);
    CHECK(found[2] >= 15);
}

}  // namespace opt_mgh_verify
