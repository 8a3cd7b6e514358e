// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of the optimizers: NSGA-II on the standard problems ZDT1-3, BNH and SRN by hypervolume, pattern search on
/// the golden bowls and in Rosenbrock's valley.

#pragma once

#include <panto/opt/hypervolume.hpp>
#include <panto/opt/nsga2.hpp>
#include <panto/opt/pattern_search.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test {

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

/// Hypervolume of the front over that of the true front, population 100, 250 generations, seeds 1 to 3.
inline std::vector<double> hypervolume_ratios(const std::string& problem) {
    const auto entry = golden("waves_and_identification.json").at("moo").at(problem);
    const auto run = [&](const auto& f, opt::Bounds bounds) {
        std::vector<double> ratios;
        opt::Nsga2Params p;  // population 100, 250 generations
        p.bounds = std::move(bounds);
        for (const unsigned seed : {1u, 2u, 3u}) {
            p.seed = seed;
            const auto found = opt::nsga2(f, p);
            ratios.push_back(opt::hypervolume(found.front, {entry.at("ref").at(0), entry.at("ref").at(1)}) /
                             entry.at("HV_true").get<double>());
        }
        return ratios;
    };
    if (problem == "BNH") return run(Bnh{}, {Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(5.0, 3.0)});
    if (problem == "SRN") return run(Srn{}, {Eigen::Vector2d(-20.0, -20.0), Eigen::Vector2d(20.0, 20.0)});
    for (const int number : {1, 2, 3})
        if (problem == "ZDT" + std::to_string(number))
            return run(Zdt{number}, {Parameters::Zero(30), Parameters::Ones(30)});
    throw std::runtime_error("no problem is called " + problem);
}

/// (x - a)^2 + 10 (y - b)^2
struct GoldenBowl {
    Eigen::Vector2d bottom;
    double operator()(const Parameters& x) const {
        return std::pow(x[0] - bottom[0], 2) + 10.0 * std::pow(x[1] - bottom[1], 2);
    }
};

inline double rosenbrock(const Parameters& x) {
    return 100.0 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1.0 - x[0], 2);
}

/// Pattern search on the golden bowl `quad` or `quad_off`.
inline opt::Minimum search_golden_bowl(const std::string& name) {
    const Eigen::Vector2d bottom = name == "quad" ? Eigen::Vector2d(1.0, -2.0) : Eigen::Vector2d(1.0 / 3.0, -0.7);
    return opt::pattern_search(GoldenBowl{bottom}, Eigen::Vector2d(0.0, 0.0));
}

inline opt::Minimum search_rosenbrock() { return opt::pattern_search(rosenbrock, Eigen::Vector2d(-1.2, 1.0)); }

inline std::vector<Measured> optimizer_figures() {
    std::vector<Measured> all;
    for (const std::string problem : {"ZDT1", "ZDT2", "ZDT3", "BNH", "SRN"}) {
        const auto ratios = hypervolume_ratios(problem);
        all.push_back({"opt." + problem + ".hypervolume", *std::min_element(ratios.begin(), ratios.end())});
    }
    for (const std::string name : {"quad", "quad_off"}) {
        const auto found = search_golden_bowl(name);
        const std::string id = "opt." + name + ".";
        all.push_back({id + "evaluations", static_cast<double>(found.evaluations)});
        all.push_back({id + "iterations", static_cast<double>(found.iterations)});
        all.push_back({id + "value", found.value});
        all.push_back({id + "x", found.x[0]});
        all.push_back({id + "y", found.x[1]});
    }
    const auto valley = search_rosenbrock();
    all.push_back({"opt.rosenbrock.evaluations", static_cast<double>(valley.evaluations)});
    all.push_back({"opt.rosenbrock.value", valley.value});
    return all;
}

}  // namespace panto::test
