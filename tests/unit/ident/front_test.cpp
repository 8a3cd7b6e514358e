// SPDX-License-Identifier: BSD-3-Clause
#include <panto/ident/beam_front.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/ident/placement.hpp>
#include <panto/opt/levenberg_marquardt.hpp>

#include "../../cases/ident_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace front_test {
namespace {

using namespace panto;
using namespace panto::ident;
using Vec = Vector<double, Dynamic>;
using Mat = Matrix<double, Dynamic>;

BeamExperiment experiment(int sensor = 31, int at = 58) { return test::undamped_experiment(sensor, at); }

Vec undamped() { return test::undamped_beam(); }

BeamMisfits records() { return test::undamped_records(); }

opt::Nsga2Params search(int generations) { return test::undamped_search(generations); }

}  // namespace

TEST_SUITE("ident::beam_front") {
    TEST_CASE("of an undamped beam has stable members only, though the box holds unstable sets") {
        const BeamMisfits misfits = records();
        Vec stiff = undamped();
        stiff[3] = 290.0;
        CHECK_FALSE(misfits.stable(stiff));
        CHECK(misfits.stable(undamped()));
        const test::UndampedFront front = test::undamped_front();
        CHECK(front.members > 5);
        CHECK(front.unstable == 0);
        const opt::FrontResult result = beam_front(misfits, search(25));
        REQUIRE(static_cast<int>(result.front.size()) == front.members);
        for (const opt::Individual& member : result.front) {
            CHECK(member.objectives.size() == 3);
            CHECK(member.objectives[0] == approx(misfits.records()[0](member.x)).epsilon(1e-9));
        }
    }

    TEST_CASE("does not take a set that grows even where it fits a short record without error") {
        BeamExperiment brief = experiment(58);
        brief.steps = 20;
        const BeamModel model(brief);
        Vec stiff = undamped();
        stiff[3] = 290.0;
        const Vec record = model.response(stiff);
        const BeamMisfits misfits({BeamMisfit(model, record)});
        CHECK(misfits.records()[0](stiff) == 0.0);
        opt::Nsga2Params params = search(5);
        params.start = {stiff};
        for (const opt::Individual& member : beam_front(misfits, params).front) CHECK(misfits.stable(member.x));
    }

    TEST_CASE("is finished by exact gradients at the truth, from the member chosen for its fit") {
        const BeamMisfits misfits = records();
        const opt::FrontResult result = beam_front(misfits, search(25));
        Vec weights(3);
        weights << 1.0, 1.0, 0.0;
        const opt::Individual& chosen = choose(result.front, weights);
        opt::LevenbergMarquardtParams params{.bounds = search(0).bounds};
        const opt::Minimum minimum = opt::levenberg_marquardt(misfits, chosen.x, params);
        const Vec error = minimum.x - undamped();
        CHECK(std::abs(error[0]) < 1e-6);
        CHECK(std::abs(error[3]) < 1e-4);
        CHECK(std::abs(error[4]) < 1e-2);
        CHECK(misfits.stable(minimum.x));
    }

    TEST_CASE("chooses the member nearest to the best of every objective, each over its own range on the front") {
        const auto member = [](double first, double second) {
            opt::Individual one;
            one.objectives = Eigen::Vector2d(first, second);
            return one;
        };
        // Over their ranges (0, 1), (.4, .4), (1, 0); the first objective is large, its range is not.
        const std::vector<opt::Individual> front{member(10.0, 1.0), member(10.4, 0.4), member(11.0, 0.0)};
        CHECK(choose(front).objectives[0] == 10.4);
        CHECK(choose(front, Eigen::Vector2d(0.0, 1.0)).objectives[0] == 11.0);
    }

    TEST_CASE("refuses an open box, an empty list of records and an empty front") {
        CHECK_THROWS_AS((void)beam_front(records(), {}), SetupError);
        CHECK_THROWS_AS((void)BeamMisfits({}), SetupError);
        CHECK_THROWS_AS((void)choose({}), SetupError);
    }
}

TEST_SUITE("ident::confidence") {
    TEST_CASE("knows the tabulated quantiles of chi-square") {
        const double table[] = {3.841459, 5.991465, 7.814728, 9.487729, 11.070498};
        for (int k = 1; k <= 5; ++k) CHECK(chi_square_quantile(0.95, k) == approx(table[k - 1]).epsilon(1e-6));
        CHECK(chi_square_quantile(0.99, 10) == approx(23.209251).epsilon(1e-6));
        CHECK(chi_square_quantile(0.5, 2) == approx(2.0 * std::log(2.0)).epsilon(1e-12));
        CHECK_THROWS_AS((void)chi_square_quantile(1.0, 2), SetupError);
    }

    TEST_CASE("names the combination that cannot be identified") {
        Mat Psi(50, 3);  // only the difference of a and b counts
        for (int i = 0; i < 50; ++i) {
            const double t = 0.1 * i;
            Psi.row(i) << std::sin(t), -std::sin(t), std::cos(t);
        }
        const Information f = information(Psi, 0.1);
        CHECK(f.rank == 2);
        const auto open = unidentifiable(f, {"a", "b", "c"});
        REQUIRE(open.size() == 1);
        CHECK((open[0] == "0.707 a + 0.707 b" || open[0] == "0.707 b + 0.707 a"));
        Vec p = Vec::Ones(3);
        const auto intervals = confidence_intervals(p, f);
        CHECK(std::isinf(intervals[0].upper));
        CHECK(intervals[2].upper - 1.0 == approx(1.959964 * f.deviation[2]).epsilon(1e-6));
        CHECK(unidentifiable(information(Mat::Identity(5, 3), 1.0), {"a", "b", "c"}).empty());
        CHECK_THROWS_AS((void)unidentifiable(f, {"a"}), SetupError);
    }

    TEST_CASE("a parameter that the bounds fix is known, and the others are judged without it") {
        Mat Psi(50, 3);
        for (int i = 0; i < 50; ++i) {
            const double t = 0.1 * i;
            Psi.row(i) << std::sin(t), -std::sin(t), std::cos(t);
        }
        const panto::opt::Bounds fixed{.lower = Vec(Eigen::Vector3d(-1e9, 2.0, -1e9)),
                                       .upper = Vec(Eigen::Vector3d(1e9, 2.0, 1e9))};
        const Information f = information(Psi, 0.1, fixed);
        CHECK(f.identifiable());
        CHECK(unidentifiable(f, {"a", "b", "c"}).empty());
        Mat free(50, 2);
        free << Psi.col(0), Psi.col(2);
        const Mat inverse = 0.01 * (free.transpose() * free).inverse();  // the normal equations
        CHECK(f.deviation[0] == approx(std::sqrt(inverse(0, 0))));
        CHECK(f.deviation[1] == 0.0);
        CHECK(f.deviation[2] == approx(std::sqrt(inverse(1, 1))));
        CHECK(f.covariance(0, 2) == approx(inverse(0, 1)));
        CHECK(f.covariance.row(1).isZero());
        CHECK(f.correlation(1, 1) == 1.0);
        const Vec all = Vec::Ones(3);
        const Information nothing = information(Psi, 0.1, {.lower = all, .upper = all});
        CHECK(nothing.identifiable());
        CHECK(nothing.deviation.isZero());
        CHECK_THROWS_AS((void)information(Psi, 0.1, panto::opt::Bounds{.lower = Vec::Zero(2)}), SetupError);
    }

    TEST_CASE("what the errors of Psi would show as well is not identified") {
        Mat Psi(50, 2);
        for (int i = 0; i < 50; ++i) Psi.row(i) << std::sin(0.1 * i), std::sin(0.1 * i) + 1e-6 * std::cos(1.7 * i);
        CHECK(information(Psi, 0.1).identifiable());
        CHECK(information(Psi, 0.1, 1e-8).identifiable());
        CHECK(information(Psi, 0.1, 1e-4).rank == 1);
        Psi.col(1) = 1e-9 * Psi.col(0).reverse();  // small is not the same as unknown
        CHECK(information(Psi, 0.1, 1e-4).identifiable());
        CHECK_THROWS_AS((void)information(Psi, 0.1, -1.0), SetupError);
    }
}

TEST_SUITE("ident::place") {
    TEST_CASE("chooses by each criterion what its closed form says") {
        const auto candidate = [](const char* name, double a, double b) {
            Mat s(1, 2);
            s << a, b;
            return Candidate{name, s, 1.0};
        };
        // Two of four: b + c has the larger determinant (3 * 3), a + d the larger smallest eigenvalue.
        const std::vector<Candidate> all{candidate("a", 10.0, 0.0), candidate("b", 0.0, 1.0), candidate("c", 4.0, 4.0),
                                         candidate("d", 3.0, -3.0)};
        const auto exact = [&](std::size_t i, std::size_t j) {
            const Mat P = (Mat(2, 2) << all[i].sensitivity, all[j].sensitivity).finished();
            return (P.transpose() * P).eval();
        };
        for (const Criterion criterion : {Criterion::A, Criterion::D, Criterion::E}) {
            double best = 1e300;
            std::vector<std::size_t> wanted;
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = i + 1; j < 4; ++j) {
                    const Mat F = exact(i, j);
                    const double det = F(0, 0) * F(1, 1) - F(0, 1) * F(1, 0), trace = F(0, 0) + F(1, 1);
                    const double smallest = 0.5 * (trace - std::sqrt(trace * trace - 4.0 * det));
                    const double value = criterion == Criterion::A   ? trace / det
                                         : criterion == Criterion::D ? -std::log(det)
                                                                     : 1.0 / smallest;
                    if (value < best) best = value, wanted = {i, j};
                }
            const Placement found = place(all, {.count = 2, .criterion = criterion});
            CHECK(found.chosen == wanted);
            CHECK(found.value == approx(best).epsilon(1e-10));
            CHECK(found.tried == 6);
            CHECK(place(all, {.count = 2, .criterion = criterion, .search = Search::greedy}).rank == 2);
        }
        CHECK_THROWS_AS((void)place(all, {.count = 5}), SetupError);
    }

    TEST_CASE("finds that a beam's two sensors are better apart than the first pair of nodes") {
        std::vector<Candidate> all;
        for (int sensor = 2; sensor <= 68; sensor += 11) {
            const BeamModel model(experiment(sensor));
            Vec y, p = undamped();
            p[1] = 0.5, p[2] = 0.02;
            Mat Psi;
            model.response(p, y, Psi);
            all.push_back({std::to_string(sensor), Psi, 1e-3});
        }
        Vec scale = undamped();
        scale[1] = 0.5, scale[2] = 0.02;
        const PlacementParams two{.count = 2, .criterion = Criterion::D, .scale = scale};
        PlacementParams one_by_one = two;
        one_by_one.search = Search::greedy;
        const Placement best = place(all, two), greedy = place(all, one_by_one);
        CHECK(best.rank == 5);
        CHECK(best.tried == 21);
        CHECK(greedy.tried == 13);
        CHECK(best.value <= greedy.value);
        CHECK(best.value < place({all[0], all[1]}, two).value);
    }

    TEST_CASE("chooses the same sensors of a beam on a grid and on one twice as fine") {
        Vec p = undamped();
        p[1] = 0.5, p[2] = 0.02;
        std::vector<Placement> found;
        for (const int cells : {1, 2}) {
            std::vector<Candidate> all;
            for (int sensor = 4; sensor <= 40; sensor += 6) {
                BeamExperiment e = test::undamped_experiment(sensor, 34);
                e.points = 45;
                e.left = e.right = BeamSupport::clamped;
                Vec y;
                Mat Psi;
                BeamModel(finer(e, cells, cells * cells)).response(p, y, Psi);
                all.push_back({std::to_string(sensor), Psi, 1e-3});
            }
            found.push_back(place(all, {.count = 2, .criterion = Criterion::D, .scale = p}));
        }
        CHECK(found[0].chosen == found[1].chosen);
        CHECK(found[0].rank == 5);
    }
}

}  // namespace front_test
