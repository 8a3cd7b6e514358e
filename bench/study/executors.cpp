// SPDX-License-Identifier: BSD-3-Clause
/// Speed of a study over the same study in one thread, for evaluations of 20 ms that compute and for such that only
/// wait (what the executor itself costs, on a machine that is busy as well). Starts itself under mpirun with two
/// processes to measure MPI; `speedup` is for two workers, the limit is 2. Reported, not gated.

#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>
#ifdef PANTO_STUDY_THREADS
#include <panto/study/threads.hpp>
#endif
#ifdef PANTO_STUDY_MPI
#include <panto/study/mpi.hpp>
#endif

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using namespace panto;
using Clock = std::chrono::steady_clock;
using Evaluation = double (*)(std::size_t);

constexpr std::size_t evaluations = 40;
constexpr double duration = 20e-3;  // s, of one

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Logistic maps; the number of iterations is given, not the time, as the work must not depend on who does it.
double map(long iterations, std::size_t i) {
    double x = 0.1 + 0.8 / (1.0 + static_cast<double>(i));
    for (long n = 0; n < iterations; ++n) x = 3.99 * x * (1.0 - x);
    return x;
}

/// That take 20 ms where nobody else uses the core: of five times the shortest.
long calibrated() {
    double best = 1e9;
    for (int n = 0; n < 5; ++n) {
        const auto begin = Clock::now();
        benchmark::DoNotOptimize(map(1000000, 1));
        best = std::min(best, seconds_since(begin));
    }
    return std::lround(1e6 * duration / best);
}

long iterations = 0;  // the same in all processes

double computing(std::size_t i) { return map(iterations, i); }
double waiting(std::size_t i) {
    std::this_thread::sleep_for(std::chrono::duration<double>(duration));
    return static_cast<double>(i);
}

template <StudyExecutor Executor>
double seconds(Executor&& executor, Evaluation f) {
    const auto begin = Clock::now();
    study::run({.name = "bench", .count = evaluations}, executor, f);
    return seconds_since(begin);
}

void report(benchmark::State& state, double one, double two) {
    state.counters["serial_ms"] = 1e3 * one;
    state.counters["two_ms"] = 1e3 * two;
    state.counters["speedup"] = one / two;
}

#ifdef PANTO_STUDY_THREADS
void study_threads(benchmark::State& state, Evaluation f) {
    study::Threads threads(2);
    for (auto _ : state) report(state, seconds(study::Serial(), f), seconds(threads, f));
}
BENCHMARK_CAPTURE(study_threads, computing, computing)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK_CAPTURE(study_threads, waiting, waiting)->Unit(benchmark::kMillisecond)->Iterations(3);
#endif

#ifdef PANTO_STUDY_MPI
/// Both processes run this; process 1 does nothing while process 0 measures one thread.
void mpi_speedup(study::Mpi& mpi, const char* name, Evaluation f) {
    const double one = mpi.keeps_results() ? seconds(study::Serial(), f) : 0.0;
    const double two = seconds(mpi, f);
    if (mpi.keeps_results())
        std::printf("study_mpi/%-10s  serial_ms=%.0f two_ms=%.0f speedup=%.2f\n", name, 1e3 * one, 1e3 * two,
                    one / two);
}
#endif

}  // namespace

int main(int argc, char** argv) {
#ifdef PANTO_STUDY_MPI
    if (study::Mpi::launched()) {
        study::Mpi mpi;
        if (mpi.keeps_results()) iterations = calibrated();
        if (const std::string told = mpi.share([] { return std::to_string(iterations); }); !told.empty())
            iterations = std::stol(told);
        for (int n = 0; n < 3; ++n) {
            mpi_speedup(mpi, "computing", computing);
            mpi_speedup(mpi, "waiting", waiting);
        }
        return 0;
    }
#endif
    iterations = calibrated();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
#ifdef PANTO_STUDY_MPI
    const std::string command =
        "mpirun --oversubscribe --allow-run-as-root -n 2 '" + std::string(argv[0]) + "'";  // Open MPI
    return std::system(command.c_str()) == 0 ? 0 : 1;
#else
    return 0;
#endif
}
