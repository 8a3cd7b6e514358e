// SPDX-License-Identifier: BSD-3-Clause
/// The receding-horizon sequences of tests/golden/qp: every step the best of nine in a row, in the best of three passes
/// over the sequence, cold and warm, in products y = H x (fixed size, in cache, best of 200 blocks) of the same run.
/// Asked for: worst cold step at most 340 / 390 / 155 products, warm median at most 45 / 42 / 15 (osc_N10 / dint_N25 /
/// osc_N50).

#include <panto/opt/quadratic_program.hpp>

#include "../../tests/cases/qp_sequences.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

template <class Call>
double seconds(const Call& call) {
    const auto began = clock_type::now();
    call();
    return std::chrono::duration<double>(clock_type::now() - began).count();
}

template <int N>
double product_time(const Eigen::MatrixXd& H) {
    const Eigen::Matrix<double, N, N> fixed = H;
    Eigen::Matrix<double, N, 1> x = Eigen::Matrix<double, N, 1>::Ones(), y;
    double best = 1e9;
    for (int block = 0; block < 200; ++block)
        best = std::min(best, seconds([&] {
                            for (int i = 0; i < 100; ++i) {
                                y.noalias() = fixed * x;
                                benchmark::DoNotOptimize(y.data());
                                benchmark::ClobberMemory();
                            }
                        }));
    return best / 100.0;
}

template <int N>
void sequence(benchmark::State& state, const std::string& name) {
    const panto::test::QpSequence s(PANTO_TEST_GOLDEN, name);
    using Program = panto::opt::QuadraticProgram<N, N>;
    Program qp(s.H, s.rates);
    const auto steps = static_cast<std::size_t>(s.count());
    std::vector<double> cold(steps, 1e9), warm(steps, 1e9);
    for (auto _ : state)
        for (int pass = 0; pass < 3; ++pass) {  // a disturbance may last for nine in a row
            Program before = qp;
            for (Eigen::Index k = 0; k < s.count(); ++k) {
                const Eigen::Matrix<double, N, 1> g = s.gradient(k);
                const auto any = s.limits(k);
                const typename Program::Limits limits{any.lower, any.upper, any.row_lower, any.row_upper};
                const auto keep = [&](double& best, Program& program) {
                    best = std::min(best, seconds([&] { benchmark::DoNotOptimize(program.solve(g, limits)); }));
                };
                const Program start = before;
                for (int i = 0; i < 9; ++i) {
                    Program from_nothing = before = start;
                    from_nothing.forget();
                    keep(warm[static_cast<std::size_t>(k)], before);
                    keep(cold[static_cast<std::size_t>(k)], from_nothing);
                }
            }
        }
    std::sort(cold.begin(), cold.end()), std::sort(warm.begin(), warm.end());
    const double unit = product_time<N>(s.H);
    state.counters["product_us"] = 1e6 * unit;
    state.counters["cold_worst"] = cold.back() / unit;
    state.counters["cold_median"] = cold[cold.size() / 2] / unit;
    state.counters["warm_worst"] = warm.back() / unit;
    state.counters["warm_median"] = warm[warm.size() / 2] / unit;
    state.SetLabel(PANTO_BENCH_FLAGS);
}

void osc_N10(benchmark::State& state) { sequence<20>(state, "osc_N10"); }
void dint_N25(benchmark::State& state) { sequence<50>(state, "dint_N25"); }
void osc_N50(benchmark::State& state) { sequence<100>(state, "osc_N50"); }
BENCHMARK(osc_N10)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(dint_N25)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(osc_N50)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
