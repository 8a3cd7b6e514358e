// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The beam's parameters from a record. The error of the grid is removed as far as possible, and the intervals include
/// what remains of this error. A scheme of second order biases the parameters: under tension a grid of spacing dx
/// returns about EI + T dx^2/12 for EI, and with this value fits the record well. The record is therefore fitted on
/// several grids, each twice as fine as the one before; their results x_0, x_1, ... are extrapolated [Richardson 1911],
///     R_k = x_k + (x_k - x_{k-1})/3 ,      error of the grid  |R_k - R_{k-1}|/3 ,
/// a safe estimate, because it assumes that the R_k converge with second order, whereas they converge with fourth
/// order. Grids are added until this error is small compared with the standard deviation of every parameter. Intervals
/// are those of the noise, widened on both sides by this error and by what is unknown about the inputs between their
/// samples (detail/beam_inputs.hpp).

#pragma once

#include <panto/ident/beam.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/ident/detail/beam_inputs.hpp>
#include <panto/opt/levenberg_marquardt.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

struct BeamFitParams {
    opt::Bounds bounds = {};    ///< in addition to those of a beam: no parameter below 0
    double noise = 0.0;         ///< m, standard deviation of the sensors; 0: estimated from the record
    int most_grids = 4;         ///< at least 3; a grid takes four to eight times as long as the one before
    double grid_share = 0.1;    ///< grids are added until their error is this fraction of every standard deviation
    double probability = 0.95;  ///< of the intervals
    int iteration_limit = 200;  ///< on each grid
};

/// The result of a single grid.
struct BeamGridAnswer {
    int points = 0, substeps = 0;
    Vector<double, Dynamic> x = {};
    opt::Minimum search = {};
};

struct BeamFit {
    Vector<double, Dynamic> x = {};  ///< rA, dv, dm, EI, T, extrapolated; of the last grid if unidentified
    Vector<double, Dynamic> lower = {}, upper = {};  ///< of each parameter alone; with noise and both errors below
    Vector<double, Dynamic> grid_error = {};         ///< of x
    Vector<double, Dynamic> input_error = {};        ///< of x, because inputs are unknown between their samples
    std::vector<BeamGridAnswer> grids = {};          ///< the experiment's own grid first
    Information information = {};                ///< for relative changes; `deviation` is in the parameters' own units
    double noise = 0.0;                          ///< m, standard deviation of record minus `modelled`
    Vector<double, Dynamic> modelled = {};       ///< extrapolated too; laid out as BeamModel::response
    std::vector<std::string> unidentified = {};  ///< combinations that the record does not determine
    std::vector<std::string> doubts = {};
};

/// How many steps of the scheme per dt of the experiment are needed for a beam with the parameters `p` to be stable. A
/// margin of a fifth leaves room for the neighbouring parameters that a search tries.
/// @throws SetupError as wave::beam_largest_step.
template <class = void>
[[nodiscard]] int stable_substeps(const BeamExperiment& e, const Vector<double, Dynamic>& p) {
    const double largest = 0.8 * wave::beam_largest_step(beam_params(p), e.length / (e.points - 1));
    const double wanted = std::ceil(e.dt / largest);
    require(wanted <= 1e5, "ident::stable_substeps", "a step of ", e.dt, " s on a grid of ", e.points, " points takes ",
            wanted, " steps of the scheme, allowed are at most 1e5: use fewer points");
    return std::max(1, static_cast<int>(wanted));
}

namespace detail {

/// The units of relative changes: the parameters, or 1 where a parameter is 0.
template <class Vec>
[[nodiscard]] Vec sizes_of(const Vec& x) {
    return (x.array().abs() > 0.0).select(x.cwiseAbs(), 1.0);
}

/// Information about relative changes of the parameters (absolute ones where a parameter is 0), with the deviations in
/// the parameters' units. Rounding in the march leaves relative errors in the sensitivities, 5e-11 with 385 points;
/// combinations that a record determines had effects from 3e-3 on. The limit of 1e-9 lies between them.
template <class = void>
[[nodiscard]] Information relative_information(const Matrix<double, Dynamic>& Psi, const Vector<double, Dynamic>& x,
                                               double noise, const opt::Bounds& bounds) {
    const Vector<double, Dynamic> scale = sizes_of(x);
    Information f = information(Psi * scale.asDiagonal(), noise, bounds, 1e-9);
    f.deviation = f.deviation.cwiseProduct(scale).eval();
    return f;
}

/// `bounds` within those of a beam: dampings, stiffness and tension from 0, and some mass.
[[nodiscard]] inline opt::Bounds beam_bounds(opt::Bounds bounds) {
    constexpr double least[] = {std::numeric_limits<double>::min(), 0.0, 0.0, 0.0, 0.0};
    if (bounds.lower.size() == 0) bounds.lower = Vector<double, Dynamic>::Zero(beam_parameter_count);
    for (Eigen::Index i = 0; i < beam_parameter_count; ++i) bounds.lower[i] = std::max(bounds.lower[i], least[i]);
    return bounds;
}

/// The step of Gauss and Newton for parameters in `bounds`; empty if the record does not determine all that are free.
template <class = void>
[[nodiscard]] Vector<double, Dynamic> full_step(const Matrix<double, Dynamic>& Psi,
                                                const Vector<double, Dynamic>& residual,
                                                const Vector<double, Dynamic>& x, const opt::Bounds& bounds) {
    Matrix<double, Dynamic> free(Psi.rows(), Psi.cols());
    std::vector<Eigen::Index> which;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        const double slope = Psi.col(i).dot(residual), size = Psi.col(i).norm();
        if ((!(x[i] > bounds.low(i)) && slope > 0.0) || (!(x[i] < bounds.high(i)) && slope < 0.0)) continue;
        if (!(size > 0.0)) return {};
        free.col(static_cast<Eigen::Index>(which.size())) = Psi.col(i) / size;
        which.push_back(i);
    }
    Vector<double, Dynamic> step = Vector<double, Dynamic>::Zero(x.size());
    if (which.empty()) return step;
    Eigen::ColPivHouseholderQR<Matrix<double, Dynamic>> qr;
    qr.setThreshold(1e-8);
    qr.compute(free.leftCols(static_cast<Eigen::Index>(which.size())));
    if (qr.rank() < static_cast<Eigen::Index>(which.size())) return {};
    const Vector<double, Dynamic> z = qr.solve(-residual);
    for (std::size_t i = 0; i < which.size(); ++i)
        step[which[i]] = z[static_cast<Eigen::Index>(i)] / Psi.col(which[i]).norm();
    return step;
}

/// A finer grid's search from a start that is close already: steps of Gauss and Newton with the sensitivities of the
/// start, which cost only one response each, until these say that no step lowers r'r by more than the fraction
/// `enough`; then new sensitivities, until they say so at once. A run with sensitivities takes several times as long
/// as one without. False, with the best point in `search`, where this does not converge.
template <class = void>
[[nodiscard]] bool settle(const BeamModel& model, const Vector<double, Dynamic>& record, const opt::Bounds& bounds,
                          double enough, int iteration_limit, opt::Minimum& search) {
    using Vec = Vector<double, Dynamic>;
    Matrix<double, Dynamic> Psi;
    Vec y;
    for (int anew = 0; anew < 5; ++anew) {
        model.response(search.x, y, Psi);
        ++search.evaluations, ++search.derivatives;
        Vec residual = y - record;
        search.value = residual.squaredNorm();
        if (!is_finite(search.value) || !is_finite(Psi.squaredNorm())) return false;
        for (int k = 0; k < 6; ++k) {
            const Vec step = full_step(Psi, residual, search.x, bounds);
            if (step.size() == 0 || !(search.x[0] + step[0] > 0.5 * search.x[0])) return false;
            const Vec x = bounds.project(search.x + step);
            const double left = (residual + Psi * (x - search.x)).squaredNorm();
            const bool stop = search.iterations++ == iteration_limit;
            if (stop || search.value - left <= enough * search.value) {
                if (k > 0 && !stop) break;
                search.value /= record.squaredNorm();
                search.status = stop ? Status::not_converged : Status::ok;
                search.reason = stop ? "the iteration limit is reached" : "the value does not fall any more";
                return true;
            }
            y = model.response(x);
            ++search.evaluations;
            const double value = (y - record).squaredNorm();
            if (!(value < search.value)) {
                if (k == 0) return false;
                break;
            }
            search.x = x, search.value = value;
            residual = y - record;
        }
    }
    return false;
}

/// The doubts() about every sensor, about convergence of grids and search, which is `left` standard deviations from
/// the minimum, and about inputs between their samples.
template <class = void>
[[nodiscard]] std::vector<std::string> beam_doubts(const BeamFit& fit, const BeamExperiment& e,
                                                   const Vector<double, Dynamic>& record, const BeamFitParams& p,
                                                   const opt::Bounds& bounds, double left) {
    const std::vector<std::string> names{beam_parameter_names.begin(), beam_parameter_names.end()};
    std::vector<std::string> all;
    for (std::size_t c = 0; c < e.sensors.size(); ++c) {
        const auto at = static_cast<Eigen::Index>(c) * e.steps;
        const Vector<double, Dynamic> measured = record.segment(at, e.steps);
        const double noise = p.noise > 0.0 ? p.noise
                             : e.steps < 10
                                 ? 0.0
                                 : estimated_noise({measured.data(), static_cast<std::size_t>(measured.size())});
        // The bounds concern the whole fit, not a sensor: they are checked once.
        for (std::string& doubt : doubts(fit.modelled.segment(at, e.steps) - measured, measured, noise, fit.x,
                                         c == 0 ? bounds : opt::Bounds{}, names))
            all.push_back((e.sensors.size() > 1 ? "sensor " + shown(static_cast<int>(c)) + ": " : std::string()) +
                          doubt);
    }
    if (std::string early = ended_early(fit.grids.back().search, left); !early.empty()) all.push_back(std::move(early));
    for (Eigen::Index i = 0; i < fit.x.size(); ++i)
        if (fit.grid_error[i] > fit.information.deviation[i])
            all.push_back(names[static_cast<std::size_t>(i)] + " has a grid error of " + shown(fit.grid_error[i]) +
                          " with up to " + shown(fit.grids.back().points) +
                          " points, but a standard deviation of only " + shown(fit.information.deviation[i]) +
                          " from noise: use more points or grids");
    std::string by_input;
    for (Eigen::Index i = 0; i < fit.x.size(); ++i)
        if (fit.input_error[i] > 0.75 * (fit.upper[i] - fit.x[i]))
            by_input += (by_input.empty() ? "" : ", ") + names[static_cast<std::size_t>(i)] + " by " +
                        shown(fit.input_error[i], 2);
    if (!by_input.empty())
        all.push_back(std::string(e.forces.empty() ? "the motion of an end" : "the force") +
                      " has corners or is sampled too slowly: between its samples it is unknown, and this alone may "
                      "change " +
                      by_input +
                      ", most of the interval: sample faster, or excite more smoothly, for instance with a softer "
                      "hammer tip");
    return all;
}

}  // namespace detail

/// Fits `record`, laid out as BeamModel::response, from `start`. The experiment's grid is the coarsest. Each
/// grid takes twice as many steps of the scheme as the one before, so that the errors in space and time decrease
/// together. The coarsest takes at least the experiment's `substeps`, and enough for even the finest to be stable.
/// A parameter that would fit best below 0 is left at 0, with a doubt.
/// @throws SetupError if record or start does not belong to the experiment, the start lies outside its bounds or is no
/// beam, or a setting is invalid.
template <class = void>
[[nodiscard]] BeamFit fit_beam(const BeamExperiment& experiment, const Vector<double, Dynamic>& record,
                               const Vector<double, Dynamic>& start, const BeamFitParams& p = {}) {
    constexpr const char* where = "ident::fit_beam";
    using Vec = Vector<double, Dynamic>;
    require(p.most_grids >= 3 && p.most_grids <= 8, where, "most_grids is ", p.most_grids, ", must be from 3 to 8");
    require_positive(p.grid_share, where, "grid_share");
    require_not_negative(p.noise, where, "noise");
    p.bounds.check(beam_parameter_count, where);
    const opt::Bounds bounds = detail::beam_bounds(p.bounds);
    require(start.size() == beam_parameter_count, where, "start has ", start.size(),
            " entries, expected 5: rA, dv, dm, EI, T");
    opt::check_start(start, bounds, where);
    const double wide = std::sqrt(chi_square_quantile(p.probability, 1));

    BeamFit fit;
    std::vector<Vec> extrapolated;
    Vec x = start, coarser;
    Matrix<double, Dynamic> Psi;         // on the last grid
    double left = 0.0;                   // standard deviations from the minimum on the last grid
    int substeps = experiment.substeps;  // of the coarsest grid
    const auto too_few = [&](int k) {    // whether x needs more on grid k; if so, all grids start again
        const int wanted = stable_substeps(finer(experiment, 1 << k, 1), x);
        if (wanted <= substeps << k) return false;
        substeps = (wanted + (1 << k) - 1) >> k;
        fit.grids.clear(), extrapolated.clear(), coarser.resize(0);
        return true;
    };
    const auto model_on = [&](int k) {
        BeamExperiment grid = finer(experiment, 1 << k, 1);
        grid.substeps = substeps << k;
        return BeamModel(std::move(grid));
    };
    // On the next grid a quarter of the error of second order remains.
    const auto predicted_on = [&](int k, const Vec& last) -> Vec {
        if (k < 2) return last;
        return bounds.project((last + (last - fit.grids[fit.grids.size() - 2].x) / 4.0).cwiseMax(0.5 * last));
    };
    // A step of e standard deviations changes r'r by the fraction e^2/samples: searches end at e = 1e-3.
    const double enough = 1e-6 / static_cast<double>(std::max<Eigen::Index>(1, record.size()));
    for (int k = 0; k < p.most_grids;) {
        if (too_few(k)) k = 0;
        const BeamMisfit misfit(model_on(k), record);
        const Vec ahead = predicted_on(k, x);
        opt::Minimum search;
        search.x = ahead;
        if (k == 0 || !detail::settle(misfit.model(), record, bounds, enough, p.iteration_limit, search)) {
            const opt::Minimum before = search;
            search = opt::levenberg_marquardt(
                misfit, before.x, {.bounds = bounds, .iteration_limit = p.iteration_limit, .value_tolerance = enough});
            search.iterations += before.iterations, search.evaluations += before.evaluations;
            search.derivatives += before.derivatives;
        }
        x = search.x;
        if (too_few(k)) {
            k = 0;
            continue;
        }
        const BeamExperiment& e = misfit.model().experiment();
        fit.grids.push_back({e.points, e.substeps, x, search});
        extrapolated.push_back(k == 0 ? x : bounds.project(x + (x - fit.grids[fit.grids.size() - 2].x) / 3.0));
        if (++k < 3) continue;

        Vec response;
        misfit.model().response(x, response, Psi);
        if (coarser.size() == 0) coarser = model_on(k - 2).response(fit.grids[fit.grids.size() - 2].x);
        fit.modelled = response + (response - coarser) / 3.0;
        coarser = response;
        const auto samples = static_cast<double>(record.size());
        fit.noise = (fit.modelled - record).norm() / std::sqrt(std::max(1.0, samples - beam_parameter_count));
        fit.information = detail::relative_information(Psi, x, std::max(fit.noise, 1e-100), bounds);
        left = deviations_left(Psi, response - record, std::max(fit.noise, 1e-100), x, bounds);
        // Along a combination that is not determined, grids end anywhere: there is nothing to extrapolate.
        fit.x = fit.information.identifiable() ? extrapolated.back() : x;
        fit.grid_error = (extrapolated.back() - extrapolated[extrapolated.size() - 2]).cwiseAbs() / 3.0;
        if ((fit.grid_error.array() <= p.grid_share * fit.information.deviation.array()).all()) break;
    }
    const Vec sizes = detail::sizes_of(x);
    const double deviation = std::max(fit.noise, 1e-100);
    const Matrix<double, Dynamic> inverse =
        sizes.asDiagonal() * (fit.information.covariance / (deviation * deviation)) * sizes.asDiagonal();
    fit.input_error =
        detail::error_between_samples(model_on(static_cast<int>(fit.grids.size()) - 1).experiment(), x, Psi, inverse);
    const Vec reach = wide * fit.information.deviation + fit.grid_error + fit.input_error;
    fit.lower = fit.x - reach, fit.upper = fit.x + reach;
    const std::vector<std::string> names{beam_parameter_names.begin(), beam_parameter_names.end()};
    fit.unidentified = unidentifiable(fit.information, names);
    fit.doubts = detail::beam_doubts(fit, experiment, record, p, bounds, left);
    return fit;
}

}  // namespace panto::ident
