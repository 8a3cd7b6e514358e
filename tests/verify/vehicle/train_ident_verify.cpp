// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the train from a noisy record of its leading power car on one section of line.
#include <panto/io/vehicle_json.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/linear_march.hpp>

#include "../../support/catch.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace train_ident_verify {

using namespace panto::vehicle;
using Values = panto::Vector<double, panto::Dynamic>;
namespace {

/// What a linear train knows of numbers 3 6 9 10 11 17 20 26 of Table B.1. The vertical stiffnesses of coil and
/// guidance spring act at one place and enter as their sum; so do guidance and vertical damper of the primary
/// suspension, and spring and damper of the secondary one. Speed and force of a damper's knee enter as their quotient.
const std::vector<std::string> names{"p_cz_m", "p_dz_m", "s_cz_m", "s_dz_m"};

/// Vertical accelerations of frame A at both axles and of M1 at its ends, over 250 m, by the parameters over the
/// nominal.
class Section {
  public:
    Section()
        : train_(panto::io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like.json")),
          track_(SampledTrack::ramped(RandomTrack::of({}, {}, {5, 6, 7}), 0.0, 500.0, 0.25, 50.0)) {}

    Values operator()(const Values& theta) const {
        Multibody v = train_;
        for (std::size_t i = 0; i < names.size(); ++i)
            v.set_parameter(names[i], train_.parameter(names[i]) * theta[static_cast<Eigen::Index>(i)]);
        const Assembly a = assemble(v);
        const LinearMarch march(linearize(a, speed), dt);
        const std::vector<Probe> probes{
            a.probe("A/frame", {8.5, 0.0, 0.55}, Direction::z), a.probe("A/frame", {5.5, 0.0, 0.55}, Direction::z),
            a.probe("M1", {7.0, 0.0, 1.65}, Direction::z), a.probe("M1", {-7.0, 0.0, 1.65}, Direction::z)};
        auto x = march.rest();
        const double start = -10.0 / speed;
        const int lead = static_cast<int>(120.0 / speed / dt), count = static_cast<int>(250.0 / speed / dt);
        Values y(4 * count);
        for (int n = 0; n < lead + count; ++n) {
            march.step(start + n * dt, track_, x);
            for (int k = 0; n >= lead && k < 4; ++k)
                y[4 * (n - lead) + k] = march.acceleration(probes[static_cast<std::size_t>(k)], x);
        }
        return y;
    }

  private:
    static constexpr double speed = 83.333, dt = 2e-3;
    Multibody train_;
    SampledTrack track_;
};

struct Problem {
    const Section& section;
    const Values& measured;
    panto::Status residuals(const Values& theta, Values& r) const {
        r = section(theta) - measured;
        return panto::Status::ok;
    }
};

}  // namespace

TEST_CASE("the vertical suspension of the power car is found from one noisy section, with honest intervals",
          "[vehicle][long]") {
    const Section section;
    const Values truth = Values::Ones(4), clean = section(truth);
    panto::Matrix<double, panto::Dynamic> J(clean.size(), 4);
    for (Eigen::Index i = 0; i < 4; ++i) {
        Values up = truth, down = truth;
        up[i] += 1e-4, down[i] -= 1e-4;
        J.col(i) = (section(up) - section(down)) / 2e-4;
    }
    const double sigma = 0.02 * std::sqrt(clean.squaredNorm() / static_cast<double>(clean.size()));
    const panto::Matrix<double, 4> covariance = sigma * sigma * panto::Matrix<double, 4>(J.transpose() * J).inverse();
    const Values deviation = covariance.diagonal().cwiseSqrt();
    INFO("deviations " << deviation.transpose());
    const auto noisy = [&](std::uint64_t seed) {
        panto::sensitivity::Lcg random(seed);
        Values y = clean;
        for (double& value : y) value += sigma * random.normal();
        return y;
    };
    // From 20 % off, by the method a user would take.
    Values start(4);
    start << 0.8, 1.2, 1.2, 0.8;
    const Values record = noisy(1);
    const auto fit = panto::opt::levenberg_marquardt(Problem{section, record}, start,
                                                     {.differences = panto::opt::Differences::central});
    INFO(fit.x.transpose());
    CHECK((fit.x - truth).cwiseAbs().maxCoeff() < 0.02);
    CHECK(((fit.x - truth).cwiseQuotient(deviation)).cwiseAbs().maxCoeff() < 4.0);
    // 100 records; near the truth its Jacobian serves all, and three steps close in on the fit.
    const panto::Matrix<double, panto::Dynamic> pseudo = (J.transpose() * J).inverse() * J.transpose();
    std::array<int, 4> inside{};
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Values y = noisy(seed);
        Values theta = truth + pseudo * (y - clean);
        theta += pseudo * (y - section(theta));
        for (Eigen::Index i = 0; i < 4; ++i) {
            CHECK(std::abs(theta[i] - 1.0) < 0.02);
            inside[static_cast<std::size_t>(i)] += std::abs(theta[i] - 1.0) < 1.96 * deviation[i];
        }
        if (seed == 1) CHECK((theta - fit.x).cwiseQuotient(deviation).cwiseAbs().maxCoeff() < 0.05);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        INFO(names[i] << ": " << inside[i] << " of 100");
        CHECK(inside[i] >= 88);
    }
}

}  // namespace train_ident_verify
