// SPDX-License-Identifier: BSD-3-Clause
// Records, models and settings that would give numbers without a meaning.
#include <panto/core/random.hpp>
#include <panto/field/heat_slab.hpp>
#include <panto/field/infinite_product.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/ident/beam_front.hpp>
#include <panto/ident/beam_profile.hpp>
#include <panto/ident/boundary_fit.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/ident/gradient.hpp>
#include <panto/ident/misfit.hpp>
#include <panto/ident/placement.hpp>

#include "../../support/approx.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

namespace ident_bad_input_test {
namespace {

using namespace panto;
using namespace panto::ident;
using test::message;
using Vec = Vector<double, Dynamic>;
using Mat = Matrix<double, Dynamic>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Two periods of a sine at 101 samples.
Channel wave() {
    Channel c{.name = "uplift", .time = Vec::LinSpaced(101, 0.0, 1.0)};
    c.values = (4.0 * std::numbers::pi * c.time.array()).sin() + 0.3;
    return c;
}

bool says(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

/// A slab that cools by radiation and convection, every second step.
BoundaryRecord cooling() {
    const BoundaryModel slab(heat_slab<double>({.sensor = 0.3}, 0.005), RadiationConvection<>(), {1.0, 1.0});
    const auto run = respond(slab, 401);
    BoundaryRecord record;
    for (std::size_t k = 0; k < 201; ++k) {
        record.time.push_back(0.01 * static_cast<double>(k));
        record.sensor.push_back(run.sensor[2 * k]);
    }
    return record;
}

}  // namespace

TEST_CASE("a model that is no number has no finite misfit, whatever the kind") {
    Channel c = wave();
    c.noise = 0.1;
    for (const auto kind : {MisfitKind::least_squares, MisfitKind::least_modulus, MisfitKind::maximum_likelihood,
                            MisfitKind::correlation, MisfitKind::peaks})
        for (const double value : {nan, infinite}) {
            const Misfit misfit({c}, {.kind = kind});
            Vec model = c.values;
            model[50] = value;
            CHECK_FALSE(panto::is_finite(misfit(model)));
            if (kind != MisfitKind::peaks && value != infinite)
                CHECK_FALSE(panto::is_finite(misfit.gradient(model).sum()));
        }
}

TEST_CASE("a missing sample makes no peaks beside it") {
    Channel c = wave();
    c.values[10] = nan;  // halfway up
    const Misfit misfit({c}, {.kind = MisfitKind::peaks, .missing = MissingSamples::left_out});
    CHECK(misfit(wave().values) == approx(0.0));
    Vec broken = wave().values;
    broken[10] = nan;  // where nothing was recorded
    CHECK(misfit(broken) == approx(0.0));
}

TEST_CASE("a maximum of equal samples is one peak in their middle") {
    const Vec time = Vec::LinSpaced(9, 0.0, 8.0);
    Vec x(9);
    x << 0, 1, 2, 2, 2, 1, 3, 3, 3;  // the last ones may still rise
    const auto found = peaks(time, x, 0.0);
    REQUIRE(found.size() == 1);
    CHECK(found[0].time == 3.0);
    CHECK(found[0].height == 2.0);
    CHECK(peaks(time, Vec::Constant(9, nan), 0.0).empty());
}

TEST_CASE("a band, a threshold and a record that cannot be compared are refused at once") {
    const auto refused = [](const MisfitParams& p, const Channel& c = wave()) {
        return message([&] { (void)Misfit({c}, p); });
    };
    CHECK(says(refused({.band = {nan, 10.0}}), "the band is from nan to 10 Hz"));
    CHECK(says(refused({.band = {0.0, nan}}), "the band is from 0 to nan Hz"));
    CHECK(says(refused({.band = {20.0, 10.0}}), "the lower one first"));
    CHECK(says(refused({.kind = MisfitKind::peaks, .peak_threshold = nan}), "peak_threshold is nan"));
    CHECK(says(refused({.kind = MisfitKind::peaks, .peak_threshold = 2.0}), "peak_threshold is 2"));
    Channel ramp = wave();
    ramp.values = ramp.time;
    CHECK(says(refused({.kind = MisfitKind::peaks}, ramp), "channel 'uplift' has no peak"));
    // two whole periods: in the band is what rounding makes of the sine
    Channel periodic{.name = "sine", .time = Vec::LinSpaced(100, 0.0, 0.99)};
    periodic.values = (4.0 * std::numbers::pi * periodic.time.array()).sin();
    CHECK(says(refused({.band = {10.0, 20.0}}, periodic), "contains nothing"));
    Channel tiny = wave();
    tiny.values *= 1e-200;
    CHECK(says(refused({}, tiny), "the norm of the scaled record must be finite and > 0, got 0"));
    CHECK_NOTHROW((void)Misfit({Channel{.name = "t", .time = tiny.time, .values = tiny.values, .scale = 1e-200}}));
}

TEST_CASE("sensitivities and peaks of another size are refused") {
    const Misfit misfit({wave()});
    for (const int rows : {3, 100, 150})
        CHECK(says(message([&] { (void)misfit.residual_jacobian(Mat::Zero(rows, 2)); }),
                   "rows and the record 101 samples"));
    CHECK_THROWS_AS((void)peaks(Vec::Zero(2), Vec::Zero(5), 0.0), SetupError);
}

TEST_CASE("responses, rows and parameters of another size are refused with both sizes") {
    const BeamExperiment e{.length = 1.0,
                           .points = 9,
                           .dt = 1e-3,
                           .steps = 20,
                           .sensors = {3},
                           .forces = {{.point = 5, .newton = Vec::Ones(21)}}};
    const BeamModel model(e);
    const Vec five{{1.0, 0.1, 1e-4, 1.0, 1.0}};
    const BeamMisfit misfit(model, model.response(five));
    for (const int size : {0, 5, 19, 21}) {
        const std::string words = "the response has " + std::to_string(size) + " samples, expected 20";
        CHECK(says(message([&] { (void)misfit.of_response(Vec::Zero(size)); }), words.c_str()));
        CHECK(says(message([&] { (void)misfit.slope_of_response(Vec::Zero(size)); }), words.c_str()));
    }
    detail::BeamRows<double> few(8), half(9);
    half.before.resize(4);
    const VaryingBeam varying(e);
    for (const auto* rows : {&few, &half}) {
        const std::string words = "there are rows for " + std::to_string(rows->before.size()) + " points, expected";
        CHECK(says(message([&] { (void)model.parameter_gradient(*rows); }), words.c_str()));
        CHECK(says(message([&] { (void)varying.parameter_gradient(*rows); }), words.c_str()));
        CHECK(says(message([&] { BeamStepper(e, *rows); }), words.c_str()));
    }
    CHECK(says(message([] { (void)trapezoid_weights({.time = Vec::LinSpaced(5, 0.0, 1.0), .values = Vec::Ones(4)}); }),
               "time has 5 entries and values 4"));
    const auto slab = heat_slab<double>({.sensor = 0.3}, 0.01);
    const RadiationConvection<> law;
    const BoundaryRecord record = cooling();
    const BoundaryMisfit cooled(slab, law, record);
    Vec r;
    Mat J;
    CHECK(says(message([&] { (void)cooled.residuals(Vec::Ones(1), r); }), "theta has 1 entries, expected 2"));
    CHECK(says(message([&] { (void)cooled.linearize(Vec::Ones(3), r, J); }), "theta has 3 entries, expected 2"));
    CHECK(is_nan(weighted(law.basis(0.1), Vec(Vec::Ones(1)))));
    const opt::Individual two{.objectives = Eigen::Vector2d(0.0, 1.0)}, one{.objectives = Vec::Ones(1)};
    CHECK(says(message([&] { (void)choose({two, one}); }), "a member has 1 objectives and the first 2"));
}

TEST_CASE("a record that does not begin at rest is refused, and told what to do") {
    BoundaryRecord absolute = cooling();
    for (double& value : absolute.sensor) value += 1.0;  // temperatures instead of their rise
    CHECK(
        says(message([&] { (void)checked_period(absolute, false, 2); }), "sensor[0] is 1, expected the field at rest"));
    BoundaryRecord late = cooling();
    late.time.erase(late.time.begin(), late.time.begin() + 50);
    late.sensor.erase(late.sensor.begin(), late.sensor.begin() + 50);
    CHECK(says(
        message([&] { (void)fit_boundary(heat_slab<double>({.sensor = 0.3}, 0.005), RadiationConvection<>(), late); }),
        "begin the record before anything changes"));
    BoundaryRecord shaken = cooling();
    shaken.motion.assign(shaken.time.size(), 0.0);
    for (std::size_t k = 0; k < shaken.motion.size(); ++k) shaken.motion[k] = std::cos(0.1 * static_cast<double>(k));
    CHECK(says(message([&] { (void)checked_period(shaken, true, 2); }), "motion[0] is 1"));
    CHECK(checked_period(cooling(), false, 2) == approx(0.01));
}

TEST_CASE("fields whose rates are no numbers are refused") {
    CHECK(says(message([] { (void)heat_slab<double>({.thickness = 1e-200}, 0.01); }),
               "thickness^2 must be finite and > 0, got inf"));
    CHECK(says(message([] { (void)heat_slab<double>({.diffusivity = 1e300}, 1e10); }), "a rate times dt is inf"));
    CHECK(says(message([] { (void)spring_beam<double>({.length = 1e200}, 1e-3); }),
               "bending_stiffness must be finite and > 0, got inf"));
    CHECK(spring_beam<double>({}, 1e-200).modes() == 60);  // as many as are ever taken
    CHECK_THROWS_AS((void)hinged_clamped_root(0), SetupError);
}

TEST_CASE("products and roots that are out of reach are refused") {
    const auto cosine = [](const Complex& g) { return std::cos(g); };
    CHECK_THROWS_AS((void)real_roots(cosine, 3, infinite), SetupError);
    CHECK_THROWS_AS((void)real_roots(cosine, 3, -1.0), SetupError);
    CHECK(says(message([] { (void)beam_products(0.14, 100); }), "poles is 100, but one of the functions has only"));
    CHECK(beam_products(0.14, 2).G1.poles.size() == 2);
    CHECK_THROWS_AS((void)product_filter(heat_product_G1(0.5, 4), 0.01, 0.0), SetupError);
    ProductForm at_zero = heat_product_G1(0.5, 4);
    at_zero.zeros[0] = 0.0;
    CHECK(says(message([&] { (void)product_filter(at_zero, 0.01); }), "a zero is 0, must not be 0"));
}

TEST_CASE("the chosen member of a front is a copy, and weights are weights") {
    static_assert(!std::is_reference_v<decltype(choose({}, {}))>);
    opt::Individual good{.objectives = Eigen::Vector2d(0.0, 1.0)}, stable{.objectives = Eigen::Vector2d(1.0, 0.0)};
    CHECK(choose({good, stable}, Eigen::Vector2d(1.0, 0.1)).objectives[0] == 0.0);
    CHECK(choose({good, stable}, Eigen::Vector2d(0.1, 1.0)).objectives[0] == 1.0);
    CHECK_THROWS_AS((void)choose({good, stable}, Eigen::Vector2d(nan, 1.0)), SetupError);
    CHECK_THROWS_AS((void)choose({good, stable}, Eigen::Vector2d(-1.0, 1.0)), SetupError);
    CHECK_THROWS_AS((void)choose({good, stable}, Eigen::Vector2d(0.0, 0.0)), SetupError);
}

TEST_CASE("probabilities, differences and duals of nothing are refused") {
    CHECK_THROWS_AS((void)chi_square_probability(1.0, 0), SetupError);
    CHECK_THROWS_AS((void)chi_square_probability(1.0, -3), SetupError);
    CHECK_THROWS_AS((void)chi_square_probability(nan, 1), SetupError);
    const auto square = [](const auto& p) { return p[0] * p[0]; };
    const Vec p = Vec::Ones(1);
    CHECK_THROWS_AS((void)gradient_by_differences(square, p, 1e-30), SetupError);
    CHECK_THROWS_AS((void)gradient_by_differences(square, p, 1e300), SetupError);
    CHECK(gradient_by_differences(square, p)[0] == approx(2.0));
    CHECK_THROWS_AS((void)gradient_by_duals<2>([](const auto& q) { return q.size() ? q[0] : q[0]; }, Vec()),
                    SetupError);
}

TEST_CASE("a fit that leaves more than noise, or lies on a bound, is said to be doubtful") {
    const Vec signal = wave().values, estimate = Eigen::Vector2d(1.0, 3.0);
    const opt::Bounds box{Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(2.0, 3.0)};
    const std::vector<std::string> names{"mass", "tension"};
    const double size = signal.norm() / std::sqrt(101.0);
    Vec residual = Vec::Constant(101, 0.2 * size);
    panto::Random random(3);
    for (double& sample : residual) sample *= random.normal() < 0.0 ? -1.0 : 1.0;  // white, and of this size
    CHECK(doubts(residual, signal, 0.15 * size, estimate, {}, names).empty());     // that is its noise
    CHECK(doubts(0.2 * residual, signal, 0.0, estimate, {}, names).empty());       // little, and no noise known
    const auto all = doubts(residual, signal, 0.05 * size, estimate, box, names);
    REQUIRE(all.size() == 2);
    CHECK(says(all[0], "the model leaves 20 % of the signal unexplained, 4 times its noise"));
    CHECK(all[1] == "tension lies on its bound 3: its interval is not valid");
    CHECK(says(doubts(nan * residual, signal, 1.0, estimate, {}, names).at(0), "nan %"));
    CHECK_THROWS_AS((void)doubts(residual, Vec(), 1.0, estimate, box, names), SetupError);
    CHECK_THROWS_AS((void)doubts(residual, signal, nan, estimate, box, names), SetupError);
    CHECK_THROWS_AS((void)doubts(residual, signal, 1.0, estimate, box, {"mass"}), SetupError);
}

TEST_CASE("a candidate whose sensitivities are no numbers is named") {
    const Mat good = Mat::Identity(3, 2);
    const Candidate here{"here", good}, broken{"broken", nan * good}, empty{"empty", Mat()};
    CHECK(says(message([&] { (void)place({here, broken}, {}); }), "candidate 'broken' must be finite, got nan"));
    CHECK(says(message([&] { (void)place({empty}, {}); }), "candidate 'empty' has a sensitivity without columns"));
    CHECK(says(message([&] { (void)place({here}, {.scale = Eigen::Vector2d(1.0, 0.0)}); }),
               "an entry of scale must be finite and > 0, got 0"));
    CHECK(place({here}, {}).rank == 2);
}

TEST_CASE("a motion shorter than the action, or of a field that has none, is refused") {
    const auto beam = spring_beam<double>({}, 1e-3);
    const std::vector<double> three(3, 1.0), two(2, 1.0);
    CHECK(says(message([&] { (void)field_answer(beam, two, three); }),
               "motion has 2 samples, expected none, or as many as the action has, 3"));
    CHECK(field_answer(beam, three, two).sensor.size() == 2);
    CHECK(field_answer(beam, {}, three).sensor.size() == 3);
    const auto slab = heat_slab<double>({}, 1e-3);
    CHECK(says(message([&] { (void)field_answer(slab, three, three); }), "this field has none"));
    CHECK(field_answer(slab, {}, three).sensor.size() == 3);
}

TEST_CASE("noise far beyond any sensor is refused, and far scales keep their figures") {
    Mat Psi(3, 2);
    Psi << 1.0, 0.5, 0.2, 1.0, 0.3, 0.1;
    for (const double deviation : {1e-200, 1e200})
        CHECK(
            says(message([&] { (void)information(Psi, deviation); }), "their ratio must be between 1e-150 and 1e150"));
    const Information one = information(Psi, 1.0);
    for (const double scale : {1e-170, 1e-100, 1e100, 1e170}) {  // both alike: the squares of either have no number
        const Information f = information(scale * Psi, scale);
        CHECK(f.rank == 2);
        CHECK(f.trace_of_inverse == approx(one.trace_of_inverse));
        CHECK(f.smallest_eigenvalue == approx(one.smallest_eigenvalue));
    }
    for (const double deviation : {1e-120, 1e120}) {
        const Information f = information(Psi, deviation);
        CHECK(f.correlation(0, 1) == approx(one.correlation(0, 1)));
        CHECK(f.deviation[0] == approx(deviation * one.deviation[0]));
        CHECK(f.log_determinant == approx(one.log_determinant - 4.0 * std::log(deviation)));
    }
}

}  // namespace ident_bad_input_test
