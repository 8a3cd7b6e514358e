// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What panto_run decides before a run, and what it does with the files of one.

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/catenary/passage.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/rig/simulated_params.hpp>
#include <panto/session/run_plan.hpp>
#include <panto/session/run_record.hpp>

#include "options.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace panto_run {

/// ms, the longest time steps with which the controllers have run on all three lines at 100 and 250 km/h
/// (docs/control.md).
inline constexpr double longest_predictive_step = 3.0, longest_lqg_step = 2.5, longest_mpc_step = 3.0;
/// ms, with shorter ones the seven steps from which control::wire_response learns are over before the wire settles.
inline constexpr double shortest_predictive_step = 0.3;

/// N/m, between which commissioning passes with every pantograph (docs/rig.md).
inline constexpr double softest_pad = 5e3, stiffest_pad = 300e3;

/// Everything that is decided before the run.
struct Job {
    panto::catenary::Section<> section{};
    panto::pantograph::Preset pantograph{};
    panto::catenary::PassageParams passage{};
    panto::catenary::MeshSize mesh{};
    std::optional<panto::catenary::FiniteElements<>> model{};
    panto::io::RunPlan plan{};
    std::optional<panto::rig::SimulatedFault> fault{};        ///< of the simulated rig
    std::vector<std::pair<std::string, std::string>> roof{};  ///< what moves the pantograph's base, for the reader

    [[nodiscard]] double duration() const { return (plan.end - passage.start) / passage.speed; }  // s
};

/// @throws SetupError by the option that is wrong.
Job prepared(const Options& options);

/// Names, metadata and fingerprint of the run.
panto::io::RunRecord described(const Options& options, const Job& job);

/// The engine asked for, below the line of the job. Its warnings become those of the run.
template <class Engine>
Engine engine_for(const Job& job, panto::io::RunRecord& run) {
    Engine engine(*job.model, job.passage);
    for (const std::string& warning : engine.warnings()) run.warnings.push_back(warning);
    return engine;
}

/// The same with several pantographs.
panto::io::RunRecord simulated_train(const Options& options, const Job& job, panto::io::RunRecord run);

/// Both models coupled, without a rig.
panto::io::RunRecord simulated(const Options& options, const Job& job, panto::io::RunRecord run,
                               const panto::io::ResultFolder& results);

/// The run to compare with, if there is one. Read it before its files are replaced.
std::optional<panto::io::OtherRun> other_run(const Options& options);

/// Puts the run into the folder and prints it. @return the exit status.
int write(const Options& options, panto::io::ResultFolder& results, panto::io::RunRecord& run,
          std::optional<panto::io::OtherRun> other);

}  // namespace panto_run
