// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The command line of panto_run: options in the units they are given in, and what each may be.

#pragma once

#include <panto/interaction/filter.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace panto_run {

/// What was asked for on the command line, in the units of the options.
struct Options {
    std::string catenary = "stitched_hil";
    std::string pantograph = "DSA380_HiL";
    double speed_kmh = 275.0;
    std::string mode = "hil";
    std::string controller = "predictive";
    std::string rig;                // with --controller mpc; empty: given by the line
    bool controller_given = false;  // otherwise lqg replaces one whose run ends with a fault
    std::string engine = "realtime";
    int pantographs = 1;
    double spacing = 100.0;          // m, from one pantograph to the next
    std::optional<double> duration;  // s
    std::optional<double> distance;  // m
    std::optional<double> start;     // m
    std::vector<double> window;      // m, two of them
    std::string filter = std::string(name(panto::interaction::ContactForceFilter::butterworth3_zero_phase_3db));
    std::optional<double> static_force;  // N
    std::optional<double> stiffness;     // N/m
    std::optional<double> element;       // m
    std::optional<double> dt_ms;
    bool accept_unstable = false;
    double force_noise = 1.0;         // N
    double position_noise_mm = 0.01;  // mm
    bool force_filter = false;
    std::uint64_t seed = 1;
    std::string fault;      // of the simulated rig; empty: none
    double fault_at = 1.0;  // s after the start
    std::string out = "panto_results";
    std::string vehicle;  // below the pantograph; empty: its base stands still
    std::string track = "low";
    std::uint64_t track_seed = 5;
    std::string roof_body;
    double roof_x = 0.0;  // m
    std::string compare;  // folder of another run
    bool report = true;
    /// m, from the leading pantograph to the last one.
    [[nodiscard]] double train() const { return spacing * (pantographs - 1); }
    /// The predictive paper's rig.
    [[nodiscard]] bool mpc() const { return mode == "hil" && controller == "mpc" && rig != "pad"; }
    /// Its idea on the rig that the other controllers have.
    [[nodiscard]] bool rig_mpc() const { return mode == "hil" && controller == "mpc" && rig == "pad"; }
    std::string without_effect;  // why an option does nothing in the mode asked for
};

inline constexpr std::array<std::string_view, 2> modes{"simulate", "hil"};
inline constexpr std::array<std::string_view, 5> controllers{"predictive", "lqg", "paper_lqg", "mpc", "none"};
inline constexpr std::array<std::string_view, 3> rigs{"pad", "linear_drive", "two_drives"};
inline constexpr std::array<std::string_view, 3> engines{"realtime", "reference", "moving"};

/// @return what was asked for, or the exit status where there is nothing to run: after --help, or where the command
/// line is invalid.
std::variant<Options, int> parsed(int argc, char** argv);

}  // namespace panto_run
