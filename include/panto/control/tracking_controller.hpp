// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A controller for a transfer system of your own (a drive, a shaking table, an actuator on a slow bus): estimator,
/// state feedback, feed-forward and disturbance rejection, all from one linear model.
///
///     x[k+1] = A x[k] + B (u[k] + d[k]),   y[k] = C x[k],   d[k+1] = d[k]            plant and disturbance
///     [x^; d^] from y and u                                                           steady Kalman filter
///     u[k] = Gamma w[k] - K (x^[k] - Pi w[k]) - d^[k]                                 LQR about the reference's motion
///
/// w = [r; r'; r''] is the reference; Pi w and Gamma w are state and input with which the plant follows it
/// (exosystem.hpp). While the acceleration r'' is constant, the plant follows without error: the model contains all
/// delays, so the feed-forward compensates them. The estimator uses the limited command, so there is no wind-up.

#pragma once

#include <panto/control/concepts.hpp>
#include <panto/control/exosystem.hpp>
#include <panto/control/lqr.hpp>
#include <panto/control/state_space.hpp>
#include <panto/control/steady_kalman.hpp>

#include <Eigen/Core>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>

namespace panto::control {

/// The reading of a position-controlled drive.
struct StripHeight {
    static constexpr Eigen::Index size = 1;
    /// @rt
    void operator()(const Exchange& e, Eigen::VectorXd& y) const noexcept { y[0] = e.strip.height; }
};

struct TrackingParams {
    /// A discrete plant from the command to the readings, all delays included (see sampled()). The first output follows
    /// the reference.
    StateSpace plant = {};
    /// Steps; age of the readings, a part of the delay in `plant`. It is refused if it is longer than that delay. A
    /// plant in discrete time does not tell a delay of 3.3 steps from one of 3.9, so a delay that is not whole counts
    /// as the next whole number. You must know the rest: with readings said to be too old, the plant follows its
    /// reference late by the excess, without a message.
    double reading_delay = 0.0;
    double error_weight = 1.0;           ///< LQR, per square of the tracked output
    double effort_weight = 1e-2;         ///< LQR, per square of the command
    double disturbance_noise = 1e-3;     ///< standard deviation of the change of d per step, unit of the command
    Eigen::MatrixXd process_noise = {};  ///< covariance per step on the plant's states; empty for none
    Eigen::MatrixXd reading_noise = {};  ///< covariance; as many rows as the plant has outputs
    double lowest = -std::numeric_limits<double>::infinity();       ///< of the command
    double highest = std::numeric_limits<double>::infinity();       ///< of the command
    double largest_step = std::numeric_limits<double>::infinity();  ///< of the command from one cycle to the next
    Gate gate = {};                                                 ///< for readings
};

/// A `Controller`: reads the Exchange through `Readings` (a default-constructible type with `size` and
/// `void operator()(const Exchange&, Eigen::VectorXd&) noexcept`) and Exchange::reference, the motion at the end of the
/// cycle.
template <class CommandType = PositionCommand, class Readings = StripHeight>
class TrackingController {
  public:
    using Command = CommandType;
    using Params = TrackingParams;

    /// @throws SetupError if the plant is continuous, does not have one input and one output per reading, cannot follow
    /// such a reference, or is not stabilizable or detectable (naming the mode), or if a weight, noise or limit is not
    /// valid.
    template <class = void>
    explicit TrackingController(const Params& p)
        : TrackingController(
              p, with_input_disturbance(checked(p), Eigen::MatrixXd::Ones(1, 1), Eigen::MatrixXd::Ones(1, 1))) {}

    /// The model replaces a reading that is missing or refused by the gate. sensor_implausible if the reference is not
    /// finite, out_of_range if `Readings` changes the number of readings: then the last command is repeated.
    /// sensor_lost if all readings are missing; the command is then computed from the model. saturated if a limit is
    /// active. @rt
    Result<Command> update(const Exchange& e) noexcept {
        if (!is_finite(e.reference)) return {{command_[0]}, Status::sensor_implausible};
        readings_(e, y_);
        const Status read = estimator_.update(y_);
        const bool bridged = read == Status::sensor_lost || read == Status::sensor_implausible;
        if (!usable(read) && !bridged) return {{command_[0]}, read};
        w_ << e.reference.height, e.reference.speed, e.reference.acceleration;
        const double wanted = lead_.dot(w_) - K_.dot(estimator_.state());
        if (!is_finite(wanted)) return {{command_[0]}, Status::not_finite};
        const double low = std::max(lowest_, command_[0] - largest_step_);
        const double high = std::min(highest_, command_[0] + largest_step_);
        command_[0] = std::clamp(wanted, low, high);
        if (estimator_.predict(command_) != Status::ok) return {{command_[0]}, Status::not_finite};
        if (read == Status::sensor_lost) return {{command_[0]}, read};
        return {{command_[0]}, command_[0] == wanted ? Status::ok : Status::saturated};
    }

    /// Sets the plant to rest with its tracked output at `at.height` and no disturbance. @rt
    void reset(const Motion& at) noexcept {
        if (!is_finite(at.height)) return;
        start_ = at.height * at_rest_;
        command_[0] = std::clamp(at.height * command_at_rest_, lowest_, highest_);
        (void)estimator_.reset(start_);
    }

    /// The controller without limits and gate, as a system with inputs [y; r; r'; r''] and output u, for closed loops,
    /// margins and plots. Its state is the predicted [x; d].
    template <class = void>
    [[nodiscard]] StateSpace linear_model() const {
        const Eigen::Index n = model_.states(), ny = model_.outputs();
        const Eigen::MatrixXd seen = Eigen::MatrixXd::Identity(n, n) - estimator_.gain() * model_.C;
        StateSpace s{Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, ny + 3), -K_ * seen, Eigen::MatrixXd(1, ny + 3),
                     model_.dt};
        const Eigen::MatrixXd closed = model_.A - model_.B * K_;
        s.A = closed * seen;
        s.B << closed * estimator_.gain(), model_.B * lead_;
        s.D << -K_ * estimator_.gain(), lead_;
        return s;
    }

    [[nodiscard]] const Eigen::RowVectorXd& K() const noexcept { return K_; }  ///< on [x; d]
    [[nodiscard]] double regulator_radius() const noexcept { return regulator_radius_; }
    [[nodiscard]] double observer_radius() const noexcept { return estimator_.radius(); }
    [[nodiscard]] const SteadyKalman& estimator() const noexcept { return estimator_; }
    [[nodiscard]] double dt() const noexcept { return model_.dt; }  ///< s

  private:
    static constexpr const char* where = "control::TrackingController";

    template <class = void>
    [[nodiscard]] static const StateSpace& checked(const Params& p) {
        validate(p.plant, where);
        require(p.plant.dt > 0.0, where, "plant is continuous; sample it first");
        require(p.plant.inputs() == 1, where, "plant must have 1 input, got ", p.plant.inputs());
        require(p.plant.outputs() == Readings::size, where, "plant must have as many outputs as there are readings, ",
                Readings::size, ", got ", p.plant.outputs());
        require(is_finite(p.reading_delay) && p.reading_delay >= 0.0 && p.reading_delay <= 1000.0, where,
                "reading_delay must be between 0 and 1000 steps, got ", p.reading_delay);
        const double most = longest_delay(p.plant);
        require(p.reading_delay <= most, where, "reading_delay is ", p.reading_delay,
                " steps, but it is a part of the delay in plant, which is at most ", most, " steps");
        require_positive(p.error_weight, where, "error_weight");
        require_positive(p.effort_weight, where, "effort_weight");
        require_positive(p.disturbance_noise, where, "disturbance_noise");
        require(p.lowest < p.highest, where, "lowest must be below highest, got ", p.lowest, " and ", p.highest);
        require(p.largest_step > 0.0, where, "largest_step must be > 0, got ", p.largest_step);
        require(p.process_noise.size() == 0 ||
                    (p.process_noise.rows() == p.plant.states() && p.process_noise.cols() == p.plant.states()),
                where, "process_noise must be empty or ", p.plant.states(), " by ", p.plant.states(), ", got ",
                p.process_noise.rows(), " by ", p.process_noise.cols());
        detail::require_covariance(p.process_noise, where, "process_noise");
        require(p.reading_noise.rows() == Readings::size && p.reading_noise.cols() == Readings::size, where,
                "reading_noise must be ", Readings::size, " by ", Readings::size, ", got ", p.reading_noise.rows(),
                " by ", p.reading_noise.cols());
        detail::require_covariance(p.reading_noise, where, "reading_noise");
        return p.plant;
    }

    /// The longest delay, in steps, that the plant may contain. A delay of d steps keeps d commands in a chain of
    /// states and shows an impulse in the tracked output after d + 1 steps. If it is not whole, it keeps one command
    /// more, in a chain as long as the time until the impulse shows.
    template <class = void>
    [[nodiscard]] static double longest_delay(const StateSpace& plant) {
        const Eigen::Index n = plant.states();
        Eigen::VectorXd response(n + 1), x = plant.B.col(0);
        response[0] = plant.D(0, 0);
        for (Eigen::Index k = 1; k <= n; ++k) {
            response[k] = plant.C.row(0).dot(x);
            x = (plant.A * x).eval();
        }
        const double nothing = 1e-9 * response.cwiseAbs().maxCoeff();
        Eigen::Index first = 0;
        while (first < n && !(std::abs(response[first]) > nothing)) ++first;
        if (first == 0) return 0.0;
        const auto power = [&](Eigen::Index exponent) {
            Eigen::MatrixXd result = Eigen::MatrixXd::Identity(n, n), square = plant.A;
            for (; exponent > 0; exponent /= 2, square = (square * square).eval())
                if (exponent % 2 == 1) result = (square * result).eval();
            return result;
        };
        const auto rank = [](const Eigen::MatrixXd& M) {
            return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(M).rank();
        };
        // Such a chain of m states is empty after m steps, not before.
        const bool part = n > 0 && rank(power(first)) < rank(power(first - 1));
        return static_cast<double>(first) - (part ? 0.0 : 1.0);
    }

    template <class = void>
    [[nodiscard]] static Eigen::MatrixXd noise(const Params& p) {
        const Eigen::Index nx = p.plant.states();
        Eigen::MatrixXd W = Eigen::MatrixXd::Zero(nx + 1, nx + 1);
        if (p.process_noise.size() > 0) W.topLeftCorner(nx, nx) = p.process_noise;
        W(nx, nx) = p.disturbance_noise * p.disturbance_noise;
        return W;
    }

    template <class = void>
    TrackingController(const Params& p, const StateSpace& model)
        : model_(model),
          estimator_(model, noise(p), p.reading_noise, p.gate),
          y_(Eigen::VectorXd::Zero(model.outputs())),
          command_(Eigen::VectorXd::Constant(1, std::clamp(0.0, p.lowest, p.highest))),
          lowest_(p.lowest),
          highest_(p.highest),
          largest_step_(p.largest_step) {
        const StateSpace& plant = p.plant;
        const auto tracked = plant.C.row(0);
        const auto gain = lqr(plant.A, plant.B, Eigen::MatrixXd(p.error_weight * tracked.transpose() * tracked),
                              Eigen::MatrixXd::Constant(1, 1, p.effort_weight));
        regulator_radius_ = gain.closed_loop_radius;
        const Exosystem signal = polynomial_signal(2, plant.dt);
        const Regulation motion = regulator_equations({plant.A, plant.B, tracked, plant.D.row(0), plant.dt}, signal);
        K_.resize(model.states());
        K_ << gain.K, 1.0;
        // Exchange::reference is for the end of the cycle; the readings show the state reading_delay steps ago.
        const double back = -(1.0 + p.reading_delay) * plant.dt;
        const Eigen::Matrix3d then{{1.0, back, 0.5 * back * back}, {0.0, 1.0, back}, {0.0, 0.0, 1.0}};
        lead_ = (motion.Gamma + gain.K * motion.Pi) * then;
        at_rest_ = Eigen::VectorXd::Zero(model.states());
        at_rest_.head(plant.states()) = motion.Pi.col(0);
        start_ = at_rest_;
        command_at_rest_ = motion.Gamma(0, 0);
    }

    StateSpace model_;  // [x; d]
    SteadyKalman estimator_;
    Readings readings_ = {};
    Eigen::RowVectorXd K_ = {};
    Eigen::RowVector3d lead_ = Eigen::RowVector3d::Zero();
    Eigen::Vector3d w_ = Eigen::Vector3d::Zero();
    Eigen::VectorXd y_, command_, at_rest_ = {}, start_ = {};
    double lowest_, highest_, largest_step_;
    double command_at_rest_ = 0.0, regulator_radius_ = 0.0;
};

static_assert(Controller<TrackingController<>>);

}  // namespace panto::control
