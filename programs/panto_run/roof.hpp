// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The vehicle below the pantograph: how its roof moves, and what that does to the contact force.

#pragma once

#include <panto/session/evaluation.hpp>
#include <panto/session/run_record.hpp>
#include <panto/session/simulate.hpp>

#include "job.hpp"

#include <optional>
#include <utility>

namespace panto_run {

/// Takes the vehicle of --vehicle over its track and puts the motion of its roof into the plan of the job.
/// @throws SetupError by the option that is wrong.
void add_roof(const Options& options, Job& job);

/// Puts beside the results what the motion of the roof adds to sigma: the same passage is simulated without it and,
/// unless `moving` is known, N, with it.
template <class Engine>
void add_share_of_roof(panto::io::RunRecord& run, Engine& engine, const Job& job, std::optional<double> moving = {}) {
    using namespace panto;
    if (!job.plan.roof || !run.fault.empty()) return;
    io::RunPlan plan = job.plan;
    std::string trouble;
    const auto sigma = [&]() -> std::optional<double> {
        engine.reset();
        io::RunRecord other;
        const auto seen = io::simulate(other, engine, plan, {}, [](const interaction::SimulationStep&) {});
        if (other.fault.empty())
            if (const auto f = io::evaluate_or_say_why(other, seen.contact, plan.evaluation)) return f->sigma;
        trouble = "the simulation ended: " + other.fault;
        return std::nullopt;
    };
    if (!moving) moving = sigma();
    plan.roof = {};
    const std::optional<double> still = moving ? sigma() : std::nullopt;
    const auto row = [&](const char* name, std::optional<double> value, const char* note) {
        run.results.push_back({name, value, "N", {}, {}, trouble.empty() ? note : trouble});
    };
    row("sigma 0-20 Hz on a roof at rest", still, "simulated");
    row("what the motion of the roof adds to sigma", still ? std::optional(*moving - *still) : std::nullopt,
        "between two simulations");
}

}  // namespace panto_run
