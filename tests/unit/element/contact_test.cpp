// SPDX-License-Identifier: BSD-3-Clause
#include <panto/element/contact.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>
#include <unsupported/Eigen/AutoDiff>

#include <limits>

using panto::element::PenaltyContact;

namespace contact_test {
namespace {

using Dual = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;

static_assert(panto::ForceLaw<PenaltyContact<>>);
static_assert(panto::ForceLaw<PenaltyContact<float>, float>);
static_assert(panto::ForceLaw<PenaltyContact<Dual>, Dual>);

}  // namespace

TEST_SUITE("element::PenaltyContact") {
    TEST_CASE("pushes in proportion to penetration and its rate") {
        const PenaltyContact<> contact{.stiffness = 50e3, .damping = 100.0};
        CHECK(contact(0.002, 0.0) == approx(100.0));
        CHECK(contact(0.002, 0.1) == approx(110.0));
    }

    TEST_CASE("never pulls: neither apart, nor when the damper would") {
        const PenaltyContact<> contact{.stiffness = 50e3, .damping = 100.0};
        CHECK(contact(-0.002, 0.0) == 0.0);
        CHECK(contact(0.0, 1.0) == 0.0);
        CHECK(contact(-0.002, 100.0) == 0.0);
        CHECK(contact(0.001, -1.0) == 0.0);
    }

    TEST_CASE("gives its derivative with respect to stiffness and penetration") {
        const PenaltyContact<Dual> uncertain{.stiffness = Dual(50e3, 1, 0), .damping = Dual(0.0)};
        CHECK(uncertain(Dual(0.003), Dual(0.0)).derivatives()[0] == approx(0.003));
        const PenaltyContact<Dual> certain{.stiffness = Dual(50e3), .damping = Dual(0.0)};
        CHECK(certain(Dual(0.003, 1, 0), Dual(0.0)).derivatives()[0] == approx(50e3));
        CHECK(certain(Dual(-0.003, 1, 0), Dual(0.0)).value() == 0.0);
    }

    TEST_CASE("does not allocate") {
        // @rt-tested: PenaltyContact::operator()
        const PenaltyContact<> contact;
        double force = 0.0;
        CHECK(panto::test::allocations_in([&] { force = contact(0.002, 0.0); }) == 0);
        CHECK(force == approx(100.0));
    }

    TEST_CASE("refuses a stiffness or damping that makes no sense, and says which") {
        CHECK_NOTHROW(validate(PenaltyContact<>{}));
        CHECK_THROWS_WITH_AS(validate(PenaltyContact<>{.stiffness = 0.0}),
                             "element::PenaltyContact: stiffness must be finite and > 0, got 0", panto::SetupError);
        CHECK_THROWS_WITH_AS(validate(PenaltyContact<>{.damping = -1.0}),
                             "element::PenaltyContact: damping must be finite and >= 0, got -1", panto::SetupError);
        CHECK_THROWS_AS(validate(PenaltyContact<>{.stiffness = std::numeric_limits<double>::quiet_NaN()}),
                        panto::SetupError);
    }
}

}  // namespace contact_test
