// SPDX-License-Identifier: BSD-3-Clause
/// A transform of a power of two, of small factors and of primes against FFTW's of the same length, planned once with
/// FFTW_ESTIMATE, in turn, so that both meet the same machine. Without FFTW only ours is measured.

#include <panto/linalg/fft.hpp>

#include "../seconds.hpp"

#include <benchmark/benchmark.h>

#ifdef PANTO_BENCH_FFTW
#include <fftw3.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace {

void transform(benchmark::State& state) {
    const auto n = static_cast<std::size_t>(state.range(0));
    panto::linalg::Complexes x(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = {std::sin(0.1 * static_cast<double>(k * k % 1000)), 0.3};
    double ours = 1e9;
    [[maybe_unused]] double reference = 1e9;
#ifdef PANTO_BENCH_FFTW
    auto in = x, out = x;
    const auto plan = fftw_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftw_complex*>(in.data()),
                                       reinterpret_cast<fftw_complex*>(out.data()), FFTW_FORWARD, FFTW_ESTIMATE);
#endif
    for (auto _ : state) {
        const double time = seconds([&] { benchmark::DoNotOptimize(panto::linalg::fft(x, -1.0)); });
        state.SetIterationTime(time);
        ours = std::min(ours, time);
#ifdef PANTO_BENCH_FFTW
        reference = std::min(reference, seconds([&] { fftw_execute(plan); }));
#endif
    }
#ifdef PANTO_BENCH_FFTW
    fftw_destroy_plan(plan);
    state.counters["of FFTW"] = ours / reference;
#endif
    state.SetLabel(PANTO_BENCH_FLAGS);
}

}  // namespace

BENCHMARK(transform)
    ->Arg(1000)
    ->Arg(1009)
    ->Arg(1024)
    ->Arg(10000)
    ->Arg(10007)
    ->Arg(20000)
    ->Arg(65536)
    ->Arg(65537)
    ->Arg(99991)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
