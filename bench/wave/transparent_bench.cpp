// SPDX-License-Identifier: BSD-3-Clause
/// A march of 2000 points with transparent ends of 16 states per boundary point against the same march between clamped
/// ends, step by step in turn, so that both meet the same machine.

#include <panto/transparent/end.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/supports.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace {

using namespace panto::wave;
using clock_type = std::chrono::steady_clock;

constexpr int points = 2000, steps_at_once = 200;

Stencil<double, 2> beam() {
    return beam_stencil(
        panto::wave::BeamParams<double>{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3}, 0.05,
        9.9e-5);
}

Eigen::VectorXd bump() {
    Eigen::VectorXd u(points);
    for (int i = 0; i < points; ++i) u[i] = std::exp(-std::pow((i - 0.5 * points) / 10.0, 2));
    return u;
}

/// ns per step of `steps_at_once` steps.
template <class March>
double time_of(March& march) {
    const auto began = clock_type::now();
    for (int n = 0; n < steps_at_once; ++n) march.step();
    benchmark::DoNotOptimize(march.level().data());
    return std::chrono::duration<double, std::nano>(clock_type::now() - began).count() / steps_at_once;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void transparent_against_clamped(benchmark::State& state) {
    const auto s = beam();
    const auto ends = transparent_ends(s, {.states = static_cast<int>(state.range(0))});
    const auto wall = clamped_first_order(s);
    March<double, 2, TransparentEnd<2>, TransparentEnd<2>> open(s, points, ends.left, ends.right);
    March<double, 2, Support<double, 2>, Support<double, 2>> closed(s, points, wall, wall);
    std::vector<double> with, without, ratio;
    for (auto _ : state) {
        state.PauseTiming();
        open.start(bump(), bump());  // afresh, so that no wave dies down to subnormal numbers
        closed.start(bump(), bump());
        without.push_back(time_of(closed));
        state.ResumeTiming();
        with.push_back(time_of(open));
        ratio.push_back(with.back() / without.back());
    }
    state.counters["transparent_ns"] = median(with);
    state.counters["clamped_ns"] = median(without);
    state.counters["ratio_of_best"] =
        *std::min_element(with.begin(), with.end()) / *std::min_element(without.begin(), without.end());
    state.counters["ratio"] = median(ratio);
    state.SetLabel(PANTO_BENCH_FLAGS);
}

}  // namespace

BENCHMARK(transparent_against_clamped)->Arg(16)->Arg(32)->Unit(benchmark::kMicrosecond)->MinTime(0.5);
BENCHMARK_MAIN();
