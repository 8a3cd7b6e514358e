// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of merit compared with the criteria of the standards, each with the confidence of its limit.
///
/// Confidence: A = at least two public copies agree, B = one copy, C = from memory. No standard was available
/// [EN 50367, EN 50119, TSI Energy; EN 50318:2002 annex A].

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/pantograph/static_force.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::interaction {

struct Criterion {
    std::string name = {};
    std::string unit = {};
    std::optional<double> value = {};       ///< empty if a run cannot provide it
    std::optional<double> limit_low = {};   ///< lowest value allowed
    std::optional<double> limit_high = {};  ///< highest value allowed
    std::string confidence = {};            ///< of the limits
    std::string note = {};
    std::optional<bool> met = {};  ///< empty if value or limits are missing
    bool low_excluded = false;     ///< the value must be above limit_low, which itself is not allowed
    double tolerance = 0.0;        ///< a value this far beyond a limit still meets it
};

enum class PowerSupply : std::uint8_t { ac, dc_3kv, dc_1p5kv };

inline constexpr std::array<std::string_view, 3> power_supply_names{"ac", "dc_3kv", "dc_1p5kv"};

/// @throws SetupError with the nearest name if there is no such supply.
[[nodiscard]] inline PowerSupply power_supply(std::string_view text) {
    return enumerator_of<PowerSupply>("interaction::power_supply", "power supply", text, power_supply_names);
}

namespace detail {

/// A value as the results show it, with four digits.
[[nodiscard]] inline double as_shown(double value) {
    std::array<char, 32> text;
    char* const begin = text.data();
    const auto end = std::to_chars(begin, begin + text.size(), value, std::chars_format::general, 4).ptr;
    std::from_chars(begin, end, value);
    return value;
}

/// Sets `met` if it is empty and both value and limits are given.
[[nodiscard]] inline Criterion judged(Criterion c) {
    if (!c.met && c.value && (c.limit_low || c.limit_high))
        c.met = (!c.limit_low || (c.low_excluded ? *c.value > *c.limit_low
                                                 : as_shown(*c.value) >= as_shown(*c.limit_low - c.tolerance))) &&
                (!c.limit_high || as_shown(*c.value) <= as_shown(*c.limit_high + c.tolerance));
    return c;
}

/// N, by which the mean force of a run may miss its limits. The mean differs from the uplift force by (change of
/// momentum + damping of the frame * change of height) / time, for instance (20 kg * 0.1 m/s + 70 N s/m * 15 mm) / 6 s
/// = 0.5 N. Nobody designs for this difference, and the uplift force of a train by the AC law is the limit itself.
inline constexpr double mean_force_tolerance = 0.5;

/// Speed, m/s, in km/h, without the rounding errors of the conversion: limits change at whole km/h.
[[nodiscard]] inline double whole_kmh(double speed) { return 1e-6 * std::round(3.6e6 * speed); }

}  // namespace detail

struct CriteriaParams {
    PowerSupply supply = PowerSupply::ac;
    std::optional<double> uplift_space = {};  ///< m, available for uplift at the supports of the line
};

/// The criteria of current collection, for a run at `speed`, m/s.
/// @throws SetupError if the speed is negative or not finite, or uplift_space is not positive.
[[nodiscard]] inline std::vector<Criterion> quality_criteria(const FiguresOfMerit& figures, double speed,
                                                             const CriteriaParams& params = {}) {
    require_not_negative(speed, "interaction::quality_criteria", "speed");
    if (params.uplift_space) require_positive(*params.uplift_space, "interaction::quality_criteria", "uplift_space");
    const double kmh = detail::whole_kmh(speed);
    const bool ac = params.supply == PowerSupply::ac;
    const bool slow_ac = ac && kmh <= 200.0;

    Criterion mean{.name = "mean_force",
                   .unit = "N",
                   .value = figures.mean,
                   .note = "over a window of finite length, so 0.5 N beyond a limit are met",
                   .tolerance = detail::mean_force_tolerance};
    using pantograph::StaticForce, pantograph::StaticForceLaw;
    switch (params.supply) {
        case PowerSupply::ac:
            mean.limit_high = StaticForce{.law = StaticForceLaw::ac}(speed);
            mean.limit_low = 60.0;
            break;
        case PowerSupply::dc_3kv:
            mean.limit_high = StaticForce{.law = StaticForceLaw::dc_3kv}(speed);
            mean.limit_low = 90.0;
            break;
        case PowerSupply::dc_1p5kv:
            mean.limit_high = StaticForce{.law = StaticForceLaw::dc_1p5kv}(speed);
            mean.limit_low = 70.0;
            break;
    }
    mean.confidence = ac && !slow_ac ? "A (upper limit), C (lower limit)" : "B (upper limit), C (lower limit)";

    Criterion sigma{.name = "sigma",
                    .unit = "N",
                    .value = figures.sigma,
                    .limit_high = 0.3 * figures.mean,
                    .confidence = "B",
                    .note = "0.3 Fm, required at the highest speed of the line"};
    Criterion lowest{.name = "statistical_min",
                     .unit = "N",
                     .value = figures.statistical_min,
                     .limit_low = 0.0,
                     .confidence = "B",
                     .note = "Fm - 3 sigma",
                     .low_excluded = true};
    Criterion highest{.name = "statistical_max",
                      .unit = "N",
                      .value = figures.statistical_max,
                      .confidence = "C",
                      .note = ac ? "Fm + 3 sigma" : "Fm + 3 sigma; no limit known for DC"};
    if (ac) highest.limit_high = kmh < 200.0 ? 350.0 : 400.0;

    // Arcs are not simulated. Losses of contact of at least this length count as arcs.
    constexpr double shortest_arc = 5e-3;  // s
    double arcing = 0.0;
    for (const ContactLoss& loss : figures.losses)
        if (loss.duration >= shortest_arc * (1.0 - 1e-9))
            arcing += loss.duration;  // 1e-9, because a duration is a sum of steps with rounding errors
    const double duration = static_cast<double>(figures.samples) * figures.time_step;
    Criterion arcs{.name = "arcing_percentage",
                   .unit = "%",
                   .limit_high = ac && kmh < 250.0 ? 0.1 : 0.2,
                   .confidence = ac && kmh < 250.0 ? "B" : "C",
                   .note = "NQ; every loss of contact of 5 ms or more counts as an arc"};
    if (duration > 0.0) arcs.value = 100.0 * arcing / duration;

    Criterion space{.name = "uplift_space_needed",
                    .unit = "m",
                    .confidence = "C",
                    .note = "twice the largest uplift at a support; 1.5 times with uplift stops"};
    if (figures.uplift_max) space.value = 2.0 * *figures.uplift_max;
    space.limit_high = params.uplift_space;

    std::vector<Criterion> all;
    for (Criterion* c : {&mean, &sigma, &lowest, &highest, &arcs, &space}) all.push_back(detail::judged(*c));
    return all;
}

/// Accepted ranges of the EN 50318:2002 reference model at `speed`, m/s. A validated simulation must meet them. The
/// ranges exist only for 250 and 300 km/h.
/// @throws SetupError at any other speed.
[[nodiscard]] inline std::vector<Criterion> en50318_2002_ranges(const FiguresOfMerit& figures, double speed) {
    const double kmh = 3.6 * speed;
    const bool at_250 = std::abs(kmh - 250.0) < 0.5;
    require(at_250 || std::abs(kmh - 300.0) < 0.5, "interaction::en50318_2002_ranges", "speed is ", kmh,
            " km/h, must be 250 or 300 km/h");
    const auto in = [&](const char* name, const char* unit, std::optional<double> value, std::array<double, 2> slow,
                        std::array<double, 2> fast, const char* confidence) {
        const std::array<double, 2>& range = at_250 ? slow : fast;
        return detail::judged({.name = name,
                               .unit = unit,
                               .value = value,
                               .limit_low = range[0],
                               .limit_high = range[1],
                               .confidence = confidence});
    };
    return {in("mean_force", "N", figures.mean, {110, 120}, {110, 120}, "A"),
            in("sigma", "N", figures.sigma, {26, 31}, {32, 40}, "A"),
            in("statistical_max", "N", figures.statistical_max, {190, 210}, {210, 230}, "A"),
            in("statistical_min", "N", figures.statistical_min, {20, 40}, {-5, 20}, "A"),
            in("actual_max", "N", figures.actual_max, {175, 210}, {190, 225}, "B"),
            in("actual_min", "N", figures.actual_min, {50, 75}, {30, 55}, "B"),
            in("uplift_max", "m", figures.uplift_max, {0.048, 0.055}, {0.055, 0.065}, "A"),
            in("contact_loss", "%", figures.loss_percent, {0, 0}, {0, 0}, "A")};
}

}  // namespace panto::interaction
