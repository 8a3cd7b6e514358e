// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Transfer functions as truncated infinite products, as [Ward, Goodson 1972, (27)-(40)] prints them after [Goodson
/// 1970]:
///
///     G(p) = K prod (1 - p/zero_i) / prod (1 - p/pole_j)  [/ p],     heat p = s,   beam p = -(a s^2 + d s)
///
/// and as discrete-time filters: partial fractions turn every pole into one mode, exact for inputs that are linear
/// between samples. A truncated product is exact at p = 0 and wrong above its last pole; docs/ident_boundary.md
/// gives the resulting errors of parameters. The exact fields are heat_slab() and spring_beam().

#pragma once

#include <panto/field/modal_field.hpp>
#include <panto/field/transfer_functions.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

/// A truncated product in p.
struct ProductForm {
    double gain = 1.0;
    std::vector<double> zeros = {}, poles = {};  ///< all real, none zero
    bool integrator = false;                     ///< a further pole at 0

    [[nodiscard]] Complex operator()(const Complex& p) const {
        Complex value = gain;
        for (const double z : zeros) value *= 1.0 - p / z;
        for (const double r : poles) value /= 1.0 - p / r;
        return integrator ? value / p : value;
    }
};

/// u(1) from u(x): order N as (27), N - 1 zeros and N poles.
template <class = void>
[[nodiscard]] ProductForm heat_product_G1(double x, int order) {
    require(x > 0.0 && x < 1.0, "ident::heat_product_G1", "x is ", x, ", must be between 0 and 1");
    require(order >= 1, "ident::heat_product_G1", "order is ", order, ", must be at least 1");
    ProductForm form;
    for (int m = 1; m <= order; ++m) {
        const double root = (m - 0.5) * std::numbers::pi;
        if (m < order) form.zeros.push_back(-root * root);
        form.poles.push_back(-root * root / (x * x));
    }
    return form;
}

/// u(x) from the flux: order N as (29), N - 1 zeros, N poles and an integrator; with the minus that (29) lacks.
template <class = void>
[[nodiscard]] ProductForm heat_product_G2(double x, int order) {
    ProductForm form = heat_product_G1(x, order);
    form.zeros = form.poles, form.zeros.pop_back(), form.poles.clear();
    for (int n = 1; n <= order; ++n) form.poles.push_back(-n * n * std::numbers::pi * std::numbers::pi);
    form.gain = -1.0, form.integrator = true;
    return form;
}

/// The four products of the beam on 0..1; for a length L and a stiffness EI see BeamTransfer.
struct BeamProducts {
    ProductForm G1 = {}, G2 = {}, G3 = {}, G4 = {};
};

/// `poles` factors in the denominators and one less in the numerators: 2 is the "fourth order" of (35)-(40).
/// @throws SetupError if x is not between 0 and 2/3, or poles is not positive or more than real_roots() finds.
template <class = void>
[[nodiscard]] BeamProducts beam_products(double x, int poles) {
    require(x > 0.0 && x < 2.0 / 3.0, "ident::beam_products", "x is ", x,
            ", must be between 0 and 2/3, where the static moment changes sign");
    require(poles >= 1, "ident::beam_products", "poles is ", poles, ", must be at least 1");
    const BeamFunctions f{x};
    const auto roots = [&](Complex (BeamFunctions::*member)(const Complex&) const, int count) {
        if (count == 0) return std::vector<double>{};
        auto found = real_roots([&](const Complex& g) { return (f.*member)(g); }, count);
        require(found.size() == static_cast<std::size_t>(count), "ident::beam_products", "poles is ", poles,
                ", but one of the functions has only ", found.size(), " roots within reach");
        return found;
    };
    const std::vector<double> d12 = roots(&BeamFunctions::denominator12, poles);
    const std::vector<double> d34 = roots(&BeamFunctions::denominator34, poles);
    return {{(6.0 * x - 3.0) / (3.0 * x - 2.0), roots(&BeamFunctions::numerator1, poles - 1), d12},
            {1.0 / (6.0 * x - 4.0), roots(&BeamFunctions::numerator2, poles - 1), d12},
            {-3.0 * x, roots(&BeamFunctions::numerator3, poles - 1), d34},
            {1.0 - 1.5 * x, roots(&BeamFunctions::numerator4, poles - 1), d34}};
}

namespace detail {

/// c_j in G = sum c_j / (1 - p/pole_j) + c_direct [+ c_integrator / p]; c_integrator comes last, if there is one.
template <class = void>
std::vector<double> residues(const ProductForm& g, double& direct) {
    constexpr const char* here = "ident::product_filter";
    require(g.zeros.size() <= g.poles.size(), here, "the product has ", g.zeros.size(), " zeros and ", g.poles.size(),
            " poles, expected no more zeros than poles: the filter would differentiate its input");
    for (const double r : g.poles) require(r < 0.0 || r > 0.0, here, "a pole is 0; give it as the integrator instead");
    for (const double z : g.zeros) require(z < 0.0 || z > 0.0, here, "a zero is ", z, ", must not be 0");
    std::vector<double> c;
    for (std::size_t j = 0; j < g.poles.size(); ++j) {
        const double p = g.poles[j];
        double value = g.integrator ? g.gain / p : g.gain;
        for (const double z : g.zeros) value *= 1.0 - p / z;
        for (std::size_t i = 0; i < g.poles.size(); ++i)
            if (i != j) value /= 1.0 - p / g.poles[i];
        require(is_finite(value), here, "the residue of the pole ", p, " is ", value,
                ", must be finite: two poles are equal, or the gain is not finite");
        c.push_back(value);
    }
    direct = 0.0;
    if (g.integrator)
        c.push_back(g.gain);
    else if (g.zeros.size() == g.poles.size()) {
        direct = g.gain;
        for (std::size_t j = 0; j < g.poles.size(); ++j) direct *= g.poles[j] / g.zeros[j];
    }
    return c;
}

}  // namespace detail

/// The filter of a product in p = s/rate, with one state per pole. The sensor output of the returned field is the
/// output of the filter.
/// @throws SetupError if a pole is unstable, two are equal, there are more zeros than poles, or dt or rate is not
/// positive.
template <class = void>
[[nodiscard]] ModalField<double, 1, 0> product_filter(const ProductForm& g, double dt, double rate = 1.0) {
    require_positive(dt, "ident::product_filter", "dt");
    require_positive(rate, "ident::product_filter", "rate");
    double direct = 0.0;
    const std::vector<double> c = detail::residues(g, direct);
    using Field = ModalField<double, 1, 0>;
    std::vector<typename Field::Mode> modes(c.size());
    for (std::size_t j = 0; j < c.size(); ++j) {
        const double pole = j < g.poles.size() ? g.poles[j] * rate : 0.0;
        require(pole <= 0.0, "ident::product_filter", "a pole is ", pole, " 1/s, must be below 0");
        detail::discretize<double, 1, 1>({{{pole}}}, {pole < 0.0 ? -pole : rate}, dt, modes[j]);
        modes[j].sensor = c[j];
    }
    return Field(std::move(modes), {{0.0}, {direct}}, {}, dt);
}

/// p = -(inertia s^2 + viscous s): two states per pole. inertia = m L^4/EI [s^2], viscous = D L^4/EI [s].
/// @throws SetupError as above.
template <class = void>
[[nodiscard]] ModalField<double, 2, 0> product_filter(const ProductForm& g, double dt, double inertia, double viscous) {
    require_positive(dt, "ident::product_filter", "dt");
    require_positive(inertia, "ident::product_filter", "inertia");
    require_not_negative(viscous, "ident::product_filter", "viscous");
    require(!g.integrator, "ident::product_filter", "integrator is true, must be false for a beam");
    double direct = 0.0;
    const std::vector<double> c = detail::residues(g, direct);
    using Field = ModalField<double, 2, 0>;
    std::vector<typename Field::Mode> modes(c.size());
    for (std::size_t j = 0; j < c.size(); ++j) {
        const double pole = g.poles[j];
        require(pole > 0.0, "ident::product_filter", "a pole is ", pole, ", must be above 0 for a beam");
        const double omega = std::sqrt(pole / inertia);
        detail::discretize<double, 2, 1>({{{0.0, omega}, {-omega, -viscous / inertia}}}, {omega}, dt, modes[j]);
        modes[j].sensor = c[j];
    }
    return Field(std::move(modes), {{0.0}, {direct}}, {}, dt);
}

/// The response of a filter from rest to an input given at the samples.
template <class Field>
    requires(Field::known == 0)
[[nodiscard]] std::vector<double> filtered(const Field& field, std::span<const double> input) {
    std::vector<double> state(static_cast<std::size_t>(field.states())), output;
    struct Access {  // int indices, as the field uses them
        std::vector<double>& x;
        double& operator[](int i) const { return x[static_cast<std::size_t>(i)]; }
    } x{state};
    for (std::size_t k = 0; k < input.size(); ++k) {
        const typename Field::Input before{k ? input[k - 1] : 0.0}, now{input[k]};
        if (k) field.advance(x, before, now, x);
        output.push_back(k ? field.sensor(x, before, now) : field.sensor(x, now, now));
    }
    return output;
}

}  // namespace panto::ident
