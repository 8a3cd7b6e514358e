// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/direct.hpp>

#include "allocations.hpp"

#include <doctest/doctest.h>

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
