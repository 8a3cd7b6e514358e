// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_contacts.hpp>
#include <panto/testing/several_contacts.hpp>

#include <doctest/doctest.h>

#include <span>

using namespace panto::catenary;

namespace several_contacts_tester_test {
namespace {

using Line = RealTimeContacts<>;

/// A line with one mistake.
struct Wrong : Line {
    using Line::Line;
    enum { soft, late, forgetful, deaf } mistake = soft;
    int steps_done = 0;

    panto::Status step_contacts(std::span<const ImplicitContact<>> with) noexcept {
        if (mistake == deaf && with.size() != contacts()) return panto::Status::ok;
        ++steps_done;
        return Line::step_contacts(with);
    }
    double contact_force(std::size_t i = 0) const noexcept {
        const double memory = mistake == forgetful ? 1e-9 * steps_done : 0.0;
        return Line::contact_force(i) * (mistake == soft ? 0.99 : 1.0) + (Line::contact_force(i) > 0.0 ? memory : 0.0);
    }
    double position_after(double seconds, std::size_t i = 0) const noexcept {
        return Line::position_after(seconds, i) + (mistake == late && seconds > 0.0 ? 0.01 : 0.0);
    }
};

TEST_CASE("the tester of lines with several contacts passes the real-time engine and finds what is wrong") {
    const FiniteElements<> model(en50318_2002(3), {.contact = 2.0, .messenger = 4.0});
    const PassageParams passage{.speed = 40.0, .start = 80.0, .accept_coarse_mesh = true};
    Line sound(model, passage, {20.0, 50.0});
    CHECK(panto::testing::as_text(panto::testing::test_several_contacts(sound)).empty());
    CHECK(sound.time() == 0.0);
    const auto finds = [&](auto mistake, const char* part) {
        Wrong wrong(model, passage, {20.0});
        wrong.mistake = mistake;
        const auto found = panto::testing::as_text(panto::testing::test_several_contacts(wrong, {.steps = 60}));
        CAPTURE(found);
        CHECK(found.find(part) != std::string::npos);
    };
    finds(Wrong::soft, "differ from the contact law");
    finds(Wrong::late, "from the place that position_after(dt) gave");
    finds(Wrong::forgetful, "the same heads after reset()");
    finds(Wrong::deaf, "fewer contacts");
}

}  // namespace
}  // namespace several_contacts_tester_test
