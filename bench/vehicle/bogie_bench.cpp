// SPDX-License-Identifier: BSD-3-Clause
/// One step of the bogie: double, with six derivatives, and with FASTSIM. 1 ms of travel; divide 1 ms by the time of a
/// step for how many times faster than real time it is.

#include <panto/core/dual.hpp>
#include <panto/vehicle/bogie.hpp>

#include <benchmark/benchmark.h>

namespace {

using namespace panto;

template <class Scalar, class Law>
void step(benchmark::State& state) {
    const vehicle::Bogie<Scalar, vehicle::SmoothDefect<>, Law> bogie({}, {}, Scalar(40.0), {.lateral = 5e-3});
    typename decltype(bogie)::State x = decltype(bogie)::State::Zero(), next;
    int n = 0;
    for (auto _ : state) {
        bogie.step(Scalar(1e-3 * n), Scalar(1e-3), x, next);
        x = next;
        n = n < 2000 ? n + 1 : 0;
        benchmark::DoNotOptimize(x);
    }
}

BENCHMARK(step<double, vehicle::VermeulenJohnson>);
BENCHMARK(step<Dual<6>, vehicle::VermeulenJohnson>);
BENCHMARK(step<double, vehicle::Fastsim>);

}  // namespace

BENCHMARK_MAIN();
