// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A number that carries its derivatives with respect to K parameters, exact to rounding:
///     f(x + d) = f(x) + f'(x) d ,    d d = 0 .
/// Make the parameters with variable(), run a model that is a template on its scalar, and take the derivatives from the
/// result. K derivatives cost about as much as K runs of the model, or less if they fit in vector registers.
///
/// Eigen::AutoDiffScalar does much the same. It is not used here because its operators return expressions that refer to
/// temporaries (stored with `auto` they dangle, in `?:` they have different types), a value-initialized number has no
/// derivatives or derivatives of undefined size, and mixing it with constants needs care in every model.
///
/// Comparisons use the value alone: at a branch the derivative is that of the branch taken, at a kink (abs, min, max of
/// equal numbers) it is one-sided. Where a function has an infinite slope (sqrt at 0), the derivative is infinite.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>

namespace panto {

template <int K>
class Dual {
    static_assert(K >= 1);

  public:
    using Derivatives = std::array<double, static_cast<std::size_t>(K)>;
    static constexpr int size = K;

    constexpr Dual() noexcept = default;
    /// A constant.
    constexpr Dual(double value) noexcept : value_(value) {}  // NOLINT: a plain number is a constant
    constexpr Dual(double value, const Derivatives& derivatives) noexcept : value_(value), d_(derivatives) {}

    /// The parameter `index`, whose derivative with respect to itself is 1.
    /// @throws SetupError if there is no such derivative.
    [[nodiscard]] static constexpr Dual variable(double value, int index) {
        require(index >= 0 && index < K, "Dual", "variable ", index, ", must be from 0 to ", K - 1);
        Dual x(value);
        x.d_[static_cast<std::size_t>(index)] = 1.0;
        return x;
    }

    [[nodiscard]] constexpr double value() const noexcept { return value_; }
    [[nodiscard]] constexpr const Derivatives& derivatives() const noexcept { return d_; }
    /// NaN if there is no such derivative.
    [[nodiscard]] constexpr double derivative(int index) const noexcept {
        return index < 0 || index >= K ? std::numeric_limits<double>::quiet_NaN() : d_[static_cast<std::size_t>(index)];
    }

    constexpr Dual& operator+=(const Dual& b) noexcept {
        value_ += b.value_;
        for (std::size_t i = 0; i < N; ++i) d_[i] += b.d_[i];
        return *this;
    }
    constexpr Dual& operator-=(const Dual& b) noexcept {
        value_ -= b.value_;
        for (std::size_t i = 0; i < N; ++i) d_[i] -= b.d_[i];
        return *this;
    }
    constexpr Dual& operator*=(const Dual& b) noexcept {
        for (std::size_t i = 0; i < N; ++i) d_[i] = d_[i] * b.value_ + value_ * b.d_[i];
        value_ *= b.value_;
        return *this;
    }
    constexpr Dual& operator/=(const Dual& b) noexcept {
        value_ /= b.value_;
        const double inverse = 1.0 / b.value_;
        for (std::size_t i = 0; i < N; ++i) d_[i] = (d_[i] - value_ * b.d_[i]) * inverse;
        return *this;
    }
    constexpr Dual& operator+=(double b) noexcept { return value_ += b, *this; }
    constexpr Dual& operator-=(double b) noexcept { return value_ -= b, *this; }
    constexpr Dual& operator*=(double b) noexcept {
        value_ *= b;
        for (double& d : d_) d *= b;
        return *this;
    }
    constexpr Dual& operator/=(double b) noexcept {
        value_ /= b;
        for (double& d : d_) d /= b;
        return *this;
    }

    friend constexpr Dual operator+(const Dual& a) noexcept { return a; }
    friend constexpr Dual operator-(Dual a) noexcept { return a *= -1.0; }
    friend constexpr Dual operator+(Dual a, const Dual& b) noexcept { return a += b; }
    friend constexpr Dual operator-(Dual a, const Dual& b) noexcept { return a -= b; }
    friend constexpr Dual operator*(Dual a, const Dual& b) noexcept { return a *= b; }
    friend constexpr Dual operator/(Dual a, const Dual& b) noexcept { return a /= b; }
    friend constexpr Dual operator+(Dual a, double b) noexcept { return a += b; }
    friend constexpr Dual operator-(Dual a, double b) noexcept { return a -= b; }
    friend constexpr Dual operator*(Dual a, double b) noexcept { return a *= b; }
    friend constexpr Dual operator/(Dual a, double b) noexcept { return a /= b; }
    friend constexpr Dual operator+(double a, Dual b) noexcept { return b += a; }
    friend constexpr Dual operator-(double a, const Dual& b) noexcept { return -b + a; }
    friend constexpr Dual operator*(double a, Dual b) noexcept { return b *= a; }
    friend constexpr Dual operator/(double a, const Dual& b) noexcept { return Dual(a) /= b; }

    friend constexpr bool operator==(const Dual& a, const Dual& b) noexcept { return a.value_ == b.value_; }
    friend constexpr auto operator<=>(const Dual& a, const Dual& b) noexcept { return a.value_ <=> b.value_; }

    friend Dual sqrt(const Dual& x) noexcept {
        const double root = std::sqrt(x.value_);
        return x.chain(root, 0.5 / root);
    }
    friend Dual cbrt(const Dual& x) noexcept {
        const double root = std::cbrt(x.value_);
        return x.chain(root, 1.0 / (3.0 * root * root));
    }
    friend Dual exp(const Dual& x) noexcept { return x.chain(std::exp(x.value_), std::exp(x.value_)); }
    friend Dual expm1(const Dual& x) noexcept { return x.chain(std::expm1(x.value_), std::exp(x.value_)); }
    friend Dual log(const Dual& x) noexcept { return x.chain(std::log(x.value_), 1.0 / x.value_); }
    friend Dual log1p(const Dual& x) noexcept { return x.chain(std::log1p(x.value_), 1.0 / (1.0 + x.value_)); }
    friend Dual log10(const Dual& x) noexcept {
        return x.chain(std::log10(x.value_), 1.0 / (x.value_ * 2.302585092994045684));
    }
    friend Dual sin(const Dual& x) noexcept { return x.chain(std::sin(x.value_), std::cos(x.value_)); }
    friend Dual cos(const Dual& x) noexcept { return x.chain(std::cos(x.value_), -std::sin(x.value_)); }
    friend Dual tan(const Dual& x) noexcept {
        const double t = std::tan(x.value_);
        return x.chain(t, 1.0 + t * t);
    }
    friend Dual asin(const Dual& x) noexcept {
        return x.chain(std::asin(x.value_), 1.0 / std::sqrt((1.0 - x.value_) * (1.0 + x.value_)));
    }
    friend Dual acos(const Dual& x) noexcept {
        return x.chain(std::acos(x.value_), -1.0 / std::sqrt((1.0 - x.value_) * (1.0 + x.value_)));
    }
    friend Dual atan(const Dual& x) noexcept { return x.chain(std::atan(x.value_), 1.0 / (1.0 + x.value_ * x.value_)); }
    friend Dual sinh(const Dual& x) noexcept { return x.chain(std::sinh(x.value_), std::cosh(x.value_)); }
    friend Dual cosh(const Dual& x) noexcept { return x.chain(std::cosh(x.value_), std::sinh(x.value_)); }
    friend Dual tanh(const Dual& x) noexcept {
        const double t = std::tanh(x.value_);
        return x.chain(t, (1.0 - t) * (1.0 + t));
    }
    friend Dual abs(const Dual& x) noexcept { return x.value_ < 0.0 ? -x : x; }
    friend Dual fabs(const Dual& x) noexcept { return abs(x); }
    friend Dual abs2(const Dual& x) noexcept { return x * x; }
    friend Dual min(const Dual& a, const Dual& b) noexcept { return b < a ? b : a; }
    friend Dual max(const Dual& a, const Dual& b) noexcept { return a < b ? b : a; }
    friend Dual hypot(const Dual& a, const Dual& b) noexcept {
        const double r = std::hypot(a.value_, b.value_);
        return both(r, a, a.value_ / r, b, b.value_ / r);
    }
    friend Dual atan2(const Dual& y, const Dual& x) noexcept {
        const double r2 = x.value_ * x.value_ + y.value_ * y.value_;
        return both(std::atan2(y.value_, x.value_), y, x.value_ / r2, x, -y.value_ / r2);
    }
    friend Dual pow(const Dual& x, double power) noexcept {
        const double slope = power < 0.0 || power > 0.0 ? power * std::pow(x.value_, power - 1.0) : 0.0;
        return x.chain(std::pow(x.value_, power), slope);
    }
    friend Dual pow(double base, const Dual& power) noexcept {
        const double v = std::pow(base, power.value_);
        return power.chain(v, v * std::log(base));
    }
    /// For a base above 0.
    friend Dual pow(const Dual& x, const Dual& power) noexcept {
        const double v = std::pow(x.value_, power.value_);
        return both(v, x, power.value_ * std::pow(x.value_, power.value_ - 1.0), power, v * std::log(x.value_));
    }

    friend std::ostream& operator<<(std::ostream& out, const Dual& x) { return out << x.value_; }

  private:
    static constexpr std::size_t N = static_cast<std::size_t>(K);

    constexpr Dual chain(double value, double slope) const noexcept {
        Dual r(value);
        for (std::size_t i = 0; i < N; ++i) r.d_[i] = slope * d_[i];
        return r;
    }
    static constexpr Dual both(double value, const Dual& a, double by_a, const Dual& b, double by_b) noexcept {
        Dual r(value);
        for (std::size_t i = 0; i < N; ++i) r.d_[i] = by_a * a.d_[i] + by_b * b.d_[i];
        return r;
    }

    double value_ = 0.0;
    Derivatives d_{};
};

}  // namespace panto

template <int K>
struct Eigen::NumTraits<panto::Dual<K>> : Eigen::NumTraits<double> {
    using Real = panto::Dual<K>;
    using NonInteger = panto::Dual<K>;
    using Nested = panto::Dual<K>;
    using Literal = panto::Dual<K>;
    enum {
        IsComplex = 0,
        IsInteger = 0,
        IsSigned = 1,
        RequireInitialization = 1,
        ReadCost = K + 1,
        AddCost = K + 1,
        MulCost = 2 * K + 1
    };
};

/// Matrices of duals times plain numbers.
template <int K, class Operation>
struct Eigen::ScalarBinaryOpTraits<panto::Dual<K>, double, Operation> {
    using ReturnType = panto::Dual<K>;
};
template <int K, class Operation>
struct Eigen::ScalarBinaryOpTraits<double, panto::Dual<K>, Operation> {
    using ReturnType = panto::Dual<K>;
};

namespace panto {
static_assert(Real<Dual<1>> && Real<Dual<6>>);
}
