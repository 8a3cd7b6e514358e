// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Records: channels over a common or their own time, some samples of which may be missing (NaN).

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/real.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace panto::ident {

/// One recorded quantity.
struct Channel {
    std::string name = {};
    Vector<double, Dynamic> time = {};    ///< s, increasing
    Vector<double, Dynamic> values = {};  ///< in the channel's unit; NaN: missing, if the record allows it
    double scale = 1.0;                   ///< misfits are divided by it; channels in m and in rad need a scale each
    double noise = 0.0;                   ///< standard deviation of its noise; needed for maximum likelihood only
};

/// The meaning of a NaN among the samples.
enum class MissingSamples { refused, left_out };

/// Refuses a channel that cannot be compared with a model.
/// @throws SetupError naming channel, place and value: time and values of different length, fewer than two samples,
/// time that does not increase, an infinite sample, a NaN where none is allowed, a signal that is constant.
inline void check_channel(const Channel& c, MissingSamples missing = MissingSamples::refused) {
    const std::string where = "ident::Channel '" + c.name + "'";
    require(c.time.size() == c.values.size(), where, "time has ", c.time.size(), " entries and values ",
            c.values.size(), ", must be equal");
    require(c.time.size() >= 2, where, c.time.size(), " samples, expected at least 2");
    require_positive(c.scale, where, "scale");
    require_not_negative(c.noise, where, "noise");
    double lowest = 0.0, highest = 0.0;
    int present = 0;
    for (Eigen::Index i = 0; i < c.time.size(); ++i) {
        require_finite(c.time[i], where, "time[", i, "]");
        require(i == 0 || c.time[i] > c.time[i - 1], where, "time[", i, "] is ", c.time[i], " after ",
                i ? c.time[i - 1] : 0.0, ", time must increase");
        const double v = c.values[i];
        if (missing == MissingSamples::left_out && is_nan(v)) continue;
        require(is_finite(v), where, "values[", i, "] is ", v, ", must be finite",
                (is_nan(v) ? ", or NaN where missing samples are left out" : ""));
        lowest = present ? std::min(lowest, v) : v, highest = present ? std::max(highest, v) : v;
        ++present;
    }
    require(present >= 2, where, present, " samples are not missing, expected at least 2");
    require(highest > lowest, where, "all values are ", lowest, ": a constant signal says nothing about dynamics");
}

/// Checks channels that were recorded together.
/// @throws SetupError as check_channel, or if there is none or their lengths differ.
inline void check_record(const std::vector<Channel>& channels, MissingSamples missing = MissingSamples::refused) {
    require(!channels.empty(), "ident::check_record", "there is no channel, at least one is needed");
    for (const Channel& c : channels) {
        check_channel(c, missing);
        require(c.time.size() == channels.front().time.size(), "ident::check_record", "channel '", c.name, "' has ",
                c.time.size(), " samples and channel '", channels.front().name, "' ", channels.front().time.size(),
                ", expected records of the same length");
    }
}

/// Half the time from the sample before to the sample after, s: the trapezoid rule. Missing samples have weight 0 and
/// do not change the weight of the others.
/// @throws SetupError if time and values differ in length.
[[nodiscard]] inline Vector<double, Dynamic> trapezoid_weights(const Channel& c) {
    require(c.time.size() == c.values.size(), "ident::trapezoid_weights", "time has ", c.time.size(),
            " entries and values ", c.values.size(), ", must be equal");
    const Eigen::Index n = c.time.size();
    Vector<double, Dynamic> w(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const double after = i + 1 < n ? c.time[i + 1] - c.time[i] : 0.0;
        const double before = i > 0 ? c.time[i] - c.time[i - 1] : 0.0;
        w[i] = is_finite(c.values[i]) ? 0.5 * (after + before) : 0.0;
    }
    return w;
}

}  // namespace panto::ident
