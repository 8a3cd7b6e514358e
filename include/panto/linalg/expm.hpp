// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrix exponential, and the exact discrete form of x' = A x + B u under a held or a ramped input.
///
///     e^A      balanced, then scaling and squaring with the [13/13] Pade approximant
///     held     x(dt) = e^(A dt) x(0) + int_0^dt e^(A s) ds B u                          (zero-order hold)
///     ramped   u(s) = u0 + (u1 - u0) s/dt                                               (first-order hold)
///
/// Number of squarings: [Al-Mohy, Higham, SIAM J. Matrix Anal. 31 (2009) 970].
/// The integrals follow from the exponential of a block matrix [Van Loan, IEEE Trans. AC-23 (1978) 395],
/// so A may be singular.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>
#include <panto/linalg/balance.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

namespace panto::linalg {

namespace detail {

/// The number of halvings of A after which the [13/13] approximant is exact to rounding. It follows from norms of
/// powers of A, which give a sharper bound than the norm of A: a large entry that does not enter the powers needs no
/// halving, and every unnecessary halving loses a bit of accuracy.
template <class Square>
[[nodiscard]] int halvings(const Square& A) {
    const auto norm = [](const Square& M) { return M.cwiseAbs().colwise().sum().maxCoeff(); };
    const Square A2 = A * A, A4 = A2 * A2, A6 = A4 * A2, A8 = A4 * A4, A10 = A4 * A6;
    const double d6 = std::pow(norm(A6), 1.0 / 6.0), d8 = std::pow(norm(A8), 1.0 / 8.0);
    const double d10 = std::pow(norm(A10), 1.0 / 10.0);
    const double reach = std::min(std::max(d6, d8), std::max(d8, d10));
    constexpr double theta = 4.25;
    require(is_finite(reach), "linalg::expm", "the matrix is so large that its powers overflow");
    int s = reach > theta ? static_cast<int>(std::ceil(std::log2(reach / theta))) : 0;

    // The first neglected term must stay below rounding; |A|^27 bounds it.
    constexpr double coefficient = 8.83e-36;  // (13!)^2 / (26! 27!)
    const Square magnitude = A.cwiseAbs() * std::ldexp(1.0, -s);
    Eigen::Matrix<double, 1, Square::ColsAtCompileTime> row =
        Eigen::Matrix<double, 1, Square::ColsAtCompileTime>::Ones(A.cols());
    for (int k = 0; k < 27; ++k) row = (row * magnitude).eval();
    const double neglected = coefficient * row.maxCoeff() / std::max(norm(magnitude), 1e-300);
    require(is_finite(neglected), "linalg::expm", "the matrix is so large that its powers overflow");
    if (neglected > 0x1p-53) s += static_cast<int>(std::ceil(std::log2(neglected * 0x1p53) / 26.0));
    return s;
}

}  // namespace detail

/// e^A. For set-up code.
/// @throws SetupError if `A` is not square, holds a non-finite entry, or is so large that e^A or a power of A
/// overflows.
template <class Derived>
[[nodiscard]] typename Derived::PlainObject expm(const Eigen::MatrixBase<Derived>& matrix) {
    using Square = typename Derived::PlainObject;
    Square A = matrix;
    require(A.rows() == A.cols(), "linalg::expm", "the matrix must be square");
    if (A.size() == 0) return A;
    for (const double entry : A.reshaped()) require_finite(entry, "linalg::expm", "an entry of the matrix");

    // Balanced first: entries of different units would otherwise increase the norm, and with it the number of
    // squarings.
    const Vector<double, Square::RowsAtCompileTime> scale = balancing_scales(A), unscale = scale.cwiseInverse();
    A = (unscale.asDiagonal() * A * scale.asDiagonal()).eval();

    const int halvings = detail::halvings(A);
    A *= std::ldexp(1.0, -halvings);

    constexpr std::array<double, 14> b{64764752532480000.0,
                                       32382376266240000.0,
                                       7771770303897600.0,
                                       1187353796428800.0,
                                       129060195264000.0,
                                       10559470521600.0,
                                       670442572800.0,
                                       33522128640.0,
                                       1323241920.0,
                                       40840800.0,
                                       960960.0,
                                       16380.0,
                                       182.0,
                                       1.0};
    const Square eye = Square::Identity(A.rows(), A.cols());
    const Square A2 = A * A, A4 = A2 * A2, A6 = A4 * A2;
    // The factors are evaluated before each product: products of expressions take much longer to compile.
    const Square high_odd = b[13] * A6 + b[11] * A4 + b[9] * A2, high_even = b[12] * A6 + b[10] * A4 + b[8] * A2;
    Square sum_odd = A6 * high_odd, even = A6 * high_even;
    sum_odd += b[7] * A6 + b[5] * A4 + b[3] * A2 + b[1] * eye;
    even += b[6] * A6 + b[4] * A4 + b[2] * A2 + b[0] * eye;
    const Square odd = A * sum_odd, denominator = even - odd, numerator = even + odd;
    Square result = denominator.partialPivLu().solve(numerator);
    for (int k = 0; k < halvings; ++k) result = (result * result).eval();
    result = (scale.asDiagonal() * result * unscale.asDiagonal()).eval();
    for (const double entry : result.reshaped()) require_finite(entry, "linalg::expm", "an entry of the exponential");
    return result;
}

/// x[k+1] = A x[k] + B u[k], u held over the step.
template <int Nx, int Nu>
struct Held {
    Matrix<double, Nx> A = {};
    Matrix<double, Nx, Nu> B = {};
};

/// x[k+1] = A x[k] + B_before u[k] + B_now u[k+1], u linear from one to the other.
template <int Nx, int Nu>
struct Ramped {
    Matrix<double, Nx> A = {};
    Matrix<double, Nx, Nu> B_before = {}, B_now = {};
};

namespace detail {

inline void require_system(Eigen::Index rows, Eigen::Index columns, Eigen::Index input_rows, double dt,
                           const char* where) {
    require(rows == columns && input_rows == rows, where, "A must be square and B have as many rows");
    require_positive(dt, where, "dt");
}

}  // namespace detail

/// Exact discrete form of x' = A x + B u for an input held constant over `dt` [s].
/// @throws SetupError if sizes disagree, an entry is not finite or dt is not positive.
template <class DerivedA, class DerivedB>
[[nodiscard]] Held<DerivedA::RowsAtCompileTime, DerivedB::ColsAtCompileTime> zero_order_hold(
    const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedB>& B, double dt) {
    constexpr int Nx = DerivedA::RowsAtCompileTime, Nu = DerivedB::ColsAtCompileTime;
    detail::require_system(A.rows(), A.cols(), B.rows(), dt, "linalg::zero_order_hold");
    const Eigen::Index nx = A.rows(), nu = B.cols();
    using Block = Matrix<double, sum_size(Nx, Nu)>;
    Block block = Block::Zero(nx + nu, nx + nu);
    block.topLeftCorner(nx, nx) = A * dt;
    block.topRightCorner(nx, nu) = B * dt;
    block = expm(block);
    return {block.topLeftCorner(nx, nx), block.topRightCorner(nx, nu)};
}

/// Exact discrete form of x' = A x + B u for an input that is linear between its values at the samples.
/// @throws SetupError as zero_order_hold does.
template <class DerivedA, class DerivedB>
[[nodiscard]] Ramped<DerivedA::RowsAtCompileTime, DerivedB::ColsAtCompileTime> first_order_hold(
    const Eigen::MatrixBase<DerivedA>& A, const Eigen::MatrixBase<DerivedB>& B, double dt) {
    constexpr int Nx = DerivedA::RowsAtCompileTime, Nu = DerivedB::ColsAtCompileTime;
    detail::require_system(A.rows(), A.cols(), B.rows(), dt, "linalg::first_order_hold");
    const Eigen::Index nx = A.rows(), nu = B.cols();
    using Block = Matrix<double, sum_size(Nx, sum_size(Nu, Nu))>;
    Block block = Block::Zero(nx + 2 * nu, nx + 2 * nu);
    block.topLeftCorner(nx, nx) = A * dt;
    block.block(0, nx, nx, nu) = B * dt;
    block.block(nx, nx + nu, nu, nu).setIdentity();
    block = expm(block);
    const Matrix<double, Nx, Nu> rise = block.topRightCorner(nx, nu);
    return {block.topLeftCorner(nx, nx), block.block(0, nx, nx, nu) - rise, rise};
}

#ifdef PANTO_COMPILED
extern template Eigen::MatrixXd expm(const Eigen::MatrixBase<Eigen::MatrixXd>&);
extern template Held<Dynamic, Dynamic> zero_order_hold(const Eigen::MatrixBase<Eigen::MatrixXd>&,
                                                       const Eigen::MatrixBase<Eigen::MatrixXd>&, double);
extern template Ramped<Dynamic, Dynamic> first_order_hold(const Eigen::MatrixBase<Eigen::MatrixXd>&,
                                                          const Eigen::MatrixBase<Eigen::MatrixXd>&, double);
#endif

}  // namespace panto::linalg
