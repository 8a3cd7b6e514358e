// SPDX-License-Identifier: BSD-3-Clause
// Your own catenary engine: a string between two masts as a sum of modes, tried with the tester, then with a
// pantograph.
//     m q'' + d q' + k q = F phi(x),    w = sum q phi,    phi_n = sin(n pi x / L)
// The strip travels at v, so the speed of the wire is w_t + v w_x, its acceleration w_tt + 2 v w_xt + v^2 w_xx.
#include <panto/catenary/concepts.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/interaction/statistics.hpp>
#include <panto/pantograph.hpp>
#include <panto/testing/catenary.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>

using namespace panto;

class ModalString {
  public:
    Motion step(double force) noexcept {
        advance(force);
        return wire_ = motion();
    }
    Result<double> step_contact(const catenary::ImplicitContact<double>& contact) noexcept {
        if (!contact.solvable()) return {0.0, Status::not_finite};
        ModalString loaded = *this, free = *this;
        const double height = free.step(0.0).height, give = loaded.step(1.0).height - height;  // z(F) = height + give F
        const double gap = contact.head_height - height;
        const double force = std::max(0.0, gap / (1.0 / contact.stiffness + contact.head_compliance + give));
        step(force);
        return {force, Status::ok};
    }
    void predict(double force, std::span<Motion> ahead) const noexcept {
        ModalString copy = *this;
        for (Motion& next : ahead) next = copy.step(force);
    }
    void reset() noexcept { *this = ModalString{}; }
    double dt() const noexcept { return 2e-3; }
    const Motion& wire() const noexcept { return wire_; }
    double time() const noexcept { return static_cast<double>(steps_) * dt(); }
    double position() const noexcept { return position_after(0.0); }
    double position_after(double seconds) const noexcept { return 20.0 + speed * (time() + seconds); }

  private:
    static constexpr double length = 240.0, mass = 1.35, tension = 20e3, damping = 0.05, speed = 50.0;  // SI units
    static constexpr int modes = 80;

    /// Newmark's average acceleration, one mode after another, with the force where the strip is after the step.
    void advance(double force) noexcept {
        ++steps_;
        for (int n = 0; n < modes; ++n) {
            const double w = wave_number(n), m = 0.5 * mass * length, d = 0.5 * damping * length;
            const double k = 0.5 * tension * w * w * length, f = force * std::sin(w * position());
            Motion& q = modes_[static_cast<std::size_t>(n)];
            const double z = q.height + dt() * q.speed + 0.25 * dt() * dt() * q.acceleration;
            const double v = q.speed + 0.5 * dt() * q.acceleration;
            const double a = (f - d * v - k * z) / (m + 0.5 * dt() * d + 0.25 * dt() * dt() * k);
            q = {z + 0.25 * dt() * dt() * a, v + 0.5 * dt() * a, a};
        }
    }
    Motion motion() const noexcept {
        Motion sum;
        for (int n = 0; n < modes; ++n) {
            const Motion& q = modes_[static_cast<std::size_t>(n)];
            const double w = wave_number(n), s = std::sin(w * position()), c = w * std::cos(w * position());
            sum.height += q.height * s;
            sum.speed += q.speed * s + speed * q.height * c;
            sum.acceleration += q.acceleration * s + 2.0 * speed * q.speed * c - speed * speed * w * w * q.height * s;
        }
        return sum;
    }
    static double wave_number(int n) noexcept { return (n + 1) * std::numbers::pi / length; }

    std::array<Motion, modes> modes_{};
    Motion wire_;
    long steps_ = 0;
};
static_assert(CoupledCatenary<ModalString> && PredictiveCatenary<ModalString>);  // a missing member is reported here

int main() {
    ModalString wire;
    const testing::Findings findings = testing::test_catenary(wire);
    std::printf("%s", testing::as_text(findings).c_str());
    wire.reset();
    const auto run = interaction::simulate(
        wire,
        {.pantograph = pantograph::preset("DSA380").params, .uplift_force = 100.0, .uplift_ramp = 40.0, .end = 200.0});
    const auto m = interaction::figures_of_merit(run.contact, {.from = 100.0, .to = 180.0});
    std::printf("%d findings; mean contact force %.1f N, sigma %.2f N\n", static_cast<int>(findings.size()), m.mean,
                m.sigma);
    return findings.empty() ? 0 : 1;
}
