// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A drive whose type is only known at run time, e.g. one that comes from a plug-in.

#pragma once

#include <panto/rig/concepts.hpp>

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

  private:
    struct Table {
        Result<Motion> (*read)(void*) noexcept;
        Status (*write)(void*, const Command&) noexcept;
        void (*stop)(void*) noexcept;
    };

    template <class D>
    static constexpr Table table_of{
        [](void* d) noexcept { return static_cast<D*>(d)->read(); },
        [](void* d, const Command& c) noexcept { return static_cast<D*>(d)->write(c); },
        [](void* d) noexcept { static_cast<D*>(d)->stop(); },
    };

    void* self_;
    const Table* table_;
};

}  // namespace panto::rig
