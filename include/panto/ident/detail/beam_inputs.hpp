// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is unknown about forces and motions between their samples, and its effect on fitted parameters. BeamModel
/// interpolates by cubics. A corner, where the slope of a force changes by J at the fraction a of a period h, is
/// rounded; the impulse is then wrong by
///     J h^2 (1/12 - a(1 - a)/2) ,
/// and no test of the residuals can see this, because a wrong impulse has the same effect as a wrong mass and tension.
/// The fourth differences d_k of the samples show the corner, but not exactly where between two samples it is. Near a
/// corner, h sum |d_k| / 48 is never less than the error, and equal to it for a = 0 and a = 1/2. Of a smooth force the
/// fourth differences are small, and the error is h sum d_k 11/720.

#pragma once

#include <panto/ident/beam.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <vector>

namespace panto::ident::detail {

/// The fourth difference of samples around sample k; before its first sample an input is constant.
template <class Vec>
[[nodiscard]] double fourth_difference(const Vec& samples, Eigen::Index k) {
    const auto at = [&](Eigen::Index i) { return samples[std::max<Eigen::Index>(0, i)]; };
    return at(k - 2) - 4.0 * at(k - 1) + 6.0 * at(k) - 4.0 * at(k + 1) + at(k + 2);
}

/// By how much the parameters may be wrong because the inputs of the experiment are unknown between samples. `Psi` is
/// the sensitivity of the response at parameters `x`, and `inverse` is the inverse of Psi'Psi.
///
/// The effect of a sample of an input on the parameters is inverse Psi' y, with y the response to that sample alone,
/// which for all samples of an input is the same, but shifted in time. The errors of five neighbours are added by their
/// magnitudes. Corners far from each other have errors that are independent, so the squares of these sums are added.
/// Their weight of 3/4 makes the result no less than the error even of a pulse whose two corners both lie where they do
/// most harm.
/// @param x  a vector with the type of BeamFit::x; types are left open so that only callers pay for these expressions
template <class Vec, class Mat>
[[nodiscard]] Vec error_between_samples(const BeamExperiment& experiment, const Vec& x, const Mat& Psi,
                                        const Mat& inverse) {
    using Index = Eigen::Index;
    constexpr Index first = -1, unit = 2;  // the first difference that is not 0 by itself; the sample that is marched
    const Index steps = experiment.steps, parameters = x.size();
    const auto sensors = static_cast<Index>(experiment.sensors.size());
    Vec squares = Vec::Zero(parameters), smooth = squares;
    if (steps < 5) return squares;
    const auto add = [&](const Vec& samples, const BeamExperiment& alone) {
        const Index count = std::min<Index>(samples.size(), steps + 1) - 2 - first;
        Vec differences(count);
        for (Index k = 0; k < count; ++k) differences[k] = fourth_difference(samples, k + first);
        if (!(differences.cwiseAbs().maxCoeff() > 0.0)) return;
        const Vec y = BeamModel(alone).response(x);
        Mat effect = Mat::Zero(parameters, count);
        for (Index k = 0; k < count; ++k) {
            const Index late = k + first - unit, later = std::max<Index>(0, late), sooner = later - late;
            for (Index c = 0; c < sensors; ++c)
                effect.col(k) += Psi.middleRows(c * steps + later, steps - later - sooner).transpose() *
                                 y.segment(c * steps + sooner, steps - later - sooner);
            effect.col(k) = differences[k] * (inverse * effect.col(k)).eval();
        }
        // The cubic of the first period takes no samples before it, which changes its integral by h d_1/24.
        if (count > 1 - first) effect.col(1 - first) *= 3.0;
        smooth += 11.0 / 720.0 * effect.rowwise().sum();
        for (Index k = -4; k < count; ++k) {
            const Index from = std::max<Index>(0, k), to = std::min(count, k + 5);
            const Vec local = effect.middleCols(from, to - from).cwiseAbs().rowwise().sum() / 48.0;
            squares += 0.75 * local.cwiseAbs2();
        }
    };
    BeamExperiment none = experiment;
    none.forces.clear(), none.left_motion.resize(0), none.right_motion.resize(0);
    const Vec one = Vec::Unit(steps + 1, unit);
    for (const BeamForce& force : experiment.forces) {
        BeamExperiment alone = none;
        alone.forces = {{.point = force.point, .newton = one}};
        add(force.newton, alone);
    }
    for (auto motion : {&BeamExperiment::left_motion, &BeamExperiment::right_motion}) {
        if ((experiment.*motion).size() == 0) continue;
        BeamExperiment alone = none;
        alone.*motion = one;
        add(experiment.*motion, alone);
    }
    return (squares + smooth.cwiseAbs2()).cwiseSqrt();
}

}  // namespace panto::ident::detail
