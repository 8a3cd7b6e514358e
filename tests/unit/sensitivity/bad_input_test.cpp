// SPDX-License-Identifier: BSD-3-Clause
// Sobol' indices of an output far from zero, and designs, ranges and settings that make no sense.
#include <panto/sensitivity/morris.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/sensitivity/screening.hpp>
#include <panto/sensitivity/sobol.hpp>

#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <limits>

using namespace panto;
namespace sens = panto::sensitivity;

namespace sensitivity_bad_input_test {
namespace {

using List = Vector<double, Dynamic>;

const sens::Ranges unit{List::Zero(2), List::Ones(2)};

/// A contact force, say: what varies is small beside the mean. Exact indices are 1/5 and 4/5.
auto far_from_zero(double mean) {
    return [mean](const List& x) { return mean + x[0] + 2.0 * x[1]; };
}

}  // namespace

TEST_CASE("Sobol' indices do not depend on the mean of the output") {
    const auto near = sens::sobol(far_from_zero(0.0), unit);
    CHECK(near.first[0] == approx(0.2).epsilon(0.2));
    CHECK(near.first[1] == approx(0.8).epsilon(0.1));
    for (const double mean : {120.0, -1e6}) {
        const auto far = sens::sobol(far_from_zero(mean), unit);
        CHECK((far.first - near.first).norm() < 1e-6);  // what rounding leaves of 1e6
        CHECK((far.total - near.total).norm() < 1e-6);
        CHECK(far.first_interval[0].high - far.first_interval[0].low < 0.3);
    }
    // as printed the estimate is lost already at the mean of a contact force
    const auto printed = sens::sobol(far_from_zero(120.0), unit, {}, {.bootstrap = 0, .centered = false});
    CHECK((printed.first - near.first).norm() > 0.5);
}

TEST_CASE("intervals without one resampling that varies are infinite") {
    const auto design = sens::sobol_design(1, {.rows = 2});
    List values(6);
    values << 1, 2, 1, 2, 1, 2;  // only both rows together have a variance
    int infinite = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto s = sens::sobol(design, values, {.bootstrap = 2, .seed = seed});
        infinite += !panto::is_finite(s.first_interval[0].low) && !panto::is_finite(s.total_interval[0].high);
    }
    CHECK(infinite > 0);
    CHECK_THROWS_AS((void)sens::sobol(design, values, {.bootstrap = 1}), SetupError);
    CHECK_THROWS_WITH_AS((void)sens::sobol(far_from_zero(0.0), {List::Zero(2), List::Constant(2, 1e200)}),
                         "sensitivity::sobol: the variance of the output is inf, must be finite: scale the output",
                         SetupError);
}

TEST_CASE("points and ranges of other sizes, or without a width, are refused") {
    CHECK_THROWS_AS((void)unit.scale(sens::Points::Zero(3, 4)), SetupError);
    CHECK_THROWS_AS((void)sens::Ranges{}.scale(sens::Points()), SetupError);
    CHECK_THROWS_AS((void)(sens::Ranges{List::Zero(2), List::Ones(3)}).scale(sens::Points::Zero(2, 4)), SetupError);
    const sens::Ranges endless{List::Constant(2, -1.5e308), List::Constant(2, 1.5e308)};
    CHECK_THROWS_AS((void)sens::morris(far_from_zero(0.0), endless), SetupError);
    CHECK_THROWS_AS((void)sens::van_der_corput(5, 0), SetupError);
    CHECK_THROWS_AS((void)sens::van_der_corput(5, 1), SetupError);
    CHECK_THROWS_AS((void)sens::halton_points(0, 3), SetupError);
    CHECK_THROWS_AS((void)sens::halton_points(2, -3), SetupError);
    CHECK_THROWS_AS((void)sens::random_points(-1, 3, 1), SetupError);
    CHECK_THROWS_AS((void)sens::screening(sens::ScreeningDesign{}, List()), SetupError);
}

TEST_CASE("outputs too large for their differences are refused, not passed on as inf") {
    for (const double size : {1e308, 1e200}) {  // the effects overflow, or their squares
        const auto huge = [size](const List& x) { return x[0] < 0.5 ? -size : size * x[1]; };
        CHECK_THROWS_WITH_AS((void)sens::morris(huge, unit), doctest::Contains("of parameter 0 is "), SetupError);
        CHECK_THROWS_WITH_AS((void)sens::morris(huge, unit), doctest::Contains("scale the output"), SetupError);
    }
    const auto large = sens::morris([](const List& x) { return 1e150 * x[0]; }, unit);
    CHECK(large.mu_star[0] == approx(1e150));
    CHECK(large.sigma[0] < 1e136);  // rounding
    const auto design = sens::screening_design(unit, List::Zero(2), 3);
    List values = List::Zero(7);
    values[1] = -1.5e308, values[3] = 1.5e308;
    CHECK_THROWS_WITH_AS((void)sens::screening(design, values),
                         "sensitivity::screening: parameter 0 takes the output from -1.5e+308 to 1.5e+308, the "
                         "difference is not finite: scale the output",
                         SetupError);
}

TEST_CASE("more evaluations than can be counted are refused before memory is asked for") {
    constexpr int most = std::numeric_limits<int>::max();
    CHECK_THROWS_AS((void)sens::morris_design(most), SetupError);
    CHECK_THROWS_AS((void)sens::morris_design(3, {.trajectories = most}), SetupError);
    CHECK_THROWS_AS((void)sens::sobol_design(most, {.rows = 2}), SetupError);
    CHECK_THROWS_AS((void)sens::sobol_design(2, {.rows = most}), SetupError);
    CHECK_THROWS_AS((void)sens::screening_design(unit, List::Zero(2), most), SetupError);
    CHECK_THROWS_AS((void)sens::screening_surface(unit, List::Zero(2), 0, 1, 100000), SetupError);
}

TEST_CASE("whatever is thrown is a failed run, and so is a run that was not made") {
    const auto thrown = sens::morris([](const List&) -> double { throw 42; }, unit);
    CHECK(thrown.failed == 30);
    const auto lazy = [](int count, const std::function<void(int)>& job) {
        for (int i = 1; i < count; ++i) job(i);
    };
    const List values = sens::evaluate(far_from_zero(1.0), sens::Points::Zero(2, 3), lazy);
    CHECK_FALSE(panto::is_finite(values[0]));
    CHECK(values[2] == 1.0);
}

}  // namespace sensitivity_bad_input_test
