// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A linear field in discrete time, with a sensor inside and an unknown action at the boundary.
/// Inputs w = (known ones..., action) are linear between the samples; every mode is advanced exactly for such inputs
/// (first-order hold):
///
///     x[k+1] = A x[k] + B_before w[k] + B_now w[k+1],     y[k+1] = C x[k+1] + D0 w[k] + D1 w[k+1]
///
/// A block diagonal with blocks of `Order` 1 (diffusion) or 2 (vibration). D1 contains the static response of the
/// omitted modes, so that the static field is exact with any number of modes. D0 and D1 together also contain the first
/// correction for these modes, which suffices for modes that decay within a step.
///
/// It is a DiscreteSystem: at_rest(), step() with the inputs at the end of the step, output(). Models that solve
/// for the action use the parts of a step, advance(), act(), sensor() and boundary().

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>
#include <panto/dynamics/concepts.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace panto::ident {

namespace detail {

template <class T, int N>
using Tuple = std::array<T, static_cast<std::size_t>(N)>;

}  // namespace detail

/// One mode over one step. State of order 2: coordinate and its rate divided by the scale the caller chose.
template <Real Scalar, int Order, int Inputs>
struct FieldMode {
    detail::Tuple<detail::Tuple<Scalar, Order>, Order> A{};
    detail::Tuple<detail::Tuple<Scalar, Inputs>, Order> B_before{}, B_now{};
    Scalar sensor{};    ///< sensor output per unit of the coordinate
    Scalar boundary{};  ///< boundary variable per unit of the coordinate
};

namespace detail {

/// e^(M dt) and the two integrals of a ramped input, for x' = M x + g w: the exponential of the block matrix of
/// [Van Loan 1978] by scaling, Taylor series and squaring, which works for dual numbers.
template <Real Scalar, int Order, int Inputs>
void discretize(const detail::Tuple<detail::Tuple<Scalar, Order>, Order>& M, const detail::Tuple<Scalar, Inputs>& gain,
                double dt, FieldMode<Scalar, Order, Inputs>& mode) {
    constexpr int n = Order + 2;  // state, input, slope of the input
    using Block = Tuple<Tuple<Scalar, n>, n>;
    const auto product = [](const Block& P, const Block& Q) {
        Block R{};
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                Scalar sum(0.0);
                for (std::size_t k = 0; k < n; ++k) sum += P[i][k] * Q[k][j];
                R[i][j] = sum;
            }
        return R;
    };
    Block E{};
    double norm = 0.0;
    for (auto& row : E) row.fill(Scalar(0.0));
    for (std::size_t i = 0; i < Order; ++i)
        for (std::size_t j = 0; j < Order; ++j) {
            E[i][j] = M[i][j] * Scalar(dt);
            norm += std::abs(value_of(E[i][j]));
        }
    E[Order - 1][Order] = Scalar(dt);  // a unit input drives the last state; its gain comes afterwards
    E[Order][Order + 1] = Scalar(1.0);
    require(panto::is_finite(norm), "ident::ModalField", "a rate times dt is ", norm, ", must be finite");
    int halvings = 0;
    for (double reach = norm; reach > 0.5; reach *= 0.5) ++halvings;
    for (auto& row : E)
        for (auto& entry : row) entry = entry * Scalar(std::ldexp(1.0, -halvings));
    Block sum{}, term{};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) sum[i][j] = term[i][j] = Scalar(i == j ? 1.0 : 0.0);
    for (int k = 1; k <= 18; ++k) {
        term = product(term, E);
        for (auto& row : term)
            for (auto& entry : row) entry = entry * Scalar(1.0 / k);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) sum[i][j] += term[i][j];
    }
    for (int k = 0; k < halvings; ++k) sum = product(sum, sum);
    for (std::size_t i = 0; i < Order; ++i) {
        for (std::size_t j = 0; j < Order; ++j) mode.A[i][j] = sum[i][j];
        for (std::size_t j = 0; j < Inputs; ++j) {
            mode.B_now[i][j] = sum[i][Order + 1] * gain[j];
            mode.B_before[i][j] = (sum[i][Order] - sum[i][Order + 1]) * gain[j];
        }
    }
}

}  // namespace detail

/// The field. Made by heat_slab(), spring_beam() or a product_filter(); any other modal field works as well.
template <Real S, int ModeOrder, int KnownInputs>
class ModalField {
  public:
    using Scalar = S;
    static constexpr int order = ModeOrder;
    static constexpr int known = KnownInputs;       ///< for instance prescribed motions
    static constexpr int inputs = KnownInputs + 1;  ///< the last one is the unknown action
    using Mode = FieldMode<Scalar, order, inputs>;
    using Input = detail::Tuple<Scalar, inputs>;
    using Row = detail::Tuple<Scalar, inputs>;
    using State = Vector<Scalar, Dynamic>;  ///< modes, then the inputs and the outputs at the sample
    struct Output {
        Scalar sensor{}, boundary{};
    };

    /// Direct responses to the inputs, without the modes.
    struct Direct {
        Row before{}, now{};  ///< per input at the beginning and at the end of the step
    };

    /// @throws SetupError if dt [s] is not positive.
    ModalField(std::vector<Mode> modes, const Direct& sensor, const Direct& boundary, double dt)
        : modes_(std::move(modes)), sensor_(sensor), boundary_(boundary), dt_(dt) {
        require_positive(dt, "ident::ModalField", "dt");
        gain_ = boundary_.now[known];
        for (const Mode& m : modes_) gain_ += m.boundary * m.B_now[0][known];
    }

    [[nodiscard]] double dt() const noexcept { return dt_; }
    [[nodiscard]] int modes() const noexcept { return static_cast<int>(modes_.size()); }
    [[nodiscard]] int states() const noexcept { return order * modes(); }
    [[nodiscard]] const std::vector<Mode>& mode_list() const noexcept { return modes_; }

    [[nodiscard]] State at_rest() const { return State::Constant(states() + inputs + 2, Scalar(0.0)); }

    /// One step with inputs linear from those of the step before to `u`. `x` and `next` may be the same.
    /// out_of_range, with nothing written, if a size is not that of at_rest(); not_finite if the result is not. @rt
    Status step(const State& x, const Input& u, State& next) const noexcept {
        const int n = states();
        if (x.size() != n + inputs + 2 || next.size() != x.size()) return Status::out_of_range;
        Input before;
        for (int j = 0; j < inputs; ++j) before[static_cast<std::size_t>(j)] = x[n + j];
        (void)advance(x, before, u, next);
        for (int j = 0; j < inputs; ++j) next[n + j] = u[static_cast<std::size_t>(j)];
        next[n + inputs] = sensor(next, before, u), next[n + inputs + 1] = boundary(next, before, u);
        const bool finite = is_finite(value_of(next[n + inputs])) && is_finite(value_of(next[n + inputs + 1]));
        return finite ? Status::ok : Status::not_finite;
    }

    /// The outputs after the last step. out_of_range, with nothing written, if the size of `x` is not that of
    /// at_rest(). @rt
    Status output(const State& x, const Input&, Output& y) const noexcept {
        if (x.size() != states() + inputs + 2) return Status::out_of_range;
        y.sensor = x[states() + inputs], y.boundary = x[states() + inputs + 1];
        return Status::ok;
    }

    /// Change of the boundary variable at the end of a step per unit of action at the end of that step. @rt
    [[nodiscard]] const Scalar& gain() const noexcept { return gain_; }

    /// Advances the states at `x` to `next`; the two may be the same. out_of_range, with nothing done, if one of them
    /// has fewer entries than states(). @rt
    template <class Source, class Target>
    Status advance(const Source& x, const Input& before, const Input& now, Target&& next) const noexcept {
        if (!fits(x) || !fits(next)) return Status::out_of_range;
        int at = 0;
        for (const Mode& m : modes_) {
            detail::Tuple<Scalar, order> r;
            for (std::size_t i = 0; i < order; ++i) {
                Scalar sum(0.0);
                for (std::size_t j = 0; j < order; ++j) sum += m.A[i][j] * entry(x, at + static_cast<int>(j));
                for (std::size_t j = 0; j < inputs; ++j) sum += m.B_before[i][j] * before[j] + m.B_now[i][j] * now[j];
                r[i] = sum;
            }
            for (std::size_t i = 0; i < order; ++i) entry(next, at + static_cast<int>(i)) = r[i];
            at += order;
        }
        return Status::ok;
    }

    /// Adds the effect on the states of an action at the end of the step, which `now` above does not contain.
    /// out_of_range, with nothing done, if `x` has fewer entries than states(). @rt
    template <class Target>
    Status act(const Scalar& action, Target&& x) const noexcept {
        if (!fits(x)) return Status::out_of_range;
        int at = 0;
        for (const Mode& m : modes_)
            for (std::size_t i = 0; i < order; ++i) entry(x, at++) += m.B_now[i][known] * action;
        return Status::ok;
    }

    /// The sensor output; NaN if `x` has fewer entries than states(). @rt
    template <class Source>
    [[nodiscard]] Scalar sensor(const Source& x, const Input& before, const Input& now) const noexcept {
        if (!fits(x)) return no_number<Scalar>();
        Scalar sum = direct(sensor_, before, now);
        int at = 0;
        for (const Mode& m : modes_) sum += m.sensor * entry(x, at), at += order;
        return sum;
    }

    /// The boundary variable; NaN as for sensor(). @rt
    template <class Source>
    [[nodiscard]] Scalar boundary(const Source& x, const Input& before, const Input& now) const noexcept {
        if (!fits(x)) return no_number<Scalar>();
        Scalar sum = direct(boundary_, before, now);
        int at = 0;
        for (const Mode& m : modes_) sum += m.boundary * entry(x, at), at += order;
        return sum;
    }

  private:
    /// Entry i of a vector, whose index may be signed or not, or of the array that a pointer points to.
    template <class States>
    static decltype(auto) entry(States&& x, int i) noexcept {
        if constexpr (requires { x.size(); })
            return x[static_cast<decltype(x.size())>(i)];
        else
            return x[i];
    }

    template <class States>
    [[nodiscard]] bool fits(const States& x) const noexcept {
        if constexpr (requires { x.size(); })
            return static_cast<std::ptrdiff_t>(x.size()) >= states();
        else
            return true;  // the caller's own states, with a size the caller knows
    }

    [[nodiscard]] static Scalar direct(const Direct& d, const Input& before, const Input& now) noexcept {
        Scalar sum(0.0);
        for (std::size_t j = 0; j < inputs; ++j) sum += d.before[j] * before[j] + d.now[j] * now[j];
        return sum;
    }

    std::vector<Mode> modes_;
    Direct sensor_, boundary_;
    double dt_;
    Scalar gain_{};
};

static_assert(DiscreteSystem<ModalField<double, 1, 0>>);

}  // namespace panto::ident
