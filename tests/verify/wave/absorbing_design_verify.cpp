// SPDX-License-Identifier: BSD-3-Clause
#include <panto/absorbing/design.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/string.hpp>

#include "../../cases/wave_cases.hpp"
#include "catch.hpp"

#include <chrono>
#include <cmath>
#include <numbers>
#include <vector>

namespace absorbing_design_verify {
namespace {

using namespace panto;
using namespace panto::wave;
using Eigen::VectorXd;

const BeamParams<> wire{.bending_stiffness = 150.0, .tension = 15e3};  // Publication B, Sec. 4.1.1

Stencil<double, 2> scheme() { return beam_stencil(wire, 0.05, 9.9e-5); }

using test::size_left_after;

constexpr double no_limit = 1e6;  // s: a test ends by its starts, whatever else the machine does

template <class M>
double size(const M& march) {
    return test::size_of_levels(march);
}

}  // namespace

void require_design_of_published_size(std::uint64_t seed) {
    AbsorbingDesigner<2> designer(scheme(), {.form = {2, 1, 4}, .seed = seed, .starts = 16, .time_limit = no_limit});
    const AbsorbingDesign found = designer.design();
    CAPTURE(seed, found.error, found.seconds);
    CHECK(found.error <= 0.13e-2);
    CHECK(found.status == Status::ok);
    // A second look at stability, at lengths the design did not use.
    for (const int points : {11, 17, 35, 90}) {
        CHECK(bounded_radius(scheme(), found.stencil, points, FarEnd::absorbing) <= 1.0 + 1e-8);
        CHECK(bounded_radius(scheme(), found.stencil, points, FarEnd::clamped) < 1.0);
    }
    // 1e5 steps on 100 points; what is left is rounding of the first size, squared.
    CHECK(size_left_after(found.stencil, 100000) < 1e-12);
}

TEST_CASE("a designed stencil of the published size reflects a fourteenth of the published one", "[wave]") {
    require_design_of_published_size(1);
}

TEST_CASE("designed stencils of the published size reflect as little from other seeds, too", "[wave][long]") {
    for (const std::uint64_t seed : {2u, 3u}) require_design_of_published_size(seed);
}

void require_design_with_second_level(unsigned seed) {
    const AbsorbingDesign found =
        design_absorbing(scheme(), {.form = {2, 2, 4}, .seed = seed, .starts = 24, .time_limit = no_limit});
    CAPTURE(found.error, found.seconds);
    CHECK(found.error <= 0.006e-2);
    CHECK(found.stability.both <= 1.0 + 1e-8);
    CHECK(found.stability.clamped <= 1.0 - 1e-4);
    CHECK(size_left_after(found.stencil, 100000) < 1e-12);
}

TEST_CASE("with a second level the design comes to 0.006 %", "[wave]") { require_design_with_second_level(4); }

TEST_CASE("with a second level the design comes to 0.006 % from other seeds, too", "[wave][long]") {
    for (const unsigned seed : {1u, 2u, 3u}) require_design_with_second_level(seed);
}

void require_design_at(double part, const AbsorbingForm& form, int starts, double most_error) {
    const auto slow = beam_stencil(wire, 0.05, part * beam_largest_step(wire, 0.05));
    const AbsorbingDesign found = design_absorbing(slow, {.form = form, .starts = starts, .time_limit = no_limit});
    CAPTURE(part, form.reach, form.levels, found.error, found.stable, found.seconds);
    CHECK(found.stability.stable);
    CHECK(found.error <= most_error);
    for (const int points : {17, 35, 90}) {
        CHECK(bounded_radius(slow, found.stencil, points, FarEnd::absorbing) <= 1.0 + 1e-8);
        CHECK(bounded_radius(slow, found.stencil, points, FarEnd::clamped) < 1.0);
    }
}

// 0.17, 0.32 and 0.40 % were found with a margin of 1e-6 a step (shared method sheet, Sec. 5): to these digits. With a
// margin of 1e-4 a step nothing was found. More points and levels make it better.
TEST_CASE("at any step and with other forms a design is found", "[wave][long]") {
    require_design_at(0.8, {2, 1, 4}, 16, 0.175e-2);
    require_design_at(0.5, {2, 1, 4}, 16, 0.325e-2);
    require_design_at(0.3, {2, 1, 4}, 16, 0.405e-2);
    for (const double part : {0.8, 0.5, 0.3})
        for (const AbsorbingForm form : {AbsorbingForm{2, 1, 5}, AbsorbingForm{2, 2, 4}})
            require_design_at(part, form, 16, 0.4e-2);
}

TEST_CASE("a designed end stands on both sides of a march", "[wave]") {
    // [design]
    const auto scheme = beam_stencil(BeamParams<>{.bending_stiffness = 150.0, .tension = 15e3}, 0.05, 9.9e-5);
    const AbsorbingDesign found = design_absorbing(scheme, {.form = {.levels = 1, .reach = 4}, .starts = 16});
    require(found.stability.stable, "my wire", "no stable stencil was found: more starts, or another form");
    March march(scheme, 401, found.stencil, found.stencil);  // absorbs on both sides
    // [design]
    VectorXd start = VectorXd::Zero(401);
    for (int k = 195; k <= 205; ++k) start[k] = std::pow(std::cos(std::numbers::pi * (k - 200) / 10.0), 2);
    march.start(start, start);
    const double first = size(march);
    for (int n = 0; n < 4000; ++n) march.step();
    // Waves of 122 m/s and more have left 20 m in 0.4 s; 1e-3 of their amplitude may be back.
    CHECK(size(march) < 1e-6 * first);
}

TEST_CASE("the same seed gives the same stencil, another one another way to it", "[wave]") {
    const AbsorbingDesignParams params{.form = {2, 1, 4},
                                       .bump = {.length = 30.0, .center = 10.0, .duration = 0.4},
                                       .starts = 6,
                                       .time_limit = no_limit};
    const AbsorbingDesign a = design_absorbing(scheme(), params), b = design_absorbing(scheme(), params);
    CHECK((a.stencil.weights() - b.stencil.weights()).norm() == 0.0);
}

TEST_CASE("the front pays for margin with error and keeps what it promises", "[wave]") {
    AbsorbingDesigner<2> designer(scheme(), {.form = {2, 1, 4}, .starts = 8, .time_limit = no_limit});
    const auto front = designer.front(designer.design(), {1e-6, 1e-5, 3e-5});
    REQUIRE(front.size() == 4);
    for (std::size_t i = 1; i < front.size(); ++i) {
        CHECK(front[i].margin > front[i - 1].margin);
        CHECK(front[i].error > front[i - 1].error);
        for (const int points : {11, 24, 60})
            CHECK(bounded_radius(scheme(), front[i].stencil, points, FarEnd::absorbing) <=
                  1.0 - front[i].margin + 1e-9);
    }
    // The golden stencil with this margin has 0.503 %; three times the steps and short waves held do better.
    CHECK(front[2].error < 0.3e-2);
}

TEST_CASE("a frequency weight moves the reflection to where it is not asked about", "[wave]") {
    const ReleasedBump bump{.length = 60.0, .center = 20.0, .duration = 0.8};
    const auto low = [](double theta) { return theta < 0.3 ? 1000.0 : 1.0; };
    const auto high = [](double theta) { return theta > 0.6 ? 1000.0 : 1.0; };
    const auto reflection = [](const AbsorbingDesign& d, double from, double to) {
        double sum = 0.0;
        for (int i = 0; i <= 10; ++i)
            sum += std::norm(
                joint_reflection(d.stencil, boundary_modes(scheme(), from + 0.1 * i * (to - from))).reflected());
        return std::sqrt(sum / 11.0);
    };
    const AbsorbingDesign for_low = design_absorbing(
        scheme(), {.form = {2, 1, 4}, .bump = bump, .weight = low, .starts = 8, .time_limit = no_limit});
    const AbsorbingDesign for_high = design_absorbing(
        scheme(), {.form = {2, 1, 4}, .bump = bump, .weight = high, .starts = 8, .time_limit = no_limit});
    CHECK(reflection(for_low, 0.02, 0.3) < 0.5 * reflection(for_high, 0.02, 0.3));
    CHECK(reflection(for_high, 0.6, 1.2) < 0.8 * reflection(for_low, 0.6, 1.2));
}

TEST_CASE("a string below its largest step gets its end, too", "[wave]") {
    // c dt / dx = 0.5: the exact end of the continuum, u_0^{n+1} = (u_0 + u_1)/2, is what any design has to beat.
    const auto string = wave_equation_stencil(1.0, 0.05, 0.025);
    const ReleasedBump bump{.length = 20.0, .center = 5.0, .width = 1.0, .duration = 30.0};
    AbsorbingDesigner<1> designer(string, {.form = {1, 2, 3}, .bump = bump, .starts = 12, .time_limit = no_limit});
    const AbsorbingDesign found = designer.design();
    const double naive =
        designer.experiment().error(AbsorbingStencil({1, 1, 2}, VectorXd::Constant(2, 0.5))) / designer.clamped_error();
    CAPTURE(found.error, naive);
    CHECK(found.error < 0.05 * naive);
    CHECK(found.stability.stable);
}

TEST_CASE("beams without tension or with viscous damping get their ends", "[wave]") {
    BeamParams<> slack = wire, damped = wire;
    slack.tension = 0.0;
    damped.viscous_damping = 2.0;
    const ReleasedBump bump{.length = 60.0, .center = 20.0, .duration = 0.8};
    for (const BeamParams<>& beam : {slack, damped}) {
        const AbsorbingDesign found = design_absorbing(
            beam_stencil(beam, 0.05, 9.9e-5), {.form = {2, 1, 4}, .bump = bump, .starts = 12, .time_limit = no_limit});
        CAPTURE(beam.tension, found.error);
        CHECK(found.stability.stable);
        CHECK(found.error < (beam.tension > 0.0 ? 0.003 : 0.1));  // pure bending is the harder one
    }
}

// 40 starts, some with a floor under the weights, of which some are far from every stable stencil.
TEST_CASE("a viscously damped wire of 0.25 m cells gets its ends and a front", "[wave]") {
    for (const double damping : {1.0, 2.0, 5.0}) {
        const BeamParams<> damped{
            .mass_per_length = 1.35, .viscous_damping = damping, .bending_stiffness = 150.0, .tension = 2e4};
        const auto scheme = beam_stencil(damped, 0.25, 0.5 * beam_largest_step(damped, 0.25));
        AbsorbingDesigner<2> designer(scheme, {.form = {2, 1, 4}, .time_limit = no_limit});
        const AbsorbingDesign found = designer.design();
        CAPTURE(damping, found.error);
        CHECK(found.status == Status::ok);
        CHECK(found.stability.stable);
        CHECK(found.error < 0.08);  // the bump is two cells wide
        if (damping == 2.0) {
            const auto front = designer.front(found, {1e-6, 1e-5, 7e-4});
            REQUIRE(front.size() == 2);  // found has the first two margins
            CHECK(found.margin > 1e-5);
            CHECK(front[1].margin >= 7e-4);
        }
    }
}

// Waves decay on their way out, so the end must let constants decay, too: with det = 0 the errors were 0.13, 0.51 and
// 1.95 % in the experiment, and 0.52, 2.2 and 9.2 % for waves of 16 m.
TEST_CASE("an end for a contact wire with viscous damping is as good as one without, for long waves too", "[wave]") {
    BeamParams<> contact_wire{.mass_per_length = 1.35, .bending_stiffness = 150.0, .tension = 2e4};
    const ReleasedBump long_waves{.length = 400.0, .center = 100.0, .width = 16.0, .duration = 5.0, .elongation = 4.0};
    struct Case {
        double damping, most, most_of_long_waves;  // 1/s, per mass; errors
    };
    for (const Case& c : {Case{0.0, 0.04e-2, 0.01e-2}, Case{0.05, 0.04e-2, 0.02e-2}, Case{0.2, 0.04e-2, 0.2e-2},
                          Case{0.7, 0.12e-2, 2e-2}}) {
        contact_wire.viscous_damping = c.damping * contact_wire.mass_per_length;
        const auto scheme = beam_stencil(contact_wire, 0.25, 0.9 * beam_largest_step(contact_wire, 0.25));
        const AbsorbingDesign found =
            design_absorbing(scheme, {.form = {2, 1, 4}, .bump = {.width = 4.0}, .starts = 16, .time_limit = no_limit});
        CAPTURE(c.damping, found.error);
        CHECK(found.status == Status::ok);
        CHECK(found.error <= c.most);
        const SpaceTimeError<2> far(scheme, long_waves);
        CHECK(far.error(found.stencil) <= c.most_of_long_waves * far.error(AbsorbingStencil({2, 1, 4})));
        const double determinant = static_determinant(scheme, found.stencil);
        if (c.damping > 0.0)
            CHECK(determinant < -1e-6);
        else
            CHECK(std::abs(determinant) < 1e-12);
        for (const int points : {17, 35, 90}) {
            CHECK(bounded_radius(scheme, found.stencil, points, FarEnd::absorbing) <= 1.0 + 1e-8);
            CHECK(bounded_radius(scheme, found.stencil, points, FarEnd::clamped) < 1.0);
        }
    }
}

TEST_CASE("strong viscous damping and small steps leave no seed without a good end", "[wave][long]") {
    const BeamParams<> damped{
        .mass_per_length = 0.15, .viscous_damping = 0.4, .bending_stiffness = 3.0, .tension = 800.0};  // 2.7 1/s
    for (const double part : {0.25, 0.99})
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const auto scheme = beam_stencil(damped, 0.1, part * beam_largest_step(damped, 0.1));
            const AbsorbingDesign found = design_absorbing(
                scheme,
                {.form = {2, 1, 5}, .bump = {.width = 2.0}, .seed = seed, .starts = 16, .time_limit = no_limit});
            CAPTURE(part, seed, found.error);
            CHECK(found.status == Status::ok);
            CHECK(found.error < 3e-2);  // before, 5 to 9 % with four of six seeds
        }
}

TEST_CASE("three points are enough for an end, whatever the seed", "[wave][long]") {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const AbsorbingDesign found =
            design_absorbing(scheme(), {.form = {2, 1, 3}, .seed = seed, .time_limit = no_limit});
        CAPTURE(seed, found.error);
        CHECK(found.error < 1.6e-2);
    }
}

// From this seed the first start ends in an unstable stencil, with one level and with two: what is found with one was
// improved from a mean of neighbours, and the status says so. With two, a fit from there succeeds.
TEST_CASE("one start without tension at half the largest step finds a stencil; a second level makes none worse",
          "[wave]") {
    const BeamParams<> slack{.bending_stiffness = 150.0, .tension = 0.0};
    const auto scheme = beam_stencil(slack, 0.05, 0.5 * beam_largest_step(slack, 0.05));
    double last = 1.0;  // a clamped end
    for (const AbsorbingForm form : {AbsorbingForm{2, 1, 4}, AbsorbingForm{2, 2, 4}}) {
        const AbsorbingDesign found =
            design_absorbing(scheme, {.form = form,
                                      .bump = {.length = 30.0, .center = 8.0, .duration = 0.4},
                                      .starts = 1,
                                      .time_limit = no_limit,
                                      .rule = {.points = {11, 24, 40}}});  // a third of the time
        CAPTURE(form.levels, found.error, found.seconds);
        CHECK(found.stable == 0);
        CHECK(found.status == (form.levels == 1 ? Status::not_converged : Status::ok));
        CHECK(found.stability.stable);
        CHECK(found.error <= last);
        last = found.error;
        for (const int points : {17, 35, 90}) {
            CHECK(bounded_radius(scheme, found.stencil, points, FarEnd::absorbing) <= 1.0 + 1e-8);
            CHECK(bounded_radius(scheme, found.stencil, points, FarEnd::clamped) < 1.0);
        }
    }
}

TEST_CASE("a design ends when its time is over or it is told to", "[wave]") {
    const auto began = std::chrono::steady_clock::now();
    const AbsorbingDesign short_one =
        design_absorbing(scheme(), {.form = {2, 2, 6}, .starts = 100000, .time_limit = 0.5});
    // The time of the set-up (0.4 s) and of the step at hand come on top.
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < 10.0);
    CHECK(short_one.status == Status::not_converged);
    int asked = 0;
    const AbsorbingDesign stopped = design_absorbing(
        scheme(),
        {.form = {2, 1, 4}, .time_limit = no_limit, .observer = [&](const DesignProgress&) { return ++asked < 7; }});
    CHECK(stopped.status == Status::stopped_by_user);
    CHECK(stopped.starts == 6);
    // The best so far is given, though nothing was refined.
    CHECK(stopped.stable > 0);
    CHECK(stopped.stability.stable);
    CHECK(stopped.error < 1e-2);
}

TEST_CASE("bad design input is refused with what is allowed", "[wave]") {
    const auto message = [](const Stencil<double, 2>& s, const AbsorbingDesignParams& p) -> std::string {
        try {
            (void)design_absorbing(s, p);
        } catch (const SetupError& e) {
            return e.what();
        }
        return "accepted";
    };
    using Catch::Matchers::Contains;
    CHECK_THAT(message(beam_stencil(wire, 0.05, 1.1e-4), {}), Contains("largest stable one"));
    CHECK_THAT(message(scheme(), {.form = {2, 1, 1}}), Contains("reach is 1, must be from 2"));
    CHECK_THAT(message(scheme(), {.form = {1, 1, 4}}), Contains("1 boundary points, the scheme needs 2"));
    CHECK_THAT(message(scheme(), {.weight = [](double) { return -1.0; }}), Contains("frequency weight"));
    CHECK_THAT(message(scheme(), {.weight = [](double) { return std::nan(""); }}), Contains("frequency weight"));
    CHECK_THAT(message(scheme(), {.weight = [](double) { return 0.0; }}), Contains("sum of all frequency weights"));
    CHECK_THAT(message(scheme(), {.starts = 0}), Contains("starts is 0"));
    CHECK_THAT(message(scheme(), {.time_limit = -1.0}), Contains("time_limit"));
    CHECK_THAT(message(scheme(), {.bump = {.length = 0.5}}), Contains("must be more than"));
    BeamParams<> damped = wire;
    damped.material_damping = 1e-3;
    CHECK_THAT(message(beam_stencil(damped, 0.05, 9.9e-5), {}), Contains("implicit"));
}

TEST_CASE("a million steps leave nothing behind a designed end", "[wave][long]") {
    for (const AbsorbingForm form : {AbsorbingForm{2, 1, 4}, AbsorbingForm{2, 2, 4}}) {
        const AbsorbingDesign found = design_absorbing(scheme(), {.form = form, .starts = 24, .time_limit = no_limit});
        CHECK(size_left_after(found.stencil, 1000000) < 1e-12);
        // And on the beam of the experiment, from the bump itself.
        March march(scheme(), 2001, found.stencil, AbsorbingStencil{});
        VectorXd start = VectorXd::Zero(2001);
        for (int k = 495; k <= 505; ++k) start[k] = std::pow(std::cos(std::numbers::pi * (k - 500) / 10.0), 2);
        march.start(start, start);
        const double first = size(march);
        for (int n = 0; n < 1000000; ++n) march.step();
        CHECK(size(march) / first < 1e-12);
    }
}

}  // namespace absorbing_design_verify
