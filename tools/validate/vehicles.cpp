// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of bogie, train and suspension elements.

#include "../../tests/cases/bogie_cases.hpp"
#include "../../tests/cases/train_cases.hpp"
#include "rooms.hpp"

namespace panto::test {

Tasks vehicle_tasks() {
    return {{"bogie and train", [] { return vehicle_figures(PANTO_DATA_DIR "/vehicles/tgv_like.json"); }},
            {"runs of the bogie", bogie_figures},
            {"gradients of the bogie", bogie_gradient_figures},
            {"creep laws", creep_figures},
            {"suspension elements", element_figures},
            {"track", track_figures}};
}

}  // namespace panto::test
