// SPDX-License-Identifier: BSD-3-Clause
// Pages for check.mjs to look at: the made-up run of the tests as dygraphs shows it and as gnuplot does, a run that
// lost contact beside another one, and the longest run there is. The folder is the argument.
#include <panto/io/page.hpp>
#include <panto/session/report.hpp>

#include "sample_run.hpp"

#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>

using namespace panto;

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const std::filesystem::path folder = argv[1];
        std::filesystem::create_directories(folder);
        const auto library = io::find_dygraphs();
        if (!library) {
            std::cout << "skipped: dygraphs is not installed (Debian: libjs-dygraphs)\n";
            return 0;
        }
        const io::RunRecord run = test::sample_run();
        io::write_text(folder / "plain.html", io::report_html(folder, run, library));
        io::write_text(folder / "static.html", io::report_html(folder, run, std::nullopt));
        io::RunRecord lost = test::compared_run();
        io::write_text(folder / "compared.html", io::report_html(folder, lost, library));
        io::write_text(folder / "long.html", io::report_html(folder, test::long_run(), library));
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 1;
    }
}
