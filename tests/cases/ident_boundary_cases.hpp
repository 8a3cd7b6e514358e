// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The two examples of [Ward, Goodson 1972]: heat slab with radiation and convection, beam with a nonlinear rotational
/// spring. Their fields by the printed products and exactly in discrete time.

#pragma once

#include <panto/field/heat_slab.hpp>
#include <panto/field/infinite_product.hpp>
#include <panto/field/spring_beam.hpp>
#include <panto/field/transfer_functions.hpp>
#include <panto/ident/boundary_fit.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test::ward_goodson {

using namespace panto::ident;

using Samples = std::vector<double>;

/// Every m-th value.
inline Samples every(const Samples& v, std::size_t m) {
    Samples r;
    for (std::size_t k = 0; k < v.size(); k += m) r.push_back(v[k]);
    return r;
}

/// Cooling with radiation beta = 1 and convection eta to 0 K, from a model eight times as fine as the record.
inline BoundaryRecord slab_record(double end, double dt, double eta) {
    BoundaryRecord record;
    const auto n = static_cast<int>(std::lround(end / dt));
    const BoundaryModel model(heat_slab<double>({}, dt / 8), RadiationConvection<>(), {1.0, eta});
    record.sensor = every(respond(model, 8 * n + 1).sensor, 8);
    for (int k = 0; k <= n; ++k) record.time.push_back(k * dt);
    return record;
}

inline BoundaryRecord beam_record(double end, double dt) {
    BoundaryRecord record;
    const auto n = static_cast<int>(std::lround(end / dt));
    for (int k = 0; k <= n; ++k) {
        const double t = k * dt;
        record.time.push_back(t);
        record.motion.push_back(0.05 * std::pow(1.0 - std::exp(-t / 0.05), 3) * std::sin(16.0 * std::numbers::pi * t));
    }
    const BoundaryModel model(spring_beam<double>({}, dt), PolynomialSpring<3>(), {1.0, 2.0, 100.0});
    record.sensor = respond(model, n + 1, record.motion).sensor;
    return record;
}

template <class Law>
Parameters regress(const Law& law, const Samples& boundary, const Samples& wanted, const auto& answer) {
    const auto n = static_cast<Eigen::Index>(wanted.size());
    Matrix<double, Dynamic> R(n, Law::size);
    for (int i = 0; i < Law::size; ++i) {
        Samples phi;
        for (const double v : boundary) phi.push_back(law.basis(v)[static_cast<std::size_t>(i)]);
        R.col(i) = Parameters::Map(answer(phi).data(), n);
    }
    const Parameters y = Parameters::Map(wanted.data(), n);
    return R.householderQr().solve(y);
}

/// The report's own way: products of order N.
template <class Law>
Parameters by_products(const Law& law, const BoundaryRecord& record, int order) {
    const double dt = record.time[1];
    const auto G1 = product_filter(heat_product_G1(0.5, order), dt);
    const auto G2 = product_filter(heat_product_G2(0.5, order), dt);
    return regress(law, filtered(G1, record.sensor), record.sensor, [&](const Samples& q) { return filtered(G2, q); });
}

/// Largest difference of the temperatures of the forward problem from the reference.
inline double slab_forward_difference() {
    const auto reference = golden("vehicle_and_inverse_problems.json")["G.heat"]["value"]["fwd"];
    double worst = 0.0;
    for (const double eta : {0.0, 1.0}) {
        const Eigen::MatrixXd end = golden_matrix(reference[eta > 0.0 ? "b1e1" : "b1e0"]);
        const BoundaryModel model(heat_slab<double>({}, 1.0 / 6400), RadiationConvection<>(), {1.0, eta});
        const auto run = respond(model, 6401);
        worst = std::max({worst, std::abs(run.sensor.back() - end(0)), std::abs(run.boundary.back() - end(1)),
                          std::abs(run.boundary[640] - golden_matrix(reference["u1_t0.1"])(eta > 0.0 ? 1 : 0))});
    }
    return worst;
}

/// Radiation alone, then radiation and convection together.
struct SlabAnswer {
    double radiation = 0.0;
    Parameters both;
};

inline SlabAnswer slab_by_products() {
    return {by_products(RadiationConvection<false>(), slab_record(1.0, 0.00125, 0.0), 4)[0],
            by_products(RadiationConvection<>(), slab_record(1.0, 0.00125, 1.0), 4)};
}

/// A record four times as long; radiation alone with products of `order`.
inline SlabAnswer slab_by_products_longer(int order) {
    return {by_products(RadiationConvection<false>(), slab_record(4.0, 0.005, 0.0), order)[0],
            by_products(RadiationConvection<>(), slab_record(4.0, 0.0025, 1.0), 4)};
}

/// The regression with the exact field as sampled.
inline SlabAnswer slab_by_exact_field() {
    const auto as_sampled = heat_slab<double>({}, 0.01);
    return {fit_boundary(as_sampled, RadiationConvection<false>(), slab_record(1.0, 0.01, 0.0)).regression[0],
            fit_boundary(as_sampled, RadiationConvection<>(), slab_record(1.0, 0.01, 1.0)).regression};
}

/// Regression and least squares with eight steps of the field per sample; the truth is 1 and 1.
inline auto slab_by_finer_field() {
    return fit_boundary(heat_slab<double>({}, 0.01 / 8), RadiationConvection<>(), slab_record(1.0, 0.01, 1.0));
}

/// The spring's three coefficients by the report's products; the truth is 1, 2, 100.
inline Parameters spring_by_products() {
    const double dt = 2.5e-4;
    const BoundaryRecord record = beam_record(1.0, dt);
    const PolynomialSpring<3> spring;
    const BeamProducts G = beam_products(0.14, 2);
    const auto filter = [&](const ProductForm& g, const Samples& u) {
        return filtered(product_filter(g, dt, 0.01, 0.03), u);
    };
    Samples slope = filter(G.G1, record.motion), wanted = record.sensor;
    const Samples by_moment = filter(G.G2, record.sensor), by_motion = filter(G.G3, record.motion);
    for (std::size_t k = 0; k < slope.size(); ++k) slope[k] += by_moment[k], wanted[k] -= by_motion[k];
    return regress(spring, slope, wanted, [&](const Samples& M) { return filter(G.G4, M); });
}

inline Parameters spring_by_exact_field() {
    const double dt = 2.5e-4;
    return fit_boundary(spring_beam<double>({}, dt), PolynomialSpring<3>(), beam_record(1.0, dt)).theta;
}

/// Of 100 records with noise, those whose 95 % joint ellipsoid holds the truth.
inline int truths_in_slab_ellipsoid() {
    const BoundaryRecord clean = slab_record(1.0, 0.01, 1.0);
    const auto slab = heat_slab<double>({}, 0.01 / 8);
    const double sigma = 1e-3;
    int inside = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<> normal(0.0, sigma);
        BoundaryRecord noisy = clean;
        for (double& y : noisy.sensor) y += normal(random);
        const RadiationConvection<> law;
        const auto fit = fit_boundary(slab, law, noisy, {.recovery = {.noise = sigma, .knots = 40}});
        Parameters r;
        Matrix<double, Dynamic> J;
        if (BoundaryMisfit(slab, law, noisy).linearize(fit.theta, r, J) != Status::ok)
            throw std::runtime_error("the slab's misfit has no derivative");
        inside += distance_squared(J, fit.theta - Parameters::Ones(2), sigma) < 5.991;  // chi-square, 2 degrees
    }
    return inside;
}

/// Largest relative difference of the characteristic roots of the four transfer functions from the reference.
inline double root_difference() {
    const auto reference = golden("vehicle_and_inverse_problems.json")["G.roots"]["value"];
    const BeamFunctions f{0.14};
    double worst = 0.0;
    const auto compare = [&](Complex (BeamFunctions::*member)(const Complex&) const, const char* name) {
        const Eigen::MatrixXd wanted = golden_matrix(reference[name]);
        const auto roots =
            real_roots([&](const Complex& g) { return (f.*member)(g); }, static_cast<int>(wanted.rows()));
        if (roots.size() != static_cast<std::size_t>(wanted.rows()))
            throw std::runtime_error(std::string("roots are missing: ") + name);
        for (std::size_t i = 0; i < roots.size(); ++i)
            worst = std::max(worst, std::abs(roots[i] / wanted(static_cast<Eigen::Index>(i), 0) - 1.0));
    };
    compare(&BeamFunctions::denominator12, "den12");
    compare(&BeamFunctions::denominator34, "den34");
    compare(&BeamFunctions::numerator1, "zerosG1");
    compare(&BeamFunctions::numerator2, "zerosG2");
    compare(&BeamFunctions::numerator3, "zerosG3");
    compare(&BeamFunctions::numerator4, "zerosG4");
    return worst;
}

}  // namespace panto::test::ward_goodson

namespace panto::test {

inline std::vector<Measured> boundary_figures() {
    using namespace ward_goodson;
    std::vector<Measured> all{{"ident.roots", root_difference()}, {"ident.slab.forward", slab_forward_difference()}};
    const auto add = [&](const std::string& id, const SlabAnswer& a) {
        all.push_back({id + ".radiation", a.radiation});
        all.push_back({id + ".both_radiation", a.both[0]});
        all.push_back({id + ".both_convection", a.both[1]});
    };
    add("ident.slab.products", slab_by_products());
    add("ident.slab.products_longer", slab_by_products_longer(4));
    all.push_back({"ident.slab.products_of_ten", slab_by_products_longer(10).radiation});
    add("ident.slab.exact", slab_by_exact_field());
    const auto finer = slab_by_finer_field();
    all.push_back({"ident.slab.finer_regression", finer.regression[0]});
    all.push_back({"ident.slab.error", (finer.theta - Parameters::Ones(2)).cwiseAbs().maxCoeff()});
    all.push_back({"ident.slab.ellipsoid", static_cast<double>(truths_in_slab_ellipsoid())});
    const Parameters printed = spring_by_products(), exact = spring_by_exact_field();
    const Parameters truth = Eigen::Vector3d(1.0, 2.0, 100.0);
    for (Eigen::Index i = 0; i < 3; ++i) all.push_back({"ident.spring.products_" + std::to_string(i + 1), printed[i]});
    all.push_back({"ident.spring.error", (exact - truth).cwiseQuotient(truth).cwiseAbs().maxCoeff()});
    return all;
}

}  // namespace panto::test
