// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The nodes of a section, and what is attached to them. There is a node at every dropper, clamp and support. The
/// intervals between them are divided into equal elements that are not longer than MeshSize.

#pragma once

#include <panto/catenary/section.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace panto::catenary {

/// Largest element lengths, m. The defaults are those of the reference figures of the stitched line.
struct MeshSize {
    double contact = 1.5;
    double messenger = 3.0;
    double stitch = 1.0;
};

/// Nodes of all wires. Nodes are identified by their index in the list of their wire.
struct Mesh {
    struct DropperEnds {
        double position = 0.0;             ///< m
        double contact_wire_height = 0.0;  ///< m, prescribed static height
        std::size_t span = 0;
        std::size_t contact_node = 0;
        int stitch = -1;           ///< index of the stitch wire it hangs from, -1 for the messenger
        std::size_t top_node = 0;  ///< index on that wire
    };
    struct Stitch {
        std::size_t support = 0;
        std::vector<double> nodes = {};               ///< m; the first and last are the clamps on the messenger
        std::size_t first_clamp = 0, last_clamp = 0;  ///< messenger nodes
    };

    std::vector<double> contact = {}, messenger = {};  ///< m
    std::vector<Stitch> stitches = {};
    std::vector<DropperEnds> droppers = {};
    std::vector<std::size_t> contact_supports = {}, messenger_supports = {};  ///< node at each support
    std::vector<double> supports = {};                                        ///< m

    /// @throws SetupError if the section is not valid, an element length not positive, or two droppers, clamps or
    /// supports are closer than a millimetre without coinciding.
    template <Real Scalar>
    Mesh(const Section<Scalar>& section, const MeshSize& size) {
        validate(section);
        require_positive(size.contact, "catenary::Mesh", "size.contact");
        require_positive(size.messenger, "catenary::Mesh", "size.messenger");
        require_positive(size.stitch, "catenary::Mesh", "size.stitch");

        supports.push_back(0.0);
        for (const Span& span : section.spans) supports.push_back(supports.back() + span.length);
        std::vector<int> stitch_at(supports.size(), -1);
        for (std::size_t s = 0; s < supports.size(); ++s) {
            const auto& wire = section.supports[s].stitch_wire;
            if (!wire) continue;
            stitch_at[s] = static_cast<int>(stitches.size());
            stitches.push_back({s, {supports[s] - wire->length / 2, supports[s] + wire->length / 2}});
        }
        std::vector<std::vector<double>> hung(stitches.size());  // m, droppers of each stitch wire
        for (std::size_t s = 0; s < section.spans.size(); ++s)
            for (const Dropper& d : section.spans[s].droppers) {
                const double x = supports[s] + d.position;
                int stitch = -1;
                // Stitch wires stay apart: only those at the two ends of the span can be above.
                for (const int i : {stitch_at[s], stitch_at[s + 1]}) {
                    if (i < 0) continue;
                    const auto w = static_cast<std::size_t>(i);
                    if (!(x > stitches[w].nodes.front() && x < stitches[w].nodes.back())) continue;
                    stitch = i;
                    hung[w].push_back(x);
                }
                droppers.push_back({x, d.contact_wire_height, s, 0, stitch, 0});
            }

        std::vector<double> contact_marks = supports, messenger_marks = supports;
        for (const DropperEnds& d : droppers) {
            contact_marks.push_back(d.position);
            if (d.stitch < 0) messenger_marks.push_back(d.position);
        }
        for (const Stitch& w : stitches) messenger_marks.insert(messenger_marks.end(), w.nodes.begin(), w.nodes.end());
        contact = divided(contact_marks, size.contact);
        messenger = divided(messenger_marks, size.messenger);
        for (std::size_t i = 0; i < stitches.size(); ++i) {
            Stitch& w = stitches[i];
            w.first_clamp = node_at(messenger, w.nodes.front());
            w.last_clamp = node_at(messenger, w.nodes.back());
            hung[i].insert(hung[i].end(), w.nodes.begin(), w.nodes.end());
            w.nodes = divided(hung[i], size.stitch);
        }

        for (DropperEnds& d : droppers) {
            d.contact_node = node_at(contact, d.position);
            d.top_node =
                node_at(d.stitch < 0 ? messenger : stitches[static_cast<std::size_t>(d.stitch)].nodes, d.position);
        }
        for (const double x : supports) {
            contact_supports.push_back(node_at(contact, x));
            messenger_supports.push_back(node_at(messenger, x));
        }
    }

  private:
    static constexpr double same = 1e-9;  // m; closer marks are one node
    // m; shorter elements are so stiff that the stiffness of the line is lost by rounding
    static constexpr double shortest = 1e-3;

    static std::vector<double> divided(std::vector<double> marks, double longest) {
        std::sort(marks.begin(), marks.end());
        std::vector<double> nodes{marks.front()};
        for (std::size_t i = 1; i < marks.size(); ++i) {
            const double start = nodes.back(), bay = marks[i] - start;
            if (bay < same) continue;
            require(bay >= shortest, "catenary::Mesh", "two droppers, clamps or supports at ", start, " m and ",
                    marks[i], " m are ", bay, " m apart, expected the same place or at least ", shortest, " m");
            require(bay / longest < 1e5, "catenary::Mesh", "a bay of ", bay, " m needs more than 100000 elements of ",
                    longest, " m; choose longer elements");
            const int pieces = static_cast<int>(std::ceil(bay / longest - same));
            for (int p = 1; p < pieces; ++p) nodes.push_back(start + bay * p / pieces);
            nodes.push_back(marks[i]);
        }
        return nodes;
    }

    static std::size_t node_at(const std::vector<double>& nodes, double x) {
        const auto after = std::lower_bound(nodes.begin(), nodes.end(), x - same);
        return static_cast<std::size_t>(after - nodes.begin());
    }
};

}  // namespace panto::catenary
