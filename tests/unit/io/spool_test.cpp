// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A run on disk while it runs: whole lines, in order, without an allocation in the loop, whatever ends the process.

#include <panto/io/csv.hpp>
#include <panto/io/spool.hpp>
#include <panto/session/loop_record.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace panto;
namespace fs = std::filesystem;

namespace spool_test {
namespace {

struct File {
    fs::path path = fs::temp_directory_path() / ("panto_spool_test_" + std::to_string(::getpid()) + ".csv");
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { fs::remove(path); }
};

const io::CsvTable head{{"a comment"}, {{"time_s", {}}, {"force_N", {}}}};

}  // namespace

TEST_CASE("Every row is on disk in the end, to the last digit, and room is all there is") {
    const File file;
    io::Spool spool(file.path, head, 20'000);
    for (int k = 0; k < 20'001; ++k) spool.append(std::array{0.001 * k, 1.0 / (k + 1)});
    CHECK(spool.close().empty());
    const io::CsvTable table = io::read_csv(file.path);
    CHECK(table.comments == head.comments);
    REQUIRE(table.column("time_s").size() == 20'000);
    for (std::size_t k = 0; k < 20'000; ++k) {
        REQUIRE(table.columns[0].values[k] == 0.001 * static_cast<double>(k));
        REQUIRE(table.columns[1].values[k] == 1.0 / static_cast<double>(k + 1));
    }
}

// @rt-tested: Spool::append, loop_sample, append_complete
TEST_CASE("A row costs no allocation, and that of a loop is the one of its evaluation") {
    const File file;
    rig::Recorder recorder(rig::Schedule{.period = std::chrono::milliseconds(2), .duration = std::chrono::seconds(1)});
    interaction::ForceRecord record;
    for (int k = 0; k <= 500; ++k) {
        record.time.push_back(0.002 * k);
        record.position.push_back(0.1 * k);
        record.force.push_back(0.0);
        record.height.push_back(-0.001 * k);
    }
    io::Spool spool(file.path,
                    {{}, {{"t", {}}, {"x", {}}, {"force", {}}, {"height", {}}, {"reference", {}}, {"achieved", {}}}},
                    501);
    const auto allocations = test::allocations_in([&] {
        for (int k = 0; k < 500; ++k) {
            rig::CycleRecord cycle{};
            cycle.exchange.strip_force = 10.0 * k - 50.0;
            cycle.exchange.strip.height = 0.5 * k;
            cycle.exchange.reference.height = 0.25 * k;
            recorder(cycle);
            io::append_complete(spool, record, recorder, 2);
        }
    });
    CHECK(allocations == 0);
    CHECK(spool.close().empty());
    io::RunRecord run;
    io::align_readings(run, record, recorder, 2);
    const io::CsvTable table = io::read_csv(file.path);
    CHECK(table.column("t") == record.time);
    CHECK(table.column("x") == record.position);
    CHECK(table.column("force") == record.force);
    CHECK(table.column("height") == record.height);
    CHECK(table.column("reference") == run.reference_position);
    CHECK(table.column("achieved") == run.achieved_position);
    // Cycle c is given 0.5 c: sample k >= 1 is read in cycle k - 1 + 2, and each sample is a reading of its own.
    for (std::size_t k = 0; k < run.achieved_position.size(); ++k)
        REQUIRE(run.achieved_position[k] == 0.5 * static_cast<double>(k + 1));
}

TEST_CASE("A killed process leaves what it recorded, but for the last moments") {
    const File file;
    const pid_t child = ::fork();
    if (child == 0) {
        io::Spool spool(file.path, head, 1'000'000, std::chrono::milliseconds(5));
        for (int k = 0;; ++k) {
            spool.append(std::array{static_cast<double>(k), 0.5 * k});
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::string text = io::read_text(file.path);
    text.resize(text.rfind('\n') + 1);
    const io::CsvTable table = io::csv_from_text(text, "spool");
    const auto& time = table.column("time_s");
    CHECK(time.size() > 100);
    for (std::size_t k = 0; k < time.size(); ++k) REQUIRE(time[k] == static_cast<double>(k));
}

TEST_CASE("A full disk ends the record after a whole block with a reason, and the loop goes on") {
    const File file;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{300'000, before.rlim_max};
    io::Spool spool(file.path, head, 100'000);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    for (int k = 0; k < 100'000; ++k) spool.append(std::array{0.1 * k, 0.3 * k});
    const std::string trouble = spool.close();
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(trouble == "File too large");
    CHECK(io::read_csv(file.path).column("force_N").size() > 1000);
    CHECK_THROWS_WITH_AS(io::Spool(file.path / "below", head, 10),
                         doctest::Contains("below': cannot be written: Not a"), SetupError);
}

}  // namespace spool_test
