// SPDX-License-Identifier: BSD-3-Clause
// Predictive impedance control of the rig that the other controllers have.
#include "rig_mpc.hpp"

#include <panto/catenary/linearised.hpp>
#include <panto/catenary/moving_period.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace panto;

namespace panto_run {

namespace {

constexpr int most_steps = 1000;  // of catenary::LinearisedLine

/// Refuses a line of which two spans differ on the way of the run.
void require_equal_spans(const Job& job) {
    const catenary::Section<>& section = job.section;
    const catenary::Span* first = nullptr;
    std::size_t of_first = 0;
    const auto same = [](const catenary::Span& a, const catenary::Span& b) {
        const auto at = [](const catenary::Dropper& p, const catenary::Dropper& q) {
            return std::fabs(p.position - q.position) < 1e-6;
        };
        return std::fabs(a.length - b.length) < 1e-6 && std::ranges::equal(a.droppers, b.droppers, at);
    };
    for (std::size_t i = 0; i < section.spans.size(); ++i) {
        const double from = section.support_position(i);
        if (from + section.spans[i].length <= job.passage.start || from >= job.plan.end) continue;
        if (!first) first = &section.spans[i], of_first = i;
        require(same(section.spans[i], *first), "panto_run",
                "--controller mpc needs equal spans where the run passes, ", job.passage.start, " m to ", job.plan.end,
                " m, but spans[", i, "] of '", section.name, "', ", section.spans[i].length, " m with ",
                section.spans[i].droppers.size(), " droppers, differs from spans[", of_first, "], ", first->length,
                " m with ", first->droppers.size(),
                ", in length or places of droppers: use --controller predictive or lqg, or a part of equal spans "
                "(--start, --distance)");
    }
}

}  // namespace

control::RigMpc rig_mpc(const Options& o, const Job& job, const catenary::RealTimeEngine<>& wire) {
    require_equal_spans(job);
    const control::RigMpcParams p{.rig = job.plan.rig};
    const double length = job.section.spans.front().length, dt = job.passage.dt;
    const int cycles = catenary::steps_per_period(length, job.passage.speed, dt, "panto_run");
    const int stages = p.horizon + static_cast<int>(std::ceil(p.rig.loop_delay() - 1e-9));
    const int most = most_steps + 1 - stages;
    require(cycles <= most, "panto_run", "--controller mpc: at ", o.speed_kmh, " km/h a span of ", length, " m takes ",
            cycles, " cycles of ", 1e3 * dt, " ms, at most ", most, ": must be at least ", 3.6 * length / (most * dt),
            " km/h; use a higher --speed, ",
            1e3 * length / (job.passage.speed * most) < longest_mpc_step ? "a larger --dt, " : "",
            "or --controller predictive or lqg");
    const catenary::LinearisedLine about(wire, cycles - 1 + stages);
    return control::RigMpc(p, catenary::periodic_response(about, cycles, 1, stages));
}

}  // namespace panto_run
