// SPDX-License-Identifier: BSD-3-Clause
#include <panto/dynamics/simulate.hpp>
#include <panto/field/heat_slab.hpp>
#include <panto/ident/boundary_recovery.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace heat_slab_test {
namespace {

using namespace panto;
using namespace panto::ident;

double integrated_erfc(double z) { return std::exp(-z * z) / std::sqrt(std::numbers::pi) - z * std::erfc(z); }

/// Cooling of a thick slab by a unit flux at 1 from t = 0 on, with the image at the insulated face.
double under_constant_flux(double x, double t) {
    const double width = 2.0 * std::sqrt(t);
    return -width * (integrated_erfc((1.0 - x) / width) + integrated_erfc((1.0 + x) / width));
}

TEST_SUITE("ident::heat_slab") {
    TEST_CASE("under a constant flux the slab cools as the half-space does, at every sample") {
        for (const double dt : {0.02, 0.005, 0.001}) {
            CAPTURE(dt);
            const auto slab = heat_slab<double>({.sensor = 0.6}, dt);
            std::vector<double> x(static_cast<std::size_t>(slab.states()));
            struct State {
                double* x;
                double& operator[](int i) const { return x[i]; }
            } state{x.data()};
            for (int k = 1; k * dt < 0.08; ++k) {
                slab.advance(state, {1.0}, {1.0}, state);
                // The next images are below exp(-(1.4)^2/0.08); the series forgets below 1e-16.
                CHECK(slab.sensor(state, {1.0}, {1.0}) ==
                      approx(under_constant_flux(0.6, k * dt)).epsilon(1e-9).scale(1.0));
                CHECK(slab.boundary(state, {1.0}, {1.0}) ==
                      approx(-2.0 * std::sqrt(k * dt / std::numbers::pi)).epsilon(1e-5));
            }
        }
    }

    TEST_CASE("under a growing flux the face cools as the power 3/2 of time") {
        const double dt = 0.01;
        const auto slab = heat_slab<double>({}, dt);
        Vector<double, Dynamic> x = Vector<double, Dynamic>::Zero(slab.states());
        for (int k = 1; k <= 4; ++k) {
            const double t = k * dt;
            slab.advance(x, {t - dt}, {t}, x);
            CHECK(slab.boundary(x, {t - dt}, {t}) == approx(-std::pow(t, 1.5) / std::tgamma(2.5)).epsilon(1e-9));
        }
    }

    TEST_CASE("material and thickness only scale the dimensionless slab") {
        const double L = 0.05, kappa = 1e-5, k = 40.0, dt = 0.01;
        const auto real =
            heat_slab<double>({.thickness = L, .diffusivity = kappa, .conductivity = k}, dt * L * L / kappa);
        const auto scaled = heat_slab<double>({}, dt);
        Vector<double, Dynamic> x = Vector<double, Dynamic>::Zero(real.states()), y = x;
        for (int n = 0; n < 20; ++n) {
            const double before = std::sin(0.3 * n), now = std::sin(0.3 * (n + 1));
            real.advance(x, {before * k / L}, {now * k / L}, x);
            scaled.advance(y, {before}, {now}, y);
            CHECK(real.sensor(x, {before * k / L}, {now * k / L}) == approx(scaled.sensor(y, {before}, {now})));
        }
        CHECK(real.gain() * k / L == approx(scaled.gain()));
        CHECK(real.gain() < 0.0);
    }

    TEST_CASE("is driven by hand as it stands, and answers as through the parts of a step") {
        // [drive]
        const auto slab = heat_slab<double>({.thickness = 0.05, .diffusivity = 1.2e-5, .conductivity = 45.0}, 0.5);
        auto x = slab.at_rest();
        std::vector<double> rise;  // K, at the sensor
        for (int k = 1; k <= 100; ++k) {
            const double flux = 2e4 * std::sin(0.02 * k);  // W/m^2, leaving the slab; linear within a step
            decltype(slab)::Output y;
            if (slab.step(x, {flux}, x) != Status::ok) break;
            if (slab.output(x, {flux}, y) != Status::ok) break;
            rise.push_back(y.sensor);
        }
        // [drive]
        std::vector<double> flux;
        for (int k = 0; k <= 100; ++k) flux.push_back(2e4 * std::sin(0.02 * k));
        const FieldAnswer wanted = field_answer(slab, {}, flux);
        for (std::size_t k = 0; k < 100; ++k) CHECK(rise[k] == wanted.sensor[k + 1]);
        decltype(slab)::Output y;
        slab.output(x, {0.0}, y);
        CHECK(y.boundary == wanted.boundary[100]);
        CHECK(y.sensor < 0.0);
        auto next = slab.at_rest();
        double sum = 0.0;
        // @rt-tested: ModalField::step ModalField::output
        CHECK(test::allocations_in([&] {
                  slab.step(x, {1.0}, next);
                  slab.output(next, {1.0}, y);
                  sum += y.sensor;
              }) == 0);
        CHECK(sum < 0.0);
    }

    TEST_CASE("a state of another size, or an input that is no number, is not simulated") {
        const auto slab = heat_slab<double>({}, 0.01);
        const double not_a_number = std::nan("");
        int seen = 0;
        const auto count = [&](const auto&) { ++seen; };
        const auto spoilt = [&](int k) { return decltype(slab)::Input{k == 2 ? not_a_number : 1.0}; };
        Vector<double, Dynamic> x = Vector<double, Dynamic>::Ones(1);
        CHECK(dynamics::simulate(slab, x, 5, spoilt, count) == Status::out_of_range);
        CHECK(x[0] == 1.0);
        CHECK(seen == 0);
        x = slab.at_rest();
        CHECK(dynamics::simulate(slab, x, 5, spoilt, count) == Status::not_finite);
        CHECK(seen == 2);
        CHECK(x.allFinite());
    }

    TEST_CASE("a step does not allocate") {
        const auto slab = heat_slab<double>({}, 0.01);
        Vector<double, Dynamic> x = Vector<double, Dynamic>::Zero(slab.states());
        double sum = 0.0;
        // @rt-tested: ModalField::advance ModalField::act ModalField::sensor ModalField::boundary ModalField::gain
        CHECK(test::allocations_in([&] {
                  slab.advance(x, {1.0}, {1.0}, x);
                  slab.act(0.5, x);
                  sum += slab.sensor(x, {1.0}, {1.0}) + slab.boundary(x, {1.0}, {1.0}) + slab.gain();
              }) == 0);
        CHECK(sum < 0.0);
    }

    TEST_CASE("what makes no sense is refused by name") {
        const auto refused = [](const HeatSlabParams<>& p, double dt, const char* words) {
            CAPTURE(words);
            CHECK_THROWS_WITH_AS((void)heat_slab(p, dt), doctest::Contains(words), SetupError);
        };
        refused({.thickness = 0.0}, 0.01, "thickness must be finite and > 0, got 0");
        refused({.diffusivity = -1.0}, 0.01, "diffusivity must be finite and > 0, got -1");
        refused({.conductivity = std::nan("")}, 0.01, "conductivity must be finite and > 0, got nan");
        refused({.sensor = 1.0}, 0.01, "sensor is 1, must be at least 0 and below 1");
        refused({}, 0.0, "dt must be finite and > 0, got 0");
        refused({}, 1e-9, "dt is 1e-09, must be at least");
    }

    TEST_CASE("states that are too few are refused and stay as they were") {
        const auto slab = heat_slab<double>({}, 0.02);
        std::vector<double> few(static_cast<std::size_t>(slab.states()) - 1, 7.0), enough(few.size() + 1, 7.0);
        CHECK(slab.advance(few, {}, {}, enough) == Status::out_of_range);
        CHECK(slab.advance(enough, {}, {}, few) == Status::out_of_range);
        CHECK(slab.act(1.0, few) == Status::out_of_range);
        CHECK(std::isnan(slab.sensor(few, {}, {})));
        CHECK(std::isnan(slab.boundary(few, {}, {})));
        for (const auto* x : {&few, &enough})
            for (const double value : *x) CHECK(value == 7.0);
        CHECK(slab.advance(enough, {}, {}, enough) == Status::ok);
    }
}

}  // namespace
}  // namespace heat_slab_test
