// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of lines, their interaction with a pantograph, controllers and virtual rig.

#include <panto/io/csv.hpp>

#include "../../tests/cases/catenary_cases.hpp"
#include "../../tests/cases/control_cases.hpp"
#include "../../tests/cases/interaction_cases.hpp"
#include "../../tests/cases/predictive_cases.hpp"
#include "../../tests/cases/rig_cases.hpp"
#include "rooms.hpp"

namespace panto::test {

Tasks line_tasks(const Targets& targets) {
    Tasks tasks{{"lines at rest", stitched_six_spans},
                {"EN 50318 at rest", [&targets] { return en50318_static(targets); }},
                {"engines, 3 spans", engines_on_three_spans},
                {"engines, 20 spans", [] { return engines_on_twenty_spans(3000); }},
                {"random sections", random_residuals},
                {"EN 50318 at 250 km/h", en50318_at_250},
                {"EN 50318 at 300 km/h", en50318_at_300}};
    for (const int speed : {250, 275, 300}) tasks.push_back({"stitched line", [=] { return stitched_at(speed); }});
    tasks.push_back({"interaction mass", stitched_absolute_damper});
    tasks.push_back({"modeling choices", stitched_sensitivity});
    tasks.push_back({"mass loop", mass_loop});
    tasks.push_back({"control", control_figures});
    for (const int speed : {250, 275, 300}) tasks.push_back({"virtual rig", [=] { return rig_at(speed); }});
    for (const int speed : {250, 275, 300})
        tasks.push_back({"virtual rig with noise", [=] { return rig_with_noise(speed); }});
    tasks.push_back({"virtual rig, other controllers", rig_with_other_controllers});
    tasks.push_back({"predictive rig", predictive_loop});
    return tasks;
}

}  // namespace panto::test
