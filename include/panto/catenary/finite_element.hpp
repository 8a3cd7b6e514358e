// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The section as a linear structure: M a + C v + K u = f for deviations u from the static shape, with all droppers
/// taut. The engines add the nonlinear parts: slack droppers and the contact.
///
/// C = alpha M + beta (K - K_u) + D, where K_u are the springs of supports and steady arms, which take no part in the
/// Rayleigh damping, and D the dampers of supports and steady arms.

#pragma once

#include <panto/catenary/static_shape.hpp>

#include <array>
#include <vector>

namespace panto::catenary {

/// A point of the contact wire between two nodes: rows of the four unknowns around it (-1: held) and their weights.
struct WirePoint {
    std::array<int, 4> row = {};
    std::array<double, 4> value = {};      ///< height
    std::array<double, 4> slope = {};      ///< d/dx of the height, 1/m
    std::array<double, 4> curvature = {};  ///< d^2/dx^2, 1/m^2
};

/// A dropper in the dynamic model: a spring that can only pull, between two unknowns.
template <Real Scalar = double>
struct DropperLink {
    double position = 0.0;  ///< m
    std::size_t span = 0;
    int top = 0, bottom = 0;  ///< rows; -1 where held
    Scalar stiffness{};       ///< N/m
    Scalar static_force{};    ///< N, tension without pantograph
    Scalar length{};          ///< m
};

template <Real Scalar = double>
class FiniteElements {
  public:
    using Band = linalg::SymmetricBand<Scalar>;

    /// @throws SetupError as Mesh and StaticShape do.
    explicit FiniteElements(const Section<Scalar>& section, const MeshSize& size = {});

    [[nodiscard]] int size() const noexcept { return mass_.size(); }
    [[nodiscard]] const Band& mass() const noexcept { return mass_; }
    [[nodiscard]] const Band& stiffness() const noexcept { return stiffness_; }
    /// Springs to ground without Rayleigh damping, N/m by row.
    [[nodiscard]] const Vector<Scalar, Dynamic>& undamped() const noexcept { return undamped_; }
    /// Dampers to ground, N s/m by row.
    [[nodiscard]] const Vector<Scalar, Dynamic>& dampers() const noexcept { return dampers_; }
    /// C = alpha M + beta (K - K_u) + D.
    [[nodiscard]] Band damping() const {
        Band C(size(), mass_.half_bandwidth());
        C.add(section_.damping.alpha, mass_);
        C.add(section_.damping.beta, stiffness_);
        for (int i = 0; i < size(); ++i) C.add(i, i, dampers_[i] - section_.damping.beta * undamped_[i]);
        return C;
    }
    [[nodiscard]] const std::vector<DropperLink<Scalar>>& droppers() const noexcept { return droppers_; }
    [[nodiscard]] const Section<Scalar>& section() const noexcept { return section_; }
    [[nodiscard]] const Mesh& mesh() const noexcept { return mesh_; }
    [[nodiscard]] const StaticShape<Scalar>& shape() const noexcept { return shape_; }
    [[nodiscard]] double length() const noexcept { return mesh_.contact.back(); }

    /// Rows of deflection and slope of a contact-wire node; -1 where held.
    /// @throws SetupError if there is no such node.
    [[nodiscard]] std::array<int, 2> contact_row(std::size_t node) const {
        require(node < contact_row_.size(), "catenary::FiniteElements", "node is ", node, ", must be from 0 to ",
                contact_row_.size() - 1);
        return contact_row_[node];
    }

    /// The point of the contact wire at `x`, m; outside the section the nearest end. @rt
    [[nodiscard]] WirePoint point(double x) const noexcept {
        const auto [element, hermite] = locate(x);
        WirePoint p;
        for (int a = 0; a < 4; ++a) {
            const auto i = static_cast<std::size_t>(a);
            p.row[i] = contact_row_[element + i / 2][i % 2];
            p.value[i] = hermite.value[a];
            p.slope[i] = hermite.slope[a];
            p.curvature[i] = hermite.curvature[a];
        }
        return p;
    }

    /// At the position `x`, m: static height of the contact wire, m, its slope, and its curvature, 1/m. @rt
    [[nodiscard]] std::array<Scalar, 3> static_height(double x) const noexcept {
        const auto [element, hermite] = locate(x);
        std::array<Scalar, 3> z{Scalar(0.0), Scalar(0.0), Scalar(0.0)};
        for (int a = 0; a < 4; ++a) {  // raw unknowns of the contact wire are 2 node + (0, 1)
            const Scalar& u = shape_.height[2 * static_cast<int>(element) + a];
            z[0] += u * Scalar(hermite.value[a]);
            z[1] += u * Scalar(hermite.slope[a]);
            z[2] += u * Scalar(hermite.curvature[a]);
        }
        return z;
    }

    /// Length of the longest element of the contact wire, m.
    [[nodiscard]] double longest_contact_element() const {
        double longest = 0.0;
        for (std::size_t i = 1; i < mesh_.contact.size(); ++i)
            longest = std::max(longest, mesh_.contact[i] - mesh_.contact[i - 1]);
        return longest;
    }

  private:
    struct Place {
        std::size_t element;
        Hermite hermite;
    };

    [[nodiscard]] Place locate(double x) const noexcept {
        const std::vector<double>& nodes = mesh_.contact;
        const double inside = std::clamp(x, nodes.front(), nodes.back());
        const auto after = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, inside);
        const auto element = static_cast<std::size_t>(after - nodes.begin()) - 1;
        const double h = nodes[element + 1] - nodes[element];
        return {element, Hermite((inside - nodes[element]) / h, h)};
    }

    [[nodiscard]] bool is_held(const RawUnknowns& raw, int unknown) const {
        if (unknown == raw.contact(0) || unknown == raw.contact(mesh_.contact.size() - 1)) return true;
        for (std::size_t s = 0; s < mesh_.supports.size(); ++s)
            if (unknown == raw.messenger(mesh_.messenger_supports[s])) return !section_.supports[s].messenger_stiffness;
        return false;
    }

    Section<Scalar> section_;
    Mesh mesh_;
    StaticShape<Scalar> shape_;
    Band mass_, stiffness_;
    Vector<Scalar, Dynamic> undamped_, dampers_;
    std::vector<DropperLink<Scalar>> droppers_;
    std::vector<std::array<int, 2>> contact_row_;
};

template <Real Scalar>
FiniteElements<Scalar>::FiniteElements(const Section<Scalar>& section, const MeshSize& size)
    : section_(section), mesh_(section, size), shape_(section, mesh_) {
    const RawUnknowns raw(mesh_);
    const Numbering number(raw, [&](int r) { return !is_held(raw, r); });

    int half_bandwidth = 0;
    const auto each = [&](auto visit) {
        for_each_contact_element(section_, mesh_, raw, visit);
        for_each_carrier_element(section_, mesh_, raw, visit);
    };
    each([&](const auto& unknowns, const auto&, const Scalar&) { widen(half_bandwidth, number, unknowns); });
    for (const auto& d : mesh_.droppers)
        widen(half_bandwidth, number, std::array{raw.top(d), raw.contact(d.contact_node)});
    mass_ = Band(number.size, half_bandwidth);
    stiffness_ = Band(number.size, half_bandwidth);
    undamped_ = dampers_ = Vector<Scalar, Dynamic>::Zero(number.size);

    each([&](const auto& unknowns, const auto& element, const Scalar&) {
        stamp(mass_, number, unknowns, element.mass);
        stamp(stiffness_, number, unknowns, element.stiffness);
    });
    const auto lump = [&](int unknown, const Scalar& kilograms) {
        if (number[unknown] >= 0) mass_.add(number[unknown], number[unknown], kilograms);
    };
    const auto prop = [&](int unknown, const Scalar& spring) {
        stiffness_.add(number[unknown], number[unknown], spring);
        undamped_[number[unknown]] += spring;
    };
    for (std::size_t j = 0; j < mesh_.droppers.size(); ++j) {
        const auto& d = mesh_.droppers[j];
        const DropperType<Scalar>& type = section_.dropper;
        const Scalar& length = shape_.dropper_length[j];
        const Scalar half = Scalar(0.5) * type.mass_per_length * length;
        const Scalar stiffness = type.stiffness ? *type.stiffness : Scalar(type.axial_stiffness / length);
        const int top = number[raw.top(d)], bottom = number[raw.contact(d.contact_node)];
        lump(raw.top(d), half + type.clamp_mass_messenger);
        lump(raw.contact(d.contact_node), half + type.clamp_mass_contact);
        stiffness_.add(top, top, stiffness);
        stiffness_.add(bottom, bottom, stiffness);
        stiffness_.add(top, bottom, -stiffness);
        droppers_.push_back(
            {d.position, d.span, top, bottom, stiffness, shape_.dropper_force[j], shape_.dropper_length[j]});
    }
    for (const auto& w : mesh_.stitches) {
        const Scalar& clamp = section_.supports[w.support].stitch_wire->clamp_mass;
        lump(raw.messenger(w.first_clamp), clamp);
        lump(raw.messenger(w.last_clamp), clamp);
    }
    for (std::size_t s = 1; s + 1 < mesh_.supports.size(); ++s) {
        const Support<Scalar>& support = section_.supports[s];
        const int carried = raw.messenger(mesh_.messenger_supports[s]);
        if (support.messenger_stiffness) prop(carried, *support.messenger_stiffness);
        if (support.messenger_damping) dampers_[number[carried]] += *support.messenger_damping;
        if (const auto& arm = support.steady_arm) {
            const int unknown = raw.contact(mesh_.contact_supports[s]);
            lump(unknown, arm->mass_per_length * arm->length / Scalar(3.0));
            prop(unknown, arm->stiffness);
            dampers_[number[unknown]] += arm->damping;
        }
    }
    for (std::size_t i = 0; i < mesh_.contact.size(); ++i)
        contact_row_.push_back({number[raw.contact(i)], number[raw.contact(i) + 1]});
}

#ifdef PANTO_COMPILED
extern template FiniteElements<double>::FiniteElements(const Section<double>&, const MeshSize&);
#endif

}  // namespace panto::catenary
