// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/static_load.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "sections.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace panto::catenary;
using Eigen::VectorXd;
using panto::SetupError;
using panto::Status;
using panto::test::random_section;
using panto::test::seed;

namespace static_load_test {
namespace {

const FiniteElements<>& en50318() {
    static const FiniteElements<> model(en50318_2002(4));
    return model;
}

double height_at(const FiniteElements<>& model, const VectorXd& u, double x) {
    const WirePoint p = model.point(x);
    return interpolate<double>(p.row, p.value, [&](int row) { return u[row]; });
}

/// What is left of the equilibrium of a loaded section when every dropper pulls as the result says, N.
double imbalance(const FiniteElements<>& model, const StaticLoad<>& load) {
    VectorXd r = VectorXd::Zero(model.size());
    model.stiffness().multiply(load.displacement, r);
    const WirePoint p = model.point(load.position);
    for (std::size_t i = 0; i < 4; ++i)
        if (p.row[i] >= 0) r[p.row[i]] -= load.force * p.value[i];
    for (std::size_t j = 0; j < model.droppers().size(); ++j) {
        // The stiffness holds every dropper as a linear spring; the difference to its real tension is put right.
        const auto& d = model.droppers()[j];
        const double linear = d.static_force + d.stiffness * (load.displacement[d.top] - load.displacement[d.bottom]);
        r[d.top] += load.dropper_tension[j] - linear;
        r[d.bottom] -= load.dropper_tension[j] - linear;
    }
    return r.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_SUITE("catenary::static_load") {
    TEST_CASE("no force moves nothing") {
        const auto load = static_load(en50318(), 100.0, 0.0);
        CHECK(load.uplift == 0.0);
        CHECK(load.slack_droppers == 0);
        CHECK(load.displacement.norm() == 0.0);
        for (std::size_t j = 0; j < load.dropper_tension.size(); ++j)
            CHECK(load.dropper_tension[j] == en50318().droppers()[j].static_force);
    }

    TEST_CASE("what a force here lifts there, the same force there lifts here") {
        for (unsigned i = 0; i < 3; ++i) {
            CAPTURE(seed() + i);
            const FiniteElements<> model(random_section(seed() + i));
            for (const double a : {11.0, 57.3, 90.0})
                for (const double b : {30.0, 64.9, 101.7}) {
                    const double here = height_at(model, static_load(model, a, 5.0, true).displacement, b);
                    const double there = height_at(model, static_load(model, b, 5.0, true).displacement, a);
                    CHECK(here == approx(there).epsilon(1e-8));
                }
        }
    }

    TEST_CASE("a tiny force meets the linear structure, with or without droppers that may go slack") {
        for (const double x : {60.0, 65.0, 90.0, 93.1}) {
            const auto linear = static_load(en50318(), x, 1e-3, true), real = static_load(en50318(), x, 1e-3);
            CHECK(real.slack_droppers == 0);
            CHECK(real.uplift == approx(linear.uplift).epsilon(1e-9));
            CHECK(elasticity(en50318(), x) == approx(linear.uplift / 1e-3).epsilon(1e-9));
        }
    }

    TEST_CASE("a downward force makes no dropper slack nearby and is answered linearly") {
        const auto down = static_load(en50318(), 90.0, -20.0), up = static_load(en50318(), 90.0, 20.0, true);
        CHECK(down.uplift == approx(-up.uplift).epsilon(1e-9));
    }

    TEST_CASE("under a large force droppers go slack, none ever pushes, and everything is in balance") {
        for (unsigned i = 0; i < 5; ++i) {
            CAPTURE(seed() + i);
            const FiniteElements<> model(random_section(seed() + i));
            for (const double x : {20.0, 64.0, 99.0}) {
                const auto load = static_load(model, x, 900.0);
                CHECK(load.slack_droppers > 0);
                CHECK(load.slack_droppers == std::count(load.dropper_tension.begin(), load.dropper_tension.end(), 0.0));
                for (const double t : load.dropper_tension) CHECK(t >= 0.0);
                CHECK(imbalance(model, load) < 1e-6);  // of 900 N, with stiffnesses up to 1e8 N/m
            }
        }
    }

    TEST_CASE("slack droppers make the line softer") {
        for (const double x : {65.0, 90.0}) {
            CHECK(elasticity(en50318(), x, 300.0) > 1.01 * elasticity(en50318(), x));
            CHECK(elasticity(en50318(), x, 400.0) > elasticity(en50318(), x, 300.0));
        }
    }

    TEST_CASE("more tension makes the line stiffer everywhere") {
        Section<> s = en50318_2002(4);
        s.contact_wire.tension *= 1.2;
        s.messenger_wire.tension *= 1.2;
        const FiniteElements<> tighter(s);
        for (const double x : {60.0, 65.0, 80.0, 90.0}) CHECK(elasticity(tighter, x) < elasticity(en50318(), x));
    }

    TEST_CASE("in mid-span a line yields like its two tensions in parallel, less what stiffness saves") {
        // A span of two strings tied together: L / (4 (T1 + T2)) at its middle if its ends were fixed; the contact
        // wire's ends are not, the droppers are elastic, and neighbouring spans give way.
        const double strings = 60.0 / (4.0 * 36e3), middle = elasticity(en50318(), 90.0);
        CHECK(middle > 0.9 * strings);
        CHECK(middle < 1.5 * strings);
        CHECK(elasticity(en50318(), 60.0) < middle);
    }

    TEST_CASE("a symmetric section yields symmetrically") {
        for (const double x : {3.0, 44.0, 77.0, 100.0})
            CHECK(elasticity(en50318(), x) == approx(elasticity(en50318(), 240.0 - x)).epsilon(1e-9));
    }

    TEST_CASE("at the pinned ends nothing moves") {
        CHECK(static_load(en50318(), 0.0, 100.0).uplift == 0.0);
        CHECK(static_load(en50318(), 240.0, 100.0).uplift == 0.0);
    }

    TEST_CASE("a force that no pantograph has is refused, one above all that are built is not") {
        for (const double force : {1.1e4, 1e6, 1e9, -1e6, 1e300}) {
            try {
                static_cast<void>(static_load(en50318(), 90.0, force));
                FAIL("accepted");
            } catch (const SetupError& error) {
                CHECK(error.what() ==
                      "catenary::static_load: force is " + panto::shown(force) + " N, must be from -10000 to 10000 N");
            }
        }
        const auto load = static_load(en50318(), 90.0, 1e4);
        CHECK(std::isfinite(load.uplift));
        for (const double t : load.dropper_tension) CHECK(t >= 0.0);
    }

    TEST_CASE("places and forces that make no sense are refused") {
        using Limits = std::numeric_limits<double>;
        for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
            CHECK_THROWS_AS(static_cast<void>(static_load(en50318(), bad, 1.0)), SetupError);
            CHECK_THROWS_AS(static_cast<void>(static_load(en50318(), 90.0, bad)), SetupError);
        }
        CHECK_THROWS_WITH_AS(static_cast<void>(static_load(en50318(), -1.0, 1.0)),
                             "catenary::static_load: position is -1 m, must be from 0 to 240 m", SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(static_load(en50318(), 241.0, 1.0)),
                             "catenary::static_load: position is 241 m, must be from 0 to 240 m", SetupError);
        CHECK_THROWS_WITH_AS(static_cast<void>(elasticity(en50318(), 90.0, 0.0)),
                             "catenary::elasticity: force is 0 N, must be above 0", SetupError);
        CHECK_THROWS_AS(static_cast<void>(elasticity(en50318(), 90.0, -3.0)), SetupError);
    }

    TEST_CASE("a load that is no number is reported by the solver below, which allocates nothing") {
        // @rt-tested: Unilateral::solve Unilateral::tension Unilateral::linear_tension
        Unilateral<> structure(en50318(), en50318().stiffness());
        VectorXd r = VectorXd::Zero(en50318().size()), u = r;
        const WirePoint p = en50318().point(90.0);
        for (std::size_t i = 0; i < 4; ++i) r[p.row[i]] += 300.0 * p.value[i];
        Status alone = Status::drive_fault, touching = alone;
        double tension = 0.0, linear = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  alone = structure.solve(r, u);
                  tension = structure.tension(13, u);
                  linear = Unilateral<>::linear_tension(en50318().droppers()[13], u);
                  touching = structure.solve(r, u, p, 0.0, {.stiffness = 5e4, .head_height = 0.2});
              }) == 0);
        CHECK(alone == Status::ok);
        CHECK(touching == Status::ok);
        CHECK(tension == 0.0);
        CHECK(linear < 0.0);

        const double bad = std::numeric_limits<double>::quiet_NaN();
        CHECK(structure.solve(r, u, p, 0.0, {.stiffness = 5e4, .head_height = bad}) == Status::not_finite);
        r[p.row[0]] = bad;
        CHECK(structure.solve(r, u) == Status::not_finite);
        r[p.row[0]] = 0.0;
        CHECK(structure.solve(r, u) == Status::ok);  // nothing is left behind
    }

    TEST_CASE("a contact presses with its stiffness times what is left of the gap, and never pulls") {
        Unilateral<> structure(en50318(), en50318().stiffness());
        const VectorXd nothing = VectorXd::Zero(en50318().size());
        VectorXd u = nothing;
        const WirePoint p = en50318().point(93.0);
        const ImplicitContact<> contact{.stiffness = 5e4, .head_height = 0.03, .head_compliance = 1e-5};
        REQUIRE(structure.solve(nothing, u, p, 0.005, contact) == Status::ok);
        const double force = structure.contact_force(), wire = 0.005 + height_at(en50318(), u, 93.0);
        CHECK(force == approx(5e4 * (0.03 - 1e-5 * force - wire)).epsilon(1e-9));
        CHECK(wire - 0.005 == approx(static_load(en50318(), 93.0, force).uplift).epsilon(1e-7));

        REQUIRE(structure.solve(nothing, u, p, 0.005, {.stiffness = 5e4, .head_height = 0.004}) == Status::ok);
        CHECK(structure.contact_force() == 0.0);
        CHECK(u.norm() == 0.0);
    }

    TEST_CASE("a load of another size than the model is refused and nothing is written") {
        Unilateral<> structure(en50318(), en50318().stiffness());
        const int n = en50318().size();
        for (const int wrong : {0, n - 1, n + 1}) {
            VectorXd bad = VectorXd::Ones(wrong), good = VectorXd::Ones(n);
            CHECK(structure.solve(bad, good) == Status::out_of_range);
            CHECK(structure.solve(good, bad) == Status::out_of_range);
            CHECK((bad.array() == 1.0).all());
            CHECK((good.array() == 1.0).all());
        }
    }
}

}  // namespace static_load_test
