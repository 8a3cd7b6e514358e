// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Motion of a linearized vehicle on a track, by the trapezoidal rule with a fixed step: unconditionally stable,
/// without numerical damping, of second order. In the notation of linear_vehicle.hpp, with the step h and Newmark's
/// constants of average acceleration, elimination of the damper forces gives
///     f_1 = alpha f_0 + k (delta_1 - delta_0) ,  k = series/(1 + beta) ,  alpha = (1 - beta)/(1 + beta) ,
///     beta = h rate/2 ,
///     [4/h^2 M + 2/h C + K + B k B'] (q_1 - q_0) = G w_1 + M (4/h v_0 + a_0) + C v_0 - K q_0
///                                                 - B (alpha f_0 + k T (w_1 - w_0)) .
/// On a CurvedTrack, the moving frames (curve.hpp) add two terms: their forces at the end of the step, on the
/// right-hand side, and the stretch d that they cause in the dampers in series, which is added to T w.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/status.hpp>
#include <panto/linalg/band_lu.hpp>
#include <panto/vehicle/curve.hpp>
#include <panto/vehicle/linear_vehicle.hpp>
#include <panto/vehicle/track.hpp>

#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace panto::vehicle {

class LinearMarch {
  public:
    /// The vectors have the sizes of one vehicle, see rest().
    struct State {
        Eigen::VectorXd q{}, v{}, a{};  ///< degrees of freedom, rates, accelerations
        Eigen::VectorXd f{};            ///< forces of the dampers in series, N
        Eigen::VectorXd w{};            ///< the track below every wheelset
        Eigen::VectorXd d{};            ///< m or rad, stretch of the dampers in series by the frames of a CurvedTrack
        Eigen::VectorXd work{}, next_w{}, next_f{}, next_d{}, force{};
        std::vector<NodeFrame> frames{};
    };

    /// @param dt s
    /// @throws SetupError if dt is not positive or the matrix of a step is singular.
    template <class = void>
    LinearMarch(LinearVehicle vehicle, double dt);

    /// At rest on a level and straight track.
    template <class = void>
    [[nodiscard]] State rest() const {
        const Eigen::VectorXd n = Eigen::VectorXd::Zero(mass_.size()), m = Eigen::VectorXd::Zero(alpha_.size());
        const Eigen::VectorXd w = Eigen::VectorXd::Zero(track_.cols());
        return {n, n, n, m, w, m, n, w, m, m, n, std::vector<NodeFrame>(vehicle_.assembly.nodes.size())};
    }

    /// Advances from `time` to `time + dt`; the vehicle's origin is at speed * time.
    /// @return out_of_range, and nothing is written, for a state of another vehicle. @rt
    template <TrackInput Track>
    Status step(double time, const Track& track, State& x) const noexcept {
        if (!fits(x)) return Status::out_of_range;
        const Assembly& a = vehicle_.assembly;
        const double place = vehicle_.speed * (time + dt_);
        for (std::size_t i = 0; i < a.axles.size(); ++i) {
            const TrackPoint<double> t = track.at(place + a.nodes[static_cast<std::size_t>(a.axles[i])].centre[0]);
            const auto k = 9 * static_cast<Eigen::Index>(i);
            x.next_w.segment<9>(k) << t.lateral.value, t.lateral.slope, t.lateral.curvature, t.vertical.value,
                t.vertical.slope, t.vertical.curvature, t.roll.value, t.roll.slope, t.roll.curvature;
        }
        if constexpr (CurvedTrack<Track>) {
            follow(a, vehicle_.speed, track.design, place, x.frames);
            curve_force(vehicle_, x.frames, x.force, x.next_d);
        } else {
            x.force.setZero(), x.next_d.setZero();
        }
        return advance(x);
    }

    /// The same with inputs set by the caller: the track below every wheelset in x.next_w, the terms of the frames in
    /// x.force and x.next_d. @rt
    template <class = void>
    Status advance(State& x) const noexcept {
        if (!fits(x)) return Status::out_of_range;
        const double h = dt_;
        x.w = x.next_w - x.w;
        x.next_f = alpha_.cwiseProduct(x.f);
        x.f = x.next_d - x.d;  // f serves as scratch until it is written anew
        x.f.noalias() += memory_track_ * x.w;
        x.next_f += gain_.cwiseProduct(x.f);
        x.work = x.force + mass_.cwiseProduct(4.0 / h * x.v + x.a);
        x.work.noalias() += track_ * x.next_w;
        x.work.noalias() += damping_ * x.v;
        x.work.noalias() -= stiffness_ * x.q;
        x.work.noalias() -= input_ * x.next_f;
        (void)system_.solve(x.work);  // cannot fail, the sizes are checked
        x.f.noalias() = input_transposed_ * x.work;
        x.f = x.next_f + gain_.cwiseProduct(x.f);
        x.q += x.work;
        x.a = 4.0 / (h * h) * x.work - 4.0 / h * x.v - x.a;
        x.v = 2.0 / h * x.work - x.v;
        x.w = x.next_w, x.d = x.next_d;
        return Status::ok;
    }

    /// Displacement at a probe, m or rad; like rate and acceleration, NaN for a node that does not exist or a state of
    /// another vehicle. @rt
    template <class = void>
    [[nodiscard]] double displacement(const Probe& p, const State& x) const noexcept {
        return at(p, x, x.q, 0, 1.0);
    }
    /// Rate at a probe, m/s or rad/s. @rt
    template <class = void>
    [[nodiscard]] double rate(const Probe& p, const State& x) const noexcept {
        return at(p, x, x.v, 1, vehicle_.speed);
    }
    /// @rt
    template <class = void>
    [[nodiscard]] double acceleration(const Probe& p, const State& x) const noexcept {
        return at(p, x, x.a, 2, vehicle_.speed * vehicle_.speed);
    }

    [[nodiscard]] const LinearVehicle& vehicle() const noexcept { return vehicle_; }
    [[nodiscard]] double dt() const noexcept { return dt_; }
    [[nodiscard]] int half_bandwidth() const noexcept { return system_.half_bandwidth(); }

  private:
    /// Whether a state has the sizes of this vehicle.
    [[nodiscard]] bool fits(const State& x) const noexcept {
        const Eigen::Index n = mass_.size(), m = alpha_.size(), w = track_.cols();
        return x.q.size() == n && x.v.size() == n && x.a.size() == n && x.work.size() == n && x.f.size() == m &&
               x.next_f.size() == m && x.w.size() == w && x.next_w.size() == w && x.d.size() == m &&
               x.next_d.size() == m && x.force.size() == n && x.frames.size() == vehicle_.assembly.nodes.size();
    }

    /// The row of the probe times the motion of its node. For a wheelset with two freedoms, the motion of the track is
    /// added: its derivatives of order `order`, times `factor`.
    template <class = void>
    [[nodiscard]] double at(const Probe& p, const State& x, const Eigen::VectorXd& q, int order,
                            double factor) const noexcept {
        const Assembly& a = vehicle_.assembly;
        if (!a.has(p) || !fits(x)) return no_number<double>();
        const Node& n = a.nodes[static_cast<std::size_t>(p.node)];
        if (!n.constrained()) return p.row.head(n.freedoms).dot(q.segment(n.first, n.freedoms));
        const Vector<double, 6> row = p.row.head<6>();
        double sum = row.dot(vehicle_.map.motion * q.segment<2>(n.first));
        const auto k = 9 * (std::find(a.axles.begin(), a.axles.end(), p.node) - a.axles.begin());
        for (int j = 0; j < 3; ++j) sum += factor * row.dot(vehicle_.map.track.col(j)) * x.w[k + 3 * j + order];
        return sum;
    }

    using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    LinearVehicle vehicle_;
    double dt_;
    Eigen::VectorXd alpha_{}, gain_{}, mass_{};
    linalg::BandLu<> system_{};
    Sparse damping_{}, stiffness_{}, track_{}, input_{}, input_transposed_{}, memory_track_{};
};

template <class>
LinearMarch::LinearMarch(LinearVehicle vehicle, double dt) : vehicle_(std::move(vehicle)), dt_(dt) {
    require_positive(dt, "vehicle::LinearMarch", "dt");
    const LinearVehicle& l = vehicle_;
    const auto n = static_cast<int>(l.mass.rows());
    const Eigen::VectorXd beta = 0.5 * dt * l.rate;
    alpha_ = (1.0 - beta.array()) / (1.0 + beta.array());
    gain_ = l.series.array() / (1.0 + beta.array());
    const Eigen::MatrixXd C = l.damping + l.contact_damping, K = l.stiffness + l.contact_stiffness;
    const Eigen::MatrixXd S =
        4.0 / (dt * dt) * l.mass + 2.0 / dt * C + K + l.memory_input * gain_.asDiagonal() * l.memory_input.transpose();
    int width = 1;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (S(i, j) != 0.0) width = std::max(width, std::abs(i - j));
    system_ = linalg::BandLu<>(n, width);
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - width); j <= std::min(n - 1, i + width); ++j) system_.add(i, j, S(i, j));
    system_.factor();
    mass_ = l.mass.diagonal();
    damping_ = C.sparseView(), stiffness_ = K.sparseView(), track_ = l.track.sparseView();
    input_ = l.memory_input.sparseView();
    input_transposed_ = Eigen::MatrixXd(l.memory_input.transpose()).sparseView();
    memory_track_ = l.memory_track.sparseView();
}

#ifdef PANTO_COMPILED
extern template LinearMarch::LinearMarch(LinearVehicle, double);
#endif

}  // namespace panto::vehicle
