// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The boundary from one sensor inside the field: the action a(t) for which the field responds as measured, and
/// with it the boundary variable. Inverting diffusion or waves amplifies noise without limit, so the action, linear
/// between knots, is found by Tikhonov's method with its second differences as penalty. H a is the response of the
/// sensor to the action, y_known that to the known motion; the record y has n samples with noise of standard deviation
/// sigma:
///
///     minimize || H a - (y - y_known) ||^2 + alpha || second differences of a ||^2 ,
///     alpha from Morozov's principle:   || H a - (y - y_known) ||^2 = tau^2 n sigma^2 .
///
/// If even alpha = 0 leaves more than the noise, there is no such alpha. Then alpha is the smallest that the arithmetic
/// allows: the field does not explain the record, or sigma is too small. There is no such alpha either if even a
/// straight line for the action leaves less than the noise. Then alpha is the largest, and sigma is too large. In both
/// cases `discrepancy_met` is false.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/field/modal_field.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/linalg/svd.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace panto::ident {

struct RecoveryParams {
    double noise = 0.0;     ///< standard deviation of the sensor; 0: estimated_noise()
    double morozov = 1.05;  ///< tau
    int knots = 120;        ///< of the action; no more than there are samples
};

struct BoundaryRecovery {
    std::vector<double> action = {}, boundary = {};  ///< at the steps of the field
    std::size_t steps = 1;                           ///< of the field per sample of the record
    double regularization = 0.0;                     ///< alpha
    double noise = 0.0;                              ///< standard deviation of the sensor that was assumed
    double misfit = 0.0;                             ///< root mean square of the residual of the sensor signal
    bool discrepancy_met = true;                     ///< whether Morozov's equation has a root
};

/// The outputs of the field for motion and action given at the samples, from rest.
struct FieldAnswer {
    std::vector<double> sensor = {}, boundary = {};
};

/// @param motion  at least as long as the action, or empty: at rest
/// @throws SetupError if it is shorter, or if a motion is given to a field that has no such input.
template <class Field>
[[nodiscard]] FieldAnswer field_answer(const Field& field, std::span<const double> motion,
                                       std::span<const double> action) {
    using Input = typename Field::Input;
    const std::size_t n = action.size();
    require(motion.empty() || (Field::known > 0 && motion.size() >= n), "ident::field_answer", "motion has ",
            motion.size(), " samples, expected none",
            (Field::known > 0 ? ", or as many as the action has, " + std::to_string(n) : ": this field has none"));
    Vector<double, Dynamic> x = Vector<double, Dynamic>::Zero(field.states());
    FieldAnswer y{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
    const auto input = [&](std::size_t k) {
        Input w{};
        if constexpr (Field::known > 0) w[0] = motion.empty() ? 0.0 : motion[k];
        w[Field::known] = action[k];
        return w;
    };
    for (std::size_t k = 1; k < n; ++k) {
        const Input before = input(k - 1), now = input(k);
        field.advance(x, before, now, x);
        y.sensor[k] = field.sensor(x, before, now), y.boundary[k] = field.boundary(x, before, now);
    }
    return y;
}

/// @throws SetupError if the record cannot be used, its period is not a whole number of the field's steps, or a setting
/// is not valid.
template <class Field>
[[nodiscard]] BoundaryRecovery recover_boundary(const Field& field, const BoundaryRecord& record,
                                                const RecoveryParams& p = {}) {
    constexpr const char* here = "ident::recover_boundary";
    static_assert(Field::known <= 1);
    const double period = checked_period(record, Field::known == 1, 1);
    const std::size_t steps = steps_per_sample(period, field.dt(), here);
    require_not_negative(p.noise, here, "noise");
    require_positive(p.morozov, here, "morozov");
    require(p.knots >= 4, here, "knots is ", p.knots, ", must be at least 4");

    const std::size_t n = record.sensor.size();
    const int knots = std::min(p.knots, static_cast<int>(n - 1));
    const auto rows = static_cast<Eigen::Index>(n - 1);
    const std::size_t m = (n - 1) * steps + 1;
    const std::vector<double> silent(m, 0.0), motion = refined(record.motion, steps);
    const double spacing = static_cast<double>(m - 1) / (knots - 1);  // of the knots, in steps
    const std::vector<double> by_motion = field_answer(field, motion, silent).sensor;
    Vector<double, Dynamic> wanted(rows);
    for (Eigen::Index k = 0; k < rows; ++k)
        wanted[k] = record.sensor[static_cast<std::size_t>(k + 1)] - by_motion[static_cast<std::size_t>(k + 1) * steps];

    // The action as level, slope and bends at the knots: the penalty is then the plain norm of the bends, and level and
    // slope, with columns a thousand times as large, are almost unpenalized.
    std::vector<std::vector<double>> shapes;
    for (int j = 0; j < knots; ++j) {
        std::vector<double> shape(m);
        const double begin = j < 2 ? 0.0 : (j - 1) * spacing;
        for (std::size_t k = 0; k < m; ++k) {
            const double reach = std::max(0.0, (static_cast<double>(k) - begin) / spacing);
            shape[k] = j == 0 ? 1e3 : j == 1 ? 1e3 * reach / knots : reach;
        }
        shapes.push_back(std::move(shape));
    }
    Matrix<double, Dynamic> H(rows, knots);
    for (int j = 0; j < knots; ++j) {
        const std::vector<double> y = field_answer(field, {}, shapes[static_cast<std::size_t>(j)]).sensor;
        for (Eigen::Index k = 0; k < rows; ++k) H(k, j) = y[static_cast<std::size_t>(k + 1) * steps];
    }
    // H = Q R first: the remaining work does not depend on the length of the record.
    const Eigen::HouseholderQR<Matrix<double, Dynamic>> qr(H);
    wanted.applyOnTheLeft(qr.householderQ().adjoint());
    const Eigen::Index columns = std::min<Eigen::Index>(knots, rows);
    const Matrix<double, Dynamic> R = qr.matrixQR().topRows(columns).template triangularView<Eigen::Upper>();
    const linalg::Svd svd = linalg::svd(R);
    const Matrix<double, Dynamic> left = R * svd.V;  // the left singular vectors, each times its singular value
    Vector<double, Dynamic> seen = left.transpose() * wanted.head(columns);
    for (Eigen::Index i = 0; i < seen.size(); ++i)
        seen[i] = svd.values[i] > 1e-16 * svd.values[0] ? seen[i] / svd.values[i] : 0.0;
    const double unseen = std::max(0.0, wanted.squaredNorm() - seen.squaredNorm());

    BoundaryRecovery result;
    const auto [low, high] = std::minmax_element(record.sensor.begin(), record.sensor.end());
    result.noise = p.noise > 0.0 ? p.noise : std::max(estimated_noise(record.sensor), 1e-9 * (*high - *low));
    const double goal = p.morozov * p.morozov * result.noise * result.noise * static_cast<double>(rows);
    const auto misfit = [&](double alpha) {
        double sum = unseen;
        for (Eigen::Index i = 0; i < seen.size(); ++i) {
            const double s2 = svd.values[i] * svd.values[i], part = alpha / (s2 + alpha) * seen[i];
            sum += part * part;
        }
        return sum;
    };
    const double largest = svd.values[0] * svd.values[0];
    const double below = std::log(1e-26 * largest), above = std::log(1e4 * largest);
    const auto explained = [&](double log_alpha) { return misfit(std::exp(log_alpha)) < goal; };
    result.discrepancy_met = explained(below) && !explained(above);
    const double alpha = result.regularization =
        std::exp(explained(below) ? bisect(explained, below, above).holds : below);
    result.misfit = std::sqrt(misfit(alpha) / static_cast<double>(rows));
    Vector<double, Dynamic> filtered_seen = seen;
    for (Eigen::Index i = 0; i < seen.size(); ++i)
        filtered_seen[i] *= svd.values[i] / (svd.values[i] * svd.values[i] + alpha);
    const Vector<double, Dynamic> weights = svd.V * filtered_seen;
    result.steps = steps;
    result.action.assign(m, 0.0);
    for (int j = 0; j < knots; ++j)
        for (std::size_t k = 0; k < m; ++k) result.action[k] += weights[j] * shapes[static_cast<std::size_t>(j)][k];
    result.boundary = field_answer(field, motion, result.action).boundary;
    return result;
}

}  // namespace panto::ident
