// SPDX-License-Identifier: BSD-3-Clause
// Screening, Morris and Sobol' on functions whose indices are known in closed form.
#include <panto/sensitivity/morris.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/sensitivity/screening.hpp>
#include <panto/sensitivity/sobol.hpp>

#include "../../cases/sensitivity_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

using namespace panto;
namespace sens = panto::sensitivity;

namespace sensitivity_test {
namespace {

using List = Vector<double, Dynamic>;

using test::ishigami;
const sens::Ranges circle = test::ishigami_ranges();

double weighted_sum(const List& x) { return 3.0 * x[0] - 2.0 * x[1] + 0.0 * x[2] + 5.0; }
const sens::Ranges unit{List::Zero(3), List::Ones(3)};

nlohmann::json entry(const std::string& name) { return test::sensitivity_golden(name); }

void check_close(const List& found, const nlohmann::json& expected, double tolerance) {
    CHECK(test::index_difference(found, expected) <= tolerance);
}

}  // namespace

TEST_CASE("the portable generator draws the golden numbers") {
    sens::Lcg uniform(1), normal(1);
    for (const double expected : entry("C.lcg_first3")) CHECK(uniform.uniform() == expected);
    for (const double expected : entry("C.normal_first3")) CHECK(std::abs(normal.normal() - expected) < 1e-14);
}

TEST_CASE("Halton's points are mirrored digits") {
    const auto points = sens::halton_points(3, 3, 1);
    CHECK(points.col(0) == Eigen::Vector3d(0.5, 1.0 / 3.0, 0.2));
    CHECK((points.col(2) - Eigen::Vector3d(0.75, 1.0 / 9.0, 0.6)).norm() < 1e-15);
}

TEST_CASE("Morris' measures of Ishigami's function are the golden ones") {
    const auto m = test::ishigami_morris();
    const auto golden = entry("C.morris_ishigami");
    check_close(m.mu, golden.at("mu"), 1e-9);
    check_close(m.mu_star, golden.at("mustar"), 1e-9);
    check_close(m.sigma, golden.at("sigma"), 1e-9);
    CHECK(m.used == Eigen::Vector3i(10, 10, 10));
    CHECK(m.failed == 0);
}

TEST_CASE("a weighted sum has constant effects: mu is the weight, sigma is zero") {
    const auto m =
        sens::morris(weighted_sum, {List::Zero(3), Eigen::Vector3d(2.0, 1.0, 1.0)}, {.levels = 6, .seed = 3});
    CHECK((m.mu - Eigen::Vector3d(6.0, -2.0, 0.0)).norm() < 1e-13);  // per whole range
    CHECK((m.mu_star - Eigen::Vector3d(6.0, 2.0, 0.0)).norm() < 1e-13);
    CHECK(m.sigma.norm() < 1e-13);
    CHECK(m.mu_star_error.norm() < 1e-13);
    CHECK(sens::ranking(m.mu_star) == std::vector<int>{0, 1, 2});
}

TEST_CASE("Sobol' indices of Ishigami's and the g-function are the golden ones") {
    const auto h = test::ishigami_sobol();
    const auto ishigami_golden = entry("C.ishigami_halton4096");
    check_close(h.first, ishigami_golden.at("S"), 1e-9);
    check_close(h.total, ishigami_golden.at("ST"), 1e-9);
    CHECK(h.mean == approx(ishigami_golden.at("mean").get<double>()).epsilon(1e-12));
    CHECK(h.variance == approx(ishigami_golden.at("V").get<double>()).epsilon(1e-12));
    const auto g = test::g_function_sobol();
    check_close(g.first, entry("C.gfun_lcg4096").at("S"), 1e-9);
    check_close(g.total, entry("C.gfun_lcg4096").at("ST"), 1e-9);
}

TEST_CASE("the exact indices lie in the bootstrap's intervals as often as the confidence says") {
    const List first = test::golden_matrix(entry("C.ishigami_exact").at("S"));
    const List total = test::golden_matrix(entry("C.ishigami_exact").at("ST"));
    int inside = 0, count = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const auto s = sens::sobol(ishigami, circle, {.rows = 256, .seed = seed}, {.bootstrap = 100});
        for (std::size_t i = 0; i < 3; ++i) {
            const auto k = static_cast<Eigen::Index>(i);
            inside += s.first_interval[i].low <= first[k] && first[k] <= s.first_interval[i].high;
            inside += s.total_interval[i].low <= total[k] && total[k] <= s.total_interval[i].high;
            count += 2;
        }
    }
    // 95 % of 180 are 171, standard deviation 3 if independent; percentiles of 100 resamplings are a little too narrow
    CHECK(inside > 153);
    CHECK(inside < 180);
    CHECK(count == 180);
}

TEST_CASE("a weighted sum has first order and total alike, its weights squared") {
    const auto s =
        sens::sobol(weighted_sum, unit, {.rows = 8192, .sampling = sens::Sampling::halton}, {.bootstrap = 0});
    CHECK((s.first - Eigen::Vector3d(9.0, 4.0, 0.0) / 13.0).norm() < 0.01);
    CHECK((s.total - Eigen::Vector3d(9.0, 4.0, 0.0) / 13.0).norm() < 0.01);
    CHECK(s.variance == approx(13.0 / 12.0).epsilon(0.001));
}

TEST_CASE("failed runs are dropped and counted, or refused, as told") {
    const auto fragile = [](const List& x) {
        if (x[0] > 3.0) throw std::runtime_error("derailed");
        return x[1] > 3.1 ? std::nan("") : ishigami(x);
    };
    const auto s = sens::sobol(fragile, circle, {.rows = 2000}, {.bootstrap = 0});
    CHECK(s.failed > 100);
    CHECK(s.used < 2000);
    CHECK(s.used > 1700);
    CHECK((s.first - Eigen::Vector3d(0.314, 0.442, 0.0)).norm() < 0.1);
    CHECK_THROWS_AS((void)sens::sobol(fragile, circle, {.rows = 2000}, {.policy = sens::FailedRuns::refuse}),
                    SetupError);

    const auto design = sens::morris_design(3);
    List values = sens::evaluate(ishigami, circle.scale(design.unit));
    values[0] = std::numeric_limits<double>::infinity();
    const auto m = sens::morris(design, values);
    CHECK(m.used.sum() == 29);
    CHECK(m.failed == 1);
    CHECK_THROWS_WITH_AS(
        (void)sens::morris(design, values, sens::FailedRuns::refuse),
        "sensitivity::morris: 1 of 40 evaluations failed, the first is number 0; FailedRuns::drop leaves "
        "them out",
        SetupError);
    values.setConstant(std::nan(""));
    CHECK(m.used.minCoeff() > 0);
    CHECK_FALSE(panto::is_finite(sens::morris(design, values).mu[0]));
}

TEST_CASE("screening runs one parameter at a time through its range") {
    const Eigen::Vector3d nominal(0.5, 0.5, 0.5);
    const auto design = sens::screening_design(unit, nominal, 5);
    CHECK(design.points.cols() == 16);
    const auto s = sens::screening(design, sens::evaluate(weighted_sum, design.points));
    CHECK(s.nominal == approx(5.5));
    CHECK((s.spread - Eigen::Vector3d(3.0, 2.0, 0.0)).norm() < 1e-14);
    CHECK((s.largest_change - Eigen::Vector3d(1.5, 1.0, 0.0)).norm() < 1e-14);
    CHECK((s.slope - Eigen::Vector3d(3.0, -2.0, 0.0)).norm() < 1e-13);
    CHECK(s.curves(4, 1) == approx(4.5));
    // x0 x1 at nominal (0, 0): no parameter does anything alone, which is what screening cannot see
    const auto blind = sens::screening_design(unit, List::Zero(3), 5);
    const auto both = [](const List& x) { return x[0] * x[1]; };
    CHECK(sens::screening(blind, sens::evaluate(both, blind.points)).spread.norm() == 0.0);
    CHECK(sens::morris(both, unit).mu_star[0] > 0.1);
    const auto surface = sens::screening_surface(unit, nominal, 2, 0, 3);
    CHECK(surface.col(1) == Eigen::Vector3d(0.0, 0.5, 0.5));
    CHECK(surface.col(3) == Eigen::Vector3d(0.5, 0.5, 0.0));
}

TEST_CASE("screening leaves failed levels out") {
    const auto design = sens::screening_design(unit, List::Constant(3, 0.5), 3);
    List values = sens::evaluate(weighted_sum, design.points);
    values[3] = std::nan("");  // parameter 0 at its upper end
    const auto s = sens::screening(design, values);
    CHECK(s.failed == 1);
    CHECK(s.spread[0] == approx(1.5));
    CHECK(s.slope[0] == approx(3.0));
}

TEST_CASE("evaluations on two threads give the same values") {
    const auto design = sens::morris_design(3);
    const auto points = circle.scale(design.unit);
    const List two = sens::evaluate(ishigami, points, [](int count, const std::function<void(int)>& job) {
        std::thread other([&] {
            for (int i = 1; i < count; i += 2) job(i);
        });
        for (int i = 0; i < count; i += 2) job(i);
        other.join();
    });
    CHECK(two == sens::evaluate(ishigami, points));
}

TEST_CASE("bad input is named") {
    CHECK_THROWS_WITH_AS((void)sens::morris_design(3, {.levels = 5}),
                         "sensitivity::morris_design: levels is 5, must be an even number of at least 2", SetupError);
    CHECK_THROWS_AS((void)sens::morris_design(0), SetupError);
    CHECK_THROWS_AS((void)sens::morris_design(3, {.trajectories = 1}), SetupError);
    CHECK_THROWS_AS((void)sens::sobol_design(3, {.rows = 1}), SetupError);
    CHECK_THROWS_AS((void)sens::sobol([](const List&) { return 1e6; }, unit), SetupError);
    CHECK_THROWS_AS((void)sens::sobol(weighted_sum, {List::Ones(3), List::Zero(3)}), SetupError);
    CHECK_THROWS_AS((void)sens::sobol(weighted_sum, {List::Zero(3), List::Ones(2)}), SetupError);
    CHECK_THROWS_AS((void)sens::sobol(sens::sobol_design(3), List::Zero(7)), SetupError);
    CHECK_THROWS_AS((void)sens::screening_design(unit, List::Constant(3, 2.0)), SetupError);
    CHECK_THROWS_AS((void)sens::screening_surface(unit, List::Zero(3), 1, 1, 3), SetupError);
}

}  // namespace sensitivity_test
