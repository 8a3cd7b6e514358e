// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A bogie with ten degrees of freedom on irregular track: the frame with three translations and three rotations, two
/// wheelsets with y and yaw each (wheelset_dynamics.hpp), four axle boxes with linear springs and dampers in three
/// directions. The motion of the frame is measured from its position at rest on level track, in axes that travel along
/// the centre line of the track at the speed of travel.
///     q = [x, y, z, roll, pitch, yaw of the frame, y_1, y_2, psi_1, psi_2] ,  the first wheelset leads.
/// Frame: the rotation R = R_x R_y R_z by the angles theta, the body rates w = B dtheta/dt and, with the moments M on
/// the frame, I dw/dt + w x I w = R' M.
/// Axle box: f = (0, 0, F0) - c u - d du/dt along fixed axes, with the static preload F0, the stiffness c, the damping
/// d and the displacement u of the frame relative to the wheelset at the box.
/// The car body is a dead load on the frame. [Kraft 2012, ch. 2 and app. A, corrected: docs/vehicle.md.]

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/dynamics/runge_kutta.hpp>
#include <panto/vehicle/wheelset_dynamics.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace panto::vehicle {

/// Table 2.1 of the thesis, and the values it omits (docs/vehicle.md gives the origin of each).
template <Real Scalar = double>
struct BogieParams {
    Scalar wheelbase{2.5};                                                                ///< m
    Scalar wheelset_mass{1800.0};                                                         ///< kg
    Scalar wheelset_inertia{960.0};                                                       ///< kg m^2, about x and z
    Scalar wheelset_spin_inertia{450.0};                                                  ///< kg m^2, about the axle
    Scalar frame_mass{2380.0};                                                            ///< kg
    std::array<Scalar, 3> frame_inertia{Scalar(1924.0), Scalar(1080.0), Scalar(2970.0)};  ///< kg m^2
    std::array<Scalar, 3> stiffness{Scalar(52e6), Scalar(3.5e6), Scalar(1e6)};            ///< N/m per axle box
    std::array<Scalar, 3> damping{Scalar(300.0), Scalar(300.0), Scalar(1.2e4)};           ///< N s/m per axle box
    Scalar half_spring_base{1.0};  ///< m, from the centre line to the springs
    Scalar spring_depth{0.14};     ///< m, how far the springs are below the frame's centre
    Scalar wheel_load{80e3};       ///< N, static, of one wheel
    Scalar gravity{9.81};          ///< m/s^2
    Flange<Scalar> flange{};

    /// The same parameters as constants of another scalar.
    template <Real T>
    [[nodiscard]] BogieParams<T> cast() const {
        const auto each = [](const std::array<Scalar, 3>& a) { return std::array<T, 3>{T(a[0]), T(a[1]), T(a[2])}; };
        return {T(wheelbase),
                T(wheelset_mass),
                T(wheelset_inertia),
                T(wheelset_spin_inertia),
                T(frame_mass),
                each(frame_inertia),
                each(stiffness),
                each(damping),
                T(half_spring_base),
                T(spring_depth),
                T(wheel_load),
                T(gravity),
                {T(flange.stiffness), T(flange.clearance), T(flange.width)}};
    }
};

/// @throws SetupError naming the field that is invalid.
template <Real Scalar>
void validate(const BogieParams<Scalar>& p) {
    const char* where = "vehicle::BogieParams";
    require_positive(value_of(p.wheelbase), where, "wheelbase");
    require_positive(value_of(p.wheelset_mass), where, "wheelset_mass");
    require_positive(value_of(p.wheelset_inertia), where, "wheelset_inertia");
    require_not_negative(value_of(p.wheelset_spin_inertia), where, "wheelset_spin_inertia");
    require(value_of(p.wheelset_spin_inertia) <= 2.0 * value_of(p.wheelset_inertia), where, "wheelset_spin_inertia is ",
            value_of(p.wheelset_spin_inertia), " kg m^2, must be at most twice wheelset_inertia, ",
            2.0 * value_of(p.wheelset_inertia));
    require_positive(value_of(p.frame_mass), where, "frame_mass");
    for (std::size_t i = 0; i < 3; ++i) {
        require_positive(value_of(p.frame_inertia[i]), where, "frame_inertia[", i, "]");
        require_not_negative(value_of(p.stiffness[i]), where, "stiffness[", i, "]");
        require_not_negative(value_of(p.damping[i]), where, "damping[", i, "]");
        const double others = value_of(p.frame_inertia[(i + 1) % 3]) + value_of(p.frame_inertia[(i + 2) % 3]);
        require(value_of(p.frame_inertia[i]) <= others, where, "frame_inertia[", i, "] is ",
                value_of(p.frame_inertia[i]), " kg m^2, must be at most the sum of the other two, ", others);
    }
    require_positive(value_of(p.half_spring_base), where, "half_spring_base");
    require_finite(value_of(p.spring_depth), where, "spring_depth");
    require_positive(value_of(p.wheel_load), where, "wheel_load");
    require_not_negative(value_of(p.gravity), where, "gravity");
    const double own = 0.5 * value_of(p.wheelset_mass) * value_of(p.gravity);
    require(value_of(p.wheel_load) >= own * (1.0 - 1e-12), where, "wheel_load is ", value_of(p.wheel_load),
            " N, must be at least half the weight of a wheelset, ", own,
            ": with less, the springs would be in tension");
    validate(p.flange, where);
}

/// A wheel on its rail: the profile and the elastic contact under the static load.
template <Real Scalar = double>
struct WheelRail {
    WheelRailProfile<Scalar> profile{};
    Elasticity<Scalar> material{};
    Scalar friction{0.3};         ///< -
    Scalar creep_reduction{1.0};  ///< -, see contact_patch

    /// @throws SetupError as contact_patch.
    [[nodiscard]] ContactPatch<Scalar> patch(const Scalar& load) const {
        using std::cos;
        validate(profile);
        require_positive(value_of(profile.rail_radius), "vehicle::WheelRail", "profile.rail_radius");
        return contact_patch<Scalar>(load, cos(profile.angle) / profile.radius,
                                     Scalar(1.0) / profile.rail_radius - profile.wheel_curvature, material, friction,
                                     creep_reduction);
    }
};

template <Real Scalar = double, class Track = LevelTrack, class Law = VermeulenJohnson,
          class Geometry = LinearGeometry<Scalar>>
class Bogie {
    static_assert(TrackInput<Track, Scalar>, "Track has at(position), which gives a TrackPoint and is noexcept");
    static_assert(CreepLaw<Law, Scalar>, "Law takes creepage and patch, gives a CreepForce and is noexcept");
    static_assert(ContactGeometry<Geometry, Scalar>, "Geometry has at(rho) and xi(), both noexcept");

  public:
    static constexpr int freedoms = 10;
    using Coordinates = Vector<Scalar, 10>;
    using State = Vector<Scalar, 20>;  ///< q, then its rates
    using Motions = std::array<WheelsetMotion<Scalar>, 2>;
    using Loads = std::array<WheelLoad<Scalar>, 2>;  ///< left, right

    /// @param speed  m/s, of travel, above 0, because creepage is slip divided by it.
    /// @throws SetupError naming the value that is not valid.
    Bogie(const BogieParams<Scalar>& params, const WheelRail<Scalar>& rail, const Scalar& speed, Track track = {},
          Law law = Law{}, WheelsetForm form = {})
        : Bogie(params, Geometry(rail.profile), rail.patch(params.wheel_load), rail.profile.half_distance,
                rail.profile.radius, speed, track, law, form) {}

    /// The same with your own contact geometry. The preload follows from params.wheel_load, creep from the patch.
    Bogie(const BogieParams<Scalar>& params, Geometry geometry, const ContactPatch<Scalar>& patch,
          const Scalar& half_distance, const Scalar& radius, const Scalar& speed, Track track = {}, Law law = Law{},
          WheelsetForm form = {})
        : p_(params),
          geometry_(std::move(geometry)),
          patch_(patch),
          a_(half_distance),
          r0_(radius),
          v_(speed),
          track_(std::move(track)),
          law_(std::move(law)),
          form_(form) {
        validate(p_);
        require_positive(value_of(a_), "vehicle::Bogie", "half_distance");
        require_positive(value_of(r0_), "vehicle::Bogie", "radius");
        require_positive(value_of(v_), "vehicle::Bogie", "speed");
        validate(patch_, "vehicle::Bogie");
        if constexpr (requires { validate(geometry_); }) validate(geometry_);
        if constexpr (requires { validate(track_); }) validate(track_);
        preload_ = p_.wheel_load - p_.wheelset_mass * p_.gravity / Scalar(2.0);
    }

    /// The time derivative of the state at `time` in s; the centre of the bogie is then at speed * time. @rt
    void operator()(const Scalar& time, const State& x, State& slope) const noexcept {
        const Motions m = motions(time, x);
        Coordinates acceleration;
        const auto boxes = frame(x, m, acceleration);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto k = static_cast<Eigen::Index>(i);
            auto [y, psi] = acceleration_of(m[i], boxes[i], creep(m[i]));
            if (form_.normal_force == NormalForce::dynamic) {
                const auto again = acceleration_of(m[i], boxes[i], creep(m[i], loads_of(m[i], boxes[i])));
                y = again.y, psi = again.psi;
            }
            acceleration[6 + k] = y;
            acceleration[8 + k] = psi;
        }
        slope.template head<10>() = x.template tail<10>();
        slope.template tail<10>() = acceleration;
    }

    /// Advances by one Runge-Kutta step. Creep damps at a rate of about 10 700 divided by the speed (rate in 1/s, speed
    /// in m/s): above about 4 m/s a step of 1 ms is stable. `next` must not alias `x`. @rt
    void step(const Scalar& time, const Scalar& dt, const State& x, State& next) const noexcept {
        dynamics::runge_kutta_step(*this, time, dt, x, next);
    }

    /// The motion of both wheelsets, from state and track. @rt
    [[nodiscard]] Motions motions(const Scalar& time, const State& x) const noexcept {
        const Scalar middle = v_ * time, half = Scalar(0.5) * p_.wheelbase;
        const auto one = [&](int i, const Scalar& s) {
            return wheelset_motion(geometry_, r0_, v_, x[6 + i], x[8 + i], x[16 + i], x[18 + i], track_.at(s),
                                   form_.printed_cross_level);
        };
        return {one(0, middle + half), one(1, middle - half)};
    }

    /// Creep of both wheels of a wheelset under the static load. @rt
    [[nodiscard]] std::array<WheelCreep<Scalar>, 2> creep(const WheelsetMotion<Scalar>& m) const noexcept {
        return {wheel_creep(m, 0, a_, r0_, v_, patch_, law_, form_),
                wheel_creep(m, 1, a_, r0_, v_, patch_, law_, form_)};
    }

    /// The loads of all four wheels, [wheelset][left, right]. @rt
    [[nodiscard]] std::array<Loads, 2> loads(const Scalar& time, const State& x) const noexcept {
        const Motions m = motions(time, x);
        Coordinates acceleration;
        const auto boxes = frame(x, m, acceleration);
        return {loads_of(m[0], boxes[0]), loads_of(m[1], boxes[1])};
    }

    /// The same bogie with another scalar type, for derivatives with respect to state, time and speed.
    template <Real T>
    [[nodiscard]] auto cast() const {
        return Bogie<T, Track, Law, typename Geometry::template Rebind<T>>(
            p_.template cast<T>(), geometry_.template cast<T>(), patch_.template cast<T>(), T(a_), T(r0_), T(v_),
            track_, law_, form_);
    }
    /// The same bogie at another speed, m/s.
    [[nodiscard]] Bogie at_speed(const Scalar& speed) const {
        return Bogie(p_, geometry_, patch_, a_, r0_, speed, track_, law_, form_);
    }

    [[nodiscard]] const BogieParams<Scalar>& params() const noexcept { return p_; }
    [[nodiscard]] const Geometry& geometry() const noexcept { return geometry_; }
    [[nodiscard]] const ContactPatch<Scalar>& patch() const noexcept { return patch_; }
    [[nodiscard]] const Scalar& half_distance() const noexcept { return a_; }
    [[nodiscard]] const Scalar& radius() const noexcept { return r0_; }
    [[nodiscard]] const Scalar& speed() const noexcept { return v_; }
    [[nodiscard]] const Scalar& preload() const noexcept { return preload_; }  ///< N, of one axle box
    [[nodiscard]] const Track& track() const noexcept { return track_; }
    [[nodiscard]] const Law& law() const noexcept { return law_; }
    [[nodiscard]] const WheelsetForm& form() const noexcept { return form_; }

  private:
    using Forces = WheelsetForces<Scalar>;

    [[nodiscard]] WheelsetInertia<Scalar> inertia() const noexcept {
        return {p_.wheelset_mass, p_.wheelset_inertia, p_.wheelset_spin_inertia, p_.gravity};
    }

    [[nodiscard]] WheelsetAcceleration<Scalar> acceleration_of(
        const WheelsetMotion<Scalar>& m, Forces forces,
        const std::array<WheelCreep<Scalar>, 2>& creeps) const noexcept {
        for (std::size_t side = 0; side < 2; ++side) forces.add_creep(m, creeps[side], side, a_);
        // The flange force has a potential that depends on rho alone, so it acts on y alone.
        forces.y = forces.y - p_.flange.force(m.rho);
        return wheelset_acceleration(inertia(), m, Scalar(v_ / r0_), forces);
    }

    [[nodiscard]] Loads loads_of(const WheelsetMotion<Scalar>& m, const Forces& boxes) const noexcept {
        const auto creeps = creep(m);
        return wheel_loads(inertia(), m, Scalar(v_ / r0_), boxes, creeps, acceleration_of(m, boxes, creeps),
                           p_.flange.force(m.rho), r0_);
    }

    /// Creep under the present loads.
    [[nodiscard]] std::array<WheelCreep<Scalar>, 2> creep(const WheelsetMotion<Scalar>& m,
                                                          const Loads& loads) const noexcept {
        return {wheel_creep_under(loads[0].vertical, m, 0, a_, r0_, v_, patch_, law_, form_),
                wheel_creep_under(loads[1].vertical, m, 1, a_, r0_, v_, patch_, law_, form_)};
    }

    /// Writes the accelerations of the frame and returns the forces of the axle boxes on both wheelsets.
    [[nodiscard]] std::array<Forces, 2> frame(const State& x, const Motions& m,
                                              Coordinates& acceleration) const noexcept {
        using std::cos, std::sin;
        using V3 = Vector<Scalar, 3>;
        const Scalar ca = cos(x[3]), sa = sin(x[3]), cb = cos(x[4]), sb = sin(x[4]), cg = cos(x[5]), sg = sin(x[5]);
        Matrix<Scalar, 3> R;
        R << cb * cg, -(cb * sg), sb,                                    //
            ca * sg + sa * sb * cg, ca * cg - sa * sb * sg, -(sa * cb),  //
            sa * sg - ca * sb * cg, sa * cg + ca * sb * sg, ca * cb;
        const auto turned = [&](const Scalar& bx, const Scalar& by, const Scalar& bz) {
            return V3(R(0, 0) * bx + R(0, 1) * by + R(0, 2) * bz, R(1, 0) * bx + R(1, 1) * by + R(1, 2) * bz,
                      R(2, 0) * bx + R(2, 1) * by + R(2, 2) * bz);
        };
        const Scalar &ra = x[13], &rb = x[14], &rc = x[15];
        const Scalar wx = cb * cg * ra + sg * rb, wy = cg * rb - cb * sg * ra, wz = sb * ra + rc;  // body axes
        const V3 w = turned(wx, wy, wz);

        std::array<Forces, 2> boxes;
        V3 force(Scalar(0.0), Scalar(0.0), -(Scalar(4.0) * preload_)), moment(Scalar(0.0), Scalar(0.0), Scalar(0.0));
        for (std::size_t i = 0; i < 2; ++i) {
            const auto& n = m[i];
            auto& box = boxes[i];
            const Scalar cr = cos(n.roll), sr = sin(n.roll), cy = cos(n.psi), sy = sin(n.psi);
            const Scalar bx = Scalar(i == 0 ? 0.5 : -0.5) * p_.wheelbase;
            for (const double side : {1.0, -1.0}) {
                const Scalar by = Scalar(side) * p_.half_spring_base, bz = -p_.spring_depth;
                const V3 arm = turned(bx, by, bz);
                const Scalar bc = by * cr, bs = by * sr;
                const Scalar dx = x[0] + arm[0] - bx + sy * bc;
                const Scalar dy = x[1] + arm[1] - cy * bc - n.y;
                const Scalar dz = x[2] + arm[2] - bz - bs - n.z;
                const Scalar vx = x[10] + w[1] * arm[2] - w[2] * arm[1] + cy * n.psi_rate * bc - sy * bs * n.roll_rate;
                const Scalar vy =
                    x[11] + w[2] * arm[0] - w[0] * arm[2] + sy * n.psi_rate * bc + cy * bs * n.roll_rate - n.y_rate;
                const Scalar vz = x[12] + w[0] * arm[1] - w[1] * arm[0] - bc * n.roll_rate - n.z_rate;
                const Scalar fx = -(p_.stiffness[0] * dx) - p_.damping[0] * vx;
                const Scalar fy = -(p_.stiffness[1] * dy) - p_.damping[1] * vy;
                const Scalar fz = preload_ - p_.stiffness[2] * dz - p_.damping[2] * vz;
                force[0] = force[0] + fx;
                force[1] = force[1] + fy;
                force[2] = force[2] + fz;
                moment[0] = moment[0] + arm[1] * fz - arm[2] * fy;
                moment[1] = moment[1] + arm[2] * fx - arm[0] * fz;
                moment[2] = moment[2] + arm[0] * fy - arm[1] * fx;
                box.y = box.y - fy;
                box.z = box.z - fz;
                box.roll = box.roll - (fx * sy - fy * cy) * bs - fz * bc;
                box.yaw = box.yaw + (fx * cy + fy * sy) * bc;
            }
        }
        for (Eigen::Index i = 0; i < 3; ++i) acceleration[i] = force[i] / p_.frame_mass;
        // Body axes: I dw/dt = R' M - w x I w; then d2theta/dt2 = B^-1 (dw/dt - dB/dt dtheta/dt).
        const auto& I = p_.frame_inertia;
        const auto body = [&](Eigen::Index j) -> Scalar {
            return R(0, j) * moment[0] + R(1, j) * moment[1] + R(2, j) * moment[2];
        };
        const Scalar ux =
            (body(0) - (I[2] - I[1]) * wy * wz) / I[0] + (sb * cg * rb + cb * sg * rc) * ra - cg * rc * rb;
        const Scalar uy =
            (body(1) - (I[0] - I[2]) * wz * wx) / I[1] - (sb * sg * rb - cb * cg * rc) * ra + sg * rc * rb;
        const Scalar uz = (body(2) - (I[1] - I[0]) * wx * wy) / I[2] - cb * rb * ra;
        acceleration[3] = (cg * ux - sg * uy) / cb;
        acceleration[4] = sg * ux + cg * uy;
        acceleration[5] = uz - sb * acceleration[3];
        return boxes;
    }

    BogieParams<Scalar> p_;
    Geometry geometry_;
    ContactPatch<Scalar> patch_;
    Scalar a_, r0_, v_, preload_{};
    Track track_;
    Law law_;
    WheelsetForm form_;
};

}  // namespace panto::vehicle
