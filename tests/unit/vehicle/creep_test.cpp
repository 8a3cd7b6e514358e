// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/dual.hpp>
#include <panto/vehicle/creep.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "../../support/complex_step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

using namespace panto::vehicle;
using panto::Dual;
using panto::test::ComplexStep;

namespace creep_test {
namespace {

/// Cone of 0.2 on a crown of 0.3 m, 80 kN.
template <panto::Real S = double>
ContactPatch<S> bogie_patch() {
    return contact_patch<S>(S(80e3), S(std::cos(0.2) / 0.46), S(1.0 / 0.3), {}, S(0.3));
}

/// |T|/(mu N) in pure longitudinal creep whose linear force is e mu N.
template <class Law>
double pull(const Law& law, double e) {
    const auto p = bogie_patch();
    const auto t = law(Creepage<>{e * p.friction * p.load / p.f11, 0.0, 0.0}, p);
    CHECK(std::abs(t.eta) < 1e-9 * p.load);
    CHECK(t.xi < 0.0);
    return -t.xi / (p.friction * p.load);
}

/// FASTSIM in pure longitudinal creep without discretization. On the strip y = c b of half length a h, h^2 = 1 - c^2,
/// with x from 1 at the leading edge to -1: linear q h (1 - x), bound h^2 (1 - x)(1 + x); it sticks while 1 + x > q/h.
/// The whole linear force is 8 q/3, friction carries pi/2, hence q = 3 pi e/16.
double fastsim_limit(double e) {
    const double q = 3.0 * std::numbers::pi * e / 16.0;
    double sum = 0.0;
    const int n = 100000;
    for (int i = 0; i < n; ++i) {
        const double c = (2.0 * i + 1.0) / n - 1.0, h = std::sqrt(1.0 - c * c);
        const double x = std::min(2.0, q / h) - 1.0;
        const double stick = 0.5 * q * h * (1.0 - x) * (1.0 - x);
        const double slide = h * h * (x - x * x * x / 3.0 + 2.0 / 3.0);
        sum += (stick + slide) * h * 2.0 / n;
    }
    return sum / (std::numbers::pi / 2.0);
}

/// The sheet's table (methods/vehicle_train.md, Creep laws); four digits printed.
constexpr std::array<double, 6> table_e{0.25, 0.5, 1.0, 1.5, 2.0, 3.0};
constexpr std::array<double, 6> table_fastsim{0.2290, 0.4187, 0.6962, 0.8642, 0.9529, 0.9994};
constexpr std::array<double, 6> table_cubic{0.2297, 0.4213, 0.7037, 0.8750, 0.9630, 1.0};
constexpr std::array<double, 6> table_polach{0.2438, 0.4548, 0.7331, 0.8660, 0.9275, 0.9734};

}  // namespace

TEST_SUITE("vehicle::CreepLaw") {
    TEST_CASE("in pure longitudinal creep all laws keep to the sheet's table") {
        for (std::size_t i = 0; i < table_e.size(); ++i) {
            const double e = table_e[i], limit = fastsim_limit(e);
            CAPTURE(e);
            CHECK(limit == approx(table_fastsim[i]).epsilon(6e-5 / table_fastsim[i]));
            CHECK(std::abs(pull(VermeulenJohnson{}, e) - table_cubic[i]) < 6e-5);
            CHECK(std::abs(pull(Polach{}, e) - table_polach[i]) < 6e-5);
            CHECK(std::abs(pull(VermeulenJohnson{}, e) - limit) < 0.012);
            CHECK(std::abs(pull(Polach{}, e) - limit) < 0.04);
            CHECK(pull(Fastsim{}, e) == approx(limit).epsilon(5e-3));
            CHECK(pull(Fastsim{200, 200}, e) == approx(limit).epsilon(1e-4));
        }
        CHECK(pull(VermeulenJohnson{}, 10.0) >= 0.999);
        CHECK(pull(Polach{}, 10.0) >= 0.999);
        CHECK(pull(Polach{}, 10.0) == approx(0.9991).epsilon(1e-4));
        CHECK(pull(Fastsim{}, 10.0) >= 0.999);
    }

    TEST_CASE("at rest all laws have Kalker's slope, exactly and by dual numbers") {
        const auto p = bogie_patch<Dual<3>>();
        const Creepage<Dual<3>> rest{Dual<3>::variable(0.0, 0), Dual<3>::variable(0.0, 1), Dual<3>::variable(0.0, 2)};
        const auto check = [&](const auto& law, double spin_tolerance, double moment_tolerance) {
            const auto t = law(rest, p);
            CHECK(t.xi.value() == 0.0);
            CHECK(t.xi.derivative(0) == approx(-p.f11.value()).epsilon(2e-5));
            CHECK(t.eta.derivative(1) == approx(-p.f22.value()).epsilon(2e-5));
            CHECK(t.eta.derivative(2) == approx(-p.f23.value()).epsilon(spin_tolerance));
            CHECK(std::abs(t.eta.derivative(0)) < 1e-9 * p.f22.value());
            if (moment_tolerance > 0.0) {
                CHECK(t.m.derivative(1) == approx(p.f23.value()).epsilon(moment_tolerance));
                CHECK(t.m.derivative(2) == approx(-p.f33.value()).epsilon(moment_tolerance));
            }
        };
        check(LinearCreep{}, 1e-14, 1e-14);
        check(VermeulenJohnson{}, 1e-14, 1e-14);
        check(Polach{}, 1e-14, 1e-14);
        // The moment of the simplified theory is not Kalker's: it has three flexibilities for four coefficients.
        check(Fastsim{}, 2e-3, 0.0);
        check(Fastsim{200, 200}, 2e-5, 0.0);
    }

    TEST_CASE("derivatives with creep are those of the complex step, from hardly any creep to full sliding") {
        const auto check = [](const auto& law) {
            for (const double size : {1e-12, 1e-6, 3e-4, 1e-3, 3e-3, 0.05})
                for (int i = 0; i < 3; ++i) {
                    const std::array<double, 3> nu{size, -0.7 * size, 40.0 * size};
                    Creepage<Dual<3>> d{Dual<3>::variable(nu[0], 0), Dual<3>::variable(nu[1], 1),
                                        Dual<3>::variable(nu[2], 2)};
                    const auto seed = [&](int k) {
                        const auto at = static_cast<std::size_t>(k);
                        return k == i ? ComplexStep::variable(nu[at]) : ComplexStep(nu[at]);
                    };
                    const auto dual = law(d, bogie_patch<Dual<3>>());
                    const auto complex =
                        law(Creepage<ComplexStep>{seed(0), seed(1), seed(2)}, bogie_patch<ComplexStep>());
                    // By the linear slope: where everything slides, the derivative is a small difference.
                    const double scale = i == 2 ? 3e4 : 1e7;
                    CHECK(std::abs(dual.xi.derivative(i) - complex.xi.derivative()) < 1e-11 * scale);
                    CHECK(std::abs(dual.eta.derivative(i) - complex.eta.derivative()) < 1e-11 * scale);
                    CHECK(std::abs(dual.m.derivative(i) - complex.m.derivative()) < 1e-11 * 3e4);
                }
        };
        check(VermeulenJohnson{});
        check(Polach{});
        check(Fastsim{10, 10});
    }

    TEST_CASE("every law is odd, acts against the slip and stays below friction") {
        const auto p = bogie_patch();
        const auto check = [&](const auto& law) {
            for (const double size : {1e-4, 1e-3, 1e-2}) {
                const Creepage<> nu{0.6 * size, 0.8 * size, 0.3 * size}, back{-nu.xi, -nu.eta, -nu.phi};
                const auto t = law(nu, p), u = law(back, p);
                CHECK(u.xi == -t.xi);
                CHECK(u.eta == -t.eta);
                CHECK(u.m == -t.m);
                CHECK(t.xi * nu.xi + t.eta * nu.eta < 0.0);
                CHECK(std::hypot(t.xi, t.eta) <= p.friction * p.load * (1.0 + 1e-12));
            }
        };
        check(VermeulenJohnson{});
        check(Polach{});
        check(Fastsim{});
    }

    TEST_CASE("FASTSIM mirrors across the track: lateral force and moment change sign with lateral creep and spin") {
        const auto p = bogie_patch();
        const auto t = Fastsim{}({1e-3, 2e-3, 0.5}, p), u = Fastsim{}({1e-3, -2e-3, -0.5}, p);
        CHECK(t.xi == approx(u.xi).epsilon(1e-12));
        CHECK(t.eta == approx(-u.eta).epsilon(1e-12));
        CHECK(t.m == approx(-u.m).epsilon(1e-12));
    }

    TEST_CASE("does not allocate") {
        // @rt-tested: LinearCreep::operator() VermeulenJohnson::operator() Polach::operator() Fastsim::operator()
        // @rt-tested: ContactPatch::under
        const auto p = bogie_patch();
        const Creepage<> nu{1e-3, 1e-3, 0.1};
        const Fastsim fastsim;
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] {
                  sum +=
                      LinearCreep{}(nu, p).xi + VermeulenJohnson{}(nu, p).xi + Polach{}(nu, p).xi + fastsim(nu, p).xi;
                  sum += p.under(2.0 * p.load).f11;
              }) == 0);
        CHECK(panto::is_finite(sum));
    }

    TEST_CASE("refuses a FASTSIM without strips") {
        CHECK_THROWS_WITH_AS(Fastsim(0, 20), "vehicle::Fastsim: strips is 0, must be at least 1", panto::SetupError);
        CHECK_THROWS_AS(Fastsim(20, 1), panto::SetupError);
    }
}

}  // namespace creep_test
