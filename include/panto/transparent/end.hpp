// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The transparent end of a grid: the response of a half-line of the same wire, initially at rest, with m states per
/// boundary point. With s and p of kernel.hpp, * the causal convolution, and the points u_0, u_1, ... counted from the
/// border inwards,
///     u_1 = s * u_2 - p * u_3 ,  u_0 = s * u_1 - p * u_2      (half width 2) ,   u_0 = s * u_1   (half width 1) .
/// s_0 and p_0, which belong to level n+1 itself, are weights of the end's rows: an explicit march has none, an
/// implicit one includes them in its matrix. Everything older is a sum of exponentials, one complex number per pole and
/// boundary point:
///     x_i <- pole_i x_i + residue_s,i u_{k+1}^n - residue_p,i u_{k+2}^n ,      r_k = sum_i Re x_i .

#pragma once

#include <panto/core/check.hpp>
#include <panto/linalg/spectral_radius.hpp>
#include <panto/transparent/kernel.hpp>
#include <panto/transparent/rational.hpp>
#include <panto/transparent/reflection.hpp>
#include <panto/wave/detail/small_dense.hpp>
#include <panto/wave/dispersion.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

namespace panto::wave {

namespace detail {

/// @throws SetupError as TransparentEnd does.
inline void require_kernel(const RationalKernel& kernel, const char* where) {
    const Eigen::Index poles = kernel.poles.size();
    require(poles >= 1, where, "the kernel has no pole");
    require(kernel.residues_s.size() == poles && kernel.residues_p.size() == poles, where, "the kernel has ", poles,
            " poles, ", kernel.residues_s.size(), " residues of s and ", kernel.residues_p.size(),
            " of p, expected the same number of each");
    require_finite(kernel.feedthrough_s, where, "feedthrough_s");
    require_finite(kernel.feedthrough_p, where, "feedthrough_p");
    for (Eigen::Index i = 0; i < poles; ++i) {
        require(std::abs(kernel.poles[i]) < 1.0, where, "a pole has modulus ", std::abs(kernel.poles[i]),
                ", must be below 1");
        require_finite(std::abs(kernel.residues_s[i]), where, "a residue of s");
        require_finite(std::abs(kernel.residues_p[i]), where, "a residue of p");
    }
}

}  // namespace detail

/// An `End` of a March (ends.hpp) for either side; make it from the kernel of that side.
/// At the two levels from which a march starts, the wire beyond the end is assumed to be at rest: keep the initial
/// state away from the last 2 H points. In double only; such weights have no useful derivative.
template <int HalfWidth = 2>
class TransparentEnd {
    static_assert(HalfWidth == 1 || HalfWidth == 2, "a transparent boundary has one or two boundary points");
    static constexpr int H = HalfWidth;
    static constexpr int lanes = 4;  // poles advanced at once; the rest of the last block are zeros
    using Block = Eigen::Array<double, lanes, 1>;
    using Blocks = Eigen::Array<double, lanes, Dynamic>;

  public:
    /// @throws SetupError if the kernel is empty, has a number that is not finite or a pole on or outside the unit
    /// circle, or poles and residues differ in number.
    explicit TransparentEnd(const RationalKernel& kernel)
        : feedthrough_s_(kernel.feedthrough_s), feedthrough_p_(kernel.feedthrough_p), states_(kernel.states()) {
        detail::require_kernel(kernel, "wave::TransparentEnd");
        const Eigen::Index poles = kernel.poles.size();
        poles_ = static_cast<int>(poles);
        const Eigen::Index blocks = (poles + lanes - 1) / lanes;
        for (Blocks* of : {&pole_re_, &pole_im_, &s_re_, &s_im_, &p_re_, &p_im_}) *of = Blocks::Zero(lanes, blocks);
        for (auto& x : state_re_) x = Blocks::Zero(lanes, blocks);
        for (auto& x : state_im_) x = Blocks::Zero(lanes, blocks);
        for (Eigen::Index i = 0; i < poles; ++i) {
            pole_re_.data()[i] = kernel.poles[i].real();
            pole_im_.data()[i] = kernel.poles[i].imag();
            s_re_.data()[i] = kernel.residues_s[i].real();
            s_im_.data()[i] = kernel.residues_s[i].imag();
            p_re_.data()[i] = kernel.residues_p[i].real();
            p_im_.data()[i] = kernel.residues_p[i].imag();
        }
    }

    [[nodiscard]] static constexpr int points() noexcept { return H; }
    [[nodiscard]] static constexpr int past_levels() noexcept { return 1; }
    [[nodiscard]] static constexpr int reach() noexcept { return 2 * H; }
    [[nodiscard]] int states() const noexcept { return states_; }  ///< real ones, per boundary point

    /// u_k - s_0 u_{k+1} + p_0 u_{k+2} in row k; the identity for an explicit scheme.
    [[nodiscard]] Eigen::MatrixXd next_rows() const {
        if (std::abs(feedthrough_s_) + std::abs(feedthrough_p_) <= 0.0) return Eigen::MatrixXd::Identity(H, H);
        Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(H, 2 * H);
        for (int k = 0; k < H; ++k) {
            rows(k, k) = 1.0;
            rows(k, k + 1) = -feedthrough_s_;
            if (H == 2) rows(k, k + 2) = feedthrough_p_;
        }
        return rows;
    }

    /// Advances the states with the values of level n and writes the r_k. Takes m complex multiplications. @rt
    template <class EdgeView>
    void apply(const EdgeView& u) noexcept {
        std::array<double, static_cast<std::size_t>(H) + 2> value{};
        for (int j = 1; j < H + (H == 2 ? 2 : 1); ++j) value[static_cast<std::size_t>(j)] = u.past(0, j);
        std::array<Block, static_cast<std::size_t>(H)> sum;
        for (Block& s : sum) s.setZero();
        for (Eigen::Index b = 0; b < pole_re_.cols(); ++b) {
            const Block re = pole_re_.col(b), im = pole_im_.col(b);
            for (std::size_t k = 0; k < H; ++k) {
                const Block x = state_re_[k].col(b), y = state_im_[k].col(b);
                Block new_x = re * x - im * y + s_re_.col(b) * value[k + 1];
                Block new_y = re * y + im * x + s_im_.col(b) * value[k + 1];
                if constexpr (H == 2) {
                    new_x -= p_re_.col(b) * value[k + 2];
                    new_y -= p_im_.col(b) * value[k + 2];
                }
                state_re_[k].col(b) = new_x;
                state_im_[k].col(b) = new_y;
                sum[k] += new_x;
            }
        }
        for (std::size_t k = 0; k < H; ++k) u.next(static_cast<int>(k)) = sum[k].sum();
    }

    /// How many numbers it remembers; they depend linearly on the past.
    [[nodiscard]] int memory() const noexcept { return 2 * H * poles_; }
    /// Writes memory() numbers to `x`. @rt
    void get(double* x) const noexcept {
        for (std::size_t k = 0; k < H; ++k)
            for (int i = 0; i < poles_; ++i) {
                *x++ = state_re_[k].data()[i];
                *x++ = state_im_[k].data()[i];
            }
    }
    /// Reads memory() numbers from `x`. @rt
    void put(const double* x) noexcept {
        for (std::size_t k = 0; k < H; ++k)
            for (int i = 0; i < poles_; ++i) {
                state_re_[k].data()[i] = *x++;
                state_im_[k].data()[i] = *x++;
            }
    }

    /// Resets the wire beyond to rest. @rt
    void reset() noexcept {
        for (auto& x : state_re_) x.setZero();
        for (auto& x : state_im_) x.setZero();
    }

  private:
    double feedthrough_s_, feedthrough_p_;
    int states_, poles_ = 0;
    Blocks pole_re_, pole_im_, s_re_, s_im_, p_re_, p_im_;
    std::array<Blocks, static_cast<std::size_t>(H)> state_re_, state_im_;  // of boundary point k
};

/// The other end of the wire in `transparent_radius`.
enum class OtherEnd { transparent, clamped };

/// Spectral radius of one step of a wire of `points` points with the kernel `left` at the left end; at the right one
/// the kernel `right`, or all H points held at zero.
/// @throws SetupError if there are fewer than 4 H points, or a kernel does not suit a TransparentEnd.
template <Real Scalar, int H>
[[nodiscard]] double transparent_radius(const Stencil<Scalar, H>& stencil, const RationalKernel& left,
                                        const RationalKernel& right, OtherEnd other, int points = 24) {
    require(points >= 4 * H, "wave::transparent_radius", "points is ", points, ", must be at least ", 4 * H);
    detail::require_kernel(left, "wave::transparent_radius");
    if (other == OtherEnd::transparent) detail::require_kernel(right, "wave::transparent_radius");
    const Eigen::Index n = points, ml = 2 * left.poles.size(),
                       mr = other == OtherEnd::clamped ? 0 : 2 * right.poles.size();
    const Eigen::Index size = 2 * n + H * (ml + mr);
    // [next 0 0; 0 I 0; 0 0 I] (u^{n+1}; u^n; x^{n+1}) = A (u^n; u^{n-1}; x^n)
    Eigen::MatrixXd next = Eigen::MatrixXd::Identity(n, n), A = Eigen::MatrixXd::Zero(size, size);
    for (Eigen::Index i = H; i < n - H; ++i)
        for (int j = -H; j <= H; ++j) {
            next(i, i + j) = value_of(stencil.at(stencil.next, j));
            A(i, i + j) = value_of(stencil.at(stencil.now, j));
            A(i, n + i + j) = value_of(stencil.at(stencil.before, j));
        }
    A.block(n, 0, n, n).setIdentity();
    Eigen::Index x = 2 * n;
    const auto close = [&](const RationalKernel& kernel, bool at_left) {
        const auto at = [&](int j) { return at_left ? Eigen::Index{j} : n - 1 - j; };
        for (int k = 0; k < H; ++k) {
            next(at(k), at(k + 1)) = -kernel.feedthrough_s;
            if (H == 2) next(at(k), at(k + 2)) = kernel.feedthrough_p;
            for (Eigen::Index i = 0; i < kernel.poles.size(); ++i, x += 2) {
                A.block(x, x, 2, 2) << kernel.poles[i].real(), -kernel.poles[i].imag(), kernel.poles[i].imag(),
                    kernel.poles[i].real();
                A(x, at(k + 1)) = kernel.residues_s[i].real();
                A(x + 1, at(k + 1)) = kernel.residues_s[i].imag();
                if (H == 2) {
                    A(x, at(k + 2)) = -kernel.residues_p[i].real();
                    A(x + 1, at(k + 2)) = -kernel.residues_p[i].imag();
                }
                A.row(at(k)) += A.row(x);
            }
        }
    };
    close(left, true);
    if (other == OtherEnd::transparent) close(right, false);
    A.topRows(n) = detail::solved<double>(next, A.topRows(n));
    return linalg::spectral_radius(A);
}

/// The two ends of a wire; they differ if it moves.
template <int HalfWidth = 2>
struct TransparentEnds {
    TransparentEnd<HalfWidth> left, right;
    RationalKernel left_kernel = {}, right_kernel = {};
};

namespace detail {

/// Whether damping couples neighbours, as that of the material does: (next + before)/2 has a symmetric part beside the
/// diagonal.
template <Real Scalar, int H>
[[nodiscard]] bool has_material_damping(const Stencil<Scalar, H>& s) {
    double size = 0.0, coupling = 0.0;
    const auto damping = [&s](int j) { return value_of(s.at(s.next, j)) + value_of(s.at(s.before, j)); };
    for (int j = 0; j <= H; ++j) {
        size = std::max(size, std::abs(value_of(s.at(s.next, j))) + std::abs(value_of(s.at(s.before, j))));
        if (j > 0) coupling = std::max(coupling, std::abs(damping(j) + damping(-j)));
    }
    return coupling > 1e-12 * size;
}

/// The largest reflection of the right end from 5 rad in the steps of the Hankel matrix to 1 rad per step.
template <Real Scalar, int H>
[[nodiscard]] double largest_reflection(const Stencil<Scalar, H>& stencil, const RationalKernel& kernel, int hankel) {
    constexpr int points = 40;
    double largest = 0.0;
    for (int i = 0; i <= points; ++i) {
        const double r = std::abs(transparent_reflection(stencil, kernel, std::pow(5.0 / hankel, 1.0 * i / points)));
        if (!(r <= largest)) largest = is_finite(r) ? r : std::numeric_limits<double>::infinity();
    }
    return largest;
}

/// A push of 20 steps in the middle of 101 points of a wire, against the same wire without ends.
template <int H>
class PushOfWire {
    static constexpr int points = 101, middle = points / 2, duration = 20;

  public:
    /// For an explicit scheme. Memory for 101 numbers a step.
    template <Real Scalar>
    PushOfWire(const Stencil<Scalar, H>& s, int steps) : endless_(points, steps) {
        const double own = value_of(s.at(s.next, 0));
        for (int j = -H; j <= H; ++j) {
            now_[static_cast<std::size_t>(j + H)] = value_of(s.at(s.now, j)) / own;
            before_[static_cast<std::size_t>(j + H)] = value_of(s.at(s.before, j)) / own;
        }
        const int beyond = H * (steps / 2 + 2);  // a wave crosses H cells a step at most
        Eigen::VectorXd u = Eigen::VectorXd::Zero(points + 2 * beyond), v = u;
        for (int n = 0; n < steps; ++n) {
            step(n, beyond + middle, u, v);
            endless_.col(n) = u.segment(beyond, points);
        }
    }

    /// The largest difference with these ends, over the largest height.
    [[nodiscard]] double operator()(const RationalKernel& left, const RationalKernel& right) const {
        Eigen::VectorXd u = Eigen::VectorXd::Zero(points), v = u;
        Eigen::MatrixXcd x = Eigen::MatrixXcd::Zero(left.poles.size(), H),
                         y = Eigen::MatrixXcd::Zero(right.poles.size(), H);  // of boundary point k in column k
        const auto advance = [&u](const RationalKernel& kernel, auto state, int k, auto place) {
            state = kernel.poles.cwiseProduct(state) + u[place(k + 1)] * kernel.residues_s;
            if (H == 2) state -= u[place(k + 2)] * kernel.residues_p;
        };
        const auto at_left = [](int k) { return k; };
        const auto at_right = [](int k) { return points - 1 - k; };
        double difference = 0.0;
        for (Eigen::Index n = 0; n < endless_.cols(); ++n) {
            for (int k = 0; k < H; ++k) advance(left, x.col(k), k, at_left), advance(right, y.col(k), k, at_right);
            step(static_cast<int>(n), middle, u, v);
            for (int k = 0; k < H; ++k) u[at_left(k)] = x.col(k).real().sum(), u[at_right(k)] = y.col(k).real().sum();
            const double now = (u - endless_.col(n)).cwiseAbs().maxCoeff();
            if (!(now <= difference)) difference = is_finite(now) ? now : std::numeric_limits<double>::infinity();
        }
        return difference / endless_.cwiseAbs().maxCoeff();
    }

  private:
    /// From the levels u, v to the next, u; the H points at each end become 0.
    void step(int n, int at, Eigen::VectorXd& u, Eigen::VectorXd& v) const {
        const Eigen::Index inner = u.size() - 2 * H;
        Eigen::VectorXd next = Eigen::VectorXd::Zero(u.size());
        for (int j = 0; j <= 2 * H; ++j)
            next.segment(H, inner) += now_[static_cast<std::size_t>(j)] * u.segment(j, inner) +
                                      before_[static_cast<std::size_t>(j)] * v.segment(j, inner);
        if (n < duration) next[at] += std::pow(std::sin(std::numbers::pi * (n + 0.5) / duration), 2);
        v.swap(u);
        u.swap(next);
    }

    std::array<double, 2 * static_cast<std::size_t>(H) + 1> now_{}, before_{};
    Eigen::MatrixXd endless_;
};

}  // namespace detail

/// Transparent ends of a stencil: computes the kernels, reduces them and checks stability on 24 points. With both ends
/// transparent rho must be at most 1 + 1e-8 (u = const is a solution for the infinite wire, so 1 is the optimum); with
/// either of them opposite a clamped end rho must be below 1. Set-up takes up to two seconds, a measured default some
/// more. `pass_constants` is ignored if u = const does not solve the scheme. If `states` is not given, the default is
/// lowered until the result is stable.
/// @throws SetupError as transparent_kernel and rational_kernel, or if the scheme or the result is not stable; if
/// another number of states works, the message names one.
///
/// Damping, little tension and strings need more states, since their kernels decay slowly. The default is raised, up to
/// 40 states. For an explicit scheme it is raised until a push in the middle of 101 points is off by at most 2e-4 over
/// 2 hankel steps; for an implicit one, as that of a moving wire, until the ends reflect at most 1e-4; under material
/// damping 5e-4. If no number does, the best one is taken.
template <Real Scalar, int H>
[[nodiscard]] TransparentEnds<H> transparent_ends(const Stencil<Scalar, H>& stencil, RationalParams params = {}) {
    constexpr const char* where = "wave::transparent_ends";
    require(params.hankel >= 16 && params.hankel <= 8192, where, "hankel is ", params.hankel,
            ", must be from 16 to 8192");
    require(is_stable(stencil), where, "dt is ", stencil.dt, " s, with which a wave grows by the factor ",
            growth_factor(stencil), " a step: the scheme is not stable");
    if (params.pass_constants && !detail::has_constants(stencil)) params.pass_constants = false;

    const int length = 2 * params.hankel + 1, most = detail::states_asked(params, where);
    const auto flipped = mirrored(stencil);
    const bool symmetric =
        flipped.next == stencil.next && flipped.now == stencil.now && flipped.before == stencil.before;
    const TransparentKernel right_kernel = transparent_kernel(stencil, length),
                            left_kernel = symmetric ? right_kernel : transparent_kernel(flipped, length);
    const detail::KernelReduction right_cut(right_kernel, params.hankel, most);
    const detail::KernelReduction left_cut =
        symmetric ? right_cut : detail::KernelReduction(left_kernel, params.hankel, most);

    std::optional<RationalKernel> left, right;
    const auto reduced = [&](const detail::KernelReduction& of_right, const detail::KernelReduction& of_left,
                             int states) -> std::string {
        double modulus = 0.0;
        right = of_right(states, params.pass_constants, modulus);
        left = symmetric || !right ? right : of_left(states, params.pass_constants, modulus);
        if (!right || !left) return "a pole has modulus " + shown(modulus) + ", must be below 1";
        const double both = transparent_radius(stencil, *left, *right, OtherEnd::transparent);
        if (!(both <= 1.0 + 1e-8))
            return "with both ends transparent the motion of the wire grows by the factor " + shown(both) +
                   " per step, must be at most 1 + 1e-8";
        const double clamped = std::max(transparent_radius(stencil, *left, *right, OtherEnd::clamped),
                                        transparent_radius(flipped, *right, *left, OtherEnd::clamped));
        if (!(clamped < 1.0))
            return "against a clamped end the motion of the wire grows by the factor " + shown(clamped) +
                   " per step, must be below 1";
        return "";
    };
    const auto attempt = [&](int states) { return reduced(right_cut, left_cut, states); };
    detail::choose_states(params.states, std::min(left_cut.usable(), right_cut.usable()), where, attempt);
    std::optional<detail::PushOfWire<H>> push;
    const bool material = detail::has_material_damping(stencil);
    if (!params.states && stencil.is_explicit() && !material) push.emplace(stencil, 2 * params.hankel);
    if (!params.states) {
        const double enough = push ? 2e-4 : material ? 5e-4 : 1e-4;
        const auto reflection = [&] {
            if (push) return (*push)(*left, *right);
            const double at_right = detail::largest_reflection(stencil, *right, params.hankel);
            return symmetric ? at_right : std::max(at_right, detail::largest_reflection(flipped, *left, params.hankel));
        };
        double least = reflection();
        const int limit = std::min(40, params.hankel - 8), first = right->states() + 1;
        if (!(least <= enough) && first <= limit) {
            const detail::KernelReduction fine_right(right_kernel, params.hankel, limit);
            const detail::KernelReduction fine_left =
                symmetric ? fine_right : detail::KernelReduction(left_kernel, params.hankel, limit);
            std::optional<RationalKernel> best_left = left, best_right = right;
            const int usable = std::min({limit, fine_right.usable(), fine_left.usable()});
            for (int states = first; states <= usable && !(least <= enough); ++states) {
                if (!reduced(fine_right, fine_left, states).empty()) continue;
                const double now = reflection();
                if (now < least) least = now, best_left = left, best_right = right;
            }
            left = best_left, right = best_right;
        }
    }
    return {TransparentEnd<H>(*left), TransparentEnd<H>(*right), *left, *right};
}

}  // namespace panto::wave
