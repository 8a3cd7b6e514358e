// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Keeps every cycle of a run, the faulty one included, in memory allocated beforehand.

#pragma once

#include <panto/core/check.hpp>
#include <panto/rig/run.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace panto::rig {

/// An observer for rig::run. It has room for the cycles of the schedule it was made for: run() refuses a longer one, so
/// nothing is dropped. Pass it as an lvalue. If an observer of your own contains a Recorder, run() does not see the
/// room() of the Recorder: check it yourself.
class Recorder {
  public:
    /// @throws SetupError if the schedule is invalid or needs more than `most_records`.
    explicit Recorder(const Schedule& schedule, std::int64_t most_records = 20'000'000) {
        require(schedule.valid(), "rig::Recorder", "period is ", static_cast<double>(schedule.period.count()),
                " ns and duration ", static_cast<double>(schedule.duration.count()),
                " ns, the period must be > 0 and the duration >= 0");
        require(schedule.cycles() <= most_records, "rig::Recorder", "the schedule has ", schedule.cycles(),
                " cycles, expected at most ", most_records);
        // resize() writes to the memory, so there are no page faults later. A schedule without cycles has room for the
        // record of a failed start.
        records_.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, schedule.cycles())));
    }

    /// @rt
    void operator()(const CycleRecord& record) noexcept {
        if (used_ < records_.size()) records_[used_++] = record;
    }

    /// Removes the records and keeps the memory.
    void clear() noexcept { used_ = 0; }

    [[nodiscard]] std::int64_t room() const noexcept { return static_cast<std::int64_t>(records_.size() - used_); }
    [[nodiscard]] std::size_t size() const noexcept { return used_; }
    [[nodiscard]] bool empty() const noexcept { return used_ == 0; }
    [[nodiscard]] const CycleRecord& operator[](std::size_t i) const noexcept { return records_[i]; }
    /// The last record; if there is none, an empty record with Status::not_running.
    [[nodiscard]] const CycleRecord& back() const noexcept { return empty() ? nothing_ : records_[used_ - 1]; }
    [[nodiscard]] const CycleRecord* begin() const noexcept { return records_.data(); }
    [[nodiscard]] const CycleRecord* end() const noexcept { return records_.data() + used_; }

    /// One quantity over time, for evaluation: `series([](const Exchange& e) { return e.strip_force; })`.
    template <class Quantity>
    [[nodiscard]] std::vector<double> series(Quantity&& quantity) const {
        std::vector<double> values;
        values.reserve(used_);
        for (const CycleRecord& record : *this) values.push_back(quantity(record.exchange));
        return values;
    }

  private:
    std::vector<CycleRecord> records_;
    CycleRecord nothing_{.exchange = {}, .status = Status::not_running};
    std::size_t used_ = 0;
};

static_assert(CycleObserver<Recorder> && HasRoom<Recorder>);

}  // namespace panto::rig
