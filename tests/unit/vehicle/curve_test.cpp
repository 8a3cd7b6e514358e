// SPDX-License-Identifier: BSD-3-Clause
#include <panto/vehicle/curve.hpp>

#include "../../cases/multibody_cases.hpp"
#include "../../support/approx.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace panto::vehicle;

namespace curve_test {
namespace {

/// The bogie on a contact of small angle, lambda 0.1.
Assembly bogie() {
    Multibody v = panto::test::bogie_of_parts({}, {});
    v.coefficients = ContactCoefficients<>{0.1, 0.05, 0.1, 0.07, 0.04};
    return assemble(v);
}

}  // namespace

TEST_SUITE("vehicle::steady_curve") {
    TEST_CASE("a free wheelset rolls where its radii fit the curve, to the outer side") {
        const Assembly a = bogie();
        const LinearVehicle l = linearize(a, 40.0);
        const int f = a.nodes[static_cast<std::size_t>(a.axles[0])].first;
        const double R = 3000.0, r0 = 0.46, half = 0.7175;
        // Without its links: the two rows of the contact alone, in the balanced curve.
        const Curve balanced{1.0 / R, 40.0 * 40.0 / (R * 9.81)};
        LinearVehicle free = l;
        free.assembly.parts.clear();
        const Eigen::Vector2d force = curve_force(free, balanced).segment<2>(f);
        const Eigen::Vector2d q = l.contact_stiffness.block<2, 2>(f, f).fullPivLu().solve(force);
        CHECK(q[0] == approx(-r0 * half / (0.1 * R)).epsilon(1e-4));
        // 2 Q zeta rho - 2 f22 q psi = w_Iy v^2 kappa/(r0 R): the sheet's row y.
        const auto patch = a.patch(a.axles[0]);
        const double Q = a.wheel_load(a.axles[0]), kappa = 0.05 / half;
        CHECK(2.0 * Q * 0.07 * q[0] - 2.0 * patch.f22 * (1.0 + r0 * kappa) * q[1] ==
              approx(450.0 * 1600.0 * kappa / (r0 * R)).epsilon(1e-6));
    }

    TEST_CASE("a mirrored curve gives the mirrored state; the axle boxes carry what presses the frame outward") {
        const Assembly a = bogie();
        const LinearVehicle l = linearize(a, 40.0);
        const double R = 1000.0;
        const Eigen::VectorXd q = steady_curve(l, {1.0 / R, 0.0}), mirror = steady_curve(l, {-1.0 / R, 0.0});
        CHECK((q + mirror).norm() < 1e-12 * q.norm());
        // What presses outward is carried by the contact: the sum of both wheelsets' lateral springs.
        double carried = 0.0;
        for (const Part& p : a.parts)
            if (p.direction == Direction::y) {
                const auto motion = [&](int k) {
                    const Node& n = a.nodes[static_cast<std::size_t>(k)];
                    using Vector6 = panto::Vector<double, 6>;
                    NodeMotion u = NodeMotion::Zero();
                    u.head<6>() =
                        n.axle ? Vector6(l.map.motion * q.segment<2>(n.first)) : Vector6(q.segment<6>(n.first));
                    u[1] += 0.5 * n.centre[0] * n.centre[0] / R, u[5] += n.centre[0] / R;
                    return u;
                };
                carried += p.stiffness * p.stretch(motion(p.node[0]), motion(p.node[1]));
            }
        CHECK(carried == approx(2380.0 * 1600.0 / R).epsilon(1e-6));
        CHECK_THROWS_AS((void)steady_curve(l, {std::numeric_limits<double>::infinity(), 0.0}), panto::SetupError);
    }
}

}  // namespace curve_test
