// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading and writing whole files, with errors that name the file, and checks to be made before a run. POSIX only.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/reason.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <locale>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace panto::io {

/// Files above this size are refused: a description or a series of a run is far smaller.
inline constexpr std::size_t largest_file = std::size_t{512} << 20;  ///< bytes

/// In every page that panto writes: it tells them from pages of the user.
inline constexpr std::string_view page_mark = "<footer><p>Written by panto ";

/// The whole file as text.
/// @throws SetupError naming the file if it is missing, a folder, unreadable or too large.
[[nodiscard]] inline std::string read_text(const std::filesystem::path& file) {
    const std::string where = "file '" + file.string() + "'";
    std::error_code error;
    require(std::filesystem::exists(file, error), where, "does not exist");
    require(!std::filesystem::is_directory(file, error), where, "is a folder, a file is needed");
    std::ifstream stream;
    stream.imbue(std::locale::classic());  // no conversion by the locale of the program
    stream.open(file, std::ios::binary);
    require(stream.is_open(), where, "cannot be opened: ", reason(errno));
    std::string text;
    std::string block(std::size_t{1} << 16, '\0');
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
        text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
        require(text.size() <= largest_file, where, "is larger than the 512 MiB this reader accepts");
    }
    require(!stream.bad(), where, "cannot be read: ", reason(errno));
    return text;
}

namespace detail {

/// Removes a file that a killed writer has left: a living writer holds a lock (flock) on its file until it has renamed
/// the file. False if the file is in use, or on a file system without locks.
inline bool remove_abandoned(const std::filesystem::path& part) {
    const int file = ::open(part.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return errno == ENOENT;  // renamed meanwhile
    struct stat locked{}, named{};
    const bool removed = ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &locked) == 0 &&
                         ::lstat(part.c_str(), &named) == 0 && S_ISREG(named.st_mode) &&
                         locked.st_ino == named.st_ino && locked.st_dev == named.st_dev && ::unlink(part.c_str()) == 0;
    ::close(file);
    return removed;
}

/// A new, locked file `part` to write to; null if it could not be made, with the reason in errno, EEXIST if another
/// writer is using this name.
inline std::FILE* new_part(const std::filesystem::path& part) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0) {
            if (errno != EEXIST) return nullptr;
            if (remove_abandoned(part)) continue;
            return errno = EEXIST, nullptr;
        }
        while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
        }
        // Before it was locked, another writer may have taken it for abandoned and removed it.
        struct stat now{};
        if (::fstat(file, &now) == 0 && now.st_nlink > 0)
            if (std::FILE* stream = ::fdopen(file, "wb")) return stream;
        ::close(file);
    }
    return errno = EEXIST, nullptr;
}

}  // namespace detail

/// Replaces the file, or the target of a symbolic link, by `text`. The old content stays until the new
/// text is complete on disk. If several writers write at the same time, the whole text of the last one stays. What a
/// killed writer of this file has left beside the file is removed.
/// @throws SetupError naming the file if it cannot be written, or if something else than a regular file has its name.
inline void write_text(const std::filesystem::path& name, std::string_view text) {
    const std::string where = "file '" + name.string() + "'";
    std::error_code ignored;
    const std::filesystem::file_status there = std::filesystem::status(name, ignored);
    const bool known = std::filesystem::exists(there) && there.type() != std::filesystem::file_type::unknown;
    require(!known || std::filesystem::is_regular_file(there), where,
            std::filesystem::is_directory(there)
                ? "is a folder, a file is needed"
                : "is not a regular file but a device or the like, a regular file is needed");
    const bool link = std::filesystem::is_symlink(name, ignored) && known;
    const std::filesystem::path file = link ? std::filesystem::canonical(name, ignored) : name;
    std::filesystem::path part;
    std::FILE* stream = nullptr;
    for (int i = 1; stream == nullptr; ++i) {  // a new file of its own, whoever else is writing
        part = file;
        part += i == 1 ? ".part" : ".part" + std::to_string(i);
        stream = detail::new_part(part);
        require(stream != nullptr || errno == EEXIST, where, "cannot be written: ", reason(errno));
    }
    int failure = std::fwrite(text.data(), 1, text.size(), stream) == text.size() ? 0 : errno;
    if (std::fflush(stream) != 0 && failure == 0) failure = errno;
    // A network file system may report a full disk only when a file is closed, but the lock has to last until renamed.
    if (const int copy = ::dup(::fileno(stream)); copy >= 0 && ::close(copy) != 0 && failure == 0) failure = errno;
    std::error_code error;
    if (failure == 0) std::filesystem::rename(part, file, error);
    if (failure != 0 || error) std::filesystem::remove(part, ignored);  // the disk is full: do not keep half the text
    (void)std::fclose(stream);                                          // everything is written; this ends the lock
    if (failure != 0) throw SetupError(where + ": cannot be written completely: " + reason(failure));
    if (error) throw SetupError(where + ": cannot be written: " + reason(error.value()));
}

/// Creates the folder if needed and writes a test file into it, so that the results of a run can be stored.
/// @throws SetupError naming the folder and the reason.
inline void require_writable(const std::filesystem::path& folder) {
    const std::string where = "output folder '" + folder.string() + "'";
    require(!folder.empty(), where, "has no name");
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, where, "cannot be created: ", reason(error.value()));
    require(std::filesystem::is_directory(folder, error), where, "is a file, a folder is needed");
    const std::filesystem::path probe = folder / ".panto_write_test";
    errno = 0;
    std::ofstream stream(probe, std::ios::trunc);
    stream << "probe\n";
    stream.flush();
    const int why = errno;
    std::filesystem::remove(probe, error);
    require(stream.good(), where, "is not writable: ", reason(why));
}

/// 16 hexadecimal digits that change when the text changes (FNV-1a, 64 bit), to tell the inputs of two runs apart.
/// It is not cryptographic.
[[nodiscard]] inline std::string fingerprint(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    std::string digits(16, '0');
    for (std::size_t i = digits.size(); i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 0xf];
    return digits;
}

}  // namespace panto::io
