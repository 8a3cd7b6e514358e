// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sum-of-exponentials form of a transparent boundary's kernel: a short recursion instead of a convolution with the
/// past,
///     s_0 = feedthrough_s ,  s_n = sum_i Re( residue_s,i pole_i^{n-1} ) ,  n >= 1 ,  and p with the same poles.
/// Poles and residues by the eigensystem realization of the two kernels side by side: the Hankel matrix
/// [s_{1+i+j} | p_{1+i+j}], its singular value decomposition cut after `states` values, then the eigenvalues of the
/// balanced system matrix [Juang, Pappa, J. Guidance 8(5), 1985, 620-627]. The idea of sums of exponentials is that of
/// Arnold, Ehrhardt, Sofronov [Comm. Math. Sci. 1(3), 2003, 501-556].
///
/// Where u = const solves the wire's equation, the exact kernel lets it pass: sum s - sum p = 1. A cut kernel misses
/// that by a little, and one that misses it upwards makes a constant grow when both ends are transparent.
/// `pass_constants` restores it with the smallest change of the residues: with that every number of states was found
/// stable.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/linalg/svd.hpp>
#include <panto/wave/detail/small_dense.hpp>
#include <panto/wave/transparent_kernel.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>

namespace panto::wave {

/// How the kernel is reduced.
struct RationalParams {
    int states = 16;             ///< real states per boundary point
    int hankel = 1200;           ///< rows of the Hankel matrix: the kernel must be 2 hankel + 1 steps long
    bool pass_constants = true;  ///< sum s - sum p = 1 exactly; false if u = const is no solution (elastic foundation)
};

/// A reduced kernel. Poles of a conjugate pair stand once, with the positive imaginary part.
struct RationalKernel {
    double feedthrough_s = 0.0;       ///< s_0
    double feedthrough_p = 0.0;       ///< p_0
    Eigen::VectorXcd poles;           ///< inside the unit circle
    Eigen::VectorXcd residues_s;      ///< one per pole
    Eigen::VectorXcd residues_p;      ///< one per pole
    Eigen::VectorXd singular_values;  ///< of the Hankel matrix, largest first: what further states would bring

    /// Real states per boundary point.
    [[nodiscard]] int states() const noexcept {
        int count = 0;
        for (const std::complex<double>& pole : poles) count += pole.imag() > 0.0 ? 2 : 1;
        return count;
    }

    /// The first `length` entries of the kernel it stands for.
    [[nodiscard]] TransparentKernel kernel(int length) const {
        require(length >= 1, "wave::RationalKernel", "length is ", length, ", allowed is at least 1");
        TransparentKernel k{Eigen::VectorXd::Zero(length), Eigen::VectorXd::Zero(length)};
        k.s[0] = feedthrough_s;
        k.p[0] = feedthrough_p;
        Eigen::VectorXcd s = residues_s, p = residues_p;
        for (int n = 1; n < length; ++n) {
            k.s[n] = s.real().sum();
            k.p[n] = p.real().sum();
            s = s.cwiseProduct(poles);
            p = p.cwiseProduct(poles);
        }
        return k;
    }

    /// S(z) and P(z), for |z| >= 1.
    [[nodiscard]] std::complex<double> s_at(std::complex<double> z) const { return feedthrough_s + sum(residues_s, z); }
    [[nodiscard]] std::complex<double> p_at(std::complex<double> z) const { return feedthrough_p + sum(residues_p, z); }

  private:
    /// sum_n Re(r a^{n-1}) z^-n = (r / (z - a) + conj(r) / (z - conj(a))) / 2
    [[nodiscard]] std::complex<double> sum(const Eigen::VectorXcd& residues, std::complex<double> z) const {
        std::complex<double> total = 0.0;
        for (Eigen::Index i = 0; i < poles.size(); ++i)
            total += 0.5 * (residues[i] / (z - poles[i]) + std::conj(residues[i]) / (z - std::conj(poles[i])));
        return total;
    }
};

namespace detail {

inline Eigen::MatrixXd hankel_matrix(const TransparentKernel& kernel, int size, int shift) {
    Eigen::MatrixXd H(size, 2 * size);
    for (int j = 0; j < size; ++j) {
        H.col(j) = kernel.s.segment(1 + shift + j, size);
        H.col(size + j) = kernel.p.segment(1 + shift + j, size);
    }
    return H;
}

struct LeadingSvd {
    Eigen::MatrixXd left;
    Eigen::VectorXd values;
    Eigen::MatrixXd right;
};

/// The leading `count` singular triples by subspace iteration from a fixed start. The singular values of these kernels
/// fall off geometrically, so that two rounds are as good as a full decomposition.
inline LeadingSvd leading_svd(const Eigen::MatrixXd& H, int count) {
    Eigen::MatrixXd start(H.cols(), count);
    std::uint32_t seed = 12345;  // linear congruences: the same start on every machine
    for (double& entry : start.reshaped()) {
        seed = 1664525U * seed + 1013904223U;
        entry = static_cast<double>(seed) / 4294967296.0 - 0.5;
    }
    Eigen::MatrixXd Q = H * start;
    orthonormalize(Q);
    for (int i = 0; i < 2; ++i) {
        Eigen::MatrixXd back = H.transpose() * Q;
        orthonormalize(back);
        Q = H * back;
        orthonormalize(Q);
    }
    linalg::Svd turned = linalg::svd(H.transpose() * Q);  // H = Q (H' Q)' on the space found
    return {Q * turned.V, std::move(turned.values), std::move(turned.U)};
}

/// The residues C v w' B / (w' v) of C (z - A)^-1 B at the eigenvalue `pole`, by inverse iteration from both sides.
inline Eigen::RowVectorXcd residues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::RowVectorXd& C,
                                    Complex pole) {
    Eigen::MatrixXcd shifted = A.cast<Complex>();
    for (Eigen::Index i = 0; i < A.rows(); ++i) shifted(i, i) -= pole;
    const Eigen::MatrixXcd flipped = shifted.transpose();
    Eigen::MatrixXcd v = Eigen::MatrixXcd::Constant(A.rows(), 1, Complex(1.0, 0.3)), w = v;
    for (int i = 0; i < 3; ++i) {
        v = solved<Complex>(shifted, v);
        w = solved<Complex>(flipped, w);
        v /= v.norm();
        w /= w.norm();
    }
    Complex wv = 0.0, Cv = 0.0;
    Eigen::RowVectorXcd wB = Eigen::RowVectorXcd::Zero(B.cols());
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
        wv += w(i) * v(i);
        Cv += C[i] * v(i);
        for (Eigen::Index j = 0; j < B.cols(); ++j) wB[j] += w(i) * B(i, j);
    }
    return Cv / wv * wB;
}

/// Adds to the residues what is missing in S(1) - P(1) = 1: the smallest change, where one at a slow pole costs more.
inline void let_constants_pass(RationalKernel& k) {
    const double missing = 1.0 - (k.s_at(1.0) - k.p_at(1.0)).real();
    const auto direction = [&](Eigen::Index i) -> std::complex<double> {
        const double cost = 1.0 - std::abs(k.poles[i]);
        return cost * cost * std::conj(1.0 / (1.0 - k.poles[i]));
    };
    double reach = 0.0;  // change of S(1) - P(1) by residues_s += direction, residues_p -= direction
    for (Eigen::Index i = 0; i < k.poles.size(); ++i) reach += 2.0 * (direction(i) / (1.0 - k.poles[i])).real();
    for (Eigen::Index i = 0; i < k.poles.size(); ++i) {
        k.residues_s[i] += missing / reach * direction(i);
        k.residues_p[i] -= missing / reach * direction(i);
    }
}

}  // namespace detail

/// Reduces a kernel to `states` exponentials. Takes a few tenths of a second with the default Hankel matrix.
/// @throws SetupError if `states` is below 1 or above what the kernel can tell apart, the kernel is shorter than
///         2 hankel + 1 steps, the Hankel matrix too small, or a pole comes out on or outside the unit circle.
[[nodiscard]] inline RationalKernel rational_kernel(const TransparentKernel& kernel,
                                                    const RationalParams& params = {}) {
    const std::string where = "wave::rational_kernel";
    const int m = params.states, size = params.hankel;
    require(m >= 1, where, "states is ", m, ", allowed is at least 1");
    require(size >= 16 && size <= 8192, where, "hankel is ", size, ", allowed is 16 to 8192");
    require(kernel.p.size() == kernel.s.size(), where, "the kernels s and p differ in length");
    require(kernel.length() >= 2 * size + 1, where, "the kernel has ", kernel.length(), " steps, a Hankel matrix of ",
            size, " rows needs at least ", 2 * size + 1);
    require(m <= size - 8, where, "states is ", m, ", a Hankel matrix of ", size, " rows allows 1 to ", size - 8);
    for (const double entry : kernel.s) require_finite(entry, where, "an entry of the kernel s");
    for (const double entry : kernel.p) require_finite(entry, where, "an entry of the kernel p");

    const auto svd = detail::leading_svd(detail::hankel_matrix(kernel, size, 0), std::min(size, m + 8));
    constexpr double noise = 2e-14;  // relative to the largest: what the kernel's own rounding leaves
    require(svd.values[0] > 0.0, where, "the kernel is zero, allowed is one that answers");
    const auto usable = static_cast<int>((svd.values.array() > noise * svd.values[0]).count());
    require(m <= usable, where, "states is ", m, ", allowed is 1 to ", usable,
            ": more cannot be told from the rounding of this kernel");

    const Eigen::VectorXd root = svd.values.head(m).cwiseSqrt(), inverse = root.cwiseInverse();
    const Eigen::MatrixXd shifted = detail::hankel_matrix(kernel, size, 1) * svd.right.leftCols(m);
    Eigen::MatrixXd A = svd.left.leftCols(m).transpose() * shifted;
    for (int j = 0; j < m; ++j) A.col(j) *= inverse[j];
    for (int i = 0; i < m; ++i) A.row(i) *= inverse[i];
    Eigen::MatrixXd B(m, 2);
    B.col(0) = root.cwiseProduct(svd.right.row(0).head(m).transpose());
    B.col(1) = root.cwiseProduct(svd.right.row(size).head(m).transpose());
    const Eigen::RowVectorXd C = root.cwiseProduct(svd.left.row(0).head(m).transpose()).transpose();
    const Eigen::VectorXcd eigenvalues = linalg::eigenvalues(A);

    RationalKernel k;
    k.feedthrough_s = kernel.s[0];
    k.feedthrough_p = kernel.p[0];
    k.singular_values = svd.values;
    const auto count = static_cast<Eigen::Index>((eigenvalues.imag().array() >= 0.0).count());
    k.poles.resize(count);
    k.residues_s.resize(count);
    k.residues_p.resize(count);
    Eigen::Index to = 0;
    for (const detail::Complex& pole : eigenvalues) {
        if (pole.imag() < 0.0) continue;
        require(std::abs(pole) < 1.0, where, "a pole of modulus ", std::abs(pole),
                " came out, allowed is below 1: take a longer kernel or other states");
        Eigen::RowVectorXcd residue = detail::residues(A, B, C, pole);
        if (pole.imag() > 0.0)
            residue *= 2.0;
        else
            residue = residue.real().cast<detail::Complex>().eval();  // a real mode up to rounding
        k.poles[to] = pole;
        k.residues_s[to] = residue[0];
        k.residues_p[to] = residue[1];
        ++to;
    }
    if (params.pass_constants) detail::let_constants_pass(k);
    return k;
}

}  // namespace panto::wave
