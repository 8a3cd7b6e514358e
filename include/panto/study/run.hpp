// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A study: many independent evaluations, carried out by any executor, recorded in a journal. The results have the same
/// bits with any executor, in any order, even if the study was killed and resumed.

#pragma once

#include <panto/study/concepts.hpp>
#include <panto/study/journal.hpp>
#include <panto/study/outcome.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/record.hpp>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::study {

struct Options {
    std::filesystem::path journal = {};  ///< empty: no journal, so a killed study must start anew
    double sync_every = 1.0;    ///< s between fdatasync() of the journal; 0: after every evaluation; infinite: never
    bool retry_failed = false;  ///< repeat evaluations that failed according to the journal
    Observer observer = {};     ///< called after every evaluation; may be empty
};

/// The results of a study; the same in every process.
struct Results {
    std::vector<Outcome> outcomes = {};  ///< by index
    std::size_t failed = 0;              ///< evaluations that were carried out and failed
    std::size_t missing = 0;             ///< evaluations not carried out, because the observer ended the study
    std::size_t resumed = 0;             ///< evaluations taken from the journal
    std::size_t damaged = 0;             ///< lines of the journal that were cut off or damaged

    /// Output k of all evaluations, NaN where there is none. @throws SetupError if there is no such output.
    [[nodiscard]] std::vector<double> output(std::size_t k = 0) const {
        std::vector<double> column;
        column.reserve(outcomes.size());
        for (const Outcome& o : outcomes) {
            require(k < o.values.size(), "study::Results", "output is ", k, ", must be from 0 to ",
                    o.values.size() - 1);
            column.push_back(o.values[k]);
        }
        return column;
    }
};

namespace detail {

/// What a process knows about a study.
struct Notes {
    std::vector<std::optional<Outcome>> outcomes = {};
    std::size_t resumed = 0;
    std::size_t damaged = 0;

    [[nodiscard]] std::string to_text(std::uint64_t fingerprint) const {
        std::string text = std::to_string(resumed) + '\n' + std::to_string(damaged) + '\n';
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            if (outcomes[i]) text += to_record(fingerprint, i, *outcomes[i]) + '\n';
        return text;
    }

    void from_text(const Description& study, std::string_view text) {
        outcomes.assign(study.count, std::nullopt);
        std::size_t number = 0;
        for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
            const std::string_view line = text.substr(0, end);
            if (number < 2) {
                std::size_t& count = number++ ? damaged : resumed;
                std::from_chars(line.data(), line.data() + line.size(), count);
            } else if (auto record = from_record(study, study.fingerprint(), line)) {
                outcomes[record->index] = std::move(record->outcome);
            }
        }
    }
};

}  // namespace detail

/// Carries out all evaluations that are not in the journal. Every process calls run() with the same arguments; journal
/// and observer are used in the process that keeps the results.
/// @throws SetupError in every process if the description is not valid or the journal cannot be used. An exception of
/// the observer is passed on; the other processes then throw a SetupError with its text.
template <StudyExecutor Executor, Evaluation F>
Results run(const Description& study, Executor&& executor, const F& f, const Options& options = {}) {
    using Clock = std::chrono::steady_clock;
    study.check();
    detail::Notes notes;
    try {
        notes.outcomes.resize(study.count);
    } catch (const std::exception&) {
        throw SetupError("study '" + study.name + "': count is " + std::to_string(study.count) +
                         ", more evaluations than memory can hold");
    }
    std::optional<Journal> journal;
    std::vector<std::size_t> pending;
    std::exception_ptr trouble;
    std::string message;
    const auto guarded = [&](const auto& action) {
        try {
            if (!trouble) action();
        } catch (const std::exception& error) {
            trouble = std::current_exception();
            message = error.what();
        } catch (...) {
            trouble = std::current_exception();
            message = "study '" + study.name + "': something that is not a std::exception was thrown";
        }
    };

    std::size_t failed = 0;
    if (executor.keeps_results())
        guarded([&] {
            if (!options.journal.empty()) {
                journal.emplace(options.journal, study, options.sync_every);
                notes.damaged = journal->damaged();
                notes.outcomes.swap(journal->known());
            }
            for (std::size_t i = 0; i < study.count; ++i) {
                std::optional<Outcome>& known = notes.outcomes[i];
                if (known && !known->ok() && options.retry_failed) known.reset();
                if (!known) {
                    pending.push_back(i);
                } else {
                    ++notes.resumed;
                    failed += known->ok() ? 0 : 1;
                }
            }
        });
    if (trouble) pending.clear();  // run() is still called, to tell the other processes to end

    const Evaluate evaluate = [&](std::size_t i) { return attempt(f, i, study.outputs); };
    const Clock::time_point began = Clock::now();
    std::size_t done = 0;
    const Take take = [&](std::size_t i, Outcome&& outcome) {
        if (journal) journal->append(i, outcome);
        notes.outcomes[i] = std::move(outcome);
        const Outcome& kept = *notes.outcomes[i];
        failed += kept.ok() ? 0 : 1;
        ++done;
        if (!options.observer) return true;
        const double elapsed = std::chrono::duration<double>(Clock::now() - began).count();
        const auto rest = static_cast<double>(pending.size() - done);
        return options.observer({.done = notes.resumed + done,
                                 .count = study.count,
                                 .failed = failed,
                                 .resumed = notes.resumed,
                                 .elapsed = elapsed,
                                 .left = elapsed / static_cast<double>(done) * rest,
                                 .index = i,
                                 .outcome = kept});
    };
    // Called even if something failed before, because the other processes wait in their run() until they are told to
    // end.
    const std::exception_ptr before = std::exchange(trouble, nullptr);
    guarded([&] { executor.run(study, pending, evaluate, take); });
    if (before) trouble = before;
    guarded([&] {
        if (journal) journal->sync();
    });

    const std::string told =
        executor.share([&] { return trouble ? "!" + message : notes.to_text(study.fingerprint()); });
    if (trouble) std::rethrow_exception(trouble);
    if (told.starts_with('!')) throw SetupError(told.substr(1));
    if (!executor.keeps_results()) notes.from_text(study, told);

    Results results{.resumed = notes.resumed, .damaged = notes.damaged};
    results.outcomes.reserve(study.count);
    for (std::optional<Outcome>& outcome : notes.outcomes) {
        if (outcome) {
            results.failed += outcome->ok() ? 0 : 1;
            results.outcomes.push_back(std::move(*outcome));
        } else {
            ++results.missing;
            results.outcomes.push_back(Outcome::failed("not evaluated: the study was stopped", study.outputs));
        }
    }
    return results;
}

}  // namespace panto::study
