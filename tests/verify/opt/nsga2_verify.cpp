// SPDX-License-Identifier: BSD-3-Clause
// NSGA-II on the standard problems ZDT1-3, BNH and SRN: hypervolume against that of the true front.
#include <panto/opt/hypervolume.hpp>
#include <panto/opt/nsga2.hpp>

#include "catch.hpp"
#include "golden_json.hpp"

#include <cmath>
#include <numbers>

using namespace panto;

namespace nsga2_verify {
namespace {

struct Zdt {
    int number;
    [[nodiscard]] int objectives() const { return 2; }
    Status operator()(const Parameters& x, Parameters& values) const {
        const double f1 = x[0], g = 1.0 + 9.0 * x.tail(x.size() - 1).mean(), ratio = f1 / g;
        const double h =
            number == 2 ? 1.0 - ratio * ratio
                        : 1.0 - std::sqrt(ratio) - (number == 3 ? ratio * std::sin(10.0 * std::numbers::pi * f1) : 0.0);
        values = Eigen::Vector2d(f1, g * h);
        return Status::ok;
    }
};

struct Bnh {  // Binh and Korn
    [[nodiscard]] int objectives() const { return 2; }
    [[nodiscard]] int constraints() const { return 2; }
    Status operator()(const Parameters& x, Parameters& f, Parameters& g) const {
        const auto square = [](double a) { return a * a; };
        f = Eigen::Vector2d(4.0 * x.squaredNorm(), square(x[0] - 5.0) + square(x[1] - 5.0));
        g = Eigen::Vector2d(square(x[0] - 5.0) + square(x[1]) - 25.0, 7.7 - square(x[0] - 8.0) - square(x[1] + 3.0));
        return Status::ok;
    }
};

struct Srn {  // Srinivas and Deb
    [[nodiscard]] int objectives() const { return 2; }
    [[nodiscard]] int constraints() const { return 2; }
    Status operator()(const Parameters& x, Parameters& f, Parameters& g) const {
        const auto square = [](double a) { return a * a; };
        f = Eigen::Vector2d(2.0 + square(x[0] - 2.0) + square(x[1] - 1.0), 9.0 * x[0] - square(x[1] - 1.0));
        g = Eigen::Vector2d(x.squaredNorm() - 225.0, x[0] - 3.0 * x[1] + 10.0);
        return Status::ok;
    }
};

template <class F>
void expect(const char* name, const F& f, opt::Bounds bounds) {
    const auto golden = test::golden("waves_and_identification.json").at("moo");
    const auto& entry = golden.at(name);
    const double minimum = golden.at("nsga2_expected_ratio_min").at(name);
    opt::Nsga2Params p;  // population 100, 250 generations
    p.bounds = std::move(bounds);
    for (const unsigned seed : {1u, 2u, 3u}) {
        p.seed = seed;
        const auto found = opt::nsga2(f, p);
        const double ratio = opt::hypervolume(found.front, {entry.at("ref").at(0), entry.at("ref").at(1)}) /
                             entry.at("HV_true").get<double>();
        INFO(name << ", seed " << seed << ": " << ratio);
        CHECK(ratio >= minimum);
        CHECK(ratio < 1.0);  // points of a front cover less than the front
    }
}

}  // namespace

TEST_CASE("NSGA-II reaches the golden hypervolumes of ZDT1, ZDT2 and ZDT3 with three seeds") {
    const opt::Bounds unit{Parameters::Zero(30), Parameters::Ones(30)};
    expect("ZDT1", Zdt{1}, unit);
    expect("ZDT2", Zdt{2}, unit);
    expect("ZDT3", Zdt{3}, unit);
}

TEST_CASE("NSGA-II reaches the golden hypervolumes of the constrained problems BNH and SRN with three seeds") {
    expect("BNH", Bnh{}, {Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(5.0, 3.0)});
    expect("SRN", Srn{}, {Eigen::Vector2d(-20.0, -20.0), Eigen::Vector2d(20.0, 20.0)});
}

}  // namespace nsga2_verify
