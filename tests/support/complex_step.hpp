// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Derivatives by the complex step f'(x) = Im f(x + i h)/h, h = 1e-30: exact to rounding, and an algebra of its own
/// beside dual numbers. Compares by the real part, so that models that branch can be run with it.

#pragma once

#include <panto/core/real.hpp>

#include <cmath>
#include <compare>
#include <complex>

namespace panto::test {

class ComplexStep {
  public:
    static constexpr double h = 1e-30;

    ComplexStep() = default;
    ComplexStep(double value) : z_(value) {}
    explicit ComplexStep(std::complex<double> z) : z_(z) {}
    static ComplexStep variable(double value) { return ComplexStep(std::complex<double>(value, h)); }

    double value() const { return z_.real(); }
    double derivative() const { return z_.imag() / h; }

    ComplexStep& operator+=(const ComplexStep& b) { return z_ += b.z_, *this; }
    ComplexStep& operator-=(const ComplexStep& b) { return z_ -= b.z_, *this; }
    ComplexStep& operator*=(const ComplexStep& b) { return *this = *this * b; }
    ComplexStep& operator/=(const ComplexStep& b) { return z_ /= b.z_, *this; }
    friend ComplexStep operator-(const ComplexStep& a) { return ComplexStep(-a.z_); }
    friend ComplexStep operator+(const ComplexStep& a, const ComplexStep& b) { return ComplexStep(a.z_ + b.z_); }
    friend ComplexStep operator-(const ComplexStep& a, const ComplexStep& b) { return ComplexStep(a.z_ - b.z_); }
    friend ComplexStep operator*(const ComplexStep& a, const ComplexStep& b) {
        return ComplexStep({a.z_.real() * b.z_.real() - a.z_.imag() * b.z_.imag(),
                            a.z_.real() * b.z_.imag() + a.z_.imag() * b.z_.real()});
    }
    friend ComplexStep operator/(const ComplexStep& a, const ComplexStep& b) { return ComplexStep(a.z_ / b.z_); }
    friend bool operator==(const ComplexStep& a, const ComplexStep& b) { return a.value() == b.value(); }
    friend std::partial_ordering operator<=>(const ComplexStep& a, const ComplexStep& b) {
        return a.value() <=> b.value();
    }
    friend ComplexStep sqrt(const ComplexStep& a) { return ComplexStep(std::sqrt(a.z_)); }
    friend ComplexStep cbrt(const ComplexStep& a) {
        const double root = std::cbrt(a.value());
        return ComplexStep({root, a.z_.imag() / (3.0 * root * root)});
    }
    friend ComplexStep exp(const ComplexStep& a) { return ComplexStep(std::exp(a.z_)); }
    friend ComplexStep log(const ComplexStep& a) { return ComplexStep(std::log(a.z_)); }
    friend ComplexStep sin(const ComplexStep& a) { return ComplexStep(std::sin(a.z_)); }
    friend ComplexStep cos(const ComplexStep& a) { return ComplexStep(std::cos(a.z_)); }
    friend ComplexStep tan(const ComplexStep& a) { return ComplexStep(std::tan(a.z_)); }
    friend ComplexStep asin(const ComplexStep& a) { return ComplexStep(std::asin(a.z_)); }
    friend ComplexStep acos(const ComplexStep& a) { return ComplexStep(std::acos(a.z_)); }
    friend ComplexStep atan(const ComplexStep& a) { return ComplexStep(std::atan(a.z_)); }
    friend ComplexStep sinh(const ComplexStep& a) { return ComplexStep(std::sinh(a.z_)); }
    friend ComplexStep cosh(const ComplexStep& a) { return ComplexStep(std::cosh(a.z_)); }
    friend ComplexStep tanh(const ComplexStep& a) { return ComplexStep(std::tanh(a.z_)); }
    friend ComplexStep pow(const ComplexStep& a, const ComplexStep& b) { return ComplexStep(std::pow(a.z_, b.z_)); }
    friend ComplexStep abs(const ComplexStep& a) { return a.value() < 0.0 ? -a : a; }

  private:
    std::complex<double> z_{0.0, 0.0};
};

}  // namespace panto::test

template <>
struct Eigen::NumTraits<panto::test::ComplexStep> : Eigen::NumTraits<double> {
    using Real = panto::test::ComplexStep;
    using NonInteger = panto::test::ComplexStep;
    using Nested = panto::test::ComplexStep;
    using Literal = panto::test::ComplexStep;
    enum {
        IsComplex = 0,
        IsInteger = 0,
        IsSigned = 1,
        RequireInitialization = 1,
        ReadCost = 2,
        AddCost = 2,
        MulCost = 6
    };
};
