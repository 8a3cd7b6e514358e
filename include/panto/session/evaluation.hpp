// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Fills the run record, from which the report is made, from a record of the contact force: figures of merit, criteria,
/// spectrum, step times.

#pragma once

#include <panto/interaction/criteria.hpp>
#include <panto/interaction/error_index.hpp>
#include <panto/interaction/filter.hpp>
#include <panto/interaction/record.hpp>
#include <panto/interaction/spectrum.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/rig/histogram.hpp>
#include <panto/session/run_record.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace panto::io {

/// Copies time, position, forces and wire height into the run. The record need not be finite.
inline void add_series(RunRecord& run, const interaction::ForceRecord& record,
                       const interaction::EvaluationParams& evaluation) {
    run.time = record.time;
    run.position = record.position;
    run.force_raw = record.force;
    run.wire_height = record.height;
    run.window = {evaluation.from, evaluation.to};
    run.filter = std::string(name(evaluation.filter)) + ", " + shown(evaluation.cut_off) + " Hz";
    run.supports.clear();
    for (const auto& s : record.supports) {
        const auto highest = std::max_element(s.uplift.begin(), s.uplift.end());
        run.supports.push_back(
            {s.position, highest == s.uplift.end() ? std::nullopt : std::optional<double>(*highest)});
    }
}

/// The same, and the forces of the droppers.
template <class = void>
void add_series(RunRecord& run, const interaction::SimulationRecord& record,
                const interaction::EvaluationParams& evaluation) {
    add_series(run, record.contact, evaluation);
    run.droppers.clear();
    for (const interaction::DropperRecord& d : record.droppers)
        run.droppers.push_back({.position = d.position,
                                .static_force = d.static_force,
                                .minimum = d.smallest,
                                .slack_count = d.slack_count,
                                .slack_time = d.slack_time});
}

/// Adds the criteria to the table of results, and the limits of the statistical extremes to the plot.
inline void add_criteria(RunRecord& run, const std::vector<interaction::Criterion>& criteria,
                         const std::string& prefix = {}) {
    for (const interaction::Criterion& c : criteria) {
        std::string label = prefix + c.name;
        std::replace(label.begin(), label.end(), '_', ' ');
        run.results.push_back(
            {label, c.value, c.unit, c.limit_low, c.limit_high,
             c.limit_low || c.limit_high ? c.confidence + (c.note.empty() ? "" : "; " + c.note) : c.note, c.met,
             c.low_excluded, c.tolerance});
        if (c.name == "statistical_max" && c.limit_high)
            run.force_limits.push_back({prefix + "statistical max", *c.limit_high});
        if (c.name == "statistical_min" && c.limit_low)
            run.force_limits.push_back({prefix + "statistical min", *c.limit_low});
    }
}

/// Warns of a window that is too short to judge the run. The contact force repeats itself from span to span, so a part
/// of a span says little of the whole. The slowest changes that the table of results names are those up to 2 Hz, and a
/// window shorter than their period, 0.5 s, does not show them. This second limit alone applies if the record has fewer
/// than two supports.
inline void warn_of_short_window(RunRecord& run, const interaction::ForceRecord& record,
                                 const interaction::EvaluationParams& evaluation, double duration) {
    constexpr double shortest = 0.5;  // s
    double span = 0.0;
    for (std::size_t i = 1; i < record.supports.size(); ++i)
        span = std::max(span, std::abs(record.supports[i].position - record.supports[i - 1].position));
    const double length = evaluation.to - evaluation.from;
    const bool of_a_span = length < span * (1.0 - 1e-9);
    if (!of_a_span && duration >= shortest * (1.0 - 1e-9)) return;
    run.warnings.push_back("only " + shown(length, 4) + " m of the line, " + shown(duration, 3) +
                           " s, are evaluated, " +
                           (of_a_span ? "less than a span of " + shown(span) + " m" : "less than 0.5 s") +
                           ": too little to judge the run, whatever the verdicts; use a longer window");
}

/// Evaluates the record and fills in figures, table of results, filtered force and spectrum. If the window is too short
/// for a verdict, a warning says so.
/// @throws SetupError as interaction::figures_of_merit does: a record that ended early cannot be evaluated.
template <class = void>
interaction::FiguresOfMerit evaluate(RunRecord& run, const interaction::ForceRecord& record,
                                     const interaction::EvaluationParams& evaluation,
                                     const interaction::CriteriaParams& criteria = {}) {
    const interaction::FiguresOfMerit f = interaction::figures_of_merit(record, evaluation);
    run.force_filtered = interaction::filtered(evaluation.filter, record.force, f.time_step, evaluation.cut_off);
    std::vector<double> raw;
    for (std::size_t i = 0; i < record.position.size(); ++i)
        if (record.position[i] >= evaluation.from && record.position[i] < evaluation.to) raw.push_back(record.force[i]);
    interaction::Spectrum spectrum = interaction::amplitude_spectrum(raw, f.time_step);
    run.spectrum_frequency = std::move(spectrum.frequency);
    run.spectrum_amplitude = std::move(spectrum.amplitude);

    warn_of_short_window(run, record, evaluation, static_cast<double>(f.samples) * f.time_step);
    run.figures.mean = f.mean;
    run.figures.sigma_0_20 = f.sigma;
    run.figures.statistical_max = f.statistical_max;
    run.figures.statistical_min = f.statistical_min;
    run.figures.actual_max = f.actual_max;
    run.figures.actual_min = f.actual_min;
    run.figures.uplift_max = f.uplift_max;
    run.figures.contact_loss = 0.01 * f.loss_percent;

    add_criteria(run, interaction::quality_criteria(f, run.speed, criteria));
    const auto add = [&](const char* label, std::optional<double> value, const char* unit, const char* note = "") {
        run.results.push_back({label, value, unit, {}, {}, note});
    };
    add("sigma 0-2 Hz", f.sigma_0_2, "N");
    add("sigma 0-5 Hz", f.sigma_0_5, "N");
    add("sigma 5-20 Hz", f.sigma_5_20, "N");
    add("actual max", f.actual_max, "N", "of the filtered force");
    add("actual min", f.actual_min, "N", "of the filtered force");
    add("uplift at supports, largest", f.uplift_max ? std::optional<double>(1e3 * *f.uplift_max) : std::nullopt, "mm");
    add("loss of contact", f.loss_percent, "%");
    double longest = 0.0;
    for (const auto& loss : f.losses) longest = std::max(longest, loss.duration);
    add("longest loss of contact", 1e3 * longest, "ms");
    add("range of the contact point", 1e3 * f.height_range, "mm");
    return f;
}

/// Compares the run's forces inside the window with those of a reference run, sample by sample at equal positions.
/// @throws SetupError if the two runs do not have the same positions inside the window.
template <class = void>
void compare_with(RunRecord& run, const interaction::ForceRecord& reference,
                  const interaction::EvaluationParams& evaluation) {
    constexpr const char* where = "io::compare_with";
    require(reference.time.size() > 1 && run.time.size() > 1, where, "one of the runs has fewer than 2 samples");
    const double dt = reference.time[1] - reference.time[0];
    const std::vector<double> filtered =
        interaction::filtered(evaluation.filter, reference.force, dt, evaluation.cut_off);
    std::vector<double> raw_ours, raw_theirs, filtered_ours, filtered_theirs;
    const std::size_t n = std::min(run.time.size(), reference.time.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (!(run.position[i] >= evaluation.from && run.position[i] < evaluation.to)) continue;
        require(std::abs(run.position[i] - reference.position[i]) < 1e-6, where, "sample ", i, " lies at ",
                run.position[i], " m in one run and at ", reference.position[i], " m in the other");
        raw_ours.push_back(run.force_raw[i]);
        raw_theirs.push_back(reference.force[i]);
        filtered_ours.push_back(run.force_filtered[i]);
        filtered_theirs.push_back(filtered[i]);
    }
    run.figures.error_filtered = 0.01 * interaction::error_index(filtered_ours, filtered_theirs);
    run.figures.error_raw = 0.01 * interaction::error_index(raw_ours, raw_theirs);
    run.results.push_back({"error index, filtered force",
                           1e2 * *run.figures.error_filtered,
                           "%",
                           {},
                           {},
                           "against the simulation with implicit coupling"});
    run.results.push_back({"error index, raw force",
                           1e2 * *run.figures.error_raw,
                           "%",
                           {},
                           {},
                           "against the simulation with implicit coupling"});
}

/// Root mean square and largest distance of the drive from its reference inside the window.
template <class = void>
void add_position_error(RunRecord& run, const interaction::EvaluationParams& evaluation) {
    double squares = 0.0;
    double largest = 0.0;
    std::size_t n = 0;
    for (std::size_t i = 0; i < run.achieved_position.size(); ++i) {
        if (!(run.position[i] >= evaluation.from && run.position[i] < evaluation.to)) continue;
        const double e = run.achieved_position[i] - run.reference_position[i];
        squares += e * e;
        largest = std::max(largest, std::abs(e));
        ++n;
    }
    if (n == 0) return;
    run.figures.position_error_rms = std::sqrt(squares / static_cast<double>(n));
    run.figures.position_error_max = largest;
    run.results.push_back({"position error, rms", 1e3 * *run.figures.position_error_rms, "mm", {}, {}, ""});
    run.results.push_back({"position error, largest", 1e3 * largest, "mm", {}, {}, ""});
}

/// Checks before a run that a record of a given number of samples can be evaluated.
/// @param position  m, of the first sample
/// @param speed     m/s
/// @param dt        s
/// @throws SetupError as interaction::figures_of_merit does for a valid record of that length.
template <class = void>
void require_evaluable(double position, double speed, double dt, std::size_t samples,
                       const interaction::EvaluationParams& evaluation) {
    interaction::ForceRecord record;
    for (std::size_t k = 0; k < samples; ++k) {
        record.time.push_back(dt * static_cast<double>(k));
        record.position.push_back(position + speed * record.time.back());
    }
    record.force = record.height = std::vector<double>(samples, 1.0);
    (void)interaction::figures_of_merit(record, evaluation);
}

/// As evaluate(), but if the record cannot be evaluated, nothing is thrown: the reason becomes the fault of the run,
/// and its series can still be written.
template <class = void>
std::optional<interaction::FiguresOfMerit> evaluate_or_say_why(RunRecord& run, const interaction::ForceRecord& record,
                                                               const interaction::EvaluationParams& evaluation) {
    try {
        return evaluate(run, record, evaluation);
    } catch (const SetupError& e) {
        run.fault = "not evaluated: " + std::string(e.what());
        return std::nullopt;
    }
}

/// As compare_with(), but if the two cannot be compared, the error indices are empty and the results give the reason.
template <class = void>
void compare_or_say_why(RunRecord& run, const interaction::ForceRecord& reference,
                        const interaction::EvaluationParams& evaluation) {
    try {
        compare_with(run, reference, evaluation);
    } catch (const SetupError& e) {
        run.figures.error_filtered = run.figures.error_raw = std::nullopt;
        run.results.push_back({"error index", {}, "%", {}, {}, "not compared: " + std::string(e.what())});
    }
}

/// Step times from the histogram of a loop; four of its bins are joined to one.
template <class = void>
[[nodiscard]] StepTimes step_times_of(const rig::Histogram& histogram, std::optional<double> period = {}) {
    StepTimes times{.period = period};
    if (histogram.count() == 0) return times;
    const auto seconds = [](auto nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); };
    times.median = seconds(histogram.median().count());
    times.p999 = seconds(histogram.quantile(0.999).count());
    times.longest = seconds(histogram.longest().count());
    constexpr std::size_t joined = 4;
    for (std::size_t i = 0; i < rig::Histogram::bins; i += joined) {
        std::int64_t count = 0;
        for (std::size_t j = i; j < i + joined; ++j) count += histogram[j];
        if (count > 0)
            times.bins.push_back(
                {seconds(rig::Histogram::lower_edge(i)), seconds(rig::Histogram::lower_edge(i + joined)), count});
    }
    return times;
}

#ifdef PANTO_COMPILED
extern template void add_series(RunRecord&, const interaction::SimulationRecord&, const interaction::EvaluationParams&);
extern template void add_position_error(RunRecord&, const interaction::EvaluationParams&);
extern template void require_evaluable(double, double, double, std::size_t, const interaction::EvaluationParams&);
extern template std::optional<interaction::FiguresOfMerit> evaluate_or_say_why(RunRecord&,
                                                                               const interaction::ForceRecord&,
                                                                               const interaction::EvaluationParams&);
extern template void compare_or_say_why(RunRecord&, const interaction::ForceRecord&,
                                        const interaction::EvaluationParams&);
extern template StepTimes step_times_of(const rig::Histogram&, std::optional<double>);
#endif

}  // namespace panto::io
