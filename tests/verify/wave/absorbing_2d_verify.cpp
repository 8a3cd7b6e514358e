// SPDX-License-Identifier: BSD-3-Clause
/// Absorbing edges in two dimensions in whole simulations: a wave packet leaves through the edge x = 0, and what is
/// left of it is compared with a membrane so wide that nothing comes back, as e(t) of Publication B, Eq. (46).
#include <panto/wave/absorbing_2d_design.hpp>
#include <panto/wave/absorbing_2d_march.hpp>

#include "catch.hpp"
#include "golden_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace absorbing_2d_verify {
namespace {

using namespace panto;
using namespace panto::wave;
using Grid = MembraneMarch::Grid;

constexpr double degree = std::numbers::pi / 180.0, dx = 0.05, dt = 1e-3, speed = 10.0;
const WaveEquation2d membrane({.speed = speed, .dx = dx, .dy = dx, .dt = dt});

/// The packet of Eq. (45), which runs to -x and -y, on a rectangle.
struct Packet {
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
std::vector<double> largest_errors(const Packet& packet, const std::vector<EdgeStencil>& edges) {
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

EdgeStencil stencil_of(const nlohmann::json& rows) {
    const Eigen::MatrixXd W = test::golden_matrix(rows);
    Eigen::VectorXd weights(W.size());
    for (Eigen::Index i = 0; i < W.rows(); ++i) weights.segment(i * W.cols(), W.cols()) = W.row(i).transpose();
    return EdgeStencil({.points = static_cast<int>(W.cols()), .across = 3, .levels = 2}, weights);
}

constexpr std::array<double, 2> normal{0.0, 0.0}, oblique{0.0, 45 * degree};

}  // namespace

TEST_CASE("a designed edge lets packets go that Mur's and Higdon's conditions reflect", "[wave]") {
    // A small membrane with small packets: the golden set-ups, which take longer, are below.
    const std::vector<EdgeStencil> edges{edge_mur_2(membrane), edge_higdon(membrane, normal),
                                         edge_higdon(membrane, oblique), design_edge(membrane).edge};
    std::array<double, 4> worst{};
    for (const auto& [angle, phase] : {std::array{45.0, 0.035}, {5.0, 0.15}, {10.0, 0.325}}) {
        const Packet packet{angle * degree, phase, 161, 201, 100, 1000, 4.0, 6.0, 1.0, 0.15};
        const std::vector<double> error = largest_errors(packet, edges);
        for (std::size_t i = 0; i < 4; ++i) worst[i] = std::max(worst[i], error[i]);
    }
    INFO("Mur 2: " << worst[0] << ", Higdon (0,0): " << worst[1] << ", Higdon (0,45): " << worst[2]
                   << ", designed: " << worst[3]);
    // A fifth here: so narrow a packet has waves beyond the band. The golden set-ups ask for a tenth.
    for (std::size_t i = 0; i < 3; ++i) CHECK(worst[3] < 0.2 * worst[i]);
}

TEST_CASE("packets of three frequencies leave the membrane of Publication B as in the golden runs",
          "[wave][golden][long]") {
    const auto golden = test::golden("waves_and_identification.json");
    const std::vector<std::string> names{"dirichlet", "MUR2", "HIG00", "HIG0_45", "D332", "D532"};
    std::vector<EdgeStencil> edges{EdgeStencil(), edge_mur_2(membrane), edge_higdon(membrane, normal),
                                   edge_higdon(membrane, oblique)};
    for (const char* name : {"D332", "D532"}) edges.push_back(stencil_of(golden["wave2d"][name]["W"]));
    const EdgeDesign design = design_edge(membrane);
    edges.push_back(design.edge);
    std::vector<double> worst(edges.size(), 0.0);
    std::size_t setup = 0;
    for (const char* which : {"low", "mid", "high"}) {
        const auto& at = golden["wave2d_et_max_2s"]["setups"][which];
        const Packet packet{at[0].get<double>() * degree, at[1], 301, 701, 320, 2000, 7.5, 17.5, 0.4, 0.015};
        const std::vector<double> error = largest_errors(packet, edges);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            worst[i] = std::max(worst[i], error[i]);
            const std::string name = i < names.size() ? names[i] : "designed";
            UNSCOPED_INFO(which << ' ' << name << ": " << error[i]);
            if (i < names.size()) {  // 2e-3: the tolerance stated with the golden numbers
                const double expected = golden["wave2d_et_max_2s"][name][setup];
                CHECK(std::abs(error[i] - expected) <= 2e-3 * expected);
            }
        }
        ++setup;
    }
    for (std::size_t i : {1U, 2U, 3U}) {
        INFO("designed " << worst.back() << ", " << names[i] << ' ' << worst[i]);
        CHECK(worst.back() < 0.1 * worst[i]);
    }
}

TEST_CASE("a designed edge is stable over a hundred thousand steps", "[wave][long]") {
    const EdgeDesign design = design_edge(membrane);
    MembraneMarch march(membrane, 61, 41, design.edge, design.edge);
    Grid start(61, 41);
    for (int k = 0; k < 61; ++k)
        for (int l = 0; l < 41; ++l) start(k, l) = std::exp(-0.05 * (std::pow(k - 30, 2) + std::pow(l - 20, 2)));
    march.start(start, start);
    const double begun = march.now().matrix().norm();
    for (int n = 0; n < 100000; ++n) march.step();
    INFO("left of " << begun << ": " << march.now().matrix().norm());
    CHECK(march.now().matrix().norm() < 1e-6 * begun);
}
}  // namespace absorbing_2d_verify
