// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The bogie's Runge-Kutta step with its transpose, for ident::adjoint_gradient: the exact gradient of a function of a
/// run with respect to any parameters of bogie, track or speed. With the slope, the time derivative of the state, J_i
/// and P_i are its derivatives with respect to state and parameters at the four stages, l_i the adjoints of the stages'
/// slopes:
///     l4 = dt/6 lambda ,                   l3 = dt/3 lambda + dt J4' l4 ,
///     l2 = dt/3 lambda + dt/2 J3' l3 ,     l1 = dt/6 lambda + dt/2 J2' l2 ,
///     gradient += sum P_i' l_i ,           lambda += sum J_i' l_i .
/// J_i and P_i come from dual numbers with 20 + K derivatives. For a few parameters it is faster to run the bogie with
/// Dual<K>; use this for many.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/dual.hpp>
#include <panto/dynamics/runge_kutta.hpp>
#include <panto/vehicle/bogie.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace panto::vehicle {

/// @tparam K    number of parameters
/// @tparam Make `make(const Vector<S, K>&)` returns the bogie with these parameters, for S double and dual.
template <int K, class Make>
class BogieStepper {
    using D = Dual<20 + K>;
    using DualBogie = decltype(std::declval<const Make&>()(Vector<D, K>()));
    using PlainBogie = decltype(std::declval<const Make&>()(Vector<double, K>()));

  public:
    using State = Vector<double, 20>;

    /// @param dt s
    /// @throws SetupError as the bogie's constructor, or if dt is not positive.
    BogieStepper(const Make& make, const Vector<double, K>& parameters, double dt, const State& start = State::Zero())
        : bogie_(make(parameters)), dual_(make(seeded(parameters))), dt_(dt), start_(start) {
        require_positive(dt, "vehicle::BogieStepper", "dt");
    }

    [[nodiscard]] State start() const { return start_; }
    [[nodiscard]] Eigen::Index gradient_size() const { return K; }
    void step(int n, const State& x, State& next) const { bogie_.step(n * dt_, dt_, x, next); }

    void step_transposed(int n, const State& x, const State&, State& lambda, Vector<double, Dynamic>& gradient) const {
        const double t = n * dt_, half = 0.5 * dt_;
        std::array<Linear, 4> at;
        derive(t, x, at[0]);
        derive(t + half, x + half * at[0].slope, at[1]);
        derive(t + half, x + half * at[1].slope, at[2]);
        derive(t + dt_, x + dt_ * at[2].slope, at[3]);
        constexpr std::array<double, 4> weight{1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
        // Each stage is at x + reach times the slope of the stage before.
        const std::array<double, 4> reach{0.0, half, half, dt_};
        State back = State::Zero(), sum = State::Zero();
        for (std::size_t i = 4; i-- > 0;) {
            const State l = dt_ * weight[i] * lambda + back;
            gradient += at[i].by_parameters.transpose() * l;
            back = at[i].by_state.transpose() * l;
            sum += back;
            back *= reach[i];
        }
        lambda += sum;
    }

    /// The slope and its derivatives.
    struct Linear {
        State slope;
        Matrix<double, 20> by_state;
        Matrix<double, 20, K> by_parameters;
    };
    void derive(double time, const State& x, Linear& out) const {
        Vector<D, 20> seeds, slope;
        for (int i = 0; i < 20; ++i) seeds[i] = D::variable(x[i], i);
        dual_(D(time), seeds, slope);
        for (int i = 0; i < 20; ++i) {
            out.slope[i] = slope[i].value();
            for (int j = 0; j < 20; ++j) out.by_state(i, j) = slope[i].derivative(j);
            for (int j = 0; j < K; ++j) out.by_parameters(i, j) = slope[i].derivative(20 + j);
        }
    }

    [[nodiscard]] const PlainBogie& bogie() const noexcept { return bogie_; }
    [[nodiscard]] double dt() const noexcept { return dt_; }

  private:
    [[nodiscard]] static Vector<D, K> seeded(const Vector<double, K>& p) {
        Vector<D, K> s;
        for (int i = 0; i < K; ++i) s[i] = D::variable(p[i], 20 + i);
        return s;
    }
    PlainBogie bogie_;
    DualBogie dual_;
    double dt_;
    State start_;
};

}  // namespace panto::vehicle
