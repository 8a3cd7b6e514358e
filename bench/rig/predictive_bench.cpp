// SPDX-License-Identifier: BSD-3-Clause
/// The predictive rig: a simulated second of the line in the train's frame, and the whole control step (state of the
/// line, two horizons of 25, balances, five steps of the line) as a histogram of single steps, with either line.

#include <panto/catenary/lines.hpp>
#include <panto/catenary/moving_state_space.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/rig/impedance_loop.hpp>
#include <panto/rig/nonlinear_impedance_loop.hpp>

#include "../../tests/support/predictive_line.hpp"
#include "../huge_pages.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

namespace {

using namespace panto;
using clock_type = std::chrono::steady_clock;

catenary::MovingGrid grid(int spans, bool unilateral) {
    return {.speed = 60.0,
            .dt = 1.0 / 850.0,
            .cells = 39,
            .spans = spans,
            .unilateral = unilateral,
            .accept_growth = unilateral};
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

/// The paper's line with 19 droppers a span, which bear 60 N each in place of 176 and 221 N, and so go slack.
catenary::PeriodicLine many_droppers() {
    auto section = catenary::predictive_hil();
    for (catenary::Span& span : section.spans) {
        span.droppers.clear();
        for (int i = 1; i < 20; ++i) span.droppers.push_back({3.0 * i, 0.0});
    }
    return catenary::periodic_line(section);
}

/// Argument 0: spans; 1: four droppers a span that pull and push (0) or only pull (1), 19 that pull and push (2) or
/// only pull, and do go slack (3).
void second_of_the_line(benchmark::State& state) {
    const bool unilateral = state.range(1) % 2 != 0;
    const auto line = state.range(1) > 1 ? many_droppers()
                      : unilateral       ? catenary::periodic_line(catenary::predictive_hil())
                                         : test::predictive_line();
    auto engine = catenary::moving_engine(line, grid(static_cast<int>(state.range(0)), unilateral));
    std::vector<double> times;
    long slack = 0, steps = 0;
    for (auto _ : state) {
        const auto began = clock_type::now();
        for (int n = 0; n < 850; ++n) {
            benchmark::DoNotOptimize(engine.step(120.0 + 100.0 * std::sin(0.01 * n)));
            slack += engine.slack_droppers() > 0;
        }
        steps += 850;
        times.push_back(std::chrono::duration<double, std::milli>(clock_type::now() - began).count());
    }
    std::sort(times.begin(), times.end());
    state.counters["best_ms"] = times.front();
    state.counters["p50_ms"] = quantile(times, 0.5);
    state.counters["slack_percent"] = 100.0 * static_cast<double>(slack) / static_cast<double>(steps);
    state.SetLabel(PANTO_BENCH_FLAGS);
}
BENCHMARK(second_of_the_line)
    ->Args({1, 0})
    ->Args({4, 0})
    ->Args({1, 1})
    ->Args({4, 1})
    ->Args({1, 2})
    ->Args({4, 2})
    ->Args({1, 3})
    ->Args({4, 3})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(100);

/// @param undisturbed of each cycle of the run the shortest time ever
void report(benchmark::State& state, std::vector<double>& times, std::vector<double>& undisturbed) {
    std::sort(times.begin(), times.end());
    std::sort(undisturbed.begin(), undisturbed.end());
    for (const auto& [name, share] :
         {std::pair{"p50_us", 0.5}, {"p90_us", 0.9}, {"p99_us", 0.99}, {"p99.9_us", 0.999}, {"max_us", 1.0}})
        state.counters[name] = quantile(times, share);
    state.counters["undisturbed_p50_us"] = quantile(undisturbed, 0.5);
    state.counters["undisturbed_max_us"] = undisturbed.back();
    state.SetLabel(PANTO_BENCH_FLAGS);
}

void control_step(benchmark::State& state) {
    auto line = catenary::moving_engine(test::predictive_line(), grid(1, false));
    const auto model = catenary::periodic_state_space(line, 5);
    const plant::DriveRigParams params{.pantograph = pantograph::preset("EN50318_2002").params};
    control::ImpedanceMpc mpc({.drive = rig::drive_model(params)}, model);
    plant::DriveRig stand(params);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(line.states());
    std::vector<double> times, undisturbed(170, 1e9);
    int phase = 0;
    for (auto _ : state)
        for (double& best : undisturbed) {
            const double force = stand.force();
            const auto drive = stand.drive_state();
            const auto began = clock_type::now();
            line.get(x);
            benchmark::DoNotOptimize(mpc.step(force, drive, x, phase));
            for (int i = 0; i < 5; ++i) line.advance(force + mpc.correction());
            times.push_back(std::chrono::duration<double, std::micro>(clock_type::now() - began).count());
            best = std::min(best, times.back());
            if (++phase == mpc.samples()) phase = 0;
            static_cast<void>(stand.step(mpc.command()));
        }
    report(state, times, undisturbed);
}
BENCHMARK(control_step)->Unit(benchmark::kMillisecond)->Iterations(300);

/// The same with the real-time engine in the ground's frame, which foretells 50 of its steps in each cycle.
void nonlinear_control_step(benchmark::State& state) {
    const auto section = catenary::predictive_hil();
    const auto model =
        catenary::periodic_state_space(catenary::moving_engine(catenary::periodic_line(section), grid(1, false)), 5);
    const catenary::RealTimeEngine<> wire(catenary::FiniteElements<>(section, {}),
                                          {.speed = 60.0, .start = 180.0, .dt = 1.0 / 340.0});
    const plant::DriveRigParams params{.pantograph = pantograph::preset("EN50318_2002").params};
    const control::ImpedanceMpc mpc({.drive = rig::drive_model(params)}, model);
    plant::DriveRig stand(params);
    std::vector<double> times, undisturbed(1500, 1e9);
    for (auto _ : state) {
        plant::DriveRig same = stand;
        rig::NonlinearImpedanceLoop loop(same, wire, mpc, wire.wire().height);
        for (double& best : undisturbed) {
            benchmark::DoNotOptimize(loop.step());
            times.push_back(std::chrono::duration<double, std::micro>(loop.took()).count());
            best = std::min(best, times.back());
        }
    }
    report(state, times, undisturbed);
}
BENCHMARK(nonlinear_control_step)->Unit(benchmark::kMillisecond)->Iterations(9);

}  // namespace

int main(int argc, char** argv) { return panto::bench::run(argc, argv); }
