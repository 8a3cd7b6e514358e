// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

#include <limits>

TEST_CASE("without control the drive is sent where the reference is") {  // @rt-tested: Direct::update Direct::reset
    panto::control::Direct direct;
    panto::Exchange e;
    e.reference.height = 0.042;
    e.wire.height = 0.041;
    CHECK(direct.update(e).value.value == 0.042);
    CHECK(direct.update(e).status == panto::Status::ok);
    CHECK(panto::test::allocations_in([&] {
              direct.reset(e.strip);
              static_cast<void>(direct.update(e));
          }) == 0);
}

TEST_CASE("a reference that is no number is not sent on") {
    panto::control::Direct direct;
    panto::Exchange e;
    e.reference.height = std::numeric_limits<double>::quiet_NaN();
    direct.reset({0.01, 0.0, 0.0});
    CHECK(direct.update(e).status == panto::Status::not_finite);
    CHECK(direct.update(e).value.value == 0.01);
    e.reference.height = 0.042;
    CHECK(direct.update(e).status == panto::Status::ok);
    e.reference.height = std::numeric_limits<double>::infinity();
    CHECK(direct.update(e).status == panto::Status::not_finite);
    CHECK(direct.update(e).value.value == 0.042);
}
