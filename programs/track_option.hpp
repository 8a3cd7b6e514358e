// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A track by the name of a spectrum or by the file of a recording.

#pragma once

#include <panto/io/csv.hpp>
#include <panto/vehicle/irregularity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// "low" or "high" disturbance; nothing for any other name.
inline std::optional<panto::vehicle::TrackSpectrum> spectrum_called(const std::string& name) {
    if (name == "low") return panto::vehicle::TrackSpectrum::low_disturbance();
    if (name == "high") return panto::vehicle::TrackSpectrum::high_disturbance();
    return std::nullopt;
}

/// A random track that rises from level over its first 50 m and falls back over its last; seeds for vertical, alignment
/// and cross level: `seed` and the next two.
inline panto::vehicle::SampledTrack random_track(const panto::vehicle::TrackSpectrum& spectrum, std::uint64_t seed,
                                                 double start, double length) {
    using namespace panto::vehicle;
    return SampledTrack::ramped(RandomTrack::of(spectrum, {}, {seed, seed + 1, seed + 2}), start, length, 0.25,
                                std::min(50.0, 0.5 * length));
}

/// Four rails of a recording: columns position_m (evenly spaced), left_height_m, right_height_m, left_side_m,
/// right_side_m. It rises from level as a random track does.
/// @throws panto::SetupError naming the option and what is wrong with the file.
inline panto::vehicle::SampledTrack recorded_track(const std::string& file) {
    using panto::vehicle::SampledTrack;
    const panto::io::CsvTable table = panto::io::read_csv(file);
    const auto& position = table.column("position_m");
    panto::require(position.size() >= 4, "--track", "has ", position.size(), " rows, expected at least 4");
    const double step = position[1] - position[0];
    panto::require(step > 0.0, "--track", "position_m begins with ", position[0], " and ", position[1],
                   ", must rise from row to row");
    for (std::size_t i = 1; i < position.size(); ++i)
        panto::require(std::abs(position[i] - position[i - 1] - step) < 1e-6 * step, "--track",
                       "position_m is not evenly spaced: ", position[i - 1], " is followed by ", position[i]);
    const auto raw =
        SampledTrack::from_rails(position[0], step, table.column("left_height_m"), table.column("right_height_m"),
                                 table.column("left_side_m"), table.column("right_side_m"), 0.75);
    const double length = raw.end() - raw.start();
    return SampledTrack::ramped(raw, raw.start(), length, step, std::min(50.0, 0.5 * length));
}
