// SPDX-License-Identifier: BSD-3-Clause
/// One step of the explicit march of a beam, and beside it, in the same run, a plain loop of the same stencil and a
/// loop that does nothing but move the same bytes: what the memory allows.

#include <panto/wave/beam.hpp>
#include <panto/wave/march.hpp>
#include <panto/wave/supports.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace panto;
using clock_type = std::chrono::steady_clock;

const wave::BeamParams<> wire{.mass_per_length = 1.0, .bending_stiffness = 150.0, .tension = 15e3};

auto stencil() { return wave::beam_stencil(wire, 0.05, 9e-5); }

Eigen::VectorXd bump(int points) {
    Eigen::VectorXd u(points);
    for (int k = 0; k < points; ++k) u[k] = std::exp(-0.01 * (k - points / 2) * (k - points / 2));
    return u;
}

/// In the same memory as the march's lines: how three arrays lie to each other within a page is worth 10 % here.
class PlainLoop {
  public:
    explicit PlainLoop(int points) : now_(bump(points)), before_(now_), next_(now_) {
        const auto s = stencil();
        for (int j = 0; j < 5; ++j) a_[j] = s.at(s.now, j - 2) / s.at(s.next, 0);
        b_ = s.at(s.before, 0) / s.at(s.next, 0);
    }
    void step() noexcept {
        const double *u = now_.data(), *old = before_.data();
        double* out = next_.data();
        const Eigen::Index n = now_.size();
        const double a0 = a_[0], a1 = a_[1], a2 = a_[2], a3 = a_[3], a4 = a_[4], b = b_;
        for (Eigen::Index k = 2; k < n - 2; ++k)
            out[k] = a0 * u[k - 2] + a1 * u[k - 1] + a2 * u[k] + a3 * u[k + 1] + a4 * u[k + 2] + b * old[k];
        out[0] = out[1] = out[n - 1] = out[n - 2] = 0.0;
        before_.swap(now_);
        now_.swap(next_);
    }
    double probe() const { return now_[now_.size() / 2]; }

  private:
    Eigen::VectorXd now_, before_, next_;
    double a_[5] = {}, b_ = 0.0;
};

auto march(int points) {
    const auto s = stencil();
    const auto end = wave::clamped_first_order(s);
    wave::March m(s, points, end, end);
    m.start(bump(points), bump(points));
    return m;
}

/// Reads two arrays, writes a third: the bytes of a step and one addition.
struct Stream {
    Eigen::ArrayXd now, before, next;
    explicit Stream(int points) : now(bump(points)), before(bump(points)), next(Eigen::ArrayXd::Zero(points)) {}
    void step() noexcept {
        next = now - before;
        before.swap(now);
        now.swap(next);
    }
    double probe() const { return now[now.size() / 2]; }
};

void label(benchmark::State& state) { state.SetLabel("double, " PANTO_BENCH_FLAGS); }

void plain_loop(benchmark::State& state) {
    PlainLoop loop(static_cast<int>(state.range(0)));
    for (auto _ : state) loop.step();
    benchmark::DoNotOptimize(loop.probe());
    label(state);
}

void march_clamped(benchmark::State& state) {
    auto m = march(static_cast<int>(state.range(0)));
    for (auto _ : state) m.step();
    benchmark::DoNotOptimize(m.level()[0]);
    label(state);
}

void stream(benchmark::State& state) {
    Stream s(static_cast<int>(state.range(0)));
    for (auto _ : state) s.step();
    benchmark::DoNotOptimize(s.probe());
    state.SetBytesProcessed(state.iterations() * state.range(0) * 3 * static_cast<int64_t>(sizeof(double)));
    label(state);
}

void march_implicit(benchmark::State& state) {
    auto p = wire;
    p.material_damping = 0.02;
    const auto s = wave::beam_stencil(p, 0.05, 9e-5);
    const auto end = wave::clamped_first_order(s);
    const int points = static_cast<int>(state.range(0));
    wave::March m(s, points, end, end);
    m.start(bump(points), bump(points));
    for (auto _ : state) m.step();
    benchmark::DoNotOptimize(m.level()[0]);
    label(state);
}

/// All three by turns in short bursts, so that a busy machine slows them alike, and in memory taken anew each time at
/// another place: the medians of their times, and the ratios the claim is about.
void march_over_plain_loop(benchmark::State& state) {
    const int points = static_cast<int>(state.range(0)), burst = std::max(10, 2'000'000 / points);
    const auto nanoseconds = [burst](auto&& thing) {
        thing.step();
        const auto began = clock_type::now();
        for (int i = 0; i < burst; ++i) thing.step();
        return std::chrono::duration<double, std::nano>(clock_type::now() - began).count() / burst;
    };
    std::vector<double> marches, loops, streams, ratios;
    std::vector<std::vector<char>> elsewhere;
    for (auto _ : state)
        for (std::size_t repetition = 0; repetition < 40; ++repetition) {
            elsewhere.emplace_back(24 + 304 * repetition);
            const auto time_march = [&] { marches.push_back(nanoseconds(march(points))); };
            const auto time_loop = [&] { loops.push_back(nanoseconds(PlainLoop(points))); };
            if (repetition % 2 == 0) time_march();
            time_loop();
            if (repetition % 2 != 0) time_march();
            streams.push_back(nanoseconds(Stream(points)));
            ratios.push_back(marches.back() / loops.back());
        }
    const auto median = [](std::vector<double> v) {
        std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
        return v[v.size() / 2];
    };
    state.counters["march_ns"] = median(marches);
    state.counters["plain_ns"] = median(loops);
    state.counters["bandwidth_ns"] = median(streams);
    state.counters["march/plain"] = median(ratios);
    state.counters["march/bandwidth"] = median(marches) / median(streams);
    label(state);
}

BENCHMARK(march_over_plain_loop)->Arg(200)->Arg(2000)->Arg(20000)->Arg(500000)->Iterations(1);
BENCHMARK(plain_loop)->Arg(2000);
BENCHMARK(march_clamped)->Arg(2000);
BENCHMARK(stream)->Arg(2000);
BENCHMARK(march_implicit)->Arg(2000);

}  // namespace

BENCHMARK_MAIN();
