// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_contacts.hpp>
#include <panto/catenary/reference_contacts.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "sections.hpp"

#include <Eigen/LU>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace panto::catenary;
using panto::SetupError;
using panto::Status;

namespace several_contacts_test {
namespace {

using Contacts = std::vector<ImplicitContact<>>;

/// Heads that knock against the wire from below, each in its own rhythm.
Contacts heads_at(int step, std::size_t count) {
    Contacts c;
    for (std::size_t i = 0; i < count; ++i) {
        const double n = step, k = static_cast<double>(i);
        c.push_back({.stiffness = 4e4 + 1e4 * k,
                     .head_height = 0.04 + 0.06 * std::sin((0.07 + 0.02 * k) * n + k) + 0.01 * std::cos(0.31 * n),
                     .head_compliance = 3e-6});
    }
    return c;
}

const FiniteElements<>& en_line() {
    static const FiniteElements<> model(en50318_2002(4), {.contact = 1.5, .messenger = 3.0});
    return model;
}

Eigen::MatrixXd dense(const panto::linalg::SymmetricBand<>& band) {
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(band.size(), band.size());
    for (int i = 0; i < band.size(); ++i)
        for (int k = 0; k <= std::min(i, band.half_bandwidth()); ++k)
            full(i, i - k) = full(i - k, i) = band.below(i, k);
    return full;
}

TEST_CASE("several contacts: two ways to solve for them and for slack droppers agree") {
    const FiniteElements<> model(panto::test::random_section(panto::test::seed()), {.contact = 1.2, .messenger = 2.5});
    const PassageParams passage{.speed = 45.0, .start = 70.0};
    const std::vector<double> behind{11.0, 45.0};
    RealTimeContacts<> fast(model, passage, behind);
    ReferenceContacts<> slow(model, passage, behind), told(model, passage, behind);  // told: under the forces found
    REQUIRE(fast.contacts() == 3);
    int slack = 0, lost = 0;
    double force = 0.0, height = 0.0, speed = 0.0, tension = 0.0, law = 0.0;
    for (int n = 0; n < 400; ++n) {
        const Contacts with = heads_at(n, 3);
        REQUIRE(fast.step_contacts(with) == Status::ok);
        REQUIRE(slow.step_contacts(with) == Status::ok);
        REQUIRE(told.step(std::array{fast.contact_force(0), fast.contact_force(1), fast.contact_force(2)}) ==
                Status::ok);
        for (std::size_t c = 0; c < 3; ++c) {
            const double f = fast.contact_force(c);
            height = std::max(height, std::abs(fast.wire(c).height - told.wire(c).height));
            force = std::max(force, std::abs(f - slow.contact_force(c)));
            height = std::max(height, std::abs(fast.wire(c).height - slow.wire(c).height));
            speed = std::max(speed, std::abs(fast.wire(c).speed - slow.wire(c).speed));
            const double gap = with[c].head_height - with[c].head_compliance * f - fast.wire(c).height;
            law = std::max(law, std::abs(f - std::max(0.0, with[c].stiffness * gap)));
            lost += f == 0.0;
        }
        for (std::size_t j = 0; j < model.droppers().size(); ++j)
            tension = std::max(tension, std::abs(fast.dropper_force(j) - slow.dropper_force(j)));
        slack += fast.slack_droppers();
        CHECK(fast.position(1) == slow.position(1));
    }
    CHECK(slack > 100);  // it is about them
    CHECK(lost > 100);
    // Both are exact but for rounding, 1e-16 of 1e9 N/m times some metres.
    CHECK(force < 1e-5);
    CHECK(tension < 1e-5);
    CHECK(height < 1e-9);
    CHECK(speed < 1e-6);
    CHECK(law < 1e-6);
}

TEST_CASE("several contacts: one alone, and one beside a head that never touches, are the engine of one contact") {
    const PassageParams passage{.speed = 60.0, .start = 60.0};
    RealTimeEngine<> single(en_line(), passage);
    RealTimeContacts<> alone(en_line(), passage, {}), two(en_line(), passage, {50.0});
    double off_alone = 0.0, off_two = 0.0;
    for (int n = 0; n < 300; ++n) {
        Contacts with = heads_at(n, 1);
        const double expected = single.step_contact(with[0]).value;
        CHECK(alone.step_contacts(with) == Status::ok);
        with.push_back({.stiffness = 5e4, .head_height = -3.0, .head_compliance = 1e-5});
        CHECK(two.step_contacts(with) == Status::ok);
        CHECK(two.contact_force(1) == 0.0);
        off_alone = std::max(off_alone, std::abs(alone.contact_force() - expected));
        off_two = std::max(off_two, std::abs(two.contact_force(0) - expected));
    }
    CHECK(single.slack_droppers() == two.slack_droppers());
    CHECK(off_alone < 1e-6);  // the engine of one contact stops at 1e-10 N, and its errors add up
    CHECK(off_two < 1e-6);
    CHECK(two.wire().height == approx(single.wire().height).epsilon(1e-12));
}

TEST_CASE("several contacts: given forces superpose while no dropper is slack") {
    const PassageParams passage{.speed = 60.0, .start = 90.0};
    RealTimeContacts<> both(en_line(), passage, {35.0}), first = both, second = both;
    const double rest = both.wire(1).height;
    double off = 0.0, most = 0.0;
    for (int n = 0; n < 200; ++n) {
        const double f = 20.0 + 10.0 * std::sin(0.2 * n), g = 15.0 + 10.0 * std::cos(0.17 * n);
        both.step(std::array{f, g});
        first.step(std::array{f, 0.0});
        second.step(std::array{0.0, g});
        REQUIRE(both.slack_droppers() == 0);
        for (int row = 0; row < en_line().size(); row += 7) {
            const double sum = first.displacement(row) + second.displacement(row);
            off = std::max(off, std::abs(both.displacement(row) - sum));
            most = std::max(most, std::abs(sum));
        }
    }
    CHECK(most > 1e-3);
    CHECK(off < 1e-11 * most);  // rounding of sums over 200 steps
    CHECK(both.wire(1).height != rest);
}

TEST_CASE("several contacts: two heads in mirrored places of a mirrored line feel the same") {
    const FiniteElements<> model(en50318_2002(3), {.contact = 1.5, .messenger = 3.0});
    const double middle = 0.5 * model.length();
    RealTimeContacts<> line(model, {.speed = 0.0, .start = middle + 13.0}, {26.0});
    double off = 0.0, most = 0.0;
    for (int n = 0; n < 300; ++n) {
        const ImplicitContact<> head = heads_at(n, 1)[0];
        line.step_contacts(std::array{head, head});
        off = std::max(off, std::abs(line.contact_force(0) - line.contact_force(1)));
        most = std::max(most, line.contact_force(0));
    }
    CHECK(most > 100.0);
    CHECK(off < 1e-7 * most);
}

TEST_CASE("several contacts: a dense model with both pantographs in one matrix") {
    // The trapezoidal rule for [u; v], contacts as springs that stay pressed, no dropper slack.
    const FiniteElements<> model(en50318_2002(2), {.contact = 4.0, .messenger = 6.0});
    const PassageParams passage{.speed = 20.0, .start = 60.0, .dt = 4e-3, .accept_coarse_mesh = true};
    RealTimeContacts<> line(model, passage, {30.0});
    const Eigen::MatrixXd M = dense(model.mass()), C = dense(model.damping()), K = dense(model.stiffness());
    const double dt = passage.dt;
    // From rest under 60 and 50 N, so that the contacts stay closed.
    const std::array forces{60.0, 50.0};
    line.rest_under(forces);
    Eigen::VectorXd load = Eigen::VectorXd::Zero(model.size());  // N'F at this instant
    for (std::size_t c = 0; c < 2; ++c) {
        const WirePoint p = model.point(c == 0 ? 60.0 : 30.0);
        for (std::size_t a = 0; a < 4; ++a)
            if (p.row[a] >= 0) load[p.row[a]] += forces[c] * p.value[a];
    }
    Eigen::VectorXd u = K.partialPivLu().solve(load), v = Eigen::VectorXd::Zero(model.size());
    const std::array rest{line.wire(0).height, line.wire(1).height};
    double off = 0.0, least = 1e9;
    for (int n = 1; n <= 120; ++n) {
        const double first = passage.start + passage.speed * dt * n;
        const Contacts with{{.stiffness = 5e3,
                             .head_height = rest[0] + 60.0 * (1.0 / 5e3 + 2e-5) + 1e-3 * std::sin(0.1 * n),
                             .head_compliance = 2e-5},
                            {.stiffness = 7e3,
                             .head_height = rest[1] + 50.0 * (1.0 / 7e3 + 1e-5) - 1e-3 * std::sin(0.2 * n),
                             .head_compliance = 1e-5}};
        line.step_contacts(with);
        Eigen::MatrixXd N = Eigen::MatrixXd::Zero(2, model.size()), k = Eigen::MatrixXd::Zero(2, 2);
        Eigen::Vector2d reach;
        for (int c = 0; c < 2; ++c) {
            const auto i = static_cast<std::size_t>(c);
            const double x = first - 30.0 * c;
            const WirePoint p = model.point(x);
            for (std::size_t a = 0; a < 4; ++a)
                if (p.row[a] >= 0) N(c, p.row[a]) = p.value[a];
            k(c, c) = 1.0 / (1.0 / with[i].stiffness + with[i].head_compliance);
            reach[c] = with[i].head_height - model.static_height(x)[0];
        }
        // M (v+ - v) = dt/2 (f + f+),  f+ = N' k (reach - N u+) - C v+ - K u+,  u+ = u + dt/2 (v + v+).
        const Eigen::MatrixXd stiff = K + N.transpose() * k * N;
        const Eigen::VectorXd half = u + 0.5 * dt * v,
                              right =
                                  M * v + 0.5 * dt * (load - C * v - K * u + N.transpose() * k * reach - stiff * half);
        const Eigen::VectorXd next = (M + 0.5 * dt * C + 0.25 * dt * dt * stiff).partialPivLu().solve(right);
        u = half + 0.5 * dt * next;
        v = next;
        const Eigen::Vector2d F = k * (reach - N * u);
        load = N.transpose() * F;
        least = std::min({least, F[0], F[1]});
        off = std::max({off, std::abs(F[0] - line.contact_force(0)), std::abs(F[1] - line.contact_force(1))});
    }
    CHECK(line.slack_droppers() == 0);
    CHECK(least > 1.0);  // in contact throughout
    CHECK(off < 1e-6);   // of about 50 N
}

TEST_CASE("several contacts: a wave reaches the other contact when it must") {
    // Wave speeds of both wires 122 m/s: from the first to the second, d / (c + v); from the second to the first,
    // d / (c - v). Bending makes short waves a little faster, by less than a tenth at the lengths a 1.5 m mesh carries.
    const FiniteElements<> model(en50318_2002(5), {.contact = 1.0, .messenger = 2.0});
    const double v = 40.0, d = 60.0, c = std::sqrt(20e3 / 1.35);
    for (const bool from_first : {true, false}) {
        RealTimeContacts<> line(model, {.speed = v, .start = 120.0}, {d});
        const double arrival = from_first ? d / (c + v) : d / (c - v);
        const std::size_t to = from_first ? 1 : 0;
        double before = 0.0, after = 0.0;
        RealTimeContacts<> still = line;
        while (line.time() < 1.4 * arrival) {
            line.step(from_first ? std::array{30.0, 0.0} : std::array{0.0, 30.0});
            still.step(std::array{0.0, 0.0});
            const double lifted = std::abs(line.wire(to).height - still.wire(to).height);
            if (line.time() < 0.85 * arrival) before = std::max(before, lifted);
            after = std::max(after, lifted);
        }
        CAPTURE(from_first);
        CHECK(after > 1e-3);
        CHECK(before < 0.05 * after);
    }
}

TEST_CASE("several contacts: at rest under a static force at each, nothing moves") {
    const PassageParams passage{.speed = 0.0, .start = 100.0};
    const std::array forces{120.0, 90.0};
    RealTimeContacts<> fast(en_line(), passage, {40.0});
    ReferenceContacts<> slow(en_line(), passage, {40.0});
    const auto heights = fast.static_heights(forces);
    fast.rest_under(forces);
    slow.rest_under(forces);
    for (std::size_t c = 0; c < 2; ++c) {
        CHECK(fast.wire(c).height == approx(heights[c]));
        CHECK(slow.wire(c).height == approx(heights[c]));
        CHECK(fast.contact_force(c) == forces[c]);
    }
    const ImplicitContact<> spring{.stiffness = 5e4};
    for (int n = 0; n < 20; ++n) {
        Contacts with(2, spring);
        for (std::size_t c = 0; c < 2; ++c) with[c].head_height = heights[c] + forces[c] / spring.stiffness;
        CHECK(fast.step_contacts(with) == Status::ok);
        CHECK(slow.step_contacts(with) == Status::ok);
    }
    for (std::size_t c = 0; c < 2; ++c) {
        CHECK(fast.contact_force(c) == approx(forces[c]).epsilon(1e-8));
        CHECK(slow.contact_force(c) == approx(forces[c]).epsilon(1e-8));
        CHECK(std::abs(fast.wire(c).speed) < 1e-9);
    }
}

TEST_CASE("several contacts: what cannot be solved changes nothing and says so") {
    RealTimeContacts<> fast(en_line(), {.speed = 60.0, .start = 60.0}, {50.0});
    ReferenceContacts<> slow(en_line(), {.speed = 60.0, .start = 60.0}, {50.0});
    const auto refuses = [](auto& line) {
        CHECK(line.step_contacts(heads_at(0, 1)) == Status::out_of_range);
        CHECK(line.step_contacts(heads_at(0, 3)) == Status::out_of_range);
        CHECK(line.step(std::array{100.0}) == Status::out_of_range);
        Contacts bad = heads_at(0, 2);
        bad[1].stiffness = -1.0;
        CHECK(line.step_contacts(bad) == Status::not_finite);
        CHECK(line.steps() == 0);
        bad[1] = {.stiffness = 1e4, .head_height = std::numeric_limits<double>::quiet_NaN()};
        CHECK(line.step_contacts(bad) == Status::not_finite);
        CHECK(line.steps() == 0);
        CHECK(panto::is_nan(line.contact_force(2)));
        CHECK(panto::is_nan(line.wire(2).height));
        line.step(std::array{100.0, std::numeric_limits<double>::quiet_NaN()});
        CHECK(!panto::is_finite(line.wire(1)));
        line.reset();
        CHECK(line.step(std::array{100.0, 90.0}) == Status::ok);
        CHECK(line.contact_force(1) == 90.0);
        CHECK(line.position(1) == approx(line.position() - 50.0));
        CHECK(line.position_after(1.0, 1) == approx(line.position(1) + 60.0));
        line.reset();
        CHECK(line.contact_force(1) == 0.0);
        CHECK(line.wire(1).height == approx(line.model().static_height(10.0)[0]));
    };
    refuses(fast);
    refuses(slow);
    CHECK_THROWS_AS(RealTimeContacts<>(en_line(), {.speed = 60.0, .start = 60.0}, {61.0}), SetupError);
    CHECK_THROWS_AS(RealTimeContacts<>(en_line(), {.speed = 60.0, .start = 60.0}, {0.0}), SetupError);
    CHECK_THROWS_AS(ReferenceContacts<>(en_line(), {.speed = 60.0, .start = 60.0}, {-5.0}), SetupError);
    CHECK_THROWS_AS(fast.rest_under(std::array{100.0}), SetupError);
}

TEST_CASE("several contacts: an example") {
    // [contacts]
    RealTimeContacts<> line(FiniteElements<>(stitched_hil(3)), {.speed = 50.0, .start = 80.0}, {50.0});
    const std::vector<ImplicitContact<>> heads{{.stiffness = 4e4, .head_height = 0.02, .head_compliance = 3e-6},
                                               {.stiffness = 4e4, .head_height = 0.01, .head_compliance = 3e-6}};
    for (int n = 0; n < 50; ++n) REQUIRE(line.step_contacts(heads) == Status::ok);
    const double trailing_force = line.contact_force(1);  // N
    const double trailing_height = line.wire(1).height;   // m, of the wire above the second contact
    // [contacts]
    CHECK(trailing_force == approx(std::max(0.0, 4e4 * (0.01 - 3e-6 * trailing_force - trailing_height))).scale(1e-6));
    CHECK(line.position(1) == approx(80.0 - 50.0 + 50.0 * 0.1));
}

TEST_CASE("several contacts: steps do not allocate") {
    // @rt-tested: RealTimeContacts::step RealTimeContacts::step_contacts RealTimeContacts::reset
    // @rt-tested: ReferenceContacts::step ReferenceContacts::step_contacts ReferenceContacts::reset
    // @rt-tested: WithFollowers::position WithFollowers::position_after WithFollowers::wire
    // @rt-tested: WithFollowers::contact_force Unilateral::place Unilateral::solve_with_contacts
    RealTimeContacts<> fast(en_line(), {.speed = 60.0, .start = 60.0}, {50.0});
    ReferenceContacts<> slow(en_line(), {.speed = 60.0, .start = 60.0}, {50.0});
    const Contacts with = heads_at(3, 2);
    double seen = 0.0;
    const auto go = [&](auto& line) {
        return panto::test::allocations_in([&] {
            for (int n = 0; n < 5; ++n) seen += static_cast<double>(line.step_contacts(with));
            seen += static_cast<double>(line.step(std::array{100.0, 50.0}));
            seen += line.position(1) + line.position_after(0.1, 1) + line.wire(1).height + line.contact_force(1);
            line.reset();
        });
    };
    CHECK(go(fast) == 0);
    CHECK(go(slow) == 0);
    CHECK(panto::is_finite(seen));
}

}  // namespace
}  // namespace several_contacts_test
