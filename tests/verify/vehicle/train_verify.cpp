// SPDX-License-Identifier: BSD-3-Clause
// The train of the TGV kind against the golden table, and the linear march against the nonlinear bogie.
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/roof_motion.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../cases/train_cases.hpp"
#include "../../support/catch.hpp"
#include "../../support/golden_json.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace train_verify {

using namespace panto::vehicle;
namespace {

Multibody train() { return panto::io::read_vehicle(std::string(PANTO_DATA_DIR) + "/vehicles/tgv_like.json"); }

}  // namespace

TEST_CASE("the train has the golden modes and its golden growth at every speed", "[vehicle]") {
    const auto golden = panto::test::golden("vehicle_and_inverse_problems.json").at("F.train").at("value");
    const Multibody v = train();
    const Assembly a = panto::test::golden_train(v);
    CHECK(a.nodes.size() == golden.at("bodies").get<std::size_t>());
    CHECK(a.axles.size() == golden.at("wheelsets").get<std::size_t>());
    CHECK(a.freedoms == golden.at("dof").get<int>());
    CHECK(a.memories == golden.at("maxwell").get<int>());
    CHECK(a.mass() == Approx(golden.at("mass").get<double>()));
    const auto matrix = [&](double speed) { return panto::test::golden_state_matrix(a, speed); };
    const auto eigen = panto::linalg::eigenvalues(matrix(83.333));
    // Growth: eigenvalues of a matrix of 434 rows round to some 1e-13 of the largest, some 1e3 1/s: ten digits.
    CHECK(eigen.real().maxCoeff() == Approx(golden.at("maxre").get<double>()).epsilon(1e-9));
    CHECK(eigen.real().maxCoeff() == Approx(golden.at("maxre_83.333").get<double>()).epsilon(1e-9));
    std::vector<std::pair<double, double>> modes;  // Hz and damping; three at rest under creep are no oscillations
    for (const auto& e : eigen)
        if (e.imag() > 0.0 && std::abs(e.real()) < 0.99 * std::abs(e))
            modes.emplace_back(std::abs(e) / (2.0 * std::numbers::pi), -e.real() / std::abs(e));
    std::sort(modes.begin(), modes.end());
    const auto& f = golden.at("f_low");
    for (std::size_t i = 0; i < f.size(); ++i) {
        INFO("mode " << i);
        CHECK(modes[i].first == Approx(f[i].get<double>()).epsilon(1e-5));
        // Of the two bounces of equal frequency either may come first.
        CHECK(modes[i].second == Approx(golden.at("zeta_low")[i].get<double>()).epsilon(1e-5));
    }
    for (const char* speed : {"60", "100", "120", "140", "160", "200"}) {
        INFO(speed << " m/s");
        CHECK(growth_rate(matrix(std::stod(speed))) ==
              Approx(golden.at("maxre_" + std::string(speed)).get<double>()).epsilon(1e-9));
    }
}

TEST_CASE("the train is stable at 140 and hunts at 160 m/s, with loads from its own statics and springs that turn",
          "[vehicle]") {
    const Assembly a = assemble(train());
    double carried = 0.0;
    for (const int axle : a.axles) carried += 2.0 * a.wheel_load(axle);
    CHECK(carried == Approx(a.mass() * a.gravity).epsilon(1e-12));
    const LinearVehicle l = linearize(a, 83.333);
    for (const auto* m : {&l.mass, &l.damping, &l.stiffness}) CHECK((*m - m->transpose()).norm() <= 1e-15 * m->norm());
    CHECK(growth_rate(state_matrix(l)) < -0.2);
    CHECK(growth_rate(state_matrix(linearize(a, 140.0))) < 0.0);
    CHECK(growth_rate(state_matrix(linearize(a, 160.0))) > 0.5);
}

TEST_CASE("with wheelsets of six freedoms the train has 294, is stable at 300 km/h, and its roof moves alike",
          "[vehicle]") {
    Multibody v = train();
    const Assembly two = assemble(v);
    v.free_wheelsets = true;
    const Assembly six = assemble(v);
    const auto golden = panto::test::golden("vehicle_and_inverse_problems.json").at("F.train").at("value");
    CHECK(six.freedoms == golden.at("dof6").get<int>());
    const double speed = 83.333;
    const LinearVehicle l = linearize(six, speed);
    for (const auto* m : {&l.mass, &l.damping, &l.stiffness}) CHECK((*m - m->transpose()).norm() <= 1e-15 * m->norm());
    CHECK(growth_rate(l) < 0.0);
    // In a steady curve both kinds of wheelset and all bodies stand alike, across and in yaw.
    const Curve curve{.curvature = 1.0 / 4000.0, .cant = 0.1};
    const Eigen::VectorXd r = steady_curve(l, curve), q = steady_curve(linearize(two, speed), curve);
    double size = 0.0, apart = 0.0;
    for (const Node& n : two.nodes) {
        const int f = n.first, g = six.nodes[static_cast<std::size_t>(six.node(n.name))].first, yaw = n.axle ? 1 : 5;
        for (const auto& [x, y] : {std::pair{q[n.axle ? f : f + 1], r[g + 1]}, {q[f + yaw], r[g + 5]}})
            size += x * x, apart += (y - x) * (y - x);
    }
    INFO("in the curve off by " << std::sqrt(apart / size));
    CHECK(apart < 0.03 * 0.03 * size);
    // Up and down the roofs move alike if the wheelsets neither roll nor slip; as they are, they give way along the
    // line, where those of two freedoms stand still, and the pitch of the car body with them.
    const RandomTrack vertical{{}, RandomTrack::of({}, {}, {5, 6, 7}).vertical, {}};
    const auto track = SampledTrack::ramped(vertical, 0.0, 1500.0, 0.25, 50.0);
    const auto roof = [&](const Assembly& a) {
        const LinearMarch march(linearize(a, speed), 2e-3);
        return roof_motion(march, track, a.probe("M1", {-5.0, 0.0, 4.0}, Direction::z), -0.2, 10.0).height;
    };
    for (Axle& w : v.axles) w.spin_inertia = 1e4 * w.spin_inertia, w.inertia = 1e4 * w.inertia;
    v.rail.creep_reduction = 1e3;
    const auto as_two = roof(two), as_six = roof(six), hard_to_roll = roof(assemble(v));
    const auto off = [&](const std::vector<double>& other) {
        double squares = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < as_two.size(); ++i)
            squares += as_two[i] * as_two[i], sum += (other[i] - as_two[i]) * (other[i] - as_two[i]);
        return std::sqrt(sum / squares);
    };
    INFO("off by " << off(as_six) << " and " << off(hard_to_roll));
    CHECK(off(as_six) < 0.15);
    CHECK(off(hard_to_roll) < 0.01);
}

TEST_CASE("with wheelsets of six freedoms the train is stable at 140 and hunts at 160 m/s", "[vehicle][long]") {
    Multibody v = train();
    v.free_wheelsets = true;
    const Assembly a = assemble(v);
    CHECK(growth_rate(linearize(a, 140.0)) < 0.0);
    CHECK(growth_rate(linearize(a, 160.0)) > 0.5);
}

TEST_CASE("the linear march is the nonlinear bogie on a small defect", "[vehicle]") {
    const Assembly a = assemble(panto::test::bogie_of_parts({}, {}));
    const double size = 1e-6, dt = 2e-4;
    const SmoothDefect<> defect{.lateral = size, .vertical = 0.7 * size, .roll = 0.3 * size};
    const LinearMarch march(linearize(a, 40.0), dt);
    const Bogie<double, SmoothDefect<>> bogie({}, {}, 40.0, defect);
    auto x = march.rest();
    decltype(bogie)::State y = decltype(bogie)::State::Zero(), next;
    double error = 0.0, largest = 0.0;
    for (int n = 0; n < 5000; ++n) {
        march.step(n * dt, defect, x);
        bogie.step(n * dt, dt, y, next);
        y = next;
        for (int i = 0; i < 6; ++i) {
            error = std::max(error, std::abs(x.q[2 + i] - y[i]));
            largest = std::max(largest, std::abs(y[i]));
        }
        error = std::max({error, std::abs(x.q[0] - y[6]), std::abs(x.q[9] - y[9])});
    }
    INFO(error << " of " << largest);
    CHECK(largest > 0.5 * size);
    // The trapezoidal rule at 50 Hz and 0.2 ms: (omega dt)^2/12 of a phase that has turned some ten times.
    CHECK(error < 2e-3 * largest);
}

TEST_CASE("on a random track the train's bodies move as its transfer functions say", "[vehicle]") {
    // One wave under the whole train: the steady amplitude of the march against a solve at that frequency.
    const Assembly a = assemble(train());
    const double speed = 80.0, wave_number = 2.0 * std::numbers::pi / 40.0, dt = 2e-3;
    const LinearVehicle l = linearize(a, speed);
    const RandomTrack track{WaveSum({{1e-3, wave_number, 0.0}}), WaveSum({{2e-3, wave_number, 0.4}}), {}};
    const LinearMarch march(l, dt);
    using Complex = std::complex<double>;
    // The trapezoidal rule is exact at the frequency it turns w into, (2/dt) tan(w dt/2); the track's own rates stay.
    const double w = wave_number * speed;
    const Complex s(0.0, 2.0 / dt * std::tan(0.5 * w * dt)), j(0.0, wave_number);
    const auto n = static_cast<Eigen::Index>(a.freedoms);
    Eigen::VectorXcd input(l.track.cols());
    for (std::size_t i = 0; i < a.axles.size(); ++i) {
        const Complex at = std::exp(j * a.nodes[static_cast<std::size_t>(a.axles[i])].centre[0]);
        const Complex y = 1e-3 * at, z = 2e-3 * std::exp(Complex(0.0, 0.4)) * at;
        input.segment<9>(9 * static_cast<Eigen::Index>(i)) << y, j * y, j * j * y, z, j * z, j * j * z, 0.0, 0.0, 0.0;
    }
    const Eigen::VectorXcd arms =
        (s * l.series.array().cast<Complex>() / (s + l.rate.array().cast<Complex>())).matrix();
    Eigen::MatrixXcd D = (s * s * l.mass.cast<Complex>() + s * (l.damping + l.contact_damping).cast<Complex>() +
                          (l.stiffness + l.contact_stiffness).cast<Complex>());
    D += l.memory_input.cast<Complex>() * arms.asDiagonal() * l.memory_input.transpose().cast<Complex>();
    const Eigen::VectorXcd q = D.fullPivLu().solve(l.track.cast<Complex>() * input -
                                                   l.memory_input.cast<Complex>() *
                                                       (arms.asDiagonal() * (l.memory_track.cast<Complex>() * input)));
    auto x = march.rest();
    const int steps = 30000;
    for (int k = 0; k < steps; ++k) march.step(k * dt, track, x);
    const Eigen::VectorXd expected = (q * std::exp(Complex(0.0, w * dt * steps))).real();
    INFO((x.q - expected).cwiseAbs().maxCoeff() << " of " << q.cwiseAbs().maxCoeff() << ", freedoms " << n);
    // The start at rest has died away by exp(-0.28 * 60) = 4e-8.
    CHECK((x.q - expected).cwiseAbs().maxCoeff() < 1e-6 * q.cwiseAbs().maxCoeff());
}

}  // namespace train_verify
