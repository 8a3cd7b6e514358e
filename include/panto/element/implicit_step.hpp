// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The memory of an element at the end of an implicit step, for models that solve for the forces at the end of a step:
///     z+ = z_carried + h z'(x+, v+, z+) ,   trapezoidal rule: h = dt/2 , z_carried = z + h z'(x, v, z) .
/// This is solved by Newton's method; the derivatives are difference quotients, because an element gives none.

#pragma once

#include <panto/core/real.hpp>
#include <panto/element/memory.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

namespace panto::element {

/// An element whose memory is a vector of a size known at compile time.
template <class E, class Scalar = double>
concept SteppedElement = ForceElement<E, Scalar> && std::same_as<typename E::Memory::Scalar, Scalar> &&
                         (E::Memory::RowsAtCompileTime >= 0) && (E::Memory::ColsAtCompileTime == 1);

namespace detail {

/// Relative rounding of the plain number behind a scalar.
template <Real Scalar>
[[nodiscard]] constexpr double rounding() noexcept {
    if constexpr (std::floating_point<Scalar>)
        return static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    else
        return std::numeric_limits<double>::epsilon();
}

/// Step of a difference quotient about values of the order of `size`, at which its two errors are about equal.
template <Real Scalar>
[[nodiscard]] double difference_step(double size) noexcept {
    return std::sqrt(rounding<Scalar>()) * size;
}

/// The largest absolute value in a vector or matrix whose entries may carry derivatives; NaN if an entry is NaN.
template <class M>
[[nodiscard]] double largest(const M& m) noexcept {
    double most = 0.0;
    for (Eigen::Index j = 0; j < m.cols(); ++j)
        for (Eigen::Index i = 0; i < m.rows(); ++i)
            if (const double size = std::abs(value_of(m(i, j))); !(size <= most)) most = size;
    return most;
}

/// Whether Newton's method goes on once after it has converged. Derivatives follow one iteration behind their values.
template <Real Scalar>
inline constexpr bool iterates_once_more = !std::floating_point<Scalar>;

}  // namespace detail

/// Solves z = carried + h z'(x, v, z); on entry z is a guess. Returns false if z is not found to about 1e-8. @rt
template <Real Scalar, SteppedElement<Scalar> E>
bool implicit_memory(const E& element, const Scalar& x, const Scalar& v, const typename E::Memory& carried,
                     const Scalar& h, typename E::Memory& z) noexcept {
    using Memory = typename E::Memory;
    constexpr int n = Memory::RowsAtCompileTime;
    if constexpr (n > 0) {
        constexpr int most_iterations = 30, most_halvings = 12;
        Memory slope = z, off = z;
        const auto residual = [&](const Memory& at, Memory& r) {
            element.rate(x, v, at, slope);
            r = at - carried - h * slope;
            return detail::largest(r);
        };
        double norm = residual(z, off);
        bool once_more = detail::iterates_once_more<Scalar>;
        const auto within = [&](double tolerance) {
            for (int i = 0; i < n; ++i)
                if (!(std::abs(value_of(off[i])) <=
                      tolerance * (std::abs(value_of(z[i])) + std::abs(value_of(carried[i])))))
                    return false;
            return true;
        };
        for (int iteration = 0; iteration < most_iterations; ++iteration) {
            const bool there = within(100.0 * detail::rounding<Scalar>());
            if (there && !once_more) return true;
            if (there) once_more = false;
            Matrix<Scalar, n> J;
            Memory moved = z, other = off;
            for (int j = 0; j < n; ++j) {
                moved[j] = z[j] + Scalar(detail::difference_step<Scalar>(std::max(1.0, std::abs(value_of(z[j])))));
                residual(moved, other);
                J.col(j) = (other - off) / Scalar(moved[j] - z[j]);
                moved[j] = z[j];
            }
            const Memory step = J.partialPivLu().solve(off);
            Scalar part(1.0);
            double found = 0.0;
            for (int halvings = 0;; ++halvings) {
                moved = z - part * step;
                found = residual(moved, other);
                if (found < norm || there) break;
                if (halvings == most_halvings) return within(1e-8);
                part = part * Scalar(0.5);
            }
            z = moved, off = other, norm = found;
        }
        return within(1e-8);
    } else {
        return true;
    }
}

/// The memory of an element that has been held at the stretch x for some hours. Friction never relaxes: it has the
/// value after one stroke from rest.
template <Real Scalar, SteppedElement<Scalar> E>
[[nodiscard]] typename E::Memory memory_at_rest(const E& element, const Scalar& x) {
    typename E::Memory z = element.rest();
    for (int i = 0; i < 5; ++i) {  // implicit Euler
        const typename E::Memory carried = z;
        implicit_memory(element, x, Scalar(0.0), carried, Scalar(1e4), z);
    }
    element.accept(x, Scalar(0.0), z);
    return z;
}

}  // namespace panto::element
