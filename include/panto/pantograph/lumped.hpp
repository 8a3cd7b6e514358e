// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lumped-mass pantograph: a vertical chain of masses from the strip down to the roof.
///
///     m_i u_i'' = S_(i-1) - S_i + f_i,   S_i = k_i (u_i - u_(i+1)) + c_i (u_i' - u_(i+1)')
///
/// with mass 0 the pan-head, mass N-1 the frame, u_N = 0 the roof, S_(-1) = 0 and external forces f_i. The contact
/// force F pushes mass 0 down (f_0 = -F), the uplift force lifts mass N-1 (for N = 1 both act on the same mass).
/// Heights are upward from the nominal wire height, at which all springs are relaxed; weight is balanced by the uplift
/// drive and left out [EN 50318, lumped-mass model].
///
/// Time stepping is the trapezoidal rule (Newmark, gamma = 1/2, beta = 1/4):
///
///     K_it u+ = f+ + M (4 u/dt^2 + 4 u'/dt + u'') + C (2 u/dt + u'),   K_it = 4 M/dt^2 + 2 C/dt + K
///
/// [HiL paper, App. A; Newmark 1959]. As K_it is constant, the contact force at the end of a step moves the
/// head by exactly -head_compliance() per newton, which is what an implicit coupling needs.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/dynamics/concepts.hpp>
#include <panto/plant/chain.hpp>

#include <Eigen/Cholesky>

#include <limits>

namespace panto::pantograph {

/// Entry 0 belongs to the pan-head, the last one to the frame. Spring and damper i join mass i to mass i+1, the last
/// ones to the roof.
template <Real Scalar = double, int N = Dynamic>
using LumpedParams = plant::ChainParams<Scalar, N>;

/// Height, speed and acceleration of every mass, head first: m, m/s, m/s^2, upward.
template <Real Scalar = double, int N = Dynamic>
struct LumpedState {
    Vector<Scalar, N> u = {};
    Vector<Scalar, N> v = {};
    Vector<Scalar, N> a = {};
};

/// Throws unless the parameters describe a pantograph.
/// @throws SetupError naming the field, its value and what is allowed.
template <Real Scalar, int N>
void validate(const LumpedParams<Scalar, N>& p) {
    plant::validate(p, "pantograph::Lumped");
}

/// @tparam Scalar double, or a dual number to differentiate with respect to the parameters.
/// @tparam N      number of masses, or Dynamic.
template <Real Scalar = double, int N = Dynamic>
class Lumped {
    static constexpr int Nx = sum_size(N, N);

  public:
    using Params = LumpedParams<Scalar, N>;
    using State = LumpedState<Scalar, N>;

    struct Input {
        Scalar contact_force{};  ///< N, at the end of the step, pushing the head down
        Scalar uplift_force{};   ///< N, at the end of the step, lifting the frame
    };
    struct Output {
        Scalar height{};        ///< m, of the head
        Scalar speed{};         ///< m/s
        Scalar acceleration{};  ///< m/s^2
    };
    /// x' = A x + B [contact force; uplift force], x = [u; v]: for zero-order hold, eigenvalues, transfer functions.
    struct StateMatrices {
        Matrix<Scalar, Nx> A;
        Matrix<Scalar, Nx, 2> B;
    };

    /// @param dt time step, s.
    /// @throws SetupError if a mass or dt is not positive, another parameter is negative, or sizes differ.
    Lumped(const Params& p, double dt);

    /// Advances by dt without a contact force at the end of the step; the forces at its beginning are in x.a.
    /// `next` must not alias `x`. Returns out_of_range, with nothing done, if a size does not fit the model. @rt
    Status predict(const State& x, const Scalar& uplift_force, State& next) const noexcept {
        if (!fits(x) || !fits(next)) return Status::out_of_range;
        const Scalar per_dt = Scalar(1.0 / dt_);
        // next.v and next.a serve as scratch space, so that run-time sizes need no allocation.
        next.v = Scalar(2.0) * per_dt * x.u + x.v;
        next.a = params_.mass.cwiseProduct(Scalar(2.0) * per_dt * (next.v + x.v) + x.a) + C_.lazyProduct(next.v);
        next.a[size() - 1] += uplift_force;
        next.u = compliance_.lazyProduct(next.a);
        next.v = Scalar(2.0) * per_dt * (next.u - x.u) - x.v;
        next.a = Scalar(2.0) * per_dt * (next.v - x.v) - x.a;
        return Status::ok;
    }

    /// The same above a roof that moves. @param roof  motion at the end of the step, relative to its height at rest
    /// @rt
    Status predict(const State& x, const Scalar& uplift_force, const Motion& roof, State& next) const noexcept {
        const Eigen::Index last = size() - 1;
        return predict(x,
                       Scalar(uplift_force + (params_.stiffness[last] * Scalar(roof.height) +
                                              params_.damping[last] * Scalar(roof.speed))),
                       next);
    }

    /// Adds the effect of a contact force at the end of the step to the result of predict(); forces add up.
    /// Returns out_of_range, with nothing done, if the size of `next` does not fit. @rt
    Status add_contact(const Scalar& force, State& next) const noexcept {
        if (!fits(next)) return Status::out_of_range;
        const Scalar per_dt = Scalar(2.0 / dt_);
        next.u -= force * compliance_.col(0);
        next.v -= per_dt * force * compliance_.col(0);
        next.a -= per_dt * per_dt * force * compliance_.col(0);
        return Status::ok;
    }

    /// The same for a force that lifts mass `i`, N. Returns out_of_range, with nothing done, if there is no such mass
    /// or the size of `next` does not fit. @rt
    Status add_force(Eigen::Index i, const Scalar& force, State& next) const noexcept {
        if (!fits(next) || i < 0 || i >= size()) return Status::out_of_range;
        const Scalar per_dt = Scalar(2.0 / dt_);
        next.u += force * compliance_.col(i);
        next.v += per_dt * force * compliance_.col(i);
        next.a += per_dt * per_dt * force * compliance_.col(i);
        return Status::ok;
    }

    /// predict() and add_contact() in one, for a known contact force. `next` must not alias `x`. Returns out_of_range,
    /// with nothing done, if a size does not fit the model. @rt
    Status step(const State& x, const Input& input, State& next) const noexcept {
        const Status status = predict(x, input.uplift_force, next);
        return usable(status) ? add_contact(input.contact_force, next) : status;
    }

    /// Motion of the head. Returns out_of_range, with `y` unchanged, if the size of `x` does not fit. @rt
    Status output(const State& x, const Input&, Output& y) const noexcept {
        if (!fits(x)) return Status::out_of_range;
        y.height = x.u[0];
        y.speed = x.v[0];
        y.acceleration = x.a[0];
        return Status::ok;
    }

    /// How far a contact force at the end of a step moves the head by the end of that step, m/N. @rt
    [[nodiscard]] Scalar head_compliance() const noexcept { return compliance_(0, 0); }
    /// The same; it does not depend on the state. @rt
    [[nodiscard]] Scalar head_compliance(const State&) const noexcept { return compliance_(0, 0); }
    /// How far a force on mass `j` at the end of a step moves mass `i` by the end of that step, m/N; NaN for masses
    /// that do not exist. @rt
    [[nodiscard]] Scalar compliance(Eigen::Index i, Eigen::Index j) const noexcept {
        return i < 0 || j < 0 || i >= size() || j >= size() ? no_number<Scalar>() : compliance_(i, j);
    }

    /// Sets x.a from the equation of motion under these forces. Needed at the start of a run and where a force jumps,
    /// because x.a contains the forces at the beginning of a step. Returns out_of_range, with nothing done, if the size
    /// of `x` does not fit the model. @rt
    Status balance(State& x, const Input& input) const noexcept {
        if (!fits(x)) return Status::out_of_range;
        x.a = -(C_.lazyProduct(x.v) + K_.lazyProduct(x.u));
        x.a[0] -= input.contact_force;
        x.a[size() - 1] += input.uplift_force;
        x.a = x.a.cwiseQuotient(params_.mass);
        return Status::ok;
    }

    /// Kinetic energy and energy of the springs, J; NaN if the size of `x` does not fit the model. @rt
    [[nodiscard]] Scalar energy(const State& x) const noexcept {
        if (!fits(x)) return no_number<Scalar>();
        Scalar twice = Scalar(0.0);
        for (Eigen::Index i = 0; i < size(); ++i) {
            const Scalar stretch = i + 1 < size() ? Scalar(x.u[i] - x.u[i + 1]) : x.u[i];
            twice += params_.mass[i] * x.v[i] * x.v[i] + params_.stiffness[i] * stretch * stretch;
        }
        return Scalar(0.5) * twice;
    }

    /// All masses at the nominal height, without forces.
    [[nodiscard]] State at_rest() const {
        State x;
        x.u.setZero(size());
        x.v.setZero(size());
        x.a.setZero(size());
        return x;
    }

    /// At rest under constant forces.
    /// @throws SetupError if a spring that would have to carry a force has no stiffness.
    [[nodiscard]] State in_equilibrium(const Scalar& uplift_force, const Scalar& contact_force) const {
        State x = at_rest();
        Scalar height = Scalar(0.0);
        for (Eigen::Index i = size(); i-- > 0;) {
            const Scalar carried = i + 1 == size() ? Scalar(uplift_force - contact_force) : Scalar(-contact_force);
            const double value = value_of(carried);
            require_finite(value, "pantograph::Lumped::in_equilibrium", "the force in spring ", i);
            const bool loaded = value < 0.0 || value > 0.0;
            const bool stiff = Scalar(0.0) < params_.stiffness[i];
            require(stiff || !loaded, "pantograph::Lumped::in_equilibrium", "stiffness[", i,
                    "] is 0, but this spring would have to carry ", value,
                    " N; expected a positive stiffness, or forces that cancel");
            if (stiff) height += carried / params_.stiffness[i];
            x.u[i] = height;
        }
        return x;
    }

    /// At rest with the head at `head_height`, m, under `forces`, which must hold it there (static_contact_force()).
    /// All springs above the frame must have stiffness.
    [[nodiscard]] State held(const Scalar& head_height, const Input& forces) const {
        State x = at_rest();
        x.u[0] = head_height;
        for (Eigen::Index i = 1; i < size(); ++i) x.u[i] = x.u[i - 1] + forces.contact_force / params_.stiffness[i - 1];
        return x;
    }

    /// Contact force, N, with which the head rests at `head_height`, m, for a start in loaded equilibrium. Negative if
    /// the head does not reach this height.
    /// @throws SetupError if a spring above the frame has no stiffness, or height or force are not finite.
    [[nodiscard]] Scalar static_contact_force(const Scalar& head_height, const Scalar& uplift_force) const {
        require_finite(value_of(head_height), "pantograph::Lumped::static_contact_force", "head_height");
        require_finite(value_of(uplift_force), "pantograph::Lumped::static_contact_force", "uplift_force");
        const Scalar& roof = params_.stiffness[size() - 1];
        Scalar compliance = Scalar(0.0);
        for (Eigen::Index i = 0; i + 1 < size(); ++i) {
            require_positive(value_of(params_.stiffness[i]), "pantograph::Lumped::static_contact_force", "stiffness[",
                             i, "]");
            compliance += Scalar(1.0) / params_.stiffness[i];
        }
        return (uplift_force - roof * head_height) / (Scalar(1.0) + roof * compliance);
    }

    [[nodiscard]] StateMatrices state_matrices() const {
        const Eigen::Index n = size();
        StateMatrices m;
        m.A.setZero(2 * n, 2 * n);
        m.B.setZero(2 * n, 2);
        for (Eigen::Index i = 0; i < n; ++i) {
            m.A(i, n + i) = Scalar(1.0);
            for (Eigen::Index j = 0; j < n; ++j) {
                m.A(n + i, j) = -K_(i, j) / params_.mass[i];
                m.A(n + i, n + j) = -C_(i, j) / params_.mass[i];
            }
        }
        m.B(n, 0) = Scalar(-1.0) / params_.mass[0];
        m.B(2 * n - 1, 1) = Scalar(1.0) / params_.mass[n - 1];
        return m;
    }

    [[nodiscard]] double dt() const noexcept { return dt_; }
    [[nodiscard]] Eigen::Index size() const noexcept { return params_.mass.size(); }
    [[nodiscard]] const Params& params() const noexcept { return params_; }

  private:
    [[nodiscard]] bool fits(const State& x) const noexcept {
        return x.u.size() == size() && x.v.size() == size() && x.a.size() == size();
    }

    Params params_;
    double dt_;
    Matrix<Scalar, N> C_;           // N s/m
    Matrix<Scalar, N> K_;           // N/m
    Matrix<Scalar, N> compliance_;  // K_it^-1, m/N
};

static_assert(DiscreteSystem<Lumped<>> && DiscreteSystem<Lumped<double, 3>>);

template <Real Scalar, int N>
Lumped<Scalar, N>::Lumped(const Params& p, double dt) : params_(p), dt_(dt) {
    validate(p);
    require_positive(dt, "pantograph::Lumped", "dt");
    const Eigen::Index n = size();
    C_ = plant::chain_matrix(p.damping);
    K_ = plant::chain_matrix(p.stiffness);
    Matrix<Scalar, N> K_it = K_ + Scalar(2.0 / dt) * C_;
    K_it.diagonal() += Scalar(4.0 / (dt * dt)) * p.mass;
    const Matrix<Scalar, N> identity = Matrix<Scalar, N>::Identity(n, n);
    compliance_ = K_it.llt().solve(identity);
    const double g = value_of(compliance_(0, 0));
    require(g > 0.0 && is_finite(g), "pantograph::Lumped", "dt is ", dt, ", which gives the head a compliance of ", g,
            " m/N per step; choose a time step for which 4 mass/dt^2 is neither 0 nor infinite");
}

#ifdef PANTO_COMPILED
extern template Lumped<>::Lumped(const LumpedParams<>&, double);
#endif

}  // namespace panto::pantograph
