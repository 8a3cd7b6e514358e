// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The residuals of ident/rig_fit.hpp: the records of a rig minus its model.

#pragma once

#include <panto/core/finite.hpp>
#include <panto/ident/rig_record.hpp>
#include <panto/opt/concepts.hpp>
#include <panto/plant/model.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::ident {

struct RigFitParams {
    double probability = 0.95;    ///< of the intervals
    double most_missing = 0.05;   ///< largest fraction of the readings that may be missing
    double largest_factor = 4.0;  ///< largest factor by which parameters may differ from those given
    double longest_delay = 8.0;   ///< periods, of commands and readings together
    int iteration_limit = 100;    ///< of each search
};

namespace detail {

/// The heights and forces that follow from the commands, x[t+1] = A x[t] + commands, from rest under the first one.
template <class = void>
class RigResponse {
  public:
    using Vec = Vector<double, Dynamic>;

    /// @param x  as RigFit::x
    RigResponse(const plant::RigParams& nominal, const Vec& x, double dt, plant::Contact contact)
        : rig_(with(nominal, x)), model_(plant::sampled_model(rig_, dt, plant::Hold::zero_order, contact)) {}

    /// `rig` with these parameters. x[2] is the delay of the whole loop, and the loop depends on it alone. The readings
    /// keep their delay as far as possible, and the commands take the rest.
    static plant::RigParams with(plant::RigParams rig, const Vec& x) {
        rig.motor.stiffness = x[0], rig.motor.damping = x[1];
        rig.reading_delay = std::max(std::min(rig.reading_delay, x[2]), x[2] - plant::longest_delay);
        rig.command_delay = x[2] - rig.reading_delay;
        rig.pad_stiffness = x[3], rig.pantograph.mass[0] = x[4];
        return rig;
    }

    [[nodiscard]] const plant::RigParams& rig() const { return rig_; }

    /// Heights minus the first command, and forces minus the force at rest under it.
    void march(const std::vector<double>& command, Vec& height, Vec& force) const {
        const auto n = static_cast<Eigen::Index>(command.size());
        height.resize(n), force.resize(n);
        Vec x = Vec::Zero(model_.size()), next = x;
        for (Eigen::Index t = 0; t < n; ++t) {
            height[t] = x[plant::motor_height];
            force[t] = model_.force.dot(x);
            next.noalias() = model_.A * x;
            for (Eigen::Index j = 0; j < model_.command.cols() && j <= t; ++j)
                next += model_.command.col(j) * (command[static_cast<std::size_t>(t - j)] - command[0]);
            x.swap(next);
        }
    }

    [[nodiscard]] Eigen::Index unknowns() const { return model_.size() - 1; }  ///< columns of free_motions()

    /// What may be added to the modelled force, over n periods: a constant, and the force of each free motion that
    /// leaves the motor at rest. One column each, of norm 1.
    [[nodiscard]] Matrix<double, Dynamic> free_motions(Eigen::Index n) const {
        const Eigen::Index states = model_.size() - 2;
        Matrix<double, Dynamic> phi(n, states + 1);
        Matrix<double, Dynamic> X = Matrix<double, Dynamic>::Zero(model_.size(), states);
        X.bottomRows(states).setIdentity();
        for (Eigen::Index t = 0; t < n; ++t) {
            phi.row(t) << 1.0, model_.force * X;
            X = (model_.A * X).eval();
        }
        for (Eigen::Index k = 0; k < phi.cols(); ++k)
            if (const double size = phi.col(k).norm(); size > 0.0) phi.col(k) /= size;
        return phi;
    }

  private:
    plant::RigParams rig_;
    plant::SampledModel model_;
};

/// One recorded quantity: its samples, and which of them are present.
struct RigChannel {
    Vector<double, Dynamic> y = {};
    std::vector<Eigen::Index> present = {};

    RigChannel() = default;
    explicit RigChannel(const std::vector<double>& samples) : y(static_cast<Eigen::Index>(samples.size())) {
        for (Eigen::Index i = 0; i < y.size(); ++i) {
            y[i] = samples[static_cast<std::size_t>(i)];
            if (is_finite(y[i])) present.push_back(i);
        }
    }

    /// Indices of the samples present, from `first` to `last` - 1.
    [[nodiscard]] std::vector<Eigen::Index> within(Eigen::Index first, Eigen::Index last) const {
        return {std::lower_bound(present.begin(), present.end(), first),
                std::lower_bound(present.begin(), present.end(), last)};
    }

    /// y - modelled without its projection onto the columns of phi, which is removed in each piece of phi.rows()
    /// samples.
    template <class = void>
    [[nodiscard]] Vector<double, Dynamic> left_by(const Vector<double, Dynamic>& modelled,
                                                  const Matrix<double, Dynamic>& phi) const {
        const Eigen::Index length = phi.rows();
        const Vector<double, Dynamic> error = y - modelled;
        const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> whole(phi);
        Vector<double, Dynamic> left(static_cast<Eigen::Index>(present.size()));
        Eigen::Index done = 0;
        for (Eigen::Index first = 0; first < y.size(); first += length) {
            const auto rows = within(first, first + length);
            const auto n = static_cast<Eigen::Index>(rows.size());
            if (n == 0) continue;
            Eigen::MatrixXd piece(n, 1);
            Eigen::MatrixXd some(n < length ? n : 0, phi.cols());
            for (Eigen::Index i = 0; i < n; ++i) {
                const Eigen::Index at = rows[static_cast<std::size_t>(i)];
                piece(i, 0) = error[at];
                if (n < length) some.row(i) = phi.row(at - first);
            }
            const auto project = [&](const Eigen::ColPivHouseholderQR<Eigen::MatrixXd>& qr) {
                piece.applyOnTheLeft(qr.householderQ().adjoint());
                piece.topRows(std::min(qr.rank(), n)).setZero();
                piece.applyOnTheLeft(qr.householderQ());
            };
            if (n < length)
                project(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(some));
            else
                project(whole);
            left.segment(done, n) = piece;
            done += n;
        }
        return left;
    }
};

/// Residuals for the methods of opt. The unknowns are the parameters in multiples of `scale`.
template <class = void>
class RigMisfit {
  public:
    using Vec = Vector<double, Dynamic>;

    RigMisfit(const plant::RigParams& nominal, const RigRecord& air, const RigRecord& contact)
        : nominal_(nominal),
          air_(air),
          contact_(contact),
          dt_((air.time.back() - air.time.front()) / static_cast<double>(air.time.size() - 1)),
          air_height_(air.height),
          height_(contact.height),
          force_(contact.force) {
        const double critical = std::sqrt(nominal.motor.mass * nominal.motor.stiffness);
        scale = Vec{{nominal.motor.stiffness, critical, 1.0, nominal.pad_stiffness, nominal.pantograph.mass[0]}};
        at = Vec{{1.0, nominal.motor.damping / critical, nominal.loop_delay(), 1.0, 1.0}};
    }

    std::vector<Eigen::Index> free = {};  ///< which of the five are unknown; the others are as in `at`
    bool in_air = false, in_contact = false, heights_in_contact = false;  ///< what is fitted
    Eigen::Index length = 0;                                              ///< of the pieces of the force
    double height_noise = 1.0, force_noise = 1.0;
    Vec scale, at;

    [[nodiscard]] Vec all(const Vec& unknown) const {
        Vec p = at;
        for (std::size_t i = 0; i < free.size(); ++i) p[free[i]] = unknown[static_cast<Eigen::Index>(i)];
        return p;
    }
    [[nodiscard]] Vec unknown() const {
        Vec u(static_cast<Eigen::Index>(free.size()));
        for (std::size_t i = 0; i < free.size(); ++i) u[static_cast<Eigen::Index>(i)] = at[free[i]];
        return u;
    }

    /// The parameters as RigFit::x.
    [[nodiscard]] Vec x() const { return scale.cwiseProduct(at); }
    [[nodiscard]] opt::Bounds bounds(const RigFitParams& p) const {
        opt::Bounds box{unknown(), unknown()};
        for (std::size_t i = 0; i < free.size(); ++i) {
            const bool factor = free[i] != 1 && free[i] != 2;
            const auto k = static_cast<Eigen::Index>(i);
            box.lower[k] = factor ? 1.0 / p.largest_factor : 0.0;
            box.upper[k] = free[i] == 2 ? p.longest_delay : p.largest_factor;
        }
        return box;
    }

    Status residuals(const Vec& unknown, Vec& r) const {
        const Vec x = scale.cwiseProduct(all(unknown));
        std::vector<Vec> parts;
        if (in_air) parts.push_back(left_in_air(x) / height_noise);
        if (in_contact) {
            Vec height, force;
            const RigResponse<> model(nominal_, x, dt_, plant::Contact::closed);
            model.march(contact_.command, height, force);
            parts.push_back(left_of_force(model, force) / force_noise);
            if (heights_in_contact) parts.push_back(height_.left_by(height, ones(height_)) / height_noise);
        }
        Eigen::Index size = 0;
        for (const Vec& part : parts) size += part.size();
        r.resize(size);
        size = 0;
        for (const Vec& part : parts) r.segment(size, part.size()) = part, size += part.size();
        return Status::ok;
    }

    [[nodiscard]] Vec left_in_air(const Vec& x) const {
        Vec height, force;
        RigResponse<>(nominal_, x, dt_, plant::Contact::open).march(air_.command, height, force);
        return air_height_.left_by(height, ones(air_height_));
    }
    [[nodiscard]] Vec left_of_force(const RigResponse<>& model, const Vec& force) const {
        return force_.left_by(force, model.free_motions(length));
    }

    [[nodiscard]] double dt() const { return dt_; }
    [[nodiscard]] const RigRecord& air() const { return air_; }
    [[nodiscard]] const RigRecord& contact() const { return contact_; }
    [[nodiscard]] const RigChannel& air_height() const { return air_height_; }
    [[nodiscard]] const RigChannel& height() const { return height_; }
    [[nodiscard]] const RigChannel& force() const { return force_; }

  private:
    static Matrix<double, Dynamic> ones(const RigChannel& c) { return Matrix<double, Dynamic>::Ones(c.y.size(), 1); }

    const plant::RigParams& nominal_;
    const RigRecord &air_, &contact_;
    double dt_;
    RigChannel air_height_, height_, force_;
};

}  // namespace detail
}  // namespace panto::ident
