// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A stepper that counts its steps: what an adjoint costs, without a clock.

#pragma once

#include <panto/core/real.hpp>

namespace panto::test {

template <class Stepper>
class CountedStepper {
  public:
    using State = typename Stepper::State;
    mutable long forward = 0, transposed = 0;

    explicit CountedStepper(const Stepper& stepper) : stepper_(&stepper) {}

    [[nodiscard]] State start() const { return stepper_->start(); }
    [[nodiscard]] Eigen::Index gradient_size() const { return stepper_->gradient_size(); }
    void step(int n, const State& x, State& next) const {
        ++forward;
        stepper_->step(n, x, next);
    }
    void step_transposed(int n, const State& x, const State& next, State& lambda,
                         Vector<double, Dynamic>& gradient) const {
        ++transposed;
        stepper_->step_transposed(n, x, next, lambda, gradient);
    }

  private:
    const Stepper* stepper_;
};

}  // namespace panto::test
