// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The parameters of a predictive controller, and checks of them.

#pragma once

#include <panto/control/mpc_limits.hpp>
#include <panto/control/state_space.hpp>
#include <panto/core/check.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::control {

enum class Disturbance : unsigned char {
    none,
    output,  ///< adds to the outputs
    input    ///< adds to the inputs; needs as many inputs as outputs
};

struct MpcParams {
    std::vector<StateSpace> plant = {};    ///< sampled, delays included; one model, or one for each cycle
    bool repeats = true;                   ///< with several models: whether they repeat; if not, the last one stays
    int horizon = 25;                      ///< cycles
    Eigen::MatrixXd output_weight = {};    ///< Q, on output errors
    Eigen::MatrixXd input_weight = {};     ///< R, on inputs minus their steady values
    Eigen::MatrixXd move_weight = {};      ///< S, on changes from cycle to cycle; empty for none
    Eigen::MatrixXd terminal_weight = {};  ///< P; empty: from the Riccati equation, for an infinite horizon
    MpcLimits input{}, move{}, output{};   ///< moves are per cycle
    MpcLimits state{};                     ///< of the model's states, which need not be measured
    Eigen::VectorXd softness = {};         ///< per output: cost of exceeding its limits; 0 or empty: they are hard
    Eigen::VectorXd state_softness = {};   ///< the same per state
    Disturbance disturbance = Disturbance::output;
    double process_noise = 1.0;      ///< standard deviation of a random force on the inputs, per cycle
    double disturbance_noise = 0.1;  ///< standard deviation of the disturbance's random walk, per cycle
    double output_noise = 0.1;       ///< standard deviation of the measured outputs
    int most_fallbacks = 5;          ///< accepted in a row; one more gives Status::infeasible
};

namespace detail {

/// @throws SetupError naming the field, its value and what is allowed. Fills in what is empty.
template <class = void>
void validate(MpcParams& p) {
    const char* where = "control::Mpc";
    require(!p.plant.empty(), where, "plant is empty, at least one model is needed");
    require(p.horizon >= 1, where, "horizon is ", p.horizon, ", must be >= 1");
    require(p.most_fallbacks >= 0, where, "most_fallbacks is ", p.most_fallbacks, ", must be >= 0");
    require_positive(p.process_noise, where, "process_noise");
    require_positive(p.disturbance_noise, where, "disturbance_noise");
    require_positive(p.output_noise, where, "output_noise");
    const StateSpace& first = p.plant[0];
    const Eigen::Index nu = first.inputs(), ny = first.outputs();
    for (std::size_t k = 0; k < p.plant.size(); ++k) {
        const StateSpace& m = p.plant[k];
        control::validate(m, where);
        require_positive(m.dt, where, "plant[", k, "].dt");
        require(m.states() == first.states() && m.inputs() == nu && m.outputs() == ny, where, "plant[", k, "] has ",
                m.states(), " states, ", m.inputs(), " inputs and ", m.outputs(),
                " outputs, must be as in plant[0]: ", first.states(), ", ", nu, " and ", ny);
        require(std::fabs(m.dt - first.dt) <= 1e-9 * first.dt, where, "plant[", k, "].dt is ", m.dt,
                " s, must be that of plant[0], ", first.dt, " s");
        require(m.D.isZero(0.0), where, "plant[", k,
                "].D is not 0: outputs must not depend on the input of the same step");
    }
    require(p.disturbance != Disturbance::input || nu == ny, where, "disturbance is `input` with ", nu, " inputs and ",
            ny, " outputs; the two numbers must be equal");
    if (p.move_weight.size() == 0) p.move_weight = Eigen::MatrixXd::Zero(nu, nu);
    require_weight(p.output_weight, ny, false, "output_weight");
    require_weight(p.input_weight, nu, false, "input_weight");
    require_weight(p.move_weight, nu, false, "move_weight");
    require_weight(p.input_weight + p.move_weight, nu, true, "input_weight + move_weight");
    if (p.softness.size() == 0) p.softness = Eigen::VectorXd::Zero(ny);
    require(p.softness.size() == ny, where, "softness has ", p.softness.size(), " entries, must be ", ny);
    for (Eigen::Index i = 0; i < ny; ++i) require_not_negative(p.softness[i], where, "softness[", i, "]");
    const Eigen::Index nx = first.states();
    if (p.state_softness.size() == 0) p.state_softness = Eigen::VectorXd::Zero(nx);
    require(p.state_softness.size() == nx, where, "state_softness has ", p.state_softness.size(), " entries, must be ",
            nx);
    for (Eigen::Index i = 0; i < nx; ++i) require_not_negative(p.state_softness[i], where, "state_softness[", i, "]");
    const double inputs = static_cast<double>(nu), models = static_cast<double>(p.plant.size());
    const double longest = std::floor(std::min(2000.0, 1e4 / std::sqrt(models)) / inputs);
    require(p.horizon <= longest, where, "horizon is ", p.horizon, ", must be at most ", longest, " with ", nu,
            " inputs and ", p.plant.size(), " models");
}

#ifdef PANTO_COMPILED
extern template void validate(MpcParams&);
#endif

}  // namespace detail

}  // namespace panto::control
