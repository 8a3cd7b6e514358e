// SPDX-License-Identifier: BSD-3-Clause
// Row 5 of the thesis' Table 4.2: 76 parameters from the vertical accelerations of bogie A over a straight kilometre,
// in the band from 1 to 10 Hz. There the misfit fell from 37.2 to 18.9 % in 11000 runs.
#include <panto/core/bisect.hpp>
#include <panto/core/lcg.hpp>
#include <panto/io/vehicle_json.hpp>
#include <panto/linalg/fft.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/linear_march.hpp>

#include "../../support/catch.hpp"

#include <Eigen/Cholesky>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace train_table_verify {

using namespace panto::vehicle;
using Values = panto::Vector<double, panto::Dynamic>;
using Table = panto::Matrix<double, panto::Dynamic>;
namespace {

constexpr double speed = 83.333, period = 2e-3;
const LineSection section{.start = -10.0, .lead = 120.0, .length = 1000.0, .period = period, .substeps = 4};

/// Real and imaginary parts of the lines from 1 to 10 Hz of every channel, a row each.
Values in_band(const Table& y) {
    std::vector<double> lines;
    const double step = 1.0 / (static_cast<double>(y.cols()) * period);
    for (Eigen::Index c = 0; c < y.rows(); ++c) {
        const Values row = y.row(c).transpose();
        const auto F = panto::linalg::fft(std::vector<double>(row.begin(), row.end()));
        for (std::size_t k = 1; static_cast<double>(k) * step <= 10.0; ++k)
            if (static_cast<double>(k) * step >= 1.0) lines.push_back(F[k].real()), lines.push_back(F[k].imag());
    }
    return Eigen::Map<Values>(lines.data(), static_cast<Eigen::Index>(lines.size()));
}

/// The train by its parameters over their values in the file; all that are above zero can be varied.
struct Train {
    Multibody description = panto::io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like_117.json");
    SampledTrack track = SampledTrack::ramped(RandomTrack::of({}, {}, {5, 6, 7}), 0.0, 1250.0, 0.25, 50.0);
    std::vector<std::size_t> varied{};
    mutable int runs = 0;

    Assembly assembly(const Values& theta) const {
        auto values = description.values();
        for (std::size_t i = 0; i < varied.size(); ++i) values[varied[i]] *= theta[static_cast<Eigen::Index>(i)];
        return assemble(description, values);
    }
    static std::vector<Probe> probes(const Assembly& a) {
        std::vector<Probe> all;
        for (const double x : {8.5, 5.5})
            for (const double y : {1.0, -1.0}) all.push_back(a.probe("A", {x, y, 0.55}, Direction::z));
        return all;
    }
    /// The linear train, which is fitted.
    Values operator()(const Values& theta) const {
        ++runs;
        const LinearMarch march(linearize(assembly(theta), speed), period);
        const auto where = probes(march.vehicle().assembly);
        const auto lead = static_cast<long>(std::ceil(section.lead / speed / period));
        const auto samples = static_cast<long>(std::floor(section.length / speed / period));
        Table y(4, samples);
        auto x = march.rest();
        for (long n = 0; n < lead + samples; ++n) {
            for (std::size_t i = 0; n >= lead && i < 4; ++i)
                y(static_cast<Eigen::Index>(i), n - lead) = march.acceleration(where[i], x);
            march.step(section.start / speed + static_cast<double>(n) * period, track, x);
        }
        return in_band(y);
    }
    /// The hidden train: nonlinear, with another creep law.
    Values hidden(const Values& theta) const {
        const Assembly a = assembly(theta);
        return in_band(
            accelerations(NonlinearVehicle<Polach>(a, speed, {}, {}, {.stiffness = 15e6}), track, probes(a), section));
    }
    Table jacobian(const Values& theta, const Values& there) const {
        Table J(there.size(), theta.size());
        for (Eigen::Index i = 0; i < theta.size(); ++i) {
            Values moved = theta;
            moved[i] += 1e-4;
            J.col(i) = ((*this)(moved)-there) / 1e-4;
        }
        return J;
    }
};

}  // namespace

TEST_CASE("row 5 of Table 4.2: 76 parameters within 50 % take the misfit from 37 % below 18.8 %", "[vehicle][long]") {
    Train train;
    // Numbers 1 to 89 are the suspension; masses and inertias, varied one by one, would be no bodies. Of the 77 that
    // are not zero the 76 that the record knows best.
    for (std::size_t i = 0; i < train.description.parameters.size(); ++i) {
        const auto& p = train.description.parameters[i];
        const int number = std::atoi(p.name.c_str());
        if (number >= 1 && number < 90 && p.value > 0.0) train.varied.push_back(i);
    }
    REQUIRE(train.varied.size() == 77);
    const Values every = Values::Ones(77);
    const Table known = train.jacobian(every, train(every));
    Eigen::Index least = 0;
    known.colwise().norm().minCoeff(&least);
    train.varied.erase(train.varied.begin() + least);
    // A hidden train whose parameters differ by so much that the misfit starts at 37 %, with noise that leaves 14 % of
    // it to the model at the hidden train's own parameters.
    // The direction is the corner of the box that changes the record most.
    panto::Lcg random(4);
    const Values nominal = Values::Ones(76), at_nominal = train(nominal);
    const Table J0 = train.jacobian(nominal, at_nominal);
    Values direction = Values::Ones(76), noise(0), record;
    for (int i = 0; i < 20; ++i)
        direction = (J0.transpose() * (J0 * direction)).eval().unaryExpr([](double d) { return d < 0.0 ? -1.0 : 1.0; });
    // Not of what the record hardly knows: lateral parameters would only make the train hunt.
    for (Eigen::Index i = 0; i < 76; ++i)
        if (J0.col(i).norm() < 1e-3 * J0.colwise().norm().maxCoeff()) direction[i] = 0.0;
    const auto change = [&](double size) {
        const Values y = train(nominal + size * direction);
        return (y - at_nominal).squaredNorm() / y.squaredNorm();
    };
    if (change(-0.45) > change(0.45)) direction = -direction;
    Values theta;
    const auto misfit = [&](const Values& y) { return (y - record).squaredNorm() / record.squaredNorm(); };
    const auto too_small = [&](double size) {
        theta = nominal + size * direction;
        record = train.hidden(theta);
        if (!record.allFinite()) return false;  // a train that leaves its rails is too far away
        if (noise.size() == 0) {
            noise.resize(record.size());
            for (double& e : noise) e = random.normal();
        }
        const Values own = train(theta) - record;
        // |own - s noise|^2 = 0.14 |record + s noise|^2
        const double a = 0.86 * noise.squaredNorm(), b = own.dot(noise) + 0.14 * record.dot(noise),
                     c = own.squaredNorm() - 0.14 * record.squaredNorm();
        REQUIRE(c < 0.0);  // what the models differ by is less
        record += (b + std::sqrt(b * b - a * c)) / a * noise;
        return misfit(at_nominal) < 0.37;
    };
    const double off = panto::bisect(too_small, 0.0, 0.5, 0.0, 12).holds;
    INFO("hidden parameters off by up to " << off << ", misfit at its own " << misfit(train(theta)));
    CHECK(misfit(at_nominal) == Approx(0.37).margin(0.02));
    CHECK(misfit(train(theta)) == Approx(0.14).margin(0.02));
    CHECK((theta - nominal).cwiseAbs().maxCoeff() < 0.5);
    // Damped Gauss-Newton steps, kept within 50 %.
    train.runs = 0;
    Values fit = nominal, there = at_nominal;
    double damping = 1e-2;
    for (int iteration = 0; iteration < 6; ++iteration) {
        const Table J = train.jacobian(fit, there);
        const Table JJ = J.transpose() * J;
        const Values down = J.transpose() * (there - record);
        for (int attempt = 0; attempt < 6; ++attempt, damping *= 10.0) {
            Table damped = JJ;
            damped.diagonal() *= 1.0 + damping;
            damped.diagonal().array() += 1e-12 * JJ.diagonal().maxCoeff();
            const Values next = (fit - damped.ldlt().solve(down)).cwiseMax(0.5).cwiseMin(1.5), y = train(next);
            if (!(misfit(y) < misfit(there))) continue;
            fit = next, there = y, damping *= 0.1;
            break;
        }
    }
    INFO("misfit at the end " << misfit(there) << " after " << train.runs << " runs");
    CHECK(misfit(there) <= 0.188);
    CHECK(train.runs <= 11000);
}

}  // namespace train_table_verify
