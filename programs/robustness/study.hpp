// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the program robustness computes: linear loops on rigs other than told, and whole runs on the simulated rig.

#pragma once

#include <panto/catenary/finite_element.hpp>
#include <panto/control/margins.hpp>
#include <panto/core/time_step.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/plant/perturbation.hpp>
#include <panto/rig/rehearsal.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/run.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace robustness {

inline constexpr std::array<std::string_view, 4> controllers{"none", "paper_lqg", "lqg", "predictive"};

/// What was asked for on the command line, in the units of the options.
struct Options {
    std::string catenary = "stitched_hil";
    std::string pantograph = "DSA380_HiL";
    double speed_kmh = 300.0;
    std::string controller = "predictive";
    double pad = panto::plant::default_pad_stiffness / 1e3;                 // kN/m, of comparison and perturbations
    std::vector<double> pads{5.0, 20.0, 60.0, 120.0, 240.0, 300.0, 500.0};  // kN/m, of the map
    double filter = 100.0;                                                  // Hz; 0: none
    double command_delay = 1.0, reading_delay = 1.0;                        // periods
    int seeds = 20;
    int runs = 50;
    std::uint64_t seed = 1;
    bool quick = false;
    bool coverage = false;
    int threads = 0;
    std::string journal;
    std::string out = "robustness";
    bool report = true;
};

inline constexpr double dt = panto::default_time_step;  // s

/// One line at one speed below one pantograph.
struct Passage {
    std::string line{}, pantograph{};
    double speed_kmh = 0.0;
    panto::plant::RigParams rig{};  // as told, with the pad of --pad
    panto::rig::RehearsalParams params{};
    std::shared_ptr<const panto::catenary::FiniteElements<>> model{};
};

/// @throws SetupError by the option that is wrong.
Passage passage_of(const Options& options, const std::string& line, const std::string& pantograph, double speed_kmh);

/// Some runs on the simulated rig, one after the other, which differ by their noise.
struct Case {
    std::string group{};  // which table
    std::string label{};
    std::string controller{};
    panto::plant::Perturbation perturbation{};  // of `rig`
    panto::plant::RigParams rig{};              // as told
    int seeds = 1;
    std::uint64_t first_seed = 1;
    std::size_t passage = 0;  // of those of the study
};

/// What came out of a case; NaN where there is nothing, as the index of runs that all ended early.
struct Figures {
    double runs = 0.0, complete = 0.0;
    double index = 0.0, mean_index = 0.0;           // %, worst and mean of the complete runs
    double error = 0.0;                             // m, worst of the complete runs
    double loss = 0.0, largest = 0.0;               // %, N, worst of all
    double ideal_loss = 0.0, ideal_smallest = 0.0;  // %, N, of the passage without a rig
    panto::Status first_fault = panto::Status::ok;  // of the runs that ended early
    double reached = 0.0;                           // m, where that was; 0 in commissioning
    std::string reason{};                           // why nothing at all was found

    [[nodiscard]] bool all_complete() const { return reason.empty() && complete == runs; }
    [[nodiscard]] bool keeps_contact() const { return ideal_smallest > 0.0; }
};

/// Every case, on as many threads as asked for.
std::vector<Figures> conduct(const Options& options, const std::vector<Passage>& passages,
                             const std::vector<Case>& cases);

/// The loop of a controller that is designed for `told`, on any plant.
using Loop = std::function<panto::control::CutLoop(const panto::plant::SampledModel&)>;
Loop loop_of(std::string_view controller, const panto::plant::RigParams& told,
             const panto::control::WireResponse& wire);

/// The response of the line at the beginning of a passage.
panto::control::WireResponse response_of(const Passage& passage);

/// Calls job(i) for i from 0 to n - 1, on as many threads as asked for, with a line about the progress.
void in_parallel(const Options& options, const std::string& name, std::size_t n,
                 const std::function<void(std::size_t)>& job);

}  // namespace robustness
