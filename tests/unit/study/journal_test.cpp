// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Journals: whatever happens to the file, the results have the same bits or the study is refused.

#include <panto/study/journal.hpp>
#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>

#include "sample_study.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace panto;

namespace study_journal_test {
namespace {

using study_sample::description;
using study_sample::JournalPath;
using study_sample::same_bits;

std::string content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void replace(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::remove(file);  // ext4 brings a file to disk at once if it was shortened to nothing
    std::ofstream(file, std::ios::binary) << text;
}

/// With the number of evaluations that were made.
study::Results run(const JournalPath& path, std::size_t count, std::size_t* made = nullptr, bool retry = false) {
    return study::run(
        description(count), study::Serial(),
        [&](std::size_t i) {
            if (made) ++*made;
            return study_sample::evaluate(i);
        },
        {.journal = path.file, .sync_every = std::numeric_limits<double>::infinity(), .retry_failed = retry});
}

/// The words of the refusal, without the name of the file.
std::string refusal(const JournalPath& path, const study::Description& d) {
    try {
        const study::Journal journal(path.file, d);
    } catch (const SetupError& error) {
        const std::string text = error.what(), named = "journal '" + path.file.string() + "': ";
        return text.starts_with(named) ? text.substr(named.size()) : text;
    }
    return "";
}

}  // namespace

TEST_CASE("A finished study is read from its journal without one evaluation, failures included") {
    const JournalPath path;
    const auto first = run(path, 60);
    std::size_t made = 0;
    const auto second = run(path, 60, &made);
    CHECK(made == 0);
    CHECK(second.resumed == 60);
    CHECK(second.failed == 7);  // 5, 22, 39, 56 and 7, 30, 53
    CHECK(same_bits(first, second));
    CHECK(same_bits(first, study::run(description(60), study::Serial(), study_sample::evaluate)));
}

TEST_CASE("Any finite number reads back with its bits") {
    const JournalPath path;
    using Limits = std::numeric_limits<double>;
    const std::vector<double> odd{0.0,       -0.0, Limits::denorm_min(), Limits::max(), Limits::lowest(), 0.1,
                                  1.0 / 3.0, 1e22};
    const study::Description d{.name = "odd numbers", .count = odd.size(), .inputs = 1};
    const auto f = [&](std::size_t i) { return odd[i]; };
    const auto first = study::run(d, study::Serial(), f, {.journal = path.file});
    const auto second = study::run(d, study::Serial(), f, {.journal = path.file});
    CHECK(second.resumed == odd.size());
    CHECK(same_bits(first, second));
}

TEST_CASE("A journal that was cut off at any byte goes on from there to the same bits") {
    const JournalPath path;
    const auto whole = run(path, 9);
    const std::string text = content(path.file);
    for (std::size_t size = 0; size < text.size(); ++size) {
        CAPTURE(size);
        replace(path.file, text.substr(0, size));
        if (size > 0 && size < 20) {  // less than "panto-study-journal ": anybody's file may begin so
            REQUIRE(refusal(path, description(9)).starts_with("is not a journal of a study and is left unchanged"));
            REQUIRE(content(path.file) == text.substr(0, size));
            continue;
        }
        std::size_t made = 0;
        const auto resumed = run(path, 9, &made);
        const auto lines =
            static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
        REQUIRE(resumed.resumed == (lines > 0 ? lines - 1 : 0));  // without the header
        REQUIRE(made == 9 - resumed.resumed);
        REQUIRE(same_bits(whole, resumed));
        REQUIRE(content(path.file) == text);
    }
}

TEST_CASE("A journal with any byte changed is refused or gives the same bits") {
    const JournalPath path;
    const auto whole = run(path, 9);
    const std::string text = content(path.file);
    const std::size_t header = text.find('\n') + 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        CAPTURE(at);
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ (at % 2 ? 1 : 0x10));
        replace(path.file, changed);
        if (at < header) {
            REQUIRE_THROWS_AS(run(path, 9), SetupError);
            REQUIRE(content(path.file) == changed);
        } else {
            std::size_t made = 0;
            const auto resumed = run(path, 9, &made);
            REQUIRE(resumed.damaged >= 1);
            REQUIRE((made == 1 || made == 2));  // two lines where it was the end of one
            REQUIRE(same_bits(whole, resumed));
        }
    }
}

TEST_CASE("The journal of another study is refused and stays as it is") {
    const JournalPath path;
    run(path, 9);
    const std::string text = content(path.file);
    auto other = description(9);
    other.inputs = 0x1234;
    CHECK(refusal(path, other) == "belongs to another study: inputs is " + study::Hash::digits(description().inputs) +
                                      " there, and 0000000000001234 for study 'chaotic map'; remove it or choose "
                                      "another file");
    CHECK(refusal(path, description(10)).starts_with("belongs to another study: count is 9 there, and 10 for study"));
    other = description(9);
    other.outputs = 3;
    CHECK(refusal(path, other).starts_with("belongs to another study: outputs is 2 there, and 3 for study"));
    other = description(9);
    other.name = "quiet map";
    CHECK(refusal(path, other).starts_with("belongs to a study with a name other than 'quiet map'"));
    CHECK(content(path.file) == text);

    const std::string mine = "panto=" + std::string(version);
    std::string older = text;
    replace(path.file, older.replace(older.find(mine), mine.size(), "panto=0.0.7"));
    CHECK(refusal(path, description(9))
              .starts_with("belongs to another study: panto is 0.0.7 there, and " + std::string(version)));
    replace(path.file, "panto-study-journal 2" + text.substr(21));
    CHECK(refusal(path, description(9)) == "has format 2, this version of panto reads format 1");
    replace(path.file, "time_s,force_N\n");
    CHECK(refusal(path, description(9)).starts_with("is not a journal of a study and is left unchanged"));
    CHECK(content(path.file) == "time_s,force_N\n");
    replace(path.file, "pan");
    CHECK(refusal(path, description(9)).starts_with("is not a journal of a study and is left unchanged"));
    CHECK(content(path.file) == "pan");
}

TEST_CASE("Lines of another study are not taken, even if somebody copies them") {
    const JournalPath path;
    auto other = description(9);
    other.inputs = 77;
    study::run(other, study::Serial(), [](std::size_t) { return std::array{6.0, 6.0}; }, {.journal = path.file});
    const std::string alien = content(path.file);
    std::filesystem::remove(path.file);
    const auto whole = run(path, 9);
    const std::string text = content(path.file);
    replace(path.file, text.substr(0, text.find('\n') + 1) + alien.substr(alien.find('\n') + 1));
    const auto resumed = run(path, 9);
    CHECK(resumed.resumed == 0);
    CHECK(resumed.damaged == 9);
    CHECK(same_bits(whole, resumed));
}

TEST_CASE("What failed is made once more on demand only") {
    const JournalPath path;
    const study::Description d{.name = "licence server", .count = 4, .inputs = 5};
    const auto broken = [](std::size_t i) { return i == 2 ? 0.0 / 0.0 * static_cast<double>(i) : 1.0; };
    const auto mended = [](std::size_t) { return 1.0; };
    CHECK(study::run(d, study::Serial(), broken, {.journal = path.file}).failed == 1);
    CHECK(study::run(d, study::Serial(), mended, {.journal = path.file}).failed == 1);
    const auto again = study::run(d, study::Serial(), mended, {.journal = path.file, .retry_failed = true});
    CHECK(again.failed == 0);
    CHECK(again.resumed == 3);
    CHECK(study::run(d, study::Serial(), broken, {.journal = path.file}).failed == 0);
}

TEST_CASE("A journal that cannot be used is refused with the reason") {
    const JournalPath path;
    auto anonymous = description(9);
    anonymous.inputs = 0;
    CHECK(refusal(path, anonymous)
              .starts_with("study 'chaotic map' has no inputs; set Description::inputs to a Hash of all"));
    CHECK_THROWS_WITH_AS(study::Journal(path.file, description(9), -1.0), doctest::Contains("sync_every is -1"),
                         SetupError);
    CHECK_THROWS_WITH_AS(study::Journal(path.folder, description(9)),
                         doctest::Contains("cannot be opened: Is a directory"), SetupError);
    CHECK_THROWS_WITH_AS(study::Journal(path.folder / "no" / "where", description(9)),
                         doctest::Contains("cannot be opened: No such file or directory"), SetupError);
    const study::Journal journal(path.file, description(9));
    CHECK(refusal(path, description(9)) == "is in use by another process");
    CHECK_THROWS_WITH_AS(study::Journal("/dev/null", description(9)), "journal '/dev/null': is not a regular file",
                         SetupError);
}

TEST_CASE("A study whose disk is full ends with that message and goes on later") {
    const JournalPath path;
    ::rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // write() then fails as on a full disk
    const ::rlimit small{.rlim_cur = 333, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::string said;
    try {
        run(path, 20);
    } catch (const SetupError& error) {
        said = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(said == "journal '" + path.file.string() + "': cannot be written: File too large");
    CHECK(content(path.file).size() == 333);
    const auto resumed = run(path, 20);
    CHECK(resumed.damaged == 1);
    CHECK(resumed.resumed > 0);
    CHECK(same_bits(resumed, study::run(description(20), study::Serial(), study_sample::evaluate)));
}

TEST_CASE("A stopped study goes on from its journal") {
    const JournalPath path;
    const auto part = study::run(description(20), study::Serial(), study_sample::evaluate,
                                 {.journal = path.file, .observer = [](const auto& p) { return p.done < 8; }});
    CHECK(part.missing == 12);
    std::size_t made = 0;
    const auto rest = run(path, 20, &made);
    CHECK(made == 12);
    CHECK(rest.missing == 0);
    CHECK(same_bits(rest, study::run(description(20), study::Serial(), study_sample::evaluate)));
}

}  // namespace study_journal_test
