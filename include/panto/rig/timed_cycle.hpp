// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A cycle that measures its steps with the real clock, even if the clock of the rig is simulated. If a loop measures
/// its own computing time, took(), this time is used instead.

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/histogram.hpp>

#include <chrono>
#include <cstdint>

namespace panto::rig {

/// Holds a reference to the cycle; for rig::run.
template <class CycleType>
struct TimedCycle {
    CycleType& cycle;
    std::chrono::nanoseconds period = {};
    Histogram times{};
    std::int64_t overruns = 0;  ///< steps that took longer than `period`

    Status start() noexcept { return cycle.start(); }
    Status stop(Status why) noexcept { return cycle.stop(why); }
    [[nodiscard]] const Exchange& exchange() const noexcept { return cycle.exchange(); }
    [[nodiscard]] double dt() const noexcept { return cycle.dt(); }  ///< s
    [[nodiscard]] const Fault& fault() const noexcept { return cycle.fault(); }
    [[nodiscard]] std::int64_t steps_on_line() const noexcept
        requires KnowsItsEnd<CycleType>
    {
        return cycle.steps_on_line();
    }
    template <class Mark>
    Status step(Mark mark) noexcept {
        const auto began = std::chrono::steady_clock::now();
        const Status status = cycle.step(mark);
        std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
        if constexpr (requires { cycle.took(); }) took = cycle.took();
        times.add(took);
        overruns += took > period;
        return status;
    }
};

}  // namespace panto::rig
