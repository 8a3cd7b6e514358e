// SPDX-License-Identifier: BSD-3-Clause
/// 10^5 whole cycles of the rig: sensor, real-time catenary (20 spans of the stitched line), controller with its
/// preview, drive; the hardware is simulated and its own work is not counted. Prints the histogram of the times.
/// "Undisturbed" is the shortest time of each cycle over the runs, which repeat the same motion.

#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/histogram.hpp>
#include <panto/rig/simulated.hpp>

#include "../huge_pages.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace panto;

constexpr double dt = 2e-3;
constexpr int cycles_a_run = 5000;  // 10 s: the pantograph stays on the line
constexpr int runs = 20;

/// Four lines an octave.
void print(const rig::Histogram& times) {
    constexpr std::size_t merged = 8;
    constexpr int columns = 60;
    const auto in = [&](std::size_t first) {
        std::int64_t sum = 0;
        for (std::size_t i = first; i < first + merged; ++i) sum += times[i];
        return sum;
    };
    std::printf("\n  time of a cycle, us     cycles\n");
    for (std::size_t i = 0; i + merged <= rig::Histogram::bins; i += merged) {
        if (in(i) == 0) continue;
        const std::string bar(static_cast<std::size_t>(columns * in(i) / times.count()), '#');
        std::printf("%8.1f .. %8.1f %10lld  %s\n", 1e-3 * static_cast<double>(rig::Histogram::lower_edge(i)),
                    1e-3 * static_cast<double>(rig::Histogram::lower_edge(i + merged)), static_cast<long long>(in(i)),
                    bar.c_str());
    }
    std::printf("  %lld cycles\n\n", static_cast<long long>(times.count()));
}

template <class Controller>
void measure(benchmark::State& state, catenary::RealTimeEngine<>& wire, Controller& controller,
             const rig::SimulatedParams& params) {
    rig::Histogram times;
    std::vector<std::chrono::nanoseconds> shortest(cycles_a_run, std::chrono::hours(1));
    for (auto _ : state)
        for (int run = 0; run < runs; ++run) {
            rig::Simulated stand(params, dt);
            rig::Cycle cycle(stand.sensor, wire, controller, stand.drive, interaction::DirectInteraction{},
                             {.limits = {.force = 2000.0}});
            if (const Status started = cycle.start(); !usable(started)) return state.SkipWithError("did not start");
            for (int n = 0; n < cycles_a_run; ++n) {
                const auto began = std::chrono::steady_clock::now();
                const Status status = cycle.step();
                const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
                times.add(took);
                auto& least = shortest[static_cast<std::size_t>(n)];
                least = std::min(least, took);
                if (!usable(status)) return state.SkipWithError("stopped");
                stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(2));
            }
        }
    std::sort(shortest.begin(), shortest.end());
    const auto microseconds = [](std::chrono::nanoseconds t) { return 1e-3 * static_cast<double>(t.count()); };
    state.counters["p50_us"] = microseconds(times.median());
    state.counters["p99.9_us"] = microseconds(times.quantile(0.999));
    state.counters["max_us"] = microseconds(times.longest());
    state.counters["undisturbed_p99.9_us"] = microseconds(shortest[shortest.size() * 999 / 1000]);
    state.counters["dt_over_p99.9"] = 1e6 * dt / microseconds(times.quantile(0.999));
    state.SetLabel(PANTO_BENCH_FLAGS);
    print(times);
}

void lqg_cycle(benchmark::State& state) {
    const catenary::FiniteElements<> line(catenary::stitched_hil());
    catenary::RealTimeEngine<> wire(line, {.speed = 300.0 / 3.6, .start = 130.0, .dt = dt});
    const rig::SimulatedParams params{.force_noise = 1.0, .position_noise = 1e-5};
    control::Lqg controller({.rig = params.rig}, dt);
    measure(state, wire, controller, params);
}
BENCHMARK(lqg_cycle)->Unit(benchmark::kMillisecond)->Iterations(1);

/// Argument: elements of the contact wire, mm. The controller looks seven steps ahead.
void predictive_cycle(benchmark::State& state) {
    const double element = 1e-3 * static_cast<double>(state.range(0));
    const catenary::FiniteElements<> line(catenary::stitched_hil(),
                                          {.contact = element, .messenger = 2.0 * element, .stitch = element / 1.5});
    catenary::RealTimeEngine<> wire(line, {.speed = 300.0 / 3.6, .start = 130.0, .dt = dt});
    rig::SimulatedParams params{
        .uplift_force = 0.00097 * 300.0 * 300.0 + 70.0, .force_noise = 1.0, .position_noise = 1e-5};
    constexpr double force = 157.0;  // N
    wire.start_under(force);
    params.start_height = wire.wire().height;
    control::PredictiveLqg controller({.rig = params.rig, .wire = control::wire_response(wire, force)}, dt);
    measure(state, wire, controller, params);
}
BENCHMARK(predictive_cycle)->Arg(1500)->Arg(750)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

int main(int argc, char** argv) { return panto::bench::run(argc, argv); }
