// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Absorbing edges of the membrane of Publication B in whole simulations: a wave packet leaves through the edge x = 0,
/// and what is left of it is compared with a membrane so wide that nothing comes back, as e(t) of Eq. (46). And what
/// the stencils printed there do.

#pragma once

#include <panto/absorbing/edge_design.hpp>
#include <panto/absorbing/edge_march.hpp>
#include <panto/absorbing/edge_stability.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace panto::test::membrane_2d {

using namespace panto::wave;

constexpr double degree = std::numbers::pi / 180.0, dx = 0.05, dt = 1e-3, speed = 10.0;
inline const WaveEquation2d membrane({.speed = speed, .dx = dx, .dy = dx, .dt = dt});

/// The packet of Eq. (45), which runs to -x and -y, on a rectangle.
struct Packet {
    using Grid = wave::MembraneMarch::Grid;

    double angle, phase;                            // rad, rad per step
    int points_x, points_y, beyond, steps;          // of the rectangle; of the wide one on each side
    double center_x, center_y, narrow_x, narrow_y;  // m, m, 1/m^2, 1/m^2

    /// The packet moved on by `seconds` at the wave speed, on the rectangle and `extra` columns to either side.
    [[nodiscard]] Grid at(double seconds, int extra) const {
        const auto theta = membrane.wave_numbers(phase, angle);
        const double shift_x = speed * seconds * std::cos(angle), shift_y = speed * seconds * std::sin(angle);
        Grid u(points_x + 2 * extra, points_y);
        for (int l = 0; l < points_y; ++l)
            for (int k = 0; k < points_x + 2 * extra; ++k) {
                const double x = (k - extra) * dx + shift_x, y = l * dx + shift_y;
                u(k, l) = std::cos((theta[0] * x + theta[1] * y) / dx) *
                          std::exp(-narrow_x * std::pow(x - center_x, 2) - narrow_y * std::pow(y - center_y, 2));
            }
        return u;
    }
};

/// Largest e(t) of every edge, looked at every 20 steps.
inline std::vector<double> largest_errors(const Packet& packet, const std::vector<EdgeStencil>& edges) {
    const int far = packet.beyond;
    MembraneMarch wide(membrane, packet.points_x + 2 * far, packet.points_y, EdgeStencil(), EdgeStencil());
    wide.start(packet.at(dt, far), packet.at(0.0, far));
    std::vector<MembraneMarch> marches;
    for (const EdgeStencil& edge : edges) {
        marches.emplace_back(membrane, packet.points_x, packet.points_y, edge, edge);
        marches.back().start(packet.at(dt, 0), packet.at(0.0, 0));
    }
    std::vector<double> largest(edges.size(), 0.0);
    for (int n = 2; n <= packet.steps; ++n) {
        wide.step();
        for (MembraneMarch& march : marches) march.step();
        if (n % 20 != 0) continue;
        const double area = (packet.points_x - 1) * (packet.points_y - 1);
        for (std::size_t i = 0; i < marches.size(); ++i)
            largest[i] = std::max(
                largest[i],
                std::sqrt((marches[i].now() - wide.now().middleRows(far, packet.points_x)).square().sum() / area));
    }
    return largest;
}

inline EdgeStencil stencil_of(const nlohmann::json& rows) {
    const Eigen::MatrixXd W = golden_matrix(rows);
    Eigen::VectorXd weights(W.size());
    for (Eigen::Index i = 0; i < W.rows(); ++i) weights.segment(i * W.cols(), W.cols()) = W.row(i).transpose();
    return EdgeStencil({.points = static_cast<int>(W.cols()), .across = 3, .levels = 2}, weights);
}

constexpr std::array<double, 2> normal{0.0, 0.0}, oblique{0.0, 45 * degree};

/// An edge's e(t), largest over 2 s, in the golden set-ups low, mid and high.
struct PacketErrors {
    std::string name;
    std::array<double, 3> error{};

    [[nodiscard]] double worst() const { return *std::max_element(error.begin(), error.end()); }
};

/// The edges of the golden runs, in their order, and one designed here, the last.
inline std::vector<PacketErrors> golden_packets() {
    const auto all = golden("waves_and_identification.json");
    std::vector<PacketErrors> found{{"dirichlet"}, {"MUR2"}, {"HIG00"}, {"HIG0_45"}, {"D332"}, {"D532"}, {"designed"}};
    std::vector<EdgeStencil> edges{EdgeStencil(), edge_mur_2(membrane), edge_higdon(membrane, normal),
                                   edge_higdon(membrane, oblique)};
    for (const char* name : {"D332", "D532"}) edges.push_back(stencil_of(all["wave2d"][name]["W"]));
    edges.push_back(design_edge(membrane).edge);
    std::size_t setup = 0;
    for (const char* which : {"low", "mid", "high"}) {
        const auto& at = all["wave2d_et_max_2s"]["setups"][which];
        const Packet packet{at[0].get<double>() * degree, at[1], 301, 701, 320, 2000, 7.5, 17.5, 0.4, 0.015};
        const std::vector<double> error = largest_errors(packet, edges);
        for (std::size_t i = 0; i < edges.size(); ++i) found[i].error[setup] = error[i];
        ++setup;
    }
    return found;
}

/// What the tool says of a stencil printed in Publication B.
struct PrintedEdge {
    std::string name;
    EdgeStencil edge;
    EdgeReport report;
    double radius_20;  ///< of a box of 20 x 20 points
};

inline std::vector<PrintedEdge> printed_edges() {
    const auto printed = golden("data/published_absorbing_stencils_2d.json");
    std::vector<PrintedEdge> all;
    for (const char* name : {"332", "532", "532L"}) {
        const EdgeStencil edge = stencil_of(printed[name]);
        all.push_back({name, edge, edge_report(membrane, edge), edge_box_radius(membrane, edge, 20, 20)});
    }
    return all;
}

}  // namespace panto::test::membrane_2d

namespace panto::test {

inline std::vector<Measured> membrane_figures() {
    std::vector<Measured> all;
    double usable = 0.0;
    for (const auto& printed : membrane_2d::printed_edges()) {
        const std::string id = "wave.printed_" + printed.name + ".";
        all.push_back({id + "sum", printed.report.sum});
        all.push_back({id + "radius_7", printed.report.box_radius});
        all.push_back({id + "radius_20", printed.radius_20});
        usable += printed.report.usable() ? 1.0 : 0.0;
    }
    all.push_back({"wave.printed.usable", usable});
    const auto packets = membrane_2d::golden_packets();
    const double designed = packets.back().worst();
    const char* setups[] = {".low", ".mid", ".high"};
    for (const auto& edge : packets) {
        if (edge.name != "designed")
            for (std::size_t i = 0; i < 3; ++i) all.push_back({"wave.e." + edge.name + setups[i], edge.error[i]});
        if (edge.name == "MUR2" || edge.name == "HIG00" || edge.name == "HIG0_45")
            all.push_back({"wave.e.designed_over_" + edge.name, designed / edge.worst()});
    }
    return all;
}

}  // namespace panto::test
