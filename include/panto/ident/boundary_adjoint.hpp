// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The transposed step of a linear field closed by a nonlinear law (see boundary_model.hpp): exact gradients with
/// respect to any number of parameters of the law. With the adjoints l_v, l_a of the boundary variable v and the action
/// a, the scalar equation v = v_free + gain a(v, theta) is differentiated implicitly,
///     mu = (l_v + l_a a'(v)) / (1 - gain a'(v)) ,   dJ/dtheta_i += phi_i(v) (l_a + gain mu) ,   l_{v_free} = mu ,
/// so that Newton's iterations are not run backward.

#pragma once

#include <panto/ident/adjoint.hpp>
#include <panto/ident/boundary_model.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace panto::ident {

/// A BoundaryModel as a stepper with transpose, driven by a known motion where the field has one. Keeps a reference.
template <class Field, class Law>
class BoundaryStepper {
  public:
    using Model = BoundaryModel<Field, Law>;
    using State = Vector<double, Dynamic>;  ///< modes of the field, then action, boundary variable, sensor
    static_assert(std::same_as<typename Field::Scalar, double> && Field::known <= 1);

    /// @param motion a sample for every level from 0 on; empty where the field has no known input.
    explicit BoundaryStepper(const Model& model, std::vector<double> motion = {})
        : model_(&model), motion_(std::move(motion)) {
        // The direct effect of the inputs on the outputs, found with one input at a time.
        const State nothing = State::Zero(model.field().states());
        const typename Field::Input zero{};
        typename Field::Input unit{};
        unit[Field::known] = 1.0;
        sensor_before_ = model.field().sensor(nothing, unit, zero);
        sensor_now_ = model.field().sensor(nothing, zero, unit);
        boundary_before_ = model.field().boundary(nothing, unit, zero);
    }

    [[nodiscard]] State start() const { return model_->at_rest(); }
    [[nodiscard]] Eigen::Index gradient_size() const { return Law::size; }
    [[nodiscard]] Eigen::Index sensor() const { return model_->field().states() + 2; }  ///< its place in the state

    /// Step n, from level n to n + 1.
    /// @throws SetupError if a size does not fit, or the motion does not reach to level n + 1.
    void step(int n, const State& x, State& next) const {
        require_size(x), require_size(next);
        typename Model::Input u;
        if constexpr (Field::known == 1) {
            require(n >= 0 && static_cast<std::size_t>(n) + 1 < motion_.size(), where, "step ", n,
                    " is outside the motion, which has ", motion_.size(), " values");
            u.before[0] = motion_[static_cast<std::size_t>(n)];
            u.now[0] = motion_[static_cast<std::size_t>(n) + 1];
        }
        model_->step(x, u, next);
    }

    /// @throws SetupError if a size does not fit.
    void step_transposed(int, const State&, const State& next, State& lambda, State& gradient) const {
        require_size(next), require_size(lambda), require_gradient(gradient);
        const Field& field = model_->field();
        const Law& law = model_->law();
        const int n = field.states();
        const double v = next[n + 1], l_sensor = lambda[n + 2], l_v = lambda[n + 1];
        double l_action = lambda[n] + sensor_now_ * l_sensor;
        int at = 0;
        for (const auto& m : field.mode_list()) {
            lambda[at] += m.sensor * l_sensor;
            for (std::size_t i = 0; i < Field::order; ++i)
                l_action += m.B_now[i][Field::known] * lambda[at + static_cast<int>(i)];
            at += Field::order;
        }
        const double slope = weighted(law.slopes(v), model_->theta());
        const double mu = (l_v + l_action * slope) * model_->compliance(v);
        const auto phi = law.basis(v);
        for (std::size_t i = 0; i < phi.size(); ++i)
            gradient[static_cast<Eigen::Index>(i)] += phi[i] * (l_action + field.gain() * mu);

        double l_before = sensor_before_ * l_sensor + boundary_before_ * mu;  // of the action at the step's beginning
        at = 0;
        for (const auto& m : field.mode_list()) {
            std::array<double, Field::order> l;
            lambda[at] += m.boundary * mu;
            for (std::size_t i = 0; i < Field::order; ++i) l[i] = lambda[at + static_cast<int>(i)];
            for (std::size_t j = 0; j < Field::order; ++j) {
                double sum = 0.0;
                for (std::size_t i = 0; i < Field::order; ++i) sum += m.A[i][j] * l[i];
                lambda[at + static_cast<int>(j)] = sum;
                l_before += m.B_before[j][Field::known] * l[j];
            }
            at += Field::order;
        }
        lambda[n] = l_before;
        lambda[n + 1] = lambda[n + 2] = 0.0;
    }

    /// Adds to a gradient the effect of the parameters on the state at rest, whose action is that of the law at v = 0.
    /// @throws SetupError if a size does not fit.
    void start_transposed(const State& lambda, State& gradient) const {
        require_size(lambda), require_gradient(gradient);
        const auto phi = model_->law().basis(0.0);
        for (std::size_t i = 0; i < phi.size(); ++i)
            gradient[static_cast<Eigen::Index>(i)] += phi[i] * lambda[model_->field().states()];
    }

  private:
    static constexpr const char* where = "ident::BoundaryStepper";

    void require_size(const State& x) const {
        require(x.size() == model_->states(), where, "a state has ", x.size(), " entries, expected ", model_->states());
    }
    static void require_gradient(const State& gradient) {
        require(gradient.size() == Law::size, where, "the gradient has ", gradient.size(), " entries, expected ",
                Law::size);
    }

    const Model* model_;
    std::vector<double> motion_;
    double sensor_before_ = 0.0, sensor_now_ = 0.0, boundary_before_ = 0.0;
};

}  // namespace panto::ident
