// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/moving_contacts.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace panto::catenary;
using panto::SetupError;
using panto::Status;

namespace moving_contacts_test {
namespace {

/// 8 m spans with a static shape, masts, arms and light droppers that go slack.
PeriodicLine line() {
    PeriodicLine line{
        .period = 8.0,
        .contact_wire = {.mass_per_length = 1.3, .viscous_damping = 0.4, .bending_stiffness = 100.0, .tension = 20e3},
        .messenger_wire = {.mass_per_length = 1.0, .viscous_damping = 0.3, .bending_stiffness = 80.0, .tension = 14e3},
        .beta = 1e-4};
    line.droppers = {{1.1, 3000.0, 2.0, 20.0}, {5.3, 2000.0, 0.0, 20.0}};
    line.on_messenger = {{.position = 0.3, .stiffness = 5e4, .damping = 30.0, .mass = 0.5}};
    line.on_contact = {{.position = 2.0, .stiffness = 200.0, .damping = 0.2, .mass = 0.3}};
    line.static_height = [](double x) {
        return std::array<double, 2>{0.002 * std::sin(0.25 * 3.141592653589793 * x),
                                     0.002 * 0.25 * 3.141592653589793 * std::cos(0.25 * 3.141592653589793 * x)};
    };
    return line;
}
const MovingGrid grid{
    .speed = 40.0, .dt = 8.0 / (40.0 * 80.0), .cells = 16, .spans = 4, .start = 1.7, .unilateral = true};

ImplicitContact<> head_at(int n, double phase = 0.0) {
    return {.stiffness = 2e4, .head_height = 0.004 + 0.012 * std::sin(0.05 * n + phase), .head_compliance = 1e-6};
}

TEST_CASE("contacts on the moving grid: one alone, and one beside a head that never touches, are the engine") {
    auto single = moving_engine(line(), grid);
    auto alone = moving_contacts(line(), grid, {}), two = moving_contacts(line(), grid, {6.3});
    int slack = 0, lost = 0;
    for (int n = 0; n < 300; ++n) {
        const double force = single.step_contact(head_at(n)).value;
        CHECK(alone.step_contacts(std::vector{head_at(n)}) == Status::ok);
        CHECK(two.step_contacts(std::vector{head_at(n), ImplicitContact<>{.stiffness = 2e4, .head_height = -1.0}}) ==
              Status::ok);
        REQUIRE(std::abs(alone.contact_force() - force) < 1e-8);
        REQUIRE(std::abs(two.contact_force(0) - force) < 1e-8);
        REQUIRE(two.contact_force(1) == 0.0);
        slack += single.slack_droppers();
        lost += force == 0.0;
    }
    CHECK(slack > 20);
    CHECK(lost > 20);
    CHECK(two.wire().speed == approx(single.wire().speed).scale(1e-9));
}

TEST_CASE("contacts on the moving grid: a contact that follows is the engine whose contact stands there") {
    const double d = 6.3;
    MovingGrid there = grid;
    there.start = grid.start - d;
    there.contact_at = 0.5 * 8.0 * grid.spans - d;
    auto single = moving_engine(line(), there);
    auto two = moving_contacts(line(), grid, {d});
    for (int n = 0; n < 300; ++n) {
        const double force = single.step_contact(head_at(n)).value;
        CHECK(two.step_contacts(std::vector{ImplicitContact<>{.stiffness = 2e4, .head_height = -1.0}, head_at(n)}) ==
              Status::ok);
        REQUIRE(std::abs(two.contact_force(1) - force) < 1e-8);
        REQUIRE(std::abs(two.wire(1).height - single.wire().height) < 1e-12);
        REQUIRE(std::abs(two.wire(1).speed - single.wire().speed) < 1e-9);
        REQUIRE(std::abs(two.position(1) - single.position()) < 1e-9);
    }
}

TEST_CASE("contacts on the moving grid: with droppers that pull and push, given forces superpose") {
    MovingGrid linear = grid;
    linear.unilateral = false;
    auto both = moving_contacts(line(), linear, {5.1, 9.0}), first = both, second = both, none = both;
    double off = 0.0, most = 0.0;
    for (int n = 0; n < 200; ++n) {
        const double f = 100.0 + 80.0 * std::sin(0.1 * n), g = 60.0 * std::cos(0.07 * n);
        both.step(std::array{f, g, 0.5 * g});
        first.step(std::array{f, 0.0, 0.0});
        second.step(std::array{0.0, g, 0.5 * g});
        none.step(std::array{0.0, 0.0, 0.0});
        for (std::size_t i = 0; i < 3; ++i) {
            const double sum = first.wire(i).height + second.wire(i).height - none.wire(i).height;
            off = std::max(off, std::abs(both.wire(i).height - sum));
            most = std::max(most, std::abs(both.wire(i).height - none.wire(i).height));
        }
    }
    CHECK(most > 1e-3);
    CHECK(off < 1e-11 * most);
}

TEST_CASE("contacts on the moving grid: each keeps the law of contact, beside a dropper and beside another contact") {
    auto many = moving_contacts(line(), grid, {0.4, 6.0});  // the second within a cell of the first
    double off = 0.0;
    for (int n = 0; n < 300; ++n) {
        const std::vector<ImplicitContact<>> with{head_at(n), head_at(n, 1.0), head_at(n, 2.0)};
        CHECK(many.step_contacts(with) == Status::ok);
        for (std::size_t i = 0; i < 3; ++i) {
            const double F = many.contact_force(i);
            const double gap = with[i].head_height - with[i].head_compliance * F - many.wire(i).height;
            off = std::max(off, std::abs(F - std::max(0.0, with[i].stiffness * gap)));
        }
    }
    CHECK(off < 1e-6);
}

TEST_CASE("contacts on the moving grid: what makes no sense is refused, and steps do not allocate") {
    // @rt-tested: MovingContacts::step MovingContacts::step_contacts MovingContacts::reset MovingContacts::wire
    // @rt-tested: MovingContacts::position MovingContacts::position_after MovingContacts::contact_force
    CHECK_THROWS_AS((void)moving_contacts(line(), grid, {15.9}), SetupError);
    CHECK_THROWS_AS((void)moving_contacts(line(), grid, {-1.0}), SetupError);
    auto two = moving_contacts(line(), grid, {6.3});
    CHECK(two.step(std::array{1.0}) == Status::out_of_range);
    std::vector<ImplicitContact<>> with{head_at(0), head_at(0)};
    CHECK(two.step_contacts(std::span(with).first(1)) == Status::out_of_range);
    with[1].stiffness = 0.0;
    CHECK(two.step_contacts(with) == Status::not_finite);
    CHECK(two.time() == 0.0);
    with[1] = head_at(20);
    double seen = 0.0;
    CHECK(panto::test::allocations_in([&] {
              for (int n = 0; n < 10; ++n) seen += static_cast<double>(two.step_contacts(with));
              seen += static_cast<double>(two.step(std::array{50.0, 20.0}));
              seen += two.wire(1).height + two.position(1) + two.position_after(0.1, 1) + two.contact_force(1);
              CHECK(two.contact_force(1) == 20.0);
              two.reset();
          }) == 0);
    CHECK(panto::is_finite(seen));
    CHECK(panto::is_nan(two.contact_force(2)));
    CHECK(panto::is_nan(two.wire(2).height));
    const double none = std::numeric_limits<double>::quiet_NaN();
    CHECK(two.step(std::array{0.0, none}) == Status::not_finite);
    two.reset();
    CHECK(two.step(std::array{0.0, 10.0}) == Status::ok);
}

}  // namespace
}  // namespace moving_contacts_test
