// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// When and where a run was made, for its report. POSIX only.

#pragma once

#include <ctime>
#include <fstream>
#include <string>
#include <sys/utsname.h>
#include <thread>

namespace panto::io {

/// "2026-01-31 14:05:09 UTC", in any locale.
[[nodiscard]] inline std::string date_now() {
    const std::time_t now = std::time(nullptr);
    std::tm t{};
    ::gmtime_r(&now, &t);
    const auto two = [](int n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return std::to_string(1900 + t.tm_year) + "-" + two(t.tm_mon + 1) + "-" + two(t.tm_mday) + " " + two(t.tm_hour) +
           ":" + two(t.tm_min) + ":" + two(t.tm_sec) + " UTC";
}

/// "rig3, 8 threads of AMD EPYC 7543, Linux 6.1.0-18-rt-amd64 x86_64"
[[nodiscard]] inline std::string machine_name() {
    ::utsname system{};
    if (::uname(&system) != 0) return "unknown";
    std::string processor = "an unknown processor";
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
            processor = line.substr(line.find(": ") + 2);
            break;
        }
    return std::string(system.nodename) + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads of " +
           processor + ", " + system.sysname + " " + system.release + " " + system.machine;
}

}  // namespace panto::io
