// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Limit cycles of a hunting bogie, stable or not, as a branch over the speed. With y_1, the lateral position of the
/// leading wheelset, a cycle begins with y_1 = amplitude and dy_1/dt = 0, and returns to the same state after a period
/// T:
///     x(T; x_0, v) = x_0 .
/// Newton's method solves for the other 18 states, T and v, with the exact Jacobian by dual numbers. The branch starts
/// at the linear hunting mode at the critical speed and is traced in steps of the amplitude: at a fold the amplitude
/// keeps increasing, the speed does not. Stability follows from the Floquet multipliers, the eigenvalues of dx(T)/dx_0.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/dual.hpp>
#include <panto/core/status.hpp>
#include <panto/vehicle/hunting.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

namespace panto::vehicle {

struct LimitCycle {
    double speed = std::numeric_limits<double>::quiet_NaN();  ///< m/s
    double period = 0.0;                                      ///< s
    double amplitude = 0.0;                                   ///< m, of y_1
    double yaw = 0.0;                                         ///< rad, largest of |psi_1|
    double multiplier = 0.0;  ///< -, largest magnitude of the Floquet multipliers without the trivial 1
    Vector<double, 20> state = Vector<double, 20>::Zero();  ///< at the largest y_1
    Status status = Status::not_converged;

    [[nodiscard]] bool stable() const noexcept { return multiplier < 1.0; }
};

struct LimitCycleParams {
    int steps = 200;           ///< Runge-Kutta steps in a period
    int iterations = 15;       ///< of Newton's method
    double tolerance = 1e-10;  ///< of the closure, relative to the amplitude
    double first = 1e-4;       ///< m, amplitude at which the branch starts
    double growth = 1.3;       ///< default factor from one amplitude to the next
    double largest = 8e-3;  ///< m, largest amplitude in the search for a speed; the contact model is valid up to here
    SpeedRange range{};     ///< of the critical speed
};

namespace detail {

/// The state a period later, with the derivatives of the scalar.
template <class B, Real S>
[[nodiscard]] Vector<S, 20> after_period(const B& bogie, Vector<S, 20> x, const S& period, int steps) {
    const S dt = period / S(static_cast<double>(steps));
    Vector<S, 20> next;
    for (int n = 0; n < steps; ++n) {
        bogie.step(S(0.0), dt, x, next);
        x = next;
    }
    return x;
}

/// Newton's method starting from `cycle`, with either the amplitude or the speed fixed.
template <class Track, class Law, class Geometry>
void close_cycle(const Bogie<double, Track, Law, Geometry>& bogie, LimitCycle& cycle, bool hold_speed,
                 const LimitCycleParams& params) {
    using D = Dual<20>;  // states without y_1 and its rate, then the period, then speed or amplitude
    const auto dual = bogie.template cast<D>();
    cycle.status = Status::not_converged;
    for (int n = 0; n < params.iterations; ++n) {
        Vector<D, 20> x;
        int k = 0;
        for (int i = 0; i < 20; ++i) x[i] = i == 6 || i == 16 ? D(cycle.state[i]) : D::variable(cycle.state[i], k++);
        const D period = D::variable(cycle.period, 18);
        D speed(cycle.speed);
        if (hold_speed)
            x[6] = D::variable(cycle.amplitude, 19);
        else
            speed = D::variable(cycle.speed, 19);
        const Vector<D, 20> end = after_period(dual.at_speed(speed), x, period, params.steps);
        Vector<double, 20> miss;
        Matrix<double, 20> J;
        for (int i = 0; i < 20; ++i) {
            const D r = end[i] - x[i];
            miss[i] = r.value();
            for (int j = 0; j < 20; ++j) J(i, j) = r.derivative(j);
        }
        if (!is_finite(miss.squaredNorm()) || !is_finite(J.squaredNorm())) return;
        const Vector<double, 20> step = J.partialPivLu().solve(miss);
        if (!is_finite(step.squaredNorm())) return;
        k = 0;
        for (int i = 0; i < 20; ++i)
            if (i != 6 && i != 16) cycle.state[i] -= step[k++];
        cycle.period -= step[18];
        (hold_speed ? cycle.amplitude : cycle.speed) -= step[19];
        cycle.state[6] = cycle.amplitude;
        if (!(cycle.period > 0.0) || !(cycle.speed > 0.0) || !(cycle.amplitude > 0.0)) return;
        // Residuals of rates are larger than those of states by the frequency, so they are not checked.
        if (miss.template head<10>().norm() < params.tolerance * cycle.amplitude) {
            cycle.status = Status::ok;
            return;
        }
    }
}

/// Yaw and multipliers of a closed cycle.
template <class Track, class Law, class Geometry>
void describe_cycle(const Bogie<double, Track, Law, Geometry>& bogie, LimitCycle& cycle, int steps) {
    using D = Dual<20>;
    const auto there = bogie.at_speed(cycle.speed);
    Vector<double, 20> x = cycle.state, next;
    cycle.yaw = 0.0;
    for (int n = 0; n < steps; ++n) {
        cycle.yaw = std::max(cycle.yaw, std::abs(x[8]));
        there.step(0.0, cycle.period / steps, x, next);
        x = next;
    }
    Vector<D, 20> seeded;
    for (int i = 0; i < 20; ++i) seeded[i] = D::variable(cycle.state[i], i);
    const Vector<D, 20> end = after_period(there.template cast<D>(), seeded, D(cycle.period), steps);
    Eigen::MatrixXd monodromy(20, 20);
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 20; ++j) monodromy(i, j) = end[i].derivative(j);
    const Eigen::VectorXcd values = linalg::eigenvalues(monodromy);
    Eigen::Index own = 0;
    (values.array() - 1.0).abs().minCoeff(&own);
    cycle.multiplier = 0.0;
    for (Eigen::Index i = 0; i < values.size(); ++i)
        if (i != own) cycle.multiplier = std::max(cycle.multiplier, std::abs(values[i]));
}

/// The linear hunting mode at the critical speed, scaled to an amplitude.
template <class Track, class Law, class Geometry>
[[nodiscard]] LimitCycle hunting_mode(const Bogie<double, Track, Law, Geometry>& bogie, double amplitude,
                                      const SpeedRange& range) {
    LimitCycle cycle;
    cycle.speed = critical_speed(bogie, range);
    cycle.amplitude = amplitude;
    require(is_finite(cycle.speed), "vehicle::limit_cycle", "the bogie is stable from ", range.lowest, " to ",
            range.highest, " m/s, expected a range that contains its critical speed");
    const Matrix<double, 20> A = jacobian(bogie.at_speed(cycle.speed));
    const Eigen::VectorXcd values = linalg::eigenvalues(A);
    Eigen::Index mode = 0;
    values.real().maxCoeff(&mode);
    const double omega = std::abs(values[mode].imag());
    require(omega > 0.0, "vehicle::limit_cycle", "the bogie loses its stability at ", cycle.speed,
            " m/s without oscillating: this is not a hunting motion");
    cycle.period = 2.0 * std::numbers::pi / omega;
    // Inverse iteration, from just beside the eigenvalue.
    using Complex = Eigen::Matrix<std::complex<double>, 20, 20>;
    Complex shifted = A.template cast<std::complex<double>>();
    shifted.diagonal().array() -= std::complex<double>(1e-7 * omega, omega);
    const Eigen::PartialPivLU<Complex> lu(shifted);
    Eigen::Matrix<std::complex<double>, 20, 1> z = Eigen::Matrix<std::complex<double>, 20, 1>::Ones();
    for (int n = 0; n < 4; ++n) z = lu.solve(z).eval().normalized();
    require(std::abs(z[6]) > 1e-12, "vehicle::limit_cycle", "the first wheelset does not take part in the mode at ",
            cycle.speed, " m/s, expected a cycle with lateral motion");
    cycle.state = (z * (amplitude / z[6])).real();
    cycle.state[16] = 0.0;
    return cycle;
}

/// A guess for the cycle of this `amplitude` from the last two cycles: speed and period are taken as linear in the
/// square of the amplitude, the state as linear in the amplitude.
[[nodiscard]] inline LimitCycle predicted(const LimitCycle& before, const LimitCycle& last, double amplitude) {
    const double a0 = before.amplitude * before.amplitude, a1 = last.amplitude * last.amplitude;
    const double q = (amplitude * amplitude - a1) / (a1 - a0),
                 r = (amplitude - last.amplitude) / (last.amplitude - before.amplitude);
    LimitCycle guess = last;
    guess.amplitude = amplitude;
    guess.speed = last.speed + q * (last.speed - before.speed);
    guess.period = last.period + q * (last.period - before.period);
    guess.state = last.state + r * (last.state - before.state);
    guess.state[6] = amplitude;
    guess.state[16] = 0.0;
    return guess;
}

}  // namespace detail

/// The cycles of the branch at increasing amplitudes of y_1, m. If Newton's method fails, the branch ends early with a
/// cycle that is not `ok`.
/// @throws SetupError if the amplitudes do not increase from above 0, or the bogie does not hunt in the range of
/// speeds.
template <class Track, class Law, class Geometry>
[[nodiscard]] std::vector<LimitCycle> limit_cycle_branch(const Bogie<double, Track, Law, Geometry>& bogie,
                                                         const std::vector<double>& amplitudes,
                                                         const LimitCycleParams& params = {}) {
    const char* where = "vehicle::limit_cycle_branch";
    require(params.steps >= 20, where, "steps is ", params.steps, ", must be at least 20");
    require(params.growth > 1.0, where, "growth is ", params.growth, ", must be above 1");
    require_positive(params.first, where, "first");
    for (std::size_t i = 0; i < amplitudes.size(); ++i)
        require(is_finite(amplitudes[i]) && amplitudes[i] > (i == 0 ? 0.0 : amplitudes[i - 1]), where, "amplitudes[", i,
                "] is ", amplitudes[i], " m, expected increasing amplitudes above 0");
    std::vector<LimitCycle> branch;
    if (amplitudes.empty()) return branch;
    const double start = std::min(params.first, amplitudes.front());
    // The limit of zero amplitude is the mode; it is the first of the two cycles for the prediction.
    LimitCycle before = detail::hunting_mode(bogie, start, params.range), last = before;
    detail::close_cycle(bogie, last, false, params);
    before.amplitude = 0.0;
    before.state.setZero();
    if (last.status != Status::ok) return {last};
    for (const double amplitude : amplitudes) {
        while (last.amplitude < amplitude) {
            const double next = last.amplitude * params.growth < amplitude ? last.amplitude * params.growth : amplitude;
            LimitCycle cycle = detail::predicted(before, last, next);
            detail::close_cycle(bogie, cycle, false, params);
            if (cycle.status != Status::ok) {
                branch.push_back(cycle);
                return branch;
            }
            before = last;
            last = cycle;
        }
        branch.push_back(last);
        detail::describe_cycle(bogie, branch.back(), params.steps);
    }
    return branch;
}

/// The first limit cycle of the branch at `speed`, m/s. `not_converged`, with NaN as speed, if the branch does not
/// reach this speed below the largest amplitude.
/// @throws SetupError as limit_cycle_branch.
template <class Track, class Law, class Geometry>
[[nodiscard]] LimitCycle limit_cycle_at(const Bogie<double, Track, Law, Geometry>& bogie, double speed,
                                        const LimitCycleParams& params = {}) {
    require_positive(speed, "vehicle::limit_cycle_at", "speed");
    LimitCycle before = detail::hunting_mode(bogie, params.first, params.range), last = before;
    detail::close_cycle(bogie, last, false, params);
    before.amplitude = 0.0;
    before.state.setZero();
    while (last.status == Status::ok) {
        if ((before.speed - speed) * (last.speed - speed) <= 0.0) {
            const double share = (speed - before.speed) / (last.speed - before.speed);
            const double a0 = before.amplitude * before.amplitude, a1 = last.amplitude * last.amplitude;
            LimitCycle cycle = detail::predicted(before, last, std::sqrt(a0 + share * (a1 - a0)));
            cycle.speed = speed;
            detail::close_cycle(bogie, cycle, true, params);
            if (cycle.status == Status::ok) detail::describe_cycle(bogie, cycle, params.steps);
            return cycle;
        }
        if (last.amplitude >= params.largest) break;
        LimitCycle next = detail::predicted(before, last, last.amplitude * params.growth);
        detail::close_cycle(bogie, next, false, params);
        before = last;
        last = next;
    }
    return {};
}

#ifdef PANTO_COMPILED
extern template std::vector<LimitCycle> limit_cycle_branch(const Bogie<>&, const std::vector<double>&,
                                                           const LimitCycleParams&);
extern template LimitCycle limit_cycle_at(const Bogie<>&, double, const LimitCycleParams&);
#endif

}  // namespace panto::vehicle
