// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The axially loaded beam by its modes, under a force at one point that is a sum of sines. BeamModel approximates the
/// beam on a grid; ModalBeam makes records that do not come from the model fitted to them.
///     rA u_tt + dv u_t + dm u_xxxxt = -EI u_xxxx + T u_xx + F(t) delta(x - x_F) ,   at rest at t = 0
/// A mode of angular frequency omega has wave numbers b and a, a^2 = b^2 + T/EI, omega^2 = (EI b^4 + T b^2)/rA. Between
/// clamps, with l half the length, b and a are the roots of
///     b sin(b l) + a tanh(a l) cos(b l) = 0  (symmetric) ,   a sin(b l) - b tanh(a l) cos(b l) = 0  (antisymmetric) ,
/// one in each interval of pi/2 from b l = pi/2 on; between pins b = n pi/L. The material damping couples the modes of
/// a clamped beam under tension, so they are advanced together, with the sines as additional states: one matrix
/// exponential, exact in time. The omitted modes contribute statically.

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/wave/beam.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::ident {

/// The force newton sin(2 pi hertz t + phase).
struct SineForce {
    double newton = 0.0;
    double hertz = 0.0;
    double phase = 0.0;  ///< rad
};

struct ModalBeamParams {
    double length = 0.0;  ///< m
    wave::BeamParams<double> beam = {};
    bool clamped = true;  ///< at both ends; otherwise pinned there
    int modes = 80;       ///< modes with dynamics; further ones change a displacement by less than 1e-6 of it
};

class ModalBeam {
    using Vec = Vector<double, Dynamic>;
    using Mat = Matrix<double, Dynamic>;
    static constexpr const char* where = "ident::ModalBeam";
    static constexpr int at_rest_per_mode = 10;

  public:
    /// @throws SetupError if length, mass or stiffness is not positive, tension or a damping negative, or modes not 1
    /// to 300.
    template <class = void>
    explicit ModalBeam(const ModalBeamParams& p) : p_(p) {
        require_positive(p.length, where, "length");
        wave::detail::require_beam(p.beam, where);
        require_positive(p.beam.bending_stiffness, where, "bending_stiffness");
        require(p.modes >= 1 && p.modes <= 300, where, "modes is ", p.modes, ", must be from 1 to 300");
        for (int n = 1; n <= p.modes * (1 + at_rest_per_mode); ++n) b_.push_back(wave_number(n));
        weigh();
    }

    /// Angular frequency of the undamped mode n in rad/s; n counts from 1.
    [[nodiscard]] double frequency(int n) const {
        require(n >= 1 && n <= p_.modes, where, "mode ", n, ", must be from 1 to ", p_.modes);
        return omega(static_cast<std::size_t>(n - 1));
    }

    /// Deflection at `x`, in m, under a constant force of 1 N at `at`; both places in m from the left end.
    [[nodiscard]] double compliance(double x, double at) const { return compliance(x, at, 0); }

    /// Displacements [m] at the places `sensors` at dt, 2 dt, ..., steps dt, as a column for each sensor, with the
    /// force at `at`; places in m from the left end.
    /// @throws SetupError if a place is outside the beam, dt or steps is not positive, or there is no sine.
    template <class = void>
    [[nodiscard]] Mat response(double at, const std::vector<SineForce>& force, const std::vector<double>& sensors,
                               double dt, int steps) const {
        require_positive(dt, where, "dt");
        require(steps >= 1, where, "steps is ", steps, ", must be at least 1");
        require(!force.empty(), where, "there is no sine, at least one is needed");
        require_place(at, "the force");
        for (const double place : sensors) require_place(place, "a sensor");
        const Eigen::Index M = p_.modes, sines = static_cast<Eigen::Index>(force.size()), size = 2 * (M + sines);
        // States: omega q and q' of the modes, then sine and cosine of each part of the force.
        Mat A = Mat::Zero(size, size), y(steps, static_cast<Eigen::Index>(sensors.size()));
        Vec x = Vec::Zero(size), newton = Vec::Zero(size);
        A.block(M, M, M, M) = -damping_;
        for (Eigen::Index n = 0; n < M; ++n) {
            const double w = omega(static_cast<std::size_t>(n));
            A(n, M + n) = w, A(M + n, n) = -w;
        }
        for (Eigen::Index j = 0; j < sines; ++j) {
            const SineForce& part = force[static_cast<std::size_t>(j)];
            const double turn = 2.0 * std::numbers::pi * part.hertz;
            const Eigen::Index s = 2 * (M + j);
            A(s, s + 1) = turn, A(s + 1, s) = -turn;
            x[s] = std::sin(part.phase), x[s + 1] = std::cos(part.phase);
            newton[s] = part.newton;
            for (Eigen::Index n = 0; n < M; ++n) A(M + n, s) = part.newton * shape(static_cast<std::size_t>(n), at)[0];
        }
        Mat out(size, static_cast<Eigen::Index>(sensors.size()));
        for (Eigen::Index c = 0; c < out.cols(); ++c) {
            const double place = sensors[static_cast<std::size_t>(c)];
            out.col(c) = newton * compliance(place, at, b_.size() / (1 + at_rest_per_mode));
            for (std::size_t n = 0; n < static_cast<std::size_t>(M); ++n)
                out(static_cast<Eigen::Index>(n), c) = shape(n, place)[0] / omega(n);
        }
        const Mat step = linalg::expm(Mat(A * dt));
        for (int n = 0; n < steps; ++n) {
            x = (step * x).eval();
            y.row(n) = x.transpose() * out;
        }
        return y;
    }

  private:
    void require_place(double x, std::string_view what) const {
        require(x >= 0.0 && x <= p_.length, where, what, " is at ", x, " m, must be from 0 to the length, ", p_.length);
    }

    [[nodiscard]] double other(double b) const {
        return std::sqrt(b * b + p_.beam.tension / p_.beam.bending_stiffness);
    }

    [[nodiscard]] double omega(std::size_t n) const {
        const double b2 = b_[n] * b_[n];
        return std::sqrt(b2 * (p_.beam.bending_stiffness * b2 + p_.beam.tension) / p_.beam.mass_per_length);
    }

    [[nodiscard]] double wave_number(int n) const {
        const double half = 0.5 * p_.length, quarter = 0.5 * std::numbers::pi;
        if (!p_.clamped) return n * quarter / half;
        const auto f = [&](double b) {
            const double a = other(b), t = std::tanh(a * half), s = std::sin(b * half), c = std::cos(b * half);
            return n % 2 == 1 ? b * s + a * t * c : a * s - b * t * c;
        };
        const double low = n * quarter / half, high = (n + 1) * quarter / half;
        const bool rising = f(high) > f(low);
        return bisect([&](double b) { return (f(b) < 0.0) == rising; }, low, high).middle();
    }

    /// Shape and curvature of a mode at x, with unit modal mass once weigh() has been called.
    [[nodiscard]] std::array<double, 2> shape(std::size_t n, double x) const {
        const double b = b_[n], w = n < weight_.size() ? weight_[n] : 1.0;
        if (!p_.clamped) {
            const double s = w * std::sin(b * x);
            return {s, -b * b * s};
        }
        const double half = 0.5 * p_.length, s = x - half, a = other(b), far = std::exp(a * (std::abs(s) - half));
        const double twice = std::exp(-2.0 * a * std::abs(s)), whole = std::exp(-2.0 * a * half);
        const bool even = n % 2 == 0;
        const double wavy = even ? std::cos(b * s) : std::sin(b * s);
        const double at_end = even ? std::cos(b * half) : std::sin(b * half);
        const double steep =
            far * (even ? (1.0 + twice) / (1.0 + whole) : std::copysign(1.0, s) * (1.0 - twice) / (1.0 - whole));
        return {w * (wavy - at_end * steep), w * (-b * b * wavy - at_end * a * a * steep)};
    }

    [[nodiscard]] double compliance(double x, double at, std::size_t from) const {
        double sum = 0.0;
        for (std::size_t n = from; n < b_.size(); ++n) sum += shape(n, x)[0] * shape(n, at)[0] / (omega(n) * omega(n));
        return sum;
    }

    /// int phi^2 dx of an unscaled shape. Its cosine and hyperbolic cosine are orthogonal by the equation of the wave
    /// numbers; likewise the sines.
    [[nodiscard]] double square(std::size_t n) const {
        const double half = 0.5 * p_.length, b = b_[n], a = other(b);
        if (!p_.clamped) return half;
        const double t = std::tanh(a * half), fade = std::exp(-2.0 * a * half), sum = 1.0 + fade, gap = 1.0 - fade;
        if (n % 2 == 0) {
            const double c = std::cos(b * half);
            return half + std::sin(2.0 * b * half) / (2.0 * b) + c * c * (t / a + half * 4.0 * fade / (sum * sum));
        }
        const double s = std::sin(b * half);
        return half - std::sin(2.0 * b * half) / (2.0 * b) + s * s * (1.0 / (t * a) - half * 4.0 * fade / (gap * gap));
    }

    /// Unit modal masses, and the damping of the modes that move, by Gauss' rule with five points in panels over which
    /// the steepest shape changes by a factor of e.
    template <class = void>
    void weigh() {
        const double mass = p_.beam.mass_per_length;
        std::vector<double> weights;
        for (std::size_t n = 0; n < b_.size(); ++n) weights.push_back(1.0 / std::sqrt(mass * square(n)));
        weight_ = std::move(weights);
        constexpr std::array<double, 5> node{-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                             0.9061798459386640};
        constexpr std::array<double, 5> part{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                             0.4786286704993665, 0.2369268850561891};
        const auto moving = static_cast<std::size_t>(p_.modes);
        const int panels = 8 + static_cast<int>(other(b_[moving - 1]) * p_.length);
        damping_ = p_.beam.viscous_damping / mass * Mat::Identity(p_.modes, p_.modes);
        Vec bend(p_.modes);
        for (int k = 0; k < panels; ++k)
            for (std::size_t i = 0; i < 5; ++i) {
                const double x = (k + 0.5 + 0.5 * node[i]) * p_.length / panels;
                for (std::size_t n = 0; n < moving; ++n) bend[static_cast<Eigen::Index>(n)] = shape(n, x)[1];
                damping_ += p_.beam.material_damping * 0.5 * part[i] * p_.length / panels * bend * bend.transpose();
            }
    }

    ModalBeamParams p_;
    std::vector<double> b_, weight_;  // 1/m; 1/sqrt(kg) for shapes without unit
    Mat damping_;
};

}  // namespace panto::ident
