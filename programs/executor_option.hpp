// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The option that says where the evaluations of a study run.

#pragma once

#include <panto/core/check.hpp>
#include <panto/study/serial.hpp>
#ifdef PANTO_STUDY_THREADS
#include <panto/study/threads.hpp>
#endif
#ifdef PANTO_STUDY_MPI
#include <panto/study/mpi.hpp>
#endif

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

inline void add_executor(CLI::App& app, std::string& chosen) {
    app.add_option("--executor", chosen, "auto: mpi under mpirun, else threads")
        ->check(CLI::IsMember({"auto", "serial", "threads", "mpi"}))
        ->capture_default_str();
}

/// Started by mpirun with others beside it.
inline bool among_others() {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char* size = std::getenv(variable); size && std::string(size) != "1") return true;
    return false;
}

/// Calls conduct(executor) with the one that was chosen.
/// @throws panto::SetupError if it was not built, or several processes would each do all of the work.
template <class Conduct>
void with_executor(const std::string& chosen, Conduct&& conduct) {
    using namespace panto;
#ifdef PANTO_STUDY_MPI
    if (chosen == "mpi" || (chosen == "auto" && study::Mpi::launched())) return conduct(study::Mpi());
#endif
    require(!among_others(), "--executor", "several processes were started, use mpi",
            chosen == "auto" ? ", which was not built: its package was not found" : "",
            ": each would do all of the work");
#ifdef PANTO_STUDY_THREADS
    if (chosen == "threads" || chosen == "auto") return conduct(study::Threads());
#endif
    require(chosen == "serial" || chosen == "auto", "--executor", "'", chosen,
            "' was not built: its package was not found");
    conduct(study::Serial());
}
