// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The axially loaded beam as a model to be identified (Publication A). Inputs are known forces and known motions of
/// the ends, outputs are displacements at sensors, with exact derivatives with respect to the five parameters. The
/// derivatives satisfy the same scheme as the displacement u, under a load: the derivatives of the rows times u. For
/// parameter p_i
///     M+ s^{n+1} = M0 s^n + M- s^{n-1} + M0_i u^n + M-_i u^{n-1} - M+_i u^{n+1} ,     s = du/dp_i .
/// They are marched together with the displacement, one step later, so that one banded solve serves all six.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/ident/detail/beam_march.hpp>
#include <panto/wave/beam.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/supports.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace panto::ident {

/// The order of parameters in vectors: rA, dv, dm, EI, T.
inline constexpr int beam_parameter_count = 5;
inline constexpr std::array<const char*, beam_parameter_count> beam_parameter_names{
    "mass_per_length", "viscous_damping", "material_damping", "bending_stiffness", "tension"};

inline constexpr std::array<const char*, beam_parameter_count> beam_parameter_units{"kg/m", "N s/m^2", "N m^2 s",
                                                                                    "N m^2", "N"};

[[nodiscard]] inline wave::BeamParams<double> beam_params(const Vector<double, Dynamic>& p) {
    require(p.size() == beam_parameter_count, "ident::beam_params", "p has ", p.size(),
            " entries, expected 5: rA, dv, dm, EI, T");
    return {p[0], p[1], p[2], p[3], p[4]};
}

enum class BeamSupport { clamped_first_order, clamped, pinned, free };

/// How many points, counted from the border, a support holds. These points follow the motion of the support, whatever
/// the parameters are.
[[nodiscard]] constexpr int held_points(BeamSupport kind) noexcept {
    return kind == BeamSupport::free ? 0 : kind == BeamSupport::clamped_first_order ? 2 : 1;
}

/// A force on one grid point. `newton[n]` acts at level n on the width dx, at the border of a free end on dx/2. Before
/// level 0 the force is 0. If newton[0] is not 0, the force jumps there, and level 0 takes half of it.
struct BeamForce {
    int point = 0;
    Vector<double, Dynamic> newton = {};
};

/// The known data of an experiment. Levels are n = 0..steps, with the beam at rest up to level 0. Clamps are of second
/// order; `clamped_first_order` is that of Publication A, which shortens the beam by dx at each end.
struct BeamExperiment {
    double length = 0.0;            ///< m
    int points = 0;                 ///< grid points, the two ends included
    double dt = 0.0;                ///< s
    int steps = 0;                  ///< outputs are levels 1..steps
    std::vector<int> sensors = {};  ///< grid points, 0 is the left end
    BeamSupport left = BeamSupport::clamped;
    BeamSupport right = BeamSupport::clamped;
    std::vector<BeamForce> forces = {};         ///< each of at least `steps` samples, one more if substeps > 1
    Vector<double, Dynamic> left_motion = {};   ///< m at levels 0..steps; empty: at rest
    Vector<double, Dynamic> right_motion = {};  ///< likewise
    int substeps = 1;  ///< steps of the scheme in each dt; forces and motions are interpolated by cubics
};

/// The same experiment on a grid `cells` times as fine, with `substeps` times as many steps of the scheme in each dt.
/// @throws SetupError if a factor is below 1.
[[nodiscard]] inline BeamExperiment finer(BeamExperiment e, int cells, int substeps) {
    require(cells >= 1 && substeps >= 1, "ident::finer", "cells is ", cells, " and substeps ", substeps,
            ", must be at least 1");
    e.points = (e.points - 1) * cells + 1;
    e.substeps *= substeps;
    for (int& point : e.sensors) point *= cells;
    for (BeamForce& force : e.forces) force.point *= cells;
    return e;
}

class BeamModel {
    static constexpr int H = 2;
    static constexpr int P = beam_parameter_count;
    static constexpr const char* where = "ident::BeamModel";
    using Vec = Vector<double, Dynamic>;
    using Mat = Matrix<double, Dynamic>;
    using Lanes = detail::Lanes;
    using Support = wave::Support<double, H>;
    using Beam = wave::Stencil<double, H>;

  public:
    /// @throws SetupError if a figure is not positive, the grid has fewer than 5 points, a sensor or force lies
    /// outside or on a point that a support holds, an end is free and yet moved, a record is too short or not finite,
    /// there is no sensor or nothing moves the beam.
    explicit BeamModel(BeamExperiment experiment) : e_(std::move(experiment)) {
        require_positive(e_.length, where, "length");
        require_positive(e_.dt, where, "dt");
        require(e_.points >= 2 * H + 1, where, "points is ", e_.points, ", must be at least 5");
        require(e_.steps >= 1, where, "steps is ", e_.steps, ", must be at least 1");
        require(e_.substeps >= 1 && e_.substeps <= 100000, where, "substeps is ", e_.substeps,
                ", must be from 1 to 100000");
        require(!e_.sensors.empty(), where, "there is no sensor");
        for (const int point : e_.sensors) require_point(point, "sensor");
        require(!e_.forces.empty() || e_.left_motion.size() > 0 || e_.right_motion.size() > 0, where,
                "neither a force nor a motion of an end moves the beam");
        for (const BeamForce& force : e_.forces) {
            require_point(force.point, "force");
            require_record(force.newton, e_.steps + (e_.substeps > 1 ? 1 : 0), "a force");
        }
        for (const auto* motion : {&e_.left_motion, &e_.right_motion})
            if (motion->size() > 0) require_record(*motion, e_.steps + 1, "a motion");
        require_no_motion_if_free(e_.left, e_.left_motion, "left_motion");
        require_no_motion_if_free(e_.right, e_.right_motion, "right_motion");
        set_marched();
        derivatives_ = wave::beam_stencil_derivatives(dx(), marched_.dt);
    }

    [[nodiscard]] const BeamExperiment& experiment() const noexcept { return e_; }

    /// The experiment as the scheme marches it: a level for each step of the scheme, and forces as loads of its rows.
    [[nodiscard]] const BeamExperiment& marched() const noexcept { return marched_; }
    [[nodiscard]] double dx() const noexcept { return e_.length / (e_.points - 1); }

    /// Displacements of the first sensor at levels 1..steps, then of the next. If the scheme is unstable with these
    /// parameters, they grow without bound.
    /// @throws SetupError if the parameters are not those of a beam.
    [[nodiscard]] Vec response(const Vec& p) const {
        Mat y(samples(), 1);
        march<double, double>(rows(p), nullptr, y);
        return y.col(0);
    }

    /// The responses to several parameter sets: column i of the result belongs to column i of `sets`. Eight beams are
    /// marched at a time, in lanes, which takes a fraction of the time of single runs. Each response equals that of
    /// response() to rounding.
    /// @throws SetupError as response().
    [[nodiscard]] Mat responses(const Mat& sets) const {
        Mat y(samples(), sets.cols());
        for (Eigen::Index first = 0; first < sets.cols(); first += detail::lane_count) {
            const Eigen::Index count = std::min<Eigen::Index>(detail::lane_count, sets.cols() - first);
            detail::BeamRows<Lanes> all(e_.points);
            for (Eigen::Index lane = 0; lane < detail::lane_count; ++lane)  // idle lanes repeat the last set
                detail::set_lane(all, lane, rows(sets.col(first + std::min(lane, count - 1))));
            Mat some(samples(), detail::lane_count);
            march<Lanes, Lanes>(all, nullptr, some);
            y.middleCols(first, count) = some.leftCols(count);
        }
        return y;
    }

    /// response() with d y / d p in `sensitivity`: a column for each parameter.
    /// @throws SetupError as response().
    void response(const Vec& p, Vec& y, Mat& sensitivity) const {
        detail::BeamRows<Lanes> by(e_.points);
        for (std::size_t i = 0; i < P; ++i) detail::set_lane(by, static_cast<Eigen::Index>(i + 1), rows_of_unit(i));
        Mat all(samples(), P + 1);
        march<double, Lanes>(rows(p), &by, all);
        y = all.col(0);
        sensitivity = all.rightCols(P);
    }

    /// lambda = ln max|tau| / dt, the rate in 1/s at which the worst wave of the beam's own grid grows; below 0 it
    /// decays.
    /// @throws SetupError as response().
    [[nodiscard]] double growth_rate(const Vec& p) const {
        const auto stencil = wave::beam_stencil(beam_params(p), dx(), marched_.dt);
        return std::log(wave::growth_factor(stencil, wave::WaveGrid::of_cells(e_.points - 1))) / marched_.dt;
    }

    /// The scheme with these parameters, as rows. @throws SetupError as response().
    [[nodiscard]] detail::BeamRows<double> rows(const Vec& p) const {
        const Beam s = wave::beam_stencil(beam_params(p), dx(), marched_.dt);
        return detail::beam_rows(e_.points, s, {support(e_.left, s), support(e_.right, s)}, false);
    }

    /// The chain rule, from derivatives with respect to the entries of the rows to those with respect to the
    /// parameters.
    /// @throws SetupError if there is not a row for each point.
    [[nodiscard]] Vec parameter_gradient(const detail::BeamRows<double>& by_entries) const {
        detail::require_rows(by_entries, e_.points, where);
        Vec gradient(P);
        for (std::size_t i = 0; i < P; ++i)
            gradient[static_cast<Eigen::Index>(i)] = detail::contract(by_entries, rows_of_unit(i));
        return gradient;
    }

  private:
    void set_marched() {
        marched_ = e_;
        const auto steps = static_cast<std::size_t>(e_.substeps);
        marched_.substeps = 1;
        marched_.dt = e_.dt / e_.substeps;
        marched_.steps = e_.steps * e_.substeps;
        const auto finer = [steps](Vec& samples) {
            const auto n = static_cast<std::size_t>(samples.size());
            if (steps == 1 || n == 0) return;
            const std::vector<double> fine = ident::refined({samples.data(), n}, steps);
            samples = Eigen::Map<const Vec>(fine.data(), static_cast<Eigen::Index>(fine.size()));
        };
        for (BeamForce& force : marched_.forces) {
            finer(force.newton);
            force.newton[0] *= 0.5;
            if (force.point == 0 || force.point == e_.points - 1) force.newton *= 2.0;
        }
        finer(marched_.left_motion), finer(marched_.right_motion);
    }

    /// The derivatives of the rows with respect to parameter i.
    [[nodiscard]] detail::BeamRows<double> rows_of_unit(std::size_t i) const {
        const Beam& s = derivatives_[i];
        return detail::beam_rows(e_.points, s, {support(e_.left, s), support(e_.right, s)}, true);
    }

    void require_point(int point, const std::string& what) const {
        require(point >= 0 && point < e_.points, where, what, " is at point ", point, ", must be from 0 to ",
                e_.points - 1);
        const int first = held_points(e_.left), last = e_.points - 1 - held_points(e_.right);
        require(point >= first && point <= last, where, what, " is at point ", point,
                ", which a support holds, must be from ", first, " to ", last);
    }

    static void require_no_motion_if_free(BeamSupport kind, const Vec& motion, const std::string& field) {
        require(kind != BeamSupport::free || motion.size() == 0, where, field, " has ", motion.size(),
                " samples, expected none: that end is free, nothing prescribes its motion");
    }

    void require_record(const Vec& record, int shortest, const std::string& what) const {
        require(record.size() >= shortest, where, what, " has ", record.size(), " samples, expected at least ",
                shortest);
        for (const double sample : record) require_finite(sample, where, "a sample of ", what);
    }

    static Support support(BeamSupport kind, const Beam& s) {
        switch (kind) {
            case BeamSupport::clamped: return wave::clamped(s);
            case BeamSupport::pinned: return wave::pinned(s);
            case BeamSupport::free: return wave::free_end(s);
            default: return wave::clamped_first_order(s);
        }
    }

    [[nodiscard]] Eigen::Index samples() const {
        return static_cast<Eigen::Index>(e_.sensors.size()) * static_cast<Eigen::Index>(e_.steps);
    }

    static double at(const Vec& record, int n) { return record.size() == 0 || n < 0 ? 0.0 : record[n]; }

    /// Each lane is a beam and has a column in `y`. The four lines are u^{n+1}, u^n, u^{n-1}, u^{n-2}. With `by`, the
    /// derivatives of the rows with respect to the parameters, lane 0 is the beam and the other lanes are the
    /// derivatives of its displacement, one level earlier.
    template <class Coefficient, class Lane>
    void march(const detail::BeamRows<Coefficient>& rows, const detail::BeamRows<Lanes>* by, Mat& y) const {
        constexpr bool derive = !std::is_same_v<Coefficient, Lane>;
        const int N = e_.points, sensors = static_cast<int>(e_.sensors.size()), steps = marched_.steps;
        const std::array<const Vec*, 2> motions{&marched_.left_motion, &marched_.right_motion};
        const detail::FiveDiagonals<Coefficient> solver(rows.next);
        const Lane of_force = [] {
            Lane lane = detail::nothing<Lane>();
            if constexpr (derive)
                lane[0] = 1.0;
            else
                lane += 1.0;
            return lane;
        }();
        std::vector<detail::Line<Lane>> u(4, detail::Line<Lane>(N));
        for (int n = 0; n < steps + (derive ? 1 : 0); ++n) {
            auto &next = u[0], &now = u[1], &before = u[2], &older = u[3];
            for (int k = 0; k < N; ++k) {
                const auto row = static_cast<std::size_t>(k);
                Lane sum = detail::nothing<Lane>();
                for (int j = -H; j <= H; ++j) {
                    const auto c = static_cast<std::size_t>(j + H);
                    sum += rows.now[row][c] * now[k + j] + rows.before[row][c] * before[k + j];
                    if constexpr (derive)
                        sum += by->now[row][c] * before[k + j][0] + by->before[row][c] * older[k + j][0] -
                               by->next[row][c] * now[k + j][0];
                }
                next[k] = sum;
            }
            for (std::size_t side = 0; side < 2; ++side)
                for (std::size_t k = 0; k < H; ++k) {
                    Lane& here = next[side == 0 ? static_cast<int>(k) : N - 1 - static_cast<int>(k)];
                    for (int level = 0; level < 3; ++level) {
                        const auto l = static_cast<std::size_t>(level);
                        const double moved = at(*motions[side], std::min(n + 1, steps) - level);
                        here += rows.motion[side][k][l] * of_force * moved;
                        if constexpr (derive) here += by->motion[side][k][l] * at(*motions[side], n - level);
                    }
                }
            if (n < steps)
                for (const BeamForce& force : marched_.forces)
                    if (detail::bears_force(rows, force.point))
                        next[force.point] += of_force * (force.newton[n] / dx());
            solver.solve(next);

            const int sample = (n + 1) / e_.substeps - 1,
                      ended = n / e_.substeps - 1;  // the derivatives come a step later
            const bool sampled = n < steps && (n + 1) % e_.substeps == 0, derived = n > 0 && n % e_.substeps == 0;
            for (int c = 0; c < sensors; ++c) {
                const Lane& here = next[e_.sensors[static_cast<std::size_t>(c)]];
                const int first = c * e_.steps;
                if constexpr (derive) {
                    if (sampled) y(first + sample, 0) = here[0];
                    if (derived) y.row(first + ended).tail(P) = here.template segment<P>(1).matrix().transpose();
                } else if (sampled) {
                    if constexpr (std::is_same_v<Lane, double>)
                        y(first + sample, 0) = here;
                    else
                        y.row(first + sample) = here.matrix().transpose();
                }
            }
            for (std::size_t l = 3; l > 0; --l) u[l].swap(u[l - 1]);
        }
    }

    BeamExperiment e_, marched_;
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
        require(record_.size() == wanted, "ident::BeamMisfit", "the record has ", record_.size(), " samples, expected ",
                wanted);
        require_positive(norm_, "ident::BeamMisfit", "the norm of the record");
    }

    [[nodiscard]] const BeamModel& model() const noexcept { return model_; }

    [[nodiscard]] Status residuals(const Vec& p, Vec& r) const {
        r = (model_.response(p) - record_) / norm_;
        return is_finite(r.squaredNorm()) ? Status::ok : Status::not_finite;
    }

    [[nodiscard]] Status linearize(const Vec& p, Vec& r, Matrix<double, Dynamic>& J) const {
        model_.response(p, r, J);
        r = (r - record_) / norm_;
        J /= norm_;
        return is_finite(r.squaredNorm()) ? Status::ok : Status::not_finite;
    }

    /// ||y_model - y||^2 / ||y||^2
    [[nodiscard]] double operator()(const Vec& p) const { return of_response(model_.response(p)); }

    /// The same for a given response.
    /// @throws SetupError if it has not as many samples as the record.
    [[nodiscard]] double of_response(const Vec& y) const {
        require_size(y);
        return (y - record_).squaredNorm() / (norm_ * norm_);
    }

    /// The derivative of of_response() with respect to every sample of the response.
    /// @throws SetupError as of_response().
    [[nodiscard]] Vec slope_of_response(const Vec& y) const {
        require_size(y);
        return 2.0 / (norm_ * norm_) * (y - record_);
    }

  private:
    void require_size(const Vec& y) const {
        require(y.size() == record_.size(), "ident::BeamMisfit", "the response has ", y.size(), " samples, expected ",
                record_.size(), ", as many as the record");
    }

    BeamModel model_;
    Vec record_;
    double norm_;
};

}  // namespace panto::ident
