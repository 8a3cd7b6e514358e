// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A study in several processes gives what one gives, in all of them, and whatever goes wrong ends in all of them.
///     mpirun -n 2 study_mpi                        the tests
///     mpirun -n 2 study_mpi kill <journal> <r> <n> process r dies of SIGKILL in its n-th evaluation
///     mpirun -n 2 study_mpi finish <journal>       finishes that study, 0 if it has the right bits

#define DOCTEST_CONFIG_IMPLEMENT
#include <panto/study/mpi.hpp>
#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>

#include "sample_study.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace panto;

namespace {

study::Mpi* mpi = nullptr;  // one for the program

std::vector<double> slowly(std::size_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return study_sample::evaluate(i);
}

study::Results undisturbed(std::size_t count = 100) {
    return study::run(study_sample::description(count), study::Serial(), study_sample::evaluate);
}

/// The sum over all processes.
int total(int mine) {
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/// A journal of process 0, in a folder that all know.
struct SharedJournal {
    study_sample::JournalPath own;
    std::filesystem::path file = mpi->share([&] { return own.file.string(); });
    SharedJournal() {
        if (mpi->keeps_results()) file = own.file;
    }
    ~SharedJournal() { MPI_Barrier(MPI_COMM_WORLD); }
};

}  // namespace

TEST_CASE("All processes evaluate, and all have the bits of one process") {
    int made = 0;
    const auto results = study::run(study_sample::description(), *mpi, [&](std::size_t i) {
        ++made;
        return slowly(i);
    });
    CHECK(made > 0);
    CHECK(total(made) == 100);
    CHECK(study_sample::same_bits(results, undisturbed()));
}

TEST_CASE("Studies follow one another, of no length too") {
    for (const std::size_t count : {1u, 2u, 3u, 50u}) {
        const auto results = study::run(study_sample::description(count), *mpi, study_sample::evaluate);
        CHECK(study_sample::same_bits(results, undisturbed(count)));
    }
}

TEST_CASE("Who is free gets the next evaluation") {
    if (mpi->size() == 1) return;
    int made = 0;
    study::run({.name = "one long, many short", .count = 30}, *mpi, [&](std::size_t i) {
        ++made;
        std::this_thread::sleep_for(std::chrono::milliseconds(i == 0 ? 500 : 2));
        return 1.0;
    });
    // Whoever got the first evaluation had no time for half of the others.
    CHECK(total(made == 1 ? 1 : 0) >= (mpi->size() == 2 ? 1 : 0));
}

TEST_CASE("A journal is read and written by process 0 and serves all") {
    const SharedJournal journal;
    const study::Options options{.journal = journal.file};
    const auto first = study::run(study_sample::description(), *mpi, study_sample::evaluate, options);
    int made = 0;
    const auto second = study::run(
        study_sample::description(), *mpi,
        [&](std::size_t i) {
            ++made;
            return study_sample::evaluate(i);
        },
        options);
    CHECK(total(made) == 0);
    CHECK(second.resumed == 100);
    CHECK(study_sample::same_bits(first, second));
    // What one process wrote, one thread reads.
    if (mpi->keeps_results())
        CHECK(study::run(study_sample::description(), study::Serial(), study_sample::evaluate, options).resumed == 100);
    MPI_Barrier(MPI_COMM_WORLD);

    auto other = study_sample::description();
    other.inputs = 3;
    CHECK_THROWS_WITH_AS(study::run(other, *mpi, study_sample::evaluate, options),
                         doctest::Contains("belongs to another study: inputs is"), SetupError);
}

TEST_CASE("The end that the observer asks for comes to all processes, and so does what it throws") {
    const auto results = study::run(study_sample::description(), *mpi, slowly,
                                    {.observer = [](const study::Progress& p) { return p.done < 10; }});
    CHECK(results.missing == 90);
    CHECK_THROWS_WITH(
        study::run(study_sample::description(), *mpi, slowly,
                   {.observer = [](const study::Progress&) -> bool { throw std::runtime_error("lamp"); }}),
        "lamp");
    CHECK(study::run(study_sample::description(5), *mpi, slowly).missing == 0);
}

TEST_CASE("Processes that do not agree on the study are told so") {
    if (mpi->size() == 1) return;
    auto mine = study_sample::description();
    if (mpi->rank() == 1) mine.inputs = 9;
    CHECK_THROWS_WITH_AS(study::run(mine, *mpi, slowly),
                         doctest::Contains("process 1 evaluates another study than process 0"), SetupError);
}

int main(int argc, char** argv) {
    study::Mpi processes;
    mpi = &processes;
    const std::string job = argc > 2 ? argv[1] : "";
    if (job == "kill" && argc == 5) {
        const bool victim = processes.rank() == std::atoi(argv[3]);
        int left = std::atoi(argv[4]);
        study::run(study_sample::description(), processes,
                   [&](std::size_t i) {
                       if (victim && --left == 0) std::raise(SIGKILL);
                       std::this_thread::sleep_for(std::chrono::milliseconds(10));
                       return study_sample::evaluate(i);
                   },
                   {.journal = argv[2]});
        return 0;
    }
    if (job == "finish") {
        const auto results = study::run(study_sample::description(), processes, slowly, {.journal = argv[2]});
        const bool good =
            study_sample::same_bits(results, undisturbed()) && results.resumed > 8 && results.resumed < 100;
        std::printf("process %d: %zu of 100 from the journal, %s\n", processes.rank(), results.resumed,
                    good ? "the same bits" : "NOT as it should be");
        return good ? 0 : 1;
    }
    doctest::Context context(argc, argv);
    return context.run();
}
