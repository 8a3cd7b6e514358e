// SPDX-License-Identifier: BSD-3-Clause
#include <panto/study/serial.hpp>
#include <panto/study/tester.hpp>
#ifdef PANTO_STUDY_THREADS
#include <panto/study/threads.hpp>
#endif

#include <doctest/doctest.h>

#include <functional>
#include <span>
#include <string>

using namespace panto;
using testing::as_text;

namespace tester_test {

TEST_SUITE("testing::test_study_executor") {
    TEST_CASE("finds nothing wrong with our own") {
        study::Serial serial;
        CHECK(as_text(testing::test_executor(serial)) == "");
        CHECK(as_text(testing::test_study_executor(serial)) == "");
#ifdef PANTO_STUDY_THREADS
        study::Threads threads(2);
        CHECK(as_text(testing::test_executor(std::ref(threads))) == "");
        CHECK(as_text(testing::test_study_executor(threads)) == "");
#endif
    }

    TEST_CASE("finds what was broken on purpose") {
        struct Wrong : study::Serial {
            bool twice = false, deaf = false, swallows = false, all = false, others = false;
            void run(const study::Description& s, std::span<const std::size_t> pending, const study::Evaluate& evaluate,
                     const study::Take& take) const {
                try {
                    for (std::size_t k = 0; k < (all ? s.count : pending.size()); ++k) {
                        const std::size_t i = all ? k : pending[k];
                        const bool go_on = take(i, evaluate(others ? i + 1 : i));
                        if (twice) take(i, evaluate(i));
                        if (!go_on && !deaf) return;
                    }
                } catch (...) {
                    if (!swallows) throw;
                }
            }
        };
        const auto finds_study = [](auto set, const std::string& part) {
            Wrong wrong;
            set(wrong);
            const std::string text = as_text(testing::test_study_executor(wrong));
            CAPTURE(text);
            CHECK(text.find(part) != std::string::npos);
        };
        finds_study([](Wrong& w) { w.twice = true; }, "was taken 2 times");
        finds_study([](Wrong& w) { w.all = true; }, "was not pending and was taken 1 times");
        finds_study([](Wrong& w) { w.deaf = true; }, "after it returned false");
        finds_study([](Wrong& w) { w.swallows = true; }, "is not passed on by run()");
        finds_study([](Wrong& w) { w.others = true; }, "the outcome of another evaluation");
    }
}

}  // namespace tester_test
