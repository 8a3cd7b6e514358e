// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A lumped pantograph with force elements between its masses or to the roof: dampers with a table, stops, rubber.
///
/// The step is that of the pantograph, the trapezoidal rule (lumped.hpp), with the forces E of the elements implicit.
/// At the end of a step the motions x of the elements depend linearly on their forces, and each force on the motion of
/// its element alone, since v+ = 2 (x+ - x)/dt - v and the memory follows from x+ and v+ (element/implicit_step.hpp):
///
///     x+ + G E(x+) = x_free ,   G_ef = b_e' K_it^-1 b_f ,   b_e: +1 at the mass `from`, -1 at `to`
///
/// This is solved by Newton's method with difference quotients. The masses gain exactly the work
/// -(E + E+)/2 (x+ - x) of each element in a step, whatever its law.
///
/// Towards the contact the step is not linear any more: head_compliance(next) is the tangent at the force applied so
/// far. add_contact() solves the step anew, so the motion that results is exactly that under the applied force.

#pragma once

#include <panto/core/finite.hpp>
#include <panto/pantograph/lumped.hpp>
#include <panto/pantograph/mounted.hpp>
#include <panto/pantograph/rest_of_elements.hpp>

#include <Eigen/LU>

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace panto::pantograph {

/// An element at one instant.
template <class E>
struct MountedState {
    using Memory = typename E::Memory;
    using Scalar = typename Memory::Scalar;
    Scalar x{};      ///< m, x of Mounted
    Scalar v{};      ///< m/s, x'
    Scalar force{};  ///< N, see Mounted
    Memory memory = {};
    Memory carried = {};  ///< from the start of the step, see element/implicit_step.hpp
};

/// @tparam Scalar  of the chain and of all elements
/// @tparam N       number of masses, or Dynamic
/// @tparam Es      the elements
template <Real Scalar, int N, class... Es>
class WithElements<Lumped<Scalar, N>, Es...> {
    static_assert(sizeof...(Es) > 0, "without elements it is a Lumped");
    static_assert((element::SteppedElement<Es, Scalar> && ...), "elements and masses need the same scalar");
    static constexpr int count = static_cast<int>(sizeof...(Es));
    using PerElement = Vector<Scalar, count>;

  public:
    using Chain = Lumped<Scalar, N>;
    using Params = typename Chain::Params;
    using Input = typename Chain::Input;
    using Output = typename Chain::Output;

    struct State : LumpedState<Scalar, N> {
        std::tuple<MountedState<Es>...> elements{};
        Scalar head_compliance{};  ///< m/N, see WithElements::head_compliance()
    };

    /// @throws SetupError if an element is not between two masses, or a mass and the roof, of this pantograph.
    WithElements(Chain chain, const Elements<Es...>& elements)
        : chain_(std::move(chain)), mounted_(elements.mounted()) {
        each([&]<int e>() { place(std::get<e>(mounted_), e); });
        each([&]<int e>() {
            const auto& m = std::get<e>(mounted_);
            for (int f = 0; f < count; ++f) coupling_(f, e) = reach(f, m.from) - reach(f, m.to);
            head_[e] = reach(e, 0);
        });
    }

    /// Advances by dt without a contact force at the end of the step; the forces at its beginning are in x.a.
    /// @param roof  at the end of the step, relative to its height at rest
    /// @return not_converged if the forces of the elements are not found; out_of_range, with nothing done, if a size
    /// does not fit the model. `next` must not alias `x`. @rt
    Status predict(const State& x, const Scalar& uplift_force, const Motion& roof_at_end, State& next) const noexcept {
        if (const Status status = chain_.predict(x, uplift_force, roof_at_end, next); !usable(status)) return status;
        each([&]<int e>() {
            const auto& m = std::get<e>(mounted_);
            const auto& then = std::get<e>(x.elements);
            auto& now = std::get<e>(next.elements);
            now.memory = then.memory;
            m.element.accept(then.x, then.v, now.memory);
            now.carried = now.memory;  // gets the size; rate() overwrites it
            m.element.rate(then.x, then.v, now.memory, now.carried);
            now.carried = now.memory + Scalar(0.5 * dt()) * now.carried;
            now.force = then.force;  // a guess
            apply(e, then.force, next);
        });
        each([&]<int e>() {
            const auto& m = std::get<e>(mounted_);
            auto& now = std::get<e>(next.elements);
            now.x = between_ends(m, next.u, roof_at_end.height) - m.relaxed;
            now.v = between_ends(m, next.v, roof_at_end.speed);
        });
        return solve(next);
    }
    /// The same with the roof at rest. @rt
    Status predict(const State& x, const Scalar& uplift_force, State& next) const noexcept {
        return predict(x, uplift_force, Motion{}, next);
    }

    /// Adds a contact force at the end of the step to the result of predict(); forces add up.
    /// @return as predict. @rt
    Status add_contact(const Scalar& force, State& next) const noexcept {
        if (const Status status = chain_.add_contact(force, next); !usable(status)) return status;
        each([&]<int e>() { move(std::get<e>(next.elements), Scalar(-head_[e] * force)); });
        return solve(next);
    }

    /// predict() and add_contact() in one, for a known contact force.
    /// @return as predict. @rt
    Status step(const State& x, const Input& input, State& next) const noexcept {
        const Status status = predict(x, input.uplift_force, next);
        return usable(status) ? add_contact(input.contact_force, next) : status;
    }

    /// Motion of the head. Returns out_of_range, with `y` unchanged, if the size of `x` does not fit. @rt
    Status output(const State& x, const Input& input, Output& y) const noexcept { return chain_.output(x, input, y); }

    /// How far a further, small contact force moves the head by the end of the step, m/N; to be called after
    /// predict(). @rt
    [[nodiscard]] Scalar head_compliance(const State& next) const noexcept { return next.head_compliance; }

    /// Sets motion and force of the elements from heights, speeds and their memory, with the roof at rest, and
    /// x.a from the equation of motion. Needed at the start of a run and where a force jumps. Returns out_of_range,
    /// with nothing done, if the size of `x` does not fit the model. @rt
    Status balance(State& x, const Input& input) const noexcept {
        if (const Status status = chain_.balance(x, input); !usable(status)) return status;
        each([&]<int e>() {
            const auto& m = std::get<e>(mounted_);
            auto& now = std::get<e>(x.elements);
            now.x = between_ends(m, x.u) - m.relaxed;
            now.v = between_ends(m, x.v);
            now.force = m.element.force(now.x, now.v, now.memory);
            if (m.from != roof) x.a[m.from] -= now.force / params().mass[m.from];
            if (m.to != roof) x.a[m.to] += now.force / params().mass[m.to];
        });
        return Status::ok;
    }

    /// Kinetic energy and energy of the springs of the chain, J, without the elements. @rt
    [[nodiscard]] Scalar energy(const State& x) const noexcept { return chain_.energy(x); }

    /// All masses at the nominal height, and the elements as they are after a long time there.
    [[nodiscard]] State at_rest() const {
        State x;
        static_cast<LumpedState<Scalar, N>&>(x) = chain_.at_rest();
        settle(x);
        return x;
    }

    /// At rest under constant forces.
    /// @throws SetupError if nothing carries them.
    [[nodiscard]] State in_equilibrium(const Scalar& uplift_force, const Scalar& contact_force) const {
        State x = at_rest();
        detail::find_rest(params().stiffness, mounted_, uplift_force, contact_force, 0, x.u,
                          "pantograph::WithElements::in_equilibrium");
        settle(x);
        return x;
    }

    /// At rest with the head held at `head_height`, m, under the uplift force in `forces`.
    /// @throws SetupError as in_equilibrium.
    [[nodiscard]] State held(const Scalar& head_height, const Input& forces) const {
        State x = at_rest();
        require_finite(value_of(head_height), "pantograph::WithElements::held", "head_height");
        x.u.setConstant(head_height);
        detail::find_rest(params().stiffness, mounted_, forces.uplift_force, Scalar(0.0), 1, x.u,
                          "pantograph::WithElements::held");
        settle(x);
        return x;
    }

    /// Contact force, N, with which the head rests at `head_height`, m. Negative if the head does not reach this
    /// height.
    /// @throws SetupError as in_equilibrium.
    [[nodiscard]] Scalar static_contact_force(const Scalar& head_height, const Scalar& uplift_force) const {
        State x = held(head_height, {Scalar(0.0), uplift_force});
        balance(x, {Scalar(0.0), uplift_force});
        return params().mass[0] * x.a[0];
    }

    [[nodiscard]] double dt() const noexcept { return chain_.dt(); }
    [[nodiscard]] Eigen::Index size() const noexcept { return chain_.size(); }
    [[nodiscard]] const Params& params() const noexcept { return chain_.params(); }
    [[nodiscard]] const std::tuple<Mounted<Es>...>& mounted() const noexcept { return mounted_; }

  private:
    /// f<e>() for every element e.
    template <class F>
    static constexpr void each(F&& f) {
        [&]<int... e>(std::integer_sequence<int, e...>) {
            (f.template operator()<e>(), ...);
        }(std::make_integer_sequence<int, count>{});
    }

    template <class E>
    void place(const Mounted<E>& m, int e) {
        const char* where = "pantograph::WithElements";
        const auto last = static_cast<int>(size()) - 1;
        for (const int end : {m.from, m.to})
            require(end == roof || (end >= 0 && end <= last), where, "an end of element ", e, " is mass ", end,
                    ", must be from 0, the pan-head, to ", last, ", or pantograph::roof");
        require(m.from != m.to, where, "both ends of element ", e, " are ", m.from, " (", roof,
                " is the roof); an element joins two masses, or a mass and the roof");
        require_finite(value_of(m.relaxed), where, "relaxed of element ", e);
        ends_[static_cast<std::size_t>(e)] = {m.from, m.to};
    }

    /// How far a force that lifts mass `i` moves element `e` by the end of a step, m/N; 0 if `i` is the roof.
    [[nodiscard]] Scalar reach(int e, int i) const noexcept {
        const auto [from, to] = ends_[static_cast<std::size_t>(e)];
        Scalar sum(0.0);
        if (i == roof) return sum;
        if (from != roof) sum = sum + chain_.compliance(from, i);
        if (to != roof) sum = sum - chain_.compliance(to, i);
        return sum;
    }

    /// u_from - u_to, of heights or speeds.
    template <class E, class Heights>
    [[nodiscard]] static Scalar between_ends(const Mounted<E>& m, const Heights& u, double of_roof = 0.0) noexcept {
        return Scalar(m.from == roof ? Scalar(of_roof) : u[m.from]) - Scalar(m.to == roof ? Scalar(of_roof) : u[m.to]);
    }

    /// Adds the force of element `e` to the masses.
    void apply(int e, const Scalar& force, State& next) const noexcept {
        const auto [from, to] = ends_[static_cast<std::size_t>(e)];
        if (from != roof) chain_.add_force(from, -force, next);
        if (to != roof) chain_.add_force(to, force, next);
    }

    /// Moves the ends of an element further apart by the end of the step.
    template <class E>
    void move(MountedState<E>& now, const Scalar& by) const noexcept {
        now.x += by;
        now.v += Scalar(2.0 / dt()) * by;
    }

    /// Force of an element that ends the step at the motion `s` instead of now.x, and its memory then.
    template <class E>
    [[nodiscard]] Scalar force_at(const Mounted<E>& m, const MountedState<E>& now, const Scalar& s,
                                  typename E::Memory& z, bool& found) const noexcept {
        const Scalar v = now.v + Scalar(2.0 / dt()) * (s - now.x);
        found = element::implicit_memory(m.element, s, v, now.carried, Scalar(0.5 * dt()), z) && found;
        return m.element.force(s, v, z);
    }

    /// Finds the forces of the elements at the end of the step; those in `next` are the guess that `next` moves under.
    Status solve(State& next) const noexcept {
        constexpr int most_iterations = 40, most_halvings = 20;
        constexpr double rounding = element::detail::rounding<Scalar>();
        std::tuple<typename Es::Memory...> memory;
        PerElement s, force, slope, before;
        bool found = true;
        each([&]<int e>() {
            const auto& now = std::get<e>(next.elements);
            s[e] = now.x, before[e] = now.force, std::get<e>(memory) = now.memory;
        });
        const PerElement free = s + coupling_.lazyProduct(before);
        const auto forces = [&](const PerElement& at, PerElement& f) {
            found = true;
            each([&]<int e>() {
                f[e] = force_at(std::get<e>(mounted_), std::get<e>(next.elements), at[e], std::get<e>(memory), found);
            });
        };
        const auto slopes = [&] {
            each([&]<int e>() {
                const Scalar moved = s[e] + Scalar(element::detail::difference_step<Scalar>(1.0));
                auto z = std::get<e>(memory);
                bool ignored = true;
                const Scalar then = force_at(std::get<e>(mounted_), std::get<e>(next.elements), moved, z, ignored);
                slope[e] = (then - force[e]) / (moved - s[e]);
            });
        };
        const auto residual = [&](const PerElement& at, const PerElement& f) -> PerElement {
            return at + coupling_.lazyProduct(f) - free;
        };
        forces(s, force);
        PerElement off = residual(s, force);
        Matrix<Scalar, count> J;
        bool converged = false, once_more = element::detail::iterates_once_more<Scalar>;
        for (int iteration = 0;; ++iteration) {
            slopes();
            J = coupling_ * slope.asDiagonal();
            J.diagonal().array() += Scalar(1.0);
            // What rounding of the motions and of the forces leaves behind.
            const double size = element::detail::largest(free) + element::detail::largest(s) +
                                element::detail::largest(J) * element::detail::largest(s) +
                                element::detail::largest(PerElement(coupling_.lazyProduct(force)));
            const double norm = element::detail::largest(off);
            converged = norm <= 10.0 * rounding * size;
            if ((converged && !once_more) || iteration == most_iterations || !is_finite(norm)) break;
            if (converged) once_more = false;
            const PerElement step = J.partialPivLu().solve(off);
            Scalar part(1.0);
            PerElement moved, there;
            for (int halvings = 0; halvings < most_halvings; ++halvings, part = part * Scalar(0.5)) {
                moved = s - part * step;
                forces(moved, force);
                there = residual(moved, force);
                if (converged || element::detail::largest(there) < norm) break;
            }
            s = moved, off = there;
        }
        each([&]<int e>() {
            auto& now = std::get<e>(next.elements);
            apply(e, force[e] - before[e], next);
            move(now, Scalar(s[e] - now.x));
            now.force = force[e], now.memory = std::get<e>(memory);
        });
        const PerElement pressed = J.partialPivLu().solve(head_);
        next.head_compliance = chain_.head_compliance();
        for (int e = 0; e < count; ++e) next.head_compliance = next.head_compliance - head_[e] * slope[e] * pressed[e];
        return converged && found ? Status::ok : Status::not_converged;
    }

    /// Gives every element the memory it has after a long rest at the heights in `x`, and its force.
    void settle(State& x) const {
        each([&]<int e>() {
            const auto& m = std::get<e>(mounted_);
            auto& now = std::get<e>(x.elements);
            now.memory = element::memory_at_rest(m.element, Scalar(between_ends(m, x.u) - m.relaxed));
            now.carried = now.memory;
        });
        balance(x, {});
        x.v.setZero(), x.a.setZero();
        x.head_compliance = chain_.head_compliance();
    }

    Chain chain_;
    std::tuple<Mounted<Es>...> mounted_;
    std::array<std::pair<int, int>, static_cast<std::size_t>(count)> ends_{};
    Matrix<Scalar, count> coupling_;  // m/N, G
    PerElement head_;                 // m/N, how far a force that lifts the head moves each element
};

template <class... Es>
template <class Chain>
WithElements<Chain, Es...> Elements<Es...>::on(Chain chain) const {
    return {std::move(chain), *this};
}

template <Real Scalar, int N, class... Es>
WithElements(Lumped<Scalar, N>, Elements<Es...>) -> WithElements<Lumped<Scalar, N>, Es...>;

static_assert(DiscreteSystem<WithElements<Lumped<>, element::Memoryless<element::PenaltyContact<>>>>);

}  // namespace panto::pantograph
