// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The steady-state Kalman filter: the gain is computed once, and a step costs two products with the state.
///
///     update:   x(k|k)   = x(k|k-1) + L_f (y - C x(k|k-1))
///     predict:  x(k+1|k) = A x(k|k) + B u

#pragma once

#include <panto/control/kalman.hpp>
#include <panto/control/state_space.hpp>
#include <panto/core/status.hpp>

#include <Eigen/Core>

namespace panto::control {

/// Which readings are accepted.
struct Gate {
    double deviations = 0.0;  ///< largest innovation, in standard deviations; 0 for no gate
    /// Cycles in a row that may refuse readings. After that the estimate is taken to be wrong: all readings are
    /// accepted until they are within the gate again.
    int longest = 5;
};

class SteadyKalman {
  public:
    /// @param model  discrete, no direct term D
    /// @param W      covariance of the process noise per step
    /// @param V      covariance of the readings
    /// @throws SetupError as kalman_gains() does (naming an unobservable mode), or for a continuous model, a
    /// model with a direct term, or an invalid gate.
    template <class = void>
    SteadyKalman(const StateSpace& model, const Eigen::MatrixXd& W, const Eigen::MatrixXd& V, const Gate& gate)
        : SteadyKalman(model, gains(model, W, V), V, gate) {}
    template <class = void>
    SteadyKalman(const StateSpace& model, const Eigen::MatrixXd& W, const Eigen::MatrixXd& V)
        : SteadyKalman(model, W, V, Gate{}) {}

    /// Corrects the estimate with the readings. A reading that is not finite counts as missing and corrects nothing.
    /// The steady gain is then not optimal; Kalman::update_some() is. out_of_range if `y` has the wrong size,
    /// not_finite if the result would not be finite (the state is then unchanged), sensor_lost if no reading is finite,
    /// sensor_implausible if the gate refuses a reading, ok otherwise. @rt
    template <class = void>
    Status update(const Eigen::VectorXd& y) noexcept {
        if (y.size() != innovation_.size()) return Status::out_of_range;
        innovation_.noalias() = y - C_ * x_;
        Eigen::Index missing = 0;
        const bool open = in_a_row_ >= gate_.longest;
        bool outside = false;
        for (Eigen::Index i = 0; i < y.size(); ++i) {
            if (!is_finite(y[i])) {
                innovation_[i] = 0.0;
                ++missing;
            } else if (gate_.deviations > 0.0 && std::abs(innovation_[i]) > gate_.deviations * deviation_[i]) {
                outside = true;
                if (!open) innovation_[i] = 0.0;
            }
        }
        const bool refused = outside && !open;
        if (!outside && missing < y.size()) in_a_row_ = 0;
        in_a_row_ += refused ? 1 : 0;
        next_ = x_;
        next_.noalias() += gain_ * innovation_;
        for (Eigen::Index i = 0; i < next_.size(); ++i)
            if (!is_finite(next_[i])) return Status::not_finite;
        x_ = next_;
        if (missing == y.size()) return Status::sensor_lost;
        return refused ? Status::sensor_implausible : Status::ok;
    }

    /// Advances by a step under the input `u`. out_of_range if it has the wrong size, not_finite if the result would
    /// not be finite (the state is then unchanged), ok otherwise. @rt
    template <class = void>
    Status predict(const Eigen::VectorXd& u) noexcept {
        if (u.size() != B_.cols()) return Status::out_of_range;
        next_.noalias() = A_ * x_;
        next_.noalias() += B_ * u;
        for (Eigen::Index i = 0; i < next_.size(); ++i)
            if (!is_finite(next_[i])) return Status::not_finite;
        x_ = next_;
        return Status::ok;
    }

    /// Sets the state. out_of_range if `x` has the wrong size, not_finite if an entry is not finite (the state is then
    /// unchanged). @rt
    template <class = void>
    Status reset(const Eigen::VectorXd& x) noexcept {
        if (x.size() != x_.size()) return Status::out_of_range;
        for (Eigen::Index i = 0; i < x.size(); ++i)
            if (!is_finite(x[i])) return Status::not_finite;
        x_ = x;
        innovation_.setZero();
        in_a_row_ = 0;
        return Status::ok;
    }

    [[nodiscard]] const Eigen::VectorXd& state() const noexcept { return x_; }
    [[nodiscard]] const Eigen::VectorXd& innovation() const noexcept { return innovation_; }  ///< 0 where not used
    [[nodiscard]] const Eigen::VectorXd& innovation_deviation() const noexcept { return deviation_; }
    [[nodiscard]] const Eigen::MatrixXd& gain() const noexcept { return gain_; }  ///< L_f
    [[nodiscard]] double radius() const noexcept { return radius_; }              ///< of A - A L_f C, below 1

  private:
    template <class = void>
    [[nodiscard]] static KalmanGains<> gains(const StateSpace& model, const Eigen::MatrixXd& W,
                                             const Eigen::MatrixXd& V) {
        const char* where = "control::SteadyKalman";
        validate(model, where);
        require(model.dt > 0.0, where, "the model is continuous; sample it first");
        require(model.D.isZero(0.0), where,
                "the model has a direct term D; the readings must not depend on the input "
                "of the same step");
        return kalman_gains(model.A, model.C, W, V);
    }

    template <class = void>
    SteadyKalman(const StateSpace& model, const KalmanGains<>& g, const Eigen::MatrixXd& V, const Gate& gate)
        : A_(model.A),
          B_(model.B),
          C_(model.C),
          gain_(g.filter),
          x_(Eigen::VectorXd::Zero(model.states())),
          next_(x_),
          innovation_(Eigen::VectorXd::Zero(model.outputs())),
          deviation_((model.C * g.covariance * model.C.transpose() + V).diagonal().cwiseMax(0.0).cwiseSqrt()),
          gate_(gate),
          radius_(g.radius) {
        const char* where = "control::SteadyKalman";
        require(is_finite(gate.deviations) && gate.deviations >= 0.0, where,
                "gate.deviations must be finite and >= 0, got ", gate.deviations);
        require(gate.longest >= 0, where, "gate.longest must be >= 0, got ", gate.longest);
    }

    Eigen::MatrixXd A_, B_, C_, gain_;
    Eigen::VectorXd x_, next_, innovation_, deviation_;
    Gate gate_;
    double radius_ = 0.0;
    int in_a_row_ = 0;
};

}  // namespace panto::control
