// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tester for models in discrete time. It sees a state through the outputs that follow from it.

#pragma once

#include <panto/core/finite.hpp>
#include <panto/dynamics/concepts.hpp>
#include <panto/dynamics/simulate.hpp>
#include <panto/testing/findings.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <vector>

namespace panto::testing {

struct DiscreteSystemTest {
    int steps = 100;
};

namespace detail {

template <class T>
concept Series = requires(T& series) {
    { series.size() } -> std::convertible_to<std::ptrdiff_t>;
    { *series.data() } -> std::convertible_to<double>;
};

/// A vector whose size is known only at run time: std::vector, or one of Eigen's.
template <class T>
[[nodiscard]] constexpr bool resizable() {
    if constexpr (requires { T::SizeAtCompileTime; })
        return T::SizeAtCompileTime < 0;
    else
        return Series<T> && requires(T series) { series.resize(std::size_t{1}); };
}

/// The numbers of an output that is a number or a series of numbers.
struct AsNumbers {
    template <class Y>
        requires std::convertible_to<Y, double> || Series<const Y>
    std::vector<double> operator()(const Y& y) const {
        if constexpr (std::convertible_to<Y, double>)
            return {static_cast<double>(y)};
        else
            return std::vector<double>(y.data(), y.data() + y.size());
    }
};

}  // namespace detail

/// Tests the model from the state `start` under a constant input: every step succeeds with finite outputs, and the next
/// state and the output depend on nothing but x and u. A state vector of another size must be refused. An output that
/// is neither a number nor a vector needs a function `numbers(y)`, which returns its numbers as a std::vector<double>.
template <DiscreteSystem M, class Numbers = detail::AsNumbers>
    requires std::invocable<const Numbers&, const typename M::Output&>
[[nodiscard]] Findings test_discrete_system(const M& model, const typename M::State& start,
                                            const typename M::Input& input, const Numbers& numbers = {},
                                            const DiscreteSystemTest& p = {}) {
    require(p.steps >= 2, "testing::test_discrete_system", "steps is ", p.steps, ", must be at least 2");
    using State = typename M::State;
    using Output = typename M::Output;
    Findings f;
    const double dt = model.dt();
    expect(f, is_finite(dt) && dt > 0.0, "dt() is ", dt, " s, must be finite and > 0");
    const auto step = [&](const State& x, State& next) {
        return dynamics::detail::outcome([&] { return model.step(x, input, next); });
    };
    const auto output = [&](const State& x, Output& y) {
        return dynamics::detail::outcome([&] { return model.output(x, input, y); });
    };
    std::vector<std::vector<double>> seen;
    State x = start;
    for (int k = 0; k < p.steps; ++k) {
        State next = x;
        Output y{};
        if (const Status s = step(x, next);
            !expect(f, s == Status::ok, "step() ends with '", name(s), "' in step ", k + 1))
            return f;
        if (const Status s = output(next, y);
            !expect(f, s == Status::ok, "output() ends with '", name(s), "' after step ", k + 1))
            return f;
        seen.push_back(numbers(y));
        for (const double number : seen.back())
            if (!expect(f, is_finite(number), "the output after step ", k + 1, " is not finite, with the status ok"))
                return f;
        x = next;
    }
    const State last = x;
    // What `next` and `y` held before must not matter. Here they may begin with the state `last` and its output, which
    // differ from what they held the first time.
    const auto compare = [&](const char* what, bool stale_next, bool stale_output) {
        State at = start;
        for (int k = 0; k < p.steps; ++k) {
            State into = stale_next ? last : at;
            Output seen_now{};
            if (stale_output) (void)output(last, seen_now);
            (void)step(at, into);
            (void)output(into, seen_now);
            if (!expect(f, numbers(seen_now) == seen[static_cast<std::size_t>(k)], what, " (step ", k + 1, ")")) return;
            at = into;
        }
    };
    compare("the same steps do not give the same outputs, to the last bit: state must be in x, not in the model", false,
            false);
    compare("the state after step() depends on what `next` held before", true, false);
    compare("output() depends on what `y` held before", false, true);

    if constexpr (detail::resizable<State>()) {
        constexpr bool reports = std::same_as<decltype(model.step(start, input, x)), Status>;
        if (expect(f, reports, "the size of a state is known only at run time, but step() returns no Status")) {
            State longer = start;
            longer.resize(start.size() + 1);
            for (auto* number = longer.data(); number != longer.data() + longer.size(); ++number) *number = {};
            State untouched = start;
            expect(f, step(longer, untouched) == Status::out_of_range,
                   "step() does not return out_of_range for a state with one entry too many");
            expect(f, detail::AsNumbers{}(untouched) == detail::AsNumbers{}(start),
                   "step() writes a state although the size of x is wrong");
        }
    }
    if constexpr (std::floating_point<typename M::Input>) {
        constexpr auto none = std::numeric_limits<typename M::Input>::quiet_NaN();
        State after = start;
        Status s = dynamics::detail::outcome([&] { return model.step(start, none, after); });
        bool finite = true;
        Output y{};
        // An input may reach an output only after some steps.
        for (int k = 0; s == Status::ok && finite && k < p.steps; ++k) {
            s = dynamics::detail::outcome([&] { return model.output(after, none, y); });
            for (const double number : numbers(y)) finite = finite && is_finite(number);
            const State from = after;
            if (s == Status::ok) s = step(from, after);
        }
        expect(f, s != Status::ok || !finite, "an input that is not a number gives outputs that are finite");
    }
    return f;
}

}  // namespace panto::testing
