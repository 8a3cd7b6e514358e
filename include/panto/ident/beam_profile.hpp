// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The axially loaded beam with parameters that vary along it, five for each grid point, in the scheme of BeamModel:
///     rA u_tt + dv u_t + (dm u_xxt)_xx = -(EI u_xx)_xx + (T u_x)_x + f ,
/// where the bending moment at a point is its curvature times EI there, and the transverse force T u_x between two
/// points is the slope between them times the mean of their tensions. The rows of the scheme are linear in the
/// parameters; one enumeration of their contributions gives the rows and, transposed, the chain rule of the adjoint.
/// Sections, profiles or local damage have the form p = B q; the gradient with respect to q is then B' dJ/dp.

#pragma once

#include <panto/ident/beam_adjoint.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace panto::ident {

/// Parameters: rA at all points, from the left, then dv, dm, EI and T at all points. With equal values along the beam,
/// the model is BeamModel. Parameters of a held point count only through their effect on its neighbours.
class VaryingBeam {
    static constexpr const char* where = "ident::VaryingBeam";
    using Vec = Vector<double, Dynamic>;
    using Rows = detail::BeamRows<double>;
    enum class Level { next, now, before };

    template <class AnyRows>
    static auto& entry(AnyRows& rows, Level level, int k, int j) {
        auto& all = level == Level::next ? rows.next : level == Level::now ? rows.now : rows.before;
        return all[static_cast<std::size_t>(k)][static_cast<std::size_t>(j + 2)];
    }

  public:
    /// @throws SetupError as BeamModel.
    explicit VaryingBeam(BeamExperiment experiment) : uniform_(std::move(experiment)) {}

    [[nodiscard]] const BeamExperiment& experiment() const noexcept { return uniform_.experiment(); }
    [[nodiscard]] const BeamExperiment& marched() const noexcept { return uniform_.marched(); }
    [[nodiscard]] Eigen::Index size() const { return Eigen::Index(beam_parameter_count) * points(); }

    /// The parameters of a uniform beam, from its five.
    [[nodiscard]] Vec constant(const Vec& five) const {
        (void)beam_params(five);
        Vec p(size());
        for (int i = 0; i < beam_parameter_count; ++i) p.segment(i * points(), points()).setConstant(five[i]);
        return p;
    }

    /// As BeamModel::response. @throws SetupError if the parameters are not those of a beam.
    [[nodiscard]] Vec response(const Vec& p) const {
        const BeamExperiment& e = experiment();
        const BeamStepper stepper(marched(), rows(p));
        Vec y(static_cast<Eigen::Index>(e.sensors.size()) * e.steps), x = stepper.start(), next = x;
        for (int n = 0; n < marched().steps; ++n) {
            stepper.step(n, x, next);
            x.swap(next);
            if ((n + 1) % e.substeps != 0) continue;
            const int sample = (n + 1) / e.substeps - 1;
            for (std::size_t c = 0; c < e.sensors.size(); ++c)
                y[static_cast<Eigen::Index>(c) * e.steps + sample] = x[stepper.at(e.sensors[c])];
        }
        return y;
    }

    /// @throws SetupError as response().
    [[nodiscard]] Rows rows(const Vec& p) const {
        check(p);
        Rows rows(points());
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t k = 0; k < 2; ++k) {
                const int point = side == 0 ? static_cast<int>(k) : points() - 1 - static_cast<int>(k);
                rows.bears[side][k] = !held(point);
                if (!held(point)) continue;
                rows.next[static_cast<std::size_t>(point)][2] = 1.0;
                rows.motion[side][k][0] = 1.0;
            }
        for_each_contribution([&](Eigen::Index i, Level level, int k, int j, double weight) {
            entry(rows, level, k, j) += weight * p[i];
        });
        return rows;
    }

    /// The chain rule, from derivatives with respect to the entries of the rows to those with respect to the
    /// parameters.
    /// @throws SetupError if there is not a row for each point.
    [[nodiscard]] Vec parameter_gradient(const Rows& by_entries) const {
        detail::require_rows(by_entries, points(), where);
        Vec gradient = Vec::Zero(size());
        for_each_contribution([&](Eigen::Index i, Level level, int k, int j, double weight) {
            gradient[i] += weight * entry(by_entries, level, k, j);
        });
        return gradient;
    }

  private:
    [[nodiscard]] int points() const noexcept { return experiment().points; }

    [[nodiscard]] BeamSupport support_near(int point) const noexcept {
        return 2 * point < points() ? experiment().left : experiment().right;
    }

    [[nodiscard]] bool held(int point) const noexcept {
        return std::min(point, points() - 1 - point) < held_points(support_near(point));
    }

    /// Calls f(parameter, level, k, j, weight) for all that the parameters add to entry j of the row of point k.
    template <class F>
    void for_each_contribution(const F& f) const {
        const int N = points();
        const double dt = marched().dt, dx = uniform_.dx(), over_dx2 = 1.0 / (dx * dx);
        const auto at = [N](int kind, int point) { return Eigen::Index(kind) * N + point; };
        for (int k = 0; k < N; ++k) {
            if (held(k)) continue;
            const bool border = k == 0 || k == N - 1;  // a free end: half a cell, whose row is doubled
            f(at(0, k), Level::next, k, 0, 1.0 / (dt * dt));
            f(at(0, k), Level::now, k, 0, 2.0 / (dt * dt));
            f(at(0, k), Level::before, k, 0, -1.0 / (dt * dt));
            f(at(1, k), Level::next, k, 0, 0.5 / dt);
            f(at(1, k), Level::before, k, 0, 0.5 / dt);
            for (int q = std::max(0, k - 1); q <= std::min(N - 1, k + 1); ++q) {
                const double of_moment = (q == k ? -2.0 : 1.0) * (border ? 2.0 : 1.0) * over_dx2;
                const std::array<double, 3> curvature = curvature_at(q);
                for (int j = -1; j <= 1; ++j) {
                    const double weight = of_moment * curvature[static_cast<std::size_t>(j + 1)] * over_dx2;
                    if (q + j < 0 || q + j >= N) continue;
                    f(at(2, q), Level::next, k, q + j - k, 0.5 / dt * weight);
                    f(at(2, q), Level::before, k, q + j - k, 0.5 / dt * weight);
                    f(at(3, q), Level::now, k, q + j - k, -weight);
                }
            }
            for (const int side : {-1, 1}) {
                if (k + side < 0 || k + side >= N) continue;
                const double half = (border ? 1.0 : 0.5) * over_dx2;
                for (const int point : {k, k + side}) {
                    f(at(4, point), Level::now, k, side, half);
                    f(at(4, point), Level::now, k, 0, -half);
                }
            }
        }
    }

    /// Weights of u_{q-1}, u_q and u_{q+1} in dx^2 u_xx at point q. A clamped end mirrors the beam; at any other end
    /// the moment is zero.
    [[nodiscard]] std::array<double, 3> curvature_at(int q) const noexcept {
        if (q > 0 && q < points() - 1) return {1.0, -2.0, 1.0};
        if (support_near(q) != BeamSupport::clamped) return {};
        return q == 0 ? std::array<double, 3>{0.0, -2.0, 2.0} : std::array<double, 3>{2.0, -2.0, 0.0};
    }

    void check(const Vec& p) const {
        require(p.size() == size(), where, "p has ", p.size(), " entries, expected 5 for each of the ", points(),
                " points, ", size());
        for (Eigen::Index i = 0; i < p.size(); ++i) {
            const auto kind = static_cast<std::size_t>(i / points());
            const std::string name =
                std::string(beam_parameter_names[kind]) + " at point " + std::to_string(i % points());
            if (kind == 0)
                require_positive(p[i], where, name);
            else
                require_not_negative(p[i], where, name);
        }
    }

    BeamModel uniform_;
};

static_assert(MarchedBeam<VaryingBeam> && MarchedBeam<BeamModel>);

}  // namespace panto::ident
