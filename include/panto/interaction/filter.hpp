// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The low-pass filters for evaluating contact forces, by name. The choice alone changes sigma by up to 5 %
/// (docs/interaction.md), so a published figure is incomplete without the name of its filter.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/interaction/butterworth.hpp>
#include <panto/interaction/spectrum.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace panto::interaction {

/// "3db" and "6db" are the attenuation of both passes together at the cut-off, in dB.
enum class ContactForceFilter : std::uint8_t {
    butterworth3_zero_phase_3db,  ///< -3 dB at 20 Hz, as in EN 50317 and EN 50318; the default
    butterworth3_zero_phase_6db,  ///< as in the reference figures of the stitched line: sosfiltfilt(butter(3, 20))
    butterworth6_causal,          ///< one pass of order 6, as in a measuring system; with a delay
    fft_brick_wall                ///< removes everything above the cut-off and nothing below
};

inline constexpr std::array<std::string_view, 4> contact_force_filter_names{
    "butterworth3_zero_phase_3db", "butterworth3_zero_phase_6db", "butterworth6_causal", "fft_brick_wall"};

[[nodiscard]] constexpr std::string_view name(ContactForceFilter filter) noexcept {
    return contact_force_filter_names[static_cast<std::size_t>(filter)];
}

/// @throws SetupError with the nearest name if there is no such filter.
[[nodiscard]] inline ContactForceFilter contact_force_filter(std::string_view text) {
    return enumerator_of<ContactForceFilter>("interaction::contact_force_filter", "contact force filter", text,
                                             contact_force_filter_names);
}

/// Ratio r of the cut-off of each pass to the wanted one, at which two passes of order 3 together have -3 dB:
/// (1 + r^-6)^2 = 2.
[[nodiscard]] inline double two_pass_cut_off_ratio() { return std::pow(std::numbers::sqrt2 - 1.0, -1.0 / 6.0); }

/// The whole record, filtered.
/// @param time_step s
/// @param cut_off   Hz
/// @throws SetupError if a sample is not finite, the record is too short for the filter or the cut-off is not below
/// half the sampling rate.
[[nodiscard]] inline std::vector<double> filtered(ContactForceFilter filter, const std::vector<double>& samples,
                                                  double time_step, double cut_off = 20.0) {
    for (std::size_t i = 0; i < samples.size(); ++i) require_finite(samples[i], "interaction::filtered", "sample ", i);
    switch (filter) {
        case ContactForceFilter::butterworth3_zero_phase_3db: break;
        case ContactForceFilter::butterworth3_zero_phase_6db:
            return low_pass_zero_phase(samples, 3, cut_off, time_step);
        case ContactForceFilter::butterworth6_causal: return low_pass_causal(samples, 6, cut_off, time_step);
        case ContactForceFilter::fft_brick_wall: return low_pass_brick_wall(samples, cut_off, time_step);
    }
    return low_pass_zero_phase(samples, 3, two_pass_cut_off_ratio() * cut_off, time_step);
}

}  // namespace panto::interaction
