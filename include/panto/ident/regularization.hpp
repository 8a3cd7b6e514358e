// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tikhonov's regularization with scaled parameters, J(p) + alpha |theta - 1|^2, theta = p/p_prior, and Morozov's
/// choice of alpha: the one for which the misfit J, a square, equals the square of the noise, J(p(alpha)) = tau^2
/// delta^2. J should be normalized, because alpha weighs relative changes of parameters against J. An alpha above the
/// smallest eigenvalue of J's Hessian determines the weakest combination of parameters by the prior rather than by the
/// record.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/opt/concepts.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace panto::ident {

/// Residuals followed by those of the prior; a problem for every least-squares method of opt. Keeps a reference.
/// Its functions throw SetupError if the sizes of prior and parameters differ.
template <LeastSquares F>
class Tikhonov {
  public:
    /// @throws SetupError if alpha is negative or the prior has a zero.
    Tikhonov(const F& f, Parameters prior, double alpha) : f_(f), prior_(std::move(prior)), root_(std::sqrt(alpha)) {
        require_not_negative(alpha, "ident::Tikhonov", "alpha");
        for (Eigen::Index i = 0; i < prior_.size(); ++i)
            require(is_finite(prior_[i]) && std::abs(prior_[i]) > 0.0, "ident::Tikhonov", "prior[", i, "] is ",
                    prior_[i], ", must be finite and not 0: it is the parameter's scale");
    }

    [[nodiscard]] Status residuals(const Parameters& p, Parameters& r) const {
        check(p.size());
        const Status status = f_.residuals(p, r);
        append(p, r);
        return status;
    }

    [[nodiscard]] Status jacobian(const Parameters& p, Matrix<double, Dynamic>& J) const
        requires DifferentiableLeastSquares<F>
    {
        check(p.size());
        const Status status = f_.jacobian(p, J);
        append(J);
        return status;
    }

    [[nodiscard]] Status linearize(const Parameters& p, Parameters& r, Matrix<double, Dynamic>& J) const
        requires LinearizedLeastSquares<F>
    {
        check(p.size());
        const Status status = f_.linearize(p, r, J);
        append(p, r);
        append(J);
        return status;
    }

  private:
    void check(Eigen::Index parameters) const {
        require(parameters == prior_.size(), "ident::Tikhonov", "the prior has ", prior_.size(),
                " entries, expected one for each of the ", parameters, " parameters");
    }

    void append(const Parameters& p, Parameters& r) const {
        const Eigen::Index n = r.size();
        r.conservativeResize(n + p.size());
        r.tail(p.size()) = root_ * (p.cwiseQuotient(prior_).array() - 1.0).matrix();
    }

    void append(Matrix<double, Dynamic>& J) const {
        const Eigen::Index n = J.rows(), k = prior_.size();
        require(J.cols() == k, "ident::Tikhonov", "the Jacobian has ", J.cols(),
                " columns, expected one for each of the ", k, " parameters");
        J.conservativeResize(n + k, Eigen::NoChange);
        J.bottomRows(k) = (root_ * prior_.cwiseInverse()).asDiagonal();
    }

    const F& f_;
    Parameters prior_;
    double root_;
};

/// The result of Morozov's principle.
struct Discrepancy {
    double alpha = 0.0;
    double misfit = 0.0;      ///< J(p(alpha))
    bool reached = false;     ///< whether the misfit is as required: a root need not exist
    std::string reason = {};  ///< why it is not, in words; empty if it is
    int evaluations = 0;
};

struct MorozovParams {
    double lowest = 1e-14;     ///< alpha
    double highest = 1e4;      ///< alpha
    double tolerance = 1e-10;  ///< relative, of the misfit
    int iteration_limit = 200;
};

/// `misfit(alpha)` is J at the minimum of J + alpha |theta - 1|^2, without the second term; `noise` is delta^2, the
/// value of J at the true parameters, in J's normalization; `tau` is 1 or a little more. The misfit rises with alpha,
/// which bisection on log alpha relies on.
///
/// There is no root where the misfit without regularization already exceeds tau^2 delta^2 (the noise was
/// underestimated or the model is wrong; alpha is then 0), nor where even the prior itself has a smaller misfit (alpha
/// is `highest`, which stands for infinity). `reached` is also false if the root lies below `lowest`, if the misfit
/// jumps over the required value, or if it is not finite.
/// @throws SetupError if noise or tau is not positive or the range of alpha is empty.
template <class MisfitOfAlpha>
[[nodiscard]] Discrepancy morozov(const MisfitOfAlpha& misfit, double noise, double tau = 1.0,
                                  const MorozovParams& p = {}) {
    require_positive(noise, "ident::morozov", "noise");
    require_positive(tau, "ident::morozov", "tau");
    require_positive(p.lowest, "ident::morozov", "lowest");
    require(p.highest > p.lowest, "ident::morozov", "highest is ", p.highest, ", must be above lowest, ", p.lowest);
    const double wanted = tau * tau * noise;
    Discrepancy d;
    const auto at = [&](double alpha) {
        ++d.evaluations;
        d.alpha = alpha;
        return d.misfit = misfit(alpha);
    };
    const auto not_reached = [&](std::string reason) {
        d.reason = is_finite(d.misfit) ? std::move(reason)
                                       : "the misfit at alpha = " + shown(d.alpha) + " is " + shown(d.misfit);
        return d;
    };
    if (!(at(0.0) < wanted))
        return not_reached("without regularization the misfit is " + shown(d.misfit) + ", not below the " +
                           shown(wanted) + " that the noise explains: no root, alpha is 0");
    if (!(at(p.highest) >= wanted))
        return not_reached("even at the highest alpha, " + shown(p.highest) + ", the misfit is " + shown(d.misfit) +
                           ", below the " + shown(wanted) + " that the noise explains: no root");
    if (!(at(p.lowest) < wanted))
        return not_reached("at the lowest alpha, " + shown(p.lowest) + ", the misfit is " + shown(d.misfit) +
                           " already: the root for " + shown(wanted) + " lies below it");
    const auto below = [&](double log_alpha) {
        d.reached = std::abs(at(std::exp(log_alpha)) - wanted) <= p.tolerance * wanted;
        return d.misfit < wanted;
    };
    const Bracket b = bisect(below, std::log(p.lowest), std::log(p.highest), 0.0, p.iteration_limit,
                             [&] { return d.reached || !is_finite(d.misfit); });
    if (d.reached) return d;
    if (b.fails - b.holds > 1e-12)
        return not_reached("the misfit is " + shown(d.misfit) + " instead of " + shown(wanted) + " after " +
                           std::to_string(p.iteration_limit) + " bisections");
    return not_reached("the misfit jumps over " + shown(wanted) + " near alpha = " + shown(d.alpha));
}

}  // namespace panto::ident
