// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/names.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string_view>

using panto::edit_distance;
using panto::nearest_name;
using panto::unknown_name;

TEST_CASE("the edit distance counts insertions, deletions and replacements") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);  // the textbook example
    CHECK(edit_distance("flaw", "lawn") == 2);
    CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("the edit distance is symmetric and ignores case") {
    CHECK(edit_distance("DSA380_HiL", "dsa380_hil") == 0);
    CHECK(edit_distance("EN50318", "en_50318") == 1);
    CHECK(edit_distance("en_50318", "EN50318") == 1);
}

TEST_CASE("the nearest name is the one with the fewest edits, the first of equals") {
    constexpr std::array<std::string_view, 3> known{"implicit", "explicit_delayed", "interaction_mass"};
    CHECK(nearest_name("implict", known) == "implicit");
    CHECK(nearest_name("EXPLICIT-DELAYED", known) == "explicit_delayed");
    CHECK(nearest_name("mass", known) == "implicit");  // short names are near anything short
    constexpr std::array<std::string_view, 2> equals{"ab", "ac"};
    CHECK(nearest_name("ad", equals) == "ab");
    CHECK(nearest_name("", known) == "implicit");
    constexpr std::array<std::string_view, 2> controllers{"none", "lqg_plus"};
    CHECK(nearest_name("lqg", controllers) == "lqg_plus");  // begun, not misspelt
}

TEST_CASE("an unknown name is answered by the nearest one and by all there are") {
    constexpr std::array<std::string_view, 2> known{"lqr", "lqg"};
    CHECK(unknown_name("control::choose", "controller", "lqgg", known) ==
          "control::choose: no controller is called 'lqgg'; did you mean 'lqg'? Known are lqr, lqg");
}
