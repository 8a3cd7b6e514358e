// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The findings of a tester, one sentence each. Testers need no test framework: an empty list is a pass.

#pragma once

#include <panto/core/check.hpp>

#include <string>
#include <vector>

namespace panto::testing {

using Findings = std::vector<std::string>;

/// Unless `condition` holds, adds a sentence, joined from texts and numbers.
/// @return the condition
template <class... Parts>
bool expect(Findings& findings, bool condition, const Parts&... what) {
    if (condition) return true;
    std::string text;
    for (const MessagePart& part : {MessagePart(what)...}) part.append_to(text);
    findings.push_back(text);
    return false;
}

/// All findings, one per line.
[[nodiscard]] inline std::string as_text(const Findings& findings) {
    std::string text;
    for (const std::string& finding : findings) text += finding + "\n";
    return text;
}

}  // namespace panto::testing
