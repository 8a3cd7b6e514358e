// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A drive whose type is only known at run time, e.g. one that comes from a plug-in.

#pragma once

#include <panto/core/check.hpp>
#include <panto/plant/rig.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/fault.hpp>
#include <panto/rig/parts.hpp>

#include <optional>

namespace panto::rig {

/// Non-owning, two-pointer reference to any Drive that takes CommandType; itself a Drive.
/// Costs one indirect call per operation and never allocates.
template <class CommandType>
class DriveRef {
  public:
    using Command = CommandType;

    template <class D>
        requires(!std::same_as<D, DriveRef>) && Drive<D> && std::same_as<typename D::Command, CommandType>
    DriveRef(D& drive) noexcept : self_(&drive), table_(&table_of<D>) {}

    /// @rt if the drive referred to is.
    [[nodiscard]] Result<Motion> read() noexcept { return table_->read(self_); }
    /// @rt if the drive referred to is.
    Status write(const Command& c) noexcept { return table_->write(self_, c); }
    /// @rt if the drive referred to is.
    void stop() noexcept { table_->stop(self_); }
    /// Calls begin_run() of the drive, if it has one. @rt if that is.
    void begin_run() noexcept { table_->begin_run(self_); }
    /// The fault() of the drive; with Status::ok if it has none. @rt if the drive referred to is.
    [[nodiscard]] const Fault& fault() const noexcept { return table_->fault(self_); }
    /// s, of the drive referred to; empty if it has no dt()
    [[nodiscard]] std::optional<double> dt() const noexcept { return table_->dt(self_); }
    /// Of the drive referred to; null if it has no rig_params().
    [[nodiscard]] const plant::RigParams* rig_params() const noexcept { return table_->rig_params(self_); }

  private:
    struct Table {
        Result<Motion> (*read)(void*) noexcept;
        Status (*write)(void*, const Command&) noexcept;
        void (*stop)(void*) noexcept;
        void (*begin_run)(void*) noexcept;
        const Fault& (*fault)(const void*) noexcept;
        std::optional<double> (*dt)(const void*) noexcept;
        const plant::RigParams* (*rig_params)(const void*) noexcept;
    };

    static constexpr Fault no_fault{};

    template <class D>
    static constexpr Table table_of{
        [](void* d) noexcept { return static_cast<D*>(d)->read(); },
        [](void* d, const Command& c) noexcept { return static_cast<D*>(d)->write(c); },
        [](void* d) noexcept { static_cast<D*>(d)->stop(); },
        []([[maybe_unused]] void* d) noexcept {
            if constexpr (BeginsRun<D>) static_cast<D*>(d)->begin_run();
        },
        []([[maybe_unused]] const void* d) noexcept -> const Fault& {
            if constexpr (TellsFault<D>)
                return static_cast<const D*>(d)->fault();
            else
                return no_fault;
        },
        []([[maybe_unused]] const void* d) noexcept -> std::optional<double> {
            if constexpr (KnowsTimeStep<D>)
                return static_cast<const D*>(d)->dt();
            else
                return {};
        },
        []([[maybe_unused]] const void* d) noexcept -> const plant::RigParams* {
            if constexpr (plant::MayKnowRig<D>)
                return static_cast<const D*>(d)->rig_params();
            else if constexpr (plant::KnowsRig<D>)
                return &static_cast<const D*>(d)->rig_params();
            else
                return nullptr;
        },
    };

    void* self_;
    const Table* table_;
};

}  // namespace panto::rig
