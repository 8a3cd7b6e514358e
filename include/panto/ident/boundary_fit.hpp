// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The parameters of a boundary law from one sensor inside the field [Ward, Goodson 1972, (5)-(15), and beyond]:
///
///   1. recover_boundary(): the action (flux or moment) and the boundary variable v, from the sensor.
///   2. regression: the responses R_i of the field to phi_i(v) alone, and theta from the linear least squares problem
///      y - y_known = sum theta_i R_i. Close, but biased: v itself carries the error of the recovery.
///   3. nonlinear least squares on the closed model, from there: unbiased. The exact Jacobian comes from the
///      sensitivities, which obey the same field and take one more march each; its singular values give the confidence.

#pragma once

#include <panto/ident/boundary_model.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/ident/boundary_recovery.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/opt/levenberg_marquardt.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace panto::ident {

/// The sensor signal of the closed model minus the measured one, and the derivatives of this difference with respect to
/// the parameters of the law. A LeastSquares and LinearizedLeastSquares model.
template <class Field, class Law>
class BoundaryMisfit {
  public:
    /// @throws SetupError if the record cannot be used or its period is not a whole number of the field's steps.
    BoundaryMisfit(const Field& field, const Law& law, const BoundaryRecord& record)
        : field_(field), law_(law), record_(record) {
        const double period = checked_period(record, Field::known == 1, Law::size);
        steps_ = steps_per_sample(period, field.dt(), "ident::BoundaryMisfit");
        motion_ = refined(record.motion, steps_);
    }

    /// @throws SetupError if there is not a parameter for each of the law.
    Status residuals(const Parameters& theta, Parameters& r) const {
        Matrix<double, Dynamic> none;
        return march<false>(theta, r, none);
    }
    /// @throws SetupError as residuals().
    Status linearize(const Parameters& theta, Parameters& r, Matrix<double, Dynamic>& J) const {
        return march<true>(theta, r, J);
    }

  private:
    /// Sensitivities: v_i = compliance (free_i + gain phi_i), action_i = phi_i + law'(v) v_i, through the field alone.
    template <bool Sensitivities>
    Status march(const Parameters& theta, Parameters& r, Matrix<double, Dynamic>& J) const {
        using Model = BoundaryModel<Field, Law>;
        constexpr int count = Law::size;
        require(theta.size() == count, "ident::BoundaryMisfit", "theta has ", theta.size(), " entries, expected ",
                count, ", one for each parameter of the law");
        typename Model::Theta values;
        for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = theta[i];
        const Model model(field_, law_, values);
        const auto n = static_cast<Eigen::Index>(record_.sensor.size());
        typename Model::State x = model.at_rest(), next = x;
        typename Model::Input u;
        r.resize(n), r[0] = -record_.sensor[0];
        Matrix<double, Dynamic> s, s_next;  // modes of the sensitivities, one column each
        typename Model::Theta action = law_.basis(0.0);
        if constexpr (Sensitivities) J.setZero(n, count), s.setZero(field_.states(), count), s_next = s;
        for (std::size_t at = 1; at <= record_.sensor.size() * steps_ - steps_; ++at) {
            const auto k = static_cast<Eigen::Index>(at / steps_);
            const bool sampled = at % steps_ == 0;
            if constexpr (Field::known == 1) u.before[0] = motion_[at - 1], u.now[0] = motion_[at];
            const Status status = model.advance(x, u, next);
            if (status != Status::ok) return status == Status::not_converged ? Status::not_finite : status;
            x.swap(next);
            if (sampled) r[k] = x[model.states() - 1] - record_.sensor[at / steps_];
            if constexpr (Sensitivities) {
                const double v = x[model.states() - 2], through = model.compliance(v);
                const double slope = weighted(law_.slopes(v), values);
                const auto phi = law_.basis(v);
                for (int i = 0; i < count; ++i) {
                    const auto p = static_cast<std::size_t>(i);
                    typename Field::Input before{}, now{};
                    before[Field::known] = action[p];
                    field_.advance(s.col(i), before, now, s_next.col(i));
                    const double free = field_.boundary(s_next.col(i), before, now);
                    const double v_i = through * (free + field_.gain() * phi[p]);
                    now[Field::known] = action[p] = phi[p] + slope * v_i;
                    field_.act(now[Field::known], s_next.col(i));
                    if (sampled) J(k, i) = field_.sensor(s_next.col(i), before, now);
                }
                s.swap(s_next);
            }
        }
        return Status::ok;
    }

    const Field& field_;
    const Law& law_;
    const BoundaryRecord& record_;
    std::size_t steps_ = 1;
    std::vector<double> motion_;  ///< at the steps
};

struct BoundaryFitParams {
    RecoveryParams recovery{};
    opt::Bounds bounds{};  ///< of the parameters; the regression is projected onto them
    int iteration_limit = 100;
    opt::Observer observer{};
};

struct BoundaryFit {
    std::vector<std::string> names = {};
    BoundaryRecovery recovery = {};
    Parameters regression = {};            ///< the parameters of step 2
    Parameters theta = {};                 ///< of step 3
    Parameters lower = {}, upper = {};     ///< 95 % intervals of each parameter
    Parameters step_error = {};            ///< change of theta when the field's step is halved; empty if not tried
    Information information = {};          ///< standard deviations and correlations, for the noise of the residuals
    double noise = 0.0;                    ///< standard deviation of the residuals
    Parameters modelled = {};              ///< sensor of the fitted model
    std::vector<std::string> weak = {};    ///< combinations of parameters whose uncertainty exceeds their size
    std::vector<std::string> doubts = {};  ///< why the intervals may be wrong
    opt::Minimum search = {};              ///< how the fit went
};

namespace detail {

/// A combination of parameters as text: "0.71 radiation - 0.71 convection".
template <std::size_t N>
[[nodiscard]] std::string combination(const Vector<double, Dynamic>& direction,
                                      const std::array<std::string, N>& names) {
    std::string text;
    for (std::size_t i = 0; i < N; ++i) {
        const double part = direction[static_cast<Eigen::Index>(i)];
        if (std::abs(part) < 0.05) continue;
        text += text.empty() ? (part < 0.0 ? "-" : "") : (part < 0.0 ? " - " : " + ");
        text += shown(std::round(100.0 * std::abs(part)) / 100.0) + " " + names[i];
    }
    return text;
}

/// Singular values and directions of a matrix with columns scaled by `scale`.
template <class = void>
[[nodiscard]] linalg::Svd scaled_svd(const Matrix<double, Dynamic>& J, const Parameters& scale) {
    return linalg::svd(J * scale.asDiagonal());
}

}  // namespace detail

/// Step 2 alone: theta by regression on a recovered boundary.
/// @throws SetupError naming the combination of parameters that makes no difference to the sensor.
template <class Field, class Law>
[[nodiscard]] Parameters regress_boundary(const Field& field, const Law& law, const BoundaryRecord& record,
                                          const BoundaryRecovery& recovery) {
    constexpr int count = Law::size;
    const std::size_t n = record.sensor.size(), m = recovery.boundary.size(), steps = recovery.steps;
    require(n >= 1 && m == (n - 1) * steps + 1, "ident::regress_boundary", "the boundary has ", m,
            " values, expected one recovered from this record");
    const std::vector<double> silent(m, 0.0);
    const std::vector<double> known = field_answer(field, refined(record.motion, steps), silent).sensor;
    Matrix<double, Dynamic> R(static_cast<Eigen::Index>(n), count);
    Parameters wanted(static_cast<Eigen::Index>(n));
    for (std::size_t k = 0; k < n; ++k) wanted[static_cast<Eigen::Index>(k)] = record.sensor[k] - known[k * steps];
    std::vector<double> phi(m);
    for (int i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < m; ++k) phi[k] = law.basis(recovery.boundary[k])[static_cast<std::size_t>(i)];
        const std::vector<double> y = field_answer(field, {}, phi).sensor;
        for (std::size_t k = 0; k < n; ++k) R(static_cast<Eigen::Index>(k), i) = y[k * steps];
    }
    Parameters scale(count);
    for (int i = 0; i < count; ++i) {
        const double norm = R.col(i).norm();
        require(is_finite(norm) && norm > 0.0, "ident::regress_boundary", "parameter ",
                law.names()[static_cast<std::size_t>(i)], " makes no difference to the sensor");
        scale[i] = 1.0 / norm;
    }
    const linalg::Svd svd = detail::scaled_svd(R, scale);
    require(svd.values[count - 1] > 1e-9 * svd.values[0], "ident::regress_boundary",
            "the record does not tell the parameters apart: ", detail::combination(svd.V.col(count - 1), law.names()),
            ", each in units of its effect, can take any value (singular value ", svd.values[count - 1], " of ",
            svd.values[0], ")");
    const Eigen::HouseholderQR<Matrix<double, Dynamic>> qr(R * scale.asDiagonal());
    return scale.cwiseProduct(Parameters(qr.solve(wanted)));
}

namespace detail {

/// All three steps; the intervals do not contain the error of the field's time step.
template <class Field, class Law>
[[nodiscard]] BoundaryFit fit_with_step_of(const Field& field, const Law& law, const BoundaryRecord& record,
                                           const BoundaryFitParams& p) {
    constexpr int count = Law::size;
    (void)checked_period(record, Field::known == 1, count);
    p.bounds.check(count, "ident::fit_boundary");
    BoundaryFit fit;
    for (const std::string& each : law.names()) fit.names.push_back(each);
    fit.recovery = recover_boundary(field, record, p.recovery);
    fit.regression = regress_boundary(field, law, record, fit.recovery);

    const BoundaryMisfit<Field, Law> misfit(field, law, record);
    opt::LevenbergMarquardtParams settings;
    settings.bounds = p.bounds, settings.iteration_limit = p.iteration_limit, settings.observer = p.observer;
    settings.first_radius = 1.0;
    fit.search = opt::levenberg_marquardt(misfit, p.bounds.project(fit.regression), settings);
    fit.theta = fit.search.x;

    Parameters r;
    Matrix<double, Dynamic> J;
    require(misfit.linearize(fit.theta, r, J) == Status::ok, "ident::fit_boundary",
            "the model cannot be run with the parameters found: ", fit.search.reason);
    const auto n = static_cast<double>(r.size());
    fit.modelled = r;
    for (Eigen::Index k = 0; k < r.size(); ++k) fit.modelled[k] += record.sensor[static_cast<std::size_t>(k)];
    // Without noise only rounding remains.
    fit.noise = std::max(r.norm() / std::sqrt(n - count), 1e-16 * fit.modelled.cwiseAbs().maxCoeff());
    fit.information = information(J, fit.noise, p.bounds);
    fit.lower = fit.theta - 1.96 * fit.information.deviation;
    fit.upper = fit.theta + 1.96 * fit.information.deviation;

    Parameters scale(count);  // 0 for those that the bounds fix
    int fixed = 0;
    for (int i = 0; i < count; ++i) {
        const bool free = p.bounds.low(i) < p.bounds.high(i);
        fixed += !free;
        scale[i] = !free ? 0.0 : std::abs(fit.theta[i]) > 0.0 ? std::abs(fit.theta[i]) : fit.information.deviation[i];
    }
    const linalg::Svd svd = detail::scaled_svd(J, scale);
    for (int i = 0; i < count - fixed; ++i)
        if (!(svd.values[i] > fit.noise))
            fit.weak.push_back(detail::combination(svd.V.col(i), law.names()) + " is known only to " +
                               shown(std::round(100.0 * fit.noise / svd.values[i])) +
                               " % (each in units of its value)");
    const Eigen::Map<const Parameters> measured(record.sensor.data(), fit.modelled.size());
    fit.doubts = doubts(fit.modelled - measured, measured, fit.recovery.noise, fit.theta, p.bounds, fit.names);
    if (fit.search.status != Status::ok) fit.doubts.push_back("the search ended early: " + fit.search.reason);
    return fit;
}

}  // namespace detail

/// All three steps. `search.status` says whether the search converged; the best parameters found are returned in any
/// case. The error of the field's time step is unknown here, and `doubts` says so: see the overload with `make_field`.
/// @throws SetupError as recover_boundary() and regress_boundary() do, or if a lower bound is above the upper one.
template <class Field, class Law>
    requires BoundaryLaw<Law>
[[nodiscard]] BoundaryFit fit_boundary(const Field& field, const Law& law, const BoundaryRecord& record,
                                       const BoundaryFitParams& p = {}) {
    BoundaryFit fit = detail::fit_with_step_of(field, law, record, p);
    fit.doubts.push_back(
        "the intervals do not contain the error of the field's time step: give a function that makes the field for any "
        "step in place of the field");
    return fit;
}

/// The same, and the intervals contain the error of the time step: `make_field(dt)` makes the field for a step of dt
/// [s], and the record is fitted with `substeps` steps per sample and with twice as many. The result is that of the
/// finer step; the change of each parameter between the two widens its interval on both sides, which is enough if the
/// error is of first or higher order in the step.
/// @throws SetupError as fit_boundary() with a field, or if substeps is not 1 to 1000.
template <class MakeField, class Law>
    requires BoundaryLaw<Law> && std::invocable<const MakeField&, double>
[[nodiscard]] BoundaryFit fit_boundary(const MakeField& make_field, const Law& law, const BoundaryRecord& record,
                                       int substeps, const BoundaryFitParams& p = {}) {
    using Field = std::invoke_result_t<const MakeField&, double>;
    require(substeps >= 1 && substeps <= 1000, "ident::fit_boundary", "substeps is ", substeps,
            ", must be from 1 to 1000");
    const double period = checked_period(record, Field::known == 1, Law::size);
    const BoundaryFit coarse = detail::fit_with_step_of(make_field(period / substeps), law, record, p);
    BoundaryFit fit = detail::fit_with_step_of(make_field(period / (2 * substeps)), law, record, p);
    fit.step_error = (fit.theta - coarse.theta).cwiseAbs();
    fit.lower -= fit.step_error, fit.upper += fit.step_error;
    for (Eigen::Index i = 0; i < fit.theta.size(); ++i)
        if (fit.step_error[i] > fit.information.deviation[i])
            fit.doubts.push_back(fit.names[static_cast<std::size_t>(i)] + " changes by " + shown(fit.step_error[i]) +
                                 " with half the step of the field, but its standard deviation from noise is only " +
                                 shown(fit.information.deviation[i]) + ": use more substeps");
    return fit;
}

}  // namespace panto::ident
