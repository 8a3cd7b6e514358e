// SPDX-License-Identifier: BSD-3-Clause
// The printed LQG with its defects, LQG+, Riccati cases, Newmark and stability limits, held against
// tests/golden/targets.json, and what no single figure says. The golden numbers were computed in Python with scipy.
#include "../../cases/control_cases.hpp"
#include "catch.hpp"

#include <cmath>
#include <string>
#include <utility>

using namespace panto;
using namespace panto::control;
using namespace panto::test;

TEST_CASE("control, Riccati equation and Newmark's method have the golden figures", "[control]") {
    const Targets targets(PANTO_TEST_GOLDEN "/targets.json");
    for (const Measured& m : control_figures()) {
        const Target& t = targets.at(m.id);
        INFO(t.what << ": " << m.value << ' ' << t.unit << ", accepted " << t.low << " to " << t.high);
        CHECK(t.holds(m.value));
    }
}

TEST_CASE("regulator and observer of the printed LQG do not disturb each other on the design model", "[control]") {
    const PaperLqg lqg({}, control_step);
    Eigen::MatrixXd loop(20, 20);
    const PaperLqgPlant& plant = lqg.plant();
    loop << plant.A, -plant.B_u * lqg.K(), lqg.L() * plant.C, plant.A - plant.B_u * lqg.K() - lqg.L() * plant.C;
    CHECK(linalg::spectral_radius(loop) ==
          Approx(std::max(lqg.regulator_radius(), lqg.observer_radius())).epsilon(1e-9));
}

TEST_CASE("the open loop of the paper's model loses stability with the stiffness of the pad", "[control]") {
    const auto all = golden("catenary_and_rig.json");
    for (const auto& [k_h, radius] : all.at("LQG_rho_open_vs_kh").items()) {
        if (k_h == "group" || k_h == "note") continue;
        INFO(k_h);
        CHECK(open_loop_radius(std::stod(k_h), 240e3) == Approx(radius.get<double>()).epsilon(1e-9));
    }
}

TEST_CASE("the golden radii of LQG+ belong to the one design for 240 kN/m; a design for each pad is stable too",
          "[control]") {
    // The file's absolute 2e-4 would not tell the two apart; both solvers are exact to about 1e-11.
    const auto all = golden("catenary_and_rig.json");
    const Lqg plus({.rig = dsa_rig()}, control_step);
    for (const auto& [pad, radius] : all.at("LQGplus_mp6.6").at("rho_DSA").items()) {
        INFO(pad);
        const double stiffness = std::stod(pad);
        CHECK(radius_with(plus, stiffness) == Approx(radius.get<double>()).margin(1e-9));
        CHECK(radius_with(Lqg({.rig = dsa_rig(stiffness)}, control_step), stiffness) < 0.9967);
    }
}

TEST_CASE("a 100 Hz force filter leaves LQG+ without preview stable, known to the design or not", "[control]") {
    const Lqg ignorant({.rig = dsa_rig()}, control_step), aware({.rig = dsa_rig(240e3, 100.0)}, control_step);
    CHECK(radius_with(ignorant, 240e3, plant::Hold::zero_order, 100.0) < 1.0);
    CHECK(radius_with(aware, 240e3, plant::Hold::zero_order, 100.0) < 1.0);
}

TEST_CASE("the motor of Table 2 and that of the text have the peaks they are said to have", "[control]") {
    const auto all = golden("catenary_and_rig.json");
    const auto& g = all.at("motor");
    // Step response of the exact discrete motor, sampled finely enough for a peak to 1 part in 10^9.
    const auto peak = [](const dynamics::OscillatorParams<double>& motor) {
        const double h = 1e-6;
        const auto plant = plant::sampled_model({.motor = motor, .pantograph = dsa_chain()}, h);
        const Eigen::Matrix2d A = plant.A.topLeftCorner<2, 2>();
        const Eigen::Vector2d b = plant.command.col(2).head<2>();
        Eigen::Vector2d x = Eigen::Vector2d::Zero();
        double time = 0.0, value = 0.0;
        for (int n = 1; n <= 40'000; ++n) {
            x = (A * x + b).eval();
            if (x[0] > value) value = x[0], time = n * h;
        }
        return std::pair(time, value);
    };
    const auto [table_time, table_value] = peak(plant::table2_motor);
    CHECK(table_time == Approx(g.at("peak_time_table2").get<double>()).margin(1e-6));
    CHECK(table_value == Approx(g.at("peak_value_table2").get<double>()).epsilon(1e-8));

    const double natural = g.at("wn_text"), ratio = g.at("zeta_text");
    CHECK(g.at("km_text_m10").get<double>() == Approx(10.0 * natural * natural).epsilon(1e-8));
    CHECK(g.at("cm_text_m10").get<double>() == Approx(2.0 * 10.0 * ratio * natural).epsilon(1e-6));
    const auto [text_time, text_value] = peak({10.0, g.at("cm_text_m10"), g.at("km_text_m10")});
    CHECK(text_time == Approx(0.012).margin(1e-6));
    CHECK(text_value == Approx(1.3).epsilon(1e-6));
}
