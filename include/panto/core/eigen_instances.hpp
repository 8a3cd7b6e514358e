// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Decompositions of matrices of dynamic size that are compiled once, in the compiled library (panto::compiled):
/// otherwise GCC takes 0.5 to 6 s for each of them in every unit. They are Eigen's own code, unchanged. In header-only
/// programs (panto::panto) this file is empty. See docs/decisions/0010.

#pragma once

#ifdef PANTO_COMPILED

#include <Eigen/Dense>

#if EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4 && EIGEN_MINOR_VERSION < 90  // later ones: not shared

extern template void Eigen::PartialPivLU<Eigen::MatrixXd>::compute();
extern template void Eigen::PartialPivLU<Eigen::MatrixXcd>::compute();
extern template void Eigen::FullPivLU<Eigen::MatrixXd>::computeInPlace();
extern template void Eigen::FullPivLU<Eigen::MatrixXcd>::computeInPlace();
extern template void Eigen::HouseholderQR<Eigen::MatrixXd>::computeInPlace();
extern template void Eigen::ColPivHouseholderQR<Eigen::MatrixXd>::computeInPlace();
extern template void Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>::computeInPlace();
extern template Eigen::LLT<Eigen::MatrixXd>& Eigen::LLT<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);
extern template Eigen::LDLT<Eigen::MatrixXd>& Eigen::LDLT<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, int);
extern template Eigen::JacobiSVD<Eigen::MatrixXd>& Eigen::JacobiSVD<Eigen::MatrixXd>::compute(const Eigen::MatrixXd&,
                                                                                              unsigned int);

// Solving with them, for plain right-hand sides.
extern template void Eigen::HouseholderQR<Eigen::MatrixXd>::_solve_impl(const Eigen::VectorXd&, Eigen::VectorXd&) const;
extern template void Eigen::ColPivHouseholderQR<Eigen::MatrixXd>::_solve_impl(const Eigen::VectorXd&,
                                                                              Eigen::VectorXd&) const;
extern template void Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>::_solve_impl(const Eigen::VectorXd&,
                                                                                          Eigen::VectorXd&) const;

// The kernels of products and triangular systems, which most of the above use.
extern template struct Eigen::internal::gebp_kernel<
    double, double, Eigen::Index, Eigen::internal::blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>,
    Eigen::internal::gebp_traits<double, double>::mr, Eigen::internal::gebp_traits<double, double>::nr, false, false>;
extern template struct Eigen::internal::triangular_solve_matrix<
    double, Eigen::Index, Eigen::OnTheLeft, Eigen::UnitLower, false, Eigen::ColMajor, Eigen::ColMajor, 1>;
extern template struct Eigen::internal::triangular_solve_matrix<double, Eigen::Index, Eigen::OnTheLeft, Eigen::Upper,
                                                                false, Eigen::ColMajor, Eigen::ColMajor, 1>;
extern template struct Eigen::internal::triangular_solve_matrix<double, Eigen::Index, Eigen::OnTheLeft, Eigen::Lower,
                                                                false, Eigen::ColMajor, Eigen::ColMajor, 1>;
extern template struct Eigen::internal::general_matrix_vector_product<
    Eigen::Index, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>,
    Eigen::ColMajor, false, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::RowMajor>,
    false>;
extern template struct Eigen::internal::general_matrix_vector_product<
    Eigen::Index, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::RowMajor>,
    Eigen::RowMajor, false, double, Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>,
    false>;

#endif
#endif
