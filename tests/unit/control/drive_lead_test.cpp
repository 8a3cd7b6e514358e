// SPDX-License-Identifier: BSD-3-Clause
#include <panto/control/drive_lead.hpp>

#include "../../support/approx.hpp"
#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <utility>

using namespace panto;
using control::DriveLead;
using control::DriveLeadParams;

namespace drive_lead_test {
namespace {

constexpr double dt = 2e-3;  // s
constexpr double pi = 3.14159265358979;

plant::RigParams described() {
    return {.pad_stiffness = 240e3,
            .pantograph = {.mass = Eigen::VectorXd::Constant(1, 6.6),
                           .damping = Eigen::VectorXd::Zero(1),
                           .stiffness = Eigen::VectorXd::Zero(1)}};
}

/// Hz, m/s
constexpr std::pair<double, double> wire_parts[] = {{1.0, 0.04}, {7.0, 0.02}, {16.0, 0.01}};

double wire(int n) {
    const double t = dt * n;
    double height = 0.1;
    for (const auto& [frequency, speed] : wire_parts) {
        const double w = 2.0 * pi * frequency;
        height += speed / w * (1.0 - std::cos(w * t));
    }
    return height;
}

/// The motor that is there, under the commands that are sent.
class Drive {
  public:
    explicit Drive(const plant::RigParams& rig)
        : model_(plant::sampled_model(rig, dt)),
          x_(Eigen::VectorXd::Zero(model_.size())),
          commands_(Eigen::VectorXd::Constant(model_.command.cols(), wire(0))) {
        x_[plant::motor_height] = wire(0);
    }
    void send(double command) {
        for (Eigen::Index j = commands_.size(); j-- > 1;) commands_[j] = commands_[j - 1];
        commands_[0] = command;
        x_ = (model_.A * x_ + model_.command * commands_).eval();
    }
    [[nodiscard]] double height() const { return x_[plant::motor_height]; }

  private:
    plant::SampledModel model_;
    Eigen::VectorXd x_, commands_;
};

struct Learnt {
    double lead = 0.0, error = 0.0;  // s; m, largest difference from a drive as described in the last second
};

/// Follows the wire for `seconds`.
/// @param noise   m, standard deviation of the readings
/// @param offset  m, amplitude of an error of the encoder at 0.3 Hz
Learnt follow(const plant::RigParams& actual, const DriveLeadParams& p = {}, double noise = 0.0, double offset = 0.0,
              double seconds = 3.0) {
    DriveLead lead(described(), p, dt);
    Drive drive(actual), model(described());
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    Learnt result;
    double before = wire(0);
    const int steps = static_cast<int>(seconds / dt);
    for (int n = 0; n < steps; ++n) {
        lead.take(drive.height() + offset * std::sin(2.0 * pi * 0.3 * dt * n) + noise * normal(random));
        const double command = wire(n), sent = lead.corrected(command, before);
        drive.send(sent), model.send(command), lead.advance(sent);
        before = command;
        if (n > steps - 500) result.error = std::max(result.error, std::fabs(drive.height() - model.height()));
    }
    result.lead = lead.lead();
    return result;
}

plant::RigParams with_delay(double periods) {
    plant::RigParams rig = described();
    rig.command_delay = periods;
    return rig;
}

plant::RigParams with_motor(double factor) {
    plant::RigParams rig = described();
    rig.motor.stiffness *= factor * factor, rig.motor.damping *= factor;
    return rig;
}

}  // namespace

TEST_CASE("a drive as described has no lead, and its commands are sent as they are") {
    const Learnt r = follow(described());
    CHECK(std::fabs(r.lead) < 1e-9);
    CHECK(r.error < 1e-12);
    for (const double noise : {1e-5, 3e-5}) CHECK(std::fabs(follow(described(), {}, noise).lead) < 1e-4);
    CHECK(follow(described(), {}, 1e-5).error == 0.0);
}

TEST_CASE("a delay other than described is found, and the drive then acts as described") {
    for (const double periods : {0.6, 0.75, 0.9, 1.1, 1.25, 1.4}) {
        const double lead = (1.0 - periods) * dt;
        CAPTURE(periods);
        CHECK(follow(with_delay(periods)).lead == approx(lead).epsilon(0.1));
        CHECK(follow(with_delay(periods), {}, 1e-5).lead == approx(lead).epsilon(0.25));
        const double unlearnt = follow(with_delay(periods), {.longest = 0.0}).error;
        CHECK(unlearnt > 0.9 * 0.045 * std::fabs(lead));  // speed times lead
        // A lead is corrected but for the part that is ignored, a lag by half of that.
        const double left = 1e-4 + (lead > 0.0 ? 0.0 : 0.5 * (-lead - 1e-4));
        CHECK(follow(with_delay(periods)).error < 1.25 * left / std::fabs(lead) * unlearnt);
        CHECK(follow(with_delay(periods), {.ignored = 0.0}).error < (lead > 0.0 ? 0.15 : 0.6) * unlearnt);
    }
}

TEST_CASE("the lead of a faster motor is the difference of the phases by the frequency") {
    const auto response = [](const dynamics::OscillatorParams<double>& m, double w) {
        return m.stiffness / std::complex<double>(m.stiffness - m.mass * w * w, m.damping * w);
    };
    for (const double factor : {0.85, 0.95, 1.15}) {
        // Least squares over the three frequencies of the wire, each behind the high-pass of 5 Hz.
        double products = 0.0, squares = 0.0;
        for (const auto& [frequency, speed] : wire_parts) {
            const double w = 2.0 * pi * frequency;
            const auto there = response(with_motor(factor).motor, w), model = response(described().motor, w);
            const double square = std::norm(speed * model) / (1.0 + 25.0 / (frequency * frequency));
            products += square * (there / model).imag() / w;
            squares += square;
        }
        CAPTURE(factor);
        CHECK(follow(with_motor(factor), {.ignored = 1.0}).lead == approx(products / squares).epsilon(0.03));
    }
}

TEST_CASE("an error of the encoder that changes slowly is not taken for a lead, nor is a wrong reading") {
    CHECK(std::fabs(follow(described(), {}, 0.0, 1e-3).lead) < 1e-4);
    CHECK(follow(with_delay(0.75), {}, 0.0, 1e-3).lead == approx(5e-4).epsilon(0.15));
    DriveLead lead(described(), {}, dt);
    Drive drive(described());
    for (int n = 0; n < 2000; ++n) {
        lead.take(drive.height() + (n == 700 ? 0.03 : 0.0) + (n >= 1000 ? 0.002 : 0.0));  // one reading; for good
        drive.send(wire(n)), lead.advance(wire(n));
        CHECK(std::fabs(lead.lead()) < 1e-5);
    }
}

TEST_CASE("a drive that stands still keeps what was learnt, and learns nothing") {
    DriveLead lead(described(), {}, dt);
    Drive drive(with_delay(0.75));
    const auto cycle = [&](double command, double noise) {
        lead.take(drive.height() + noise);
        drive.send(command), lead.advance(command);
    };
    std::mt19937_64 random(2);
    std::normal_distribution<double> normal(0.0, 1e-5);
    for (int n = 0; n < 500; ++n) cycle(wire(0), normal(random));
    CHECK(std::fabs(lead.lead()) < 1e-5);
    for (int n = 0; n < 1500; ++n) cycle(wire(n), 0.0);
    for (int n = 0; n < 100; ++n) cycle(wire(1500), 0.0);
    const double learnt = lead.lead();
    CHECK(learnt == approx(5e-4).epsilon(0.1));
    for (int n = 0; n < 5000; ++n) cycle(wire(1500), normal(random));
    CHECK(lead.lead() == approx(learnt).epsilon(0.05));
    lead.reset();
    CHECK(lead.lead() == 0.0);
}

TEST_CASE("nothing is corrected before the drive has moved, nor learnt while it is at a limit") {
    DriveLead lead(described(), {}, dt);
    lead.take(0.1);
    lead.advance(0.1001);
    for (int n = 0; n < 5; ++n) lead.take(0.10004 + 1e-5 * n), lead.advance(0.1001);  // it sticks, then slips
    CHECK(lead.lead() == 0.0);
    DriveLead held(described(), {}, dt);
    Drive drive(with_delay(0.75));
    for (int n = 0; n < 1000; ++n) {
        held.pause();
        held.take(drive.height());
        drive.send(wire(n)), held.advance(wire(n));
    }
    CHECK(held.lead() == 0.0);
}

TEST_CASE("the lead stays within its bound, whatever the drive does") {
    CHECK(follow(with_delay(3.0)).lead == -0.5 * dt);
    CHECK(follow(with_delay(3.0), {.longest = 0.0}).lead == 0.0);
    CHECK(follow(with_motor(3.0), {.longest = 0.1}).lead == 0.1 * dt);
    DriveLead lead(described(), {}, dt);
    const double huge = std::numeric_limits<double>::max();
    for (const double reading : {0.1, huge, -huge, std::numeric_limits<double>::infinity(), std::nan(""), 0.1}) {
        lead.take(reading);
        lead.advance(reading);
        CHECK(is_finite(lead.corrected(0.1, 0.1)));
        CHECK(std::fabs(lead.lead()) <= 0.5 * dt);
    }
}

// @rt-tested: DriveLead::take DriveLead::corrected DriveLead::advance DriveLead::lead DriveLead::pause DriveLead::reset
TEST_CASE("learning a lead does not allocate") {
    for (const double periods : {0.0, 1.0, 6.5}) {
        DriveLead lead(with_delay(periods), {}, dt);
        double sum = 0.0;
        CHECK(test::allocations_in([&] {
                  lead.reset(), lead.pause();
                  for (int n = 0; n < 50; ++n) {
                      lead.take(wire(n));
                      sum += lead.corrected(wire(n), wire(n - 1)) + lead.lead();
                      lead.advance(wire(n));
                  }
              }) == 0);
        CHECK(is_finite(sum));
    }
}

TEST_CASE("parameters of a lead that have no meaning are refused by name") {
    const auto refused = [](const DriveLeadParams& p) {
        return test::message([&] { DriveLead lead(described(), p, dt); });
    };
    const double nan = std::nan("");
    CHECK(refused({.longest = 1.5}) == "control::DriveLead: drive_lead.longest is 1.5 periods, must be from 0 to 1");
    for (const double bad : {-1.0, nan}) {
        CHECK(refused({.longest = bad}).find("drive_lead.longest") != std::string::npos);
        CHECK(refused({.ignored = bad}).find("drive_lead.ignored") != std::string::npos);
        CHECK(refused({.corner = bad}).find("drive_lead.corner") != std::string::npos);
        CHECK(refused({.noise = bad}).find("drive_lead.noise") != std::string::npos);
        CHECK(refused({.spread = bad}).find("drive_lead.spread") != std::string::npos);
        CHECK(refused({.memory = bad}).find("drive_lead.memory") != std::string::npos);
    }
}

}  // namespace drive_lead_test
