// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Exact transparent boundary of a discrete wire: the response of the half-line beyond the last grid point.
///
/// With the time factor z and the space factor kappa a stencil of half width H reads
///     sum_j ( next_j z - now_j - before_j / z ) kappa^j = 0 ,   j = -H..H .
/// For |z| > 1 a stable scheme has exactly H roots inside the unit circle; only they can travel into a half-line at
/// rest. Beyond the right end therefore, with sums over the past (causal convolutions),
///     H = 2:  w_{k+1} = s * w_k - p * w_{k-1} ,  s = kappa_1 + kappa_2 ,  p = kappa_1 kappa_2
///     H = 1:  w_{k+1} = s * w_k ,                s = kappa_1 ,            p = 0 .
/// The left end is the right end of the mirrored stencil; a moving wire has two different ends. An explicit scheme has
/// s_0 = p_0 = 0. Where level n+1 couples neighbors (material damping, Coriolis term) s_0 and p_0 are the sum and the
/// product of the inner roots of `next`. The kernels come from a numerical inversion of the z-transform at N points on
/// |z| = 1e-15^(-1/N). The method follows the transparent boundary conditions of Arnold, Ehrhardt, Sofronov [Comm.
/// Math. Sci. 1(3), 2003, 501-556], extended to beams and to moving wires.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/fft.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

/// Impulse responses of the half-line, entry n for the values of the neighbours n steps ago.
struct TransparentKernel {
    Eigen::VectorXd s = {};  ///< weights of the last known point
    Eigen::VectorXd p = {};  ///< weights of the one before, subtracted
    /// Whether sum s - sum p reaches 1 within the steps of the kernel, as for an undamped wire under tension, which
    /// lets a constant pass at once.
    bool passes_constants = false;

    [[nodiscard]] int length() const noexcept { return static_cast<int>(s.size()); }
};

namespace detail {

using Complex = std::complex<double>;

/// Sum and product of the inner roots of a stencil's symbol at one z.
struct InnerRoots {
    Complex sum = {}, product = {};
    int inside = 0;  ///< how many roots lie inside the unit circle, H for a stable scheme
};

/// Follows the roots of a stencil's symbol along a path of z: the roots of the last point start the next search
/// (Ehrlich and Aberth, all roots at once), and sum and product of the inner pair are refined together (Bairstow),
/// which is accurate even where the two coincide.
template <int H>
class SymbolRoots {
  public:
    static constexpr int degree = 2 * H;
    using Coefficients = std::array<Complex, static_cast<std::size_t>(degree + 1)>;

    template <Real Scalar>
    explicit SymbolRoots(const Stencil<Scalar, H>& stencil) {
        double scale = 0.0;
        for (std::size_t j = 0; j <= static_cast<std::size_t>(degree); ++j) {
            next_[j] = value_of(stencil.next[j]);
            now_[j] = value_of(stencil.now[j]);
            before_[j] = value_of(stencil.before[j]);
            for (const double weight : {next_[j], now_[j], before_[j]}) {
                require_finite(weight, "wave::transparent_kernel", "a weight of the stencil");
                scale = std::max(scale, std::abs(weight));
            }
        }
        require_positive(scale, "wave::transparent_kernel", "the largest weight of the stencil");
        for (const std::size_t j : {std::size_t{0}, static_cast<std::size_t>(degree)})
            require(std::abs(next_[j]) + std::abs(now_[j]) + std::abs(before_[j]) > 1e-14 * scale,
                    "wave::transparent_kernel",
                    "the outermost weights of the stencil are zero, use a stencil of smaller half width");
        for (auto* row : {&next_, &now_, &before_})
            for (double& weight : *row) weight /= scale;
        for (std::size_t i = 0; i < root_.size(); ++i)  // spread over the plane, off the axes of symmetry
            root_[i] = std::polar(0.5 + 0.4 * static_cast<double>(i), 0.7 + 2.1 * static_cast<double>(i));
    }

    /// At z, |z| > 1.
    InnerRoots operator()(Complex z) {
        Coefficients q;
        for (std::size_t j = 0; j < q.size(); ++j) q[j] = next_[j] * z - now_[j] - before_[j] / z;
        search(q);
        std::sort(root_.begin(), root_.end(), [](Complex a, Complex b) { return std::norm(a) < std::norm(b); });
        InnerRoots inner{root_[0], 0.0};
        for (const Complex& root : root_) inner.inside += std::norm(root) < 1.0 ? 1 : 0;
        if constexpr (H == 2) {
            inner.sum = root_[0] + root_[1];
            inner.product = root_[0] * root_[1];
            for (int i = 0; i < 2; ++i) refine(q, inner);
        }
        return inner;
    }

  private:
    void search(const Coefficients& q) {
        for (int iteration = 0; iteration < 200; ++iteration) {
            double moved = 0.0;
            for (std::size_t i = 0; i < root_.size(); ++i) {
                Complex value = q.back(), slope = 0.0;
                for (std::size_t k = q.size() - 1; k-- > 0;) {
                    slope = slope * root_[i] + value;
                    value = value * root_[i] + q[k];
                }
                if (value == 0.0) continue;
                Complex repulsion = 0.0;
                for (std::size_t k = 0; k < root_.size(); ++k)
                    if (k != i && root_[k] != root_[i]) repulsion += 1.0 / (root_[i] - root_[k]);
                const Complex step = 1.0 / (slope / value - repulsion);
                root_[i] -= step;
                moved = std::max(moved, std::abs(step) / (1e-3 + std::abs(root_[i])));
            }
            if (!(moved > 1e-13)) return;
        }
    }

    /// One Newton step on the remainder r1 kappa + r0 that q leaves when divided by A = kappa^2 - s kappa + p:
    /// with B the quotient, (-ds kappa + dp) B = r1 kappa + r0 modulo A.
    static void refine(const Coefficients& q, InnerRoots& inner) {
        const Complex s = inner.sum, p = inner.product;
        const Complex b2 = q[4], b1 = q[3] + s * b2, b0 = q[2] + s * b1 - p * b2;
        const Complex r1 = q[1] + s * b0 - p * b1, r0 = q[0] - p * b0;
        const Complex g1 = b1 + s * b2, g0 = b0 - p * b2;  // B modulo A
        const Complex k1 = g0 + s * g1, k0 = -p * g1;      // kappa B modulo A
        const Complex determinant = k0 * g1 - k1 * g0;
        if (determinant == 0.0) return;
        inner.sum += (r1 * g0 - r0 * g1) / determinant;
        inner.product += (r1 * k0 - r0 * k1) / determinant;
    }

    std::array<double, static_cast<std::size_t>(degree + 1)> next_{}, now_{}, before_{};
    std::array<Complex, static_cast<std::size_t>(degree)> root_{};
};

/// Whether u = const solves the scheme.
template <Real Scalar, int H>
[[nodiscard]] bool has_constants(const Stencil<Scalar, H>& stencil) {
    double constant = 0.0, size = 0.0;
    for (const auto& [row, sign] : {std::pair{&stencil.next, 1.0}, {&stencil.now, -1.0}, {&stencil.before, -1.0}})
        for (const Scalar& weight : *row) {
            constant += sign * value_of(weight);
            size += std::abs(value_of(weight));
        }
    return std::abs(constant) <= 1e-12 * size;
}

/// Whether S - P reaches 1 within `steps`. For an undamped wire under tension S - P is analytic at z = 1. The cubic
/// through its values at z = 1 + h, ..., 1 + 4h, h = 0.1/steps, then gives 1 at z = 1 with an error of order h^4, below
/// 1e-6 of 1 - S + P at 1 + h. If there is a branch point at or near z = 1, such as sqrt(z - 1) with viscous damping
/// and without tension, it gives another value: the tail of the kernel, ~ n^-3/2, goes on long after these steps.
template <Real Scalar, int H>
[[nodiscard]] bool passes_constants_within(const Stencil<Scalar, H>& stencil, double steps) {
    if (!has_constants(stencil)) return false;
    const double h = std::max(0.1 / steps, 1e-4);  // below, rounding of the roots, eps/h^2, would matter
    SymbolRoots<H> roots(stencil);
    std::array<double, 4> missing{};
    for (std::size_t j = 0; j < missing.size(); ++j) {
        const InnerRoots inner = roots(1.0 + h * static_cast<double>(j + 1));
        missing[j] = 1.0 - (inner.sum - inner.product).real();
    }
    const double at_1 = 4.0 * (missing[0] + missing[2]) - 6.0 * missing[1] - missing[3];
    return std::abs(at_1) <= 1e-6 * std::abs(missing[0]);
}

}  // namespace detail

/// The kernel of the right end of a wire; `transparent_kernel(mirrored(stencil), length)` is that of the left end.
/// About 8 to 16 root searches per entry of the kernel.
/// @throws SetupError if length < 2, a weight is not finite, the outermost weights are zero, or the scheme is unstable
///         (the number of roots inside the unit circle is not H for some |z| > 1).
template <Real Scalar, int H>
[[nodiscard]] TransparentKernel transparent_kernel(const Stencil<Scalar, H>& stencil, int length) {
    static_assert(H == 1 || H == 2, "a transparent boundary has one or two boundary points");
    constexpr auto where = "wave::transparent_kernel";
    require(length >= 2 && length <= (1 << 22), where, "length is ", length, ", must be from 2 to 4194304 steps");
    std::size_t count = 16;
    while (count < 8 * static_cast<std::size_t>(length)) count *= 2;
    const double log_radius = -std::log(1e-15) / static_cast<double>(count);

    detail::SymbolRoots<H> roots(stencil);
    linalg::Complexes s(count), p(count);
    for (std::size_t k = 0; k <= count / 2; ++k) {
        const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
        const auto inner = roots(std::polar(std::exp(log_radius), angle));
        require(inner.inside == H, where, "the scheme is not stable: at z = ", std::exp(log_radius), " exp(", angle,
                " i) ", inner.inside, " roots of the symbol lie inside the unit circle, expected ", H);
        s[k] = inner.sum;
        p[k] = inner.product;
        if (k > 0 && k < count / 2) {
            s[count - k] = std::conj(s[k]);
            p[count - k] = std::conj(p[k]);
        }
    }
    s = linalg::fft(std::move(s), +1.0);
    p = linalg::fft(std::move(p), +1.0);

    TransparentKernel kernel{Eigen::VectorXd(length), Eigen::VectorXd(length),
                             detail::passes_constants_within(stencil, 0.5 * length)};
    for (int n = 0; n < length; ++n) {
        const double growth = std::exp(log_radius * n) / static_cast<double>(count);
        kernel.s[n] = growth * s[static_cast<std::size_t>(n)].real();
        kernel.p[n] = growth * p[static_cast<std::size_t>(n)].real();
    }
    if (stencil.is_explicit()) kernel.s[0] = kernel.p[0] = 0.0;  // exactly, so that a march needs no solve
    return kernel;
}

}  // namespace panto::wave
