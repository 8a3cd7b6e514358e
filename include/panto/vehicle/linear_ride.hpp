// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Normal forces of the wheels of a linear vehicle, and whether its motion is still one on the rails. A linear model
/// holds a wheel down whatever its load is: without this check, a record goes on after a wheel would have lifted. The
/// normal forces of wheelsets with two freedoms are the constraint forces of wheelset_dynamics.hpp, those of wheelsets
/// with six are the forces of the contact springs. Both are linear in the motion, the track and the forces of the
/// links.

#pragma once

#include <panto/core/dual.hpp>
#include <panto/core/finite.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/ride.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace panto::vehicle {

/// The loads of the wheels of one vehicle. Made from a LinearMarch, and used with its states.
class LinearLoads {
  public:
    /// @param law, form  those with which the vehicle was linearized
    /// @throws SetupError as contact_patch.
    template <class Law = VermeulenJohnson>
    explicit LinearLoads(const LinearVehicle& v, const Law& law = Law{}, WheelsetForm form = {});

    /// Normal forces of the left and right wheel of wheelset `i`, counted from the front, N; NaN for one that does not
    /// exist, or a state of another vehicle. @rt
    template <class = void>
    [[nodiscard]] std::array<double, 2> normal(int i, const LinearMarch::State& x) const noexcept {
        const auto k = static_cast<std::size_t>(i);
        if (k >= wheelsets_.size() || !fits(x)) return {no_number<double>(), no_number<double>()};
        const Wheelset& wheelset = wheelsets_[k];
        const int axle = assembly_.axles[k], first = assembly_.nodes[static_cast<std::size_t>(axle)].first;
        const NodeFrame& frame = x.frames[static_cast<std::size_t>(axle)];
        Inputs in = Inputs::Zero();
        in.segment<9>(0) = x.w.segment<9>(9 * i);
        if (assembly_.free_wheelsets) {
            in.segment<6>(9) = x.q.segment<6>(first);
        } else {
            NodeMotion force = frame.force;
            for (const Part& p : wheelset.parts) {
                double f = p.stiffness * stretch(p, x, 0);
                f += p.memory >= 0 ? x.f[p.memory] : p.damping * stretch(p, x, 1);
                if (p.node[0] == axle) force += f * p.row[0];
                if (p.node[1] == axle) force -= f * p.row[1];
            }
            in.segment<9>(9) << x.q[first], x.q[first + 1], x.v[first], x.v[first + 1] + frame.yaw_rate, x.a[first],
                x.a[first + 1], force[2], force[3], frame.yaw_rate;
        }
        const Vector<double, 2> n = wheelset.normal + wheelset.by_inputs * in;
        return {n[0], n[1]};
    }

    /// Whether every wheel is on its rail. A linear model has no flange, so its wheelsets move beyond the clearance
    /// that a flange would leave them. They count as off the rail where a flange of 28 mm and 70 degrees would stand on
    /// the rail: at 7 + 28/tan(70) = 17 mm. For a state of another vehicle the result is not_finite. @rt
    template <class = void>
    [[nodiscard]] RideState check(double time, const LinearMarch::State& x,
                                  const RideLimits& limits = {}) const noexcept {
        if (!fits(x)) return {RideStatus::not_finite, time};
        for (int i = 0; i < static_cast<int>(wheelsets_.size()); ++i) {
            const auto k = static_cast<std::size_t>(i);
            const int axle = assembly_.axles[k];
            const Node& node = assembly_.nodes[static_cast<std::size_t>(axle)];
            const double y = x.q[node.first + (node.constrained() ? 0 : 1)];
            const double rho = y - x.w[9 * i] + assembly_.rail.profile.radius * x.w[9 * i + 6];
            if (!is_finite(rho)) return {RideStatus::not_finite, time, i};
            const double most = limits.shift.value_or(17e-3);
            if (std::abs(rho) > most) return {RideStatus::off_the_rail, time, i, rho > 0.0 ? 0 : 1, rho};
            const auto loads = normal(i, x);
            for (int side = 0; side < 2; ++side) {
                const double load = loads[static_cast<std::size_t>(side)];
                if (!is_finite(load)) return {RideStatus::not_finite, time, i, side};
                if (!(load > 0.0)) return {RideStatus::wheel_lifted, time, i, side, load};
            }
        }
        return {RideStatus::on_the_rails, time};
    }

  private:
    /// Whether a state has the sizes that this vehicle's march gives it.
    [[nodiscard]] bool fits(const LinearMarch::State& x) const noexcept {
        const auto n = static_cast<Eigen::Index>(assembly_.freedoms);
        return x.q.size() == n && x.v.size() == n && x.a.size() == n && x.f.size() == assembly_.memories &&
               x.w.size() == 9 * static_cast<Eigen::Index>(assembly_.axles.size()) &&
               x.frames.size() == assembly_.nodes.size();
    }

    /// The track below the wheelset, nine numbers. Then with six freedoms these, with two freedoms y, yaw and their
    /// rates, accelerations, the upward force and the roll moment of the links, and the yaw rate of the frame.
    using Inputs = Vector<double, 18>;
    using D = Dual<18>;
    struct Wheelset {
        Vector<double, 2> normal;  ///< at rest, N
        Matrix<double, 2, 18> by_inputs = Matrix<double, 2, 18>::Zero();
        std::vector<Part> parts{};
    };

    template <class = void>
    [[nodiscard]] static std::array<D, 18> variables() {
        std::array<D, 18> in;
        for (int i = 0; i < 18; ++i) in[static_cast<std::size_t>(i)] = D::variable(0.0, i);
        return in;
    }
    template <class = void>
    [[nodiscard]] static TrackPoint<D> track_point(const std::array<D, 18>& in) {
        return {{in[0], in[1], in[2]}, {in[3], in[4], in[5]}, {in[6], in[7], in[8]}};
    }
    template <class = void>
    [[nodiscard]] static Wheelset linear(const std::array<D, 2>& normal) {
        Wheelset w;
        for (int side = 0; side < 2; ++side) {
            const D& n = normal[static_cast<std::size_t>(side)];
            w.normal[side] = n.value();
            for (int j = 0; j < 18; ++j) w.by_inputs(side, j) = n.derivative(j);
        }
        return w;
    }

    template <class Law>
    [[nodiscard]] Wheelset two_freedoms(int axle, const Law& law, const WheelsetForm& form) const {
        const auto& profile = assembly_.rail.profile;
        const Node& node = assembly_.nodes[static_cast<std::size_t>(axle)];
        const auto in = variables();
        const D r0(profile.radius), v(speed_), half(profile.half_distance);
        // The rate of yaw beside the track is that of creep without the turn of the frame.
        auto m = wheelset_motion(assembly_.geometry.cast<D>(), r0, v, in[9], in[10], in[11], D(in[12] - in[17]),
                                 track_point(in), form.printed_cross_level);
        m.psi_rate = in[12];
        const ContactPatch<D> patch = assembly_.patch(axle).cast<D>();
        const auto creep = [&](std::size_t side) { return wheel_creep(m, side, half, r0, v, patch, law, form); };
        WheelsetForces<D> forces;
        forces.z = in[15] - D(node.suspension_load), forces.roll = in[16];
        const auto loads = wheel_loads<D>({D(node.mass), D(node.inertia[0]), D(node.inertia[1]), D(assembly_.gravity)},
                                          m, D(v / r0), forces, {creep(0), creep(1)}, {in[13], in[14]}, D(0.0), r0);
        return linear({loads[0].normal, loads[1].normal});
    }

    template <class Law>
    [[nodiscard]] Wheelset six_freedoms(int axle, const Law& law, const WheelsetForm& form) const {
        const ElasticContact<> contact = elastic_contact(assembly_, axle, law, form);
        const auto in = variables();
        Vector<D, 6> q, rate;
        for (int i = 0; i < 6; ++i) q[i] = in[static_cast<std::size_t>(9 + i)], rate[i] = D(0.0);
        return linear(free_wheelset(assembly_.geometry.cast<D>(), D(assembly_.rail.profile.radius), D(speed_), q, rate,
                                    track_point(in), ElasticContact<D>{D(contact.normal), D(contact.approach)},
                                    form.printed_cross_level)
                          .normal);
    }

    /// The stretch of a part, or with `order` 1 its rate.
    template <class = void>
    [[nodiscard]] double stretch(const Part& p, const LinearMarch::State& x, int order) const noexcept {
        double sum = 0.0;
        for (std::size_t i = 0; i < 2; ++i) {
            const Node& n = assembly_.nodes[static_cast<std::size_t>(p.node[i])];
            const NodeFrame& frame = x.frames[static_cast<std::size_t>(p.node[i])];
            const auto& q = order == 0 ? x.q : x.v;
            double here = p.row[i].dot(order == 0 ? frame.place : frame.rate);
            if (n.constrained()) {
                const auto k = 9 * (std::find(assembly_.axles.begin(), assembly_.axles.end(), p.node[i]) -
                                    assembly_.axles.begin());
                const Vector<double, 3> below(x.w[k + order], x.w[k + 3 + order], x.w[k + 6 + order]);
                const Vector<double, 6> motion =
                    map_.motion * q.segment<2>(n.first) + (order == 0 ? 1.0 : speed_) * (map_.track * below);
                here += p.row[i].head<6>().dot(motion);
            } else {
                here += p.row[i].head(n.freedoms).dot(q.segment(n.first, n.freedoms));
            }
            sum += i == 0 ? -here : here;
        }
        return sum;
    }

    Assembly assembly_;
    AxleMap map_;
    double speed_;
    std::vector<Wheelset> wheelsets_{};
};

template <class Law>
LinearLoads::LinearLoads(const LinearVehicle& v, const Law& law, WheelsetForm form)
    : assembly_(v.assembly), map_(v.map), speed_(v.speed) {
    for (std::size_t i = 0; i < assembly_.axles.size(); ++i) {
        const int axle = assembly_.axles[i];
        const bool constrained = assembly_.nodes[static_cast<std::size_t>(axle)].constrained();
        wheelsets_.push_back(constrained ? two_freedoms(axle, law, form) : six_freedoms(axle, law, form));
        for (const Part& p : assembly_.parts)
            if (constrained && (p.node[0] == axle || p.node[1] == axle)) wheelsets_.back().parts.push_back(p);
    }
}

#ifdef PANTO_COMPILED
extern template LinearLoads::LinearLoads(const LinearVehicle&, const VermeulenJohnson&, WheelsetForm);
#endif

}  // namespace panto::vehicle
