// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parameters and faults of the simulated rig.

#pragma once

#include <panto/pantograph/presets.hpp>
#include <panto/plant/rig.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace panto::rig {

struct SimulatedParams {
    plant::RigParams rig{.pantograph = pantograph::preset("DSA380_HiL").params};
    double uplift_force = 130.625;  ///< N, on the lowest mass, constant; 0.00097 v^2 + 70 at v = 250 km/h
    std::optional<double>
        start_height{};            ///< m, of the drive; by default the pantograph, at rest, touches the pad at height 0
    double force_noise = 0.0;      ///< N, standard deviation of each reading
    double position_noise = 0.0;   ///< m, standard deviation of each reading
    double force_step = 0.0;       ///< N, resolution of the load cell; 0: no rounding
    double sensor_range = 2000.0;  ///< N, where the load cell saturates
    int substeps = 20;             ///< per period
    /// Seed of the noise. std::normal_distribution draws it, so the same seed gives the same noise only with the same
    /// standard library. panto::Random would draw another noise and so change the recorded figures of noisy runs.
    std::uint64_t seed = 1;
    /// Force on the pan-head, N, positive upward, as a function of the time on the rig's clock, s: a gust, or a pull
    /// that breaks the contact. It is evaluated in the middle of each sub-step and held over the sub-step. Must not
    /// throw. Empty: no force.
    std::function<double(double time)> head_force = {};
    dynamics::OscillatorParams<double> base_motor = plant::table2_motor;  ///< of the actuator under the pantograph
};

/// Faults that can be scheduled for a span of time.
enum class SimulatedFault : std::uint8_t {
    force_lost,         ///< no reading arrives
    force_stale,        ///< the last reading, marked as stale
    force_nan,          ///< a reading that is not a number, marked as good
    force_frozen,       ///< the last reading before the fault, repeated and marked as good
    force_zero,         ///< 0 N, marked as good
    encoder_lost,       ///< no position arrives
    encoder_nan,        ///< a position that is not a number, marked as good
    encoder_frozen,     ///< the last position before the fault, repeated and marked as good
    drive_refuses,      ///< the drive does not accept commands
    strip_pulled_down,  ///< 500 N pull the head down: contact is lost
    base_lost,          ///< no position of the actuator under the pantograph arrives
    base_nan,           ///< its position is not a number, marked as good
    base_frozen,        ///< its last position before the fault, repeated and marked as good
    base_stuck,         ///< it accepts commands and does not move
    base_refuses        ///< it does not accept commands
};
/// In the order of SimulatedFault.
inline constexpr std::array<std::string_view, 15> simulated_fault_names{
    "force_lost",   "force_stale", "force_nan",      "force_frozen",  "force_zero",
    "encoder_lost", "encoder_nan", "encoder_frozen", "drive_refuses", "strip_pulled_down",
    "base_lost",    "base_nan",    "base_frozen",    "base_stuck",    "base_refuses"};

using MotorParams [[deprecated("take dynamics::OscillatorParams<double>")]] = dynamics::OscillatorParams<double>;

}  // namespace panto::rig
