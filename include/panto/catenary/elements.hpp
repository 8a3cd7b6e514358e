// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The two finite elements of a wire in the vertical plane: the tensioned Euler-Bernoulli beam with cubic Hermite shape
/// functions (deflection and slope at both ends) and the tensioned string with linear ones.

#pragma once

#include <panto/core/real.hpp>

namespace panto::catenary {

/// Matrices of one element, symmetric; unknowns are [w0, slope0, w1, slope1] for a beam, [w0, w1] for a string.
template <Real Scalar, int N>
struct Element {
    Matrix<Scalar, N> mass = {};       ///< consistent
    Matrix<Scalar, N> stiffness = {};  ///< bending and tension
    Vector<Scalar, N> length = {};     ///< integral of the shape functions: the nodal loads of a unit load per metre
};

/// Hermite beam of length h: K = EI int N''N'' + T int N'N', M = m int NN.
template <Real Scalar>
[[nodiscard]] Element<Scalar, 4> beam_element(double h, const Scalar& bending_stiffness, const Scalar& tension,
                                              const Scalar& mass_per_length) {
    Eigen::Matrix4d bending, geometric, mass;
    bending << 12, 6 * h, -12, 6 * h,         //
        6 * h, 4 * h * h, -6 * h, 2 * h * h,  //
        -12, -6 * h, 12, -6 * h,              //
        6 * h, 2 * h * h, -6 * h, 4 * h * h;
    geometric << 36, 3 * h, -36, 3 * h,    //
        3 * h, 4 * h * h, -3 * h, -h * h,  //
        -36, -3 * h, 36, -3 * h,           //
        3 * h, -h * h, -3 * h, 4 * h * h;
    mass << 156, 22 * h, 54, -13 * h,           //
        22 * h, 4 * h * h, 13 * h, -3 * h * h,  //
        54, 13 * h, 156, -22 * h,               //
        -13 * h, -3 * h * h, -22 * h, 4 * h * h;
    return {.mass = (mass * (h / 420)).cast<Scalar>() * mass_per_length,
            .stiffness = (bending / (h * h * h)).cast<Scalar>() * bending_stiffness +
                         (geometric / (30 * h)).cast<Scalar>() * tension,
            .length = Eigen::Vector4d(h / 2, h * h / 12, h / 2, -h * h / 12).cast<Scalar>()};
}

/// String of length h under a tension.
template <Real Scalar>
[[nodiscard]] Element<Scalar, 2> string_element(double h, const Scalar& tension, const Scalar& mass_per_length) {
    Eigen::Matrix2d stiffness, mass;
    stiffness << 1, -1, -1, 1;
    mass << 2, 1, 1, 2;
    return {.mass = (mass * (h / 6)).cast<Scalar>() * mass_per_length,
            .stiffness = (stiffness / h).cast<Scalar>() * tension,
            .length = Eigen::Vector2d(h / 2, h / 2).cast<Scalar>()};
}

/// Hermite shape functions at 0 <= s <= 1 of an element of length h: value, first and second derivative with respect
/// to x of the four functions.
struct Hermite {
    double value[4], slope[4], curvature[4];

    /// @rt
    Hermite(double s, double h) noexcept
        : value{1 - s * s * (3 - 2 * s), h * s * (1 - s) * (1 - s), s * s * (3 - 2 * s), h * s * s * (s - 1)},
          slope{-6 * s * (1 - s) / h, (1 - s) * (1 - 3 * s), 6 * s * (1 - s) / h, s * (3 * s - 2)},
          curvature{(12 * s - 6) / (h * h), (6 * s - 4) / h, (6 - 12 * s) / (h * h), (6 * s - 2) / h} {}
};

}  // namespace panto::catenary
