// SPDX-License-Identifier: BSD-3-Clause
#include <panto/core/lcg.hpp>
#include <panto/ident/gradient.hpp>
#include <panto/ident/misfit.hpp>
#include <panto/ident/regularization.hpp>
#include <panto/opt/levenberg_marquardt.hpp>

#include "../../support/approx.hpp"
#include "golden_json.hpp"
#include "message.hpp"

#include <Eigen/QR>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace misfit_test {
namespace {

using namespace panto;
using namespace panto::ident;
using test::message;
using Vec = Vector<double, Dynamic>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Channel wave(double amplitude = 1.0, double shift = 0.0, int n = 401) {
    Channel c{.name = "uplift", .time = Vec::LinSpaced(n, 0.0, 4.0)};
    c.values = amplitude * (2.0 * std::numbers::pi * (c.time.array() - shift)).sin();
    return c;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

Misfit of(MisfitParams p) {
    Channel one = wave(), two = wave(3.0, 0.1);
    one.noise = 0.1, two.noise = 0.2, two.scale = 3.0;
    return Misfit({one, two}, p);
}

Vec model() {
    Vec x(802);
    for (int i = 0; i < 802; ++i) x[i] = 0.9 * std::sin(0.06 * i + 0.1) + 0.3 * std::cos(0.31 * i);
    return x;
}

/// A misfit that rises from 1 without regularization to 3 at the prior.
double rising(double alpha) { return 1.0 + 2.0 * alpha / (1.0 + alpha); }

}  // namespace

TEST_SUITE("ident::Channel") {
    TEST_CASE("is refused where it cannot be compared, in words that say what is wrong") {
        const auto refused = [](Channel c) { return message([&] { check_channel(c); }); };
        Channel c = wave();
        CHECK(refused(c).empty());
        c.values.conservativeResize(400);
        CHECK(says(refused(c), "time has 401 entries and values 400"));
        c = wave(), c.values[7] = nan;
        CHECK(says(refused(c), "values[7] is nan"));
        CHECK(message([&] { check_channel(c, MissingSamples::left_out); }).empty());
        c.values[7] = std::numeric_limits<double>::infinity();
        CHECK(says(message([&] { check_channel(c, MissingSamples::left_out); }), "values[7] is inf"));
        c = wave(), c.values.setConstant(2.0);
        CHECK(says(refused(c), "all values are 2: a constant signal"));
        c = wave(), c.time[9] = c.time[8];
        CHECK(says(refused(c), "time[9] is 0.08 after 0.08"));
        CHECK(says(message([] { check_record({wave(), wave(1.0, 0.0, 301)}); }), "records of the same length"));
        CHECK(says(message([] { check_record({}); }), "no channel"));
    }
}

TEST_SUITE("ident::Misfit") {
    TEST_CASE("of a wave that is too large by a fifth is what the closed forms say") {
        const Vec x = wave(1.2).values;
        const auto J = [&](MisfitParams p) {
            Channel c = wave();
            c.noise = 0.5;
            return Misfit({c}, p)(x);
        };
        CHECK(J({}) == approx(0.04));
        CHECK(J({.kind = MisfitKind::least_modulus}) == approx(0.2));
        CHECK(J({.kind = MisfitKind::least_squares, .normalized = false}) == approx(0.04 * 2.0));  // T/2
        CHECK(J({.kind = MisfitKind::maximum_likelihood}) == approx(0.5 * 0.04 * 200.0 / 0.25));
        // mean of 0.04 sin(a) sin(a - 2 pi lag/100), over whole periods but for the lag
        CHECK(J({.kind = MisfitKind::correlation, .lag = 50}) == approx(-0.02).epsilon(0.01));
        CHECK(J({.kind = MisfitKind::peaks}) == approx(0.04));  // equal times, height off by 0.2 of 1
    }

    TEST_CASE("of peaks finds the nearest free one as a search through all of them does") {
        std::mt19937 random(1);
        std::uniform_int_distribution<int> count(1, 40), step(0, 4);
        const auto train = [&] {
            std::vector<Peak> all;
            for (int k = count(random), at = 0; k > 0; --k)  // on a grid, so that distances are often equal
                all.push_back({0.125 * (at += step(random)), static_cast<double>(step(random))});
            return all;
        };
        for (const double window : {0.125, 0.5, 3.0, 1e3}) {
            for (int turn = 0; turn < 100; ++turn) {
                const std::vector<Peak> measured = train(), model = train();
                std::vector<char> taken(model.size(), 0);
                std::vector<int> partner;
                for (const Peak& m : measured) {  // equation by equation, all pairs
                    int best = -1;
                    for (std::size_t k = 0; k < model.size(); ++k) {
                        const double apart = std::abs(model[k].time - m.time);
                        if (taken[k] || apart > window) continue;
                        if (best < 0 || apart < std::abs(model[static_cast<std::size_t>(best)].time - m.time))
                            best = static_cast<int>(k);
                    }
                    partner.push_back(best);
                    if (best >= 0) taken[static_cast<std::size_t>(best)] = 1;
                }
                // Every peak has a partner of the first round, so that the sum is over these pairs alone.
                if (std::find(partner.begin(), partner.end(), -1) != partner.end()) continue;
                double sum = std::abs(static_cast<double>(measured.size()) - static_cast<double>(model.size()));
                for (std::size_t i = 0; i < measured.size(); ++i) {
                    const Peak& p = model[static_cast<std::size_t>(partner[i])];
                    const double dA = (measured[i].height - p.height) / 2.0, dt = (measured[i].time - p.time) / window;
                    sum += dA * dA + dt * dt;
                }
                CHECK(peak_misfit(measured, model, 2.0, window) == sum / static_cast<double>(measured.size()));
            }
        }
        CHECK_THROWS_WITH_AS((void)peak_misfit({{1.0, 1.0}}, {{2.0, 1.0}, {1.0, 1.0}}, 1.0, 0.1),
                             doctest::Contains("order of time"), SetupError);
    }

    TEST_CASE("of peaks pairs within its window, in order between pairs, and counts what is left") {
        const auto J = [](std::vector<Peak> m, std::vector<Peak> x) { return peak_misfit(m, x, 2.0, 0.05); };
        CHECK(J({{1.0, 2.0}}, {{1.02, 1.0}}) == approx(0.25 + 0.16));
        CHECK(J({{1.0, 2.0}}, {}) == 1.0);
        CHECK(J({{1.0, 2.0}}, {{1.2, 2.0}}) == approx(16.0));  // the only ones left: paired in order
        CHECK(J({{1.0, 2.0}, {2.0, 2.0}}, {{1.0, 2.0}}) == 0.5);
        CHECK(J({{1.0, 2.0}, {2.0, 2.0}}, {{1.0, 2.0}, {2.1, 2.0}}) == approx(2.0));
    }

    TEST_CASE("leaves missing samples out, whatever the model says there") {
        Channel c = wave();
        c.values[30] = c.values[31] = nan;
        const Misfit misfit({c}, {.missing = MissingSamples::left_out});
        Vec x = wave().values;
        x[30] = 1e6;
        CHECK(misfit(x) == 0.0);
        CHECK(misfit.gradient(x).norm() == 0.0);
        CHECK(misfit.residuals(x).norm() == 0.0);
    }

    TEST_CASE("in a band does not see what lies outside") {
        const Misfit misfit({wave(1.0, 0.0, 400)}, {.band = {0.5, 2.0}});
        Vec x = wave(1.0, 0.0, 400).values;
        CHECK(misfit(x) < 1e-25);
        for (Eigen::Index i = 0; i < 400; ++i)
            x[i] += std::sin(2.0 * std::numbers::pi * 60.0 / 400.0 * static_cast<double>(i));
        CHECK(misfit(x) < 1e-25);
        CHECK(
            says(message([] { (void)Misfit({wave(1.0, 0.0, 400)}, {.band = {1000.0, 2000.0}}); }), "contains nothing"));
        // Frequencies do not depend on when the record began.
        Channel late = wave(1.0, 0.0, 400);
        late.time.array() += 10.0;
        CHECK(Misfit({late}, {.band = {0.5, 2.0}})(1.1 * x) ==
              approx(misfit(1.1 * x)).epsilon(1e-9));  // rounding of times near 14
    }

    TEST_CASE("a band is an orthogonal projection on its lines, and no sum over all of them") {
        for (const int n : {1, 2, 7, 8, 60, 61}) {
            CAPTURE(n);
            const double dt = 0.01;
            Vec x(n), expected = Vec::Zero(n);
            for (int k = 0; k < n; ++k) x[k] = std::sin(0.3 * k * k) + 0.2;
            const FrequencyBand band{5.0, 20.0};
            for (int m = 0; m < n; ++m) {  // line by line, those above n/2 being the conjugates of the ones below
                const double f = std::min(m, n - m) / (n * dt);
                if (f < band.lowest || f > band.highest) continue;
                std::complex<double> line = 0.0;
                for (int k = 0; k < n; ++k) line += x[k] * std::polar(1.0, -2.0 * std::numbers::pi * m * k / n);
                for (int k = 0; k < n; ++k)
                    expected[k] += (line * std::polar(1.0, 2.0 * std::numbers::pi * m * k / n)).real() / n;
            }
            const Vec y = band_limited(x, dt, band);
            CHECK((y - expected).cwiseAbs().maxCoeff() < 1e-13 * n);  // rounding of the sums
            CHECK((band_limited(y, dt, band) - y).cwiseAbs().maxCoeff() < 1e-13 * n);
        }
    }

    TEST_CASE("has the gradient that differences find, and residuals whose squares add up to it") {
        for (const auto& p : {MisfitParams{}, MisfitParams{.kind = MisfitKind::maximum_likelihood},
                              MisfitParams{.kind = MisfitKind::correlation, .lag = 3}, MisfitParams{.band = {1.0, 5.0}},
                              MisfitParams{.kind = MisfitKind::least_modulus}}) {
            const Misfit misfit = of(p);
            const Vec x = model(), g = misfit.gradient(x);
            for (const int i : {0, 17, 400, 401, 640, 801}) {
                Vec up = x, down = x;
                up[i] += 1e-5, down[i] -= 1e-5;
                // of central differences, which lose digits to cancellation
                CHECK(g[i] == approx((misfit(up) - misfit(down)) / 2e-5).epsilon(1e-5));
            }
            if (p.kind == MisfitKind::least_squares || p.kind == MisfitKind::maximum_likelihood) {
                CHECK(misfit.residuals(x).squaredNorm() == approx(misfit(x)).epsilon(1e-12));
                const Matrix<double, Dynamic> direction = model();
                const Vec chain = 2.0 * misfit.residual_jacobian(direction).transpose() * misfit.residuals(x);
                CHECK(chain[0] == approx(g.dot(model())).epsilon(1e-10));
            } else {
                CHECK_THROWS_AS((void)misfit.residuals(x), SetupError);
            }
        }
        CHECK_THROWS_AS((void)of({.kind = MisfitKind::peaks}).gradient(model()), SetupError);
        CHECK(says(message([] { (void)of({})(Vec::Zero(5)); }), "model has 5 samples and the record 802"));
    }

    TEST_CASE("counts channels by their scale") {
        Channel metres = wave(1e-3), radians = wave(1.0);
        metres.scale = 1e-3;
        Vec x(802);
        x << 1.1 * metres.values, radians.values;
        const Misfit misfit({metres, radians}, {});
        CHECK(misfit(x) == approx(0.005));  // a hundredth of one of two equal channels
    }
}

TEST_SUITE("ident::gradient_by_duals") {
    TEST_CASE("takes as many runs as needed, and agrees with the closed form; differences nearly do") {
        const auto f = [](const auto& p) {
            auto sum = p[0] * p[0] * p[0];
            for (Eigen::Index i = 1; i < p.size(); ++i) sum += p[i] * p[i - 1] * p[i];
            return sum;
        };
        const Vec p = Vec::LinSpaced(7, 1.0, 4.0);
        const Vec dual = gradient_by_duals<3>(f, p), differences = gradient_by_differences(f, p);
        for (Eigen::Index i = 0; i < 7; ++i) {
            const double exact =
                (i == 0 ? 3.0 * p[0] * p[0] : 2.0 * p[i] * p[i - 1]) + (i < 6 ? p[i + 1] * p[i + 1] : 0.0);
            CHECK(dual[i] == approx(exact).epsilon(1e-14));
            CHECK(differences[i] == approx(exact).epsilon(1e-8));
        }
    }
}

TEST_SUITE("ident::Tikhonov") {
    TEST_CASE("draws to the prior as the normal equations say, and Morozov's alpha meets the noise") {
        // r = A p - b of a Hilbert matrix: ill-conditioned on purpose.
        Matrix<double, Dynamic> A(8, 4);
        for (int i = 0; i < 8; ++i)
            for (int k = 0; k < 4; ++k) A(i, k) = 1.0 / (i + k + 1);
        Vec truth(4), b(8), prior(4);
        truth << 1.0, 2.0, 0.5, 1.5;
        b = A * truth;
        for (int i = 0; i < 8; ++i) b[i] += 1e-3 * (i % 2 ? 1.0 : -1.0);
        prior << 1.2, 1.5, 0.7, 1.2;
        struct Linear {
            const Matrix<double, Dynamic>& A;
            const Vec& b;
            Status residuals(const Vec& p, Vec& r) const { return r = A * p - b, Status::ok; }
            Status linearize(const Vec& p, Vec& r, Matrix<double, Dynamic>& J) const {
                return r = A * p - b, J = A, Status::ok;
            }
        };
        const Linear f{A, b};
        const auto solve = [&](double alpha) {
            return opt::LevenbergMarquardt({}).minimize(Tikhonov(f, prior, alpha), prior).x;
        };
        const Matrix<double, Dynamic> D = prior.cwiseInverse().asDiagonal();
        const double alpha = 1e-3;
        const Matrix<double, Dynamic> N = A.transpose() * A + alpha * D * D;
        const Vec direct = N.householderQr().solve(A.transpose() * b + alpha * D * Vec::Ones(4));
        CHECK((solve(alpha) - direct).norm() < 1e-8);

        const auto misfit = [&](double a) { return (A * solve(a) - b).squaredNorm(); };
        const double noise = 2.0 * misfit(0.0) + 1e-5;
        const Discrepancy found = morozov(misfit, noise, 1.1, {.tolerance = 1e-6});
        CHECK(found.reached);
        CHECK(misfit(found.alpha) == approx(1.21 * noise).epsilon(1e-5));

        const Discrepancy none = morozov(misfit, 0.5 * misfit(0.0));
        CHECK_FALSE(none.reached);
        CHECK(none.alpha == 0.0);
        CHECK(says(none.reason, "no root"));
        CHECK_FALSE(morozov(misfit, 1e3).reached);
        CHECK_THROWS_AS((void)morozov(misfit, 0.0), SetupError);
        CHECK(says(message([&] { (void)Tikhonov(f, Vec::Zero(4), 1.0); }), "prior[0] is 0"));
        Vec r;
        Matrix<double, Dynamic> J;
        const char* const sizes = "the prior has 3 entries, expected one for each of the 4 parameters";
        const Tikhonov other(f, Vec::Ones(3), 1.0);
        CHECK(says(message([&] { (void)other.residuals(Vec::Ones(4), r); }), sizes));
        CHECK(says(message([&] { (void)other.linearize(Vec::Ones(4), r, J); }), sizes));
        CHECK(says(opt::LevenbergMarquardt({}).minimize(other, Vec::Ones(4)).reason, sizes));
    }

    TEST_CASE("with Morozov's principle gives the golden alphas of a Hilbert matrix of eight rows") {
        // The golden file calls it indicative and does not define it. Found: A_ik = 1/(i + k + 1), b = A 1 + delta g
        // with eight normal numbers of the sheet's generator from seed 13, |A x - b|^2 + alpha |x|^2, and
        // |A x - b|^2 = 8 delta^2. The penalty on x itself is that on theta - 1 for p = x + 1 with a prior of ones.
        const auto wanted = test::golden("vehicle_and_inverse_problems.json").at("B.morozov_linear").at("value");
        Matrix<double, Dynamic> A(8, 8);
        for (int i = 0; i < 8; ++i)
            for (int k = 0; k < 8; ++k) A(i, k) = 1.0 / (i + k + 1);
        struct Shifted {
            const Matrix<double, Dynamic>& A;
            const Vec& b;
            Status residuals(const Vec& p, Vec& r) const { return r = A * (p - Vec::Ones(8)) - b, Status::ok; }
            Status linearize(const Vec& p, Vec& r, Matrix<double, Dynamic>& J) const { return J = A, residuals(p, r); }
        };
        const Vec ones = Vec::Ones(8);
        for (const char* noise : {"0.01", "0.0001"}) {
            CAPTURE(noise);
            const auto row = wanted.at(noise);
            const double delta = std::stod(noise);
            Vec b = A * ones;
            Lcg random(13);
            for (double& sample : b) sample += delta * random.normal();
            const Shifted f{A, b};
            // Linear: one step of Gauss-Newton from the prior is the solution.
            const auto solve = [&](double alpha) {
                Vec r;
                Matrix<double, Dynamic> J;
                REQUIRE(Tikhonov(f, ones, alpha).linearize(ones, r, J) == Status::ok);
                return Vec(-J.colPivHouseholderQr().solve(r));  // x = p - 1
            };
            const auto misfit = [&](double alpha) { return (A * solve(alpha) - b).squaredNorm(); };
            const Discrepancy found = morozov(misfit, 8.0 * delta * delta);
            CHECK(found.reached);
            CHECK(found.alpha == approx(row.at("alpha").get<double>()).epsilon(1e-8));  // the file's tolerance
            const Vec x = solve(found.alpha);
            CHECK(x[0] == approx(row.at("x0").get<double>()).epsilon(1e-8));
            CHECK(x[7] == approx(row.at("x7").get<double>()).epsilon(1e-8));
            CHECK((x - ones).norm() == approx(row.at("err").get<double>()).epsilon(1e-8));
        }
    }
}

TEST_SUITE("ident::morozov") {
    TEST_CASE("finds the alpha of a misfit in closed form") {
        const Discrepancy found = morozov(rising, 2.0);
        CHECK(found.reached);
        CHECK(found.reason.empty());
        CHECK(found.alpha == approx(1.0).epsilon(1e-9));
        CHECK(found.misfit == approx(2.0).epsilon(1e-10));
        // tau enters squared: 1.5^2 = 2.25, where alpha = 1.25/0.75
        CHECK(morozov(rising, 1.0, 1.5).alpha == approx(5.0 / 3.0).epsilon(1e-9));
    }

    TEST_CASE("says that there is no root where the noise is below the best fit") {
        for (const double noise : {0.5, 1.0}) {
            CAPTURE(noise);
            const Discrepancy none = morozov(rising, noise);
            CHECK_FALSE(none.reached);
            CHECK(none.alpha == 0.0);
            CHECK(none.misfit == 1.0);
            CHECK(none.evaluations == 1);
            CHECK(says(none.reason, "without regularization the misfit is 1, not below the"));
        }
    }

    TEST_CASE("says that there is no root where the prior fits better than the noise") {
        const Discrepancy none = morozov(rising, 3.5);
        CHECK_FALSE(none.reached);
        CHECK(none.alpha == 1e4);
        CHECK(none.misfit == rising(1e4));
        CHECK(says(none.reason, "even at the highest alpha, 10000"));
        CHECK(says(none.reason, "no root"));
    }

    TEST_CASE("does not take for a root what is out of reach, a jump or no number") {
        const Discrepancy below = morozov(rising, 1.0 + 1e-6, 1.0, {.lowest = 1e-3});
        CHECK_FALSE(below.reached);
        CHECK(says(below.reason, "lies below it"));
        const Discrepancy jump = morozov([](double alpha) { return alpha < 0.1 ? 1.0 : 3.0; }, 2.0);
        CHECK_FALSE(jump.reached);
        CHECK(jump.alpha == approx(0.1));
        CHECK(says(jump.reason, "jumps over"));
        const Discrepancy early = morozov(rising, 2.0, 1.0, {.iteration_limit = 3});
        CHECK_FALSE(early.reached);
        CHECK(says(early.reason, "after 3 bisections"));
        const MorozovParams p;
        for (const double broken : {0.0, p.lowest, std::sqrt(p.lowest * p.highest), p.highest}) {
            CAPTURE(broken);
            const auto misfit = [&](double a) { return std::abs(a - broken) <= 1e-9 * broken ? nan : rising(a); };
            const Discrepancy none = morozov(misfit, 2.0);
            CHECK_FALSE(none.reached);
            CHECK(none.alpha == approx(broken));
            CHECK(says(none.reason, "is nan"));
            CHECK(none.evaluations <= 4);  // it does not search on
        }
    }
}

TEST_SUITE("long") {
    TEST_CASE("by the clock, a long record is limited to a band in O(n log n)") {
        // 1.7 ms, where the sum over all lines took seconds; a record of a minute at 1 kHz.
        const auto start = std::chrono::steady_clock::now();
        (void)band_limited(Vec::LinSpaced(60000, -1.0, 1.0), 1e-3, {0.0, 100.0});
        CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 1.0);
    }
}

}  // namespace misfit_test
