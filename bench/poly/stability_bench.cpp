// SPDX-License-Identifier: BSD-3-Clause
/// Verdict and counts of a polynomial of random coefficients against the eigenvalues of its companion matrix by Eigen.

#include <panto/poly/stability.hpp>

#include "../seconds.hpp"

#include <Eigen/Eigenvalues>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

namespace {

void verdict(benchmark::State& state) {
    const auto n = static_cast<Eigen::Index>(state.range(0));
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    Eigen::VectorXd b(n + 1);
    for (double& coefficient : b) coefficient = normal(random);
    Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
    companion.diagonal(-1).setOnes();
    companion.col(n - 1) = -b.head(n) / b[n];
    double ours = 1e9, reference = 1e9;
    for (auto _ : state) {
        const double time = seconds([&] { benchmark::DoNotOptimize(panto::poly::stability(b)); });
        state.SetIterationTime(time);
        ours = std::min(ours, time);
        reference = std::min(
            reference, seconds([&] {
                benchmark::DoNotOptimize(Eigen::EigenSolver<Eigen::MatrixXd>(companion, false).eigenvalues().sum());
            }));
    }
    state.counters["of companion"] = ours / reference;
    state.SetLabel(PANTO_BENCH_FLAGS);
}

}  // namespace

BENCHMARK(verdict)->Arg(4)->Arg(8)->Arg(16)->Arg(32)->Arg(64)->UseManualTime()->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
