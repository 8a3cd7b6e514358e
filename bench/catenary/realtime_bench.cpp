// SPDX-License-Identifier: BSD-3-Clause
/// One step of the real-time catenary: 20 spans of the stitched line, all degrees of freedom, droppers going slack.
/// Beside it, in the same run: a loop that streams the bytes a step must read, the reference engine, and a peer, the
/// same linear step with Eigen's sparse Cholesky factorization.

#include <panto/catenary/lines.hpp>
#include <panto/catenary/realtime_engine.hpp>
#include <panto/catenary/reference_engine.hpp>

#include "../huge_pages.hpp"

#include <Eigen/SparseCholesky>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace {

using namespace panto;
using clock_type = std::chrono::steady_clock;

constexpr double dt = 2e-3;
const catenary::PassageParams passage{.speed = 300.0 / 3.6, .start = 130.0, .dt = dt};
constexpr int steps = 6000;  // 130 m to 1130 m

/// Swings so that droppers go slack in a good part of the steps.
double force_at(int step) { return 170.0 + 130.0 * std::sin(6.0 * dt * step); }

const catenary::FiniteElements<>& line() {
    static const catenary::FiniteElements<> model(catenary::stitched_hil());
    return model;
}

double microseconds_since(clock_type::time_point began) {
    return std::chrono::duration<double, std::micro>(clock_type::now() - began).count();
}

/// Median, 99.9 % and worst of the times of single steps, as they were; and, since every repetition does the same
/// work, of the shortest time each step was ever done in: what the step needs when nothing interrupts it. The distance
/// between the two belongs to the machine, and the streaming loop shows it as well.
void report(benchmark::State& state, std::vector<double> times, std::size_t steps_of_one_run) {
    std::vector<double> undisturbed(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(steps_of_one_run));
    for (std::size_t i = steps_of_one_run; i < times.size(); ++i) {
        double& best = undisturbed[i % steps_of_one_run];
        best = std::min(best, times[i]);
    }
    const auto quantile = [](std::vector<double>& sorted, double share) {
        return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    };
    std::sort(times.begin(), times.end());
    std::sort(undisturbed.begin(), undisturbed.end());
    state.counters["p50_us"] = quantile(times, 0.5);
    state.counters["p99.9_us"] = quantile(times, 0.999);
    state.counters["max_us"] = times.back();
    state.counters["dt_over_p99.9"] = 1e6 * dt / quantile(times, 0.999);
    state.counters["undisturbed_p99.9_us"] = quantile(undisturbed, 0.999);
    state.counters["undisturbed_max_us"] = undisturbed.back();
    state.SetLabel(PANTO_BENCH_FLAGS);
}

/// The timed runs come first and alone; the comparison, step by step, follows. A reference engine between two timed
/// steps would empty the caches, which the streaming loop beside it does not suffer either.
void real_time_engine(benchmark::State& state) {
    catenary::RealTimeEngine<> engine(line(), passage);
    std::vector<double> times;
    for (auto _ : state) {
        engine.reset();
        for (int k = 1; k <= steps; ++k) {
            const auto began = clock_type::now();
            benchmark::DoNotOptimize(engine.step(force_at(k)));
            times.push_back(microseconds_since(began));
        }
    }
    report(state, times, steps);
    state.counters["kB_per_step"] = static_cast<double>(engine.bytes_per_step()) / 1e3;

    catenary::ReferenceEngine<> reference(line(), passage);
    double height = 0.0, tension = 0.0;
    int slack_steps = 0;
    engine.reset();
    for (int k = 1; k <= steps; ++k) {
        engine.step(force_at(k));
        height = std::max(height, std::abs(engine.wire().height - reference.step(force_at(k)).height));
        bool slack = false;
        for (std::size_t j = 0; j < line().droppers().size(); ++j) {
            tension = std::max(tension, std::abs(engine.dropper_force(j) - reference.dropper_force(j)));
            slack = slack || engine.dropper_force(j) <= 0.0;
        }
        slack_steps += slack;
    }
    state.counters["slack_percent"] = 100.0 * slack_steps / steps;
    state.counters["height_differs_m"] = height;
    state.counters["tension_differs_N"] = tension;
}
BENCHMARK(real_time_engine)->Unit(benchmark::kMillisecond)->Iterations(10);

void streaming_the_same_bytes(benchmark::State& state) {
    const std::size_t numbers = catenary::RealTimeEngine<>(line(), passage).bytes_per_step() / sizeof(double);
    Eigen::ArrayXd data = Eigen::ArrayXd::Constant(static_cast<Eigen::Index>(numbers), 1.0);
    std::vector<double> times;
    for (auto _ : state)
        for (int k = 0; k < steps; ++k) {
            const auto began = clock_type::now();
            benchmark::DoNotOptimize(data.sum());
            benchmark::ClobberMemory();
            times.push_back(microseconds_since(began));
        }
    report(state, times, steps);
    state.counters["kB_per_step"] = static_cast<double>(numbers * sizeof(double)) / 1e3;
}
BENCHMARK(streaming_the_same_bytes)->Unit(benchmark::kMillisecond)->Iterations(10);

void reference_engine(benchmark::State& state) {
    catenary::ReferenceEngine<> engine(line(), passage);
    std::vector<double> times;
    for (auto _ : state)
        for (int k = 1; k <= steps / 4; ++k) {
            const auto began = clock_type::now();
            benchmark::DoNotOptimize(engine.step(force_at(k)));
            times.push_back(microseconds_since(began));
        }
    report(state, times, steps / 4);
}
BENCHMARK(reference_engine)->Unit(benchmark::kMillisecond)->Iterations(3);

/// The linear step alone, without slackening, by SimplicialLDLT and sparse products.
void eigen_sparse_linear_step(benchmark::State& state) {
    const auto sparse = [](const linalg::SymmetricBand<>& band) {
        std::vector<Eigen::Triplet<double>> entries;
        for (int i = 0; i < band.size(); ++i)
            for (int k = 0; k <= std::min(i, band.half_bandwidth()); ++k) {
                if (!(std::abs(band.below(i, k)) > 0.0)) continue;
                entries.emplace_back(i, i - k, band.below(i, k));
                if (k > 0) entries.emplace_back(i - k, i, band.below(i, k));
            }
        Eigen::SparseMatrix<double> full(band.size(), band.size());
        full.setFromTriplets(entries.begin(), entries.end());
        return full;
    };
    const Eigen::SparseMatrix<double> M = sparse(line().mass()), K = sparse(line().stiffness());
    const Eigen::SparseMatrix<double> C = sparse(line().damping());
    const Eigen::SparseMatrix<double> S = 4.0 / (dt * dt) * M + 2.0 / dt * C + K;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(S);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(line().size()), v = u, load = u, d = u;
    std::vector<double> times;
    for (auto _ : state)
        for (int k = 1; k <= steps; ++k) {
            const auto began = clock_type::now();
            load.noalias() = 4.0 / dt * (M * v);
            load.noalias() -= 2.0 * (K * u);
            const catenary::WirePoint p = line().point(passage_position(passage, k));
            for (std::size_t i = 0; i < 4; ++i)
                if (p.row[i] >= 0) load[p.row[i]] += 2.0 * force_at(k) * p.value[i];
            d = solver.solve(load);
            v = 2.0 / dt * d - v;
            u += d;
            times.push_back(microseconds_since(began));
        }
    benchmark::DoNotOptimize(u.data());
    report(state, times, steps);
}
BENCHMARK(eigen_sparse_linear_step)->Unit(benchmark::kMillisecond)->Iterations(5);

void set_up_of_20_spans(benchmark::State& state) {
    for (auto _ : state) {
        catenary::FiniteElements<> model(catenary::stitched_hil());
        const catenary::RealTimeEngine<> engine(std::move(model), passage);
        benchmark::DoNotOptimize(&engine);
    }
    state.SetLabel(PANTO_BENCH_FLAGS);
}
BENCHMARK(set_up_of_20_spans)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) { return panto::bench::run(argc, argv); }
