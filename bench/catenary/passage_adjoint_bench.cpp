// SPDX-License-Identifier: BSD-3-Clause
/// Gradient of a passage with slack droppers by the discrete adjoint, with 6 and with 100 parameters, beside one
/// forward march of the same length: at most five marches.

#include "../../tests/cases/catenary_gradient_cases.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace panto;
using namespace panto::catenary;
using namespace panto::test::passage_gradient;

constexpr int steps_of_both_spans = 800;  // 1.6 s

void march(benchmark::State& state) {
    const FiniteElements<> model(section(truth), coarse);
    const PassageStepper stepper(model, passage, force);
    for (auto _ : state) {
        Vec x = stepper.start(), next = x;
        for (int n = 0; n < steps_of_both_spans; ++n) {
            stepper.step(n, x, next);
            x.swap(next);
        }
        benchmark::DoNotOptimize(x.data());
    }
}

template <int K>
void gradient(benchmark::State& state) {
    const FiniteElements<> model(section(truth), coarse);
    const PassageStepper stepper(model, passage, force);
    for (auto _ : state) {
        const FiniteElements<Dual<K>> dual(section(seeded<K>()), coarse);
        const auto g =
            stepper.section_gradient(adjoint(stepper, observed_row(model), steps_of_both_spans).gradient, dual);
        benchmark::DoNotOptimize(g.data());
    }
}

}  // namespace

BENCHMARK(march)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<6>)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<100>)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
