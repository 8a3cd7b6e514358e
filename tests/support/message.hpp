// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a refused call says.
#pragma once

#include <panto/core/check.hpp>

#include <string>

namespace panto::test {

/// The message of the SetupError that `call` throws, empty if it throws none.
template <class Call>
std::string message(const Call& call) {
    try {
        call();
    } catch (const SetupError& e) {
        return e.what();
    }
    return {};
}

}  // namespace panto::test
