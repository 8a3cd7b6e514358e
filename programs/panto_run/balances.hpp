// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What rig and line have received of each other: balances of energy and momentum, with the correction of the force.

#pragma once

#include <panto/control/force_correction.hpp>
#include <panto/session/run_record.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace panto_run {

/// As a controller with a correction of the force knows them, one record a cycle.
class Balances {
  public:
    void add(const panto::control::CorrectionRecord& b) {
        energy_ = std::max(energy_, std::fabs(b.total.energy));
        momentum_ = std::max(momentum_, std::fabs(b.total.momentum));
        squares_ += b.force * b.force;
        largest_ = std::max(largest_, std::fabs(b.force));
        active_ += b.limited;
        kept_ += b.kept;
        ++cycles_;
        last_ = b;
        draw(b);
    }
    /// The start of a record whose first sample belongs to no cycle.
    void begin() { draw({}); }

    /// Its results and two charts along the track.
    void put_into(panto::io::RunRecord& run) {
        const double n = static_cast<double>(std::max<std::int64_t>(1, cycles_));
        const auto row = [&](const char* name, double value, const char* unit, const char* note = "") {
            run.results.push_back({name, cycles_ > 0 ? std::optional(value) : std::nullopt, unit, {}, {}, note});
        };
        const char* rest = "the other cycles add the rest of the error at the end";
        row("energy error, largest", energy_, "J");
        row("energy error, at the end", last_.total.energy, "J");
        row("energy error, sum over the cycles that kept the energy bound", last_.bounded.energy, "J", rest);
        row("momentum error, largest", momentum_, "N s");
        row("momentum error, at the end", last_.total.momentum, "N s");
        row("momentum error, sum over the cycles that kept the energy bound", last_.bounded.momentum, "N s", rest);
        row("correction of the force, rms", std::sqrt(squares_ / n), "N");
        row("correction of the force, largest", largest_, "N");
        row("cycles in which a limit of the correction acts", 100.0 * static_cast<double>(active_) / n, "%");
        row("cycles that kept the energy bound", 100.0 * static_cast<double>(kept_) / n, "%");
        for (auto* chart : {&correction_, &leaked_}) {
            for (auto& series : chart->series) series.values.resize(run.time.size());
            run.own_charts.push_back(std::move(*chart));
        }
    }

  private:
    void draw(const panto::control::CorrectionRecord& b) {
        correction_.series[0].values.push_back(b.force);
        correction_.series[1].values.push_back(b.allowed.lower);
        correction_.series[2].values.push_back(b.allowed.upper);
        leaked_.series[0].values.push_back(b.leaked);
    }

    double energy_ = 0.0, momentum_ = 0.0, squares_ = 0.0, largest_ = 0.0;  // |DE|, |Dp|, F_cor^2, |F_cor|
    std::int64_t cycles_ = 0, active_ = 0, kept_ = 0;
    panto::control::CorrectionRecord last_{};
    panto::io::OwnChart correction_{
        .name = "correction",
        .title = "Correction of the force on the line",
        .caption = "F_cor, and the interval that its limits leave in each cycle: change, size, energy.",
        .y_label = "F_cor (N)",
        .series = {{"correction_N", "F_cor"}, {"correction_lowest_N", "lowest"}, {"correction_highest_N", "highest"}}};
    panto::io::OwnChart leaked_{
        .name = "energy",
        .title = "Error of energy",
        .caption = "Energy that the rig has received and the line has not, by their displacements.",
        .y_label = "energy (J)",
        .series = {{"energy_error_J", "energy error"}}};
};

/// As they are in truth on the simulated rig of a controller that estimates the contact force: the rig in one cycle
/// belongs to the line in the next, which runs ahead.
class TrueBalances {
  public:
    /// @param force, height        N and m, at the pad now
    /// @param on_line, wire        N and m, of the line in this cycle
    void add(double force, double height, double on_line, double wire) noexcept {
        if (cycles_ >= 2) {
            energy_ += 0.5 * (now_.force + before_.force) * (now_.height - before_.height) -
                       0.5 * (on_line + on_line_) * (wire - wire_);
            momentum_ += now_.force - on_line;
            most_energy_ = std::max(most_energy_, std::fabs(energy_));
            most_momentum_ = std::max(most_momentum_, std::fabs(momentum_));
        }
        before_ = std::exchange(now_, {force, height});
        on_line_ = on_line, wire_ = wire;
        ++cycles_;
    }
    void put_into(panto::io::RunRecord& run, double dt) const {
        const auto row = [&](const char* name, double value, const char* unit) {
            run.results.push_back(
                {name, cycles_ > 2 ? std::optional(value) : std::nullopt, unit, {}, {}, "true force and motion"});
        };
        row("energy error in truth, largest", most_energy_, "J");
        row("momentum error in truth, largest", dt * most_momentum_, "N s");
    }

  private:
    struct AtPad {
        double force = 0.0, height = 0.0;  // N, m
    };
    AtPad now_{}, before_{};
    double on_line_ = 0.0, wire_ = 0.0;            // N, m, one cycle ago
    double energy_ = 0.0, most_energy_ = 0.0;      // J
    double momentum_ = 0.0, most_momentum_ = 0.0;  // N
    std::int64_t cycles_ = 0;
};

}  // namespace panto_run
