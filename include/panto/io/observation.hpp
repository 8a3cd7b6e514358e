// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The observations of a catenary engine during a run, for statistics and report: force and height at the contact;
/// uplift at the supports and slack droppers, if the engine shows them.

#pragma once

#include <panto/interaction/concepts.hpp>
#include <panto/interaction/record.hpp>
#include <panto/io/run_record.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

namespace panto::io {

/// Holds a reference to an engine and samples it once per step. It allocates at construction; sample() allocates only
/// beyond that room.
template <TravellingContact Engine>
    requires requires(const Engine& engine) {
        { engine.wire() } -> std::convertible_to<Motion>;
    }
class Observation {
  public:
    /// @param samples  number of samples to make room for
    Observation(const Engine& engine, std::size_t samples) : engine_(engine) {
        for (auto* series : {&record_.time, &record_.position, &record_.force, &record_.height})
            series->reserve(samples);
        if constexpr (ShowsSupports<Engine>)
            for (const double position : engine.supports()) {
                record_.supports.push_back({.position = position});
                record_.supports.back().uplift.reserve(samples);
            }
        if constexpr (ShowsDroppers<Engine>)
            for (const auto& d : engine.droppers())
                droppers_.push_back(
                    {.position = d.position, .static_force = d.static_force, .minimum = d.static_force});
        slack_.assign(droppers_.size(), false);
    }

    /// Records the present state of the engine, with the contact force that belongs to it.
    void sample(double force) {
        record_.time.push_back(engine_.time());
        record_.position.push_back(engine_.position());
        record_.force.push_back(force);
        record_.height.push_back(engine_.wire().height);
        if constexpr (ShowsSupports<Engine>)
            for (std::size_t s = 0; s < record_.supports.size(); ++s)
                record_.supports[s].uplift.push_back(engine_.support_uplift(s));
        if constexpr (ShowsDroppers<Engine>)
            for (std::size_t j = 0; j < droppers_.size(); ++j) {
                const double tension = engine_.dropper_force(j);
                const bool slack = tension <= 0.0;
                DropperForce& d = droppers_[j];
                d.minimum = std::min(d.minimum, tension);
                d.slack_time += slack ? engine_.dt() : 0.0;
                d.slack_count += slack && !slack_[j];
                slack_[j] = slack ? 1 : 0;
            }
    }

    [[nodiscard]] const interaction::ForceRecord& record() const noexcept { return record_; }
    [[nodiscard]] interaction::ForceRecord& record() noexcept { return record_; }
    [[nodiscard]] const std::vector<DropperForce>& droppers() const noexcept { return droppers_; }

  private:
    const Engine& engine_;
    interaction::ForceRecord record_;
    std::vector<DropperForce> droppers_;
    std::vector<char> slack_;
};

}  // namespace panto::io
