// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The gradient of a function of a linear vehicle's record with respect to all parameters, by the transposed march: one
/// run forward, one backward, and two assemblies for every parameter. In the notation of linear_march.hpp, with
/// S dq = r for the equation of a step and q*, v*, a*, f* for the adjoints of its results,
///     S' l = q* + 2/h v* + 4/h^2 a* + B k f* ,      e* = f* - B' l ,
///     q* <- q* - K' l ,  v* <- -v* - 4/h a* + 4/h M l + C' l ,  a* <- -a* + M l ,  f* <- alpha e* ,
/// and the contributions of M, C, K, k and alpha are collected part by part: -(b' l) delta for a stiffness,
/// -(b' l) d(delta)/dt for a damper, e* (delta_1 - delta_0) for k and e* f_0 for alpha of a damper in series, -l a for
/// a mass. The derivatives of the parts with respect to the parameters, static preloads included, are differences of
/// `assemble`, which is almost linear.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/band_lu.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/linear_ride.hpp>

#include <Eigen/SparseCore>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace panto::vehicle {

namespace detail {

/// Derivatives with respect to the fields of the parts and nodes of an assembly.
struct AssemblyGradient {
    struct OfPart {
        double stiffness = 0.0, damping = 0.0, series = 0.0;
    };
    struct OfNode {
        double mass = 0.0, tilting = 0.0, load = 0.0;
        std::array<double, 3> inertia{};
    };
    std::vector<OfPart> parts{};
    std::vector<OfNode> nodes{};
};

/// Adds the contribution of the contact of an axle: mass, inertia, spin inertia and load. `by_rows` are the derivatives
/// with respect to the coefficients of the forces of the contact (columns: motion, rates, track), `by_mass` those with
/// respect to the masses of the axle.
template <class = void>
void add_axle_contact(const LinearVehicle& v, int axle, const Eigen::VectorXd& by_mass, const Eigen::MatrixXd& by_rows,
                      AssemblyGradient::OfNode& into) {
    Assembly a = v.assembly;
    Node& node = a.nodes[static_cast<std::size_t>(axle)];
    const auto rows = [&]() -> Eigen::MatrixXd {  // the masses in the last column
        Eigen::MatrixXd all(by_rows.rows(), by_rows.cols() + 1);
        if (node.constrained()) {
            const AxleContact c = axle_contact(a, axle, v.speed, VermeulenJohnson{}, {});
            all.leftCols<13>() = c.rows, all.col(13) << c.mass[0], c.mass[1];
        } else {
            all.leftCols<21>() = free_axle_contact(a, axle, v.speed, VermeulenJohnson{}, {});
            for (int j = 0; j < 6; ++j) all(j, 21) = node.inertia_of(j);
        }
        return all;
    };
    Eigen::MatrixXd by(by_rows.rows(), by_rows.cols() + 1);
    by << by_rows, by_mass;
    const auto slope = [&](std::initializer_list<double*> fields) {  // which all have the same value
        const double middle = **fields.begin(), h = 1e-5 * std::max(std::abs(middle), 1.0);
        const auto at = [&](double value) {
            for (double* field : fields) *field = value;
            return rows();
        };
        const Eigen::MatrixXd change = at(middle + h) - at(middle - h);
        for (double* field : fields) *field = middle;
        return by.cwiseProduct(change).sum() / (2.0 * h);
    };
    into.mass += slope({&node.mass});
    into.inertia[0] += slope({&node.inertia[0], &node.inertia[2]});
    into.inertia[1] += slope({&node.inertia[1]});
    into.load += slope({&node.suspension_load});
}

}  // namespace detail

/// One run of a linear vehicle over a track, stored for the backward march.
class LinearRun {
  public:
    /// @param values of the description's parameters
    /// @param dt     s
    /// @throws SetupError as assemble, linearize and LinearMarch, or if a body bends.
    template <class = void>
    LinearRun(const Multibody& description, std::vector<double> values, double speed, double dt)
        : description_(description),
          values_(std::move(values)),
          march_(linearize(assemble(description, values_), speed), dt) {
        for (const RigidBody& b : description.bodies)
            require(b.bending.empty(), "vehicle::LinearRun", "body '", b.name,
                    "' bends; this gradient is for rigid bodies, use differences");
    }

    /// Runs from level and straight track at time `start`, s, and records the accelerations of `probes` (a row each)
    /// after every step but the first `lead` ones.
    /// @throws SetupError if an argument or the track is not valid, if a record of the track ends before the run does,
    /// or if a wheel has lifted or is off its rail, with wheel and time [linear_ride.hpp]. This is checked at every
    /// fifth step, also of the lead, and at the end.
    template <TrackInput Track>
    const Eigen::MatrixXd& run(const Track& track, const std::vector<Probe>& probes, double start, int lead,
                               int samples) {
        require(lead >= 0 && samples >= 1, "vehicle::LinearRun", "lead is ", lead, " and samples ", samples,
                ", must be at least 0 and 1");
        require_finite(start, "vehicle::LinearRun", "start");
        assembly().check(probes, "vehicle::LinearRun");
        if constexpr (requires { validate(track); }) validate(track);
        const double front = assembly().nodes[static_cast<std::size_t>(assembly().axles.front())].centre[0];
        require_track(track, front + march_.vehicle().speed * (start + (lead + samples) * march_.dt()),
                      "vehicle::LinearRun");
        const LinearLoads loads(march_.vehicle());
        probes_ = probes, lead_ = lead, start_ = start;
        if constexpr (CurvedTrack<Track>)
            design_ = track.design;
        else
            design_ = TrackDesign();
        auto x = march_.rest();
        const Eigen::Index steps = lead + samples;
        q_.setZero(x.q.size(), steps + 1), v_ = q_, a_ = q_;
        f_.setZero(x.f.size(), steps + 1);
        w_.setZero(x.w.size(), steps + 1);
        record_.resize(static_cast<Eigen::Index>(probes.size()), samples);
        for (int n = 0; n < steps; ++n) {
            march_.step(start + n * march_.dt(), track, x);
            if (n % 5 == 4 || n + 1 == steps)  // the loads take as long as three steps
                if (const RideState state = loads.check(start + (n + 1) * march_.dt(), x); !state.ok()) {
                    record_.resize(0, 0);
                    throw_setup_error("vehicle::LinearRun", {described(state, start, assembly().wheelsets())});
                }
            q_.col(n + 1) = x.q, v_.col(n + 1) = x.v, a_.col(n + 1) = x.a, f_.col(n + 1) = x.f, w_.col(n + 1) = x.w;
            for (std::size_t i = 0; n >= lead && i < probes.size(); ++i)
                record_(static_cast<Eigen::Index>(i), n - lead) = march_.acceleration(probes[i], x);
        }
        return record_;
    }

    /// The gradient with respect to all parameters of the description, from the derivatives with respect to the entries
    /// of the record.
    /// @throws SetupError if there is not one derivative per entry, or if a parameter moves bodies or links: their
    /// positions must not change.
    template <class = void>
    [[nodiscard]] Eigen::VectorXd gradient(const Eigen::MatrixXd& by_record) const;
    /// The same with respect to some parameters only, by their indices; the others may move bodies and links.
    template <class = void>
    [[nodiscard]] Eigen::VectorXd gradient(const Eigen::MatrixXd& by_record,
                                           const std::vector<std::size_t>& which) const;

    [[nodiscard]] const Eigen::MatrixXd& record() const noexcept { return record_; }  ///< of the last run
    [[nodiscard]] const LinearMarch& march() const noexcept { return march_; }
    [[nodiscard]] const Assembly& assembly() const noexcept { return march_.vehicle().assembly; }

  private:
    template <class = void>
    [[nodiscard]] detail::AssemblyGradient backward(const Eigen::MatrixXd& by_record) const;
    template <class = void>
    [[nodiscard]] double by_parameter(std::size_t i, const detail::AssemblyGradient& g) const;

    Multibody description_;
    std::vector<double> values_;
    LinearMarch march_;
    std::vector<Probe> probes_{};
    int lead_ = 0;
    double start_ = 0.0;
    TrackDesign design_{};
    Eigen::MatrixXd q_{}, v_{}, a_{}, f_{}, w_{}, record_{};  // a column for each step, the first at rest
};

template <class>
detail::AssemblyGradient LinearRun::backward(const Eigen::MatrixXd& by_record) const {
    using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    const LinearVehicle& l = march_.vehicle();
    const Assembly& assembly = l.assembly;
    const double h = march_.dt();
    const Eigen::VectorXd beta = 0.5 * h * l.rate;
    const Eigen::VectorXd alpha = (1.0 - beta.array()) / (1.0 + beta.array());
    const Eigen::VectorXd gain = l.series.array() / (1.0 + beta.array());
    const Eigen::MatrixXd C = l.damping + l.contact_damping, K = l.stiffness + l.contact_stiffness;
    const Eigen::VectorXd mass = l.mass.diagonal();
    const int n = static_cast<int>(mass.size()), width = march_.half_bandwidth();
    const Eigen::MatrixXd S =
        4.0 / (h * h) * l.mass + 2.0 / h * C + K + l.memory_input * gain.asDiagonal() * l.memory_input.transpose();
    linalg::BandLu<> transposed(n, width);
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - width); j <= std::min(n - 1, i + width); ++j) transposed.add(j, i, S(i, j));
    transposed.factor();
    const Sparse Ct = Eigen::MatrixXd(C.transpose()).sparseView(), Kt = Eigen::MatrixXd(K.transpose()).sparseView();
    const Sparse B = l.memory_input.sparseView(), Bt = Eigen::MatrixXd(l.memory_input.transpose()).sparseView();

    detail::AssemblyGradient g;
    g.parts.resize(assembly.parts.size()), g.nodes.resize(assembly.nodes.size());
    const int wide = assembly.free_wheelsets ? 6 : 2;
    std::vector<Eigen::VectorXd> by_mass(assembly.axles.size(), Eigen::VectorXd::Zero(wide));
    std::vector<Eigen::MatrixXd> by_rows(assembly.axles.size(), Eigen::MatrixXd::Zero(wide, 2 * wide + 9));
    std::vector<int> axle_of(assembly.nodes.size(), -1);
    for (std::size_t i = 0; i < assembly.axles.size(); ++i)
        axle_of[static_cast<std::size_t>(assembly.axles[i])] = static_cast<int>(i);
    Eigen::VectorXd by_gain = Eigen::VectorXd::Zero(gain.size()), by_alpha = by_gain;

    // Motions of all nodes: of the bodies their freedoms, of a wheelset what follows from them and from the track.
    using Motions = std::vector<NodeMotion>;
    const auto motions = [&](const auto& q, Eigen::Index track_column, int order, double factor, Motions& out) {
        for (std::size_t i = 0; i < assembly.nodes.size(); ++i) {
            const Node& node = assembly.nodes[i];
            if (!node.constrained()) {
                out[i].template head<6>() = q.template segment<6>(node.first);
                continue;
            }
            out[i].template head<6>() = l.map.motion * q.template segment<2>(node.first);
            if (track_column < 0) continue;
            for (int j = 0; j < 3; ++j)
                out[i].template head<6>() +=
                    factor * w_(9 * axle_of[i] + 3 * j + order, track_column) * l.map.track.col(j);
        }
    };
    Motions adjoint(assembly.nodes.size(), NodeMotion::Zero()), place(adjoint), rate(adjoint);
    std::vector<NodeFrame> frames(assembly.nodes.size());
    const bool curved = !design_.straight();
    std::vector<double> stretch(assembly.parts.size()), former(stretch);
    const auto stretches = [&](Eigen::Index column, std::vector<double>& out) {
        motions(q_.col(column), column, 0, 1.0, place);
        if (curved && column > 0) {
            follow(assembly, l.speed, design_, l.speed * (start_ + static_cast<double>(column) * h), frames);
            for (std::size_t i = 0; i < place.size(); ++i) place[i] += frames[i].place;
        }
        for (std::size_t k = 0; k < assembly.parts.size(); ++k) {
            const Part& p = assembly.parts[k];
            out[k] = p.stretch(place[static_cast<std::size_t>(p.node[0])], place[static_cast<std::size_t>(p.node[1])]);
        }
    };

    Eigen::VectorXd qa = Eigen::VectorXd::Zero(n), va = qa, aa = qa, lambda = qa, ml = qa;
    Eigen::VectorXd fa = Eigen::VectorXd::Zero(gain.size()), ea = fa;
    const Eigen::Index steps = q_.cols() - 1;
    stretches(steps, stretch);
    for (Eigen::Index step = steps; step > 0; --step) {  // from column step - 1 to column step
        if (step > lead_)
            for (std::size_t i = 0; i < probes_.size(); ++i) {
                const Node& node = assembly.nodes[static_cast<std::size_t>(probes_[i].node)];
                const double source = by_record(static_cast<Eigen::Index>(i), step - 1 - lead_);
                if (node.constrained())
                    aa.segment<2>(node.first) += source * l.map.motion.transpose() * probes_[i].row.head<6>();
                else
                    aa.segment<6>(node.first) += source * probes_[i].row.head<6>();
            }
        lambda = qa + 2.0 / h * va + 4.0 / (h * h) * aa;
        lambda.noalias() += B * gain.cwiseProduct(fa);
        (void)transposed.solve(lambda);
        ea = fa;
        ea.noalias() -= Bt * lambda;

        motions(lambda, -1, 0, 0.0, adjoint);
        motions(v_.col(step), step, 1, l.speed, rate);
        for (std::size_t i = 0; i < assembly.nodes.size(); ++i) {  // `frames` are those of this step
            const Node& node = assembly.nodes[i];
            const int first = node.first;
            if (curved) {
                const NodeMotion &by = adjoint[i], &f = frames[i].force;
                const double turn = node.axle ? -frames[i].rate[3] * l.speed / assembly.rail.profile.radius : 0.0;
                rate[i] += frames[i].rate;
                g.nodes[i].mass += by[1] * f[1] / node.mass;
                g.nodes[i].inertia[0] += by[3] * f[3] / node.inertia[0];
                g.nodes[i].inertia[1] += by[5] * turn;
                g.nodes[i].inertia[2] += by[5] * (f[5] - node.inertia[1] * turn) / node.inertia[2];
            }
            if (!node.axle) {
                for (int j = 0; j < 3; ++j) {
                    g.nodes[i].mass -= lambda[first + j] * a_(first + j, step);
                    g.nodes[i].inertia[static_cast<std::size_t>(j)] -= lambda[first + 3 + j] * a_(first + 3 + j, step);
                    if (j < 2) g.nodes[i].tilting -= lambda[first + 3 + j] * q_(first + 3 + j, step);
                }
                continue;
            }
            const auto k = static_cast<std::size_t>(axle_of[i]);
            Eigen::Matrix<double, Dynamic, 1, 0, 21, 1> z(2 * wide + 9);
            z << q_.col(step).segment(first, wide), v_.col(step).segment(first, wide),
                w_.col(step).segment<9>(9 * static_cast<Eigen::Index>(k));
            z[2 * wide - 1] += frames[i].yaw_rate;
            by_rows[k].noalias() += lambda.segment(first, wide) * z.transpose();
            by_mass[k] -= lambda.segment(first, wide).cwiseProduct(a_.col(step).segment(first, wide));
        }
        stretches(step - 1, former);
        for (std::size_t k = 0; k < assembly.parts.size(); ++k) {
            const Part& p = assembly.parts[k];
            const auto i = static_cast<std::size_t>(p.node[0]), j = static_cast<std::size_t>(p.node[1]);
            const double pull = p.stretch(adjoint[i], adjoint[j]);
            g.parts[k].stiffness -= pull * stretch[k];
            if (p.memory < 0) {
                g.parts[k].damping -= pull * p.stretch(rate[i], rate[j]);
            } else {
                by_gain[p.memory] += ea[p.memory] * (stretch[k] - former[k]);
                by_alpha[p.memory] += ea[p.memory] * f_(p.memory, step - 1);
            }
        }
        stretch.swap(former);

        ml = mass.cwiseProduct(lambda);
        va = ml * (4.0 / h) - va - 4.0 / h * aa;
        va.noalias() += Ct * lambda;
        aa = ml - aa;
        qa.noalias() -= Kt * lambda;
        fa = alpha.cwiseProduct(ea);
    }
    for (std::size_t k = 0; k < assembly.parts.size(); ++k) {
        const Part& p = assembly.parts[k];
        if (p.memory < 0) continue;
        const double b = beta[p.memory], square = (1.0 + b) * (1.0 + b);
        g.parts[k].series = (by_gain[p.memory] - 2.0 * b / p.series * by_alpha[p.memory]) / square;
        g.parts[k].damping = (p.series * by_gain[p.memory] + 2.0 * by_alpha[p.memory]) * b / (p.damping * square);
    }
    for (std::size_t k = 0; k < assembly.axles.size(); ++k)
        detail::add_axle_contact(l, assembly.axles[k], by_mass[k], by_rows[k],
                                 g.nodes[static_cast<std::size_t>(assembly.axles[k])]);
    return g;
}

template <class>
double LinearRun::by_parameter(std::size_t i, const detail::AssemblyGradient& g) const {
    const Assembly& middle = assembly();
    std::vector<double> moved = values_;
    const double h = values_[i] == 0.0 ? 1.0 : 1e-4 * std::abs(values_[i]);
    moved[i] = values_[i] + h;
    const Assembly up = assemble(description_, moved);
    moved[i] = values_[i] == 0.0 ? 0.0 : values_[i] - h;
    const Assembly down = assemble(description_, moved);
    const double both = values_[i] == 0.0 ? h : 2.0 * h;
    double sum = 0.0;
    for (std::size_t k = 0; k < g.nodes.size(); ++k) {
        const Node &a = up.nodes[k], &b = down.nodes[k];
        require(a.name == b.name && a.centre == b.centre, "vehicle::LinearRun", "parameter '",
                description_.parameters[i].name, "' moves '", b.name,
                "'; this gradient is for parameters that move neither bodies nor links, use differences");
        sum += g.nodes[k].mass * (a.mass - b.mass) + g.nodes[k].load * (a.suspension_load - b.suspension_load);
        for (std::size_t j = 0; j < 3; ++j) sum += g.nodes[k].inertia[j] * (a.inertia[j] - b.inertia[j]);
    }
    for (std::size_t k = 0; k < g.parts.size(); ++k) {
        const Part &a = up.parts[k], &b = down.parts[k];
        require(a.row == b.row, "vehicle::LinearRun", "parameter '", description_.parameters[i].name, "' moves link '",
                middle.links[static_cast<std::size_t>(b.link)],
                "'; this gradient is for parameters that move neither bodies nor links, use differences");
        sum += g.parts[k].stiffness * (a.stiffness - b.stiffness) + g.parts[k].damping * (a.damping - b.damping) +
               g.parts[k].series * (a.series - b.series);
        if (a.direction != Direction::z) continue;
        for (std::size_t j = 0; j < 2; ++j)  // the force on the first node is +preload g_a, on the other -preload g_b
            sum += g.nodes[static_cast<std::size_t>(a.node[j])].tilting * (j == 0 ? 1.0 : -1.0) *
                   (a.preload - b.preload) * a.height[j];
    }
    return sum / both;
}

template <class>
Eigen::VectorXd LinearRun::gradient(const Eigen::MatrixXd& by_record, const std::vector<std::size_t>& which) const {
    require(by_record.rows() == record_.rows() && by_record.cols() == record_.cols() && record_.size() > 0,
            "vehicle::LinearRun", "derivatives are ", by_record.rows(), " x ", by_record.cols(),
            ", expected as many as the record, ", record_.rows(), " x ", record_.cols());
    for (const std::size_t i : which)
        require(i < values_.size(), "vehicle::LinearRun", "parameter is ", i, ", must be from 0 to ",
                values_.size() - 1);
    const detail::AssemblyGradient g = backward(by_record);
    Eigen::VectorXd some(static_cast<Eigen::Index>(which.size()));
    for (std::size_t k = 0; k < which.size(); ++k) some[static_cast<Eigen::Index>(k)] = by_parameter(which[k], g);
    return some;
}

template <class>
Eigen::VectorXd LinearRun::gradient(const Eigen::MatrixXd& by_record) const {
    std::vector<std::size_t> all(values_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return gradient(by_record, all);
}

#ifdef PANTO_COMPILED
extern template Eigen::VectorXd LinearRun::gradient(const Eigen::MatrixXd&) const;
extern template Eigen::VectorXd LinearRun::gradient(const Eigen::MatrixXd&, const std::vector<std::size_t>&) const;
#endif

}  // namespace panto::vehicle
