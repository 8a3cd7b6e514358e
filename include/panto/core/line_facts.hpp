// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a line is made of, as a list of named numbers: by it a controller's model of the line is compared with the line
/// itself, whatever the form of either.

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

/// Of one span.
using LineFacts = std::vector<LineFact>;

}  // namespace panto
