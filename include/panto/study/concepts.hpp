// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The concepts of a study and its executors. Every evaluation is identified by its index, 0 .. count - 1, and depends
/// on nothing else, so all executors give the same bits.

#pragma once

#include <panto/core/check.hpp>
#include <panto/study/hash.hpp>
#include <panto/study/outcome.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace panto {

namespace study {

struct Description {
    std::string name = {};     ///< for display and messages, one line
    std::size_t count = 0;     ///< evaluations, at least 1
    std::size_t outputs = 1;   ///< numbers per evaluation, at least 1
    std::uint64_t inputs = 0;  ///< Hash of all that the results depend on; a journal needs it

    /// A fingerprint of all members.
    [[nodiscard]] std::uint64_t fingerprint() const {
        return Hash().add(name).add(count).add(outputs).add(inputs).value();
    }

    /// @throws SetupError naming the field.
    void check() const {
        const std::string where = "study '" + name + "'";
        require(!name.empty(), where, "name is empty");
        for (const char c : name)
            require(static_cast<unsigned char>(c) >= ' ', where,
                    "name has a control character, expected a single line of text");
        require(count > 0, where, "count is 0, must be at least 1");
        require(outputs > 0, where, "outputs is 0, must be at least 1");
    }
};

/// Carries out evaluation i; does not throw.
using Evaluate = std::function<Outcome(std::size_t i)>;

/// Receives the result of evaluation i. If it returns false, no further evaluation begins.
using Take = std::function<bool(std::size_t i, Outcome&& outcome)>;

}  // namespace study

/// Carries out the evaluations of a study, in one process or several. All processes make the same calls; exactly one
/// keeps the results.
///
/// `run` returns when everything in `pending` is done or, after take has returned false, when the evaluations in
/// progress are done. It calls evaluate on any thread of any process. It calls take on the process that keeps the
/// results, one call at a time. Only that process needs to know `pending`. If take throws, no further evaluation
/// begins, and run throws the same exception in that process. `share` sends a value from the process that keeps the
/// results to all others; with one process it does nothing.
template <class E>
concept StudyExecutor =
    requires(E& e, const study::Description& study, std::span<const std::size_t> pending,
             const study::Evaluate& evaluate, const study::Take& take, const std::function<std::string()>& make) {
        { e.keeps_results() } -> std::same_as<bool>;
        { e.run(study, pending, evaluate, take) } -> std::same_as<void>;
        { e.share(make) } -> std::same_as<std::string>;
    };

}  // namespace panto
