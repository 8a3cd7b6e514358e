// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/random.hpp>
#include <panto/field/heat_slab.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/ident/boundary_fit.hpp>

#include "../../../programs/boundary_records.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace boundary_fit_test {
namespace {

using namespace panto;
using namespace panto::ident;

BoundaryRecord cooling_slab(int samples, double dt) {
    const BoundaryModel model(heat_slab<double>({}, dt), RadiationConvection<>(), {1.0, 1.0});
    BoundaryRecord record;
    record.sensor = respond(model, samples).sensor;
    for (int k = 0; k < samples; ++k) record.time.push_back(k * dt);
    return record;
}

BoundaryRecord shaken_beam(int samples, double dt) {
    BoundaryRecord record;
    for (int k = 0; k < samples; ++k) {
        const double t = k * dt;
        record.time.push_back(t);
        record.motion.push_back(0.05 * std::pow(1.0 - std::exp(-t / 0.05), 3) * std::sin(16.0 * std::numbers::pi * t));
    }
    const BoundaryModel model(spring_beam<double>({}, dt), PolynomialSpring<3>(), {1.0, 2.0, 100.0});
    record.sensor = respond(model, samples, record.motion).sensor;
    return record;
}

void refused(const BoundaryRecord& record, const char* words) {
    CAPTURE(words);
    CHECK_THROWS_WITH_AS((void)fit_boundary(heat_slab<double>({}, 0.01), RadiationConvection<>(), record),
                         doctest::Contains(words), SetupError);
}

TEST_SUITE("ident::boundary_fit") {
    TEST_CASE("without noise the parameters come back, of the slab from a coarser record than the model's steps") {
        BoundaryRecord record = cooling_slab(201, 0.005), every_second;
        for (std::size_t k = 0; k < 201; k += 2)
            every_second.time.push_back(record.time[k]), every_second.sensor.push_back(record.sensor[k]);
        // [fit]
        const auto slab = heat_slab<double>({.sensor = 0.5}, 0.005);  // two steps per sample
        const auto fit = fit_boundary(slab, RadiationConvection<>(), every_second);
        // [fit]
        REQUIRE(fit.search.status == Status::ok);
        CHECK(fit.names == std::vector<std::string>{"radiation", "convection"});
        CHECK(fit.theta[0] == approx(1.0).epsilon(1e-8));
        CHECK(fit.theta[1] == approx(1.0).epsilon(1e-8));
        CHECK(fit.regression[0] == approx(1.0).epsilon(0.01));  // carries the error of the recovery
        CHECK(fit.recovery.boundary.size() == 201);
        CHECK(fit.weak.empty());
        REQUIRE(fit.doubts.size() == 1);  // nothing but the step of the field, which cannot be changed here
        CHECK(fit.doubts[0].find("error of the field's time step") != std::string::npos);
    }

    TEST_CASE("a beam's spring comes back, and the slope at the knife edge with it") {
        const BoundaryRecord record = shaken_beam(401, 1e-3);
        const auto beam = spring_beam<double>({}, 1e-3);
        const auto fit = fit_boundary(beam, PolynomialSpring<3>(), record);
        CHECK(fit.theta[0] == approx(1.0).epsilon(1e-8));
        CHECK(fit.theta[1] == approx(2.0).epsilon(1e-8));
        CHECK(fit.theta[2] == approx(100.0).epsilon(1e-8));
        const BoundaryModel model(beam, PolynomialSpring<3>(), {1.0, 2.0, 100.0});
        const auto truth = respond(model, 401, record.motion).boundary;
        double off = 0.0, size = 0.0;
        for (std::size_t k = 0; k < truth.size(); ++k) {
            off = std::max(off, std::abs(truth[k] - fit.recovery.boundary[k]));
            size = std::max(size, std::abs(truth[k]));
        }
        CHECK(off < 0.01 * size);  // 120 knots over 400 samples
    }

    TEST_CASE("the Jacobian is the derivative of the residuals") {
        const BoundaryRecord record = shaken_beam(200, 1e-3);
        const auto beam = spring_beam<double>({}, 5e-4);
        const PolynomialSpring<3> spring;
        const BoundaryMisfit misfit(beam, spring, record);
        const Parameters theta = (Parameters(3) << 0.8, 3.0, 80.0).finished();
        Parameters r, up, down;
        Matrix<double, Dynamic> J;
        REQUIRE(misfit.linearize(theta, r, J) == Status::ok);
        for (Eigen::Index i = 0; i < 3; ++i) {
            Parameters moved = theta;
            const double h = 1e-4 * theta[i];
            moved[i] = theta[i] + h;
            REQUIRE(misfit.residuals(moved, up) == Status::ok);
            moved[i] = theta[i] - h;
            REQUIRE(misfit.residuals(moved, down) == Status::ok);
            CHECK(((up - down) / (2.0 * h) - J.col(i)).norm() < 1e-6 * J.col(i).norm());  // h^2
        }
    }

    TEST_CASE("noise of a smooth signal is estimated, spikes or not") {
        std::mt19937 random(7);
        std::normal_distribution<> normal(0.0, 0.01);
        std::vector<double> signal;
        for (int k = 0; k < 4000; ++k) signal.push_back(std::sin(0.02 * k) + normal(random));
        for (std::size_t k = 50; k < 4000; k += 400) signal[k] += 5.0;
        CHECK(estimated_noise(signal) == approx(0.01).epsilon(0.06));  // 4000 correlated magnitudes
    }

    TEST_CASE("between samples a channel is a cubic") {
        std::vector<double> samples;
        const auto cubic = [](double t) { return 1.0 + t * (0.5 - t * (0.25 - 0.125 * t)); };
        for (int k = 0; k < 6; ++k) samples.push_back(cubic(k));
        const auto fine = refined(samples, 4);
        REQUIRE(fine.size() == 21);
        for (int k = 0; k <= 20; ++k) CHECK(fine[static_cast<std::size_t>(k)] == approx(cubic(0.25 * k)));
        CHECK(refined(samples, 1) == samples);
    }

    TEST_CASE("bounds hold") {
        BoundaryFitParams p;
        p.bounds.lower = Parameters::Constant(2, 0.0);
        p.bounds.upper = Parameters::Constant(2, 0.9);
        const auto fit = fit_boundary(heat_slab<double>({}, 0.01), RadiationConvection<>(), cooling_slab(101, 0.01), p);
        CHECK(p.bounds.contains(fit.theta));
        p.bounds.lower[0] = 2.0;
        CHECK_THROWS_WITH_AS(
            (void)fit_boundary(heat_slab<double>({}, 0.01), RadiationConvection<>(), cooling_slab(101, 0.01), p),
            doctest::Contains("lower bound 0 is 2"), SetupError);
    }

    TEST_CASE("a parameter that the bounds fix leaves narrower intervals to the others, and is no doubt") {
        const BoundaryRecord record = cooling_slab(101, 0.01);
        const auto field = heat_slab<double>({}, 0.01);
        const auto open = fit_boundary(field, RadiationConvection<>(), record);
        BoundaryFitParams p;
        p.bounds.lower = Parameters::Constant(2, 0.0);
        p.bounds.upper = Parameters::Constant(2, 10.0);
        p.bounds.lower[0] = p.bounds.upper[0] = open.theta[0];
        const auto fixed = fit_boundary(field, RadiationConvection<>(), record, p);
        CHECK(fixed.theta[0] == open.theta[0]);
        CHECK(fixed.lower[0] == fixed.upper[0]);
        CHECK(fixed.upper[1] - fixed.lower[1] < 0.9 * (open.upper[1] - open.lower[1]));
        CHECK(fixed.upper[1] > fixed.lower[1]);
        for (const std::string& doubt : fixed.doubts) CHECK(doubt.find("bound") == std::string::npos);
        CHECK(fixed.weak.empty());
    }

    TEST_CASE("parameters that the record cannot tell apart are named") {
        const TermsLaw twice(BoundaryTerm{"paint", [](const auto& v) { return v + 1.0; },
                                          [](const auto& v) { return decltype(v * v)(1.0); }},
                             BoundaryTerm{"wind", [](const auto& v) { return 2.0 * v + 2.0; },
                                          [](const auto& v) { return decltype(v * v)(2.0); }});
        CHECK_THROWS_WITH_AS((void)fit_boundary(heat_slab<double>({}, 0.01), twice, cooling_slab(101, 0.01)),
                             doctest::Contains("does not tell the parameters apart: 0.71 paint - 0.71 wind"),
                             SetupError);
    }

    TEST_CASE("combinations that noise leaves open are named, with how far") {
        BoundaryRecord record = cooling_slab(41, 0.01);
        std::mt19937 random(3);
        std::normal_distribution<> normal(0.0, 0.05);
        for (double& y : record.sensor) y += normal(random);
        const auto fit = fit_boundary(heat_slab<double>({}, 0.01), RadiationConvection<>(), record);
        REQUIRE(fit.weak.size() == 1);
        CHECK(fit.weak[0].find("radiation") != std::string::npos);
        CHECK(fit.weak[0].find("is known only to") != std::string::npos);
    }

    TEST_CASE("records that cannot be used are refused by channel, sample and value") {
        const BoundaryRecord good = cooling_slab(101, 0.01);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        BoundaryRecord bad = good;
        bad.sensor.pop_back();
        refused(bad, "sensor has 100 samples and time 101");
        bad = good, bad.sensor[7] = nan;
        refused(bad, "sensor[7] must be finite, got nan");
        bad = good, bad.time[3] = bad.time[2];
        refused(bad, "time[3] is 0.02 after 0.02, time must increase");
        bad = good, bad.time[50] += 0.002;
        refused(bad, "the step before time[50] is 0.012 and most are 0.01");
        bad = good, bad.sensor.assign(101, 0.25);
        refused(bad, "sensor is constant at 0.25");
        bad = good, bad.time.resize(5), bad.sensor.resize(5);
        refused(bad, "there are 5 samples, expected at least 10 for 2 parameters");
        bad = good, bad.motion = bad.time;
        refused(bad, "motion has 101 samples");
        CHECK_THROWS_WITH_AS((void)fit_boundary(heat_slab<double>({}, 0.007), RadiationConvection<>(), good),
                             doctest::Contains("sampled every 0.01 s and the field steps 0.007 s"), SetupError);
        const auto beam = spring_beam<double>({}, 0.01);
        CHECK_THROWS_WITH_AS((void)fit_boundary(beam, PolynomialSpring<3>(), good),
                             doctest::Contains("motion has 0 samples and time 101, expected 101"), SetupError);
        const auto slab = heat_slab<double>({}, 0.01);
        CHECK_THROWS_WITH_AS((void)recover_boundary(slab, good, {.noise = -1.0}),
                             doctest::Contains("noise must be finite and >= 0, got -1"), SetupError);
        CHECK_THROWS_WITH_AS((void)recover_boundary(slab, good, {.knots = 3}), doctest::Contains("knots is 3"),
                             SetupError);
    }

    TEST_CASE("a noise too small for the field to explain, or too large, has no root of Morozov's equation") {
        BoundaryRecord record = cooling_slab(101, 0.01);
        std::mt19937 random(5);
        std::normal_distribution<> normal(0.0, 1e-3);
        for (double& y : record.sensor) y += normal(random);
        const auto slab = heat_slab<double>({}, 0.01);
        CHECK_FALSE(recover_boundary(slab, record, {.noise = 1e-9, .knots = 20}).discrepancy_met);
        const auto met = recover_boundary(slab, record, {.noise = 1e-3});
        CHECK(met.discrepancy_met);
        CHECK(met.misfit == approx(1.05e-3).epsilon(1e-6));
        // Nor has a noise above what a straight line for an action leaves, let alone above the signal.
        const auto loud = recover_boundary(slab, record, {.noise = 10.0, .knots = 20});
        CHECK_FALSE(loud.discrepancy_met);
        CHECK(loud.misfit < 10.0);
    }
}

TEST_SUITE("ident::fit_boundary from records that the field did not make") {
    constexpr double period = 4.0;
    const HeatSlabParams<> plate{.thickness = 0.05, .diffusivity = 1.2e-5, .conductivity = 45.0, .sensor = 0.6};
    const RadiationConvection<> hall({.initial_temperature = 800.0, .ambient_temperature = 293.0});
    const auto plate_of_step = [](double dt) { return heat_slab(plate, dt); };

    BoundaryRecord noisy(std::vector<double> sensor, double dt, double share, std::uint64_t seed) {
        BoundaryRecord record;
        double largest = 0.0;
        for (const double y : sensor) largest = std::max(largest, std::abs(y));
        panto::Random random(seed);
        for (std::size_t k = 0; k < sensor.size(); ++k) {
            record.time.push_back(static_cast<double>(k) * dt);
            record.sensor.push_back(sensor[k] + share * largest * random.normal());
        }
        return record;
    }

    TEST_CASE("a slab of finite volumes lies in the intervals, and half the step is reported") {
        const std::array<double, 2> truth{4.5e-8, 12.0};
        const auto clean = boundary_records::cooled_slab(plate, hall, truth, period, 301, 100);
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const auto fit = fit_boundary(plate_of_step, hall, noisy(clean, period, 3e-3, seed), 4);
            CAPTURE(seed);
            REQUIRE(fit.step_error.size() == 2);
            for (Eigen::Index i = 0; i < 2; ++i) {
                CAPTURE(i);
                const double t = truth[static_cast<std::size_t>(i)];
                CHECK(std::abs(fit.theta[i] - t) <= 3.3 * fit.information.deviation[i] + fit.step_error[i]);
                CHECK(fit.step_error[i] <= 0.2 * fit.information.deviation[i]);
            }
            CHECK(fit.doubts.empty());
        }
    }

    TEST_CASE("a step too long for a quiet record is said, and the interval holds the truth") {
        const std::array<double, 2> truth{4.5e-8, 12.0};
        const auto clean = boundary_records::cooled_slab(plate, hall, truth, period, 301, 200);
        const auto fit = fit_boundary(plate_of_step, hall, noisy(clean, period, 1e-6, 1), 1);
        CHECK_FALSE(fit.doubts.empty());
        for (Eigen::Index i = 0; i < 2; ++i) {
            CAPTURE(i);
            CHECK(fit.lower[i] <= truth[static_cast<std::size_t>(i)]);
            CHECK(fit.upper[i] >= truth[static_cast<std::size_t>(i)]);
        }
        CHECK_THROWS_WITH_AS((void)fit_boundary(plate_of_step, hall, noisy(clean, period, 1e-6, 1), 0),
                             doctest::Contains("substeps is 0"), SetupError);
    }

    TEST_CASE("a beam of finite differences lies in the intervals") {
        const SpringBeamParams<> strip{
            .length = 0.4, .mass_per_length = 0.12, .damping = 0.4, .bending_stiffness = 1.6, .sensor = 0.14};
        const auto table = [](double t) {
            return 0.02 * std::pow(1.0 - std::exp(-t / 0.05), 3) * std::sin(12.0 * std::numbers::pi * t);
        };
        const std::array<double, 3> truth{4.0, 8.0, 400.0};
        const auto clean = boundary_records::shaken_beam(strip, PolynomialSpring<3>(), truth, table, 1e-3, 401, 100);
        BoundaryRecord record = noisy(clean, 1e-3, 3e-3, 4);
        for (int k = 0; k <= 400; ++k) record.motion.push_back(table(k * 1e-3));
        const auto fit =
            fit_boundary([&](double dt) { return spring_beam(strip, dt); }, PolynomialSpring<3>(), record, 4);
        CHECK(fit.doubts.empty());
        for (Eigen::Index i = 0; i < 3; ++i) {
            CAPTURE(i);
            const double t = truth[static_cast<std::size_t>(i)];
            CHECK(std::abs(fit.theta[i] - t) <= 3.3 * fit.information.deviation[i] + fit.step_error[i]);
        }
    }

    TEST_CASE("a slab of another thickness than it is told is doubted") {
        const std::array<double, 2> truth{4.5e-8, 12.0};
        HeatSlabParams<> thick = plate;
        thick.thickness = 0.06;
        const auto clean = boundary_records::cooled_slab(thick, hall, truth, period, 301, 100);
        const auto fit = fit_boundary(plate_of_step, hall, noisy(clean, period, 3e-4, 1), 4);
        CHECK_FALSE(fit.doubts.empty());
    }
}

}  // namespace
}  // namespace boundary_fit_test
