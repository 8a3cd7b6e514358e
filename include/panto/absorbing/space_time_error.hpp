// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The simulated error of an absorbing end: a bump, released at rest, runs out of the left end of a long beam with a
/// clamped right end, and is compared with the same scheme on a beam that goes on to the left,
///     E = || u - u_ref || / || u_ref ||   over [0, L] x [0, T], trapezoidal rule in x and t
/// (Publication B: Eq. (31), the bump (29), elongation to one side). The interior scheme is linear, so the error
/// e = u - u_ref obeys it too. It is driven only at the end, by the residual of the end for u_ref. Once u_ref is known
/// near the end, computing E takes one march of the short beam and has no cancellation.

#pragma once

#include <panto/absorbing/reflection.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/ends.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace panto::wave {

/// The experiment. The defaults are those of Publication B, Sec. 4.1.1.
struct ReleasedBump {
    double length = 100.0;   ///< m, L
    double center = 25.0;    ///< m, of the bump sin^2(pi ((x - center)/width - 1/2))
    double width = 0.5;      ///< m
    double duration = 1.5;   ///< s, T
    double elongation = 10;  ///< the reference goes on to the left for this many L
};

/// The way of a wave from the bump to the far end of the reference and back to the left end of the beam, m.
[[nodiscard]] inline double way_of_the_reference(const ReleasedBump& bump) {
    return bump.center + 2.0 * bump.elongation * bump.length;
}

/// The largest group velocity of a scheme, m/s.
template <int H>
[[nodiscard]] double fastest_wave(const Stencil<double, H>& scheme) {
    constexpr int angles = 200;
    double fastest = 0.0;
    for (int i = 1; i < angles; ++i) {
        const double theta = std::numbers::pi * i / angles;
        if (oscillates(scheme, theta))
            fastest = std::max(fastest, std::abs(group_velocity(scheme, theta, modes(scheme, theta).left)));
    }
    return fastest;
}

namespace detail {

/// @throws SetupError if the bump does not fit into the beam, leaving `ahead` points before it, is narrower than
/// two cells, or the experiment is empty or too large to march.
template <int H>
void require_bump(const Stencil<double, H>& scheme, const ReleasedBump& bump, int ahead, const char* where) {
    require_weights(scheme, where);
    require_positive(scheme.dx, where, "dx");
    require_positive(scheme.dt, where, "dt");
    require_positive(bump.length, where, "length");
    require_positive(bump.width, where, "width");
    require_positive(bump.duration, where, "duration");
    require_finite(bump.center, where, "center");
    require_not_negative(bump.elongation, where, "elongation");
    constexpr double most = 1e7;  // points and steps
    const double cells = std::round(bump.length / scheme.dx), steps = bump.duration / scheme.dt;
    require(steps >= 1.0 && steps <= most, where, "the duration of ", bump.duration, " s has ", steps,
            " steps, must be from 1 to 1e7");
    require(cells * (1.0 + bump.elongation) <= most, where, "the beam of ", bump.length, " m and its elongation by ",
            bump.elongation, " lengths have ", cells * (1.0 + bump.elongation), " cells, expected at most 1e7");
    require(cells > ahead + 2 * H, where, "the beam of ", bump.length, " m has ", cells + 1.0,
            " points, must be more than ", ahead + 2 * H + 1);
    require(bump.width >= 2.0 * scheme.dx, where, "width is ", bump.width, " m, must be at least two cells, ",
            2.0 * scheme.dx, " m");
    const double first = bump.center - 0.5 * bump.width, last = bump.center + 0.5 * bump.width;
    require(first > ahead * scheme.dx && last < bump.length - 2 * H * scheme.dx, where, "the bump reaches from ", first,
            " to ", last, " m, must be a part of the beam from ", ahead * scheme.dx, " to ",
            bump.length - 2 * H * scheme.dx, " m");
}

/// One step of an explicit scheme whose oldest level enters only at the point itself: overwrites u^{n-1} by u^{n+1}.
template <int H>
class PlainMarch {
  public:
    explicit PlainMarch(const Stencil<double, H>& scheme, const char* where) {
        require(scheme.is_explicit(), where, "the scheme is implicit, must be explicit");
        const double scale = 1.0 / Stencil<double, H>::at(scheme.next, 0);
        for (int j = -H; j <= H; ++j) {
            require(j == 0 || std::abs(Stencil<double, H>::at(scheme.before, j)) <= 0.0, where,
                    "level n-1 has weights at neighbouring points, expected a scheme without a mixed derivative");
            now_[static_cast<std::size_t>(H + j)] = scale * Stencil<double, H>::at(scheme.now, j);
        }
        before_ = scale * Stencil<double, H>::at(scheme.before, 0);
    }

    /// Steps points H to n-1-H.
    void step(const double* now, double* before, Eigen::Index n) const noexcept {
        const auto w = now_;
        const double b = before_;
        for (Eigen::Index k = H; k < n - H; ++k) {
            double sum = b * before[k];
            for (int j = -H; j <= H; ++j) sum += w[static_cast<std::size_t>(H + j)] * now[k + j];
            before[k] = sum;
        }
    }

    /// Writes u^1 after a release at rest, u^{-1} = u^1, to `first`.
    void release(const double* start, double* first, Eigen::Index n) const {
        for (Eigen::Index k = H; k < n - H; ++k) {
            double sum = 0.0;
            for (int j = -H; j <= H; ++j) sum += now_[static_cast<std::size_t>(H + j)] * start[k + j];
            first[k] = sum / (1.0 - before_);
        }
    }

  private:
    std::array<double, static_cast<std::size_t>(2 * H + 1)> now_{};
    double before_ = 0.0;
};

}  // namespace detail

/// The reference solution near the left end, marched once, and the errors of ends against it.
template <int H>
class SpaceTimeError {
  public:
    /// @throws SetupError if the scheme is implicit or unstable, the bump does not fit into the beam or is narrower
    /// than two cells, a figure is not positive, or the reference is so short that its own far end reflects within the
    /// duration.
    explicit SpaceTimeError(const Stencil<double, H>& scheme, const ReleasedBump& bump = {}, int strip = 16)
        : march_(scheme, "wave::SpaceTimeError"), dx_(scheme.dx), dt_(scheme.dt), length_(bump.length), strip_(strip) {
        constexpr const char* where = "wave::SpaceTimeError";
        require(strip >= 2 * H && strip <= AbsorbingStencil::most, where, "strip is ", strip, ", expected ", 2 * H,
                " to ", AbsorbingStencil::most);
        detail::require_bump(scheme, bump, strip, where);
        require(is_stable(scheme), where, "dt is ", scheme.dt,
                " s, with which a wave grows: is it above the largest stable step?");
        const double fastest = fastest_wave(scheme), way = way_of_the_reference(bump);
        require(
            fastest * bump.duration <= way, where, "the fastest wave of the scheme, ", fastest, " m/s, goes ",
            fastest * bump.duration, " m within the duration; with elongation ", bump.elongation, " it may go ", way,
            " m before it returns from the far end of the reference: use a larger elongation or a shorter duration");
        cells_ = static_cast<Eigen::Index>(std::llround(bump.length / scheme.dx));
        steps_ = static_cast<Eigen::Index>(std::ceil(bump.duration / scheme.dt - 1e-9));
        march_reference(bump);
    }

    [[nodiscard]] Eigen::Index steps() const noexcept { return steps_; }
    [[nodiscard]] Eigen::Index points() const noexcept { return cells_ + 1; }
    [[nodiscard]] int strip() const noexcept { return strip_; }
    [[nodiscard]] double reference_norm() const noexcept { return norm_; }  ///< m^(3/2) s^(1/2)

    /// E of an end. With `over_time`, also e(t) = || u - u_ref ||_[0,L] / L of every step, Eq. (30). If the motion
    /// grows without bound, the march ends early and the result is a large number.
    /// @throws SetupError if the end is for another scheme or reads more points than the strip has.
    template <End E>
    [[nodiscard]] double error(E end, std::vector<double>* over_time = nullptr) const {
        check(end, "wave::SpaceTimeError::error");
        const Eigen::MatrixXd rows = end.next_rows();
        end.reset();
        Eigen::VectorXd now = Eigen::VectorXd::Zero(points()), old = now;
        // u = u_ref + e near the end: the grid as the end sees it, newest level first.
        const auto levels = static_cast<std::size_t>(std::max(1, static_cast<int>(end.past_levels())) + 1);
        std::vector<Eigen::VectorXd> seen(levels, Eigen::VectorXd::Zero(strip_));
        const Edge<double, 1> edge(seen);
        if (over_time) over_time->assign(1, 0.0);
        double total = 0.0;
        seen[0] = reference_.col(0);
        for (Eigen::Index n = 0; n < steps_; ++n) {
            std::rotate(seen.rbegin(), seen.rbegin() + 1, seen.rend());
            march_.step(now.data(), old.data(), points());
            seen[0] = reference_.col(n + 1) + old.head(strip_);
            end.apply(edge);
            for (int k = H - 1; k >= 0; --k) {
                for (Eigen::Index j = k + 1; j < rows.cols(); ++j) seen[0][k] -= rows(k, j) * seen[0][j];
                seen[0][k] /= rows(k, k);
                old[k] = seen[0][k] - reference_(k, n + 1);
            }
            now.swap(old);
            const double square = (now.squaredNorm() - 0.5 * now[0] * now[0]) * dx_;
            if (over_time) over_time->push_back(std::sqrt(square) / length_);
            total += (n + 1 == steps_ ? 0.5 : 1.0) * square * dt_;
            if (!(total < 1e30)) return 1e15 / norm_;
        }
        return std::sqrt(total) / norm_;
    }

    /// For a Gauss-Newton step on E^2: G = J'J and g = J'e with J = de/dS, both divided by || u_ref ||^2, summed over
    /// every `every`th step. Returns e'e/|| u_ref ||^2, summed in the same way.
    /// @throws SetupError as error(), or if the stencil uses new values or `every` is below 1.
    double normal_equations(const AbsorbingStencil& end, Eigen::MatrixXd& G, Eigen::VectorXd& g, int every = 8) const {
        check(end, "wave::SpaceTimeError::normal_equations");
        require(every >= 1, "wave::SpaceTimeError::normal_equations", "every is ", every, ", must be at least 1");
        require(!end.has_new_weights(), "wave::SpaceTimeError::normal_equations",
                "the stencil uses new values, as Mur's and Higdon's do, expected a stencil that uses old values only");
        const int P = end.form().size(), levels = end.past_levels(), width = end.reach();
        const Eigen::Index n_points = points();
        // Column 0 is e, column 1+p its derivative with respect to weight p.
        Eigen::MatrixXd now = Eigen::MatrixXd::Zero(n_points, P + 1), old = now,
                        gram = Eigen::MatrixXd::Zero(P + 1, P + 1);
        std::vector<Eigen::MatrixXd> recent(static_cast<std::size_t>(levels), Eigen::MatrixXd::Zero(width, P + 1));
        for (Eigen::Index n = 0; n < steps_; ++n) {
            std::rotate(recent.rbegin(), recent.rbegin() + 1, recent.rend());
            recent.front() = now.topRows(width);
            recent.front().col(0) += reference_.col(n).head(width);
            for (int f = 0; f <= P; ++f) march_.step(now.col(f).data(), old.col(f).data(), n_points);
            for (int k = H - 1; k >= 0; --k) {
                Eigen::RowVectorXd value = Eigen::RowVectorXd::Zero(P + 1);
                for (int i = 0; i < levels; ++i)
                    for (int j = 0; j < width; ++j) {
                        const auto& level = recent[static_cast<std::size_t>(i)];
                        value += end.weight(k, i, j) * level.row(j);
                        value[1 + end.index(k, i, j)] += level(j, 0);
                    }
                value[0] -= reference_(k, n + 1);
                old.row(k) = value;
            }
            now.swap(old);
            if (n % every != every - 1) continue;
            const double weight = dx_ * dt_ * every * (n + 1 == steps_ ? 0.5 : 1.0);
            gram.selfadjointView<Eigen::Lower>().rankUpdate(now.transpose(), weight);
            gram.selfadjointView<Eigen::Lower>().rankUpdate(now.row(0).transpose(), -0.5 * weight);
        }
        gram /= norm_ * norm_;
        G = gram.bottomRightCorner(P, P).selfadjointView<Eigen::Lower>();
        g = gram.col(0).tail(P);
        return gram(0, 0);
    }

  private:
    template <class E>
    void check(const E& end, const char* where) const {
        detail::require_matching<H>(end, where);
        const auto columns = std::max(static_cast<int>(end.reach()), static_cast<int>(end.next_rows().cols()));
        require(columns <= strip_, where, "the end uses ", columns, " points, must be at most those of the strip, ",
                strip_);
    }

    void march_reference(const ReleasedBump& bump) {
        const Eigen::Index ahead = static_cast<Eigen::Index>(std::ceil(bump.elongation * static_cast<double>(cells_)));
        const Eigen::Index n_points = ahead + cells_ + 1;
        Eigen::VectorXd old = Eigen::VectorXd::Zero(n_points), now = old;
        for (Eigen::Index k = 0; k <= cells_; ++k) {
            const double s = (static_cast<double>(k) * dx_ - bump.center) / bump.width;
            const double root = std::sin(std::numbers::pi * (s - 0.5));
            if (std::abs(s) <= 0.5) old[ahead + k] = root * root;
        }
        reference_.setZero(strip_, steps_ + 1);
        double total = 0.0;
        const auto record = [&](const Eigen::VectorXd& u, Eigen::Index n) {
            reference_.col(n) = u.segment(ahead, strip_);
            const double square = u.tail(cells_ + 1).squaredNorm() - 0.5 * u[ahead] * u[ahead];
            total += (n == 0 || n == steps_ ? 0.5 : 1.0) * square;
        };
        record(old, 0);
        march_.release(old.data(), now.data(), n_points);
        record(now, 1);
        for (Eigen::Index n = 2; n <= steps_; ++n) {
            march_.step(now.data(), old.data(), n_points);
            now.swap(old);
            record(now, n);
        }
        norm_ = std::sqrt(total * dx_ * dt_);
        require_positive(norm_, "wave::SpaceTimeError", "the norm of the reference");
    }

    detail::PlainMarch<H> march_;
    double dx_, dt_, length_;
    int strip_;
    Eigen::Index cells_ = 0, steps_ = 0;
    Eigen::MatrixXd reference_;  ///< strip x steps+1
    double norm_ = 0.0;
};

}  // namespace panto::wave
