// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files and folders: an output folder that cannot work is found before a run, and nothing is lost when writing fails.

#include <panto/io/file.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace panto;
namespace fs = std::filesystem;

namespace file_test {
namespace {

/// A fresh folder that is gone afterwards.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("panto_file_test_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("A text is written whole and read back, and leaves nothing beside it") {
    const Folder folder;
    const std::string text("one\r\ntwo\0three\xff", 14);
    io::write_text(folder.path / "a.txt", text);
    io::write_text(folder.path / "a.txt", text + "again");
    CHECK(io::read_text(folder.path / "a.txt") == text + "again");
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("What a killed writer has left is removed by the next one, what a living one is writing is not") {
    const Folder folder;
    const auto files = [&] { return std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()); };
    for (const char* left : {"a.txt.part", "b.txt.part", "b.txt.part2"}) std::ofstream(folder.path / left) << "half";
    io::write_text(folder.path / "a.txt", "whole");
    CHECK(io::read_text(folder.path / "a.txt") == "whole");
    CHECK(files() == 3);

    const fs::path busy = folder.path / "b.txt.part";
    const int writer = ::open(busy.c_str(), O_WRONLY);
    REQUIRE(::flock(writer, LOCK_EX | LOCK_NB) == 0);
    io::write_text(folder.path / "b.txt", "whole");
    CHECK(io::read_text(folder.path / "b.txt") == "whole");
    CHECK(fs::exists(busy));
    CHECK_FALSE(fs::exists(folder.path / "b.txt.part2"));
    ::close(writer);
    io::write_text(folder.path / "b.txt", "again");
    CHECK(files() == 2);

    const pid_t child = ::fork();
    if (child == 0) {  // killed before it has renamed its file
        (void)io::detail::new_part(folder.path / "c.txt.part");
        ::raise(SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(fs::exists(folder.path / "c.txt.part"));
    io::write_text(folder.path / "c.txt", "whole");
    CHECK(files() == 3);
}

TEST_CASE("A usable output folder is created, with its parents, and left empty") {
    const Folder folder;
    const fs::path deep = folder.path / "x" / "y with space";
    io::require_writable(deep);
    CHECK(fs::is_directory(deep));
    CHECK(fs::is_empty(deep));
    CHECK_NOTHROW(io::require_writable(deep));
}

TEST_CASE("An output folder that cannot be is refused with its name and the reason") {
    const Folder folder;
    const fs::path file = folder.path / "file";
    std::ofstream(file) << "content";
    // Below a regular file nothing can be created, not even by root.
    CHECK_THROWS_WITH_AS(io::require_writable(file / "out"),
                         doctest::Contains("file/out': cannot be created: Not a directory"), SetupError);
    CHECK_THROWS_WITH_AS(io::require_writable(file), doctest::Contains("file'"), SetupError);
    CHECK_THROWS_WITH_AS(io::require_writable(""), "output folder '': has no name", SetupError);
    CHECK_THROWS_WITH_AS(io::require_writable("/proc/panto"), doctest::Contains("output folder '/proc/panto': "),
                         SetupError);
    CHECK(io::read_text(file) == "content");
}

TEST_CASE("A folder on a full disk is refused, and nothing stays in it") {
    const Folder folder;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit full{0, before.rlim_max};  // no byte can be written
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
    CHECK_THROWS_WITH_AS(io::require_writable(folder.path), doctest::Contains("is not writable: File too large"),
                         SetupError);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(fs::is_empty(folder.path));
}

TEST_CASE("A file that cannot be written is named, and what was there stays") {
    const Folder folder;
    fs::create_directories(folder.path / "taken" / "by a folder");
    CHECK_THROWS_WITH_AS(io::write_text(folder.path / "taken", "text"),
                         doctest::Contains("taken': is a folder, a file is needed"), SetupError);
    CHECK(fs::is_directory(folder.path / "taken" / "by a folder"));
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
    CHECK_THROWS_WITH_AS(io::write_text(folder.path / "no" / "such" / "place", "text"),
                         doctest::Contains("No such file or directory"), SetupError);
}

TEST_CASE("Behind a link the file is replaced, not the link, and what is no regular file is left alone") {
    const Folder folder;
    io::write_text(folder.path / "a.txt", "old");
    fs::create_symlink("a.txt", folder.path / "link");
    io::write_text(folder.path / "link", "new");
    CHECK(fs::is_symlink(folder.path / "link"));
    CHECK(io::read_text(folder.path / "a.txt") == "new");

    const fs::path pipe = folder.path / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH_AS(
        io::write_text(pipe, "text"),
        doctest::Contains("pipe': is not a regular file but a device or the like, a regular file is needed"),
        SetupError);
    CHECK(fs::is_fifo(pipe));
}

TEST_CASE("Two writers of one file never share what they write, and each puts a whole text in place") {
    const Folder folder;
    const fs::path file = folder.path / "a.txt", others = folder.path / "a.txt.part";
    std::ofstream other(others);  // of a writer that is not done yet, and so holds a lock
    const int lock = ::open(others.c_str(), O_RDONLY);
    REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
    other << "half of another" << std::flush;
    io::write_text(file, "whole");
    CHECK(io::read_text(file) == "whole");
    REQUIRE(fs::exists(others));
    CHECK(io::read_text(others) == "half of another");
    fs::remove(others);
    ::close(lock);

    std::vector<pid_t> writers;
    for (const char letter : {'a', 'b', 'c'}) {
        writers.push_back(::fork());
        if (writers.back() != 0) continue;
        int failed = 0;
        for (std::size_t i = 1; i <= 100; ++i) {
            try {
                io::write_text(file, std::string(1000 * i, letter));
            } catch (const SetupError&) {
                ++failed;
            }
        }
        ::_exit(failed);
    }
    int torn = 0;
    for (int i = 0; i < 100; ++i) {
        const std::string text = io::read_text(file);
        torn += text != "whole" && (text.empty() || text != std::string(text.size(), text[0]) || text.size() % 1000);
    }
    for (const pid_t writer : writers) {
        int status = 0;
        REQUIRE(::waitpid(writer, &status, 0) == writer);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    CHECK(torn == 0);
    CHECK(io::read_text(file).size() == 100'000);
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("A text that does not fit on the disk leaves neither half a file nor another one") {
    const Folder folder;
    io::write_text(folder.path / "a.txt", "old");
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // writing beyond the limit then fails as on a full disk
    const rlimit small{1000, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    std::string message;
    try {
        io::write_text(folder.path / "a.txt", std::string(100'000, 'x'));
    } catch (const SetupError& e) {
        message = e.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(message.find("a.txt': cannot be written completely: File too large") != std::string::npos);
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
    CHECK(io::read_text(folder.path / "a.txt") == "old");
}

TEST_CASE("The fingerprint is that of FNV-1a and changes with every byte") {
    // Published test vectors of FNV-1a, 64 bit.
    CHECK(io::fingerprint("") == "cbf29ce484222325");
    CHECK(io::fingerprint("a") == "af63dc4c8601ec8c");
    CHECK(io::fingerprint("foobar") == "85944171f73967e8");
}

}  // namespace file_test
