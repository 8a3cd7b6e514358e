// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a run on a rig is compared with: the same passage without a rig, from loaded equilibrium.

#pragma once

#include <panto/catenary/realtime_engine.hpp>
#include <panto/interaction/simulate.hpp>

namespace panto::test {

struct Ideal {
    interaction::ForceRecord record{};
    double force = 0.0, height = 0.0;  ///< N, m, of the contact at the start
};

/// @param p  its start is set here
/// @param whole  false: only the start
inline Ideal ideal_run(const catenary::FiniteElements<>& line, const catenary::PassageParams& passage,
                       interaction::SimulationParams p, bool whole = true) {
    p.start = interaction::Start::loaded_equilibrium;
    catenary::RealTimeEngine<> engine(line, passage);
    const interaction::Simulation<catenary::RealTimeEngine<>> at_rest(engine, p);
    Ideal ideal{.force = at_rest.contact_force(), .height = engine.wire().height};
    if (!whole) return ideal;
    engine.reset();
    ideal.record = interaction::simulate(engine, p).contact;
    return ideal;
}

}  // namespace panto::test
