// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Common part of all engines on a finite-element model: the positions of the contact and of the end of the line,
/// droppers and supports, and the start under a static force.

#pragma once

#include <panto/catenary/line_facts.hpp>
#include <panto/catenary/static_load.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace panto::catenary {

/// @tparam Engine the derived engine; has steps(), reset(StaticLoad) and uplift(node).
template <class Engine, Real Scalar>
class PassingEngine {
  public:
    [[nodiscard]] double dt() const noexcept { return passage_.dt; }
    [[nodiscard]] double time() const noexcept { return static_cast<double>(self().steps()) * passage_.dt; }
    [[nodiscard]] double speed() const noexcept { return passage_speed(passage_, self().steps()); }        ///< m/s
    [[nodiscard]] double position() const noexcept { return passage_position(passage_, self().steps()); }  ///< m
    /// Position of the contact `seconds` from now, m along the track. @rt
    [[nodiscard]] double position_after(double seconds) const noexcept {
        return passage_.profile.empty() ? position() + passage_.speed * seconds
                                        : passage_position_at(passage_, time() + seconds);
    }
    [[nodiscard]] double length() const noexcept { return model_->length(); }  ///< m, where the line ends
    /// Number of steps from the start during which the pantograph is on the line. @rt
    [[nodiscard]] std::int64_t steps_on_line() const noexcept { return end_; }

    [[nodiscard]] const FiniteElements<Scalar>& model() const noexcept { return *model_; }
    /// What the span at a position, m along the track, is made of.
    [[nodiscard]] LineFacts line_facts(double position) const { return catenary::line_facts(*model_, position); }
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }
    [[nodiscard]] const std::vector<DropperLink<Scalar>>& droppers() const noexcept { return model_->droppers(); }
    /// Positions of the supports without the two ends, m along the track. @rt
    [[nodiscard]] std::span<const double> supports() const noexcept {
        return std::span(model_->mesh().supports).subspan(1, model_->mesh().supports.size() - 2);
    }
    /// Height of the contact wire above its static height at one of the supports(), m; NaN if there is no such support.
    /// @rt
    [[nodiscard]] Scalar support_uplift(std::size_t support) const noexcept {
        if (support >= supports().size()) return no_number<Scalar>();
        return self().uplift(model_->mesh().contact_supports[support + 1]);
    }

    /// Height of the wire, m, where the contact starts, under a static force, N. @throws SetupError as static_load().
    [[nodiscard]] Scalar static_height(const Scalar& force) const {
        return model_->static_height(passage_.start)[0] + static_load(*model_, passage_.start, force).uplift;
    }
    /// Starts at rest under a static force, N, where the contact starts. @throws SetupError as static_load() does.
    void rest_under(const Scalar& force) { self().reset(static_load(*model_, passage_.start, force)); }

  protected:
    std::shared_ptr<const FiniteElements<Scalar>> model_;
    PassageParams passage_;
    std::vector<std::string> warnings_;
    std::int64_t end_;  // number of the last step on the line

  private:
    friend Engine;  // nobody else may derive from it
    /// @throws SetupError as check_passage does.
    PassingEngine(FiniteElements<Scalar>&& model, const PassageParams& passage)
        : model_(std::make_shared<const FiniteElements<Scalar>>(std::move(model))),
          passage_(passage),
          warnings_(check_passage(*model_, passage)),
          end_(catenary::steps_on_line(*model_, passage)) {}

    [[nodiscard]] const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }
    [[nodiscard]] Engine& self() noexcept { return static_cast<Engine&>(*this); }
};

}  // namespace panto::catenary
