// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Figures of bogie and train.

#include "../../tests/cases/train_cases.hpp"
#include "rooms.hpp"

namespace panto::test {

Tasks vehicle_tasks() {
    return {{"bogie and train", [] { return vehicle_figures(PANTO_DATA_DIR "/vehicles/tgv_like.json"); }}};
}

}  // namespace panto::test
