// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stability of a loop on rigs other than the one its controller was designed for: margins over a set of
/// perturbations, how far a perturbation may go, and the pads on which a kind of controller settles.
///
/// The loop is given as a function loop(plant), which returns the CutLoop of any controller on a plant::SampledModel:
///
///     const auto loop = [&](const plant::SampledModel& rig) { return control::cut_loop(rig, controller, wire); };

#pragma once

#include <panto/control/closed_loop.hpp>
#include <panto/control/margins.hpp>
#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/plant/perturbation.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::control {

/// A function from a plant to the loop of this plant with a controller.
template <class F>
concept LoopOfPlant = requires(const F& loop, const plant::SampledModel& plant) {
    { loop(plant) } -> std::convertible_to<CutLoop>;
};

/// True if disturbances do not grow. If no spring holds the pantograph, wire and pantograph together can rest at any
/// height: the spectral radius is then 1, up to rounding.
[[nodiscard]] constexpr bool settles(double radius) noexcept { return radius < 1.0 + 1e-6; }

/// Radius and margins on every perturbed rig.
/// @param lowest  Hz, see margins(). Below about 10 Hz the wire is held by droppers and supports, which a WireResponse
/// does not model. Loops with it drift there, at the edge of stability, so margins have no meaning.
/// @throws SetupError as plant::perturbed() and margins() do.
template <LoopOfPlant Loop>
[[nodiscard]] std::vector<Margins> margins_over(const plant::RigParams& nominal,
                                                std::span<const plant::Perturbation> perturbations, double dt,
                                                const Loop& loop, double lowest = 10.0) {
    std::vector<Margins> all;
    for (const plant::Perturbation& p : perturbations)
        all.push_back(margins(loop(plant::sampled_model(plant::perturbed(nominal, p, dt), dt)), lowest));
    return all;
}

/// How far a rig may be perturbed in one direction before its loop no longer settles: the largest factor on `direction`
/// up to which the loop settles, `most` if it settles all the way, 0 if it does not settle on the rig as given. The
/// search has steps of most / 50 and may miss a narrower unstable range.
/// @throws SetupError if `most` is not positive, or as plant::perturbed() does for `most` times the direction.
template <LoopOfPlant Loop>
[[nodiscard]] double largest_perturbation(const plant::RigParams& nominal, const plant::Perturbation& direction,
                                          double dt, const Loop& loop, double most = 1.0) {
    require_positive(most, "control::largest_perturbation", "most");
    (void)plant::perturbed(nominal, plant::scaled(direction, most), dt);
    const auto holds = [&](double factor) {
        return settles(
            radius(loop(plant::sampled_model(plant::perturbed(nominal, plant::scaled(direction, factor), dt), dt))));
    };
    constexpr int steps = 50;
    if (!holds(0.0)) return 0.0;
    for (int i = 1; i <= steps; ++i)
        if (const double step = most / steps; !holds(i * step))
            return bisect(holds, (i - 1) * step, i * step, 1e-4).holds;
    return most;
}

/// The intervals of pad stiffness, N/m, in which a kind of controller settles if it is designed for each pad.
/// @param loop    loop(rig) designs the controller for a plant::RigParams and returns its loop on that rig. If it
/// throws a SetupError, this pad counts as one on which the controller does not settle.
/// @param points  number of pads that are tried, in even steps of the logarithm. Each interval begins and ends at a
/// tried pad on which the loop settles.
/// @throws SetupError unless 0 < softest < stiffest and there are two points or more.
template <class LoopOfRig>
[[nodiscard]] std::vector<std::pair<double, double>> settling_pads(plant::RigParams rig, double softest,
                                                                   double stiffest, const LoopOfRig& loop,
                                                                   int points = 31) {
    const char* where = "control::settling_pads";
    require(softest > 0.0 && softest < stiffest && is_finite(stiffest), where, "the range of pads goes from ", softest,
            " to ", stiffest, " N/m, must be finite, above 0 and rising");
    require(points >= 2, where, "points is ", points, ", must be >= 2");
    std::vector<std::pair<double, double>> parts;
    bool before = false;
    for (int i = 0; i < points; ++i) {
        rig.pad_stiffness = softest * std::pow(stiffest / softest, static_cast<double>(i) / (points - 1));
        bool now;
        try {
            now = settles(radius(loop(rig)));
        } catch (const SetupError&) {
            now = false;
        }
        if (now && !before) parts.emplace_back(rig.pad_stiffness, rig.pad_stiffness);
        if (now) parts.back().second = rig.pad_stiffness;
        before = now;
    }
    return parts;
}

/// The intervals without the pads near their borders, on which a loop only just settles and runs end in oscillations.
/// Each border moves inward by `margin`, a factor above 1; borders at `softest` or `stiffest`, where the search ended,
/// stay. Intervals narrower than that are left out.
[[nodiscard]] inline std::vector<std::pair<double, double>> inner_pads(
    const std::vector<std::pair<double, double>>& parts, double softest, double stiffest, double margin) {
    std::vector<std::pair<double, double>> inner;
    for (auto [from, to] : parts) {
        if (from > softest * (1.0 + 1e-9)) from *= margin;
        if (to < stiffest * (1.0 - 1e-9)) to /= margin;
        if (from <= to * (1.0 + 1e-9)) inner.emplace_back(from, std::max(from, to));
    }
    return inner;
}

/// "5 to 31 and 80 to 300 kN/m", or "none from 1 to 1000 kN/m". Borders are rounded inward, to four digits.
[[nodiscard]] inline std::string shown_pads(const std::vector<std::pair<double, double>>& parts, double softest,
                                            double stiffest) {
    const auto kilo = [](double pad) { return shown(1e-3 * pad, 4); };
    const auto inward = [&](double pad, double way) {  // way: 1 up, -1 down
        const double digit = std::pow(10.0, std::floor(std::log10(pad)) - 3.0), count = pad / digit;
        const double whole = std::round(count);
        if (std::abs(count - whole) < 1e-6 * whole) return kilo(pad);
        return kilo(digit * (way > 0.0 ? std::ceil(count) : std::floor(count)));
    };
    if (parts.empty()) return "none from " + kilo(softest) + " to " + kilo(stiffest) + " kN/m";
    std::string text;
    for (const auto& [from, to] : parts)
        text +=
            (text.empty() ? "" : " and ") + (from < to ? inward(from, 1.0) + " to " + inward(to, -1.0) : kilo(from));
    return text + " kN/m";
}

/// Refuses a rig on which a kind of controller does not settle, and names the pads on which it does, with a margin of
/// 25 % of stiffness or a little more: the loop also settles on pads by that much softer and stiffer.
/// @param loop  as for settling_pads()
/// @param what  name of the controller for the message
/// @param hint  end of the message: what the user can do
/// @param stiffest  N/m, stiffest pad on which this kind of controller is known to run; it may settle on stiffer ones
/// @throws SetupError if the loop does not settle, if the pad is stiffer than `stiffest`, and as `loop` does.
template <class LoopOfRig>
void require_settles(const plant::RigParams& rig, const LoopOfRig& loop, std::string_view where, std::string_view what,
                     std::string_view hint = {}, double stiffest = HUGE_VAL) {
    require(stiffest > 0.0, "control::require_settles", "stiffest is ", stiffest, " N/m, must be above 0");
    const double growth = radius(loop(rig));
    if (settles(growth) && rig.pad_stiffness <= stiffest) return;
    const double to = std::min(1e6, stiffest), from = std::min(1e3, 0.1 * to);  // N/m
    constexpr int steps = 30;
    const double step = std::pow(to / from, 1.0 / steps);
    const double margin = std::pow(step, std::ceil(std::log(1.25) / std::log(step)));  // to a pad that was tried
    const auto parts = inner_pads(settling_pads(rig, from, to, loop, steps + 1), from, to, margin);
    const std::string pads = shown_pads(parts, from, to);
    const char* end = hint.empty() ? "" : ". ";
    require(settles(growth), where, what, " does not settle on a pad of ", rig.pad_stiffness,
            " N/m: disturbances grow by a factor of ", growth, " a step. On this rig it settles on these pads: ", pads,
            end, hint);
    require(false, where, what, " settles on a pad of ", rig.pad_stiffness, " N/m, but its runs on pads above ",
            stiffest, " N/m ended in a fault. On this rig it settles on these pads: ", pads, end, hint);
}

}  // namespace panto::control
