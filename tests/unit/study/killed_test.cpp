// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A study killed by SIGKILL at random, 50 times, goes on from its journal to the same bits. The test starts itself as
/// the study to be killed, so that each one begins in a fresh process.

#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>
#ifdef PANTO_STUDY_THREADS
#include <panto/study/threads.hpp>
#endif

#include "sample_study.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace panto;

namespace study_killed_test {
namespace {

constexpr std::size_t evaluations = 60;
constexpr const char* victim = "the study that is killed";
constexpr const char* journal_variable = "PANTO_TEST_KILLED_JOURNAL";
constexpr const char* executor_variable = "PANTO_TEST_KILLED_EXECUTOR";

std::vector<double> slowly(std::size_t i) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    return study_sample::evaluate(i);
}

void run_with(const std::string& executor, const auto& f, const study::Options& options, study::Results& results) {
#ifdef PANTO_STUDY_THREADS
    if (executor == "threads") {
        study::Threads threads(2);
        results = study::run(study_sample::description(evaluations), threads, f, options);
        return;
    }
#endif
    REQUIRE((executor == "serial" || executor == "threads"));
    results = study::run(study_sample::description(evaluations), study::Serial(), f, options);
}

/// Starts the victim, waits until its journal has `bytes`, and a little, and kills it. True if that was before its end.
bool start_and_kill(const std::filesystem::path& journal, const char* executor, std::size_t bytes,
                    std::chrono::microseconds later) {
    ::setenv(journal_variable, journal.c_str(), 1);
    ::setenv(executor_variable, executor, 1);
    const std::string chosen = std::string("--test-case=") + victim;
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/proc/self/exe", "victim", chosen.c_str(), "--no-skip", "--quiet", static_cast<char*>(nullptr));
        ::_exit(77);
    }
    REQUIRE(child > 0);
    int status = 0;
    std::error_code none;
    for (;;) {
        if (::waitpid(child, &status, WNOHANG) == child) {
            REQUIRE(WIFEXITED(status));
            REQUIRE(WEXITSTATUS(status) == 0);
            return false;
        }
        const auto size = std::filesystem::file_size(journal, none);
        if (!none && size >= bytes) break;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    std::this_thread::sleep_for(later);
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace

TEST_CASE("the study that is killed" * doctest::skip()) {
    const char* journal = std::getenv(journal_variable);
    const char* executor = std::getenv(executor_variable);
    if (!journal || !executor) return;
    study::Results results;
    run_with(executor, slowly, {.journal = journal}, results);
}

TEST_CASE("A study killed at random resumes to the same bits, 50 times") {
    const char* chosen = std::getenv("PANTO_TEST_SEED");
    const unsigned seed = chosen ? static_cast<unsigned>(std::strtoul(chosen, nullptr, 10)) : std::random_device()();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto whole = study::run(study_sample::description(evaluations), study::Serial(), study_sample::evaluate);
    const study_sample::JournalPath path;
    study::Results results;
    run_with("serial", study_sample::evaluate, {.journal = path.file}, results);
    const auto full = static_cast<std::size_t>(std::filesystem::file_size(path.file));

    int killed = 0, in_the_middle = 0, attempts = 0;
    for (int round = 0; killed < 50; ++round) {
        CAPTURE(round);
        REQUIRE(attempts < 500);  // a victim always at its end before it is hit would be no test
        std::filesystem::remove(path.file);
        const char* executor = round % 2 ? "threads" : "serial";
        const int kills = 1 + static_cast<int>(random() % 3);  // of one study, one after the other
        for (int k = 0; k < kills; ++k, ++attempts)
            killed += start_and_kill(path.file, executor, random() % full, std::chrono::microseconds(random() % 500));
        std::atomic<std::size_t> made = 0;
        const auto counted = [&](std::size_t i) {
            ++made;
            return study_sample::evaluate(i);
        };
        results = study::run(study_sample::description(evaluations), study::Serial(), counted, {.journal = path.file});
        REQUIRE(made + results.resumed == evaluations);
        in_the_middle += results.resumed > 0 && made > 0;
        REQUIRE(study_sample::same_bits(whole, results));
    }
    CHECK(in_the_middle > 5);
}

}  // namespace study_killed_test
