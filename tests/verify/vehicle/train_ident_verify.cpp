// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the train from a noisy record of its leading power car on one section of line; its gradient by all 117.
#include <panto/core/lcg.hpp>
#include <panto/io/vehicle_json.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/linear_gradient.hpp>

#include "../../support/catch.hpp"

#include <Eigen/LU>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace train_ident_verify {

using namespace panto::vehicle;
using Values = panto::Vector<double, panto::Dynamic>;
using Table = panto::Matrix<double, panto::Dynamic>;
namespace {

Multibody train() { return panto::io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like_117.json"); }
SampledTrack line() { return SampledTrack::ramped(RandomTrack::of({}, {}, {5, 6, 7}), 0.0, 500.0, 0.25, 50.0); }

/// The leading power car alone.
Multibody power_car() {
    Multibody v = train();
    const auto kept = [](const std::string& name) {
        return name == "M1" || name == "A" || name == "B" || name.starts_with("bogie A/") ||
               name.starts_with("bogie B/");
    };
    std::erase_if(v.bodies, [&](const RigidBody& b) { return !kept(b.name); });
    std::erase_if(v.axles, [&](const Axle& w) { return !kept(w.name); });
    std::erase_if(v.links, [&](const Link& l) { return !kept(l.between[0]) || !kept(l.between[1]); });
    return v;
}

/// Index of the parameter with this number of Tables B.1 to B.3.
std::size_t numbered(const Multibody& v, int number) {
    for (std::size_t i = 0; i < v.parameters.size(); ++i)
        if (v.parameters[i].name.starts_with(std::to_string(number) + " ")) return i;
    FAIL("no parameter has number " << number);
    return 0;
}

/// Vertical accelerations of the leading bogie above its four boxes and of the car body at both ends, over 250 m, by
/// eight parameters over their nominal values.
class Section {
  public:
    static constexpr std::array<int, 8> numbers{3, 6, 9, 10, 11, 17, 20, 26};
    explicit Section(Multibody vehicle) : train_(std::move(vehicle)) {}

    Values operator()(const Values& theta) const {
        auto values = train_.values();
        for (std::size_t i = 0; i < numbers.size(); ++i)
            values[numbered(train_, numbers[i])] *= theta[static_cast<Eigen::Index>(i)];
        const NonlinearVehicle<> v(assemble(train_, values), 83.333, {}, {}, {.stiffness = 15e6});
        std::vector<Probe> probes;
        for (const double x : {8.5, 5.5})
            for (const double y : {1.0, -1.0}) probes.push_back(v.assembly().probe("A", {x, y, 0.55}, Direction::z));
        for (const double x : {7.0, -7.0}) probes.push_back(v.assembly().probe("M1", {x, 0.0, 1.65}, Direction::z));
        const Table y = accelerations(v, track_, probes, {.start = -10.0, .lead = 120.0, .length = 250.0});
        return y.reshaped();
    }
    /// By central differences.
    Table jacobian(const Values& theta) const {
        Table J;
        for (Eigen::Index i = 0; i < theta.size(); ++i) {
            Values up = theta, down = theta;
            up[i] += 1e-3, down[i] -= 1e-3;
            const Values column = ((*this)(up) - (*this)(down)) / 2e-3;
            J.conservativeResize(column.size(), i + 1);
            J.col(i) = column;
        }
        return J;
    }

  private:
    Multibody train_;
    SampledTrack track_ = line();
};

/// Records with noise of 1 % of their size; near the truth its Jacobian serves all.
struct Records {
    const Section& section;
    Values truth = Values::Ones(8), clean = section(truth);
    Table J = section.jacobian(truth);
    double sigma = 0.01 * std::sqrt(clean.squaredNorm() / static_cast<double>(clean.size()));
    panto::Matrix<double, 8> inverse = panto::Matrix<double, 8>(J.transpose() * J).inverse();
    Values deviation = sigma * inverse.diagonal().cwiseSqrt();
    Table pseudo = inverse * J.transpose();

    [[nodiscard]] Values noisy(std::uint64_t seed) const {
        panto::Lcg random(seed);
        Values y = clean;
        for (double& value : y) value += sigma * random.normal();
        return y;
    }
    /// Two steps close in on the fit.
    [[nodiscard]] Values found(const Values& y) const {
        const Values theta = truth + pseudo * (y - clean);
        return theta + pseudo * (y - section(theta));
    }
};

}  // namespace

TEST_CASE("eight parameters of the power car are found from one noisy section, with honest intervals",
          "[vehicle][long]") {
    const Section section(train());
    const Records records{section};
    const Values &truth = records.truth, &deviation = records.deviation;
    INFO("noise " << records.sigma << " m/s^2, deviations " << deviation.transpose());
    CHECK(deviation.maxCoeff() < 0.01);
    // From 20 % off, by damped Gauss-Newton steps.
    Values fit(8);
    fit << 0.8, 1.2, 0.8, 1.2, 0.8, 1.2, 0.8, 1.2;
    const Values record = records.noisy(1);
    Values r = section(fit) - record;
    double damping = 1e-3;
    for (int iteration = 0; iteration < 8; ++iteration) {
        const Table slope = section.jacobian(fit);
        const panto::Matrix<double, 8> JJ = slope.transpose() * slope;
        const Values down = slope.transpose() * r;
        for (int attempt = 0; attempt < 6; ++attempt, damping *= 10.0) {
            panto::Matrix<double, 8> damped = JJ;
            damped.diagonal() *= 1.0 + damping;
            const Values next = fit - damped.inverse() * down, there = section(next) - record;
            if (!(there.squaredNorm() < r.squaredNorm())) continue;
            fit = next, r = there, damping *= 0.1;
            break;
        }
    }
    INFO("found " << fit.transpose());
    CHECK((fit - truth).cwiseAbs().maxCoeff() < 0.02);
    CHECK((fit - truth).cwiseQuotient(deviation).cwiseAbs().maxCoeff() < 4.0);
    // Every record has a fit of its own, from a start of its own, up to 10 % off, and its interval from the noise that
    // this fit leaves. What they share is the Jacobian, taken where the first fit ended, 0.1 to 1 % from the truth;
    // with it every step costs one run.
    const Table J = section.jacobian(fit);
    const panto::Matrix<double, 8> inverse = panto::Matrix<double, 8>(J.transpose() * J).inverse();
    const Values root = inverse.diagonal().cwiseSqrt();
    const Table pseudo = inverse * J.transpose();
    std::array<int, 8> inside{};
    int runs = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Values y = records.noisy(seed);
        panto::Lcg random(1000 + seed);
        Values theta(8);
        for (double& value : theta) value = 0.9 + 0.2 * random.uniform();
        Values left = y - section(theta);
        ++runs;
        bool settled = false;
        for (int step = 0; step < 30 && !settled; ++step) {
            Values way = pseudo * left;
            for (int half = 0; half < 5; ++half, way *= 0.5) {
                const Values next = y - section(theta + way);
                ++runs;
                if (!(next.squaredNorm() < left.squaredNorm()) && half < 4 && way.norm() > 1e-4) continue;
                theta += way, left = next;
                break;
            }
            // What is left to go is less than a hundredth of a deviation.
            settled = (way.cwiseQuotient(root)).cwiseAbs().maxCoeff() < 0.01 * records.sigma;
        }
        INFO("seed " << seed);
        CHECK(settled);
        const double sigma = std::sqrt(left.squaredNorm() / static_cast<double>(left.size() - 8));
        CHECK(sigma == Approx(records.sigma).epsilon(0.05));  // 9000 samples: 0.75 % is one deviation
        for (Eigen::Index i = 0; i < 8; ++i)
            inside[static_cast<std::size_t>(i)] += std::abs(theta[i] - 1.0) < 1.96 * sigma * root[i];
        if (seed == 1) CHECK((theta - fit).cwiseQuotient(deviation).cwiseAbs().maxCoeff() < 0.1);
    }
    INFO("runs " << runs);
    for (std::size_t i = 0; i < 8; ++i) {
        INFO("number " << Section::numbers[i] << ": " << inside[i] << " of 100");
        CHECK(inside[i] >= 88);
    }
}

TEST_CASE("eight parameters of the power car alone are found from noisy sections, with honest intervals", "[vehicle]") {
    const Section section(power_car());
    const Records records{section};
    CHECK(records.deviation.maxCoeff() < 0.01);
    int inside = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Values off = records.found(records.noisy(seed)) - records.truth;
        INFO("seed " << seed << ": " << off.transpose());
        if (seed == 1) CHECK(off.cwiseAbs().maxCoeff() < 0.02);
        inside += static_cast<int>((off.cwiseAbs().array() < 1.96 * records.deviation.array()).count());
    }
    // Of 80 intervals 76 are expected; fewer than 70 are so with a probability of 1 %.
    INFO(inside << " of 80 intervals hold the truth");
    CHECK(inside >= 70);
}

TEST_CASE("the gradient of the linear train by its 117 parameters is that of differences", "[vehicle]") {
    const Multibody v = train();
    const SampledTrack track = line();
    const auto run = [&](const std::vector<double>& values) {
        LinearRun r(v, values, 83.333, 2e-3);
        (void)r.run(track,
                    {r.assembly().probe("A", {8.5, 1.0, 0.55}, Direction::z),
                     r.assembly().probe("R1", {-22.35, 0.0, 1.75}, Direction::y)},
                    -0.12, 0, 300);
        return r;
    };
    const LinearRun middle = run(v.values());
    const Eigen::VectorXd gradient = middle.gradient(middle.record());
    CHECK(gradient.size() == static_cast<Eigen::Index>(v.parameters.size()));
    CHECK(gradient.allFinite());
    for (const int number : {3, 6, 9, 11, 12, 17, 20, 26, 31, 45, 90, 91, 116}) {
        const std::size_t i = numbered(v, number);
        auto up = v.values(), down = up;
        up[i] *= 1.0 + 1e-4, down[i] *= 1.0 - 1e-4;
        const double difference =
            0.5 * (run(up).record().squaredNorm() - run(down).record().squaredNorm()) / (up[i] - down[i]);
        INFO(v.parameters[i].name);
        // Of central differences: 1e-8, and the rounding of a misfit that some parameters hardly move.
        CHECK(gradient[static_cast<Eigen::Index>(i)] ==
              Approx(difference).epsilon(1e-5).margin(1e-11 * middle.record().squaredNorm() / v.values()[i]));
    }
}

}  // namespace train_ident_verify
