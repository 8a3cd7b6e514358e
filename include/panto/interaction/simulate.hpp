// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A pantograph model under a catenary model, without a rig. Three ways to couple them:
///
///   implicit          both sides and the contact force at the same instant; no limit on the step
///   explicit_delayed  the wire gets the force of the step before, as on a rig without interaction mass
///   interaction_mass  the wire gets the force F_i in the spring of the mass, and the mass gets the contact force; both
///                     are those of the step before
///
/// In the last two, the contact spring acts at the new instant, between the pantograph and the wire (explicit_delayed)
/// or between the pantograph and the mass (interaction_mass).

#pragma once

#include <panto/core/bisect.hpp>
#include <panto/core/names.hpp>
#include <panto/element/contact.hpp>
#include <panto/interaction/concepts.hpp>
#include <panto/interaction/interaction_mass.hpp>
#include <panto/interaction/observation.hpp>
#include <panto/interaction/raised_pantograph.hpp>
#include <panto/interaction/record.hpp>
#include <panto/interaction/stability.hpp>
#include <panto/pantograph/lumped.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace panto::interaction {

enum class Coupling : std::uint8_t { implicit, explicit_delayed, interaction_mass };

inline constexpr std::array<std::string_view, 3> coupling_names{"implicit", "explicit_delayed", "interaction_mass"};

[[nodiscard]] constexpr std::string_view name(Coupling c) noexcept {
    return coupling_names[static_cast<std::size_t>(c)];
}
/// @throws SetupError with the nearest name if there is no such coupling.
[[nodiscard]] inline Coupling coupling(std::string_view text) {
    return enumerator_of<Coupling>("interaction::coupling", "coupling", text, coupling_names);
}

/// How a run begins.
enum class Start : std::uint8_t {
    at_datum,           ///< wire at its static shape, pantograph relaxed at height 0
    loaded_equilibrium  ///< both at rest, pressed together with the static force
};

struct SimulationParams {
    pantograph::LumpedParams<> pantograph = {};
    double uplift_force = 0.0;  ///< N, on the frame: static force and mean aerodynamic force together
    double contact_stiffness = element::default_contact_stiffness;  ///< N/m, penalty contact
    Coupling coupling = Coupling::implicit;
    InteractionMassParams mass = {};  ///< for Coupling::interaction_mass
    Start start = Start::at_datum;
    double uplift_ramp = 0.0;      ///< m, distance over which the uplift force grows from 0; for Start::at_datum
    double end = 0.0;              ///< m, where the run stops; it never leaves the line unless past_the_end is set
    bool accept_unstable = false;  ///< run a coupling that the stability check refuses
    bool past_the_end = false;     ///< run on beyond the last support, where the wire is at rest
    /// Height (m) and speed (m/s) of the roof under the pantograph as a function of the time since the start (s). Only
    /// the height relative to that at the start acts on the pantograph. Empty: a level track.
    std::function<Motion(double time)> roof = {};
    /// Force on the pan-head (N, positive upward) as a function of the time since the start (s): a gust, or a pull that
    /// breaks the contact. It is sampled at the end of each step and varies linearly in between. A run that begins in
    /// loaded equilibrium starts at rest without this force. Empty: none.
    std::function<double(double time)> head_force = {};
};

/// Elements of a pantograph beyond the springs and dampers of its chain, see pantograph/with_elements.hpp.
template <class E>
concept PantographElements = requires(const E& elements, pantograph::Lumped<> chain) {
    { elements.on(chain).dt() } -> std::same_as<double>;
};

/// The chain alone, without further elements.
struct NoElements {
    [[nodiscard]] pantograph::Lumped<> on(pantograph::Lumped<> chain) const { return chain; }
};

/// A run, step by step. It holds a reference to the engine, which must be at its start.
template <CoupledCatenary Engine, PantographElements Elements = NoElements>
class Simulation {
    using Pantograph = decltype(std::declval<const Elements&>().on(std::declval<pantograph::Lumped<>>()));

  public:
    /// @throws SetupError if a parameter is invalid or the coupling is unstable.
    Simulation(Engine& engine, const SimulationParams& p, const Elements& elements = {})
        : engine_(engine),
          p_(p),
          pantograph_(elements.on(pantograph::Lumped<>(p.pantograph, engine.dt())), p.roof, p.head_force),
          mass_(p.mass, engine.dt()),
          start_(engine.position()) {
        constexpr const char* where = "interaction::simulate";
        require_not_negative(p.uplift_force, where, "uplift_force");
        require_positive(p.contact_stiffness, where, "contact_stiffness");
        require_not_negative(p.uplift_ramp, where, "uplift_ramp");
        require(p.start == Start::at_datum || p.uplift_ramp == 0.0, where, "uplift_ramp is ", p.uplift_ramp,
                " m, must be 0 with Start::loaded_equilibrium, which begins with the whole force");
        require(p.start == Start::at_datum || RestsUnderForce<Engine>, where,
                "this engine has no static_height() and rest_under(), which Start::loaded_equilibrium needs; use "
                "Start::at_datum with an uplift_ramp");
        require(engine.time() == 0.0, where, "the engine stands at ", start_,
                " m after steps of an earlier run; call its reset() first");
        require_finite(p.end, where, "end");
        require(p.end > start_, where, "end is ", p.end, " m, must be above the start, ", start_, " m");
        if constexpr (HasLength<Engine>)
            require(p.end <= engine.length() * (1.0 + 1e-12) || p.past_the_end, where, "end is ", p.end,
                    " m, must be above the start, ", start_, " m, and at most the length of the section, ",
                    engine.length(), " m; set past_the_end to run beyond it");
        if (!p.accept_unstable) check_stability();
        begin();
    }

    /// True at the end, or if the next step would leave the line.
    [[nodiscard]] bool finished() const noexcept {
        if (engine_.position() >= p_.end) return true;
        if constexpr (HasLength<Engine>) {
            const double after = engine_.position_after(engine_.dt());
            return !p_.past_the_end && after > engine_.length() + 1e-9 * (after - engine_.position());
        }
        return false;
    }

    /// One step of both sides. Stop the run when the status is not_finite (a result is not finite) or end_of_line
    /// (beyond the last support, unless past_the_end is set). @rt
    Status step() noexcept {
        const double x_after = engine_.position_after(engine_.dt());
        const double ramp = p_.uplift_ramp > 0.0 ? std::clamp((x_after - start_) / p_.uplift_ramp, 0.0, 1.0) : 1.0;
        pantograph_.predict(ramp * p_.uplift_force, engine_.time() + engine_.dt());

        Status status = Status::ok;
        if (p_.coupling == Coupling::implicit) {
            const auto result = engine_.step_contact(pantograph_.contact(p_.contact_stiffness));
            force_ = result.value;
            status = result.status;
        } else {
            const bool massless = p_.coupling == Coupling::explicit_delayed;
            const Motion wire = engine_.step(massless ? force_ : mass_.force_on_wire(mass_state_, wire_height_));
            if constexpr (ReportsStatus<Engine>) status = engine_.status();
            // The speed of the wire by the same trapezoidal rule that advances the mass; a backward difference would
            // lag.
            wire_rate_ = 2.0 / engine_.dt() * (wire.height - wire_height_) - wire_rate_;
            wire_height_ = wire.height;
            if (!massless) mass_state_ = mass_.step(mass_state_, wire.height, wire_rate_, force_);
            const double counterpart = massless ? wire.height : mass_state_.height;
            const double k = p_.contact_stiffness;
            force_ =
                std::max(0.0, k * (pantograph_.free_head() - counterpart)) / (1.0 + k * pantograph_.head_compliance());
        }
        const Status moved = pantograph_.press(force_);
        // Check the head as well: std::max(0, F) turns a contact force that is NaN into 0.
        if (!is_finite(force_) || !is_finite(head_height()) || !is_finite(engine_.wire())) return Status::not_finite;
        if (p_.past_the_end && status == Status::end_of_line) status = Status::ok;
        return status == Status::ok ? moved : status;
    }

    [[nodiscard]] double contact_force() const noexcept { return force_; }                   ///< N
    [[nodiscard]] double head_height() const noexcept { return pantograph_.head_height(); }  ///< m
    [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
    /// The pantograph; its state() has the motion of the masses and of the elements.
    [[nodiscard]] const RaisedPantograph<Pantograph>& pantograph() const noexcept { return pantograph_; }

  private:
    void check_stability() const {
        if (p_.coupling == Coupling::implicit) return;
        if constexpr (std::same_as<Pantograph, pantograph::Lumped<>>)
            check_linear_stability();
        else
            require(false, "interaction::simulate", "the coupling ", name(p_.coupling),
                    " is checked for pantographs without elements only; take the implicit coupling, or set "
                    "accept_unstable");
    }

    void check_linear_stability() const {
        const bool massless = p_.coupling == Coupling::explicit_delayed;
        std::vector<std::vector<double>> wire;
        if constexpr (requires { pulse_responses(engine_.model(), engine_.dt()); })
            wire = massless ? pulse_responses(engine_.model(), engine_.dt()) : wire;
        else
            require(
                !massless, "interaction::simulate",
                "the coupling explicit_delayed can be checked only for engines with a finite-element model(); use the "
                "implicit coupling, or set accept_unstable");
        const auto stable = [&](double stiffness) {
            if (!massless) return mass_loop_radius(mass_, pantograph_.model(), stiffness) < 1.0;
            return std::all_of(wire.begin(), wire.end(), [&](const std::vector<double>& response) {
                return delayed_loop_fades(response, pantograph_.model(), stiffness);
            });
        };
        if (stable(p_.contact_stiffness)) return;
        throw SetupError("interaction::simulate: contact_stiffness is " + shown(p_.contact_stiffness) +
                         " N/m; with the coupling " + std::string(name(p_.coupling)) + " and a step of " +
                         shown(1e3 * engine_.dt()) + " ms the loop is stable up to " +
                         shown(largest_stable(stable, p_.contact_stiffness)) +
                         " N/m; use less, a shorter step or the implicit coupling, or set accept_unstable");
    }

    void begin() {
        if (p_.start == Start::loaded_equilibrium)
            press();
        else
            engine_.reset();  // it may be at rest under a static load
        wire_height_ = engine_.wire().height;
        mass_state_ = mass_.preloaded(wire_height_, force_);
        pantograph_.begin(force_,
                          p_.start == Start::loaded_equilibrium || p_.uplift_ramp == 0.0 ? p_.uplift_force : 0.0);
    }

    /// Compliance between wire and head, m/N: that of the contact spring plus, if used, that of the mass's spring.
    static double contact_compliance(const SimulationParams& p) {
        return 1.0 / p.contact_stiffness + (p.coupling == Coupling::interaction_mass ? 1.0 / p.mass.stiffness : 0.0);
    }

    /// Puts both at rest against each other.
    void press() {
        if constexpr (RestsUnderForce<Engine>) {
            force_ = static_contact(engine_);
            engine_.rest_under(force_);
        }
        pantograph_.rest(engine_.wire().height, force_, contact_compliance(p_), p_.uplift_force);
    }

    /// The contact force with which wire and pantograph rest against each other, N.
    template <RestsUnderForce E>
    [[nodiscard]] double static_contact(const E& engine) const {
        const auto too_small = [&](double force) {
            const double height = engine.static_height(force) + force * contact_compliance(p_);
            return pantograph_.model().static_contact_force(height, p_.uplift_force) - force > 0.0;
        };
        const double most = pantograph_.model().static_contact_force(engine.static_height(0.0), p_.uplift_force);
        return most > 0.0 ? bisect(too_small, 0.0, most, 1e-13).middle() : 0.0;
    }

    Engine& engine_;
    SimulationParams p_;
    RaisedPantograph<Pantograph> pantograph_;
    InteractionMass<> mass_;
    double start_;  // m
    InteractionMass<>::State mass_state_;
    double force_ = 0.0, wire_height_ = 0.0, wire_rate_ = 0.0;
};

/// The data passed to `watch` after each step.
struct SimulationStep {
    Status status = Status::ok;
    std::chrono::nanoseconds took{0};  ///< real time taken by the step
};

/// Runs until the end, until a step is not usable, or until `watch(step)` returns false. Returns ok, the status of that
/// step, or stopped_by_user, respectively. `seen` gets the start and every step, the last one included, before `watch`
/// is called.
template <CoupledCatenary Engine, class Elements, class Watch>
    requires std::predicate<Watch&, const SimulationStep&>
Status run(Simulation<Engine, Elements>& simulation, Observation<Engine>& seen, Watch&& watch) {
    using clock = std::chrono::steady_clock;
    seen.sample(simulation.contact_force());
    while (!simulation.finished()) {
        const auto began = clock::now();
        const Status status = simulation.step();
        const std::chrono::nanoseconds took = clock::now() - began;
        seen.sample(simulation.contact_force());
        seen.record().unconverged_steps += usable(status) && status != Status::ok;
        const bool go_on = watch(SimulationStep{status, took});
        if (!usable(status)) return status;
        if (!go_on) return Status::stopped_by_user;
    }
    return Status::ok;
}

/// Runs to the end and records. `progress(position)` is called after every step; returning false ends the run there.
/// @throws SetupError as Simulation does, if the contact never reaches the end, or if the run breaks down.
template <CoupledCatenary Engine, PantographElements Elements, class Progress>
    requires std::predicate<Progress&, double>
[[nodiscard]] SimulationRecord simulate(Engine& engine, const SimulationParams& p, const Elements& elements,
                                        Progress&& progress) {
    constexpr const char* where = "interaction::simulate";
    constexpr double most_steps = 1e8;
    Simulation<Engine, Elements> simulation(engine, p, elements);
    const double furthest = engine.position_after(most_steps * engine.dt());
    require(furthest >= p.end, where, "after ", most_steps, " steps of ", 1e3 * engine.dt(),
            " ms the contact is only at ", furthest, " m, before the end, ", p.end,
            " m: the train is too slow, or stops before");
    Observation<Engine> seen(engine, 0);  // grows during the run
    const Status status = run(simulation, seen, [&](const SimulationStep& step) {
        return !usable(step.status) || progress(engine.position());
    });
    if (!usable(status) && status != Status::stopped_by_user)
        throw SetupError("interaction::simulate: the run broke down at " + shown(engine.position()) + " m (" +
                         std::string(panto::name(status)) + "); the coupling is unstable for these parameters");
    return std::move(seen.record());
}

/// The same without elements.
/// @throws SetupError as above.
template <CoupledCatenary Engine, class Progress>
    requires std::predicate<Progress&, double>
[[nodiscard]] SimulationRecord simulate(Engine& engine, const SimulationParams& p, Progress&& progress) {
    return simulate(engine, p, NoElements{}, std::forward<Progress>(progress));
}

/// Gives a clear message if a `progress` does not fit.
template <CoupledCatenary Engine, class Progress>
    requires(!std::predicate<Progress&, double> && !PantographElements<std::remove_cvref_t<Progress>>)
[[nodiscard]] SimulationRecord simulate(Engine&, const SimulationParams&, Progress&&) {
    static_assert(std::predicate<Progress&, double>,
                  "interaction::simulate: progress is called with the position in m and returns true to go on");
    return {};
}

/// The same with elements and without `progress`.
/// @throws SetupError as above.
template <CoupledCatenary Engine, PantographElements Elements>
[[nodiscard]] SimulationRecord simulate(Engine& engine, const SimulationParams& p, const Elements& elements) {
    return simulate(engine, p, elements, [](double) { return true; });
}

/// The same with neither elements nor `progress`.
/// @throws SetupError as above.
template <CoupledCatenary Engine>
[[nodiscard]] SimulationRecord simulate(Engine& engine, const SimulationParams& p) {
    return simulate(engine, p, [](double) { return true; });
}

}  // namespace panto::interaction
