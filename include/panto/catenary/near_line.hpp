// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The next few steps of a line, computed near the contact only. Within a step the effect of a load fades over some
/// metres (influence.hpp), so for a few steps the line further away does not affect the wire above the strip. Therefore
/// only a window of rows is advanced, with the equations of realtime_engine.hpp and the Cholesky factor L of the whole
/// line:
///
///     L y = r,  L' d = y      on the rows of the window; no load before it, d = 0 behind it
///
/// Both ends of the window cause an error, which spreads inwards with each step, and decreases by a constant factor
/// from element to element. Within a step, a load moves a certain number of rows by more than 1e-17 of the displacement
/// at the load itself. A window of 3/4 of these rows to either side has an error of 2e-12 m after eight steps; each
/// tenth less makes the error 10 to 100 times larger (tests/unit/catenary/engines_test.cpp).

#pragma once

#include <panto/catenary/concepts.hpp>
#include <panto/catenary/passage.hpp>
#include <panto/catenary/slackening.hpp>
#include <panto/linalg/local_cholesky.hpp>
#include <panto/opt/lcp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace panto::catenary {

/// Coefficients with which K d follows from S d = r and M d: K d = (r + share d - mass M d) flexible, where share d
/// acts on the rows of supports only.
template <Real Scalar>
struct NewmarkShares {
    struct Support {
        int row;
        Scalar share;  // 2 / dt (beta times its stiffness - its damper)
    };
    Scalar mass{0.0}, flexible{1.0};
    std::vector<Support> supports = {};

    NewmarkShares() = default;
    NewmarkShares(const FiniteElements<Scalar>& model, double dt) {
        const auto& damping = model.section().damping;
        mass = Scalar(4.0 / (dt * dt)) + Scalar(2.0 / dt) * damping.alpha;
        flexible = Scalar(1.0) / (Scalar(1.0) + Scalar(2.0 / dt) * damping.beta);
        for (int i = 0; i < model.size(); ++i)
            if (const Scalar &k = model.undamped()[i], &c = model.dampers()[i]; value_of(k) + value_of(c) > 0.0)
                supports.push_back({i, Scalar(2.0 / dt) * (damping.beta * k - c)});
    }
};

template <Real Scalar = double>
class NearLine {
  public:
    using VectorX = Vector<Scalar, Dynamic>;

    NearLine() = default;

    /// @param factor      of the Newmark matrix of the model
    /// @param slackening  matrix of the slackening problem
    /// @param reach       returns the rows, first to end, that a load at a row of the contact wire moves within a step
    template <class Reach>
    NearLine(std::shared_ptr<const FiniteElements<Scalar>> model, const PassageParams& passage,
             linalg::LocalCholesky<Scalar> factor, const SlackeningMatrix<Scalar>& slackening, const Reach& reach)
        : model_(std::move(model)),
          passage_(passage),
          shares_(*model_, passage.dt),
          steps_on_line_(steps_on_line(*model_, passage)),
          reach_(static_cast<std::size_t>(model_->size()), 0),
          factor_(std::move(factor)),
          lcp_(static_cast<int>(model_->droppers().size()), slackening.reach()),
          correction_(VectorX::Zero(static_cast<Eigen::Index>(model_->droppers().size()))),
          tension_(correction_) {
        const int n = model_->size(), m = model_->mass().half_bandwidth();
        mass_ = linalg::Strips<Scalar>::of(model_->mass(), -m, m);
        for (VectorX* x : {&u_, &v_, &momentum_, &carried_, &load_, &increment_}) *x = VectorX::Zero(n);
        for (std::size_t node = 0; node < model_->mesh().contact.size(); ++node)
            for (const int row : model_->contact_row(node)) {
                if (row < 0) continue;
                const auto [first, end] = reach(row);  // one of them may be an end of the line
                reach_[static_cast<std::size_t>(row)] = 3 * std::max(row - first, end - row) / 4;
            }
        inside_.reserve(model_->droppers().size());
    }

    /// The motions of the wire above the strip under the forces that `law` gives (WireForceLaw). `line` is the state of
    /// the whole line, `layout` gives the place of a row in it, and `slackening` is the matrix 1/k - B' S^-1 B. @rt
    template <class State, class Layout, WireForceLaw Law>
    void predict(const State& line, const Layout& layout, const SlackeningMatrix<Scalar>& slackening, Law& law,
                 std::span<Motion> ahead) noexcept {
        begin(line, layout, static_cast<long>(ahead.size()));
        for (std::size_t i = 0; i < ahead.size(); ++i)
            ahead[i] = step(Scalar(law(i, std::as_const(wire_))), slackening);
    }

  private:
    static Eigen::Index index(std::size_t j) noexcept { return static_cast<Eigen::Index>(j); }
    [[nodiscard]] bool inside(int row) const noexcept { return row >= first_ && row < end_; }

    /// Copies the part of the state that affects the contact in the next steps. Droppers outside count as taut.
    template <class State, class Layout>
    void begin(const State& line, const Layout& layout, long steps) noexcept {
        first_ = model_->size(), end_ = 0;
        for (const long step : {line.step, line.step + steps})
            for (const int row : model_->point(passage_position(passage_, step)).row) {
                if (row < 0) continue;
                const int reach = reach_[static_cast<std::size_t>(row)];
                first_ = std::min(first_, std::max(0, row - reach));
                end_ = std::max(end_, std::min(model_->size(), row + reach));
            }
        for (int i = first_; i < end_; ++i) {
            const int at = layout.place(i);
            u_[i] = line.u(at), v_[i] = line.v(at);
            momentum_[i] = line.momentum(at), carried_[i] = line.carried(at);
        }
        force_ = line.force, point_ = line.point, wire_ = line.wire, step_ = line.step;
        const int border = factor_.border();
        const int before = std::min(border, first_), behind = std::min(border, model_->size() - end_);
        increment_.segment(first_ - before, before).setZero();
        increment_.segment(end_, behind).setZero();
        inside_.clear();
        for (std::size_t j = 0; j < model_->droppers().size(); ++j) {
            const DropperLink<Scalar>& link = model_->droppers()[j];
            const bool in = inside(link.top) && inside(link.bottom);
            correction_[index(j)] = in ? line.correction[index(j)] : Scalar(0.0);
            tension_[index(j)] = std::max(Scalar(link.static_force / link.stiffness), Scalar(0.0));
            if (in) inside_.push_back(j);
        }
    }

    const Motion& step(const Scalar& force, const SlackeningMatrix<Scalar>& slackening) noexcept {
        load_.segment(first_, end_ - first_) = carried_.segment(first_, end_ - first_);
        add_force();
        add_traction();
        ++step_;
        const double x = passage_position(passage_, step_);
        point_ = model_->point(x);
        force_ = force;
        add_force();

        solve();
        bool taut = true;
        for (const std::size_t j : inside_) {
            const DropperLink<Scalar>& link = model_->droppers()[j];
            tension_[index(j)] = link.static_force / link.stiffness + u_[link.top] + increment_[link.top] -
                                 u_[link.bottom] - increment_[link.bottom];
            taut = taut && !(tension_[index(j)] < Scalar(0.0));
        }
        if (taut) {
            correction_.setZero();
        } else {
            static_cast<void>(lcp_.solve(slackening, tension_, correction_));
            add_traction();
            solve();
        }

        for (const auto& k : shares_.supports)
            if (inside(k.row)) load_[k.row] += k.share * increment_[k.row];
        const auto per_step = static_cast<Scalar>(1.0 / passage_.dt);
        for (int i = first_; i < end_; ++i) {
            const Scalar Md = mass_.times(i, increment_), Kd = (load_[i] - shares_.mass * Md) * shares_.flexible;
            carried_[i] += Scalar(8.0) * per_step * (per_step * Md - momentum_[i]) - Scalar(2.0) * Kd;
            momentum_[i] = Scalar(2.0) * per_step * Md - momentum_[i];
            v_[i] = Scalar(2.0) * per_step * increment_[i] - v_[i];
            u_[i] += increment_[i];
        }
        const auto u = [&](int i) { return u_[i]; };
        const auto v = [&](int i) { return v_[i]; };
        wire_ = wire_motion(*model_, passage_, step_, point_, x, wire_.speed, u, v);
        if (step_ > steps_on_line_) wire_.speed = wire_.acceleration = 0.0;
        return wire_;
    }

    void add_force() noexcept {
        for (std::size_t i = 0; i < 4; ++i)
            if (point_.row[i] >= 0) load_[point_.row[i]] += force_ * Scalar(point_.value[i]);
    }
    void add_traction() noexcept {
        for (const std::size_t j : inside_)
            if (const Scalar& f = correction_[index(j)]; Scalar(0.0) < f) {
                load_[model_->droppers()[j].top] -= f;
                load_[model_->droppers()[j].bottom] += f;
            }
    }
    /// The increment under the load.
    void solve() noexcept { static_cast<void>(factor_.solve({first_, end_}, load_, increment_)); }

    std::shared_ptr<const FiniteElements<Scalar>> model_;
    PassageParams passage_;
    NewmarkShares<Scalar> shares_;
    std::int64_t steps_on_line_ = 0;
    std::vector<int> reach_;  // rows to either side, by row of the contact wire
    linalg::LocalCholesky<Scalar> factor_;
    linalg::Strips<Scalar> mass_;
    opt::Lcp<Scalar> lcp_;

    int first_ = 0, end_ = 0;             // rows of the window; the following are valid only there:
    VectorX u_, v_, momentum_, carried_;  // m, m/s, p, q
    VectorX correction_, tension_;        // N, of the slack droppers; T / k, m
    VectorX load_, increment_;
    std::vector<std::size_t> inside_;  // droppers
    Scalar force_{0.0};                // N
    WirePoint point_{};
    Motion wire_;
    long step_ = 0;
};

}  // namespace panto::catenary
