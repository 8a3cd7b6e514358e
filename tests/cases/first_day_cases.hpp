// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A simulated rig that differs from what is told of it, made ready and moved as identification needs it.

#pragma once

#include <panto/ident/rig_record.hpp>
#include <panto/rig/commissioning.hpp>
#include <panto/rig/simulated.hpp>

#include <chrono>
#include <cstdint>
#include <random>

namespace panto::test {

/// Raises the pantograph of a simulated rig gently until the drive holds it; then it gains force within two seconds.
inline void raise_pantograph(rig::Simulated& stand, double lift = 120.0) {
    const double gentle = 1.7;  // N
    stand.set_uplift_force(gentle);
    stand.clock.sleep_until(stand.clock.now() + std::chrono::seconds(10));
    for (int i = 1; i <= 100; ++i) {
        stand.set_uplift_force(std::max(gentle, 0.01 * i * lift));
        stand.clock.sleep_until(stand.clock.now() + std::chrono::milliseconds(20));
    }
}

/// Motor, pad, head and delays differ by up to `part` from what is told, each on its own.
inline plant::RigParams unlike(plant::RigParams rig, std::uint32_t seed, double part = 0.3) {
    std::mt19937 random(seed);
    const auto factor = [&] { return 1.0 + part * (static_cast<double>(random()) / 2147483647.5 - 1.0); };
    rig.motor.stiffness *= factor();
    rig.motor.damping *= factor();
    rig.pad_stiffness *= factor();
    rig.pantograph.mass[0] *= factor();
    rig.command_delay *= factor();
    rig.reading_delay *= factor();
    return rig;
}

struct RigRecords {
    rig::CommissioningReport report;
    ident::RigRecord air, contact;
};

/// What a rig does on its first day: made ready with the default plan, with the two excitations. Noise of 1 N and
/// 0.01 mm.
inline RigRecords recorded(rig::SimulatedParams stand_params, const rig::CommissioningPlan& plan = {}) {
    stand_params.uplift_force = 0.0;
    stand_params.start_height = 4e-3;
    rig::Simulated stand(stand_params, 2e-3);
    rig::TaredSensor sensor{stand.sensor};
    rig::Commissioning stages(sensor, stand.drive, stand.clock, plan);
    if (usable(stages.tare()) && usable(stages.excite_in_air())) {
        raise_pantograph(stand);
        if (usable(stages.approach()) && usable(stages.preload()) && usable(stages.excite_in_contact()))
            (void)stages.check_sign();
    }
    return {stages.report(), stages.record(rig::CommissioningStage::excitation_in_air),
            stages.record(rig::CommissioningStage::excitation_in_contact)};
}

inline rig::SimulatedParams noisy(const plant::RigParams& rig, std::uint64_t seed) {
    return {.rig = rig, .force_noise = 1.0, .position_noise = 1e-5, .seed = seed};
}

}  // namespace panto::test
