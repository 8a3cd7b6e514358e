// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a tester finds wrong with a part, one sentence each. Testers need no test framework: an empty list is a pass.

#pragma once

#include <panto/core/check.hpp>

#include <string>
#include <vector>

namespace panto::testing {

using Findings = std::vector<std::string>;

/// Adds a sentence, put together from texts and numbers, unless `condition` holds.
/// @return the condition
template <class... Parts>
bool expect(Findings& findings, bool condition, const Parts&... what) {
    if (condition) return true;
    std::string text;
    for (const MessagePart& part : {MessagePart(what)...}) part.append_to(text);
    findings.push_back(text);
    return false;
}

/// All findings, a line each.
[[nodiscard]] inline std::string as_text(const Findings& findings) {
    std::string text;
    for (const std::string& finding : findings) text += finding + "\n";
    return text;
}

}  // namespace panto::testing
