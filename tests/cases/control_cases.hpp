// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of the controllers, the Riccati solver and Newmark's method.

#pragma once

#include <panto/control/lqg.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/core/bisect.hpp>

#include "golden_json.hpp"
#include "targets.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace panto::test {

constexpr double control_step = 2e-3;  // s

/// DSA380_HiL as a plain chain.
inline plant::ChainParams<> dsa_chain() {
    return {Eigen::Vector3d(6.6, 5.8, 5.8), Eigen::Vector3d(0.0, 0.0, 70.0), Eigen::Vector3d(7000.0, 14100.0, 80.0)};
}

/// That pantograph on a pad, two periods of delay in all; the filter's cut-off in Hz, 0 for none.
inline plant::RigParams dsa_rig(double pad = 240e3, double filter = 0.0) {
    return {.pad_stiffness = pad, .pantograph = dsa_chain(), .force_filter = {.cut_off = filter}};
}

/// Spectral radius of a controller with that pantograph on a pad, no catenary.
template <class C>
double radius_with(const C& controller, double pad, plant::Hold hold = plant::Hold::zero_order, double filter = 0.0) {
    return control::closed_loop_radius(plant::sampled_model(dsa_rig(pad, filter), control_step, hold), controller,
                                       control::table2_interaction_mass);
}

/// Pad stiffness between `low` and `high` at which the radius crosses 1; NaN if it does not.
inline double crossing(const std::function<double(double)>& radius, double low, double high) {
    const bool rises = radius(high) > 1.0;
    if ((radius(low) > 1.0) == rises) return NAN;
    return bisect([&](double pad) { return (radius(pad) > 1.0) != rises; }, low, high, 0.0, 40).holds;
}

/// Radius of the paper's model, Eq. (26), without control.
inline double open_loop_radius(double k_h, double k_p) {
    control::PaperLqgParams p;
    p.rig.pad_stiffness = k_h;
    p.pantograph.stiffness = k_p;
    return linalg::spectral_radius(control::paper_lqg_plant(p, control_step).A);
}

template <class Gain>
double largest_relative_difference(const Gain& gain, const Eigen::MatrixXd& golden) {
    double worst = 0.0;
    for (Eigen::Index i = 0; i < golden.size(); ++i)
        worst = std::max(worst, std::abs(gain[i] - golden(i)) / std::abs(golden(i)));
    return worst;
}

inline void append_paper_lqg(std::vector<Measured>& out, const nlohmann::json& golden) {
    const control::PaperLqg lqg({}, control_step);
    Vector<double, 10> ones = Vector<double, 10>::Zero();
    ones[0] = ones[3] = ones[6] = 1.0;
    const control::PaperLqgPlant& plant = lqg.plant();
    const Matrix<double, 10> still = Matrix<double, 10>::Identity() - plant.A + plant.B_u * lqg.K();
    const Vector<double, 10> rest = still.partialPivLu().solve(plant.B_z);
    const auto K = golden_matrix(golden.at("LQG_table2_3_kh240k").at("K"));
    out.push_back({"lqg.rho_open", linalg::spectral_radius(plant.A)});
    out.push_back({"lqg.rho_lqr", lqg.regulator_radius()});
    out.push_back({"lqg.rho_kf", lqg.observer_radius()});
    out.push_back({"lqg.K_dot_one", lqg.K().dot(ones)});
    out.push_back({"lqg.um_per_zc", rest[3]});
    out.push_back({"lqg.K", largest_relative_difference(lqg.K(), K)});
    const auto none = control::direct_controller();
    out.push_back({"plant.noLQG_zoh", radius_with(none, 240e3)});
    out.push_back({"plant.LQG_lin", radius_with(lqg, 240e3, plant::Hold::first_order)});
    out.push_back({"plant.LQG_zoh", radius_with(lqg, 240e3)});
    out.push_back({"plant.LQG_zoh_kh50k", radius_with(lqg, 50e3)});
    out.push_back({"plant.LQG_lin_lpf100", radius_with(lqg, 240e3, plant::Hold::first_order, 100.0)});

    const auto held = [&](double k) { return radius_with(lqg, k); };
    const auto interpolated = [&](double k) { return radius_with(lqg, k, plant::Hold::first_order); };
    const auto limit = [&](const char* id, const std::function<double(double)>& radius, double low, double high) {
        out.push_back({std::string("pad_limit.") + id, crossing(radius, low, high)});
    };
    limit("appC_kp240k", [](double k) { return open_loop_radius(k, 240e3); }, 10e3, 20e3);
    limit("appC_kp_eq_kh", [](double k) { return open_loop_radius(k, k); }, 30e3, 60e3);
    limit("physical_ZOH_DSA_noLQG", [&](double k) { return radius_with(none, k); }, 30e3, 50e3);
    limit("zoh_low", held, 100e3, 150e3);
    limit("zoh_high", held, 160e3, 220e3);
    limit("lin_low", interpolated, 100e3, 150e3);
    limit("lin_high", interpolated, 200e3, 300e3);
}

inline void append_lqg(std::vector<Measured>& out, const nlohmann::json& golden) {
    const auto& g = golden.at("LQGplus_mp6.6");
    const control::Lqg plus({.rig = dsa_rig()}, control_step);
    out.push_back({"lqg_plus.K", largest_relative_difference(plus.K(), golden_matrix(g.at("K")))});
    out.push_back({"lqg_plus.kf", plus.k_f()});
    out.push_back({"lqg_plus.rho_lqr", plus.regulator_radius()});
    for (const auto& [pad, radius] : g.at("rho_DSA").items())
        out.push_back({"lqg_plus.rho_" + pad, radius_with(plus, std::stod(pad))});
}

/// Every case of golden/dare.json: how many are solved, how many refused, and the worst error.
inline void append_riccati(std::vector<Measured>& out) {
    int solved = 0, refused = 0;
    double worst = 0.0;
    const auto all = golden("dare.json");
    for (const auto& c : all.at("cases")) {
        const auto part = [&](const char* name) { return golden_matrix(c.at(name)); };
        try {
            if (c.at("expect") == "error") {
                (void)linalg::dare(part("A"), part("B"), part("Q"), part("R"));
                continue;
            }
            const auto s = linalg::dare(part("A"), part("B"), part("Q"), part("R"), part("S"));
            const Eigen::MatrixXd X = part("X");
            worst = std::max(worst, (s.X - X).norm() / X.norm());
            ++solved;
        } catch (const SetupError&) {
            refused += c.at("expect") == "error";
        }
    }
    out.push_back({"dare.solved", static_cast<double>(solved)});
    out.push_back({"dare.refused", static_cast<double>(refused)});
    out.push_back({"dare.error", worst});
}

/// m = 1, c = 0.8, k = (6 pi)^2, F = sin 9 t, u(0) = 0.1 at rest, over 2 s, against the closed form.
inline void append_newmark(std::vector<Measured>& out) {
    const double c = 0.8, k = 36.0 * std::numbers::pi * std::numbers::pi, w = 9.0;
    const double det = (k - w * w) * (k - w * w) + c * c * w * w;
    const double s = (k - w * w) / det, q = -c * w / det;  // steady part s sin wt + q cos wt
    const double decay = 0.5 * c, ringing = std::sqrt(k - decay * decay);
    const double a = 0.1 - q, b = (decay * a - s * w) / ringing;
    const auto exact = [&](double t) {
        return s * std::sin(w * t) + q * std::cos(w * t) +
               std::exp(-decay * t) * (a * std::cos(ringing * t) + b * std::sin(ringing * t));
    };
    for (const int steps : {250, 500, 1000, 2000, 4000}) {
        const double dt = 2.0 / steps;
        const dynamics::NewmarkOscillator<> scheme({1.0, c, k}, dt);
        Vector<double, 3> x(0.1, 0.0, -k * 0.1);
        double worst = 0.0;
        for (int n = 1; n <= steps; ++n) {
            x = (scheme.A() * x + scheme.B() * std::sin(w * n * dt)).eval();
            worst = std::max(worst, std::abs(x[0] - exact(n * dt)));
        }
        out.push_back({"newmark.error_" + std::to_string(steps), worst});
    }
}

inline std::vector<Measured> control_figures() {
    std::vector<Measured> out;
    const auto all = golden("catenary_and_rig.json");
    append_paper_lqg(out, all);
    append_lqg(out, all);
    append_riccati(out);
    append_newmark(out);
    return out;
}

}  // namespace panto::test
