// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A vehicle with nonlinear elements and nonlinear contact: stops, dampers with a knee, a saturating creep law, the
/// exact equations of every wheelset (wheelset_dynamics.hpp, free_wheelset.hpp). Bodies turn by small angles. The state
/// is degrees of freedom, rates, forces of dampers in series and of friction, and the states of air springs; it is
/// advanced by Runge-Kutta steps. For a stretch delta with the rate u, the force of a part, beyond that at rest, is
///     k delta + stop(delta) + damper(u) + friction .  With a spring in series, the damper's force f follows
///     df/dt = series (u - damper^-1(f)) .  Friction that slips over a length follows  df/dt = (u F - |u| f)/length ,
///     that of rubber depends on the last reversal [element/rubber.hpp].
/// Air springs of two volumes add their own force [element/air_volumes.hpp].
/// Preloads enter only because they turn with their springs (linear_vehicle.hpp). On a CurvedTrack all motions are
/// relative to frames that follow it (track_frame.hpp).

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>
#include <panto/element/air_volumes.hpp>
#include <panto/element/rubber.hpp>
#include <panto/element/spring.hpp>
#include <panto/vehicle/linear_vehicle.hpp>
#include <panto/vehicle/ride.hpp>
#include <panto/vehicle/track.hpp>
#include <panto/vehicle/track_frame.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace panto::vehicle {

template <class Law = VermeulenJohnson, class Geometry = LinearGeometry<>>
class NonlinearVehicle {
    static_assert(CreepLaw<Law>, "Law takes creepage and patch, gives a CreepForce and is noexcept");
    static_assert(ContactGeometry<Geometry>, "Geometry has at(rho) and xi(), both noexcept");

  public:
    /// State and workspace of one vehicle, see rest().
    struct State {
        Eigen::VectorXd x{};  ///< degrees of freedom, rates, damper forces, friction forces, air springs
        Eigen::VectorXd slope{}, next{}, at{};
        std::vector<std::array<NodeMotion, 3>> nodes{};  ///< motion, rate, force of every node
        std::vector<WheelsetMotion<double>> axles{};
        std::vector<FreeWheelset<double>> free{};  ///< with six freedoms
        std::vector<element::BergRubber<>::Memory> rubbers{};
        std::vector<NodeFrame> frames{};  ///< of every node, on a CurvedTrack
    };

    /// @param speed m/s
    /// @throws SetupError if the speed is not positive or the flange is not valid, or as contact_patch.
    NonlinearVehicle(const Assembly& assembly, double speed, Law law = {}, WheelsetForm form = {}, Flange<> flange = {})
        requires std::same_as<Geometry, LinearGeometry<>>
        : NonlinearVehicle(assembly, assembly.geometry, speed, law, form, flange) {}

    /// The same on your own contact geometry. Patches follow from Multibody::rail.profile, which must equal the
    /// geometry's middle() if there is one, as in TabulatedGeometry. @throws SetupError also if the two differ, or if
    /// the vehicle has contact coefficients too.
    NonlinearVehicle(Assembly assembly, Geometry geometry, double speed, Law law = {}, WheelsetForm form = {},
                     Flange<> flange = {})
        : a_(std::move(assembly)), geometry_(std::move(geometry)), v_(speed), law_(law), form_(form), flange_(flange) {
        const char* where = "vehicle::NonlinearVehicle";
        require_positive(speed, where, "speed");
        validate(flange, where);
        require(!a_.small_angle || std::same_as<Geometry, LinearGeometry<>>, where,
                "the vehicle has contact coefficients and a contact geometry of its own; give one of them");
        if constexpr (requires { geometry_.middle(); }) require_same(a_.rail.profile, geometry_.middle(), where);
        turning_.assign(a_.nodes.size(), 0.0);
        for (const Part& p : a_.parts)
            for (std::size_t i = 0; i < 2; ++i)
                if (p.direction == Direction::z)
                    turning_[static_cast<std::size_t>(p.node[i])] += (i == 0 ? 1.0 : -1.0) * p.preload * p.height[i];
        for (const Part& p : a_.parts) {
            if (p.volumes >= 0)
                volumes_.emplace_back(element::AirVolumesParams<>{.geometry = p.air, .orifice = p.orifice});
            if (p.rubber >= 0)
                rubbers_.emplace_back(element::BergParams<>{0.0, p.friction, p.friction_stroke, {1.0, 1.0}});
        }
        for (const int axle : a_.axles) {
            patches_.push_back(a_.patch(axle));
            if (a_.free_wheelsets) contacts_.push_back(elastic_contact(a_, geometry_, axle, law_, form_));
        }
        half_ = a_.rail.profile.half_distance, r0_ = a_.rail.profile.radius, omega_ = speed / r0_;
    }

    /// At rest on a level and straight track.
    [[nodiscard]] State rest() const {
        const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2 * a_.freedoms + a_.memories + a_.slips + 4 * a_.volumes);
        const NodeMotion still = NodeMotion::Zero();
        Eigen::VectorXd x = zero;
        for (int i = 0; i < a_.volumes; ++i) x.segment<4>(air(i)) = volumes_[static_cast<std::size_t>(i)].rest();
        return {x,
                zero,
                zero,
                zero,
                std::vector<std::array<NodeMotion, 3>>(a_.nodes.size(), {still, still, still}),
                std::vector<WheelsetMotion<double>>(a_.axles.size()),
                std::vector<FreeWheelset<double>>(contacts_.size()),
                std::vector<element::BergRubber<>::Memory>(rubbers_.size(), element::BergRubber<>::Memory::Zero()),
                std::vector<NodeFrame>(a_.nodes.size())};
    }

    /// Advances from `time` to `time + dt`; the vehicle's origin is at speed * time.
    /// @return out_of_range, and nothing is written, for a state of another vehicle. @rt
    template <TrackInput Track>
    Status step(double time, double dt, const Track& track, State& s) const noexcept {
        if (!fits(s)) return Status::out_of_range;
        derive(time, track, s.x, s);
        s.next = s.x + dt / 6.0 * s.slope;
        s.at = s.x + 0.5 * dt * s.slope;
        derive(time + 0.5 * dt, track, s.at, s);
        s.next += dt / 3.0 * s.slope;
        s.at = s.x + 0.5 * dt * s.slope;
        derive(time + 0.5 * dt, track, s.at, s);
        s.next += dt / 3.0 * s.slope;
        s.at = s.x + dt * s.slope;
        derive(time + dt, track, s.at, s);
        s.next += dt / 6.0 * s.slope;
        s.x.swap(s.next);
        if (rubbers_.empty()) return Status::ok;
        place(time + dt, track, s.x, s);
        for (const Part& p : a_.parts)
            if (p.rubber >= 0) {
                const auto i = static_cast<std::size_t>(p.rubber);
                rubbers_[i].accept(stretch<Track>(p, s, 0), 0.0, s.rubbers[i]);
            }
        return Status::ok;
    }

    /// Evaluates the slope of s.x and the motion of the nodes, and stores them in s.
    /// @return as step. @rt
    template <TrackInput Track>
    Status evaluate(double time, const Track& track, State& s) const noexcept {
        if (!fits(s)) return Status::out_of_range;
        derive(time, track, s.x, s);
        return Status::ok;
    }

    /// Displacement at a probe, m or rad, in an evaluated state; NaN for an unknown node or another vehicle's state.
    /// @rt
    [[nodiscard]] double displacement(const Probe& p, const State& s) const noexcept {
        if (!a_.has(p) || !fits(s)) return no_number<double>();
        return p.row.dot(s.nodes[static_cast<std::size_t>(p.node)][0]);
    }
    /// Acceleration at a probe of a body or of a wheelset with six freedoms (0 with two), m/s^2 or rad/s^2, in an
    /// evaluated state. @rt
    [[nodiscard]] double acceleration(const Probe& p, const State& s) const noexcept {
        if (!a_.has(p) || !fits(s)) return no_number<double>();
        const Node& n = a_.nodes[static_cast<std::size_t>(p.node)];
        return n.constrained() ? 0.0 : p.row.head(n.freedoms).dot(s.slope.segment(a_.freedoms + n.first, n.freedoms));
    }

    /// The loads of both wheels of wheelset `i`, counted from the front, in an evaluated state; NaN for one that does
    /// not exist, or a state of another vehicle. @rt
    [[nodiscard]] std::array<WheelLoad<double>, 2> loads(int i, const State& s) const noexcept {
        const auto k = static_cast<std::size_t>(i);
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        if (k >= a_.axles.size() || !fits(s)) return {WheelLoad<double>{nan, nan, nan}, {nan, nan, nan}};
        const Node& n = a_.nodes[static_cast<std::size_t>(a_.axles[k])];
        const auto& m = s.axles[k];
        if (!n.constrained()) return free_wheel_loads(s.free[k], creep(s.free[k], k), flange_.force(m.rho), r0_);
        const WheelsetAcceleration<double> acceleration{s.slope[a_.freedoms + n.first],
                                                        s.slope[a_.freedoms + n.first + 1]};
        const NodeMotion& force = s.nodes[static_cast<std::size_t>(a_.axles[k])][2];
        return wheel_loads<double>(inertia(n), m, omega_, suspension(n, force), creep(n, m, force, k), acceleration,
                                   flange_.force(m.rho), r0_);
    }

    /// Whether every wheel is on its rail, in an evaluated state; not_finite for a state of another vehicle. @rt
    [[nodiscard]] RideState check(double time, const State& s, const RideLimits& limits = {}) const noexcept {
        if (!fits(s)) return {RideStatus::not_finite, time};
        for (const double value : s.x)
            if (!is_finite(value)) return {RideStatus::not_finite, time};
        for (int i = 0; i < static_cast<int>(s.axles.size()); ++i) {
            const double rho = s.axles[static_cast<std::size_t>(i)].rho;
            const double most = limits.shift ? *limits.shift : largest_shift(i);
            if (std::abs(rho) > most) return {RideStatus::off_the_rail, time, i, rho > 0.0 ? 0 : 1, rho};
            const auto wheels = loads(i, s);
            for (int side = 0; side < 2; ++side) {
                const double load = wheels[static_cast<std::size_t>(side)].normal;
                if (!(load > 0.0)) return {RideStatus::wheel_lifted, time, i, side, load};
            }
        }
        return {RideStatus::on_the_rails, time};
    }

    /// The largest shift of wheelset `i`, m, for which its contact model holds [ride.hpp]; NaN for one that does not
    /// exist. @rt
    [[nodiscard]] double largest_shift(int i) const noexcept {
        const auto k = static_cast<std::size_t>(i);
        return k < a_.axles.size() ? vehicle::largest_shift(geometry_, flange_, a_.wheel_load(a_.axles[k]))
                                   : no_number<double>();
    }

    [[nodiscard]] const Assembly& assembly() const noexcept { return a_; }
    [[nodiscard]] double speed() const noexcept { return v_; }

  private:
    /// Whether a state has the sizes of this vehicle.
    [[nodiscard]] bool fits(const State& s) const noexcept {
        const Eigen::Index n = 2 * a_.freedoms + a_.memories + a_.slips + 4 * a_.volumes;
        return s.x.size() == n && s.slope.size() == n && s.next.size() == n && s.at.size() == n &&
               s.nodes.size() == a_.nodes.size() && s.axles.size() == a_.axles.size() &&
               s.free.size() == contacts_.size() && s.rubbers.size() == rubbers_.size() &&
               s.frames.size() == a_.nodes.size();
    }
    [[nodiscard]] WheelsetInertia<double> inertia(const Node& n) const noexcept {
        return {n.mass, n.inertia[0], n.inertia[1], a_.gravity};
    }
    [[nodiscard]] static WheelsetForces<double> suspension(const Node& n, const NodeMotion& f) noexcept {
        return {f[1], f[2] - n.suspension_load, f[3], f[5]};
    }
    [[nodiscard]] std::array<WheelCreep<double>, 2> creep(const WheelsetMotion<double>& m,
                                                          std::size_t i) const noexcept {
        return {wheel_creep(m, 0, half_, r0_, v_, patches_[i], law_, form_),
                wheel_creep(m, 1, half_, r0_, v_, patches_[i], law_, form_)};
    }

    [[nodiscard]] std::array<WheelCreep<double>, 2> creep(const FreeWheelset<double>& w, std::size_t i) const noexcept {
        return free_wheelset_creep(w, half_, r0_, v_, patches_[i], law_, form_);
    }
    /// Creep of wheelset `i` with two freedoms, under the loads at rest. With NormalForce::dynamic it is computed once
    /// more, under the loads that follow from this first result.
    [[nodiscard]] std::array<WheelCreep<double>, 2> creep(const Node& n, const WheelsetMotion<double>& m,
                                                          const NodeMotion& force, std::size_t i) const noexcept {
        auto wheels = creep(m, i);
        if (form_.normal_force == NormalForce::at_rest) return wheels;
        const auto loads = wheel_loads<double>(inertia(n), m, omega_, suspension(n, force), wheels,
                                               acceleration_of(n, m, force, wheels), flange_.force(m.rho), r0_);
        for (std::size_t side = 0; side < 2; ++side)
            wheels[side] = wheel_creep_under(loads[side].vertical, m, side, half_, r0_, v_, patches_[i], law_, form_);
        return wheels;
    }
    [[nodiscard]] WheelsetAcceleration<double> acceleration_of(
        const Node& n, const WheelsetMotion<double>& m, const NodeMotion& force,
        const std::array<WheelCreep<double>, 2>& wheels) const noexcept {
        WheelsetForces<double> forces = suspension(n, force);
        for (std::size_t side = 0; side < 2; ++side) forces.add_creep(m, wheels[side], side, half_);
        forces.y -= flange_.force(m.rho);  // on y alone: rho does not depend on yaw
        return wheelset_acceleration(inertia(n), m, omega_, forces);
    }
    /// Accelerations of wheelset `i` with six freedoms. The flange pushes at the height of the rail, with a force F_y
    /// and a moment r0 F_y in roll, such that F_y + kappa r0 F_y = -Flange::force(), the force on y with two freedoms.
    [[nodiscard]] Vector<double, 6> acceleration_of(const Node& n, const FreeWheelset<double>& w,
                                                    const NodeMotion& force, std::size_t i) const noexcept {
        WheelsetForces<double> forces = suspension(n, force);
        const double push = -flange_.force(w.motion.rho) / (1.0 + r0_ * w.motion.kappa);
        forces.y += push, forces.roll += r0_ * push;
        return free_wheelset_acceleration(inertia(n), w, omega_, forces, force[0], creep(w, i), half_);
    }

    /// The damper's force at a speed, and its speed at a force. element::HydraulicDamper, which has a table, and
    /// element::LateralAirSpring, which has friction over a length, follow the same equations. They are not used
    /// here: a table rounds differently, and each of them keeps its memory in a vector of its own, while here the
    /// memories of all parts are in one state.
    [[nodiscard]] static double damper(const Part& p, double speed) noexcept {
        const double f = p.damping * speed;
        if (!(p.knee > 0.0) || std::abs(f) <= p.knee) return f;
        return std::copysign(p.knee + p.beyond * (std::abs(f) - p.knee), f);
    }
    [[nodiscard]] static double damper_speed(const Part& p, double force) noexcept {
        if (!(p.knee > 0.0) || std::abs(force) <= p.knee) return force / p.damping;
        return std::copysign(p.knee + (std::abs(force) - p.knee) / p.beyond, force) / p.damping;
    }

    /// Index in the state at which air spring `i` of two volumes begins.
    [[nodiscard]] int air(int i) const noexcept { return 2 * a_.freedoms + a_.memories + a_.slips + 4 * i; }

    /// The stretch of a part, or with `order` 1 its rate.
    template <TrackInput Track>
    [[nodiscard]] static double stretch(const Part& p, const State& s, std::size_t order) noexcept {
        const auto i = static_cast<std::size_t>(p.node[0]), j = static_cast<std::size_t>(p.node[1]);
        double sum = p.stretch(s.nodes[i][order], s.nodes[j][order]);
        if constexpr (CurvedTrack<Track>)
            sum += order == 0 ? p.stretch(s.frames[i].place, s.frames[j].place)
                              : p.stretch(s.frames[i].rate, s.frames[j].rate);
        return sum;
    }

    /// Motions and rates of all nodes.
    template <TrackInput Track>
    void place(double time, const Track& track, const Eigen::VectorXd& x, State& s) const noexcept {
        const int n = a_.freedoms;
        std::size_t axle = 0;
        if constexpr (CurvedTrack<Track>) follow(a_, v_, track.design, v_ * time, s.frames);
        for (std::size_t i = 0; i < a_.nodes.size(); ++i) {
            const Node& node = a_.nodes[i];
            auto& [u, rate, force] = s.nodes[i];
            double yaw_rate = 0.0;  // of the frame
            if constexpr (CurvedTrack<Track>)
                force = s.frames[i].force, yaw_rate = s.frames[i].yaw_rate;
            else
                force.setZero();
            if (!node.axle) {
                u.head(node.freedoms) = x.segment(node.first, node.freedoms);
                rate.head(node.freedoms) = x.segment(n + node.first, node.freedoms);
                // Preloads turn with their springs: sum F h in roll and pitch.
                force[3] -= turning_[i] * u[3], force[4] -= turning_[i] * u[4];
                continue;
            }
            const TrackPoint<double> below = track.at(v_ * time + node.centre[0]);
            if (!node.constrained()) {
                u.head(node.freedoms) = x.segment(node.first, node.freedoms);
                rate.head(node.freedoms) = x.segment(n + node.first, node.freedoms);
                s.free[axle] = free_wheelset(geometry_, r0_, v_, Vector<double, 6>(u.template head<6>()),
                                             Vector<double, 6>(rate.template head<6>()), below, contacts_[axle],
                                             form_.printed_cross_level);
                s.free[axle].motion.psi_rate += yaw_rate;
                s.axles[axle] = s.free[axle].motion;
                ++axle;
                continue;
            }
            auto& m = s.axles[axle++];
            m = wheelset_motion(geometry_, r0_, v_, x[node.first], x[node.first + 1], x[n + node.first],
                                x[n + node.first + 1], below, form_.printed_cross_level);
            u.template head<6>() << 0.0, m.y, m.z, m.roll, 0.0, m.psi;
            rate.template head<6>() << 0.0, m.y_rate, m.z_rate, m.roll_rate, 0.0, m.psi_rate;
            m.psi_rate += yaw_rate;  // wheels creep and turn as seen from the ground
        }
    }

    template <TrackInput Track>
    void derive(double time, const Track& track, const Eigen::VectorXd& x, State& s) const noexcept {
        const int n = a_.freedoms;
        place(time, track, x, s);
        for (const Part& p : a_.parts) {
            auto &a = s.nodes[static_cast<std::size_t>(p.node[0])], &b = s.nodes[static_cast<std::size_t>(p.node[1])];
            const double delta = stretch<Track>(p, s, 0), rate = stretch<Track>(p, s, 1);
            double f = (p.volumes < 0 ? p.stiffness : p.area_stiffness) * delta;
            if (p.stop > 0.0) f += element::BumpStop<>{.gap = p.gap, .stiffness = p.stop}(delta, rate);
            if (p.volumes >= 0) {  // element::AirVolumes counts compression as positive
                const auto& spring = volumes_[static_cast<std::size_t>(p.volumes)];
                const Vector<double, 4> z = x.segment<4>(air(p.volumes));
                Vector<double, 4> dz;
                spring.rate(-delta, -rate, z, dz);
                s.slope.template segment<4>(air(p.volumes)) = dz;
                f -= p.scale * (spring.force(-delta, -rate, z) - (p.air.pressure - p.air.ambient) * p.air.area);
                if (p.memory >= 0) s.slope[2 * n + p.memory] = 0.0;  // only linear models use it
            } else if (p.memory >= 0) {
                f += x[2 * n + p.memory];
                s.slope[2 * n + p.memory] = p.series * (rate - damper_speed(p, x[2 * n + p.memory]));
            } else if (p.damping > 0.0) {
                f += damper(p, rate);
            }
            if (p.slip >= 0) {
                const int k = 2 * n + a_.memories + p.slip;
                f += x[k];
                s.slope[k] = (rate * p.friction - std::abs(rate) * x[k]) / p.friction_length;
            }
            if (p.rubber >= 0) {
                const auto i = static_cast<std::size_t>(p.rubber);
                f += rubbers_[i].friction(delta, s.rubbers[i]);
            }
            a[2] += f * p.row[0];
            b[2] -= f * p.row[1];
        }
        s.slope.head(n) = x.segment(n, n);
        std::size_t axle = 0;
        for (std::size_t i = 0; i < a_.nodes.size(); ++i) {
            const Node& node = a_.nodes[i];
            const NodeMotion& force = s.nodes[i][2];
            if (!node.axle) {
                for (int j = 0; j < node.freedoms; ++j) s.slope[n + node.first + j] = force[j] / node.inertia_of(j);
                for (std::size_t j = 0; j < node.modes.size(); ++j) {
                    const BendingMode& mode = node.modes[j];
                    const int k = node.first + 6 + static_cast<int>(j);
                    s.slope[n + k] -= mode.frequency * (mode.frequency * x[k] + 2.0 * mode.damping * x[n + k]);
                }
                continue;
            }
            const std::size_t k = axle++;
            if (!node.constrained()) {
                s.slope.template segment<6>(n + node.first) = acceleration_of(node, s.free[k], force, k);
                continue;
            }
            const auto& m = s.axles[k];
            const auto acceleration = acceleration_of(node, m, force, creep(node, m, force, k));
            s.slope[n + node.first] = acceleration.y, s.slope[n + node.first + 1] = acceleration.psi;
        }
    }

    Assembly a_;
    Geometry geometry_;
    double v_;
    Law law_;
    WheelsetForm form_;
    Flange<> flange_;
    std::vector<double> turning_{};
    std::vector<element::BergRubber<>> rubbers_{};
    std::vector<element::AirVolumes<>> volumes_{};
    std::vector<ContactPatch<>> patches_{};
    std::vector<ElasticContact<>> contacts_{};  // of wheelsets with six freedoms
    double half_ = 0.0, r0_ = 0.0, omega_ = 0.0;
};

}  // namespace panto::vehicle
