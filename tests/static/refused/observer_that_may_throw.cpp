// SPDX-License-Identifier: BSD-3-Clause
// An observer that is not noexcept, behind std::ref: one sentence says what it lacks.
// refused: rig::run: an observer is called with a const CycleRecord&, is noexcept and returns void or bool
#include <panto/rig/run.hpp>

#include <functional>

#ifdef ACCEPTED
#define PROMISE noexcept
#else
#define PROMISE
#endif

struct Loop {
    panto::Status start() noexcept { return {}; }
    template <class F>
    panto::Status step(F&&) noexcept {
        return {};
    }
    void stop(panto::Status) noexcept {}
    const panto::Exchange& exchange() const noexcept { return exchange_; }
    panto::Exchange exchange_{};
};

template <class ClockType>
void refused(Loop& loop, ClockType& clock) {
    auto watch = [](const panto::rig::CycleRecord&) PROMISE {};
    panto::rig::run(loop, clock, {}, std::ref(watch));
}
struct StillClock {
    std::chrono::nanoseconds now() noexcept { return {}; }
    void sleep_until(std::chrono::nanoseconds) noexcept {}
};
void refuse(Loop& loop, StillClock& clock) { refused(loop, clock); }
