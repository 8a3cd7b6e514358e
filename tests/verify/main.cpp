// SPDX-License-Identifier: BSD-3-Clause
// Catch2 3 brings its own main; Catch2 2 wants this one line.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
