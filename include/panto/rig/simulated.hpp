// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A rig without hardware: linear motor, pad with load cell, real pantograph, field bus and clock in one model
/// [HiL paper, Sec. 3 and Tables 1, 2]. The default rig of all examples and tests; time passes only when the loop
/// sleeps, so ten seconds take a tenth of one.
///     motor        m u_m'' + c u_m' + k u_m = k r          (an ideal position drive: the contact does not load it)
///     pad          F_c = k_h (u_p - u_m), never negative
///     pantograph   lumped masses, pressed down by F_c, lifted by a constant force
///     load cell    F_f' = w (F_c - F_f), w = 2 pi 100 1/s; can be left out
/// advanced exactly for held r, with contact closed or open decided at every sub-step. Each period the bus takes one
/// frame of force and position; the loop reads the frame of `measurement_delay` periods ago, and what it writes
/// arrives `reference_delay` periods later.
///
/// Heights are upward from the nominal height of the contact wire, at which the springs of the pantograph are relaxed.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/core/check.hpp>
#include <panto/linalg/expm.hpp>
#include <panto/pantograph/lumped.hpp>
#include <panto/pantograph/presets.hpp>
#include <panto/rig/concepts.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <utility>

namespace panto::rig {

/// Linear motor with its position control, as identified from step responses. Defaults: Table 2.
struct MotorParams {
    double mass = 10.0;        ///< kg
    double damping = 1800.0;   ///< N s/m
    double stiffness = 450e3;  ///< N/m
};

/// The motor that the paper's text describes: peak 1.3 after 12 ms, settled after 40 ms. Table 2 gives 1.229 after
/// 16.4 ms.
inline constexpr MotorParams motor_of_the_text{.mass = 10.0, .damping = 2006.6, .stiffness = 786052.0};

struct SimulatedParams {
    MotorParams motor{};
    double pad_stiffness = 240e3;  ///< N/m, k_h
    pantograph::LumpedParams<> pantograph = pantograph::preset("DSA380_HiL").params;
    double lift = 130.625;                      ///< N, constant, on the lowest mass; 0.00097 v^2 + 70 at v = 250 km/h
    std::optional<double> start_height{};       ///< m, of the drive; without it where static lift meets the pad at 0
    std::optional<double> force_filter{100.0};  ///< Hz, first order; std::nullopt leaves it out
    double force_noise = 0.0;                   ///< N, standard deviation of each reading
    double position_noise = 0.0;                ///< m, standard deviation of each reading
    double encoder_step = 0.0;                  ///< m, resolution; 0 means none
    double force_step = 0.0;                    ///< N, resolution of the load cell; 0 means none
    double sensor_range = 2000.0;               ///< N, where the load cell saturates
    int measurement_delay = 1;                  ///< periods, force and position alike
    int reference_delay = 1;                    ///< periods
    int substeps = 20;                          ///< per period
    std::uint64_t seed = 1;                     ///< of the noise
};

/// Trouble that can be ordered for a span of time.
enum class SimulatedFault : std::uint8_t {
    force_lost,        ///< no reading arrives
    force_stale,       ///< the last reading, marked as old
    force_nan,         ///< a reading that is not a number, marked as good
    force_frozen,      ///< the reading of the moment it begins, again and again, marked as good
    force_zero,        ///< 0 N, marked as good
    encoder_lost,      ///< no position arrives
    encoder_nan,       ///< a position that is not a number, marked as good
    encoder_frozen,    ///< the position of the moment it begins, marked as good
    drive_refuses,     ///< the drive does not take commands
    strip_pulled_down  ///< 500 N pull the head down: contact is lost
};

class Simulated {
    static constexpr int most_delay = 8, most_faults = 8;
    using HeldSystem = linalg::Held<Dynamic, Dynamic>;
    using Frames = std::array<std::pair<double, Motion>, most_delay + 1>;

  public:
    using Params = SimulatedParams;

    /// @param dt period of the loop that will use the rig, s.
    /// @throws SetupError if a parameter has no meaning.
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
        /// Refuses what is not a number. @rt
        Status write(const Command& c) const noexcept { return rig->write(c.value); }
        /// Holds the motor where it is. @rt
        void stop() const noexcept { rig->hold(); }
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
    SimulatedClock clock{this};

    /// Orders a fault for from <= time < until, s on the rig's clock.
    /// @throws SetupError if there are too many already, or the span is empty.
    void inject(SimulatedFault what, double from, double until) {
        require(from < until, "rig::Simulated", "a fault is ordered from ", from, " to ", until,
                " s, allowed is a span forward");
        require(faults_used_ < most_faults, "rig::Simulated", most_faults,
                " faults are ordered already, more are not allowed");
        faults_[static_cast<std::size_t>(faults_used_++)] = {what, from, until};
    }

    /// Lets the air spring lift with another force, N: raises or lowers the pantograph.
    /// @throws SetupError if it is not a finite number.
    void set_lift(double force) {
        require_finite(force, "rig::Simulated", "lift");
        input_[1] = force;
    }

    /// The true state, without delay, filter and noise.
    [[nodiscard]] double motor_height() const noexcept { return x_[0]; }         ///< m
    [[nodiscard]] double head_height() const noexcept { return x_[2]; }          ///< m
    [[nodiscard]] double contact_force() const noexcept { return pad_force(); }  ///< N
    [[nodiscard]] double reference() const noexcept { return input_[0]; }        ///< m, r in force
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }             ///< since the last write
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
        require_positive(p.motor.mass, where, "motor.mass");
        require_positive(p.motor.damping, where, "motor.damping");
        require_positive(p.motor.stiffness, where, "motor.stiffness");
        require_positive(p.pad_stiffness, where, "pad_stiffness");
        require_finite(p.lift, where, "lift");
        if (p.start_height)
            require(std::fabs(*p.start_height) <= 10.0, where, "start_height is ", *p.start_height,
                    " m, allowed are -10 to 10 m");
        if (p.force_filter) require_positive(*p.force_filter, where, "force_filter");
        require_not_negative(p.force_noise, where, "force_noise");
        require_not_negative(p.position_noise, where, "position_noise");
        require_not_negative(p.encoder_step, where, "encoder_step");
        require_not_negative(p.force_step, where, "force_step");
        require_positive(p.sensor_range, where, "sensor_range");
        const auto count = [&](int value, int lowest, int highest, const char* field) {
            require(value >= lowest && value <= highest, where, field, " is ", value, ", allowed are ", lowest, " to ",
                    highest);
        };
        count(p.measurement_delay, 0, most_delay, "measurement_delay");
        count(p.reference_delay, 0, most_delay, "reference_delay");
        count(p.substeps, 1, 1000, "substeps");
    }

    // State: u_m, v_m, then height and speed of each mass from the head down, then the filtered penetration F_f / k_h
    // (a force here would spoil the scaling of the exponential). Input: reference, lift, extra force on the head.
    template <class = void>
    [[nodiscard]] HeldSystem held(bool contact) const;

    template <class Column, class Place>
    static Eigen::VectorXd push(const Column& per_newton, const Place& at, Eigen::Index n) {
        Eigen::VectorXd column = Eigen::VectorXd::Zero(n);
        for (Eigen::Index i = 0; i < per_newton.size(); ++i) column[at(i)] = per_newton[i];
        return column;
    }

    /// Everything at rest: the strip on the pad, or below it where the lift does not reach up to the drive.
    template <class = void>
    void place();

    [[nodiscard]] double pad_force() const noexcept { return std::max(0.0, p_.pad_stiffness * (x_[2] - x_[0])); }

    [[nodiscard]] bool active(SimulatedFault what) const noexcept {
        const double t = time();
        return std::any_of(faults_.begin(), faults_.begin() + faults_used_,
                           [&](const OrderedFault& f) { return f.what == what && f.from <= t && t < f.until; });
    }

    /// One frame of the bus: what the load cell and the encoder say now.
    void take_frame() noexcept {
        double force = p_.force_filter ? p_.pad_stiffness * x_[x_.size() - 1] : pad_force();
        if (p_.force_noise > 0.0) force += p_.force_noise * normal_(random_);
        if (p_.force_step > 0.0) force = p_.force_step * std::round(force / p_.force_step);
        double height = x_[0];
        if (p_.position_noise > 0.0) height += p_.position_noise * normal_(random_);
        if (p_.encoder_step > 0.0) height = p_.encoder_step * std::round(height / p_.encoder_step);
        const MotorParams& m = p_.motor;
        const double acceleration = (m.stiffness * (input_[0] - x_[0]) - m.damping * x_[1]) / m.mass;
        std::move_backward(frames_.begin(), frames_.end() - 1, frames_.end());
        frames_[0] = {force, {height, x_[1], acceleration}};
    }

    [[nodiscard]] const std::pair<double, Motion>& frame() const noexcept {
        return frames_[static_cast<std::size_t>(p_.measurement_delay)];
    }

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
        if (p_.reference_delay == 0) input_[0] = reference;
        return Status::ok;
    }

    void hold() noexcept {
        stopped_ = true;
        commands_.fill(x_[0]);
        input_[0] = x_[0];
    }

    /// A new period of the bus: commands move on by one place.
    void new_period() noexcept {
        take_frame();
        input_[0] = commands_[static_cast<std::size_t>(std::max(0, p_.reference_delay - 1))];
        std::move_backward(commands_.begin(), commands_.end() - 1, commands_.end());
    }

    void advance(std::chrono::nanoseconds until) noexcept {
        while (time_of(tick_ + 1) <= until.count()) {
            input_[2] = active(SimulatedFault::strip_pulled_down) ? -500.0 : 0.0;
            const HeldSystem& system = x_[2] > x_[0] ? closed_ : open_;
            next_.noalias() = system.A * x_;
            next_.noalias() += system.B * Eigen::Map<const Eigen::Vector3d>(input_.data());
            x_.swap(next_);
            if (!p_.force_filter) x_[x_.size() - 1] = 0.0;
            ++tick_;
            now_ = std::chrono::nanoseconds(time_of(tick_));
            if (tick_ % p_.substeps == 0) new_period();
        }
        now_ = std::max(now_, until);
    }

    [[nodiscard]] std::int64_t time_of(std::int64_t tick) const noexcept {  // ns
        return std::llround(1e9 * dt_ * static_cast<double>(tick) / p_.substeps);
    }

    Params p_;
    double dt_;
    pantograph::Lumped<> chain_;
    HeldSystem closed_, open_;
    Eigen::VectorXd x_, next_;
    std::array<double, 3> input_{};
    std::array<double, most_delay + 1> commands_{};  // newest first
    Frames frames_{};                                // newest first
    std::array<OrderedFault, most_faults> faults_{};
    int faults_used_ = 0;
    double frozen_force_ = 0.0;  // the last reading that was alive
    Motion frozen_position_;
    bool stopped_ = false;
    std::int64_t tick_ = 0;
    std::chrono::nanoseconds now_{0};
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_;
};

static_assert(ForceSensor<Simulated::Sensor> && Drive<Simulated::PositionDrive> && Clock<Simulated::SimulatedClock>);

template <class>
Simulated::Simulated(const Params& p, double dt)
    : p_((validate(p, dt), p)),
      dt_(dt),
      chain_(p.pantograph, dt / p.substeps),
      closed_(held(true)),
      open_(held(false)),
      x_(closed_.A.rows()),
      next_(closed_.A.rows()),
      random_(p.seed) {
    place();
}

template <class>
Simulated::HeldSystem Simulated::held(bool contact) const {
    const auto pantograph = chain_.state_matrices();
    const Eigen::Index N = chain_.size(), n = 2 + 2 * N + 1, f = n - 1;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), B = Eigen::MatrixXd::Zero(n, 3);
    const MotorParams& motor = p_.motor;
    A(0, 1) = 1.0;
    A(1, 0) = -motor.stiffness / motor.mass;
    A(1, 1) = -motor.damping / motor.mass;
    B(1, 0) = motor.stiffness / motor.mass;
    const auto at = [N](Eigen::Index i) { return i < N ? 2 + 2 * i : 3 + 2 * (i - N); };  // heights, then speeds
    for (Eigen::Index i = 0; i < 2 * N; ++i) {
        for (Eigen::Index j = 0; j < 2 * N; ++j) A(at(i), at(j)) = pantograph.A(i, j);
        B(at(i), 1) = pantograph.B(i, 1);
        B(at(i), 2) = -pantograph.B(i, 0);
    }
    if (contact) {
        A.col(2) += p_.pad_stiffness * push(pantograph.B.col(0), at, n);
        A.col(0) -= p_.pad_stiffness * push(pantograph.B.col(0), at, n);
    }
    if (p_.force_filter) {
        const double w = 2.0 * std::numbers::pi * *p_.force_filter;
        A(f, f) = -w;
        if (contact) {
            A(f, 2) = w;
            A(f, 0) = -w;
        }
    }
    return linalg::zero_order_hold(A, B, dt_ / p_.substeps);
}

template <class>
void Simulated::place() {
    const double touching = chain_.static_contact_force(0.0, p_.lift);
    const double at = p_.start_height.value_or(-std::max(0.0, touching) / p_.pad_stiffness);
    // Pad and pantograph in series: force at head height drive + F / k_h.
    const double slope = touching - chain_.static_contact_force(1.0, p_.lift);  // N/m
    const double force = std::max(0.0, chain_.static_contact_force(at, p_.lift) / (1.0 + slope / p_.pad_stiffness));
    const auto rest = chain_.in_equilibrium(p_.lift, force);
    // Without a roof spring every height is one of equilibrium: that in which the strip lies on the pad is taken.
    const bool floats = !(p_.pantograph.stiffness[chain_.size() - 1] > 0.0);
    const double raised = floats ? at + force / p_.pad_stiffness - rest.u[0] : 0.0;
    x_.setZero();
    x_[0] = at;
    for (Eigen::Index i = 0; i < chain_.size(); ++i) x_[2 + 2 * i] = rest.u[i] + raised;
    x_[x_.size() - 1] = force / p_.pad_stiffness;
    input_ = {at, p_.lift, 0.0};
    commands_.fill(at);
    for (int i = 0; i <= most_delay; ++i) take_frame();
}

#ifdef PANTO_COMPILED
extern template Simulated::Simulated(const SimulatedParams&, double);
#endif

}  // namespace panto::rig
