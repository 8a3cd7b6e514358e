// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The record of a run, written to disk as CSV while it runs. It remains if the process is killed. POSIX only.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/reason.hpp>
#include <panto/io/csv.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace panto::io {

/// append() stores a row in memory allocated beforehand. A separate thread without real-time priority writes whole
/// lines to disk at the interval `every`. Only one thread at a time may append. Neither thread waits for the other. If
/// the process is killed, at most the rows of the last interval are lost.
class Spool {
  public:
    /// @param head   comments and column names; its values are not written
    /// @param rows   capacity; further rows are not recorded
    /// @throws SetupError naming the file if it cannot be written.
    template <class = void>
    Spool(const std::filesystem::path& file, const CsvTable& head, std::size_t rows,
          std::chrono::milliseconds every = std::chrono::milliseconds(100));
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;
    ~Spool() { close(); }

    /// Stores one value per column; missing values at the end of a row are 0.
    /// @rt
    void append(std::span<const double> row) noexcept {
        const std::size_t at = appended_.load(std::memory_order_relaxed);
        if (at >= rows_) return;
        std::copy_n(row.begin(), std::min(row.size(), columns_), values_.data() + at * columns_);
        appended_.store(at + 1, std::memory_order_release);
    }

    /// Writes the remaining rows and ends the writing thread. Returns why rows could not be written; empty if all were.
    std::string close() {
        if (writer_.joinable()) {
            writer_.request_stop();
            writer_.join();
            ::close(descriptor_);
        }
        return error_ == 0 ? std::string() : reason(error_);
    }

  private:
    void keep_writing(const std::stop_token& stop, std::chrono::milliseconds every) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
            over_.wait_for(lock, stop, every, [] { return false; });
            drain();
        }
        drain();
    }

    /// Writes whole lines, one block at a time. After a failure the file ends with the last whole block.
    void drain() {
        const std::size_t ready = appended_.load(std::memory_order_acquire);
        char digits[32];
        while (written_ < ready && error_ == 0) {
            text_.clear();
            for (; written_ < ready && text_.size() < block; ++written_) {
                for (std::size_t j = 0; j < columns_; ++j) {
                    if (j > 0) text_ += ',';
                    const double value = values_[written_ * columns_ + j];
                    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
                }
                text_ += '\n';
            }
            error_ = write(text_);
            if (error_ != 0 && ::ftruncate(descriptor_, size_) != 0) error_ = errno;
        }
    }

    /// Returns 0 or the error, an errno.
    int write(std::string_view text) {
        const std::size_t bytes = text.size();
        while (!text.empty()) {
            const ssize_t n = ::write(descriptor_, text.data(), text.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return errno;
            text.remove_prefix(static_cast<std::size_t>(n));
        }
        size_ += static_cast<off_t>(bytes);
        return 0;
    }

    static constexpr std::size_t block = std::size_t{1} << 16;  // bytes

    std::size_t columns_;
    std::size_t rows_;
    std::vector<double> values_;  // written at the start, so that there are no page faults later
    std::atomic<std::size_t> appended_{0};
    static_assert(std::atomic<std::size_t>::is_always_lock_free);
    int descriptor_ = -1;
    off_t size_ = 0;           // bytes of whole blocks in the file
    std::size_t written_ = 0;  // rows; used only by the writing thread until it has ended
    int error_ = 0;
    std::string text_;
    std::mutex mutex_;  // only for over_
    std::condition_variable_any over_;
    std::jthread writer_;
};

template <class>
Spool::Spool(const std::filesystem::path& file, const CsvTable& head, std::size_t rows, std::chrono::milliseconds every)
    : columns_(head.columns.size()), rows_(rows), values_(columns_ * rows) {
    const std::string where = "file '" + file.string() + "'";
    CsvTable empty = head;
    for (CsvColumn& column : empty.columns) column.values.clear();
    const std::string text = csv_to_text(empty);
    descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    require(descriptor_ >= 0, where, "cannot be written: ", reason(errno));
    if (const int error = write(text); error != 0) {
        ::close(descriptor_);
        throw SetupError(where + ": cannot be written: " + reason(error));
    }
    text_.reserve(block + 32 * columns_);
    writer_ = std::jthread([this, every](const std::stop_token& stop) { keep_writing(stop, every); });
    const sched_param none{};  // the thread has inherited the priority of this one
    ::pthread_setschedparam(writer_.native_handle(), SCHED_OTHER, &none);
}

#ifdef PANTO_COMPILED
extern template Spool::Spool(const std::filesystem::path&, const CsvTable&, std::size_t, std::chrono::milliseconds);
#endif

}  // namespace panto::io
