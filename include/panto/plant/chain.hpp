// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Equations of motion of a vertical chain of masses, head first:
///
///     M q'' + C q' + K q = f,   spring and damper i join mass i to mass i+1, the last ones to the ground
///
/// M is diagonal; C and K are tridiagonal and have the same shape, see chain_matrix().

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <string_view>

namespace panto::plant {

/// Entry 0 belongs to the head.
template <Real Scalar = double, int N = Dynamic>
struct ChainParams {
    Vector<Scalar, N> mass = {};       ///< kg, positive
    Vector<Scalar, N> damping = {};    ///< N s/m, not negative
    Vector<Scalar, N> stiffness = {};  ///< N/m, not negative
};

/// Throws unless the parameters describe a chain of at least one mass.
/// @throws SetupError naming the field, its value and what is allowed.
template <Real Scalar, int N>
void validate(const ChainParams<Scalar, N>& p, std::string_view where) {
    const Eigen::Index n = p.mass.size();
    require(n > 0, where, "mass is empty, at least one mass is needed");
    const auto check_size = [&](Eigen::Index size, std::string_view field) {
        require(size == n, where, field, " has ", size, " entries, expected one per mass: ", n);
    };
    check_size(p.damping.size(), "damping");
    check_size(p.stiffness.size(), "stiffness");
    for (Eigen::Index i = 0; i < n; ++i) {
        require_positive(value_of(p.mass[i]), where, "mass[", i, "]");
        require_not_negative(value_of(p.damping[i]), where, "damping[", i, "]");
        require_not_negative(value_of(p.stiffness[i]), where, "stiffness[", i, "]");
    }
}

/// The matrix of a chain's links: K from the stiffnesses, C from the dampings.
template <Real Scalar, int N>
[[nodiscard]] Matrix<Scalar, N> chain_matrix(const Vector<Scalar, N>& link) {
    const Eigen::Index n = link.size();
    Matrix<Scalar, N> K = Matrix<Scalar, N>::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        K(i, i) += link[i];
        if (i + 1 == n) break;
        K(i + 1, i + 1) += link[i];
        K(i, i + 1) -= link[i];
        K(i + 1, i) -= link[i];
    }
    return K;
}

/// Stiffness of all springs of a chain in series, N/m: the change of the force on a held head per change of its height.
template <Real Scalar, int N>
[[nodiscard]] Scalar static_stiffness(const ChainParams<Scalar, N>& p) {
    Scalar compliance(0.0);
    for (Eigen::Index i = 0; i < p.stiffness.size(); ++i) {
        if (!(value_of(p.stiffness[i]) > 0.0)) return Scalar(0.0);
        compliance += Scalar(1.0) / p.stiffness[i];
    }
    return Scalar(1.0) / compliance;
}

/// Largest static_stiffness() allowed for overhead lines, N/m. The presets for overhead lines have at most 172 N/m.
inline constexpr double stiffest_pantograph = 1000.0;

/// Refuses a pantograph for rigid lines: its force depends so much on its height that it cannot follow an overhead
/// line, whose height varies.
/// @throws SetupError naming its stiffness and what is allowed.
inline void require_follows_wire(const ChainParams<>& p, std::string_view where) {
    const double stiffness = static_stiffness(p);
    require(stiffness <= stiffest_pantograph, where, "the springs of the pantograph hold its head with ", stiffness,
            " N/m, ", 0.01 * stiffness, " N for each centimetre of height, at most ", stiffest_pantograph,
            " N/m are allowed: this pantograph is made for rigid lines; use one with a soft lowest spring");
}

}  // namespace panto::plant
