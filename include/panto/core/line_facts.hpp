// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Properties of a line as a list of named numbers. A controller's model of the line is compared with the line itself
/// by these lists, so the two may be of different types.

#pragma once

#include <string>
#include <vector>

namespace panto {

struct LineFact {
    std::string name = {};  ///< such as "contact_wire.tension"
    double value = 0.0;
    const char* unit = "";    ///< with a space before it
    double tolerance = 1e-3;  ///< relative difference below which two lines count as the same
};

/// The facts of one span.
using LineFacts = std::vector<LineFact>;

}  // namespace panto
