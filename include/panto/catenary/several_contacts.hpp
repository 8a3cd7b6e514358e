// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Several contacts on one line, for a train with more than one raised pantograph: contact 0 leads, the others follow
/// at fixed distances. All act on the line at the same instant, so that each meets the waves of the others.

#pragma once

#include <panto/catenary/passing_engine.hpp>
#include <panto/catenary/static_load.hpp>
#include <panto/core/exchange.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace panto {

/// A line that is solved together with several contacts.
template <class L>
concept SeveralContacts = requires(L& line, const L& observed, std::size_t contact, double seconds,
                                   std::span<const catenary::ImplicitContact<double>> contacts) {
    { line.step_contacts(contacts) } noexcept -> std::same_as<Status>;  ///< advance by dt() with all of them
    { line.reset() } noexcept -> std::same_as<void>;                    ///< back to the static configuration
    { observed.dt() } noexcept -> std::convertible_to<double>;          ///< s
    { observed.time() } noexcept -> std::same_as<double>;               ///< s since the start
    { observed.contacts() } noexcept -> std::same_as<std::size_t>;      ///< their number
    { observed.position(contact) } noexcept -> std::same_as<double>;    ///< m along the track
    { observed.position_after(seconds, contact) } noexcept -> std::same_as<double>;  ///< m, `seconds` from now
    { observed.wire(contact) } noexcept -> std::convertible_to<Motion>;              ///< of the wire above this contact
    { observed.contact_force(contact) } noexcept -> std::same_as<double>;            ///< N, at this instant
};

}  // namespace panto

namespace panto::catenary {

/// Deviation from the static shape when the line is at rest under upward forces on the contact wire. The entries are
/// by row of the model, in m (slopes: 1). Droppers only pull.
/// @param positions  m along the track
/// @param forces     N, one for each position
/// @throws SetupError if a position lies outside the section, require_static_force() refuses a force or there is no
/// equilibrium.
template <Real Scalar>
[[nodiscard]] Vector<Scalar, Dynamic> displacement_under(const FiniteElements<Scalar>& model,
                                                         std::span<const double> positions,
                                                         std::span<const Scalar> forces) {
    constexpr const char* where = "catenary::displacement_under";
    require(positions.size() == forces.size(), where, "there are ", forces.size(), " forces for ", positions.size(),
            " positions, must be one for each");
    Vector<Scalar, Dynamic> load = Vector<Scalar, Dynamic>::Zero(model.size()), u = load;
    for (std::size_t c = 0; c < positions.size(); ++c) {
        require(positions[c] >= 0.0 && positions[c] <= model.length(), where, "position ", c, " is ", positions[c],
                " m, must be from 0 to ", model.length(), " m");
        require_static_force(value_of(forces[c]), where, "force ", c);
        const WirePoint point = model.point(positions[c]);
        for (std::size_t i = 0; i < 4; ++i)
            if (point.row[i] >= 0) load[point.row[i]] += forces[c] * Scalar(point.value[i]);
    }
    require(Unilateral<Scalar>(model, model.stiffness()).solve(load, u) == Status::ok, where,
            "no equilibrium was found; the wire may be lifted off too many droppers");
    return u;
}

/// Common part of engines with several contacts: their positions, the wire above them, and rest under static forces.
/// @tparam Engine  a PassingEngine, whose contact is the first one
template <class Engine, Real Scalar>
class WithFollowers : protected Engine {
    using Passing = PassingEngine<Engine, Scalar>;

  public:
    using VectorX = Vector<Scalar, Dynamic>;

    using Engine::dropper_force, Engine::slack_droppers, Engine::uplift, Engine::steps, Engine::status;
    using Passing::dt, Passing::time, Passing::speed, Passing::length, Passing::steps_on_line, Passing::model,
        Passing::warnings, Passing::droppers, Passing::supports, Passing::support_uplift;

    [[nodiscard]] std::size_t contacts() const noexcept { return 1 + followers_.size(); }
    /// Position of a contact, m along the track. @rt
    [[nodiscard]] double position(std::size_t contact = 0) const noexcept {
        return Passing::position() - behind(contact);
    }
    /// Position of a contact `seconds` from now, m along the track. @rt
    [[nodiscard]] double position_after(double seconds, std::size_t contact = 0) const noexcept {
        return Passing::position_after(seconds) - behind(contact);
    }
    /// Motion of the wire above a contact; not finite if there is no such contact. @rt
    [[nodiscard]] Motion wire(std::size_t contact = 0) const noexcept {
        const double none = no_number<double>();
        if (contact > followers_.size()) return {none, none, none};
        return contact == 0 ? Engine::wire() : followers_[contact - 1].wire;
    }
    /// Contact force at this instant, N; NaN if there is no such contact. @rt
    [[nodiscard]] Scalar contact_force(std::size_t contact = 0) const noexcept {
        return contact < forces_.size() ? forces_[contact] : no_number<Scalar>();
    }
    /// Heights of the wire above the contacts at their start under static forces, m.
    /// @param forces  N, one for each contact
    /// @throws SetupError as displacement_under() does.
    [[nodiscard]] std::vector<Scalar> static_heights(std::span<const Scalar> forces) const {
        const VectorX u = at_rest(forces);
        std::vector<Scalar> heights;
        for (const double x : starts()) {
            const WirePoint p = this->model_->point(x);
            heights.push_back(this->model_->static_height(x)[0] +
                              interpolate<Scalar>(p.row, p.value, [&](int row) { return u[row]; }));
        }
        return heights;
    }

  protected:
    struct Follower {
        double behind = 0.0;  // m
        WirePoint point{};    // where it acts
        Motion wire{};
    };

    /// @param distances  m, of the other contacts behind the first one
    /// @param engine     arguments of the constructor of Engine
    template <class... Args>
    WithFollowers(std::string_view where, const std::vector<double>& distances, Args&&... engine)
        : Engine(std::forward<Args>(engine)...), forces_(1 + distances.size(), Scalar(0.0)) {
        for (std::size_t i = 0; i < distances.size(); ++i) {
            require_positive(distances[i], where, "behind[", i, "]");
            require(distances[i] <= this->passage_.start, where, "behind[", i, "] is ", distances[i],
                    " m, but the first contact starts at ", this->passage_.start,
                    " m: the one that follows would start before the line; start further on");
            followers_.push_back({.behind = distances[i]});
        }
    }

    [[nodiscard]] VectorX at_rest(std::span<const Scalar> forces) const {
        const std::vector<double> x = starts();
        return displacement_under<Scalar>(*this->model_, x, forces);
    }
    [[nodiscard]] double position_of(const Follower& c) const noexcept { return Passing::position() - c.behind; }
    [[nodiscard]] bool beyond(const Follower& c) const noexcept { return position_of(c) > this->model_->length(); }

    std::vector<Follower> followers_;
    std::vector<Scalar> forces_;  // N, of all contacts at this instant

  private:
    [[nodiscard]] double behind(std::size_t contact) const noexcept {
        return contact == 0 || contact > followers_.size() ? 0.0 : followers_[contact - 1].behind;
    }
    [[nodiscard]] std::vector<double> starts() const {
        std::vector<double> x{this->passage_.start};
        for (const Follower& c : followers_) x.push_back(this->passage_.start - c.behind);
        return x;
    }
};

}  // namespace panto::catenary
