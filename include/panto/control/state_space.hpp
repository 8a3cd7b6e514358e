// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Linear systems as values, and connections of them.
///
///     dt = 0:   x'     = A x    + B u,     y = C x + D u
///     dt > 0:   x[k+1] = A x[k] + B u[k],  y[k] = C x[k] + D u[k]
///
/// The state of a connection consists of the states of its parts, in the order of the arguments. All of this is
/// set-up code.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/linalg/hold.hpp>

#include <Eigen/Core>
#include <Eigen/LU>

#include <cmath>
#include <complex>

namespace panto::control {

struct StateSpace {
    Eigen::MatrixXd A = {}, B = {}, C = {}, D = {};
    double dt = 0.0;  ///< s; 0 for a continuous system

    [[nodiscard]] Eigen::Index states() const { return A.rows(); }
    [[nodiscard]] Eigen::Index inputs() const { return D.cols(); }
    [[nodiscard]] Eigen::Index outputs() const { return D.rows(); }
};

/// The course of the input between two samples. With `first_order` the output depends on the present input.
using InputHold = linalg::Hold;

/// @throws SetupError if sizes disagree, an entry is not finite, or dt is negative or not finite.
template <class = void>
void validate(const StateSpace& s, const char* where) {
    const Eigen::Index nx = s.states(), nu = s.inputs(), ny = s.outputs();
    require(s.A.cols() == nx && s.B.rows() == nx && s.B.cols() == nu && s.C.rows() == ny && s.C.cols() == nx, where,
            "the sizes of A (", s.A.rows(), " by ", s.A.cols(), "), B (", s.B.rows(), " by ", s.B.cols(), "), C (",
            s.C.rows(), " by ", s.C.cols(), ") and D (", ny, " by ", nu, ") must agree");
    require(nu > 0 && ny > 0, where, "a system needs at least one input and one output");
    const auto all_finite = [where](const Eigen::MatrixXd& M, const char* name) {
        for (Eigen::Index j = 0; j < M.cols(); ++j)
            for (Eigen::Index i = 0; i < M.rows(); ++i) require_finite(M(i, j), where, name, "(", i, ",", j, ")");
    };
    all_finite(s.A, "A"), all_finite(s.B, "B"), all_finite(s.C, "C"), all_finite(s.D, "D");
    require(is_finite(s.dt) && s.dt >= 0.0, where, "dt must be finite and >= 0, got ", s.dt);
}

/// y = D u, without a state.
/// @throws SetupError as validate() does.
template <class = void>
[[nodiscard]] StateSpace static_gain(const Eigen::MatrixXd& D, double dt = 0.0) {
    StateSpace s{Eigen::MatrixXd(0, 0), Eigen::MatrixXd(0, D.cols()), Eigen::MatrixXd(D.rows(), 0), D, dt};
    validate(s, "control::static_gain");
    return s;
}

/// The exact discrete form of a continuous system with delayed inputs.
///
/// The state is [x; u[k-1]; ...; u[k-m]], with the m earlier inputs that have yet to act. With delay = (m - 1 + p) dt,
/// 0 < p <= 1, two inputs act within a step: the older one for p dt, then the newer one [Astrom, Wittenmark,
/// Computer-Controlled Systems, 3rd ed., Sec. 2.3]. State and output belong to the same instant.
///
/// @param plant  a continuous system, dt = 0
/// @param dt     s
/// @param delay  s, of every input; with a first-order hold a whole number of steps
/// @throws SetupError if the plant is discrete, dt is not positive, the delay is negative or too long (1000 steps), or
/// the plant has a direct term D and its delay is not a whole number of steps.
template <class = void>
[[nodiscard]] StateSpace sampled(const StateSpace& plant, double dt, InputHold hold = InputHold::zero_order,
                                 double delay = 0.0) {
    const char* where = "control::sampled";
    validate(plant, where);
    require(plant.dt == 0.0, where, "the plant is discrete already, with dt = ", plant.dt, " s");
    require_positive(dt, where, "dt");
    require(is_finite(delay) && delay >= 0.0 && delay <= 1000.0 * dt, where,
            "delay must be between 0 and 1000 steps, got ", delay, " s with dt = ", dt, " s");
    const Eigen::Index nx = plant.states(), nu = plant.inputs();
    const double steps = delay / dt;
    const auto [whole, part] = linalg::split_delay(steps);
    const bool broken = part > 0.0;

    // x[k+1] = A x[k] + newer u[k-k0] + older u[k-k0-1],  y[k] = C x[k] + direct u[k-k0]
    StateSpace s{.A = plant.A, .B = plant.B, .C = plant.C, .D = plant.D, .dt = dt};
    Eigen::MatrixXd newer, older = Eigen::MatrixXd::Zero(nx, nu);
    if (hold == InputHold::first_order) {
        require(!broken, where, "the delay is ", steps,
                " steps; with a first-order hold it must be a whole number of steps");
        // With x = z + B_now u, the state z[k+1] does not depend on u[k+1].
        const auto ramped = linalg::first_order_hold(plant.A, plant.B, dt);
        s.A = ramped.A;
        newer = ramped.A * ramped.B_now + ramped.B_before;
        s.D += plant.C * ramped.B_now;
    } else if (broken) {
        require(plant.D.isZero(0.0), where, "the delay is ", steps,
                " steps; a plant with a direct term D needs a whole number of steps");
        const auto before = linalg::zero_order_hold(plant.A, plant.B, part * dt);
        const auto after = linalg::zero_order_hold(plant.A, plant.B, (1.0 - part) * dt);
        s.A = after.A * before.A;
        older = after.A * before.B;
        newer = after.B;
    } else {
        const auto held = linalg::zero_order_hold(plant.A, plant.B, dt);
        s.A = held.A;
        newer = held.B;
    }
    const Eigen::Index k0 = whole, old = k0 + (broken ? 1 : 0);
    if (old == 0) {
        s.B = newer;
        return s;
    }
    StateSpace late{.A = Eigen::MatrixXd::Zero(nx + old * nu, nx + old * nu),
                    .B = Eigen::MatrixXd::Zero(nx + old * nu, nu),
                    .C = Eigen::MatrixXd::Zero(plant.outputs(), nx + old * nu),
                    .D = Eigen::MatrixXd::Zero(plant.outputs(), nu),
                    .dt = dt};
    late.A.topLeftCorner(nx, nx) = s.A;
    late.C.leftCols(nx) = s.C;
    late.B.middleRows(nx, nu).setIdentity();
    late.A.block(nx + nu, nx, (old - 1) * nu, (old - 1) * nu).setIdentity();
    if (broken) late.A.block(0, nx + (old - 1) * nu, nx, nu) = older;
    if (k0 > 0) {
        late.A.block(0, nx + (k0 - 1) * nu, nx, nu) = newer;
        late.C.middleCols(nx + (k0 - 1) * nu, nu) = s.D;
    } else {
        late.B.topRows(nx) = newer;
    }
    return late;
}

/// Delays each of `channels` signals by `steps`. State: the signals of the last steps, the newest first.
/// @throws SetupError if channels < 1, steps < 0, their product is above 1000, or dt is not positive.
template <class = void>
[[nodiscard]] StateSpace pure_delay(Eigen::Index channels, Eigen::Index steps, double dt) {
    const char* where = "control::pure_delay";
    require(channels >= 1 && steps >= 0, where, "channels must be >= 1 and steps >= 0, got ", channels, " and ", steps);
    require(steps <= 1000 / channels, where, "channels are ", channels, " and steps ", steps,
            ", their product must be at most 1000");
    require_positive(dt, where, "dt");
    if (steps == 0) return static_gain(Eigen::MatrixXd::Identity(channels, channels), dt);
    const Eigen::Index n = channels * steps;
    StateSpace s{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, channels), Eigen::MatrixXd::Zero(channels, n),
                 Eigen::MatrixXd::Zero(channels, channels), dt};
    s.A.bottomLeftCorner(n - channels, n - channels).setIdentity();
    s.B.topRows(channels).setIdentity();
    s.C.rightCols(channels).setIdentity();
    return s;
}

namespace detail {

template <class = void>
void require_same_time(const StateSpace& a, const StateSpace& b, const char* where) {
    validate(a, where), validate(b, where);
    require(a.dt == b.dt, where, "the systems have different time steps: ", a.dt, " s and ", b.dt, " s, must be equal");
}

}  // namespace detail

/// The output of `first` drives `second`.
/// @throws SetupError if sizes or time steps disagree.
template <class = void>
[[nodiscard]] StateSpace series(const StateSpace& first, const StateSpace& second) {
    const char* where = "control::series";
    detail::require_same_time(first, second, where);
    require(first.outputs() == second.inputs(), where, "the first system has ", first.outputs(),
            " outputs and the second ", second.inputs(), " inputs, must be equal");
    const Eigen::Index n1 = first.states(), n2 = second.states();
    StateSpace s{Eigen::MatrixXd::Zero(n1 + n2, n1 + n2), Eigen::MatrixXd(n1 + n2, first.inputs()),
                 Eigen::MatrixXd(second.outputs(), n1 + n2), second.D * first.D, first.dt};
    s.A.topLeftCorner(n1, n1) = first.A;
    s.A.bottomLeftCorner(n2, n1) = second.B * first.C;
    s.A.bottomRightCorner(n2, n2) = second.A;
    s.B << first.B, second.B * first.D;
    s.C << second.D * first.C, second.C;
    return s;
}

/// Both systems get the same input; their outputs are added.
/// @throws SetupError if sizes or time steps disagree.
template <class = void>
[[nodiscard]] StateSpace parallel(const StateSpace& a, const StateSpace& b) {
    const char* where = "control::parallel";
    detail::require_same_time(a, b, where);
    require(a.inputs() == b.inputs() && a.outputs() == b.outputs(), where, "the systems are ", a.outputs(), " by ",
            a.inputs(), " and ", b.outputs(), " by ", b.inputs(), ", must be equal");
    const Eigen::Index n1 = a.states(), n2 = b.states();
    StateSpace s{Eigen::MatrixXd::Zero(n1 + n2, n1 + n2), Eigen::MatrixXd(n1 + n2, a.inputs()),
                 Eigen::MatrixXd(a.outputs(), n1 + n2), a.D + b.D, a.dt};
    s.A.topLeftCorner(n1, n1) = a.A;
    s.A.bottomRightCorner(n2, n2) = b.A;
    s.B << a.B, b.B;
    s.C << a.C, b.C;
    return s;
}

/// `forward` in a loop with `back`: the input of `forward` is u - back(y), its output is y. For positive feedback
/// change the sign of `back`.
/// @throws SetupError if sizes or time steps disagree, or if I + D_f D_b is singular, D_f and D_b being the direct
/// terms of `forward` and `back`.
template <class = void>
[[nodiscard]] StateSpace feedback(const StateSpace& forward, const StateSpace& back) {
    const char* where = "control::feedback";
    detail::require_same_time(forward, back, where);
    require(forward.outputs() == back.inputs() && back.outputs() == forward.inputs(), where, "forward is ",
            forward.outputs(), " by ", forward.inputs(), " and back is ", back.outputs(), " by ", back.inputs(),
            ", back must be ", forward.inputs(), " by ", forward.outputs());
    const Eigen::Index n1 = forward.states(), n2 = back.states(), ny = forward.outputs(), nu = forward.inputs();
    const Eigen::MatrixXd direct = Eigen::MatrixXd::Identity(ny, ny) + forward.D * back.D;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(direct);
    require(lu.isInvertible(), where, "I + D_forward D_back is singular: the loop has no solution");
    // y = T (C_f x_f - D_f C_b x_b + D_f u),  input of forward e = u - C_b x_b - D_b y
    const Eigen::MatrixXd T = lu.inverse();
    Eigen::MatrixXd y(ny, n1 + n2 + nu), e(nu, n1 + n2 + nu);
    y << T * forward.C, -T * forward.D * back.C, T * forward.D;
    e << Eigen::MatrixXd::Zero(nu, n1), -back.C, Eigen::MatrixXd::Identity(nu, nu);
    e -= back.D * y;
    Eigen::MatrixXd next(n1 + n2, n1 + n2 + nu);
    next.topRows(n1) = forward.B * e;
    next.topLeftCorner(n1, n1) += forward.A;
    next.bottomRows(n2) = back.B * y;
    next.block(n1, n1, n2, n2) += back.A;
    return {next.leftCols(n1 + n2), next.rightCols(nu), y.leftCols(n1 + n2), y.rightCols(nu), forward.dt};
}

/// A discrete plant with the sums of its outputs as further states and outputs, q[k+1] = q[k] + dt y[k], for integral
/// action. State [x; q], outputs [y; q].
/// @throws SetupError if the plant is continuous.
template <class = void>
[[nodiscard]] StateSpace with_integrators(const StateSpace& plant) {
    const char* where = "control::with_integrators";
    validate(plant, where);
    require(plant.dt > 0.0, where, "the plant is continuous; sample it first");
    const Eigen::Index nx = plant.states(), ny = plant.outputs(), nu = plant.inputs();
    StateSpace s{Eigen::MatrixXd::Identity(nx + ny, nx + ny), Eigen::MatrixXd(nx + ny, nu),
                 Eigen::MatrixXd::Identity(2 * ny, nx + ny), Eigen::MatrixXd::Zero(2 * ny, nu), plant.dt};
    s.A.topLeftCorner(nx, nx) = plant.A;
    s.A.bottomLeftCorner(ny, nx) = plant.dt * plant.C;
    s.B << plant.B, plant.dt * plant.D;
    s.C.setZero();
    s.C.topLeftCorner(ny, nx) = plant.C;
    s.C.bottomRightCorner(ny, ny).setIdentity();
    s.D.topRows(ny) = plant.D;
    return s;
}

/// A plant with a disturbance d on its input, d = F w, w+ = S w: the plant gets u + d. State [x; w], so an estimator
/// for this system estimates w. `S` = 1, `F` = 1 is a constant disturbance; see exosystem.hpp for others.
/// @throws SetupError if sizes disagree, S is empty, or an entry is not finite.
template <class = void>
[[nodiscard]] StateSpace with_input_disturbance(const StateSpace& plant, const Eigen::MatrixXd& S,
                                                const Eigen::MatrixXd& F) {
    const char* where = "control::with_input_disturbance";
    validate(plant, where);
    const Eigen::Index nx = plant.states(), nw = S.rows();
    require(nw > 0, where, "S is empty; it must describe at least one disturbance");
    require(S.cols() == nw && F.cols() == nw && F.rows() == plant.inputs(), where, "S is ", S.rows(), " by ", S.cols(),
            " and F ", F.rows(), " by ", F.cols(), ", the plant has ", plant.inputs(), " inputs");
    for (const double entry : S.reshaped()) require_finite(entry, where, "an entry of S");
    for (const double entry : F.reshaped()) require_finite(entry, where, "an entry of F");
    StateSpace s{Eigen::MatrixXd::Zero(nx + nw, nx + nw), Eigen::MatrixXd::Zero(nx + nw, plant.inputs()),
                 Eigen::MatrixXd(plant.outputs(), nx + nw), plant.D, plant.dt};
    s.A.topLeftCorner(nx, nx) = plant.A;
    s.A.topRightCorner(nx, nw) = plant.B * F;
    s.A.bottomRightCorner(nw, nw) = S;
    s.B.topRows(nx) = plant.B;
    s.C << plant.C, plant.D * F;
    validate(s, where);
    return s;
}

/// The frequency response C (lambda I - A)^-1 B + D with lambda = i w, or e^(i w dt) for a discrete system.
/// @param frequency  w, rad/s
/// @throws SetupError if the frequency is not finite, beyond pi/dt, or a pole of the system.
template <class = void>
[[nodiscard]] Eigen::MatrixXcd frequency_response(const StateSpace& s, double frequency) {
    const char* where = "control::frequency_response";
    validate(s, where);
    require_finite(frequency, where, "frequency");
    require(s.dt == 0.0 || std::abs(frequency) * s.dt <= 3.1415926535897940, where, "frequency is ", frequency,
            " rad/s; a system with dt = ", s.dt, " s has none beyond pi/dt");
    const std::complex<double> lambda =
        s.dt > 0.0 ? std::polar(1.0, frequency * s.dt) : std::complex<double>(0.0, frequency);
    Eigen::MatrixXcd resolvent = -s.A.cast<std::complex<double>>();
    resolvent.diagonal().array() += lambda;
    if (s.states() == 0) return s.D.cast<std::complex<double>>();
    const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(resolvent);
    const Eigen::MatrixXcd x = lu.solve(s.B.cast<std::complex<double>>());
    for (const std::complex<double> entry : x.reshaped())
        require(is_finite(entry.real()) && is_finite(entry.imag()), where, "the system has a pole at ", frequency,
                " rad/s");
    return s.C * x + s.D.cast<std::complex<double>>();
}

#ifdef PANTO_COMPILED
extern template StateSpace sampled(const StateSpace&, double, InputHold, double);
extern template StateSpace series(const StateSpace&, const StateSpace&);
extern template StateSpace parallel(const StateSpace&, const StateSpace&);
extern template StateSpace feedback(const StateSpace&, const StateSpace&);
extern template StateSpace with_integrators(const StateSpace&);
extern template StateSpace with_input_disturbance(const StateSpace&, const Eigen::MatrixXd&, const Eigen::MatrixXd&);
extern template Eigen::MatrixXcd frequency_response(const StateSpace&, double);
#endif

}  // namespace panto::control
