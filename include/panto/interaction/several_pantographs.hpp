// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Several pantographs of a train under one line, coupled implicitly: all masses, all contact forces and the line are
/// solved for the same instant. The first one leads. Each one meets the waves that the others send along the wires.
/// Include this header by name: it is not part of <panto/interaction.hpp>.

#pragma once

#include <panto/catenary/several_contacts.hpp>
#include <panto/element/contact.hpp>
#include <panto/interaction/simulate.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace panto::interaction {

/// One of the pantographs of a train.
struct PantographOfTrain {
    pantograph::LumpedParams<> pantograph = {};
    double uplift_force = 0.0;  ///< N, on the frame: static force and mean aerodynamic force together
    double contact_stiffness = element::default_contact_stiffness;  ///< N/m, penalty contact
    RaisedPantograph<>::Roof roof = {};             ///< as SimulationParams::roof, below this pantograph
    RaisedPantograph<>::HeadForce head_force = {};  ///< as SimulationParams::head_force
};

struct TrainSimulationParams {
    std::vector<PantographOfTrain> pantographs = {};  ///< one for each contact of the line, the leading one first
    Start start = Start::at_datum;
    double uplift_ramp = 0.0;   ///< m, distance over which the uplift forces grow from 0; for Start::at_datum
    double end = 0.0;           ///< m, where the leading pantograph stops, without leaving the line
    bool past_the_end = false;  ///< run on beyond the last support, where the wire is at rest
};

/// Presents one contact of a line with several contacts as a line with a single contact, which Observation expects.
template <SeveralContacts Line>
class OneOfContacts {
  public:
    OneOfContacts(const Line& line, std::size_t contact) : line_(&line), contact_(contact) {}

    [[nodiscard]] double dt() const noexcept { return line_->dt(); }
    [[nodiscard]] double time() const noexcept { return line_->time(); }
    [[nodiscard]] double position() const noexcept { return line_->position(contact_); }
    [[nodiscard]] double position_after(double seconds) const noexcept {
        return line_->position_after(seconds, contact_);
    }
    [[nodiscard]] Motion wire() const noexcept { return line_->wire(contact_); }
    [[nodiscard]] const auto& droppers() const noexcept
        requires ShowsDroppers<Line>
    {
        return line_->droppers();
    }
    [[nodiscard]] double dropper_force(std::size_t dropper) const noexcept
        requires ShowsDroppers<Line>
    {
        return line_->dropper_force(dropper);
    }
    [[nodiscard]] auto supports() const noexcept
        requires ShowsSupports<Line>
    {
        return line_->supports();
    }
    [[nodiscard]] double support_uplift(std::size_t support) const noexcept
        requires ShowsSupports<Line>
    {
        return line_->support_uplift(support);
    }

  private:
    const Line* line_;
    std::size_t contact_;
};

/// A run of a train, step by step. It holds a reference to the line, which must be at its start.
template <SeveralContacts Line>
class TrainSimulation {
  public:
    /// @throws SetupError if a parameter is invalid, the numbers of pantographs and contacts differ, or there is no
    /// equilibrium at the start.
    TrainSimulation(Line& line, const TrainSimulationParams& p) : line_(line), p_(p) {
        require(p.pantographs.size() == line.contacts(), where, "there are ", p.pantographs.size(),
                " pantographs, must be one for each of the ", line.contacts(), " contacts of the line");
        for (std::size_t i = 0; i < p.pantographs.size(); ++i) {
            const PantographOfTrain& one = p.pantographs[i];
            require_not_negative(one.uplift_force, where, "pantographs[", i, "].uplift_force");
            require_positive(one.contact_stiffness, where, "pantographs[", i, "].contact_stiffness");
            sides_.emplace_back(pantograph::Lumped<>(one.pantograph, line.dt()), one.roof, one.head_force);
            starts_.push_back(line.position(i));
        }
        contacts_.resize(sides_.size());
        require_not_negative(p.uplift_ramp, where, "uplift_ramp");
        require(p.start == Start::at_datum || p.uplift_ramp == 0.0, where, "uplift_ramp is ", p.uplift_ramp,
                " m, must be 0 with Start::loaded_equilibrium, which begins with the whole force");
        require(line.time() == 0.0, where, "the line stands at ", line.time(),
                " s after steps of an earlier run; call its reset() first");
        require_finite(p.end, where, "end");
        require(p.end > starts_[0], where, "end is ", p.end, " m, must be above the start, ", starts_[0], " m");
        if constexpr (HasLength<Line>)
            require(p.end <= line.length() * (1.0 + 1e-12) || p.past_the_end, where, "end is ", p.end,
                    " m, must be at most the length of the section, ", line.length(),
                    " m; set past_the_end to run beyond it");
        line_.reset();
        std::vector<double> forces(sides_.size(), 0.0);
        if (p.start == Start::loaded_equilibrium) forces = press();
        for (std::size_t i = 0; i < sides_.size(); ++i)
            sides_[i].begin(forces[i], p.start == Start::loaded_equilibrium || p.uplift_ramp == 0.0
                                           ? p.pantographs[i].uplift_force
                                           : 0.0);
    }

    /// True if the leading pantograph is at the end, or would leave the line with the next step.
    [[nodiscard]] bool finished() const noexcept {
        if (line_.position(0) >= p_.end) return true;
        if constexpr (HasLength<Line>) {
            const double after = line_.position_after(line_.dt(), 0);
            return !p_.past_the_end && after > line_.length() + 1e-9 * (after - line_.position(0));
        }
        return false;
    }

    /// One step of the line and all pantographs.
    /// @return not_finite if a result is not finite; end_of_line beyond the last support, unless past_the_end is set.
    /// Stop the run at either of these. @rt
    Status step() noexcept {
        const double dt = line_.dt(), time = line_.time() + dt;
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const PantographOfTrain& one = p_.pantographs[i];
            const double way = line_.position_after(dt, i) - starts_[i];
            const double ramp = p_.uplift_ramp > 0.0 ? std::clamp(way / p_.uplift_ramp, 0.0, 1.0) : 1.0;
            sides_[i].predict(ramp * one.uplift_force, time);
            contacts_[i] = sides_[i].contact(one.contact_stiffness);
        }
        Status status = line_.step_contacts(contacts_);
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            sides_[i].press(line_.contact_force(i));
            if (!is_finite(line_.contact_force(i)) || !is_finite(head_height(i)) || !is_finite(Motion(line_.wire(i))))
                status = Status::not_finite;
        }
        return p_.past_the_end && status == Status::end_of_line ? Status::ok : status;
    }

    [[nodiscard]] double contact_force(std::size_t i) const noexcept { return line_.contact_force(i); }  ///< N
    [[nodiscard]] double head_height(std::size_t i) const noexcept { return sides_[i].head_height(); }   ///< m
    [[nodiscard]] const Line& line() const noexcept { return line_; }

  private:
    static constexpr const char* where = "interaction::TrainSimulation";

    /// Puts all at rest against the line. Returns the static contact forces, N, which follow from the uplift forces and
    /// the heights.
    std::vector<double> press() {
        const std::size_t n = sides_.size();
        std::vector<double> forces(n, 0.0), heights;
        if constexpr (requires { line_.static_heights(forces), line_.rest_under(forces); }) {
            const auto wanted = [&](std::size_t i, double height) {
                const double uplift = p_.pantographs[i].uplift_force;
                return std::max(0.0, sides_[i].model().static_contact_force(height, uplift));
            };
            // The springs below the frames are soft compared with the line, so each turn leaves only a few percent of
            // the error.
            constexpr int turns = 200;
            double change = 1.0, size = 0.0;
            for (int turn = 0; turn < turns && change > 1e-12 * (1.0 + size); ++turn) {
                heights = line_.static_heights(forces);
                change = size = 0.0;
                for (std::size_t i = 0; i < n; ++i) {
                    const double k = p_.pantographs[i].contact_stiffness;
                    const double force = wanted(i, heights[i] + forces[i] / k);
                    change = std::max(change, std::abs(force - forces[i]));
                    size = std::max(size, force);
                    forces[i] = force;
                }
            }
            require(change <= 1e-9 * (1.0 + size), where,
                    "no equilibrium of pantographs and line was found at the start; use Start::at_datum with an "
                    "uplift_ramp");
            line_.rest_under(forces);
        } else {
            require(false, where,
                    "this line has no static_heights() and rest_under(), which Start::loaded_equilibrium needs; use "
                    "Start::at_datum with an uplift_ramp");
        }
        for (std::size_t i = 0; i < n; ++i)
            sides_[i].rest(Motion(line_.wire(i)).height, forces[i], 1.0 / p_.pantographs[i].contact_stiffness,
                           p_.pantographs[i].uplift_force);
        return forces;
    }

    Line& line_;
    TrainSimulationParams p_;
    std::vector<RaisedPantograph<>> sides_;
    std::vector<double> starts_;  // m
    std::vector<catenary::ImplicitContact<double>> contacts_;
};

/// Runs to the end and records. `progress(position)` is called after every step with the position of the leading
/// pantograph, m; returning false ends the run there.
/// @return a record for each pantograph, the leading one first. Droppers and supports are the same in all records.
/// @throws SetupError as TrainSimulation does, if the train never reaches the end, or if the run breaks down.
template <SeveralContacts Line, class Progress>
    requires std::predicate<Progress&, double>
[[nodiscard]] std::vector<SimulationRecord> simulate(Line& line, const TrainSimulationParams& p, Progress&& progress) {
    constexpr double most_steps = 1e8;
    TrainSimulation<Line> simulation(line, p);
    const double furthest = line.position_after(most_steps * line.dt(), 0);
    require(furthest >= p.end, "interaction::simulate", "after ", most_steps, " steps the leading contact is only at ",
            furthest, " m, before the end, ", p.end, " m: the train is too slow, or stops before");
    std::vector<OneOfContacts<Line>> contacts;
    for (std::size_t i = 0; i < line.contacts(); ++i) contacts.emplace_back(line, i);
    std::vector<Observation<OneOfContacts<Line>>> seen;
    for (const auto& contact : contacts) seen.emplace_back(contact, 0);  // grows during the run
    const auto sample = [&] {
        for (std::size_t i = 0; i < seen.size(); ++i) seen[i].sample(line.contact_force(i));
    };
    sample();
    while (!simulation.finished()) {
        const Status status = simulation.step();
        sample();
        require(usable(status), "interaction::simulate", "the run broke down at ", line.position(0), " m (",
                panto::name(status), ")");
        for (auto& one : seen) one.record().unconverged_steps += status != Status::ok;
        if (!progress(line.position(0))) break;
    }
    std::vector<SimulationRecord> records;
    for (auto& one : seen) records.push_back(std::move(one.record()));
    return records;
}

/// The same without `progress`.
/// @throws SetupError as above.
template <SeveralContacts Line>
[[nodiscard]] std::vector<SimulationRecord> simulate(Line& line, const TrainSimulationParams& p) {
    return simulate(line, p, [](double) { return true; });
}

}  // namespace panto::interaction
