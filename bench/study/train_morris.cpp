// SPDX-License-Identifier: BSD-3-Clause
/// Morris' method over the 117 parameters of the thesis' Tables B.1 to B.3, ten trajectories, on two threads:
/// accelerations of the leading bogie on a section of 250 m behind a lead-in of the train's length. `s` is the time for
/// all of it, on this machine as loaded as it is; `cpu_s` the processor time of all threads.

#include <panto/io/vehicle_json.hpp>
#include <panto/sensitivity/morris.hpp>
#include <panto/study/run.hpp>
#include <panto/study/threads.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/linear_march.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace panto;

/// Mean square of the acceleration above an axle box, by the 117 parameters over their values in the file, which
/// come before those without a number.
class Section {
  public:
    static constexpr int parameters = 117;
    [[nodiscard]] int number(int i) const {
        return std::atoi(train_.parameters[static_cast<std::size_t>(i)].name.c_str());
    }

    std::vector<double> operator()(const Vector<double, Dynamic>& theta) const {
        auto values = train_.values();
        for (std::size_t i = 0; i < parameters; ++i) values[i] *= theta[static_cast<Eigen::Index>(i)];
        const vehicle::LinearMarch march(vehicle::linearize(vehicle::assemble(train_, values), 83.333), 2e-3);
        const auto probe = march.vehicle().assembly.probe("A", {8.5, 1.0, 0.55}, vehicle::Direction::z);
        auto x = march.rest();
        double squares = 0.0;
        for (int n = 0; n < 2750; ++n) {  // 208 m and 250 m
            march.step(2e-3 * n, track_, x);
            if (n >= 1250) squares += std::pow(march.acceleration(probe, x), 2);
        }
        return {squares / 1500.0};
    }

  private:
    vehicle::Multibody train_ = io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like_117.json");
    vehicle::SampledTrack track_ =
        vehicle::SampledTrack::ramped(vehicle::RandomTrack::of({}, {}, {5, 6, 7}), -300.0, 1000.0, 0.25, 50.0);
};

void morris(benchmark::State& state) {
    const Section section;
    const int n = Section::parameters;
    // Suspension within 50 %, masses and inertias, from number 90 on, within 2 %, with which every inertia is a body's.
    Vector<double, Dynamic> width(n);
    for (int i = 0; i < n; ++i) width[i] = section.number(i) < 90 ? 0.5 : 0.02;
    const sensitivity::Ranges ranges{1.0 - width.array(), 1.0 + width.array()};
    const auto design = sensitivity::morris_design(n, {.trajectories = 10});
    const auto points = ranges.scale(design.unit);
    study::Threads threads(2);
    for (auto _ : state) {
        const auto begin = std::chrono::steady_clock::now();
        const std::clock_t used = std::clock();
        const auto results =
            study::run({.name = "train", .count = static_cast<std::size_t>(points.cols())}, threads,
                       [&](std::size_t i) { return section(points.col(static_cast<Eigen::Index>(i))); });
        const std::vector<double> column = results.output(0);
        const auto effects = sensitivity::morris(
            design, Eigen::Map<const Eigen::VectorXd>(column.data(), static_cast<Eigen::Index>(column.size())));
        state.counters["s"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        state.counters["cpu_s"] = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
        state.counters["parameters"] = n;
        state.counters["evaluations"] = static_cast<double>(points.cols());
        state.counters["failed"] = static_cast<double>(results.failed);
        for (const auto& outcome : results.outcomes)
            if (!outcome.ok()) state.SetLabel(outcome.reason);
        state.counters["largest_effect"] = effects.mu_star.maxCoeff();
    }
}
BENCHMARK(morris)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
