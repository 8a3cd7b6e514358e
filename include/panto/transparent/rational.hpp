// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sum-of-exponentials form of a transparent boundary's kernel: a short recursion instead of a convolution with the
/// past,
///     s_0 = feedthrough_s ,  s_n = sum_i Re( residue_s,i pole_i^{n-1} ) ,  n >= 1 ,  and p with the same poles.
/// Poles and residues by the eigensystem realization of both kernels together: the Hankel matrix
/// [s_{1+i+j} | p_{1+i+j}], its singular value decomposition truncated after `states` values, then the eigenvalues of
/// the balanced system matrix [Juang, Pappa, J. Guidance 8(5), 1985, 620-627]. The idea of sums of exponentials is that
/// of Arnold, Ehrhardt, Sofronov [Comm. Math. Sci. 1(3), 2003, 501-556].
///
/// A truncated kernel passes a constant with a small error, and if the error is positive the constant grows between two
/// ends. One number of the reduced kernel is therefore corrected by the smallest change of its residues:
///   * an undamped wire under tension lets a constant pass at once: sum s - sum p = 1 exactly;
///   * with viscous damping, or without tension, z = 1 is a branch point. The sum reaches 1 only after infinitely many
///     steps, and enforcing it would spoil the fit. There the sum over the steps of the reduction, sum_n (s_n - p_n)
///     z^-n at z = exp(3/hankel), is set to that of the exact kernel.

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/eigenvalues.hpp>
#include <panto/linalg/svd.hpp>
#include <panto/transparent/kernel.hpp>
#include <panto/wave/detail/small_dense.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace panto::wave {

/// The reduction of a kernel.
struct RationalParams {
    std::optional<int> states{};  ///< real ones per boundary point; by default the largest number up to 16 that works;
                                  ///< transparent_ends() takes more for strings and under damping
    int hankel = 1200;            ///< rows of the Hankel matrix: the kernel must have at least 2 hankel + 1 steps
    /// true: sum s - sum p = 1 exactly. false: the residues are not changed. Not set: depending on the wire, see
    /// above.
    std::optional<bool> pass_constants{};
};

/// A reduced kernel. A conjugate pair of poles is stored once, with the positive imaginary part.
struct RationalKernel {
    double feedthrough_s = 0.0;            ///< s_0
    double feedthrough_p = 0.0;            ///< p_0
    Eigen::VectorXcd poles = {};           ///< inside the unit circle
    Eigen::VectorXcd residues_s = {};      ///< one per pole
    Eigen::VectorXcd residues_p = {};      ///< one per pole
    Eigen::VectorXd singular_values = {};  ///< of the Hankel matrix, largest first: what each further state adds

    /// Real states per boundary point.
    [[nodiscard]] int states() const noexcept {
        int count = 0;
        for (const std::complex<double>& pole : poles) count += pole.imag() > 0.0 ? 2 : 1;
        return count;
    }

    /// The first `length` entries of its kernel.
    [[nodiscard]] TransparentKernel kernel(int length) const {
        require(length >= 1, "wave::RationalKernel", "length is ", length, ", must be at least 1");
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

template <class = void>
Eigen::MatrixXd hankel_matrix(const TransparentKernel& kernel, int size, int shift) {
    Eigen::MatrixXd H(size, 2 * size);
    for (int j = 0; j < size; ++j) {
        H.col(j) = kernel.s.segment(1 + shift + j, size);
        H.col(size + j) = kernel.p.segment(1 + shift + j, size);
    }
    return H;
}

struct LeadingSvd {
    Eigen::MatrixXd left = {};
    Eigen::VectorXd values = {};
    Eigen::MatrixXd right = {};
};

/// The leading `count` singular triples by subspace iteration from a fixed start. The singular values of these kernels
/// decay geometrically, so that two rounds are as accurate as a full decomposition.
template <class = void>
LeadingSvd leading_svd(const Eigen::MatrixXd& H, int count) {
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
template <class = void>
Eigen::RowVectorXcd residues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::RowVectorXd& C,
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

/// Adds `missing` to sum_n (s_n - p_n) weight_n by the smallest change of the residues, whose squares count 1/cost[i].
/// gains[i] is sum_n pole_i^(n-1) weight_n. The kernel p of a string (half width 1) is 0 and stays so: its end
/// uses s alone.
template <class = void>
void add_to_sum(RationalKernel& k, const Eigen::VectorXcd& gains, const Eigen::ArrayXd& cost, double missing) {
    const bool alone = !(k.residues_p.cwiseAbs().maxCoeff() > 0.0);
    const Eigen::VectorXcd direction = (cost * gains.array().conjugate()).matrix();
    const double reach = (alone ? 1.0 : 2.0) * (cost * gains.array().abs2()).sum();
    k.residues_s += missing / reach * direction;
    if (!alone) k.residues_p -= missing / reach * direction;
}

/// A change at a slow pole costs more.
template <class = void>
[[nodiscard]] Eigen::ArrayXd dear_if_slow(const RationalKernel& k) {
    return (1.0 - k.poles.array().abs()).square();
}

/// S(1) - P(1) = 1.
template <class = void>
void let_constants_pass(RationalKernel& k, const Eigen::ArrayXd& cost) {
    add_to_sum(k, (1.0 - k.poles.array()).inverse().matrix(), cost, 1.0 - (k.s_at(1.0) - k.p_at(1.0)).real());
}

/// The same, where a change costs what it does within `steps`: a pole so slow that it acts only after them, which fits
/// nothing but the tail, takes the whole of it.
template <class = void>
void let_constants_pass_later(RationalKernel& k, int steps) {
    Eigen::ArrayXd cost(k.poles.size());
    for (Eigen::Index i = 0; i < cost.size(); ++i)
        cost[i] = std::norm((1.0 - k.poles[i]) / (1.0 - std::pow(k.poles[i], steps)));
    let_constants_pass(k, cost);
}

/// Makes a constant pass during `steps` as with the exact kernel.
template <class = void>
void let_constants_pass_as(const TransparentKernel& exact, RationalKernel& k, int steps) {
    constexpr double decay = 3.0;  // of the weights over half the steps: the last one is 1/400 of the first
    const double z = std::exp(2.0 * decay / (steps - 1));
    const TransparentKernel cut = k.kernel(steps);
    double missing = 0.0, weight = 1.0;
    for (int n = 0; n < steps; ++n, weight /= z)
        missing += weight * ((exact.s[n] - cut.s[n]) - (exact.p[n] - cut.p[n]));
    Eigen::VectorXcd gains(k.poles.size());
    for (Eigen::Index i = 0; i < gains.size(); ++i)
        gains[i] = (1.0 - std::pow(k.poles[i] / z, steps - 1)) / (z - k.poles[i]);
    add_to_sum(k, gains, dear_if_slow(k), missing);
}

/// A kernel with its Hankel matrix: decomposed once, then truncated to any number of states.
class KernelReduction {
  public:
    /// `most`: the largest number of states needed.
    /// @throws SetupError if the kernel is unsuitable, as rational_kernel does, or `most` is above hankel - 8.
    template <class = void>
    KernelReduction(const TransparentKernel& kernel, int hankel, int most) : kernel_(kernel), size_(hankel) {
        constexpr const char* where = "wave::rational_kernel";
        require(size_ >= 16 && size_ <= 8192, where, "hankel is ", size_, ", must be from 16 to 8192");
        require(kernel.p.size() == kernel.s.size(), where, "the kernels s and p differ in length, must be equal");
        require(kernel.length() >= 2 * size_ + 1, where, "the kernel has ", kernel.length(),
                " steps, a Hankel matrix of ", size_, " rows needs at least ", 2 * size_ + 1);
        require(most <= size_ - 8, where, "states is ", most, ", a Hankel matrix of ", size_, " rows allows 1 to ",
                size_ - 8);
        for (const double entry : kernel.s) require_finite(entry, where, "an entry of the kernel s");
        for (const double entry : kernel.p) require_finite(entry, where, "an entry of the kernel p");
        svd_ = leading_svd(hankel_matrix(kernel, size_, 0), std::min(size_, most + 8));
        require(svd_.values[0] > 0.0, where, "the kernel is zero: there is nothing to approximate");
        constexpr double noise = 2e-14;  // relative to the largest: the rounding of the kernel
        usable_ = static_cast<int>((svd_.values.array() > noise * svd_.values[0]).count());
        moved_ = svd_.left.transpose() * (hankel_matrix(kernel, size_, 1) * svd_.right);
    }

    /// The number of states above the rounding of the kernel, counted up to `most` + 8.
    [[nodiscard]] int usable() const noexcept { return usable_; }

    /// The kernel truncated to m states, 1 <= m <= usable(). `modulus` becomes the largest modulus of its poles; empty
    /// if that is not below 1.
    template <class = void>
    [[nodiscard]] std::optional<RationalKernel> operator()(int m, std::optional<bool> pass_constants,
                                                           double& modulus) const {
        const Eigen::VectorXd root = svd_.values.head(m).cwiseSqrt(), inverse = root.cwiseInverse();
        const Eigen::MatrixXd A = inverse.asDiagonal() * moved_.topLeftCorner(m, m) * inverse.asDiagonal();
        Eigen::MatrixXd B(m, 2);
        B.col(0) = root.cwiseProduct(svd_.right.row(0).head(m).transpose());
        B.col(1) = root.cwiseProduct(svd_.right.row(size_).head(m).transpose());
        const Eigen::RowVectorXd C = root.cwiseProduct(svd_.left.row(0).head(m).transpose()).transpose();
        const Eigen::VectorXcd eigenvalues = linalg::eigenvalues(A);
        modulus = eigenvalues.cwiseAbs().maxCoeff();
        if (!(modulus < 1.0)) return std::nullopt;

        RationalKernel k;
        k.feedthrough_s = kernel_.s[0];
        k.feedthrough_p = kernel_.p[0];
        k.singular_values = svd_.values;
        const auto count = static_cast<Eigen::Index>((eigenvalues.imag().array() >= 0.0).count());
        k.poles.resize(count);
        k.residues_s.resize(count);
        k.residues_p.resize(count);
        Eigen::Index to = 0;
        for (const Complex& pole : eigenvalues) {
            if (pole.imag() < 0.0) continue;
            Eigen::RowVectorXcd residue = residues(A, B, C, pole);
            if (pole.imag() > 0.0)
                residue *= 2.0;
            else
                residue = residue.real().cast<Complex>().eval();  // a real mode up to rounding
            k.poles[to] = pole;
            k.residues_s[to] = residue[0];
            k.residues_p[to] = residue[1];
            ++to;
        }
        if (pass_constants.value_or(kernel_.passes_constants))
            let_constants_pass(k, dear_if_slow(k));
        else if (!pass_constants) {
            let_constants_pass_as(kernel_, k, 2 * size_ + 1);
            if ((k.s_at(1.0) - k.p_at(1.0)).real() > 1.0)  // a constant would grow
                let_constants_pass_later(k, 2 * size_);
        }
        return k;
    }

  private:
    const TransparentKernel& kernel_;
    int size_;
    LeadingSvd svd_;
    int usable_ = 0;
    Eigen::MatrixXd moved_;  // U' H_shifted V
};

inline constexpr int default_states = 16;

/// The largest number of states to try. @throws SetupError if it is below 1.
template <class = void>
[[nodiscard]] int states_asked(const RationalParams& params, const char* where) {
    const int m = params.states.value_or(std::min(default_states, params.hankel - 8));
    require(m >= 1, where, "states is ", m, ", must be at least 1");
    return m;
}

/// Calls attempt(m), which returns an empty text if m states work, for the number asked for. If none is given: from the
/// default downwards until a number works, then upwards.
/// @throws SetupError with what was wrong and the nearest number that works.
template <class Attempt>
void choose_states(std::optional<int> asked, int usable, const char* where, const Attempt& attempt) {
    const int first = std::min(asked.value_or(default_states), usable);
    const bool rounding = asked && *asked > usable;
    std::string wrong = rounding ? "further states are only rounding of this kernel" : attempt(first);
    if (wrong.empty()) return;
    const auto works = [&](int m) { return m >= 1 && m <= usable && attempt(m).empty(); };
    if (!asked) {
        for (int m = first - 1; m >= 1; --m)
            if (works(m)) return;
        for (int m = first + 1; m <= usable; ++m)
            if (works(m)) return;
    } else {
        for (int away = rounding ? 0 : 1; away <= usable; ++away)
            for (const int m : {first - away, first + away})
                if (works(m))
                    throw_setup_error(where,
                                      {"states is ", *asked, ": ", wrong, "; the nearest number that works is ", m});
    }
    throw_setup_error(where, {"no number of states from 1 to ", usable, " works; with ", first, ", ", wrong});
}

}  // namespace detail

/// Reduces a kernel to `states` exponentials. Takes a few tenths of a second with the default Hankel matrix.
/// @throws SetupError if `states` is below 1 or so large that the last states are rounding of the kernel, the kernel is
///         shorter than 2 hankel + 1 steps, the Hankel matrix too small, or a pole comes out on or outside the unit
///         circle; the message names a number of states that works.
template <class = void>
[[nodiscard]] RationalKernel rational_kernel(const TransparentKernel& kernel, const RationalParams& params = {}) {
    constexpr const char* where = "wave::rational_kernel";
    const int m = detail::states_asked(params, where);
    const detail::KernelReduction reduction(kernel, params.hankel, m);
    std::optional<RationalKernel> result;
    detail::choose_states(params.states, reduction.usable(), where, [&](int states) -> std::string {
        double modulus = 0.0;
        result = reduction(states, params.pass_constants, modulus);
        return result ? "" : "a pole has modulus " + shown(modulus) + ", must be below 1";
    });
    return *result;
}

}  // namespace panto::wave
