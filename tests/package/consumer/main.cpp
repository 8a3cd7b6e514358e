// SPDX-License-Identifier: BSD-3-Clause
// Somebody else's program: uses panto from outside, in each of the ways a package can be found.
#include <panto/core/exchange.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/version.hpp>

#include <cstdio>
#include <string>

#ifdef CONSUMER_USES_IO
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#endif

#ifdef CONSUMER_USES_STUDY
#include <panto/study.hpp>
#ifdef PANTO_STUDY_THREADS
#include <panto/study/threads.hpp>
using Executor = panto::study::Threads;
#elif defined(PANTO_STUDY_MPI)
#include <panto/study/mpi.hpp>
using Executor = panto::study::Mpi;
#else
using Executor = panto::study::Serial;
#endif
#endif

#ifdef CONSUMER_HAS_EVERYTHING
#include <panto/panto.hpp>
double everything();  // in a file that has every header, as this one has most of them
#endif

struct LoadCell {
    panto::Result<double> read() noexcept { return {120.0}; }
};
static_assert(panto::ForceSensor<LoadCell>);

#ifdef CONSUMER_HAS_TWO_UNITS
double first();
double second();
#endif

int main() {
    LoadCell sensor;
    const panto::Vector<double, 2> twice = panto::Vector<double, 2>::Constant(sensor.read().value);
    std::printf("panto %s, %g N\n", std::string(panto::version).c_str(), twice.sum() / 2.0);
    if (panto::version != EXPECTED_VERSION) return 1;
#ifdef CONSUMER_HAS_TWO_UNITS
    if (!(first() < 1.0) || first() != second()) return 4;
#endif
#ifdef CONSUMER_HAS_EVERYTHING
    std::printf("%g\n", everything());
#endif
#ifdef CONSUMER_USES_IO
    // The shipped data lie where the package says, wherever it was moved to.
    std::ifstream file(PANTO_DATA_DIR "/" CONSUMER_DATA_FILE);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto json = nlohmann::json::parse(text, nullptr, false);
    std::printf("%s: %zu bytes\n", CONSUMER_DATA_FILE, text.size());
    if (json.is_discarded() || !json.is_object()) return 2;
#endif
#ifdef CONSUMER_USES_STUDY
    Executor executor;
    const auto results = panto::study::run({.name = "halves", .count = 3}, executor,
                                           [](std::size_t i) { return 0.5 * static_cast<double>(i); });
    if (results.output() != std::vector<double>{0.0, 0.5, 1.0}) return 3;
#endif
    return 0;
}
