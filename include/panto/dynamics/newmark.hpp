// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Newmark's rule for a scalar second-order system m u'' + c u' + k u = f, as a linear recursion of its state
/// x = [u, u', u''] [HiL paper, App. A; Newmark 1959]:
///
///     x[k+1] = A x[k] + B f[k+1],     K_it = m/(beta dt^2) + c gamma/(beta dt) + k
///     r = [m_U m_V m_A] / K_it,       A = [r; c_VU (r - e1) + c_VV e2 + c_VA e3; c_AU (r - e1) + c_AV e2 + c_AA e3]
///     B = [1; c_VU; c_AU] / K_it
///
/// with the unit row vectors e1, e2, e3 and
///
///     c_AU = 1/(beta dt^2),    c_AV = -1/(beta dt),     c_AA = 1 - 1/(2 beta)
///     c_VU = gamma/(beta dt),  c_VV = 1 - gamma/beta,   c_VA = dt (1 - gamma/(2 beta))
///     m_U = m c_AU + c c_VU,   m_V = -m c_AV - c c_VV,  m_A = -m c_AA - c c_VA .
///
/// The paper's (A.3) prints B = [1; 0; 0] / K_it: the force is then missing in speed and acceleration, and the result
/// does not converge, however small dt is. The force is taken at the *end* of the step.
///
/// The default beta = 1/4, gamma = 1/2 is the average-acceleration (trapezoidal) rule: second order, no numerical
/// damping, stable for every dt. An undamped oscillation of frequency f gets the frequency atan(pi f dt)/(pi dt).

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/dynamics/concepts.hpp>

#include <string>
#include <string_view>

namespace panto::dynamics {

struct NewmarkParams {
    double beta = 0.25;  ///< above 0 (0 is the explicit central difference); from gamma/2 on, stable for every dt
    double gamma = 0.5;  ///< from 1/2 to 1; below 1/2, every oscillation grows
};

/// m u'' + c u' + k u = f.
template <Real Scalar = double>
struct OscillatorParams {
    Scalar mass{};       ///< kg, positive
    Scalar damping{};    ///< N s/m, not negative
    Scalar stiffness{};  ///< N/m, not negative
};

/// Checks the parameters of an oscillator. Messages call it `name`.
/// @throws SetupError naming the field, unless the mass is positive, damping and stiffness are not negative, and all
/// are finite.
template <Real Scalar>
void require_oscillator(const OscillatorParams<Scalar>& p, std::string_view where, const std::string& name) {
    require_positive(value_of(p.mass), where, name, ".mass");
    require_not_negative(value_of(p.damping), where, name, ".damping");
    require_not_negative(value_of(p.stiffness), where, name, ".stiffness");
}

/// An oscillator advanced by Newmark's rule. The model is constant; its state is a separate value.
template <Real Scalar = double>
class NewmarkOscillator {
  public:
    using State = Vector<Scalar, 3>;  ///< m, m/s, m/s^2
    using Input = Scalar;             ///< N, at the end of the step
    using Output = Scalar;            ///< m

    /// @param dt time step, s.
    /// @throws SetupError if a parameter is invalid (see the structs), dt is not positive, or dt is so small or large
    /// that A or B is not finite.
    NewmarkOscillator(const OscillatorParams<Scalar>& p, double dt, const NewmarkParams& rule = {}) : p_(p), dt_(dt) {
        const char* where = "dynamics::NewmarkOscillator";
        require_positive(dt, where, "dt");
        require_positive(rule.beta, where, "beta");
        require(rule.gamma >= 0.5 && rule.gamma <= 1.0, where, "gamma is ", rule.gamma, ", must be from 0.5 to 1");
        require_oscillator(p, where, "oscillator");

        const double b = rule.beta, g = rule.gamma;
        const double c_au = 1.0 / (b * dt * dt), c_av = -1.0 / (b * dt), c_aa = 1.0 - 1.0 / (2.0 * b);
        const double c_vu = g / (b * dt), c_vv = 1.0 - g / b, c_va = dt * (1.0 - g / (2.0 * b));
        const Scalar& m = p.mass;
        const Scalar& c = p.damping;
        const Scalar K = m * Scalar(c_au) + c * Scalar(c_vu) + p.stiffness;
        Vector<Scalar, 3> r;
        r << (m * Scalar(c_au) + c * Scalar(c_vu)) / K, (m * Scalar(-c_av) + c * Scalar(-c_vv)) / K,
            (m * Scalar(-c_aa) + c * Scalar(-c_va)) / K;
        const Vector<Scalar, 3> e1 = Vector<Scalar, 3>::Unit(0);
        A_.row(0) = r.transpose();
        A_.row(1) = ((r - e1) * Scalar(c_vu)).transpose();
        A_(1, 1) = A_(1, 1) + Scalar(c_vv);
        A_(1, 2) = A_(1, 2) + Scalar(c_va);
        A_.row(2) = ((r - e1) * Scalar(c_au)).transpose();
        A_(2, 1) = A_(2, 1) + Scalar(c_av);
        A_(2, 2) = A_(2, 2) + Scalar(c_aa);
        B_ << Scalar(1.0) / K, Scalar(c_vu) / K, Scalar(c_au) / K;
        for (Eigen::Index i = 0; i < 9; ++i)
            require(is_finite(value_of(A_(i))) && is_finite(value_of(B_[i / 3])), where, "dt is ", dt,
                    " s, for which the matrices of a step are not finite");
    }

    /// Initial state for height (m), speed (m/s) and force (N); the acceleration follows from the equation of motion.
    [[nodiscard]] State state(const Scalar& height, const Scalar& speed, const Scalar& force) const {
        State x;
        x << height, speed, (force - p_.damping * speed - p_.stiffness * height) / p_.mass;
        return x;
    }

    /// Advances by dt(). `force_at_end` acts at the end of the step. `next` must not alias `x`. @rt
    void step(const State& x, const Input& force_at_end, State& next) const noexcept {
        next.noalias() = A_ * x;
        next.noalias() += B_ * force_at_end;
    }

    /// @rt
    void output(const State& x, const Input&, Output& height) const noexcept { height = x[0]; }

    [[nodiscard]] double dt() const noexcept { return dt_; }
    [[nodiscard]] const Matrix<Scalar, 3>& A() const noexcept { return A_; }
    [[nodiscard]] const Vector<Scalar, 3>& B() const noexcept { return B_; }  ///< per newton
    [[nodiscard]] const OscillatorParams<Scalar>& params() const noexcept { return p_; }

  private:
    OscillatorParams<Scalar> p_;
    double dt_;
    Matrix<Scalar, 3> A_;
    Vector<Scalar, 3> B_;
};

static_assert(DiscreteSystem<NewmarkOscillator<>>);

}  // namespace panto::dynamics
