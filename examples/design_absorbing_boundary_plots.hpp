// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What design_absorbing_boundary draws: snapshots of a bump that leaves, what comes back over frequency, error against
/// stability margin and over time.

#pragma once

#include <panto/io/csv.hpp>
#include <panto/io/page.hpp>
#include <panto/wave/absorbing_design.hpp>
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

[[nodiscard]] inline io::Plot snapshot_plot(const std::vector<Snapshot>& snapshots, double dx) {
    std::string script = io::detail::axes("position along the wire (m)", "displacement, each time shifted by 1/2");
    std::string plot = "plot ";
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        const Snapshot& s = snapshots[i];
        std::vector<double> x, bounded, reference;
        for (Eigen::Index k = 0; k < s.bounded.size(); ++k) {
            x.push_back(static_cast<double>(k) * dx);
            bounded.push_back(s.bounded[k] - 0.5 * static_cast<double>(i));
            reference.push_back(s.reference[k] - 0.5 * static_cast<double>(i));
        }
        const std::string at = std::to_string(i);
        script += io::detail::data_block("r" + at, io::detail::thinned(x, reference)) +
                  io::detail::data_block("b" + at, io::detail::thinned(x, bounded)) + "set label " +
                  io::detail::plot_text(shown(1e-3 * std::round(1e3 * s.time)) + " s") + " at graph 0.995, first " +
                  shown(0.12 - 0.5 * static_cast<double>(i)) + " right tc rgb '#5b6675' font ',12'\n";
        plot += "$r" + at + " w l lw 3 lc rgb '#c9d6ea' " + (i == 0 ? "t 'wire that goes on', " : "notitle, ") + "$b" +
                at + " w l lw 1.2 lc rgb '#174a9c' " + (i == 0 ? "t 'absorbing left end', " : "notitle, ");
    }
    return {"snapshots", "Snapshots", "A bump released at rest; absorbing end on the left, clamped end on the right.",
            script + plot.substr(0, plot.size() - 2) + "\n", 520};
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

[[nodiscard]] inline io::Plot reflection_plot(const io::CsvTable& table, const std::vector<Reflection>& curves) {
    const std::array<const char*, 4> colors{"#174a9c", "#c0392b", "#2b7a4b", "#8a6d1f"};
    std::string script = io::detail::axes("frequency (Hz)", "amplitude (dB)") +
                         "set logscale x\nset xrange [0.1:]\nset yrange [-120:10]\n";
    std::string plot = "plot ";
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const std::string at = std::to_string(i), color = colors[i % colors.size()];
        script += io::detail::data_block("w" + at, io::detail::thinned(table.columns[1].values, curves[i].wave));
        plot += "$w" + at + " w l lw 1.8 lc rgb '" + color + "' t " + io::detail::plot_text(curves[i].name) + ", ";
        if (curves[i].layer.empty() || i > 0) continue;
        script += io::detail::data_block("e" + at, io::detail::thinned(table.columns[1].values, curves[i].layer));
        plot += "$e" + at + " w l dt 2 lw 1.4 lc rgb '" + color + "' t " +
                io::detail::plot_text(curves[i].name + ", evanescent") + ", ";
    }
    return {"reflection", "Reflection", "What comes back of a wave of amplitude 1, evanescent mode taken into account.",
            script + plot.substr(0, plot.size() - 2) + "\n", 400};
}

[[nodiscard]] inline io::Plot front_plot(const std::vector<AbsorbingDesign>& front) {
    io::detail::Points points;
    for (const AbsorbingDesign& d : front)
        if (d.stability.stable) points.emplace_back(std::max(d.margin, 1e-9), 100.0 * d.error);
    return {"front", "Error against stability margin",
            "Margin: 1 - rho of two absorbing ends, per step; drawn at 1e-9 where there is none. Stable ones alone.",
            io::detail::axes("stability margin", "error (% of a clamped end)") +
                "set logscale xy\nset format x '1e%T'\n" + io::detail::data_block("front", points) +
                "plot $front w lp pt 7 ps 0.7 lw 1.4 lc rgb '#174a9c' notitle\n",
            340};
}

[[nodiscard]] inline io::Plot error_plot(const std::vector<double>& error, double dt) {
    std::vector<double> time, e;
    for (std::size_t n = 0; n < error.size(); ++n)
        time.push_back(static_cast<double>(n) * dt), e.push_back(std::max(error[n], 1e-16));
    return {"error", "Error over time", "e(t): distance to the wire that goes on, divided by the length.",
            io::detail::axes("time (s)", "e(t)") + "set logscale y\nset format y '1e%T'\n" +
                io::detail::data_block("error", io::detail::thinned(time, e)) +
                "plot $error w l lw 1.4 lc rgb '#174a9c' notitle\n",
            300};
}

}  // namespace design_absorbing_boundary
