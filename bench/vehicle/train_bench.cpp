// SPDX-License-Identifier: BSD-3-Clause
/// One step of the train of ten cars: linear, 2 ms of travel, and nonlinear, 1 ms. Divide by the time of a step for how
/// many times faster than real time it is. PANTO_DATA_DIR comes with panto::io.

#include <panto/io/vehicle_json.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/linear_gradient.hpp>
#include <panto/vehicle/nonlinear_vehicle.hpp>

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace panto;

vehicle::Assembly train(const char* name) {
    return vehicle::assemble(io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/" + name + ".json"));
}
vehicle::SampledTrack line() {
    return vehicle::SampledTrack::ramped(vehicle::RandomTrack::of({}, {}, {5, 6, 7}), -300.0, 2000.0, 0.25, 50.0);
}

void linear(benchmark::State& state) {
    const vehicle::LinearMarch march(vehicle::linearize(train("tgv_like"), 83.333), 2e-3);
    const auto track = line();
    auto x = march.rest();
    int n = 0;
    for (auto _ : state) {
        march.step(2e-3 * n, track, x);
        n = n < 9000 ? n + 1 : 0;
        benchmark::DoNotOptimize(x.q.data());
    }
    state.counters["real_time"] = benchmark::Counter(2e-3, benchmark::Counter::kIsIterationInvariantRate);
}

void nonlinear(benchmark::State& state) {
    const vehicle::NonlinearVehicle<> ride(train("tgv_like_117"), 83.333, {}, {}, {.stiffness = 15e6});
    const auto track = line();
    auto x = ride.rest();
    int n = 0;
    for (auto _ : state) {
        ride.step(1e-3 * n, 1e-3, track, x);
        n = n < 18000 ? n + 1 : 0;
        benchmark::DoNotOptimize(x.x.data());
    }
    state.counters["real_time"] = benchmark::Counter(1e-3, benchmark::Counter::kIsIterationInvariantRate);
}

/// One evaluation of a study: a section of 250 m behind a lead-in of the train's length, from the parameters on.
/// Morris' method over 117 parameters with ten trajectories takes 1180.
void section(benchmark::State& state) {
    const auto description = io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like_117.json");
    const auto track = line();
    for (auto _ : state) {
        const vehicle::LinearMarch march(vehicle::linearize(vehicle::assemble(description), 83.333), 2e-3);
        auto x = march.rest();
        for (int n = 0; n < 2750; ++n) march.step(2e-3 * n, track, x);  // 458 m
        benchmark::DoNotOptimize(x.q.data());
    }
}

/// The gradient of such a section's record by all parameters: compare with `section`, a run forward.
void gradient(benchmark::State& state) {
    const auto description = io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like_117.json");
    const auto track = line();
    for (auto _ : state) {
        vehicle::LinearRun run(description, description.values(), 83.333, 2e-3);
        const auto probe = run.assembly().probe("A", {8.5, 1.0, 0.55}, vehicle::Direction::z);
        const Eigen::VectorXd by = run.gradient(run.run(track, {probe}, -3.75, 0, 2750));  // from level track
        benchmark::DoNotOptimize(by.data());
    }
}

BENCHMARK(linear);
BENCHMARK(gradient)->Unit(benchmark::kMillisecond);
BENCHMARK(section)->Unit(benchmark::kMillisecond);
BENCHMARK(nonlinear);

}  // namespace

BENCHMARK_MAIN();
