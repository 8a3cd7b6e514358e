// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A test run on any rig, from commissioning through the loop to report and files. All parts are checked before
/// anything moves, everything is recorded, and a run that ends early leaves complete files as well.
///
///     Session session(plan, sensor, wire, controller, drive, clock);
///     session.record_in(results);
///     session.commission();
///     session.run();
///     session.evaluate();
///     session.write();

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/interaction/policies.hpp>
#include <panto/interaction/simulate.hpp>
#include <panto/io/page_parts.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/plant/rig.hpp>
#include <panto/rig/commissioning.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/coupling.hpp>
#include <panto/rig/cycle.hpp>
#include <panto/rig/parts.hpp>
#include <panto/rig/recorder.hpp>
#include <panto/rig/run.hpp>
#include <panto/session/evaluation.hpp>
#include <panto/session/loop_record.hpp>
#include <panto/session/recorded_run.hpp>
#include <panto/session/report.hpp>
#include <panto/session/run_csv.hpp>
#include <panto/session/run_plan.hpp>
#include <panto/session/run_record.hpp>
#include <panto/session/simulate.hpp>
#include <panto/version.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace panto::io {

/// Holds references to its parts, which must live longer than the session. The loop uses the tared sensor.
template <class S, class W, class C, class D, class K, interaction::CouplingPolicy I = interaction::MassInteraction>
class Session {
    // static_asserts, which report a sentence, instead of constraints, whose errors begin with "class template argument
    // deduction failed".
    static_assert(ForceSensor<S>, "io::Session: the sensor lacks a member of panto::ForceSensor: read()");
    static_assert(CatenaryModel<W>,
                  "io::Session: the line lacks a member of panto::CatenaryModel: step(force), reset(), dt()");
    static_assert(TravellingContact<W>,
                  "io::Session: the line lacks a member of panto::TravellingContact: time(), "
                  "position(), position_after(seconds)");
    static_assert(!TravellingContact<W> || ShowsWire<W>,
                  "io::Session: the line lacks wire() const, which returns the panto::Motion of the wire above the "
                  "strip");
    static_assert(Controller<C>,
                  "io::Session: the controller lacks a member of panto::Controller: Command, update(exchange), "
                  "reset(motion)");
    static_assert(Drive<D>,
                  "io::Session: the drive lacks a member of panto::Drive: Command, read(), write(command), "
                  "stop()");
    static_assert(Clock<K>, "io::Session: the clock lacks a member of panto::Clock: now(), sleep_until(time)");
    static_assert(std::same_as<typename C::Command, PositionCommand> &&
                      std::same_as<typename D::Command, PositionCommand>,
                  "io::Session: controller and drive must both have PositionCommand as their Command");

  public:
    /// Couples force and wire through the interaction mass of the plan. If the controller estimates the contact force,
    /// force and wire are coupled directly: such a controller needs no mass, and follows a wire that the mass cannot
    /// follow.
    /// @param about  names and metadata that the parts do not know: pantograph, controller, ...
    /// @throws SetupError if the plan is not valid or cannot be carried out or evaluated, if the time step of a part
    /// differs from that of the wire, or its rig from that of the plan.
    // type_identity keeps this constructor from becoming a deduction guide: Clang would prefer it to the guide below,
    // which chooses the coupling.
    Session(const RunPlan& plan, S& sensor, W& wire, std::type_identity_t<C>& controller, D& drive, K& clock,
            RunRecord about = {})
        requires std::same_as<I, interaction::MassInteraction> || std::same_as<I, interaction::DirectInteraction>
        : Session(plan, sensor, wire, controller, drive, clock, coupling(plan, wire), std::move(about)) {}

    /// The same with another coupling between force and wire.
    Session(const RunPlan& plan, S& sensor, W& wire, C& controller, D& drive, K& clock, I interaction,
            RunRecord about = {})
        : plan_(completed(plan, wire)),
          window_told_(plan.evaluation.from != plan.evaluation.to),
          steps_(steps_of(plan_, wire)),
          sensor_{sensor},
          wire_(wire),
          drive_(drive),
          clock_(clock),
          cycle_(sensor_, wire, controller, drive, interaction, plan_.cycle),
          record_(std::move(about)) {
        constexpr const char* where = "io::Session";
        plant::validate(plan_.rig, where);
        plant::require_follows_wire(plan_.rig.pantograph, where);
        if (!plan_.cycle.accept_other_rig) {
            require_rig(controller, where, "the controller");
            require_rig(drive, where, "the drive");
        }
        complete_commissioning(wire, where);
        const double late = plan_.rig.reading_delay;
        require(
            EstimatesForce || late == std::floor(late), where, "rig.reading_delay is ", late,
            " periods, must be a whole number, so that force and position can be recorded with the line at the same "
            "instant; move the fraction to command_delay: in the loop only the sum of the two counts");
        require(static_cast<double>(steps_) > late, where, "the run has ", steps_, " steps, must be more than ", late,
                ", the periods by which readings are late");
        const double speed = (plan_.end - wire.position()) / time_until(wire, plan_.end);
        require_evaluable(wire.position(), speed, wire.dt(), static_cast<std::size_t>(steps_) + 1 - delay(),
                          plan_.evaluation);
        record_.mode = "hil";
        if (!(record_.speed > 0.0)) record_.speed = speed;
        if (std::same_as<I, interaction::DirectInteraction> && plan_.start == interaction::Start::at_datum)
            record_.warnings.emplace_back(
                "force and wire are coupled directly, without a ramp: the wire, at rest without load, bears the full "
                "force from the first cycle on; start in loaded equilibrium instead (RunPlan::start)");
        record_.version = std::string(panto::version);
        if constexpr (requires { record_.catenary = wire.model().section().name; })
            if (record_.catenary.empty()) record_.catenary = wire.model().section().name;
        if constexpr (requires {
                          { wire.name() } -> std::convertible_to<std::string>;
                      })
            if (record_.catenary.empty()) record_.catenary = wire.name();
        record_.sampling =
            "force and achieved position at the instant they were measured, k * " + shown(1e3 * wire.dt()) +
            " ms after the start (" +
            (EstimatesForce ? "read in the same cycle in which the line reaches this instant"
                            : "read " + std::to_string(delay()) + (delay() == 1 ? " period later" : " periods later")) +
            "); wire height, reference and droppers at the same instant of the virtual line";
    }

    /// The results so far; add names and metadata that the parts do not know.
    [[nodiscard]] RunRecord& record() noexcept { return record_; }
    [[nodiscard]] const RunPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] std::chrono::nanoseconds period() const noexcept {
        return std::chrono::nanoseconds(std::llround(1e9 * wire_.dt()));
    }
    /// Every cycle of the run; null before run().
    [[nodiscard]] const rig::Recorder* cycles() const noexcept { return recorder_ ? &*recorder_ : nullptr; }

    /// Chooses the folder for the results. During the run, its samples are recorded in running.csv there.
    /// @throws SetupError if a report is wanted but neither dygraphs nor gnuplot is available.
    void record_in(ResultFolder& results, bool report = true) {
        if (report) {
            require_drawing();
            if (std::string warning = dygraphs_warning(); !warning.empty())
                record_.warnings.push_back(std::move(warning));
        }
        results_ = &results;
        report_ = report;
    }

    /// Tare, approach, preload, sign check. It begins without contact between strip and pad; `raise()` is called after
    /// the tare, to raise the pantograph. A failure stops the drive and is stored in record().fault; run() then does
    /// nothing.
    /// @throws SetupError if the commissioning plan is not valid.
    template <std::invocable Raise>
    rig::CommissioningReport commission(Raise&& raise) {
        rig::Commissioning stages(sensor_, drive_, clock_, plan_.commissioning);
        if (usable(stages.tare())) {
            raise();
            if (usable(stages.approach()) && usable(stages.preload())) (void)stages.check_sign();
        }
        commissioned(stages.report());
        return ready_;
    }
    /// Takes the report of stages carried out elsewhere, for instance for an identification. The sensor given to
    /// the session must be tared already.
    /// @throws SetupError if no stage failed, but the preload or the sign check was left out.
    void commissioned(const rig::CommissioningReport& report) {
        require(!usable(report.status) || (report.preload > 0.0 && report.fall > 0.0), "io::Session",
                "the commissioning has a preload of ", report.preload, " N and in the sign check the force fell by ",
                report.fall, " N, both must be > 0; carry out preload() and check_sign() before the run");
        ready_ = report;
        if (usable(ready_.status)) cycle_.rest_at(ready_.rest_height);
        record_.metadata.emplace_back("preload", shown(ready_.preload) + " N");
        record_.metadata.emplace_back("fall of the force in the sign check", shown(ready_.fall) + " N");
        if (!usable(ready_.status))
            record_.fault = "commissioning, " + std::string(name(ready_.stage)) + ": " + rig::describe(ready_.fault) +
                            (hidden_by_noise(ready_.fault) ? "; noise hides the fall: use a stiffer pad or a load cell "
                                                             "with less noise, or set a larger "
                                                             "commissioning.sign_move or more sign_moves"
                                                           : "");
    }
    rig::CommissioningReport commission() {
        return commission([] {});
    }

    /// Runs the loop from the start of the wire to the end of the plan; call it once. `watch(record)` is called in
    /// every cycle, and its time counts as part of the cycle. If the run ends early, record().fault has the reason.
    /// @throws SetupError if running.csv cannot be created; nothing has moved then.
    template <std::invocable<const rig::CycleRecord&> Watch>
    rig::Report run(Watch&& watch) {
        rig::Report report{.status = ready_.status, .fault = ready_.fault};
        if (!usable(ready_.status)) return report;
        const rig::Schedule schedule{.period = period(),
                                     .duration = std::min(steps_, cycle_.steps_on_line()) * period(),
                                     .overrun = plan_.overrun,
                                     .stop_requested = plan_.stop_requested};
        wire_.reset();
        RecordedRun done = recorded_run(
            record_, cycle_, clock_, wire_, recorder_.emplace(schedule),
            {.schedule = schedule,
             .delay = delay(),
             .start_force = plan_.start == interaction::Start::at_datum ? 0.0 : plan_.commissioning.preload_force,
             .running = results_ ? results_->path() / running_file : std::filesystem::path()},
            watch);
        report = done.report;
        interaction::SimulationRecord& record = done.seen;
        if (report.skipped > 0) {
            record_.warnings.push_back(std::to_string(report.skipped) +
                                       " periods were left out, because cycles took too long: the virtual line did "
                                       "not advance in them, and the times of the samples do not count them");
            // The run does not reach its end.
            if (const auto& x = record.contact.position; !window_told_ && !x.empty())
                plan_.evaluation.from = 0.5 * (x.front() + x.back()), plan_.evaluation.to = x.back();
        }
        record_.overruns = done.overruns;
        add_series(record_, record, plan_.evaluation);
        contact_ = std::move(record.contact);
        if (!usable(report.status)) record_.fault = report.explanation() + ", at " + shown(wire_.position()) + " m";
        return report;
    }
    rig::Report run() {
        return run([](const rig::CycleRecord&) noexcept {});
    }

    /// Computes figures of merit and the position error of the drive. Does nothing after a run that ended early.
    void evaluate() {
        if (figures()) add_position_error(record_, plan_.evaluation);
    }

    /// The same, and error indices against a simulation of the same passage without a rig. For a CoupledCatenary.
    void evaluate_beside_simulation() {
        static_assert(CoupledCatenary<W>,
                      "io::Session: a simulation needs panto::CoupledCatenary: the line lacks step_contact(contact); "
                      "call evaluate() instead");
        if (!figures()) return;
        wire_.reset();
        RunRecord ideal;
        const auto reference = simulate(ideal, wire_, plan_, {}, [](const interaction::SimulationStep&) {});
        if (ideal.fault.empty()) compare_or_say_why(record_, reference.contact, plan_.evaluation);
        if (!ideal.fault.empty())
            record_.results.push_back(
                {"error index", {}, "%", {}, {}, "not compared, the simulation ended: " + ideal.fault});
        add_position_error(record_, plan_.evaluation);
    }

    /// Writes series, log of the cycles and report, which replace former results. If the user stopped the run before
    /// its first cycle, former results stay as they are.
    /// @throws SetupError if record_in() was not called, or naming the file that cannot be written.
    void write() const {
        require(results_ != nullptr, "io::Session",
                "there is no folder to write into; call record_in() before the run");
        if (stopped_before_it_began(record_) && std::filesystem::exists(results_->path() / "series.csv")) return;
        write_series(results_->fresh(), record_);
        if (recorder_) write_cycles(results_->fresh() / "cycles.csv", *recorder_);
        if (report_) write_report(results_->fresh(), record_);
        results_->swap_in();
    }

  private:
    static bool hidden_by_noise(const rig::Fault& f) noexcept {
        return f.quantity == rig::Quantity::fall && f.status == Status::sensor_implausible;
    }

    using Loop = rig::Cycle<rig::TaredSensor<S>, W, C, D, I>;
    static I coupling(const RunPlan& plan, const W& wire) {
        if constexpr (std::same_as<I, interaction::MassInteraction>)
            return I(
                {.mass = plan.mass,
                 .ramp_time =
                     plan.start == interaction::Start::at_datum ? time_until(wire, wire.position() + plan.ramp) : 0.0},
                wire.dt());
        else
            return I{};
    }

    static constexpr bool EstimatesForce = rig::EstimatingController<C>;

    template <class Part>
    void require_rig(const Part& part, const char* where, const char* what) const {
        const auto other = plant::rig_of(part);
        if (!other || plant::difference(*other, plan_.rig).empty()) return;
        require(false, where, what, " is made for a different rig from that of the plan: ",
                plant::differences(*other, plan_.rig, "the plan"),
                "; make it for plan.rig, or set cycle.accept_other_rig");
    }

    /// Completes the plan of the commissioning: force, period and stop flag become those of the run, and the limits
    /// become at least as tight as those of the cycle.
    void complete_commissioning(W& wire, const char* where) {
        rig::CommissioningPlan& c = plan_.commissioning;
        const double untouched = rig::CommissioningPlan{}.preload_force;
        double preload = plan_.static_force;
        if (plan_.start == interaction::Start::loaded_equilibrium) preload = pressed(wire);
        require(c.preload_force == untouched || c.preload_force == preload, where, "commissioning.preload_force is ",
                c.preload_force, " N, but the preload of a run follows from static_force and is ", preload,
                " N; leave preload_force out and set static_force");
        require(preload < plan_.cycle.limits.force, where, "the preload is ", preload,
                " N, must be below cycle.limits.force, ", plan_.cycle.limits.force, " N");
        plant::require_holds(plan_.rig, preload, where);
        c.period = period();
        c.preload_force = preload;
        c.stop_requested = plan_.stop_requested;
        rig::keep_limits(c, plan_.cycle.limits);
    }

    /// The number of cycles from moving the line to an instant until the reading of this instant arrives. It is 0 with
    /// an estimated force, because the line is then moved by an estimate from the readings of the same cycle. The line
    /// moved in cycle t is then recorded with readings that the rig took in cycle t - rig.reading_delay.
    [[nodiscard]] std::size_t delay() const noexcept {
        return EstimatesForce ? 0 : static_cast<std::size_t>(plan_.rig.reading_delay);
    }

    [[nodiscard]] double pressed(W& wire) const {
        if constexpr (StartsUnderForce<W>) {
            return press(wire, plan_);
        } else {
            require(false, "io::Session",
                    "this line has no start_under(), which Start::loaded_equilibrium needs; use Start::at_datum");
            return 0.0;
        }
    }

    [[nodiscard]] bool figures() {
        if (!record_.fault.empty()) return false;
        return evaluate_or_say_why(record_, contact_, plan_.evaluation).has_value();
    }

    RunPlan plan_;
    bool window_told_;
    std::int64_t steps_;
    rig::TaredSensor<S> sensor_;
    W& wire_;
    D& drive_;
    K& clock_;
    Loop cycle_;
    RunRecord record_;
    interaction::ForceRecord contact_;  // readings aligned with the instant at which they were taken
    rig::CommissioningReport ready_;
    std::optional<rig::Recorder> recorder_;
    ResultFolder* results_ = nullptr;
    bool report_ = false;
};

template <class S, class W, class C, class D, class K>
Session(const RunPlan&, S&, W&, C&, D&, K&, RunRecord = {}) -> Session<S, W, C, D, K, rig::CouplingFor<C>>;

}  // namespace panto::io
