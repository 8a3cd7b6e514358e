// SPDX-License-Identifier: BSD-3-Clause
// Identification of the bogie: gradients three ways, the thesis' problem, regularization, screening and variance.
#include <panto/core/lcg.hpp>
#include <panto/ident/adjoint.hpp>
#include <panto/ident/gradient.hpp>
#include <panto/ident/regularization.hpp>
#include <panto/sensitivity/morris.hpp>
#include <panto/sensitivity/sobol.hpp>
#include <panto/vehicle/bogie_adjoint.hpp>

#include "../../support/catch.hpp"
#include "../../support/complex_step.hpp"
#include "../../support/golden_json.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace bogie_ident_verify {

using namespace panto::vehicle;
using panto::Dynamic;
using panto::Matrix;
using panto::Vector;
using panto::test::ComplexStep;
namespace {

nlohmann::json golden_value(const char* key) {
    return panto::test::golden("vehicle_and_inverse_problems.json").at(key).at("value");
}

/// The bogie on the sheet's defect by c_x, c_y, c_z, d_x, d_y, d_z over the nominal, as many as are given.
struct Scaled {
    SmoothDefect<> defect{.lateral = 5e-3};
    WheelsetForm form{};
    template <class S, int K>
    auto operator()(const Vector<S, K>& theta) const {
        BogieParams<S> p;
        for (Eigen::Index i = 0; i < theta.size(); ++i) {
            S& value = (i < 3 ? p.stiffness : p.damping)[static_cast<std::size_t>(i % 3)];
            value = value * theta[i];
        }
        return Bogie<S, SmoothDefect<>>(p, {}, S(40.0), defect, {}, form);
    }
};

template <class S, class B>
std::vector<Vector<S, 20>> run(const B& bogie, double dt, int steps) {
    std::vector<Vector<S, 20>> all(static_cast<std::size_t>(steps) + 1, Vector<S, 20>::Zero());
    for (int n = 0; n < steps; ++n)
        bogie.step(S(n * dt), S(dt), all[static_cast<std::size_t>(n)], all[static_cast<std::size_t>(n) + 1]);
    return all;
}

using Record = std::vector<Vector<double, 20>>;
Record record_of(double dt, int steps) { return run<double>(Scaled{}(Vector<double, 1>(1.0)), dt, steps); }

double simpson(int n, int steps, double dt) { return dt / 3.0 * (n == 0 || n == steps ? 1.0 : n % 2 == 1 ? 4.0 : 2.0); }

/// Residuals of the thesis' problem: all ten displacements, trapezoid weights, normalized.
struct Residuals {
    Record measured;
    double dt;
    double norm = 0.0;

    Residuals(Record m, double step) : measured(std::move(m)), dt(step) {
        for (std::size_t n = 0; n < measured.size(); ++n) norm += weight(n) * measured[n].head<10>().squaredNorm();
    }
    double weight(std::size_t n) const { return n == 0 || n + 1 == measured.size() ? 0.5 : 1.0; }

    template <class S>
    Vector<S, Dynamic> operator()(const Vector<S, Dynamic>& theta) const {
        const auto all = run<S>(Scaled{}(theta), dt, static_cast<int>(measured.size()) - 1);
        Vector<S, Dynamic> r(static_cast<Eigen::Index>(10 * all.size()));
        for (std::size_t n = 0; n < all.size(); ++n)
            for (Eigen::Index i = 0; i < 10; ++i)
                r[10 * static_cast<Eigen::Index>(n) + i] =
                    S(std::sqrt(weight(n) / norm)) * (all[n][i] - S(measured[n][i]));
        return r;
    }
};

Vector<double, Dynamic> pair(double a, double b) {
    Vector<double, Dynamic> v(2);
    v << a, b;
    return v;
}

/// Gauss' and Newton's whole steps; J'J is 2 by 2. @return how many.
template <class Problem>
int gauss_newton(const Problem& problem, Vector<double, Dynamic>& theta, int most) {
    Vector<double, Dynamic> r;
    Matrix<double, Dynamic> J;
    for (int steps = 0; steps < most; ++steps) {
        REQUIRE(problem.linearize(theta, r, J) == panto::Status::ok);
        const Matrix<double, 2> JJ = J.transpose() * J;
        const Vector<double, 2> step = JJ.inverse() * Vector<double, 2>(J.transpose() * r);
        if (step.norm() < 1e-9) return steps;
        theta -= step;
    }
    return most;
}

}  // namespace

TEST_CASE("discrete adjoint and duals of the bogie are the complex step, for displacements, rates and accelerations",
          "[vehicle]") {
    constexpr int steps = 1600;
    const double dt = 1e-3;
    const Vector<double, 3> theta(4.5 / 5.2, 3.2 / 3.5, 1.0);
    const BogieStepper<3, Scaled> stepper({}, theta, dt);
    const auto golden = golden_value("D.grad");
    // What is recorded, of a state; accelerations need the bogie, and depend on its parameters.
    enum class Kind { displacement, rate, acceleration };
    const auto recorded = [&](Kind kind, const auto& bogie, int n, const auto& x) {
        using S = std::decay_t<decltype(x[0])>;
        if (kind == Kind::displacement) return Vector<S, 10>(x.template head<10>());
        if (kind == Kind::rate) return Vector<S, 10>(x.template tail<10>());
        Vector<S, 20> slope;
        bogie(S(n * dt), x, slope);
        return Vector<S, 10>(slope.template tail<10>());
    };
    const auto true_bogie = Scaled{}(Vector<double, 1>(1.0));
    const Record truth = run<double>(true_bogie, dt, steps);
    const auto misfit = [&](Kind kind, const auto& bogie, int n, const auto& x) {
        using S = std::decay_t<decltype(x[0])>;
        const Vector<S, 10> y = recorded(kind, bogie, n, x);
        const Vector<double, 10> wanted = recorded(kind, true_bogie, n, truth[static_cast<std::size_t>(n)]);
        S sum(0.0);
        for (int i = 0; i < 10; ++i) sum += (y[i] - S(wanted[i])) * (y[i] - S(wanted[i]));
        return S(0.5 * simpson(n, steps, dt)) * sum;
    };
    const auto whole = [&](Kind kind, const auto& seeded) {  // J by parameters of any kind of number
        using S = std::decay_t<decltype(seeded[0])>;
        const auto bogie = Scaled{}(seeded);
        const auto all = run<S>(bogie, dt, steps);
        S J(0.0);
        for (int n = 0; n <= steps; ++n) J += misfit(kind, bogie, n, all[static_cast<std::size_t>(n)]);
        return J;
    };
    struct Case {
        Kind kind;
        const char* name;
        double half_digit;  // of what the golden file prints
    };
    for (const Case& c :
         {Case{Kind::displacement, "disp", 5e-17}, {Kind::rate, "vel", 5e-13}, {Kind::acceleration, "acc", 5e-9}}) {
        const auto adjoint = panto::ident::adjoint_gradient(
            stepper, steps, [&](int n, const auto& x) { return misfit(c.kind, stepper.bogie(), n, x); },
            [&](int n, const auto& x, auto& lambda, auto& gradient) {
                const Vector<double, 10> e =
                    simpson(n, steps, dt) * (recorded(c.kind, stepper.bogie(), n, x) -
                                             recorded(c.kind, true_bogie, n, truth[static_cast<std::size_t>(n)]));
                if (c.kind == Kind::displacement) lambda.template head<10>() += e;
                if (c.kind == Kind::rate) lambda.template tail<10>() += e;
                if (c.kind != Kind::acceleration) return;
                BogieStepper<3, Scaled>::Linear at;
                stepper.derive(n * dt, x, at);
                lambda += at.by_state.template bottomRows<10>().transpose() * e;
                gradient += at.by_parameters.template bottomRows<10>().transpose() * e;
            },
            panto::ident::CheckpointPolicy::fewest(steps));
        Vector<panto::Dual<3>, 3> variables;
        for (int i = 0; i < 3; ++i) variables[i] = panto::Dual<3>::variable(theta[i], i);
        const auto dual = whole(c.kind, variables);
        const double J = golden.at("J")[static_cast<std::size_t>(c.kind)].get<double>();
        CHECK(dual.value() == Approx(J).epsilon(1e-8));
        CHECK(adjoint.value == Approx(J).epsilon(1e-8));
        for (int i = 0; i < 3; ++i) {
            Vector<ComplexStep, 3> seeded;
            for (int k = 0; k < 3; ++k) seeded[k] = k == i ? ComplexStep::variable(theta[k]) : ComplexStep(theta[k]);
            const double exact = whole(c.kind, seeded).derivative();
            INFO(c.name << ", parameter " << i << ": adjoint " << adjoint.gradient[i] / exact - 1.0 << ", duals "
                        << dual.derivative(i) / exact - 1.0);
            CHECK(adjoint.gradient[i] == Approx(exact).epsilon(1e-10));
            CHECK(dual.derivative(i) == Approx(exact).epsilon(1e-10));
            CHECK(std::abs(adjoint.gradient[i] - golden.at(c.name)[static_cast<std::size_t>(i)].get<double>()) <=
                  1.01 * c.half_digit + 1e-8 * std::abs(exact));
        }
    }
}

TEST_CASE("wrong adjoints of the bogie are wrong by what the sheet's table of causes says", "[vehicle]") {
    // The continuous adjoint u. = C'z - y, y. = K'z - e, z = M^-1 u, by Runge-Kutta over two samples; M at rest.
    const int steps = 1600;
    const double dt = 1e-3;
    const Record truth = record_of(dt, steps);
    const Vector<double, 3> theta(4.5 / 5.2, 3.2 / 3.5, 1.0);
    const BogieStepper<3, Scaled> stepper({}, theta, dt);
    const auto& bogie = stepper.bogie();
    const Record model = run<double>(bogie, dt, steps);
    const auto& p = bogie.params();
    const double kappa = bogie.geometry().at(0.0).roll_slope;
    Vector<double, 10> M;
    M << p.frame_mass, p.frame_mass, p.frame_mass, p.frame_inertia[0], p.frame_inertia[1], p.frame_inertia[2],
        p.wheelset_mass + p.wheelset_inertia * kappa * kappa, p.wheelset_mass + p.wheelset_inertia * kappa * kappa,
        p.wheelset_inertia, p.wheelset_inertia;
    std::vector<BogieStepper<3, Scaled>::Linear> at(model.size());
    for (std::size_t n = 0; n < model.size(); ++n) stepper.derive(dt * static_cast<double>(n), model[n], at[n]);
    // Derivatives of the misfit's density by displacements, rates and accelerations, and y at the end.
    using V10 = Vector<double, 10>;
    const std::vector<V10> none(model.size(), V10::Zero());
    std::vector<V10> displaced = none, rates = none, accelerations = none, minus_accelerations = none;
    for (std::size_t n = 0; n < model.size(); ++n) {
        Vector<double, 20> slope;
        Scaled{}(Vector<double, 1>(1.0))(dt * static_cast<double>(n), truth[n], slope);
        displaced[n] = (model[n] - truth[n]).head<10>(), rates[n] = (model[n] - truth[n]).tail<10>();
        accelerations[n] = (at[n].slope - slope).tail<10>(), minus_accelerations[n] = -accelerations[n];
    }
    struct Density {
        const std::vector<V10>&by_x, &by_v, &by_a;
        V10 end;
    };
    const auto gradient = [&](const Density& r, bool transpose_K = true, bool transpose_C = true) {
        using V = Vector<double, 20>;
        const auto slope = [&](std::size_t n, const V& uy) {
            const Matrix<double, 10> K = -(M.asDiagonal() * at[n].by_state.bottomLeftCorner<10, 10>());
            const Matrix<double, 10> C = -(M.asDiagonal() * at[n].by_state.bottomRightCorner<10, 10>());
            const V10 z = (uy.head<10>() + r.by_a[n]).cwiseQuotient(M);
            V d;
            d.head<10>() = (transpose_C ? Matrix<double, 10>(C.transpose()) : C) * z - uy.tail<10>() - r.by_v[n];
            d.tail<10>() = (transpose_K ? Matrix<double, 10>(K.transpose()) : K) * z - r.by_x[n];
            return d;
        };
        V x = V::Zero();
        x.tail<10>() = r.end;
        Vector<double, 3> g = Vector<double, 3>::Zero();
        const double h = -2.0 * dt;
        for (std::size_t n = model.size() - 1;; n -= 2) {
            const double w = n == 0 || n + 1 == model.size() ? 0.5 : 1.0;
            // dJ/dp = -int z' P, P = -M dg/dp.
            g += 2.0 * dt * w * at[n].by_parameters.bottomRows<10>().transpose() * (x.head<10>() + r.by_a[n]);
            if (n == 0) break;
            const V k1 = slope(n, x), k2 = slope(n - 1, x + 0.5 * h * k1), k3 = slope(n - 1, x + 0.5 * h * k2),
                    k4 = slope(n - 2, x + h * k3);
            x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        return g;
    };
    const auto golden = golden_value("D.grad");
    const auto error_of = [&](const Vector<double, 3>& g, const char* kind) {
        const auto& digits = golden.at(kind);
        const Vector<double, 3> exact(digits[0].get<double>(), digits[1].get<double>(), digits[2].get<double>());
        return (g - exact).norm() / exact.norm();
    };
    const auto error = [&](const Vector<double, 3>& g) { return error_of(g, "disp"); };
    const Density of_displacements{displaced, none, none, V10::Zero()};
    const double right = error(gradient(of_displacements)), wrong_K = error(gradient(of_displacements, false, true)),
                 wrong_C = error(gradient(of_displacements, true, false));
    // The golden errors are upper bounds, three times of which are allowed. Without mistakes, in the form with
    // densities:
    const auto bound = [](const char* form, std::size_t i) {
        return 3.0 * golden_value("D.adjoint_err").at(form)[i].get<double>();
    };
    const double of_rates = error_of(gradient({none, rates, none, V10::Zero()}), "vel"),
                 of_accelerations = error_of(gradient({none, none, accelerations, V10::Zero()}), "acc");
    INFO("rates " << of_rates << ", accelerations " << of_accelerations);
    CHECK(right < bound("continuous_mod", 0));
    CHECK(of_rates < bound("continuous_mod", 1));
    CHECK(of_accelerations < bound("continuous_mod", 2));
    // The thesis' form for rates, integrated by parts. Its form for accelerations needs their second derivative.
    const double of_parts = error_of(gradient({minus_accelerations, none, none, rates.back()}), "vel");
    INFO("rates by parts " << of_parts);
    CHECK(of_parts < bound("thesis_form", 1));
    INFO("right " << right << ", K not transposed " << wrong_K << ", C not transposed " << wrong_C);
    // The sheet: 4.3e-7, 0.99, 0.14; M of the moment is M at rest to the square of some milliradians.
    CHECK(right < 1e-6);
    CHECK(wrong_K == Approx(0.99).margin(0.01));
    CHECK(wrong_C == Approx(0.14).margin(0.01));
    // Forward differences of 1 %, the thesis' reference.
    const auto J = [&](const Vector<double, 3>& q) {
        const Record all = run<double>(Scaled{}(q), dt, steps);
        double sum = 0.0;
        for (int n = 0; n <= steps; ++n)
            sum += 0.5 * simpson(n, steps, dt) *
                   (all[static_cast<std::size_t>(n)] - truth[static_cast<std::size_t>(n)]).head<10>().squaredNorm();
        return sum;
    };
    const double J0 = J(theta);
    Vector<double, 3> forward;
    for (int i = 0; i < 3; ++i) {
        Vector<double, 3> moved = theta;
        moved[i] += 0.01;
        forward[i] = (J(moved) - J0) / 0.01;
    }
    INFO("forward differences " << error(forward));
    CHECK(error(forward) == Approx(0.048).margin(0.002));
}

TEST_CASE("the thesis' problem: c_x and c_y from its start, regularized, and by Morozov's principle", "[vehicle]") {
    const auto golden = golden_value("B.ident");
    const Residuals residuals(record_of(2e-3, 600), 2e-3);
    const panto::ident::DualResiduals<Residuals, 2> problem(residuals);
    const Vector<double, Dynamic> start = pair(4.5 / 5.2, 3.2 / 3.5);

    // Gauss and Newton: the whole step, every time.
    Vector<double, Dynamic> theta = start, r;
    Matrix<double, Dynamic> J;
    const int steps = gauss_newton(problem, theta, 7);
    INFO("steps " << steps << ", " << theta.transpose());
    CHECK(steps <= 6);
    CHECK((theta.array() - 1.0).abs().maxCoeff() < 1e-8);

    REQUIRE(problem.linearize(pair(1.0, 1.0), r, J) == panto::Status::ok);
    const Matrix<double, 2> JJ = J.transpose() * J;
    const double half = 0.5 * (JJ(0, 0) + JJ(1, 1)), large = half + std::sqrt(half * half - JJ.determinant());
    CHECK(JJ.determinant() / large == Approx(golden.at("hess_eig")[0].get<double>()).epsilon(2e-3));
    CHECK(large == Approx(golden.at("hess_eig")[1].get<double>()).epsilon(2e-3));
    const auto& directions = golden.at("hess_vec");  // columns: the weak one, then the other; of either sign
    for (std::size_t k = 0; k < 2; ++k) {
        const double eigenvalue = k == 0 ? JJ.determinant() / large : large;
        Vector<double, 2> v(JJ(0, 1), eigenvalue - JJ(0, 0));
        v *= (v[1] * directions[1][k].get<double>() < 0.0 ? -1.0 : 1.0) / v.norm();
        for (std::size_t i = 0; i < 2; ++i)
            CHECK(v[static_cast<Eigen::Index>(i)] == Approx(directions[i][k].get<double>()).epsilon(2e-3));
    }

    const auto regularized = [&](double alpha) {
        const panto::ident::Tikhonov tikhonov(problem, start, alpha);
        Vector<double, Dynamic> t = pair(0.95, 0.95);
        CHECK(gauss_newton(tikhonov, t, 12) < 12);
        return t;
    };
    const auto misfit = [&](const Vector<double, Dynamic>& p) {
        Vector<double, Dynamic> e;
        (void)problem.residuals(p, e);
        return e.squaredNorm();
    };
    for (const char* key : {"tik0.1", "tik0.01"}) {
        const auto t = regularized(std::stod(std::string(key).substr(3)));
        INFO(key << ": " << t.transpose());
        for (Eigen::Index i = 0; i < 2; ++i) {
            const double wanted = golden.at(key)[0][static_cast<std::size_t>(i)].get<double>();
            CHECK(std::abs(t[i] - wanted) < 2e-3 * std::abs(wanted - 1.0));
        }
        CHECK(misfit(t) == Approx(golden.at(key)[1].get<double>()).epsilon(4e-3));
    }
}

TEST_CASE("on a grid of c_x and c_y the misfit has one minimum, near the critical speed four that are none",
          "[vehicle]") {
    const auto golden = golden_value("B.grid");
    constexpr int points = 13;
    for (const double speed : {40.0, 75.0}) {
        const auto& expected = golden.at(speed < 50.0 ? "v40" : "v75");
        const int steps = speed < 50.0 ? 1000 : 1500;
        INFO(speed << " m/s");
        const auto record = [&](double cx, double cy) {
            BogieParams<> p;
            p.stiffness[0] = cx, p.stiffness[1] = cy;
            return run<double>(Bogie<double, SmoothDefect<>>(p, {}, speed, {.lateral = 5e-3}), 2e-3, steps);
        };
        const auto cx = [](int i) { return 4e7 + 2.4e7 * i / (points - 1); };
        const auto cy = [](int j) { return 3e6 + 1e6 * j / (points - 1); };
        const Record truth = record(5.2e7, 3.5e6);
        double norm = 0.0;
        for (const auto& x : truth) norm += x.head<10>().squaredNorm();
        Matrix<double, Dynamic> J(points, points);
        for (int i = 0; i < points; ++i)
            for (int j = 0; j < points; ++j) {
                const Record other = record(cx(i), cy(j));
                double sum = 0.0;
                for (std::size_t n = 0; n < truth.size(); ++n) sum += (truth[n] - other[n]).head<10>().squaredNorm();
                J(i, j) = sum / norm;
            }
        CHECK(J.maxCoeff() == Approx(expected.at("Jmax").get<double>()).epsilon(1e-4));
        const int last = points - 1;
        const std::array<double, 4> corners{J(0, 0), J(0, last), J(last, 0), J(last, last)};
        for (std::size_t k = 0; k < 4; ++k)
            CHECK(corners[k] == Approx(expected.at("corners")[k].get<double>()).epsilon(1e-4));
        std::vector<std::array<double, 3>> minima;
        for (int i = 0; i < points; ++i)
            for (int j = 0; j < points; ++j) {
                const int up = std::max(0, i - 1), left = std::max(0, j - 1);
                const auto around = J.block(up, left, std::min(last, i + 1) - up + 1, std::min(last, j + 1) - left + 1);
                if (J(i, j) <= around.minCoeff()) minima.push_back({cx(i), cy(j), J(i, j)});
            }
        REQUIRE(minima.size() == expected.at("minima").size());
        for (std::size_t k = 0; k < minima.size(); ++k)
            for (std::size_t c = 0; c < 3; ++c)
                CHECK(minima[k][c] == Approx(expected.at("minima")[k][c].get<double>()).epsilon(1e-4).margin(1e-12));
    }
}

TEST_CASE("Morozov's principle finds the regularization of the bogie that the noise calls for", "[vehicle][long]") {
    const Residuals residuals(record_of(2e-3, 600), 2e-3);
    const Vector<double, Dynamic> start = pair(4.5 / 5.2, 3.2 / 3.5);
    panto::Lcg random(3);
    Record noisy = residuals.measured;
    double noise = 0.0;
    for (auto& x : noisy)
        for (int i = 0; i < 10; ++i) {
            const double e = (i < 3 || (i >= 6 && i < 8) ? 1e-5 : 1e-6) * random.normal();
            x[i] += e;
            noise += e * e;
        }
    const Residuals rough(noisy, 2e-3);
    const panto::ident::DualResiduals<Residuals, 2> rough_problem(rough);
    const double delta2 = 1.05 * noise / rough.norm;  // a little more than the noise: its sample fits below
    const auto discrepancy = panto::ident::morozov(
        [&](double alpha) {
            const panto::ident::Tikhonov tikhonov(rough_problem, start, alpha);
            Vector<double, Dynamic> t = start;
            CHECK(gauss_newton(tikhonov, t, 20) < 20);
            Vector<double, Dynamic> e;
            (void)rough_problem.residuals(t, e);
            return e.squaredNorm();
        },
        delta2, 1.0, {.tolerance = 1e-6});
    INFO(discrepancy.reason << ", alpha " << discrepancy.alpha);
    CHECK(discrepancy.reached);
    CHECK(discrepancy.misfit == Approx(delta2).epsilon(1e-6));
    CHECK(discrepancy.alpha < 0.01);
}

namespace {

double misfit_of(const Vector<double, Dynamic>& p, const Record& truth, const SmoothDefect<>& defect,
                 WheelsetForm form) {
    BogieParams<> params;
    for (Eigen::Index i = 0; i < 6; ++i)
        (i < 3 ? params.stiffness : params.damping)[static_cast<std::size_t>(i % 3)] = p[i];
    const auto all = run<double>(Bogie<double, SmoothDefect<>>(params, {}, 40.0, defect, {}, form), 1e-3,
                                 static_cast<int>(truth.size()) - 1);
    double e = 0.0, x = 0.0;
    for (std::size_t n = 0; n < all.size(); ++n) {
        const double w = n == 0 || n + 1 == all.size() ? 0.5 : 1.0;
        e += w * (all[n] - truth[n]).head<10>().squaredNorm();
        x += w * truth[n].head<10>().squaredNorm();
    }
    return e / x;
}

panto::sensitivity::Ranges box() {
    panto::sensitivity::Ranges ranges{Vector<double, Dynamic>(6), Vector<double, Dynamic>(6)};
    ranges.lower << 4e7, 3e6, 0.5e6, 200.0, 200.0, 0.7e4;
    ranges.upper << 6.4e7, 4e6, 1.5e6, 400.0, 400.0, 1.7e4;
    return ranges;
}

}  // namespace

namespace {

void check_morris(bool all) {
    const SmoothDefect<> defect =
        all ? SmoothDefect<>{.lateral = 5e-3, .vertical = 5e-3, .roll = 2e-3} : SmoothDefect<>{.lateral = 5e-3};
    const WheelsetForm form{.printed_cross_level = all};
    const Record truth = run<double>(Bogie<double, SmoothDefect<>>({}, {}, 40.0, defect, {}, form), 1e-3, 2000);
    const auto result = panto::sensitivity::morris(
        [&](const Vector<double, Dynamic>& p) { return misfit_of(p, truth, defect, form); }, box());
    const auto golden = golden_value(all ? "C.morris_all" : "C.morris_lat");
    for (std::size_t i = 0; i < 6; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const double tolerance = i == 3 || i == 4 ? 1e-3 : 1e-4;
        INFO((all ? "all" : "lateral") << ", parameter " << i);
        CHECK(result.mu[k] == Approx(golden.at("mu")[i].get<double>()).epsilon(tolerance));
        CHECK(result.mu_star[k] == Approx(golden.at("mustar")[i].get<double>()).epsilon(tolerance));
        CHECK(result.sigma[k] == Approx(golden.at("sigma")[i].get<double>()).epsilon(tolerance));
    }
}

}  // namespace

TEST_CASE("Morris' measures of the bogie on a lateral defect are the golden ones", "[vehicle]") { check_morris(false); }

TEST_CASE("Morris' measures of the bogie on a defect in all directions are the golden ones", "[vehicle][long]") {
    check_morris(true);
}

TEST_CASE("Sobol's indices of the bogie are the golden ones", "[vehicle][long]") {
    const SmoothDefect<> defect{.lateral = 5e-3};
    const Record truth = run<double>(Bogie<double, SmoothDefect<>>({}, {}, 40.0, defect), 1e-3, 2000);
    const auto result = panto::sensitivity::sobol(
        [&](const Vector<double, Dynamic>& p) { return misfit_of(p, truth, defect, {}); }, box(),
        {.rows = 128, .sampling = panto::sensitivity::Sampling::halton}, {.bootstrap = 0, .centered = false});
    const auto golden = golden_value("C.sobol_lat");
    CHECK(result.mean == Approx(golden.at("mean").get<double>()).epsilon(1e-3));
    CHECK(result.variance == Approx(golden.at("var").get<double>()).epsilon(1e-3));
    for (std::size_t i = 0; i < 6; ++i) {
        INFO("parameter " << i);
        const auto k = static_cast<Eigen::Index>(i);
        CHECK(result.first[k] == Approx(golden.at("S")[i].get<double>()).epsilon(1e-3).margin(1e-9));
        CHECK(result.total[k] == Approx(golden.at("ST")[i].get<double>()).epsilon(1e-3).margin(1e-13));
    }
}

}  // namespace bogie_ident_verify
