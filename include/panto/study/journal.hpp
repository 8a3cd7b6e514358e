// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The journal of a study: a text file to which one line is appended for every finished evaluation, so that a killed
/// study can be continued.
///
/// Each line is written by one write() and is kept even if the process is killed. A crash of the computer may lose the
/// lines after the last fdatasync(), which is called every `sync_every` seconds. An incomplete or damaged line does not
/// match its checksum: it is ignored, and that evaluation is repeated. (POSIX)

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/reason.hpp>
#include <panto/study/concepts.hpp>
#include <panto/study/record.hpp>
#include <panto/version.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace panto::study {

class Journal {
  public:
    /// Opens or creates the journal and reads its lines. Only one process at a time can use it.
    /// @param sync_every  s; 0: after every evaluation; infinite: never, the operating system decides
    /// @throws SetupError naming the file if it cannot be used, is not a journal, or belongs to another study: one with
    /// other inputs, sizes, name, or another version of panto, whose results may differ.
    Journal(const std::filesystem::path& file, const Description& study, double sync_every = 1.0)
        : where_("journal '" + file.string() + "'"),
          fingerprint_(study.fingerprint()),
          sync_every_(sync_every),
          known_(study.count) {
        study.check();
        require(sync_every >= 0.0, where_, "sync_every is ", sync_every,
                ", must be a number of at least 0, or infinity");
        require(study.inputs != 0, where_, "study '", study.name,
                "' has no inputs; set Description::inputs to a Hash of all that its results depend on");
        file_.fd = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        require(file_.fd >= 0, where_, "cannot be opened: ", reason(errno));
        struct ::stat kind{};
        require(::fstat(file_.fd, &kind) == 0 && S_ISREG(kind.st_mode), where_, "is not a regular file");
        if (::flock(file_.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            throw SetupError(where_ + ": is in use by another process");

        const std::string text = read();
        const std::string header = first_line(study);
        std::size_t good = 0;  // bytes that are kept
        if (text.empty() || (text.starts_with(opening) && text.size() < header.size() && header.starts_with(text))) {
            truncate(0);  // new, or killed while its first line was written
            write(header);
        } else {
            compare(study, header, text);
            good = header.size();
            for (std::size_t end; (end = text.find('\n', good)) != std::string::npos; good = end + 1) {
                auto record = from_record(study, fingerprint_, std::string_view(text).substr(good, end - good));
                if (!record) {
                    ++damaged_;
                } else {
                    known_[record->index] = std::move(record->outcome);
                }
            }
            if (good < text.size()) {
                ++damaged_;
                truncate(good);
            }
        }
        sync();
    }

    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal() {
        if (dirty_ && is_finite(sync_every_)) ::fdatasync(file_.fd);
    }

    /// The outcomes found, by index; if there are several lines for one evaluation, the last one counts.
    [[nodiscard]] std::vector<std::optional<Outcome>>& known() { return known_; }

    /// Number of incomplete or damaged lines.
    [[nodiscard]] std::size_t damaged() const { return damaged_; }

    /// Appends a line. @throws SetupError naming the file if it cannot be written; earlier lines stay valid.
    void append(std::size_t index, const Outcome& outcome) {
        write(to_record(fingerprint_, index, outcome) + '\n');
        const std::chrono::duration<double> since = Clock::now() - synced_;
        if (since.count() >= sync_every_) sync();
    }

    /// Brings everything to the disk, unless sync_every is infinite. @throws SetupError naming the file if this fails.
    void sync() {
        if (dirty_ && is_finite(sync_every_) && ::fdatasync(file_.fd) != 0 && errno != EINVAL && errno != EROFS)
            throw SetupError(where_ + ": cannot be written to disk: " + reason(errno));
        dirty_ = false;
        synced_ = Clock::now();
    }

  private:
    using Clock = std::chrono::steady_clock;

    struct File {
        int fd = -1;
        File() = default;
        File(const File&) = delete;
        File& operator=(const File&) = delete;
        ~File() {
            if (fd >= 0) ::close(fd);
        }
    };

    static constexpr std::string_view opening = "panto-study-journal ";
    static constexpr std::string_view magic = "panto-study-journal 1 ";

    [[nodiscard]] static std::string first_line(const Description& study) {
        std::string line(magic);
        line.append("panto=").append(version);
        line.append(" count=").append(std::to_string(study.count));
        line.append(" outputs=").append(std::to_string(study.outputs));
        line.append(" inputs=").append(Hash::digits(study.inputs));
        line.append(" name=").append(study.name);
        return line + ' ' + checksum(study.fingerprint(), line) + '\n';
    }

    /// The word after "key=".
    [[nodiscard]] static std::string_view field(std::string_view line, std::string_view key) {
        const std::size_t at = line.find(key);
        if (at == std::string_view::npos) return {};
        line.remove_prefix(at + key.size());
        return line.substr(0, line.find(' '));
    }

    /// @throws SetupError with the first thing that differs.
    void compare(const Description& study, std::string_view header, std::string_view text) const {
        if (text.starts_with(header)) return;
        require(text.starts_with(opening), where_,
                "is not a journal of a study and is left unchanged; choose another file");
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::string_view format = line.substr(opening.size(), line.find(' ', opening.size()) - opening.size());
        require(format == "1", where_, "has format ", format, ", this version of panto reads format 1");
        for (const std::string_view key : {" panto=", " count=", " outputs=", " inputs="}) {
            std::string_view word = key.substr(1, key.size() - 2);
            const std::string_view its = field(line, key.substr(1)), ours = field(header, key.substr(1));
            require(its == ours, where_, "belongs to another study: ", word, " is ", its, " there, and ", ours,
                    " for study '", study.name, "'; remove it or choose another file");
        }
        throw SetupError(where_ + ": belongs to a study with a name other than '" + study.name +
                         "', or its first line is damaged; remove it or choose another file");
    }

    [[nodiscard]] std::string read() const {
        std::string text;
        std::vector<char> block(std::size_t{1} << 16);
        for (;;) {
            const ssize_t n = ::read(file_.fd, block.data(), block.size());
            if (n < 0 && errno == EINTR) continue;
            require(n >= 0, where_, "cannot be read: ", reason(errno));
            if (n == 0) return text;
            text.append(block.data(), static_cast<std::size_t>(n));
        }
    }

    void truncate(std::size_t size) {
        require(::ftruncate(file_.fd, static_cast<off_t>(size)) == 0, where_, "cannot be shortened: ", reason(errno));
        dirty_ = true;
    }

    void write(std::string_view text) {
        dirty_ = true;
        while (!text.empty()) {
            const ssize_t n = ::write(file_.fd, text.data(), text.size());
            if (n < 0 && errno == EINTR) continue;
            require(n >= 0, where_, "cannot be written: ", reason(errno));
            text.remove_prefix(static_cast<std::size_t>(n));
        }
    }

    std::string where_;
    std::uint64_t fingerprint_;
    double sync_every_;
    std::vector<std::optional<Outcome>> known_;
    File file_;
    std::size_t damaged_ = 0;
    bool dirty_ = false;
    Clock::time_point synced_ = Clock::now();
};

}  // namespace panto::study
