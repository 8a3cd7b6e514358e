// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Heat conduction through a slab that is insulated on one face and loses heat on the other [Ward, Goodson 1972,
/// (1)-(3)]:
///
///     u_t = kappa u_xx,   u_x(0, t) = 0,   -k u_x(L, t) = q(t),   u(x, 0) = 0 .
///
/// Exact in discrete time for a flux that is linear between samples: the modes cos(n pi x/L) that do not decay within
/// a step are advanced one by one. The infinitely many others follow the flux at once; their sums have a closed form:
///     sum 2 (-1)^n cos(n pi xi)/(n pi)^2 = xi^2/2 - 1/6,
///     sum 2 (-1)^n cos(n pi xi)/(n pi)^4 = -xi^4/24 + xi^2/12 - 7/360.
///
/// With all parameters at their defaults of 1 it is the dimensionless problem of the report. At mid-thickness every odd
/// cosine has a node: the sensor of the report senses only half of the modes.

#pragma once

#include <panto/field/modal_field.hpp>

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>

namespace panto::ident {

template <Real Scalar = double>
struct HeatSlabParams {
    Scalar thickness = Scalar(1.0);     ///< m, from the insulated face or the plane of symmetry to the other face
    Scalar diffusivity = Scalar(1.0);   ///< m^2/s
    Scalar conductivity = Scalar(1.0);  ///< W/(m K)
    double sensor = 0.5;  ///< place of the sensor as a fraction of the thickness: 0 (insulated face) to below 1
};

/// Outputs are rises of temperature above the uniform initial temperature [K]; the action is the flux that leaves
/// [W/m^2].
template <Real Scalar = double>
using HeatSlab = ModalField<Scalar, 1, 0>;

/// @throws SetupError if a parameter is not positive, the sensor outside [0, 1), or dt [s] so small that more than 4000
/// modes do not decay within a step.
template <Real Scalar = double>
[[nodiscard]] HeatSlab<Scalar> heat_slab(const HeatSlabParams<Scalar>& p, double dt) {
    constexpr const char* here = "ident::heat_slab";
    require_positive(value_of(p.thickness), here, "thickness");
    require_positive(value_of(p.diffusivity), here, "diffusivity");
    require_positive(value_of(p.conductivity), here, "conductivity");
    require_positive(dt, here, "dt");
    require(p.sensor >= 0.0 && p.sensor < 1.0, here, "sensor is ", p.sensor,
            ", must be at least 0 and below 1, as a part of the thickness");

    constexpr double pi = std::numbers::pi;
    const Scalar rate = p.diffusivity / (p.thickness * p.thickness);  // 1/s
    require_positive(value_of(rate), here, "diffusivity / thickness^2");
    const Scalar scale = p.thickness / p.conductivity;  // K per W/m^2
    // Beyond this one the modes decay within a step, to 1 part in 1e16.
    const double last = std::sqrt(37.0 / (value_of(rate) * dt)) / pi;
    require(last <= 4000.0, here, "dt is ", dt, ", must be at least ", 37.0 / (value_of(rate) * 1.6e7 * pi * pi),
            " for this slab");
    const int count = std::max(4, static_cast<int>(std::ceil(last)));

    const auto first_sum = [](double xi) { return xi * xi / 2.0 - 1.0 / 6.0; };
    const auto second_sum = [](double xi) { return xi * xi / 12.0 - xi * xi * xi * xi / 24.0 - 7.0 / 360.0; };
    using Field = HeatSlab<Scalar>;
    std::vector<typename Field::Mode> modes(static_cast<std::size_t>(count) + 1);
    std::array<double, 2> first{first_sum(p.sensor), first_sum(1.0)}, second{second_sum(p.sensor), second_sum(1.0)};
    for (int n = 0; n <= count; ++n) {
        auto& mode = modes[static_cast<std::size_t>(n)];
        const double wave = n * pi, sign = n % 2 == 0 ? 1.0 : -1.0;
        const Scalar drive = rate * scale * Scalar(n == 0 ? -1.0 : -2.0 * sign);
        detail::discretize<Scalar, 1, 1>({{{rate * Scalar(-wave * wave)}}}, {drive}, dt, mode);
        mode.sensor = Scalar(std::cos(wave * p.sensor)), mode.boundary = Scalar(sign);
        if (n == 0) continue;
        const std::array<double, 2> shape{std::cos(wave * p.sensor), sign};
        for (std::size_t i = 0; i < 2; ++i) {
            first[i] -= 2.0 * sign * shape[i] / (wave * wave);
            second[i] -= 2.0 * sign * shape[i] / (wave * wave * wave * wave);
        }
    }
    const auto rest = [&](std::size_t i) {  // of q/lambda - q'/lambda^2, summed over the modes left out
        const Scalar slope = scale * Scalar(second[i] / dt) / rate;
        typename Field::Direct d;
        d.before = {Scalar(0.0) - slope}, d.now = {slope - scale * Scalar(first[i])};
        return d;
    };
    return Field(std::move(modes), rest(0), rest(1), dt);
}

}  // namespace panto::ident
