// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The axially loaded beam as a model to be identified (Publication A): known forces and motions of its ends in,
/// displacements at sensors out, with exact derivatives by the five parameters. Those obey the scheme itself, driven by
/// what the derivative of its rows makes of the displacement, for parameter p_i
///     M+ s^{n+1} = M0 s^n + M- s^{n-1} + M0_i u^n + M-_i u^{n-1} - M+_i u^{n+1} ,     s = du/dp_i ,
/// and are marched beside it, one step behind, so that one banded solve serves all six.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/linalg/band_lu.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/supports.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

/// The order in which parameters stand in vectors: rA, dv, dm, EI, T.
inline constexpr int beam_parameter_count = 5;
inline constexpr std::array<const char*, beam_parameter_count> beam_parameter_names{
    "mass_per_length", "viscous_damping", "material_damping", "bending_stiffness", "tension"};

[[nodiscard]] inline wave::BeamParams<double> beam_params(const Vector<double, Dynamic>& p) {
    require(p.size() == beam_parameter_count, "ident::beam_params",
            std::to_string(p.size()) + " parameters, allowed are 5: rA, dv, dm, EI, T");
    return {p[0], p[1], p[2], p[3], p[4]};
}

enum class BeamSupport { clamped_first_order, clamped, pinned, free };

/// A force on one grid point. `newton[n]` acts at level n, on a width dx.
struct BeamForce {
    int point = 0;
    Vector<double, Dynamic> newton;
};

/// What is known of an experiment. Levels are n = 0..steps, with the beam at rest up to level 0.
struct BeamExperiment {
    double length = 0.0;       ///< m
    int points = 0;            ///< grid points, the two ends included
    double dt = 0.0;           ///< s
    int steps = 0;             ///< outputs are levels 1..steps
    std::vector<int> sensors;  ///< grid points, 0 is the left end
    BeamSupport left = BeamSupport::clamped_first_order;
    BeamSupport right = BeamSupport::clamped_first_order;
    std::vector<BeamForce> forces;         ///< each at least `steps` long
    Vector<double, Dynamic> left_motion;   ///< m at levels 0..steps; empty: at rest
    Vector<double, Dynamic> right_motion;  ///< likewise
};

class BeamModel {
    static constexpr int H = 2;
    static constexpr int P = beam_parameter_count;
    static constexpr const char* where = "ident::BeamModel";
    using Vec = Vector<double, Dynamic>;
    using Mat = Matrix<double, Dynamic>;
    using Lanes = Eigen::Array<double, 8, 1>;  // u and its derivatives; two lanes are idle
    using Support = wave::Support<double, H>;
    using Beam = wave::Stencil<double, H>;

  public:
    /// @throws SetupError if a figure is not positive, the grid has fewer than 5 points, a sensor or force lies
    /// outside, a record is
    ///         too short or not finite, there is no sensor or nothing moves the beam.
    explicit BeamModel(BeamExperiment experiment) : e_(std::move(experiment)) {
        require_positive(e_.length, where, "length");
        require_positive(e_.dt, where, "dt");
        require(e_.points >= 2 * H + 1, where, "points is " + std::to_string(e_.points) + ", allowed is at least 5");
        require(e_.steps >= 1, where, "steps is " + std::to_string(e_.steps) + ", allowed is at least 1");
        require(!e_.sensors.empty(), where, "there is no sensor");
        for (const int point : e_.sensors) require_point(point, "sensor");
        require(!e_.forces.empty() || e_.left_motion.size() > 0 || e_.right_motion.size() > 0, where,
                "neither a force nor a motion of an end moves the beam");
        for (const BeamForce& force : e_.forces) {
            require_point(force.point, "force");
            require_record(force.newton, e_.steps, "a force");
        }
        for (const auto* motion : {&e_.left_motion, &e_.right_motion})
            if (motion->size() > 0) require_record(*motion, e_.steps + 1, "a motion");
        derivatives_ = wave::beam_stencil_derivatives(dx(), e_.dt);
    }

    [[nodiscard]] const BeamExperiment& experiment() const noexcept { return e_; }
    [[nodiscard]] double dx() const noexcept { return e_.length / (e_.points - 1); }

    /// Displacements of the first sensor at levels 1..steps, then of the next. Those of an unstable set grow out of
    /// bounds.
    /// @throws SetupError if the parameters are not those of a beam.
    [[nodiscard]] Vec response(const Vec& p) const {
        Vec y;
        march<double>(p, y, nullptr);
        return y;
    }

    /// The same, with d y / d p in `sensitivity`: a column for each parameter.
    /// @throws SetupError as response().
    void response(const Vec& p, Vec& y, Mat& sensitivity) const { march<Lanes>(p, y, &sensitivity); }

    /// lambda = ln max|tau| / dt, the rate in 1/s at which the worst wave of the beam's own grid grows; below 0 it
    /// decays.
    /// @throws SetupError as response().
    [[nodiscard]] double growth_rate(const Vec& p) const {
        const auto stencil = wave::beam_stencil(beam_params(p), dx(), e_.dt);
        return std::log(wave::growth_factor(stencil, wave::WaveGrid::of_cells(e_.points - 1))) / e_.dt;
    }

  private:
    void require_point(int point, const std::string& what) const {
        require(point >= 0 && point < e_.points, where,
                what + " at point " + std::to_string(point) + ", allowed is 0 to " + std::to_string(e_.points - 1));
    }

    void require_record(const Vec& record, int shortest, const std::string& what) const {
        require(record.size() >= shortest, where,
                what + " has " + std::to_string(record.size()) + " samples, allowed is at least " +
                    std::to_string(shortest));
        for (const double sample : record) require_finite(sample, where, "a sample of " + what);
    }

    static Support support(BeamSupport kind, const Beam& s) {
        switch (kind) {
            case BeamSupport::clamped: return wave::clamped(s);
            case BeamSupport::pinned: return wave::pinned(s);
            case BeamSupport::free: return wave::free_end(s);
            default: return wave::clamped_first_order(s);
        }
    }

    /// The rows of an end and what each parameter contributes to them.
    struct EndRows {
        Mat next, now, before;
        std::array<Vec, 3> motion;  // weights of the displacement at levels n+1, n, n-1
        std::array<double, H> share{};

        EndRows(const Support& s, bool derivative) : next(s.next_rows()), now(s.past_rows(0)), before(s.past_rows(1)) {
            for (int l = 0; l < 3; ++l) motion[static_cast<std::size_t>(l)] = s.motion_weights(l).col(0);
            for (int k = 0; k < H; ++k) {
                share[static_cast<std::size_t>(k)] = s.share(k);
                if (derivative && !(s.share(k) > 0.0)) {  // a held point follows no parameter
                    next.row(k).setZero();
                    for (auto& weights : motion) weights[k] = 0.0;
                }
            }
        }
    };

    static double& first(double& x) { return x; }
    static const double& first(const double& x) { return x; }
    static double& first(Lanes& x) { return x[0]; }
    static const double& first(const Lanes& x) { return x[0]; }
    template <class Lane>
    static Lane nothing() {
        if constexpr (std::is_same_v<Lane, Lanes>)
            return Lanes::Zero();
        else
            return 0.0;
    }

    static double at(const Vec& record, int n) { return record.size() == 0 || n < 0 ? 0.0 : record[n]; }

    /// One level of the grid.
    template <class Lane>
    class Line {
      public:
        explicit Line(int points) : values_(static_cast<std::size_t>(points), nothing<Lane>()) {}
        Lane& operator[](int i) noexcept { return values_[static_cast<std::size_t>(i)]; }
        const Lane& operator[](int i) const noexcept { return values_[static_cast<std::size_t>(i)]; }
        void swap(Line& other) noexcept { values_.swap(other.values_); }

      private:
        std::vector<Lane> values_;
    };

    /// Lane 0 is u^{n+1}, u^n, u^{n-1}, u^{n-2} in the four lines, the others are the derivatives, one level earlier.
    template <class Lane>
    void march(const Vec& p, Vec& y, Mat* sensitivity) const {
        constexpr bool derive = std::is_same_v<Lane, Lanes>;
        const int N = e_.points;
        const Beam s = wave::beam_stencil(beam_params(p), dx(), e_.dt);
        const std::array<BeamSupport, 2> kinds{e_.left, e_.right};
        const std::array<const Vec*, 2> motions{&e_.left_motion, &e_.right_motion};
        std::vector<EndRows> ends;
        std::array<std::vector<EndRows>, 2> end_derivatives;
        for (std::size_t side = 0; side < 2; ++side) {
            ends.emplace_back(support(kinds[side], s), false);
            if (derive)
                for (const Beam& by : derivatives_) end_derivatives[side].emplace_back(support(kinds[side], by), true);
        }
        const auto from = [&](std::size_t side, int j) { return side == 0 ? j : N - 1 - j; };

        linalg::BandLu<double> solver(N, H);  // no support couples a point with more than H neighbors
        for (std::size_t side = 0; side < 2; ++side)
            for (int k = 0; k < H; ++k)
                for (int j = 0; j < std::min(2 * H, k + H + 1); ++j)
                    solver.add(from(side, k), from(side, j), ends[side].next(k, j));
        for (int i = H; i < N - H; ++i)
            for (int j = -H; j <= H; ++j) solver.add(i, i + j, s.at(s.next, j));
        solver.factor();

        // What the derivatives of the rows make of u, one lane for each parameter.
        std::array<Lane, 2 * H + 1> by_next, by_now, by_before;
        for (std::size_t j = 0; j < by_now.size(); ++j) {
            by_next[j] = by_now[j] = by_before[j] = nothing<Lane>();
            if constexpr (derive)
                for (std::size_t i = 0; i < P; ++i) {
                    const auto lane = static_cast<Eigen::Index>(i + 1);
                    by_next[j][lane] = derivatives_[i].next[j];
                    by_now[j][lane] = derivatives_[i].now[j];
                    by_before[j][lane] = derivatives_[i].before[j];
                }
        }

        const auto sensors = static_cast<int>(e_.sensors.size());
        y.resize(e_.steps * sensors);
        if (sensitivity) sensitivity->resize(y.size(), P);
        std::vector<Line<Lane>> u(4, Line<Lane>(N));
        for (int n = 0; n < e_.steps + (derive ? 1 : 0); ++n) {
            auto &next = u[0], &now = u[1], &before = u[2], &older = u[3];
            for (int k = H; k < N - H; ++k) {
                Lane sum = nothing<Lane>();
                for (std::size_t j = 0; j <= 2 * H; ++j) {
                    const int i = k + static_cast<int>(j) - H;
                    sum += s.now[j] * now[i] + s.before[j] * before[i];
                    if constexpr (derive)
                        sum += by_now[j] * before[i][0] + by_before[j] * older[i][0] - by_next[j] * now[i][0];
                }
                next[k] = sum;
            }
            for (std::size_t side = 0; side < 2; ++side) {
                const EndRows& rows = ends[side];
                const Vec& m = *motions[side];
                for (int k = 0; k < H; ++k) {
                    Lane sum = nothing<Lane>();
                    for (int j = 0; j < 2 * H; ++j)
                        sum += rows.now(k, j) * now[from(side, j)] + rows.before(k, j) * before[from(side, j)];
                    for (int l = 0; l < 3; ++l)
                        first(sum) +=
                            rows.motion[static_cast<std::size_t>(l)][k] * at(m, std::min(n + 1, e_.steps) - l);
                    if constexpr (derive)
                        for (std::size_t i = 0; i < P; ++i) {
                            const EndRows& by = end_derivatives[side][i];
                            double& lane = sum[static_cast<Eigen::Index>(i + 1)];
                            for (int j = 0; j < 2 * H; ++j) {
                                const int point = from(side, j);
                                lane += by.now(k, j) * before[point][0] + by.before(k, j) * older[point][0] -
                                        by.next(k, j) * now[point][0];
                            }
                            for (int l = 0; l < 3; ++l)
                                lane += by.motion[static_cast<std::size_t>(l)][k] * at(m, n - l);
                        }
                    next[from(side, k)] = sum;
                }
            }
            if (n < e_.steps)
                for (const BeamForce& force : e_.forces)
                    if (bears(ends, force.point)) first(next[force.point]) += force.newton[n] / dx();
            solver.solve(next);

            for (int c = 0; c < sensors; ++c) {
                const Lane& here = next[e_.sensors[static_cast<std::size_t>(c)]];
                if (n < e_.steps) y[c * e_.steps + n] = first(here);
                if constexpr (derive)
                    if (n > 0)
                        for (int i = 0; i < P; ++i) (*sensitivity)(c* e_.steps + n - 1, i) = here[i + 1];
            }
            for (std::size_t l = 3; l > 0; --l) u[l].swap(u[l - 1]);
        }
    }

    bool bears(const std::vector<EndRows>& ends, int point) const {
        const int from_right = e_.points - 1 - point;
        if (point < H) return ends[0].share[static_cast<std::size_t>(point)] > 0.0;
        return from_right >= H || ends[1].share[static_cast<std::size_t>(from_right)] > 0.0;
    }

    BeamExperiment e_;
    std::array<Beam, P> derivatives_;
};

/// Output error of a beam against its record, r = (y_model - y) / ||y||, so that r'r is the objective of Publication A,
/// (20). For the least-squares methods of opt: one run gives residuals and Jacobian.
class BeamMisfit {
    using Vec = Vector<double, Dynamic>;

  public:
    /// @throws SetupError if the record is not as long as the model's response, not finite, or zero.
    BeamMisfit(BeamModel model, Vec record)
        : model_(std::move(model)), record_(std::move(record)), norm_(record_.norm()) {
        const auto wanted = static_cast<Eigen::Index>(model_.experiment().sensors.size()) * model_.experiment().steps;
        require(record_.size() == wanted, "ident::BeamMisfit",
                "the record has " + std::to_string(record_.size()) + " samples, allowed is " + std::to_string(wanted));
        require_positive(norm_, "ident::BeamMisfit", "the norm of the record");
    }

    [[nodiscard]] const BeamModel& model() const noexcept { return model_; }

    [[nodiscard]] Status residuals(const Vec& p, Vec& r) const {
        r = (model_.response(p) - record_) / norm_;
        return finite(r.squaredNorm()) ? Status::ok : Status::not_finite;
    }

    [[nodiscard]] Status linearize(const Vec& p, Vec& r, Matrix<double, Dynamic>& J) const {
        model_.response(p, r, J);
        r = (r - record_) / norm_;
        J /= norm_;
        return finite(r.squaredNorm()) ? Status::ok : Status::not_finite;
    }

    /// ||y_model - y||^2 / ||y||^2
    [[nodiscard]] double operator()(const Vec& p) const {
        return (model_.response(p) - record_).squaredNorm() / (norm_ * norm_);
    }

  private:
    BeamModel model_;
    Vec record_;
    double norm_;
};

}  // namespace panto::ident
