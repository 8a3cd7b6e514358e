// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>

#include "../../support/allocations.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <set>
#include <string>
#include <string_view>

using panto::Status;

TEST_CASE("every status has a name of its own") {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Status::infeasible); ++i) {
        const auto name = panto::name(static_cast<Status>(i));
        CHECK(name != "unknown");
        CHECK(names.insert(name).second);
    }
    CHECK(panto::name(static_cast<Status>(200)) == "unknown");
}

TEST_CASE("a loop may go on after ok, saturated and not converged, and after nothing else") {
    for (int i = 0; i <= static_cast<int>(Status::infeasible); ++i) {
        const auto status = static_cast<Status>(i);
        const bool expected = status == Status::ok || status == Status::saturated || status == Status::not_converged;
        CHECK(panto::usable(status) == expected);
        CHECK(panto::Result<double>{1.0, status}.usable() == expected);
    }
}

TEST_CASE("numbers with and without derivatives are real, other things are not") {
    static_assert(panto::Real<double> && panto::Real<float>);
    static_assert(panto::Real<Eigen::AutoDiffScalar<Eigen::Matrix<double, 2, 1>>>);
    static_assert(!panto::Real<std::string>);
    static_assert(!panto::Real<int> && !panto::Real<bool> && !panto::Real<unsigned long>);
    CHECK(panto::sum_size(2, 3) == 5);
    CHECK(panto::sum_size(2, panto::Dynamic) == panto::Dynamic);
    CHECK(panto::sum_size(panto::Dynamic, 3) == panto::Dynamic);
}

TEST_CASE("the plain number behind a scalar is found without allocating") {
    // @rt-tested: value_of no_number
    const Eigen::AutoDiffScalar<Eigen::Matrix<double, 2, 1>> dual(2.5, 2, 1);
    double plain = 0.0, single = 0.0, derived = 0.0, none = 0.0;
    CHECK(panto::test::allocations_in([&] {
              none = panto::no_number<double>();
              plain = panto::value_of(0.1);
              single = panto::value_of(0.5F);
              derived = panto::value_of(dual);
          }) == 0);
    CHECK(plain == 0.1);
    CHECK(single == 0.5);
    CHECK(derived == 2.5);
    CHECK(std::isnan(none));
}
