// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A rig without hardware: the plant of plant/rig.hpp with a clock, a bus, noise and faults. Examples
/// and tests run on it; time passes only while the loop sleeps, so ten seconds take a tenth of a second.
///
/// The plant is advanced exactly for held commands; whether the strip is on the pad is decided at every sub-step.
/// Once per period the bus samples a frame of force and position, which the loop gets `reading_delay` periods later.
/// Once per period it also passes the drive the command written `command_delay` periods earlier. Delays may be
/// fractional: an event within a period divides the sub-step in which it falls.
///
/// Heights are upward from the nominal height of the contact wire, at which the springs of the pantograph are relaxed.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/pantograph/lumped.hpp>
#include <panto/plant/model.hpp>
#include <panto/rig/concepts.hpp>
#include <panto/rig/saturated_drive.hpp>
#include <panto/rig/simulated_base.hpp>
#include <panto/rig/simulated_params.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace panto::rig {

class Simulated {
    static constexpr int most_faults = 8;
    using HeldSystem = linalg::Held<Dynamic, Dynamic>;
    using Frames = std::array<std::pair<double, Motion>, plant::longest_delay + 2>;
    /// A part of a period between two events.
    struct Piece {
        double end;           // periods, from the start of the period
        std::size_t length;   // index of the held system of this length
        bool command, frame;  // whether a command arrives or a frame is sampled at its end
    };

  public:
    using Params = SimulatedParams;

    /// @param dt period of the loop that will use the rig, s.
    /// @throws SetupError if a parameter is invalid, or the drive cannot hold the contact force at rest.
    template <class = void>
    Simulated(const Params& p, double dt);

    Simulated(const Simulated&) = delete;  // its handles point into it
    Simulated& operator=(const Simulated&) = delete;
    ~Simulated() = default;

    struct Sensor {
        Simulated* rig;
        /// @rt
        [[nodiscard]] Result<double> read() const noexcept { return rig->read_force(); }
        [[nodiscard]] double dt() const noexcept { return rig->dt_; }  ///< s
    };
    struct PositionDrive {
        using Command = PositionCommand;
        Simulated* rig;
        /// @rt
        [[nodiscard]] Result<Motion> read() const noexcept { return rig->read_position(); }
        /// Refuses a command that is not finite. @rt
        Status write(const Command& c) const noexcept { return rig->write(c.value); }
        /// Holds the motor where it is. @rt
        void stop() const noexcept { rig->hold(); }
        [[nodiscard]] double dt() const noexcept { return rig->dt_; }  ///< s
        [[nodiscard]] const plant::RigParams& rig_params() const noexcept { return rig->p_.rig; }
    };
    /// The second actuator, under the pantograph. Its position is how much higher the vehicle's roof is than on level
    /// track, m. It stands still unless a DrivePair moves it.
    struct BaseDrive {
        using Command = PositionCommand;
        Simulated* rig;
        /// @rt
        [[nodiscard]] Result<Motion> read() const noexcept { return rig->read_base(); }
        /// Refuses a command that is not finite. @rt
        Status write(const Command& c) const noexcept { return rig->write_base(c.value); }
        /// Holds the motor where it is. @rt
        void stop() const noexcept { rig->hold_base(); }
        [[nodiscard]] double dt() const noexcept { return rig->dt_; }  ///< s
    };
    struct SimulatedClock {
        Simulated* rig;
        /// @rt
        [[nodiscard]] std::chrono::nanoseconds now() const noexcept { return rig->now_; }
        /// @rt
        void sleep_until(std::chrono::nanoseconds t) const noexcept { rig->advance(t); }
    };

    Sensor sensor{this};
    PositionDrive drive{this};
    BaseDrive base{this};
    SimulatedClock clock{this};

    /// Schedules a fault for all times t with from <= t < until, in s on the rig's clock.
    /// @throws SetupError if there are too many already, or the span is empty.
    void inject(SimulatedFault what, double from, double until) {
        require(from < until, "rig::Simulated", "a fault is scheduled from ", from, " to ", until,
                " s, the end must come after the start");
        require(faults_used_ < most_faults, "rig::Simulated", most_faults,
                " faults are scheduled already, no more are possible");
        faults_[static_cast<std::size_t>(faults_used_++)] = {what, from, until};
    }

    /// Changes the uplift force, N: raises or lowers the pantograph.
    /// @throws SetupError if it is not a finite number.
    void set_uplift_force(double force) {
        require_finite(force, "rig::Simulated", "uplift_force");
        uplift_force_ = force;
    }
    [[deprecated("use set_uplift_force()")]] void set_lift(double force) { set_uplift_force(force); }

    /// The true state, without delay, filter and noise.
    [[nodiscard]] double motor_height() const noexcept { return x_[0]; }          ///< m
    [[nodiscard]] double base_height() const noexcept { return base_.height(); }  ///< m
    [[nodiscard]] bool base_stopped() const noexcept { return base_stopped_; }    ///< no command since stop()
    [[nodiscard]] double head_height() const noexcept { return x_[2]; }           ///< m
    [[nodiscard]] double contact_force() const noexcept { return pad_force(); }   ///< N
    [[nodiscard]] double reference() const noexcept { return input_[0]; }         ///< m, r that acts on the motor now
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }              ///< no command since stop()
    [[nodiscard]] double time() const noexcept { return 1e-9 * static_cast<double>(now_.count()); }  ///< s
    [[nodiscard]] double dt() const noexcept { return dt_; }                                         ///< s
    [[nodiscard]] const Params& params() const noexcept { return p_; }

  private:
    struct OrderedFault {
        SimulatedFault what{};
        double from = 0.0, until = 0.0;  // s
    };

    static void validate(const Params& p, double dt) {
        const char* where = "rig::Simulated";
        require_positive(dt, where, "dt");
        plant::validate(p.rig, where);
        require_finite(p.uplift_force, where, "uplift_force");
        if (p.start_height)
            require(std::fabs(*p.start_height) <= 10.0, where, "start_height is ", *p.start_height,
                    " m, must be from -10 to 10 m");
        require_not_negative(p.force_noise, where, "force_noise");
        require_not_negative(p.position_noise, where, "position_noise");
        require_not_negative(p.force_step, where, "force_step");
        require_positive(p.sensor_range, where, "sensor_range");
        require(p.substeps >= 1 && p.substeps <= 1000, where, "substeps is ", p.substeps, ", must be from 1 to 1000");
    }

    /// Whole periods of a delay and the remaining fraction; within 1e-9 of a whole period it counts as whole.
    static std::pair<int, double> split(double periods) {
        const double whole = std::floor(periods + 1e-9), part = periods - whole;
        return {static_cast<int>(whole), part < 1e-9 ? 0.0 : part};
    }

    /// Sub-steps of equal length, divided where a delayed command arrives or a frame is sampled, each with its exact
    /// system.
    template <class = void>
    void cut_period();

    /// Everything at rest: the strip on the pad, or below it if the uplift force cannot reach the drive.
    template <class = void>
    void place();

    [[nodiscard]] double pad_force() const noexcept { return std::max(0.0, p_.rig.pad_stiffness * (x_[2] - x_[0])); }

    [[nodiscard]] bool active(SimulatedFault what) const noexcept {
        const double t = time();
        return std::any_of(faults_.begin(), faults_.begin() + faults_used_,
                           [&](const OrderedFault& f) { return f.what == what && f.from <= t && t < f.until; });
    }

    /// One frame of the bus: the present readings of load cell and encoder.
    void take_frame() noexcept {
        double force = p_.rig.force_filter.cut_off > 0.0 ? measured_force_.dot(x_) : pad_force();
        if (p_.force_noise > 0.0) force += p_.force_noise * normal_(random_);
        if (p_.force_step > 0.0) force = p_.force_step * std::round(force / p_.force_step);
        double height = x_[0];
        if (p_.position_noise > 0.0) height += p_.position_noise * normal_(random_);
        if (const double step = p_.rig.encoder_step; step > 0.0) height = step * std::round(height / step);
        const double acceleration = plant::within_limits(p_.rig, asked(), pad_force());
        std::move_backward(frames_.begin(), frames_.end() - 1, frames_.end());
        frames_[0] = {force, {height, x_[1], acceleration}};
    }

    [[nodiscard]] const std::pair<double, Motion>& frame() const noexcept { return frames_[frames_ago_]; }

    [[nodiscard]] Result<double> read_force() noexcept {
        if (!active(SimulatedFault::force_frozen)) frozen_force_ = frame().first;
        const double force = active(SimulatedFault::force_zero) ? 0.0 : frozen_force_;
        if (active(SimulatedFault::force_lost)) return {0.0, Status::sensor_lost};
        if (active(SimulatedFault::force_stale)) return {force, Status::sensor_stale};
        if (active(SimulatedFault::force_nan)) return {std::nan(""), Status::ok};
        if (std::fabs(force) >= p_.sensor_range)
            return {std::copysign(p_.sensor_range, force), Status::sensor_saturated};
        return {force, Status::ok};
    }

    [[nodiscard]] Result<Motion> read_position() noexcept {
        if (!active(SimulatedFault::encoder_frozen)) frozen_position_ = frame().second;
        if (active(SimulatedFault::encoder_lost)) return {{}, Status::sensor_lost};
        if (active(SimulatedFault::encoder_nan)) return {{std::nan(""), 0.0, 0.0}, Status::ok};
        return {frozen_position_, Status::ok};
    }

    Status write(double reference) noexcept {
        if (!is_finite(reference) || active(SimulatedFault::drive_refuses)) return Status::drive_fault;
        stopped_ = false;
        commands_[0] = reference;
        if (commands_ago_ == 0 && command_at_boundary_) input_[0] = reference;
        return Status::ok;
    }

    void hold() noexcept {
        stopped_ = true;
        commands_.fill(x_[0]);
        input_[0] = x_[0];
    }

    [[nodiscard]] Result<Motion> read_base() noexcept {
        if (!active(SimulatedFault::base_frozen)) frozen_base_ = base_.frame(frames_ago_);
        if (active(SimulatedFault::base_lost)) return {{}, Status::sensor_lost};
        if (active(SimulatedFault::base_nan)) return {{std::nan(""), 0.0, 0.0}, Status::ok};
        return {frozen_base_, Status::ok};
    }

    Status write_base(double reference) noexcept {
        if (!is_finite(reference) || active(SimulatedFault::base_refuses)) return Status::drive_fault;
        base_stopped_ = false;
        if (!active(SimulatedFault::base_stuck)) base_.write(reference, commands_ago_ == 0 && command_at_boundary_);
        return Status::ok;
    }

    void hold_base() noexcept {
        base_stopped_ = true;
        base_.hold();
    }

    void advance(std::chrono::nanoseconds until) noexcept {
        while (time_of(period_, pieces_[piece_].end) <= until.count()) {
            const Piece& piece = pieces_[piece_];
            // The roof pushes the lowest mass through the spring and damper between them.
            input_[1] = uplift_force_ + (base_stiffness_ * base_.height() + base_damping_ * base_.speed());
            input_[2] = (active(SimulatedFault::strip_pulled_down) ? -500.0 : 0.0) + head_force(piece);
            const bool closed = x_[2] > x_[0];
            std::array<double, 3> input = input_;
            const double a = saturated_.acceleration(p_.rig, asked(), x_[1], pad_force(), piece.length);
            if (!is_nan(a)) input[0] = a;
            const HeldSystem& held =
                is_nan(a) ? (closed ? closed_ : open_)[piece.length] : saturated_.held(closed, piece.length);
            next_.noalias() = held.A * x_;
            next_.noalias() += held.B * Eigen::Map<const Eigen::Vector3d>(input.data());
            x_.swap(next_);
            base_.advance(piece.length);
            now_ = std::chrono::nanoseconds(time_of(period_, piece.end));
            if (piece.frame) take_frame(), base_.take_frame();
            const bool ends = ++piece_ == pieces_.size();
            if (ends) {  // commands are shifted by one
                piece_ = 0;
                ++period_;
                std::move_backward(commands_.begin(), commands_.end() - 1, commands_.end());
                base_.end_period();
            }
            if (piece.command) input_[0] = commands_[commands_ago_], base_.apply(commands_ago_);
        }
        now_ = std::max(now_, until);
    }

    /// The acceleration that the position loop of the motor asks for, m/s^2.
    [[nodiscard]] double asked() const noexcept {
        const auto& m = p_.rig.motor;
        return (m.stiffness * (input_[0] - x_[0]) - m.damping * x_[1]) / m.mass;
    }

    [[nodiscard]] double head_force(const Piece& piece) const noexcept {  // N
        if (!p_.head_force) return 0.0;
        const double begin = piece_ == 0 ? 0.0 : pieces_[piece_ - 1].end;
        return p_.head_force(dt_ * (static_cast<double>(period_) + 0.5 * (begin + piece.end)));
    }

    [[nodiscard]] std::int64_t time_of(std::int64_t period, double part) const noexcept {  // ns
        return std::llround(1e9 * dt_ * (static_cast<double>(period) + part));
    }

    Params p_;
    double dt_;
    pantograph::Lumped<> chain_;
    std::vector<HeldSystem> closed_, open_;  // for each length of a piece
    detail::SaturatedDrive saturated_;
    std::vector<Piece> pieces_;  // of a period, in their order
    Eigen::RowVectorXd measured_force_;
    Eigen::VectorXd x_, next_;
    std::size_t commands_ago_ = 0, frames_ago_ = 0;  // whole periods of the delays
    bool command_at_boundary_ = true;                // no fractional part
    std::array<double, 3> input_{};
    std::array<double, plant::longest_delay + 1> commands_{};  // newest first
    Frames frames_{};                                          // newest first
    detail::SimulatedBase base_;
    double uplift_force_ = 0.0;                         // N
    double base_stiffness_ = 0.0, base_damping_ = 0.0;  // N/m, N s/m, of the lowest mass to the roof
    Motion frozen_base_;
    bool base_stopped_ = false;
    std::array<OrderedFault, most_faults> faults_{};
    int faults_used_ = 0;
    double frozen_force_ = 0.0;  // the last reading before it froze
    Motion frozen_position_;
    bool stopped_ = false;
    std::int64_t period_ = 0;
    std::size_t piece_ = 0;
    std::chrono::nanoseconds now_{0};
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_;
};

static_assert(ForceSensor<Simulated::Sensor> && Drive<Simulated::PositionDrive> && Drive<Simulated::BaseDrive> &&
              Clock<Simulated::SimulatedClock>);

template <class>
Simulated::Simulated(const Params& p, double dt)
    : p_((validate(p, dt), p)), dt_(dt), chain_(p.rig.pantograph, dt / p.substeps), random_(p.seed) {
    cut_period();
    place();
}

template <class>
void Simulated::cut_period() {
    const auto [command_whole, command_part] = split(p_.rig.command_delay);
    const auto [reading_whole, reading_part] = split(p_.rig.reading_delay);
    commands_ago_ = static_cast<std::size_t>(command_whole);
    frames_ago_ = static_cast<std::size_t>(reading_whole);
    const double command_at = command_part > 0.0 ? command_part : 1.0;
    const double frame_at = reading_part > 0.0 ? 1.0 - reading_part : 1.0;
    command_at_boundary_ = command_part == 0.0;
    std::vector<double> ends;
    for (int i = 1; i <= p_.substeps; ++i) ends.push_back(static_cast<double>(i) / p_.substeps);
    for (const double cut : {command_at, frame_at})
        if (std::none_of(ends.begin(), ends.end(), [&](double e) { return std::fabs(e - cut) < 1e-9; }))
            ends.push_back(cut);
    std::sort(ends.begin(), ends.end());
    const auto closed = plant::continuous_model(p_.rig), open = plant::continuous_model(p_.rig, plant::Contact::open);
    measured_force_ = closed.measured_force;
    std::vector<double> lengths;
    double begin = 0.0;
    for (const double end : ends) {
        const auto known = std::find_if(lengths.begin(), lengths.end(),
                                        [&](double l) { return std::fabs(l - (end - begin)) < 1e-12; });
        pieces_.push_back({end, static_cast<std::size_t>(known - lengths.begin()), std::fabs(end - command_at) < 1e-9,
                           std::fabs(end - frame_at) < 1e-9});
        if (known == lengths.end()) {
            const double length =
                ends.size() == static_cast<std::size_t>(p_.substeps) ? dt_ / p_.substeps : (end - begin) * dt_;
            lengths.push_back(end - begin);
            base_.prepare(p_.base_motor, length);
            closed_.push_back(linalg::zero_order_hold(closed.A, closed.B, length));
            open_.push_back(linalg::zero_order_hold(open.A, open.B, length));
            saturated_.prepare(p_.rig, length);
        }
        begin = end;
    }
    x_ = next_ = Eigen::VectorXd::Zero(closed.A.rows());
}

template <class>
void Simulated::place() {
    const double touching = chain_.static_contact_force(0.0, p_.uplift_force);
    const double at = p_.start_height.value_or(-std::max(0.0, touching) / p_.rig.pad_stiffness);
    // Pad and pantograph act in series: under a force F the head is F / k_h above the drive.
    const double slope = touching - chain_.static_contact_force(1.0, p_.uplift_force);  // N/m
    const double force =
        std::max(0.0, chain_.static_contact_force(at, p_.uplift_force) / (1.0 + slope / p_.rig.pad_stiffness));
    plant::require_holds(p_.rig, force, "rig::Simulated");
    // The masses are placed from the head down: from the roof up, a soft roof spring would turn the rounding of the
    // force into metres. Without such a spring every height is an equilibrium; the one with the strip on the pad is
    // used.
    const bool floats = !(p_.rig.pantograph.stiffness[chain_.size() - 1] > 0.0);
    const auto rest =
        force > 0.0 || (floats && p_.uplift_force >= 0.0)
            ? chain_.held(at + force / p_.rig.pad_stiffness, {.contact_force = force, .uplift_force = p_.uplift_force})
            : chain_.in_equilibrium(p_.uplift_force, 0.0);
    x_ = force / p_.rig.pad_stiffness * plant::filter_at_rest(p_.rig.force_filter, 2 + 2 * chain_.size(), x_.size());
    x_[0] = at;
    for (Eigen::Index i = 0; i < chain_.size(); ++i) x_[2 + 2 * i] = rest.u[i];
    input_ = {at, p_.uplift_force, 0.0};
    uplift_force_ = p_.uplift_force;
    base_stiffness_ = p_.rig.pantograph.stiffness[chain_.size() - 1];
    base_damping_ = p_.rig.pantograph.damping[chain_.size() - 1];
    commands_.fill(at);
    for (std::size_t i = 0; i < frames_.size(); ++i) take_frame();
}

#ifdef PANTO_COMPILED
extern template Simulated::Simulated(const SimulatedParams&, double);
#endif

}  // namespace panto::rig
