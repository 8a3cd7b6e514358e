// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A force sensor whose type is only known at run time.

#pragma once

#include <panto/core/check.hpp>
#include <panto/rig/concepts.hpp>

#include <optional>

namespace panto::rig {

/// Non-owning, two-pointer reference to any ForceSensor; itself a ForceSensor. Never allocates.
class SensorRef {
  public:
    template <class S>
        requires(!std::same_as<S, SensorRef>) && ForceSensor<S>
    SensorRef(S& sensor) noexcept : self_(&sensor), table_(&table_of<S>) {}

    /// @rt if the sensor referred to is.
    [[nodiscard]] Result<double> read() noexcept { return table_->read(self_); }
    /// s, of the sensor referred to; empty if it has no dt()
    [[nodiscard]] std::optional<double> dt() const noexcept { return table_->dt(self_); }

  private:
    struct Table {
        Result<double> (*read)(void*) noexcept;
        std::optional<double> (*dt)(const void*) noexcept;
    };

    template <class S>
    static constexpr Table table_of{
        [](void* s) noexcept { return static_cast<S*>(s)->read(); },
        []([[maybe_unused]] const void* s) noexcept -> std::optional<double> {
            if constexpr (KnowsTimeStep<S>)
                return static_cast<const S*>(s)->dt();
            else
                return {};
        },
    };

    void* self_;
    const Table* table_;
};

static_assert(ForceSensor<SensorRef>);

}  // namespace panto::rig
