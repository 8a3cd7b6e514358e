// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Decompositions of matrices of any size that the compiled library (panto::compiled) holds once for all units that
/// link it: GCC takes 0.5 to 6 s for each of them, in every unit again. They are Eigen's own code, unchanged;
/// header-only programs (panto::panto) see nothing of this file. See docs/decisions/0010.

#pragma once

#ifdef PANTO_COMPILED

#include <Eigen/Dense>

#if EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4 && EIGEN_MINOR_VERSION < 90  // later ones: each unit in full

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

// What is solved with them, for plain right-hand sides.
extern template void Eigen::HouseholderQR<Eigen::MatrixXd>::_solve_impl(const Eigen::VectorXd&, Eigen::VectorXd&) const;
extern template void Eigen::ColPivHouseholderQR<Eigen::MatrixXd>::_solve_impl(const Eigen::VectorXd&,
                                                                              Eigen::VectorXd&) const;
extern template void Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>::_solve_impl(const Eigen::VectorXd&,
                                                                                          Eigen::VectorXd&) const;

// The kernels of products and triangular systems, which most of the above have in common.
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
