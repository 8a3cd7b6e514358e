// SPDX-License-Identifier: BSD-3-Clause
// A drive whose write() is not noexcept: an exception in a running loop would leave the drive moving.
// refused: noexcept
#include <panto/control/concepts.hpp>
#include <panto/rig/concepts.hpp>

#ifdef ACCEPTED
#define PROMISE noexcept
#else
#define PROMISE
#endif

struct LabDrive {
    using Command = panto::PositionCommand;
    panto::Result<panto::Motion> read() noexcept { return {}; }
    panto::Status write(const Command&) PROMISE { return panto::Status::ok; }
    void stop() noexcept {}
};
static_assert(panto::Drive<LabDrive>);
