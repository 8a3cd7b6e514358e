// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>
#include <panto/control/lqg.hpp>
#include <panto/control/paper_lqg.hpp>
#include <panto/control/predictive_lqg.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/testing/controller.hpp>
#include <panto/testing/executor.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <thread>

using namespace panto;
using testing::as_text;
using testing::test_controller;

namespace controller_tester_test {
namespace {

/// Goes where the reference is, if nothing was broken.
struct Follower {
    using Command = PositionCommand;
    double gain = 1.0, jump = 0.0, leak = 0.0;
    bool heals = true, says_so = true, fresh = true, at_wire = false;
    int ahead = 0;
    double sum = 0.0, count = 0.0;

    int preview_steps() const noexcept { return ahead; }
    Result<Command> update(const Exchange& e) noexcept {
        sum += leak;
        if (!is_finite(e.strip_force) || !is_finite(e.strip) || !is_finite(e.reference)) {
            if (!heals) count = 1.0;
            if (says_so) return {{0.0}, Status::not_finite};
            return {{std::nan("")}, Status::ok};
        }
        return {{gain * (at_wire ? e.wire : e.reference).height + jump + sum + 1e-6 * count}, Status::ok};
    }
    void reset(const Motion&) noexcept {
        if (fresh) sum = 0.0;
    }
};

/// One that estimates the force and foresees it.
struct Foreseer : Follower {
    double foreseen = 0.0, kick = 0.0;  // N, m
    double contact_force(const Exchange& e) const noexcept { return e.strip_force; }
    void foresee(std::span<double> force_change) noexcept {
        std::fill(force_change.begin(), force_change.end(), foreseen);
        sum += kick;
    }
};

template <class C>
void finds(C controller, const std::string& part) {
    const std::string text = as_text(test_controller(controller));
    CAPTURE(part);
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_SUITE("testing::test_controller") {
    TEST_CASE("finds nothing wrong with our own") {
        const plant::RigParams rig{.pad_stiffness = 50e3, .pantograph = pantograph::preset("DSA380_HiL").params};
        control::Direct direct;
        CHECK(as_text(test_controller(direct)) == "");
        control::Lqg lqg({.rig = rig}, 2e-3);
        CHECK(as_text(test_controller(lqg)) == "");
        control::PaperLqg paper({.rig = rig}, 2e-3);
        CHECK(as_text(test_controller(paper, {.left = 0.7})) == "");  // as printed, it does not come up to a step
        control::PredictiveLqg predictive({.rig = rig, .wire = {.dt = 2e-3}}, 2e-3);
        CHECK(as_text(test_controller(predictive)) == "");
        Follower follower;
        CHECK(as_text(test_controller(follower)) == "");
        Foreseer foreseer{{.ahead = 4}};
        CHECK(as_text(test_controller(foreseer)) == "");
        CHECK_THROWS_AS((void)test_controller(lqg, {.dt = 1e-3}), SetupError);
    }

    TEST_CASE("finds what was broken on purpose") {
        finds(Follower{.gain = -1.0}, "the command changes by up to");
        finds(Follower{.jump = 0.1}, "begin at the position given to reset()");
        finds(Follower{.gain = 0.9}, "the strip is");
        finds(Follower{.leak = 1e-5}, "above it");
        finds(Follower{.at_wire = true}, "at the height of the wire: follow reference.height");
        finds(Follower{.leak = 1e-9, .fresh = false}, "reset() does not restore everything");
        finds(Follower{.says_so = false}, "a command that is not finite, with a usable status");
        finds(Follower{.heals = false}, "reset() does not restore the start after a force");
        finds(Follower{.ahead = 1000}, "preview_steps() is 1000");
        finds(Foreseer{{.ahead = 4}, std::nan("")}, "foresee() writes a change of force that is not finite");
        finds(Foreseer{{.ahead = 4}, 0.0, 1e-12}, "foresee() changes the commands");
    }
}

TEST_SUITE("testing::test_executor") {
    TEST_CASE("finds nothing wrong with our own") { CHECK(as_text(testing::test_executor(opt::serial)) == ""); }

    TEST_CASE("finds what was broken on purpose") {
        const auto finds_of = [](const opt::Executor& executor, const std::string& part) {
            const std::string text = as_text(testing::test_executor(executor));
            CAPTURE(text);
            CHECK(text.find(part) != std::string::npos);
        };
        using Job = std::function<void(int)>;
        finds_of({}, "empty");
        finds_of(
            [](int n, const Job& job) {
                for (int i = 1; i < n; ++i) job(i);
            },
            "was done 0 times");
        finds_of(
            [](int n, const Job& job) {
                for (int i = 0; i < n; ++i) job(i), job(i);
            },
            "was done 2 times");
        finds_of(
            [](int n, const Job& job) {
                for (int i = 0; i <= n; ++i) job(i);
            },
            "it does one that is not from 0");
        finds_of(
            [](int n, const Job& job) {
                for (int i = 0; i < std::max(n, 1); ++i) job(i);
            },
            "with 0 jobs it does one");
        finds_of(
            [](int n, const Job& job) {
                try {
                    for (int i = 0; i < n; ++i) job(i);
                } catch (...) {
                }
            },
            "does not reach the caller");
    }
}

}  // namespace controller_tester_test
