// SPDX-License-Identifier: BSD-3-Clause
/// Factors of a band matrix of 2000 rows against LAPACK's dgbtrf, copies included on both sides. Without LAPACK only
/// ours is measured.

#include <panto/linalg/band_lu.hpp>

#include "../seconds.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#ifdef PANTO_BENCH_LAPACK
extern "C" void dgbtrf_(const int*, const int*, const int*, const int*, double*, const int*, int*, int*);
#endif

namespace {

constexpr int n = 2000;

void factor(benchmark::State& state) {
    const int b = static_cast<int>(state.range(0)), rows = 3 * b + 1;
    panto::linalg::BandLu<double> matrix(n, b);
    std::vector<double> columns(static_cast<std::size_t>(rows) * n);
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - b); j <= std::min(n - 1, i + b); ++j) {
            const double entry = i == j ? 4.0 * b : 1.0 / (1.0 + std::abs(i - j) + 0.01 * i);
            matrix.add(i, j, entry);
            columns[static_cast<std::size_t>(2 * b + i - j) + static_cast<std::size_t>(rows * j)] = entry;
        }
    double ours = 1e9;
    [[maybe_unused]] double reference = 1e9;
    [[maybe_unused]] std::vector<int> pivots(n);
    for (auto _ : state) {
        const double time = seconds([&] {
            auto copy = matrix;
            copy.factor();
            benchmark::DoNotOptimize(copy);
        });
        state.SetIterationTime(time);
        ours = std::min(ours, time);
#ifdef PANTO_BENCH_LAPACK
        reference = std::min(reference, seconds([&] {
                                 auto copy = columns;
                                 int info = 0;
                                 dgbtrf_(&n, &n, &b, &b, copy.data(), &rows, pivots.data(), &info);
                                 benchmark::DoNotOptimize(copy);
                             }));
#endif
    }
#ifdef PANTO_BENCH_LAPACK
    state.counters["of LAPACK"] = ours / reference;
#endif
    state.SetLabel(PANTO_BENCH_FLAGS);
}

}  // namespace

BENCHMARK(factor)->Arg(2)->Arg(4)->Arg(8)->UseManualTime()->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
