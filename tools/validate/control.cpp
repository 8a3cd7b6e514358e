// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of the default controller on the simulated rig: as told, not as told, with other pads, without contact. Runs
/// are distributed among the cores. A run that ends early has an infinite figure.

#include <panto/study/threads.hpp>

#include "../../tests/cases/predictive_lqg_cases.hpp"
#include "rooms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace panto::test {
namespace {

using namespace predictive_lqg;

constexpr std::uint64_t seeds = 20;
const std::string prefix = "predictive_lqg.";

/// What one job measures; jobs run at the same time, their figures are in the order of the jobs.
using Job = std::function<std::vector<Measured>()>;

std::vector<Measured> measured(const std::vector<Job>& jobs) {
    std::vector<std::vector<Measured>> of(jobs.size());
    study::Threads{}(static_cast<int>(jobs.size()), [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        of[at] = jobs[at]();
    });
    std::vector<Measured> all;
    for (const auto& figures : of) all.insert(all.end(), figures.begin(), figures.end());
    return all;
}

std::vector<Measured> index_and_peak(const std::string& id, const Case& c) {
    const Outcome r = worst(c, seeds);
    return {{prefix + id + ".index", r.index}, {prefix + id + ".peak_mm", r.peak_mm}};
}

std::string whole(double value) { return std::to_string(static_cast<int>(std::lround(value))); }

std::vector<Measured> as_told() {
    std::vector<Job> jobs;
    for (const double kmh : {250.0, 275.0, 300.0})
        jobs.emplace_back([kmh]() -> std::vector<Measured> {
            Case c{.kmh = kmh, .line = &fine()};
            const Outcome clean = worst(c, seeds);
            c.glitches = true;
            const std::string id = prefix + whole(kmh);
            return {{id + ".index", clean.index},
                    {id + ".peak_mm", clean.peak_mm},
                    {id + ".glitches", worst(c, seeds).index / clean.index}};
        });
    for (const double periods : {0.0, 2.0})
        jobs.emplace_back([periods] {
            Case c{.line = &fine()};
            c.told.command_delay = periods;
            return index_and_peak(periods > 1.0 ? "period_more" : "period_less", c);
        });
    std::vector<Measured> all = measured(jobs);
    Measured index{prefix + "aim.index"}, peak{prefix + "aim.peak_mm"};
    for (const char* kmh : {"250", "275", "300"})
        for (const Measured& m : all) {
            if (m.id == prefix + kmh + ".index") index.value = std::max(index.value, m.value);
            if (m.id == prefix + kmh + ".peak_mm") peak.value = std::max(peak.value, m.value);
        }
    all.insert(all.end(), {index, peak});
    return all;
}

std::vector<Measured> not_as_told() {
    std::vector<Job> jobs;
    for (const Variation& v : variations) jobs.emplace_back([&v] { return index_and_peak(v.id, v.at(300.0)); });
    jobs.emplace_back([] { return index_and_peak("motor_faster.250", faster_motor.at(250.0)); });
    const std::vector<Measured> found = measured(jobs);
    std::vector<Measured> asked;
    double index = 0.0, peak_mm = 0.0;  // of the pads
    for (std::size_t i = 0; i < found.size(); i += 2) {
        asked.push_back(found[i]);
        const Variation* v = i / 2 < std::size(variations) ? &variations[i / 2] : &faster_motor;
        if (!std::isinf(v->peak_mm)) asked.push_back(found[i + 1]);
        if (v->id != std::string(softer_pad.id) && v->id != std::string(stiffer_pad.id)) continue;
        index = std::max(index, found[i].value);
        peak_mm = std::max(peak_mm, found[i + 1].value);
    }
    asked.push_back({prefix + "pad_240.index", index});
    asked.push_back({prefix + "pad_240.peak_mm", peak_mm});
    return asked;
}

std::vector<Measured> random() {
    const std::vector<Case> rigs = random_rigs();
    std::vector<Job> jobs;
    for (const Case& c : rigs)
        jobs.emplace_back(
            [&c]() -> std::vector<Measured> { return {{"", worst(c, 1).report.status == Status::ok ? 0.0 : 1.0}}; });
    double unstable = 0.0;
    for (const Measured& m : measured(jobs)) unstable += m.value;
    return {{prefix + "random.unstable", unstable}};
}

/// The worse of a pad that is softer and one that is stiffer than told. Soft pads are far from the limits.
std::vector<Measured> other_pads() {
    std::vector<Job> jobs;
    for (const double pad : {5e3, 20e3, 60e3, 120e3, 300e3, 500e3})
        jobs.emplace_back([pad]() -> std::vector<Measured> {
            const std::uint64_t n = pad < 200e3 || pad > 400e3 ? seeds / 2 : seeds;
            const Outcome a = worst(softer_pad.at(300.0, with_pad(pad)), n),
                          b = worst(stiffer_pad.at(300.0, with_pad(pad)), n);
            const std::string id = prefix + "pad_" + whole(1e-3 * pad);
            return {{id + ".index", std::max(a.index, b.index)}, {id + ".peak_mm", std::max(a.peak_mm, b.peak_mm)}};
        });
    return measured(jobs);
}

/// The worst of some runs.
struct Lost {
    double stopped = 0.0, late_mm = 0.0, ratio = 0.0, beside_lqg = 0.0;
    /// @param with_lqg  for so many seeds
    void run(const Case& c, std::uint64_t n, std::uint64_t with_lqg = 0) {
        const Ideal ideal = ideal_run(c);
        for (std::uint64_t seed = 1; seed <= n; ++seed) {
            const Outcome r = predictive_lqg::run(c, ideal, seed);
            const bool ran = r.report.status == Status::ok;
            const double lost = ran ? r.open : HUGE_VAL;
            stopped += !ran;
            late_mm = std::max(late_mm, r.late_mm);
            ratio = std::max(ratio, lost / open(ideal.record.force));
            if (seed > with_lqg) continue;
            const double lqg = open_with_lqg(c, ideal, seed);  // where it is stopped, nothing is worse
            if (!std::isinf(lqg)) beside_lqg = std::max(beside_lqg, lost / lqg);
        }
    }
};

std::vector<Measured> losses() {
    std::vector<Job> jobs;
    for (const double pad : {5e3, 20e3, 60e3, 120e3, 240e3, 300e3})
        jobs.emplace_back([pad]() -> std::vector<Measured> {
            Lost lost;
            for (const double seconds : {0.05, 0.1, 0.2}) {
                if (pad < 200e3) lost.run(pulled_off(pad, seconds), 5, 3);
                if (pad > 200e3 && seconds == 0.1) lost.run(pulled_off(pad, seconds), seeds, 3);
            }
            const std::string id = prefix + "pulled_off." + whole(1e-3 * pad);
            return {{id + ".stopped", lost.stopped},
                    {id + ".late_mm", lost.late_mm},
                    {id + ".beside_lqg", lost.beside_lqg}};
        });
    for (const double pad : {5e3, 20e3, 60e3, 120e3, 240e3, 300e3})
        jobs.emplace_back([pad]() -> std::vector<Measured> {
            Lost lost, more;
            lost.run(light(pad, 0.05), 5);
            more.run(light(pad, 0.12), 2);
            const std::string id = prefix + "light." + whole(1e-3 * pad);
            return {{id + ".stopped", lost.stopped}, {id + ".ratio", lost.ratio}, {id + ".ratio_12", more.ratio}};
        });
    return measured(jobs);
}

}  // namespace

Tasks control_tasks() {
    return {{"default controller, rig as told", as_told},
            {"default controller, rig not as told", not_as_told},
            {"default controller, random rigs", random},
            {"default controller, other pads", other_pads},
            {"default controller, loss of contact", losses}};
}

}  // namespace panto::test
