// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Static configuration of a section in the vertical plane: the dropper lengths and forces that hold the contact wire
/// at its prescribed heights.
///
/// 1. Contact wire under gravity with prescribed heights at the droppers: the reactions are the dropper forces.
/// 2. Messenger and stitch wires under gravity and these forces.
/// 3. Dropper length = height of the upper end minus height of the lower; the droppers' own weight follows from it, so
///    1 and 2 are repeated until the lengths no longer change.

#pragma once

#include <panto/catenary/assembly.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace panto::catenary {

/// Heights, lengths and forces of the section at rest, without pantograph.
template <Real Scalar = double>
struct StaticShape {
    Vector<Scalar, Dynamic> height = {};      ///< m (slopes: 1), by raw unknown
    std::vector<Scalar> dropper_force = {};   ///< N, tension at the lower clamp
    std::vector<Scalar> dropper_length = {};  ///< m
    std::vector<Scalar> support_force = {};   ///< N upward, on the contact wire at each support; 0 if free
    double residual = 0.0;                    ///< largest unbalanced nodal force, divided by the weight of the section

    /// @param mesh of the same section.
    /// @throws SetupError if the section is invalid, a dropper would have to push, or its length would not be positive.
    StaticShape(const Section<Scalar>& section, const Mesh& mesh) {
        const RawUnknowns raw(mesh);
        height = Vector<Scalar, Dynamic>::Zero(raw.size());
        dropper_force.assign(mesh.droppers.size(), Scalar(0.0));
        dropper_length.assign(mesh.droppers.size(), Scalar(0.0));
        support_force.assign(mesh.supports.size(), Scalar(0.0));

        std::vector<bool> held(static_cast<std::size_t>(raw.size()), false);
        const auto hold = [&](int unknown, double value) {
            held[static_cast<std::size_t>(unknown)] = true;
            height[unknown] = Scalar(value);
        };
        for (const auto& d : mesh.droppers) hold(raw.contact(d.contact_node), d.contact_wire_height);
        for (std::size_t s = 0; s < mesh.supports.size(); ++s) {
            const bool end = s == 0 || s + 1 == mesh.supports.size();
            const auto& arm = section.supports[s].steady_arm;
            const bool arm_holds = arm && arm->held_height;
            if (end || arm_holds) hold(raw.contact(mesh.contact_supports[s]), arm_holds ? *arm->held_height : 0.0);
            hold(raw.messenger(mesh.messenger_supports[s]), section.supports[s].messenger_height);
        }

        const auto free_in = [&](int begin, int end) {
            return [&, begin, end](int r) { return r >= begin && r < end && !held[static_cast<std::size_t>(r)]; };
        };
        const Part contact(section, mesh, raw, Numbering(raw, free_in(0, raw.carrier_begin())), true);
        const Part carrier(section, mesh, raw, Numbering(raw, free_in(raw.carrier_begin(), raw.size())), false);

        constexpr int passes = 50;
        bool settled = false;
        Vector<Scalar, Dynamic> reaction;
        for (int pass = 0; pass < passes && !settled; ++pass) {
            contact.solve(loads(section, mesh, raw), height, reaction);
            for (std::size_t j = 0; j < mesh.droppers.size(); ++j) {
                dropper_force[j] = reaction[raw.contact(mesh.droppers[j].contact_node)];
                require(value_of(dropper_force[j]) > 0.0, "catenary::StaticShape", "dropper at ",
                        mesh.droppers[j].position, " m would have to push with ", -value_of(dropper_force[j]),
                        " N to hold its contact_wire_height; change the heights near it");
            }
            carrier.solve(loads(section, mesh, raw), height, reaction);
            settled = true;
            for (std::size_t j = 0; j < mesh.droppers.size(); ++j) {
                const auto& d = mesh.droppers[j];
                const Scalar length = height[raw.top(d)] - height[raw.contact(d.contact_node)];
                require(value_of(length) > 0.0, "catenary::StaticShape", "dropper at ", d.position,
                        " m has a length of ", value_of(length),
                        " m, must be above 0; raise messenger_height or the messenger's tension");
                const Scalar change = length - dropper_length[j];
                settled = settled && std::abs(value_of(change)) < 1e-13;
                dropper_length[j] = length;
            }
        }
        require(settled, "catenary::StaticShape", "the dropper lengths do not converge; are the droppers too heavy?");

        for (std::size_t s = 0; s < mesh.supports.size(); ++s)
            if (held[static_cast<std::size_t>(raw.contact(mesh.contact_supports[s]))]) {
                contact.solve(loads(section, mesh, raw), height, reaction);
                break;
            }
        for (std::size_t s = 0; s < mesh.supports.size(); ++s) {
            const int unknown = raw.contact(mesh.contact_supports[s]);
            if (held[static_cast<std::size_t>(unknown)]) support_force[s] = reaction[unknown];
        }
        residual = imbalance(section, mesh, raw, contact, carrier, held);
        // Rounding leaves 1e-13 in an ordinary section; this grows with 1/h^3 of the shortest element h.
        const double rounding = std::sqrt(value_of(Eigen::NumTraits<Scalar>::epsilon()));
        require(
            residual < rounding, "catenary::StaticShape", "unbalanced forces of ", residual,
            " times the weight remain; the elements are too short, or lengths or stiffnesses differ too much in size");
    }

  private:
    using Loads = Vector<Scalar, Dynamic>;

    /// The contact wire or the carrier with its stiffness, solved for loads while some heights are held.
    struct Part {
        Part(const Section<Scalar>& section, const Mesh& mesh, const RawUnknowns& raw, Numbering numbering,
             bool is_contact)
            : number(std::move(numbering)) {
            const auto each = [&](auto visit) {
                if (is_contact)
                    for_each_contact_element(section, mesh, raw, visit);
                else
                    for_each_carrier_element(section, mesh, raw, visit);
            };
            int half_bandwidth = 0;
            each([&](const auto& unknowns, const auto&, const Scalar&) { widen(half_bandwidth, number, unknowns); });
            linalg::SymmetricBand<Scalar> stiffness(number.size, half_bandwidth);
            each([&](const auto& unknowns, const auto& element, const Scalar&) {
                stamp(stiffness, number, unknowns, element.stiffness);
                for (std::size_t a = 0; a < unknowns.size(); ++a)
                    for (std::size_t b = 0; b < unknowns.size(); ++b)
                        entries.push_back(
                            {unknowns[a], unknowns[b], element.stiffness(static_cast<int>(a), static_cast<int>(b))});
            });
            cholesky = linalg::BandCholesky<Scalar>(stiffness);
        }

        /// Fills in the free heights of this part; `reaction` is K u - f at every raw unknown of the part.
        void solve(const Loads& load, Vector<Scalar, Dynamic>& u, Vector<Scalar, Dynamic>& reaction) const {
            Vector<Scalar, Dynamic> rhs = Vector<Scalar, Dynamic>::Zero(number.size);
            for (int r = 0; r < static_cast<int>(load.size()); ++r)
                if (number[r] >= 0) rhs[number[r]] += load[r];
            for (const Entry& e : entries)
                if (number[e.row] >= 0 && number[e.column] < 0) rhs[number[e.row]] -= e.value * u[e.column];
            cholesky.solve(rhs);
            for (int r = 0; r < static_cast<int>(load.size()); ++r)
                if (number[r] >= 0) u[r] = rhs[number[r]];
            reaction = -load;
            for (const Entry& e : entries) reaction[e.row] += e.value * u[e.column];
        }

        struct Entry {
            int row, column;
            Scalar value;
        };
        Numbering number;
        std::vector<Entry> entries;
        linalg::BandCholesky<Scalar> cholesky;
    };

    /// Nodal loads, N upward (moments: N m): weights and, on the carrier, the forces of the droppers.
    Loads loads(const Section<Scalar>& section, const Mesh& mesh, const RawUnknowns& raw) const {
        Loads load = Loads::Zero(raw.size());
        const auto g = static_cast<Scalar>(section.gravity);
        const auto weigh = [&](const auto& unknowns, const auto& element, const Scalar& mass_per_length) {
            for (std::size_t a = 0; a < unknowns.size(); ++a)
                load[unknowns[a]] -= g * mass_per_length * element.length[static_cast<int>(a)];
        };
        for_each_contact_element(section, mesh, raw, weigh);
        for_each_carrier_element(section, mesh, raw, weigh);

        for (std::size_t j = 0; j < mesh.droppers.size(); ++j) {
            const auto& d = mesh.droppers[j];
            const Scalar half = Scalar(0.5) * section.dropper.mass_per_length * dropper_length[j];
            load[raw.contact(d.contact_node)] -= g * (half + section.dropper.clamp_mass_contact);
            load[raw.top(d)] -= g * (half + section.dropper.clamp_mass_messenger) + dropper_force[j];
        }
        for (std::size_t s = 0; s < mesh.supports.size(); ++s)
            if (const auto& arm = section.supports[s].steady_arm)
                load[raw.contact(mesh.contact_supports[s])] -= g * arm->mass_per_length * arm->length * Scalar(0.5);
        for (std::size_t i = 0; i < mesh.stitches.size(); ++i) {
            const Scalar weight = g * section.supports[mesh.stitches[i].support].stitch_wire->clamp_mass;
            load[raw.messenger(mesh.stitches[i].first_clamp)] -= weight;
            load[raw.messenger(mesh.stitches[i].last_clamp)] -= weight;
        }
        return load;
    }

    double imbalance(const Section<Scalar>& section, const Mesh& mesh, const RawUnknowns& raw, const Part& contact,
                     const Part& carrier, const std::vector<bool>& held) const {
        const Loads load = loads(section, mesh, raw);
        Loads force = -load;
        for (const Part* part : {&contact, &carrier})
            for (const auto& e : part->entries) force[e.row] += e.value * height[e.column];
        for (std::size_t j = 0; j < mesh.droppers.size(); ++j)
            force[raw.contact(mesh.droppers[j].contact_node)] -= dropper_force[j];
        double worst = 0.0, weight = 0.0;
        for (int r = 0; r < raw.size(); ++r) weight += std::abs(value_of(load[r]));
        for (int r = 0; r < raw.size(); ++r) {
            const bool support = held[static_cast<std::size_t>(r)] && !is_dropper(mesh, raw, r);
            if (!support) worst = std::max(worst, std::abs(value_of(force[r])));
        }
        return worst / weight;
    }

    static bool is_dropper(const Mesh& mesh, const RawUnknowns& raw, int unknown) {
        return std::any_of(mesh.droppers.begin(), mesh.droppers.end(),
                           [&](const auto& d) { return raw.contact(d.contact_node) == unknown; });
    }
};

}  // namespace panto::catenary
