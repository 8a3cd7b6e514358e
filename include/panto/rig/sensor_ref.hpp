// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A force sensor whose type is only known at run time.

#pragma once

#include <panto/rig/concepts.hpp>

namespace panto::rig {

/// Non-owning, two-pointer reference to any ForceSensor; itself a ForceSensor. Never allocates.
class SensorRef {
  public:
    template <class S>
        requires(!std::same_as<S, SensorRef>) && ForceSensor<S>
    SensorRef(S& sensor) noexcept
        : self_(&sensor), read_([](void* s) noexcept { return static_cast<S*>(s)->read(); }) {}

    /// @rt if the sensor referred to is.
    [[nodiscard]] Result<double> read() noexcept { return read_(self_); }

  private:
    void* self_;
    Result<double> (*read_)(void*) noexcept;
};

static_assert(ForceSensor<SensorRef>);

}  // namespace panto::rig
