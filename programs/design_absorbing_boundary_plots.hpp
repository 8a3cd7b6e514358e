// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What design_absorbing_boundary draws: snapshots of a bump that leaves, what comes back over frequency, error against
/// stability margin and over time.

#pragma once

#include <panto/absorbing/design.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/page.hpp>
#include <panto/wave/march.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace design_absorbing_boundary {

using namespace panto;
using namespace panto::wave;

[[nodiscard]] inline std::string percent(double part) { return shown(100.0 * part) + " %"; }

struct Snapshot {
    double time = 0.0;
    Eigen::VectorXd bounded, reference;  // of the wire's points
};

/// The released bump between the designed end on the left and a clamped one, and on the wire that goes on.
template <int H>
[[nodiscard]] std::vector<Snapshot> snapshots_of(const Stencil<double, H>& scheme, const AbsorbingStencil& end,
                                                 const ReleasedBump& bump) {
    const AbsorbingStencil clamp(AbsorbingForm{H, 1, H});
    const int points = static_cast<int>(std::lround(bump.length / scheme.dx)) + 1;
    const int ahead = static_cast<int>(bump.elongation) * (points - 1);
    Eigen::VectorXd start = Eigen::VectorXd::Zero(ahead + points);
    for (int k = 0; k < points; ++k) {
        const double s = (k * scheme.dx - bump.center) / bump.width;
        if (std::abs(s) <= 0.5) start[ahead + k] = std::pow(std::cos(std::numbers::pi * s), 2);
    }
    March bounded(scheme, points, end, clamp), whole(scheme, ahead + points, clamp, clamp);
    bounded.start(start.tail(points), start.tail(points));
    whole.start(start, start);
    std::vector<Snapshot> seen;
    std::int64_t n = 0;
    for (const double part : {0.0, 1.0 / 30.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 2.0, 5.0 / 6.0}) {
        for (const auto last = std::llround(part * bump.duration / scheme.dt); n < last; ++n)
            bounded.step(), whole.step();
        seen.push_back({static_cast<double>(n) * scheme.dt, bounded.level(), whole.level().tail(points)});
    }
    return seen;
}

[[nodiscard]] inline io::Chart snapshot_chart(const std::vector<Snapshot>& snapshots, double dx) {
    io::Chart chart{.name = "snapshots",
                    .title = "Snapshots",
                    .caption = "A bump released at rest; absorbing end on the left, clamped end on the right.",
                    .x_label = "position along the wire (m)",
                    .y_label = "displacement, each time shifted by 1/2",
                    .height = 520};
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        const Snapshot& s = snapshots[i];
        const double down = 0.5 * static_cast<double>(i);
        std::vector<double> x, bounded, reference;
        for (Eigen::Index k = 0; k < s.bounded.size(); ++k) {
            x.push_back(static_cast<double>(k) * dx);
            bounded.push_back(s.bounded[k] - down);
            reference.push_back(s.reference[k] - down);
        }
        const std::string at = shown(1e-3 * std::round(1e3 * s.time)) + " s";
        const std::vector<io::Points> both = io::thinned_together(x, {&reference, &bounded}, 1.0, 150);
        chart.curves.push_back({"goes on, " + at, io::Tone::raw, io::Look::line, both[0]});
        chart.curves.push_back({"absorbing, " + at, io::Tone::main, io::Look::thin, both[1]});
    }
    return chart;
}

/// |r| and |e| over frequency, of several ends.
struct Reflection {
    std::string name;
    std::vector<double> wave, layer;
};

template <int H>
[[nodiscard]] io::CsvTable reflections(const Stencil<double, H>& scheme,
                                       const std::vector<std::pair<std::string, AbsorbingStencil>>& ends,
                                       std::vector<Reflection>& curves) {
    constexpr int points = 400;
    io::CsvTable table{{"amplitude 1 runs into the left end; joint reflection with the evanescent mode"},
                       {{"theta_rad", {}}, {"frequency_Hz", {}}}};
    for (const auto& [name, end] : ends) {
        Reflection curve{name, {}, {}};
        for (int i = 1; i < points; ++i) {
            const double s = static_cast<double>(i) / points, theta = std::numbers::pi * s * s;
            if (!oscillates(scheme, theta)) continue;
            const BoundaryModes<H> modes = boundary_modes(scheme, theta);
            if (curves.empty()) {
                table.columns[0].values.push_back(theta);
                table.columns[1].values.push_back(std::arg(modes.tau) / (2.0 * std::numbers::pi * scheme.dt));
            }
            const auto a = joint_reflection(end, modes);
            const auto dB = [](double amplitude) { return 20.0 * std::log10(std::max(amplitude, 1e-12)); };
            curve.wave.push_back(dB(std::abs(a.reflected())));
            if constexpr (H > 1) curve.layer.push_back(dB(std::abs(a.evanescent())));
        }
        curves.push_back(curve);
        table.columns.push_back({name + "_reflected_dB", curve.wave});
        if constexpr (H > 1) table.columns.push_back({name + "_evanescent_dB", curve.layer});
    }
    return table;
}

[[nodiscard]] inline io::Chart reflection_chart(const io::CsvTable& table, const std::vector<Reflection>& curves) {
    io::Chart chart{.name = "reflection",
                    .title = "Reflection",
                    .caption = "What comes back of a wave of amplitude 1, evanescent mode taken into account.",
                    .x_label = "frequency (Hz)",
                    .y_label = "amplitude (dB)",
                    .y_range = {{-120.0, 10.0}},
                    .log_x = true,
                    .height = 400};
    constexpr std::array tones{io::Tone::main, io::Tone::limit, io::Tone::good, io::Tone::warn};
    const std::vector<double>& frequency = table.columns[1].values;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const io::Tone tone = tones[i % tones.size()];
        chart.curves.push_back({curves[i].name, tone, io::Look::line, io::thinned(frequency, curves[i].wave)});
        if (!curves[i].layer.empty() && i == 0)
            chart.curves.push_back({curves[i].name + ", evanescent", io::Tone::raw, io::Look::thin,
                                    io::thinned(frequency, curves[i].layer)});
    }
    if (!frequency.empty()) chart.x_range = {std::min(0.1, 0.5 * frequency.back()), frequency.back()};
    return chart;
}

[[nodiscard]] inline io::Chart front_chart(const std::vector<AbsorbingDesign>& front) {
    io::Points points;
    for (const AbsorbingDesign& d : front)
        if (d.stability.stable) points.emplace_back(std::max(d.margin, 1e-9), 100.0 * d.error);
    std::sort(points.begin(), points.end());
    return {
        .name = "front",
        .title = "Error against stability margin",
        .caption =
            "Margin: 1 - rho of two absorbing ends, per step; drawn at 1e-9 where there is none. Stable ones alone.",
        .x_label = "stability margin",
        .y_label = "error (% of a clamped end)",
        .curves = {{"stable designs", io::Tone::main, io::Look::line, points},
                   {"designs", io::Tone::main, io::Look::points, points}},
        .log_x = true,
        .log_y = true};
}

[[nodiscard]] inline io::Chart error_chart(const std::vector<double>& error, double dt) {
    std::vector<double> time, e;
    for (std::size_t n = 0; n < error.size(); ++n)
        time.push_back(static_cast<double>(n) * dt), e.push_back(std::max(error[n], 1e-16));
    return {.name = "error",
            .title = "Error over time",
            .caption = "e(t): distance to the wire that goes on, divided by the length.",
            .x_label = "time (s)",
            .y_label = "e(t)",
            .curves = {{"error", io::Tone::main, io::Look::line, io::thinned(time, e)}},
            .log_y = true,
            .height = 300};
}

}  // namespace design_absorbing_boundary
