// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Unknowns and element matrices of a mesh. Every nodal quantity of every wire has a raw number. A Numbering gives each
/// free quantity a row of the matrices, in order along the track, so that the bandwidth is small.

#pragma once

#include <panto/catenary/elements.hpp>
#include <panto/catenary/mesh.hpp>
#include <panto/linalg/banded.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace panto::catenary {

/// Raw numbers of the nodal quantities of a mesh: deflection and slope at the nodes of contact and messenger wire,
/// deflection at the inner nodes of stitch wires. The ends of a stitch wire are nodes of the messenger.
class RawUnknowns {
  public:
    explicit RawUnknowns(const Mesh& mesh) : mesh_(&mesh) {
        for (const double x : mesh.contact) position_.insert(position_.end(), 2, x);
        messenger_begin_ = size();
        for (const double x : mesh.messenger) position_.insert(position_.end(), 2, x);
        for (const Mesh::Stitch& w : mesh.stitches) {
            stitch_begin_.push_back(size());
            position_.insert(position_.end(), w.nodes.begin() + 1, w.nodes.end() - 1);
        }
    }

    [[nodiscard]] int size() const { return static_cast<int>(position_.size()); }
    [[nodiscard]] int contact(std::size_t node) const { return 2 * static_cast<int>(node); }
    [[nodiscard]] int messenger(std::size_t node) const { return messenger_begin_ + 2 * static_cast<int>(node); }
    [[nodiscard]] int stitch(std::size_t wire, std::size_t node) const {
        const Mesh::Stitch& w = mesh_->stitches[wire];
        if (node == 0) return messenger(w.first_clamp);
        if (node + 1 == w.nodes.size()) return messenger(w.last_clamp);
        return stitch_begin_[wire] + static_cast<int>(node) - 1;
    }
    [[nodiscard]] int top(const Mesh::DropperEnds& d) const {
        return d.stitch < 0 ? messenger(d.top_node) : stitch(static_cast<std::size_t>(d.stitch), d.top_node);
    }
    /// Raw numbers below this one belong to the contact wire, the others to the carrier (messenger and stitch wires).
    [[nodiscard]] int carrier_begin() const { return messenger_begin_; }
    [[nodiscard]] double position(int raw) const { return position_[static_cast<std::size_t>(raw)]; }

  private:
    const Mesh* mesh_;
    int messenger_begin_ = 0;
    std::vector<int> stitch_begin_;
    std::vector<double> position_;
};

/// Raw number -> row of the matrices, or -1 where the quantity is held.
struct Numbering {
    std::vector<int> row = {};
    int size = 0;

    /// Keeps the unknowns for which `keep(raw)` holds, ordered along the track.
    template <class Keep>
    Numbering(const RawUnknowns& raw, Keep keep) : row(static_cast<std::size_t>(raw.size()), -1) {
        std::vector<int> order(row.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return raw.position(a) < raw.position(b); });
        for (const int r : order)
            if (keep(r)) row[static_cast<std::size_t>(r)] = size++;
    }

    [[nodiscard]] int operator[](int raw) const { return row[static_cast<std::size_t>(raw)]; }
};

/// Calls `visit(raw unknowns, element, mass per length)` for every beam element of the contact wire.
template <Real Scalar, class Visit>
void for_each_contact_element(const Section<Scalar>& section, const Mesh& mesh, const RawUnknowns& raw, Visit visit) {
    const Wire<Scalar>& wire = section.contact_wire;
    for (std::size_t i = 0; i + 1 < mesh.contact.size(); ++i)
        visit(std::array{raw.contact(i), raw.contact(i) + 1, raw.contact(i + 1), raw.contact(i + 1) + 1},
              beam_element(mesh.contact[i + 1] - mesh.contact[i], wire.bending_stiffness, wire.tension,
                           wire.mass_per_length),
              wire.mass_per_length);
}

/// The same for the carrier: beam elements of the messenger, string elements of the stitch wires. The tension of the
/// messenger is lower between the clamps of a stitch wire.
template <Real Scalar, class Visit>
void for_each_carrier_element(const Section<Scalar>& section, const Mesh& mesh, const RawUnknowns& raw, Visit visit) {
    const Wire<Scalar>& wire = section.messenger_wire;
    std::vector<Scalar> tension(mesh.messenger.size(), wire.tension);
    for (const Mesh::Stitch& w : mesh.stitches) {
        const StitchWire<Scalar>& stitch = *section.supports[w.support].stitch_wire;
        const Scalar between =
            stitch.messenger_tension ? *stitch.messenger_tension : Scalar(wire.tension - stitch.tension);
        for (std::size_t i = w.first_clamp; i < w.last_clamp; ++i) tension[i] = between;
    }

    for (std::size_t i = 0; i + 1 < mesh.messenger.size(); ++i)
        visit(std::array{raw.messenger(i), raw.messenger(i) + 1, raw.messenger(i + 1), raw.messenger(i + 1) + 1},
              beam_element(mesh.messenger[i + 1] - mesh.messenger[i], wire.bending_stiffness, tension[i],
                           wire.mass_per_length),
              wire.mass_per_length);

    for (std::size_t s = 0; s < mesh.stitches.size(); ++s) {
        const Mesh::Stitch& w = mesh.stitches[s];
        const StitchWire<Scalar>& data = *section.supports[w.support].stitch_wire;
        for (std::size_t i = 0; i + 1 < w.nodes.size(); ++i)
            visit(std::array{raw.stitch(s, i), raw.stitch(s, i + 1)},
                  string_element(w.nodes[i + 1] - w.nodes[i], data.tension, data.mass_per_length),
                  data.mass_per_length);
    }
}

/// Adds an element's matrix to a banded one; held unknowns are skipped.
template <Real Scalar, std::size_t N>
void stamp(linalg::SymmetricBand<Scalar>& band, const Numbering& number, const std::array<int, N>& raw,
           const Matrix<Scalar, static_cast<int>(N)>& element) {
    for (std::size_t a = 0; a < N; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
            const int i = number[raw[a]], j = number[raw[b]];
            if (i >= 0 && j >= 0) band.add(i, j, element(static_cast<int>(a), static_cast<int>(b)));
        }
}

/// Widens `half_bandwidth` so that the unknowns of one element fit.
template <std::size_t N>
void widen(int& half_bandwidth, const Numbering& number, const std::array<int, N>& raw) {
    for (const int a : raw)
        for (const int b : raw)
            if (number[a] >= 0 && number[b] >= 0)
                half_bandwidth = std::max(half_bandwidth, std::abs(number[a] - number[b]));
}

}  // namespace panto::catenary
