// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Steps that lower a quadratic model of an error of an absorbing stencil within the range of the stability
/// rule:
///     min 1/2 d'G d + g'd    with    det(w + d) = 0 ,   rho_s(w + d) <= limit   for the systems s encountered,
/// both linearized. det is the static determinant: if it is 0, long waves leave. On a wire with viscous damping waves
/// decay on their way out, the longest ones too, so a good end has det < 0, and the constraint is det <= 0. With a
/// stability margin, the eigenvalue near 1 of the longest system replaces det. rho_s is the largest modulus of the
/// other eigenvalues of one bounded system, mostly of the shortest waves. A system is added when a step exceeds its
/// limit.

#pragma once

#include <panto/absorbing/stability.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/opt/concepts.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

namespace panto::wave {

/// For strings and beams (H = 1, 2).
template <int H>
class StableRefinement {
  public:
    /// `margin`: the least 1 - rho of two absorbing ends; 0 requires only the rule. If `go_on` returns false a step
    /// ends early, and its result is meaningless.
    /// @throws SetupError if the rule lists no length, or one of its bounds is not finite.
    StableRefinement(const Stencil<double, H>& scheme, const AbsorbingForm& form, StabilityRule rule, double margin,
                     std::function<bool()> go_on = {})
        : scheme_(scheme),
          form_(form),
          rule_(std::move(rule)),
          margin_(margin),
          longest_(longest_of(rule_)),
          clamped_margin_(clamped_margin(scheme, rule_)),
          room_(1e-5 * detail::slowing(scheme, rule_)),
          decays_(viscous(scheme)),
          near_1_(1.5 * std::abs(modes(scheme, std::numbers::pi / longest_).left - 1.0)),
          go_on_(std::move(go_on)) {}

    /// Whether the whole rule holds. The first system that violates it is from then on kept at its limit by step().
    [[nodiscard]] bool admits(const Parameters& x, StabilityVerdict& verdict) {
        verdict = {};
        if (!is_finite(x.squaredNorm())) return false;
        for (const int points : rule_.points)
            for (const FarEnd far : {FarEnd::absorbing, FarEnd::clamped}) {
                const double rho = bounded_radius(scheme_, AbsorbingStencil(form_, x), points, far);
                double& worst = far == FarEnd::absorbing ? verdict.both : verdict.clamped;
                worst = std::max(worst, rho);
                if (rho <= limit(far)) continue;
                const System broken{points, far};
                if (std::find(met_.begin(), met_.end(), broken) == met_.end()) met_.push_back(broken);
                return false;
            }
        verdict.stable = true;
        return true;
    }

    /// Number of systems that have exceeded their limit so far.
    [[nodiscard]] std::size_t limits_met() const noexcept { return met_.size(); }

    /// The step d from x; `damping` above 0 shortens it where the model is flat. Limits that would pull the step
    /// outwards are dropped, one after the other.
    [[nodiscard]] Parameters step(const Parameters& x, const Eigen::MatrixXd& G, const Eigen::VectorXd& g,
                                  double damping) const {
        const Eigen::Index P = x.size(), most = P + 1 + static_cast<Eigen::Index>(met_.size());
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(most, most);
        Eigen::VectorXd right(most);
        // Scaled to a unit diagonal: the curvature of short waves is orders of magnitude smaller than that of long
        // ones.
        const Eigen::VectorXd scale = G.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
        K.topLeftCorner(P, P) = scale.asDiagonal() * G * scale.asDiagonal();
        K.diagonal().head(P).array() += damping;
        right.head(P) = -scale.cwiseProduct(g);
        Eigen::Index size = P;
        const auto add = [&](const Parameters& gradient, double gap) {
            const Eigen::VectorXd scaled = scale.cwiseProduct(gradient);
            const double norm = std::max(scaled.norm(), 1e-300);
            K.row(size).head(P) = scaled.transpose() / norm;
            K.col(size).head(P) = scaled / norm;
            right[size++] = gap / norm;
        };
        const Parameters normal = long_wave_gradient(x);
        if (normal.norm() > flat) add(normal, -long_wave_gap(x));
        const Eigen::Index fixed = decays_ ? P : size;  // rows before it hold, those from it on may be dropped
        for (const System& s : met_) {
            const auto rho = [&](const Parameters& at) { return radius(at, s, false); };
            const double inside = s.far == FarEnd::clamped ? clamped_margin_ : margin_;
            add(gradient_of(rho, x), 1.0 - 1.05 * inside - room_ - rho(x));
        }
        for (;;) {
            const Eigen::VectorXd solution =
                Eigen::FullPivLU<Eigen::MatrixXd>(K.topLeftCorner(size, size)).solve(right.head(size));
            Eigen::Index loosest = 0;
            if (size == fixed || !(solution.tail(size - fixed).minCoeff(&loosest) < 0.0))
                return scale.cwiseProduct(solution.head(P));
            --size;
            K.row(fixed + loosest).swap(K.row(size));
            K.col(fixed + loosest).swap(K.col(size));
            std::swap(right[fixed + loosest], right[size]);
        }
    }

    /// Moves x to the surface of the first constraint, along its normal, if it does not hold there. An x that is not
    /// finite stays as it is.
    [[nodiscard]] Parameters onto_surface(Parameters x) const {
        for (int newton = 0; newton < (margin_ > 0.0 ? 1 : 3) && is_finite(x.squaredNorm()); ++newton) {
            const Parameters normal = long_wave_gradient(x);
            const double gap = long_wave_gap(x);
            if (!(normal.norm() > flat) || (decays_ && !(gap > 0.0))) break;
            x -= normal * (gap / normal.squaredNorm());
        }
        return x;
    }

  private:
    /// Norm below which the gradient of the determinant counts as 0: every point lets both static solutions pass.
    static constexpr double flat = 1e-9;

    struct System {
        int points;
        FarEnd far;
        friend bool operator==(const System&, const System&) = default;
    };

    [[nodiscard]] double limit(FarEnd far) const {
        if (far == FarEnd::clamped) return 1.0 - clamped_margin_;
        return margin_ > 0.0 ? 1.0 - margin_ : rule_.most_both;
    }

    /// The largest modulus of the eigenvalues near 1, or of all others.
    [[nodiscard]] double radius(const Parameters& x, const System& s, bool near_1) const {
        double largest = 0.0;
        for (const auto& value :
             linalg::eigenvalues(bounded_system(scheme_, AbsorbingStencil(form_, x), s.points, s.far)))
            if ((s.far == FarEnd::absorbing && std::abs(value - 1.0) < near_1_) == near_1)
                largest = std::max(largest, std::abs(value));
        return largest;
    }

    /// Without damping of any kind the weights of levels n+1 and n-1 sum to 0.
    [[nodiscard]] static bool viscous(const Stencil<double, H>& s) {
        double loss = 0.0, size = 0.0;
        for (int j = -H; j <= H; ++j) {
            loss += Stencil<double, H>::at(s.next, j) + Stencil<double, H>::at(s.before, j);
            size += std::abs(Stencil<double, H>::at(s.next, j));
        }
        return loss > 1e-12 * size;
    }

    [[nodiscard]] static int longest_of(const StabilityRule& rule) {
        detail::require_rule(rule, "wave::StableRefinement");
        return *std::max_element(rule.points.begin(), rule.points.end());
    }

    template <class F>
    [[nodiscard]] Parameters gradient_of(const F& f, const Parameters& x) const {
        constexpr double h = 1e-7;
        Parameters gradient = Parameters::Zero(x.size());
        for (Eigen::Index p = 0; p < x.size() && (!go_on_ || go_on_()); ++p) {
            Parameters up = x, down = x;
            up[p] += h, down[p] -= h;
            gradient[p] = (f(up) - f(down)) / (2.0 * h);
        }
        return gradient;
    }

    /// The residual of the first constraint.
    [[nodiscard]] double long_wave_gap(const Parameters& x) const {
        if (!(margin_ > 0.0)) return static_determinant(scheme_, AbsorbingStencil(form_, x));
        return radius(x, {longest_, FarEnd::absorbing}, true) - (1.0 - 1.03 * margin_);
    }
    [[nodiscard]] Parameters long_wave_gradient(const Parameters& x) const {
        if (!(margin_ > 0.0)) return static_determinant_gradient(scheme_, AbsorbingStencil(form_, x));
        return gradient_of([this](const Parameters& at) { return long_wave_gap(at); }, x);
    }

    Stencil<double, H> scheme_;
    AbsorbingForm form_;
    StabilityRule rule_;
    double margin_;
    int longest_;
    double clamped_margin_;  // per step
    double room_;            // per step; step() goes this far inside the limits
    bool decays_;            // the wire has viscous damping
    double near_1_;          // 1.5 times the distance of the longest wave's eigenvalue from 1: the others decay faster
    std::function<bool()> go_on_;
    std::vector<System> met_;
};

}  // namespace panto::wave
