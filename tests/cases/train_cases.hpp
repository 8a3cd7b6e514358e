// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The bogie and the train of the TGV kind, held against the golden figures of methods/vehicle_train.md.

#pragma once

#include <panto/io/vehicle_json.hpp>
#include <panto/vehicle/hunting.hpp>
#include <panto/vehicle/linear_march.hpp>

#include "../support/targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace panto::test {

/// With the loads of the golden creep, the same for all wheelsets of a kind of bogie.
inline vehicle::Assembly golden_train(const vehicle::Multibody& v) {
    vehicle::Assembly a = vehicle::assemble(v);
    for (std::size_t i = 0; i < a.axles.size(); ++i) {
        vehicle::Node& n = a.nodes[static_cast<std::size_t>(a.axles[i])];
        const std::size_t bogie = i / 2;
        const bool motor = bogie < 2 || bogie > 10, end = bogie == 2 || bogie == 10;
        const double car = v.parameter(motor ? "pc_m" : "tr_m") / (motor || end ? 4.0 : 2.0);
        n.suspension_load = (car + v.parameter(motor ? "mb_m" : "cb_m") / 2.0) * a.gravity;
    }
    return a;
}

/// Without the turning of loaded springs, which the golden builder leaves out.
inline Eigen::MatrixXd golden_state_matrix(const vehicle::Assembly& train, double speed) {
    return vehicle::state_matrix(vehicle::linearize(train, speed, vehicle::VermeulenJohnson{}, {.preload = false}));
}

/// The rows `bogie.*` and `train.*` of targets.json.
inline std::vector<Measured> vehicle_figures(const std::string& train_file) {
    using namespace vehicle;
    std::vector<Measured> all;
    for (const auto& [name, stiffness] : {std::pair{"5e5", 5e5},
                                          {"1e6", 1e6},
                                          {"2e6", 2e6},
                                          {"5e6", 5e6},
                                          {"1e7", 1e7},
                                          {"2e7", 2e7},
                                          {"5.2e7", 5.2e7},
                                          {"1e8", 1e8}}) {
        BogieParams<> p;
        p.stiffness[0] = stiffness;
        all.push_back({std::string("bogie.critical_speed_") + name, critical_speed(Bogie<>(p, {}, 40.0))});
    }
    all.push_back(
        {"bogie.printed_order", growth_rate(jacobian(Bogie<>({}, {}, 10.0, {}, {}, {.printed_order = true})))});

    const Assembly train = golden_train(io::read_vehicle(train_file));
    all.push_back({"train.bodies", static_cast<double>(train.nodes.size())});
    all.push_back({"train.wheelsets", static_cast<double>(train.axles.size())});
    all.push_back({"train.freedoms", static_cast<double>(train.freedoms)});
    all.push_back({"train.mass", train.mass()});
    std::vector<double> modes;  // three at rest under creep are no oscillations
    for (const auto& e : linalg::eigenvalues(golden_state_matrix(train, 83.333)))
        if (e.imag() > 0.0 && std::abs(e.real()) < 0.99 * std::abs(e))
            modes.push_back(std::abs(e) / (2.0 * std::numbers::pi));
    std::sort(modes.begin(), modes.end());
    for (std::size_t i = 0; i < 5; ++i) all.push_back({"train.frequency_" + std::to_string(i + 1), modes.at(i)});
    for (const char* speed : {"60", "83.333", "100", "120", "140", "160", "200"})
        all.push_back(
            {std::string("train.growth_") + speed, growth_rate(golden_state_matrix(train, std::stod(speed)))});
    return all;
}

}  // namespace panto::test
