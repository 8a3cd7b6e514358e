// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The law at the boundary of a linear field: an action (heat flux, moment) that follows from the boundary
/// variable v (temperature, slope) at the same instant, nonlinear in v but linear in its parameters,
///
///     action = sum_i theta_i phi_i(v)                                              [Ward, Goodson 1972, (6), (20)].
///
/// A law provides only the phi_i and their slopes; recovery, regression and fit are common to all.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/real.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace panto {

/// phi(v) and dphi/dv as arrays with one entry per parameter, for any Real scalar that v has; `names()` are the names
/// of the parameters in messages and reports. `Law::size` is a constant.
template <class L, class Scalar = double>
concept BoundaryLaw = Real<Scalar> && requires(const L& law, const Scalar& v) {
    { law.basis(v) } noexcept -> std::same_as<std::array<Scalar, std::size_t(L::size)>>;
    { law.slopes(v) } noexcept -> std::same_as<std::array<Scalar, std::size_t(L::size)>>;
    { law.names() } -> std::convertible_to<std::array<std::string, std::size_t(L::size)>>;
};

namespace ident {

/// sum_i theta_i f_i for any container of the parameters; NaN if it has fewer than N. @rt
template <Real Scalar, std::size_t N, class Theta>
[[nodiscard]] Scalar weighted(const std::array<Scalar, N>& f, const Theta& theta) noexcept {
    if (static_cast<std::size_t>(theta.size()) < N) return no_number<Scalar>();
    Scalar sum(0.0);
    for (std::size_t i = 0; i < N; ++i) sum += f[i] * theta[static_cast<decltype(theta.size())>(i)];
    return sum;
}

struct RadiationParams {
    double initial_temperature = 1.0;  ///< K, at which the boundary variable, a rise of temperature, is zero
    double ambient_temperature = 0.0;  ///< K
};

/// Heat leaving by radiation and convection [Ward, Goodson, (3)], T = initial temperature + v [K]:
///     flux = beta (T^4 - T_c^4) + eta (T - T_c),
/// beta in W/(m^2 K^4) (emissivity times 5.67e-8), eta in W/(m^2 K). `RadiationConvection<false>` has no convection.
template <bool Convection = true>
class RadiationConvection {
  public:
    static constexpr int size = Convection ? 2 : 1;
    template <class Scalar>
    using Values = std::array<Scalar, std::size_t(size)>;

    /// @throws SetupError if a temperature is below absolute zero.
    explicit RadiationConvection(const RadiationParams& p = {}) : p_(p) {
        require_not_negative(p.initial_temperature, "ident::RadiationConvection", "initial_temperature");
        require_not_negative(p.ambient_temperature, "ident::RadiationConvection", "ambient_temperature");
    }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] Values<Scalar> basis(const Scalar& rise) const noexcept {
        const Scalar T = rise + Scalar(p_.initial_temperature), T2 = T * T;
        const double c = p_.ambient_temperature;
        if constexpr (Convection)
            return {T2 * T2 - Scalar(c * c * c * c), T - Scalar(c)};
        else
            return {T2 * T2 - Scalar(c * c * c * c)};
    }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] Values<Scalar> slopes(const Scalar& rise) const noexcept {
        const Scalar T = rise + Scalar(p_.initial_temperature);
        const Scalar cubic = Scalar(4.0) * T * T * T;
        if constexpr (Convection)
            return {cubic, Scalar(1.0)};
        else
            return {cubic};
    }

    [[nodiscard]] static std::array<std::string, std::size_t(size)> names() {
        if constexpr (Convection)
            return {"radiation", "convection"};
        else
            return {"radiation"};
    }

  private:
    RadiationParams p_;
};

/// A spring whose force is a polynomial without constant term [Ward, Goodson, (20)]:
///     action = alpha_1 v + alpha_2 v^2 + ... + alpha_N v^N.
template <int N = 3>
    requires(N >= 1)
class PolynomialSpring {
  public:
    static constexpr int size = N;
    template <class Scalar>
    using Values = std::array<Scalar, std::size_t(N)>;

    /// @rt
    template <Real Scalar>
    [[nodiscard]] Values<Scalar> basis(const Scalar& v) const noexcept {
        Values<Scalar> f{};
        Scalar power(1.0);
        for (auto& each : f) each = power = Scalar(power * v);
        return f;
    }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] Values<Scalar> slopes(const Scalar& v) const noexcept {
        Values<Scalar> f{};
        Scalar power(1.0);
        for (std::size_t i = 0; i < f.size(); ++i) {
            f[i] = power * Scalar(static_cast<double>(i + 1));
            power = Scalar(power * v);
        }
        return f;
    }

    [[nodiscard]] static std::array<std::string, std::size_t(N)> names() {
        std::array<std::string, std::size_t(N)> all;
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i == 0 ? "linear" : i == 1 ? "quadratic" : i == 2 ? "cubic" : "power " + std::to_string(i + 1);
        return all;
    }
};

/// One term of a law of your own: generic callables for phi and its slope.
template <class Function, class Slope>
struct BoundaryTerm {
    std::string_view name = {};
    Function function = {};
    Slope slope = {};
};
template <class Function, class Slope>
BoundaryTerm(std::string_view, Function, Slope) -> BoundaryTerm<Function, Slope>;
template <class Function, class Slope>
BoundaryTerm(const char*, Function, Slope) -> BoundaryTerm<Function, Slope>;

/// A law of any terms:
///     TermsLaw law(BoundaryTerm{"dry", [](const auto& v) { return ...; }, [](const auto& v) { return ...; }}, ...);
/// The callables must not throw: they run inside the step.
template <class... Terms>
class TermsLaw {
  public:
    static constexpr int size = static_cast<int>(sizeof...(Terms));
    static_assert(size > 0, "a law needs at least one term");
    template <class Scalar>
    using Values = std::array<Scalar, std::size_t(size)>;

    explicit TermsLaw(Terms... terms) : terms_(std::move(terms)...) {}

    /// @rt
    template <Real Scalar>
    [[nodiscard]] Values<Scalar> basis(const Scalar& v) const noexcept {
        return std::apply([&v](const auto&... t) { return Values<Scalar>{Scalar(t.function(v))...}; }, terms_);
    }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] Values<Scalar> slopes(const Scalar& v) const noexcept {
        return std::apply([&v](const auto&... t) { return Values<Scalar>{Scalar(t.slope(v))...}; }, terms_);
    }

    [[nodiscard]] std::array<std::string, std::size_t(size)> names() const {
        return std::apply(
            [](const auto&... t) { return std::array<std::string, std::size_t(size)>{std::string(t.name)...}; },
            terms_);
    }

  private:
    std::tuple<Terms...> terms_;
};

static_assert(BoundaryLaw<RadiationConvection<>> && BoundaryLaw<RadiationConvection<false>> &&
              BoundaryLaw<PolynomialSpring<3>>);

}  // namespace ident
}  // namespace panto
