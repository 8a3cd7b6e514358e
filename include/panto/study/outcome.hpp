// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The outcome of one evaluation: its numbers, or the reason why there are none. A failure does not end a study.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace panto::study {

struct Outcome {
    std::vector<double> values = {};  ///< all finite; all NaN if the evaluation failed or was not carried out
    std::string reason = {};          ///< of a failure, in one line; empty on success

    [[nodiscard]] bool ok() const { return reason.empty(); }

    /// The outcome of a failed evaluation. The reason becomes part of a line of the journal, so its control characters
    /// become spaces. It is cut after 400 characters.
    [[nodiscard]] static Outcome failed(std::string_view why, std::size_t outputs) {
        constexpr std::size_t longest = 400;
        std::string reason(why.substr(0, longest));
        for (char& c : reason)
            if (static_cast<unsigned char>(c) < ' ') c = ' ';
        if (reason.empty()) reason = "failed without a reason";
        return {std::vector<double>(outputs, std::numeric_limits<double>::quiet_NaN()), std::move(reason)};
    }
};

/// What a study evaluates: f(i) returns a number or a vector (std::vector, std::array, Eigen). It may throw or return
/// NaN. It is called on several threads at once, so it must not change shared data.
template <class F>
concept Evaluation =
    std::invocable<const F&, std::size_t> &&
    (std::convertible_to<std::invoke_result_t<const F&, std::size_t>, double> || requires(const F& f, std::size_t i) {
        { *f(i).data() } -> std::convertible_to<double>;
        { f(i).size() } -> std::convertible_to<std::size_t>;
    });

/// f(i) as an outcome. The evaluation has failed if f throws, returns a number that is not finite, or not `outputs`
/// numbers.
template <Evaluation F>
[[nodiscard]] Outcome attempt(const F& f, std::size_t i, std::size_t outputs) {
    Outcome outcome;
    try {
        const auto result = f(i);
        if constexpr (std::convertible_to<decltype(result), double>) {
            outcome.values.assign(1, static_cast<double>(result));
        } else {
            const auto size = static_cast<std::size_t>(result.size());
            if constexpr (requires { result.reshaped(); }) {  // Eigen: a row of a matrix is not contiguous
                for (const double value : result.reshaped()) outcome.values.push_back(value);
            } else {
                for (std::size_t k = 0; k < size; ++k) outcome.values.push_back(static_cast<double>(result.data()[k]));
            }
        }
    } catch (const std::exception& error) {
        return Outcome::failed(std::string("threw: ") + error.what(), outputs);
    } catch (...) {
        return Outcome::failed("threw something that is not a std::exception", outputs);
    }
    if (outcome.values.size() != outputs)
        return Outcome::failed(
            "returned " + std::to_string(outcome.values.size()) + " outputs, expected " + std::to_string(outputs),
            outputs);
    for (std::size_t k = 0; k < outputs; ++k)
        if (!is_finite(outcome.values[k]))
            return Outcome::failed("output " + std::to_string(k) + " is " + shown(outcome.values[k]), outputs);
    return outcome;
}

}  // namespace panto::study
