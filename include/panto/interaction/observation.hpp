// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is recorded of a catenary engine during a run, for statistics and reports: force and height at the contact, and
/// uplift at the supports and slack droppers, if the engine gives them. Simulations and closed loops share this record.

#pragma once

#include <panto/interaction/concepts.hpp>
#include <panto/interaction/record.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

namespace panto::interaction {

/// Holds a reference to an engine and samples it once per step. It allocates at construction; sample() allocates only
/// if there are more samples than expected.
template <ShowsWire Engine>
class Observation {
  public:
    /// @param samples  expected number of samples, for which memory is allocated
    Observation(const Engine& engine, std::size_t samples) : engine_(engine) {
        ForceRecord& contact = record_.contact;
        for (auto* series : {&contact.time, &contact.position, &contact.force, &contact.height})
            series->reserve(samples);
        record_.slack_droppers.reserve(samples);
        if constexpr (ShowsSupports<Engine>)
            for (const double position : engine.supports()) {
                contact.supports.push_back({.position = position});
                contact.supports.back().uplift.reserve(samples);
            }
        if constexpr (ShowsDroppers<Engine>)
            for (const auto& d : engine.droppers())
                record_.droppers.push_back({.position = d.position,
                                            .static_force = d.static_force,
                                            .smallest = d.static_force,
                                            .largest = d.static_force});
        slack_.assign(record_.droppers.size(), 0);
    }

    /// Records the present state of the engine, with the contact force that belongs to it, N.
    void sample(double force) {
        ForceRecord& contact = record_.contact;
        contact.time.push_back(engine_.time());
        contact.position.push_back(engine_.position());
        contact.force.push_back(force);
        contact.height.push_back(engine_.wire().height);
        if constexpr (ShowsSupports<Engine>)
            for (std::size_t s = 0; s < contact.supports.size(); ++s)
                contact.supports[s].uplift.push_back(engine_.support_uplift(s));
        if constexpr (ShowsDroppers<Engine>) {
            int slack_now = 0;
            for (std::size_t j = 0; j < record_.droppers.size(); ++j) {
                const double tension = engine_.dropper_force(j);
                const bool slack = tension <= 0.0;
                DropperRecord& d = record_.droppers[j];
                d.smallest = std::min(d.smallest, tension);
                d.largest = std::max(d.largest, tension);
                d.slack_steps += slack;
                d.slack_time += slack ? engine_.dt() : 0.0;
                d.slack_count += slack && !slack_[j];
                slack_now += slack;
                slack_[j] = slack ? 1 : 0;
            }
            record_.slack_droppers.push_back(slack_now);
        } else if constexpr (requires {
                                 { engine_.slack_droppers() } -> std::convertible_to<int>;
                             }) {
            record_.slack_droppers.push_back(engine_.slack_droppers());
        }
    }

    [[nodiscard]] const SimulationRecord& record() const noexcept { return record_; }
    [[nodiscard]] SimulationRecord& record() noexcept { return record_; }

  private:
    const Engine& engine_;
    SimulationRecord record_;
    std::vector<char> slack_;
};

}  // namespace panto::interaction
