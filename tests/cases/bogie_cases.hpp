// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room vehicle beyond its trains, and the suspension elements, held against the golden figures.

#pragma once

#include <panto/core/dual.hpp>
#include <panto/element/air_spring.hpp>
#include <panto/element/air_volumes.hpp>
#include <panto/element/spring.hpp>
#include <panto/sensitivity/morris.hpp>
#include <panto/sensitivity/sobol.hpp>
#include <panto/vehicle/creep.hpp>
#include <panto/vehicle/hunting.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/line_signals.hpp>

#include "../support/golden_json.hpp"
#include "../support/targets.hpp"
#include "element_cases.hpp"
#include "vehicle_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace panto::test {

/// The largest difference of pairs of a figure and its golden one, as a part of the golden one.
class LargestDifference {
  public:
    void add(double value, const nlohmann::json& golden) {
        const double g = golden.get<double>();
        largest_ = std::max(largest_, std::abs(value - g) / std::abs(g));
    }
    [[nodiscard]] double value() const { return largest_; }

  private:
    double largest_ = 0.0;
};

inline nlohmann::json golden_vehicle(const char* key) {
    return golden("vehicle_and_inverse_problems.json").at(key).at("value");
}

/// The rows `creep.*`: force in pure longitudinal creep whose linear force is e mu N, against the sheet's table.
inline std::vector<Measured> creep_figures() {
    using namespace vehicle;
    const auto patch = contact_patch<double>(80e3, std::cos(0.2) / 0.46, 1.0 / 0.3, {}, 0.3);
    const auto largest = [&](const auto& law, const std::array<double, 6>& table, bool relative) {
        constexpr std::array<double, 6> e{0.25, 0.5, 1.0, 1.5, 2.0, 3.0};
        double difference = 0.0;
        for (std::size_t i = 0; i < e.size(); ++i) {
            const double bound = patch.friction * patch.load,
                         pull = -law(Creepage<>{e[i] * bound / patch.f11, 0.0, 0.0}, patch).xi / bound;
            difference = std::max(difference, std::abs(pull - table[i]) / (relative ? table[i] : 1.0));
        }
        return difference;
    };
    return {{"creep.fastsim", largest(Fastsim{}, {0.2290, 0.4187, 0.6962, 0.8642, 0.9529, 0.9994}, true)},
            {"creep.vermeulen", largest(VermeulenJohnson{}, {0.2297, 0.4213, 0.7037, 0.8750, 0.9630, 1.0}, false)},
            {"creep.polach", largest(Polach{}, {0.2438, 0.4548, 0.7331, 0.8660, 0.9275, 0.9734}, false)}};
}

/// The rows `element.*`.
inline std::vector<Measured> element_figures() {
    using namespace element;
    const nlohmann::json all = golden_vehicle("E");
    LargestDifference coil, nishimura, orifice;

    const CoilSpring<> spring{
        .wire = 0.04, .radius = 0.11, .coils = 6.0, .length = 0.36, .young = 215e9, .poisson = 0.3};
    coil.add(axial_stiffness(spring), all.at("flex").at("cz"));
    coil.add(lateral_stiffness(spring, 40e3), all.at("flex").at("haringx"));
    coil.add(lateral_stiffness(spring, 40e3, ShearModel::engesser), all.at("flex").at("engesser"));

    const auto p = NishimuraParams<>::of({.area_slope = 0.15}, 2e4);
    const auto at1 = LinearAirSpring<>(p).dynamic_stiffness(2.0 * std::numbers::pi);
    const auto& n = all.at("nish");
    nishimura.add(p.bellows, n.at("K1")), nishimura.add(p.reservoir, n.at("K2")), nishimura.add(p.area, n.at("K3"));
    nishimura.add(at1.real(), n.at("at1")[0]), nishimura.add(at1.imag(), n.at("at1")[1]);

    const double area = AirVolumes<>::round_orifice(0.01, 0.7), T = 293.15;
    orifice.add(orifice_flow(Gas<>{}, area, 6e5, T, 5e5, T), all.at("orifice").at("G_6_5"));
    orifice.add(orifice_flow(Gas<>{}, area, 6e5, T, 2e5, T), all.at("orifice").at("choked"));

    struct Cycle {
        const char* key;
        double bore, frequency, amplitude;
        int steps;
    };
    double largest = 0.0;
    for (const Cycle& c : {Cycle{"closed", 0.0, 2.0, 1e-4, 8000},
                           {"open", 0.05, 0.2, 1e-4, 40000},
                           {"d12_0.01", 0.012, 1.5, 0.01, 8000}}) {
        AirVolumesParams<> params;
        params.orifice = AirVolumes<>::round_orifice(c.bore, 0.7), params.linear = 0.0;
        const auto run = drive_sine(AirVolumes<>(params), c.amplitude, c.frequency, 4, c.steps);
        const auto K = stiffness_of_last_cycle(run, c.amplitude, c.frequency, 4);
        const auto& g = all.at("kret").at(c.key);
        const std::complex<double> golden_K{g[0].get<double>(), g[1].get<double>()};
        largest = std::max(largest, std::abs(std::complex<double>{K[0], K[1]} - golden_K) / std::abs(golden_K));
    }
    return {{"element.coil", coil.value()},
            {"element.air_spring_linear", nishimura.value()},
            {"element.orifice", orifice.value()},
            {"element.air_spring_cycles", largest}};
}

/// The rows `bogie.*` beside those of train_cases.hpp.
inline std::vector<Measured> bogie_figures() {
    using namespace vehicle;
    std::vector<Measured> all;
    const auto critical = [](const BogieParams<>& p, const WheelRail<>& rail = {}) {
        return critical_speed(Bogie<>(p, rail, 40.0));
    };
    const auto speeds = golden_vehicle("A.vcrit_variants");
    double largest = 0.0;
    const auto variant = [&](const char* key, double speed) {
        largest = std::max(largest, std::abs(speed - speeds.at(key).get<double>()));
    };
    for (const auto& [key, angle] :
         {std::pair{"delta0=.025", 0.025}, {"delta0=.05", 0.05}, {"delta0=.1", 0.1}, {"delta0=.3", 0.3}})
        variant(key, critical({}, {.profile = {.angle = angle}}));
    variant("gyro=0", critical({.wheelset_spin_inertia = 0.0}));
    variant("Iwy=100", critical({.wheelset_spin_inertia = 100.0}));
    variant("sf=.6", critical({}, {.creep_reduction = 0.6}));
    variant("e0=1.5", critical({}, {.profile = {.half_distance = 0.75}}));
    all.push_back({"bogie.variants", largest});
    all.push_back({"bogie.wheelbase_3", critical({.wheelbase = 3.0})});

    const auto eigen = linalg::eigenvalues(jacobian(Bogie<>({}, {}, 40.0)));
    double farthest = 0.0;
    for (const auto& g : golden_vehicle("A.eig_v40")) {
        double nearest = 1e9;
        for (const auto& z : eigen)
            nearest = std::min(nearest, std::abs(z - std::complex<double>{g[0].get<double>(), g[1].get<double>()}));
        farthest = std::max(farthest, nearest);
    }
    all.push_back({"bogie.eigenvalues", farthest});

    LargestDifference cycles;
    for (const char* speed : {"84", "86", "88", "90"}) {
        const Bogie<> bogie({}, {}, std::stod(speed));
        Vector<double, 20> x = Vector<double, 20>::Zero(), next;
        x[6] = x[7] = 2e-4;
        double shift = 0.0;
        for (int n = 1; n <= 5000; ++n, x = next) {
            bogie.step((n - 1) * 2e-3, 2e-3, x, next);
            if (n >= 4000) shift = std::max(shift, std::abs(next[6]));
        }
        cycles.add(shift, golden_vehicle("A.limit_cycle").at(speed)[0]);
    }
    all.push_back({"bogie.limit_cycles", cycles.value()});

    const SmoothDefect<> defect{.lateral = 5e-3};
    const auto run = [&](const BogieParams<>& p) {
        return march(Bogie<double, SmoothDefect<>>(p, {}, 40.0, defect), 1e-3, 2000);
    };
    const auto truth = run({});
    const auto misfit = [&](const BogieParams<>& p) {
        const auto model = run(p);
        double e = 0.0, x = 0.0;
        for (std::size_t n = 0; n < model.size(); ++n) {
            const double w = n == 0 || n + 1 == model.size() ? 0.5 : 1.0;
            e += w * (model[n] - truth[n]).head<10>().squaredNorm();
            x += w * truth[n].head<10>().squaredNorm();
        }
        return e / x;
    };
    const auto J = golden_vehicle("B.run_lat").at("J32");
    LargestDifference misfits;
    misfits.add(misfit({.stiffness = {4.5e7, 3.2e6, 1e6}}), J[1]);
    misfits.add(misfit({.stiffness = {5.2e7, 3.5e6, 0.5e6}}), J[4]);
    misfits.add(misfit({.stiffness = {4e7, 3.5e6, 1e6}}), J[8]);
    misfits.add(misfit({.stiffness = {5.2e7, 3e6, 1e6}}), J[9]);
    all.push_back({"bogie.misfits", misfits.value()});

    sensitivity::Ranges box{Vector<double, Dynamic>(6), Vector<double, Dynamic>(6)};
    box.lower << 4e7, 3e6, 0.5e6, 200.0, 200.0, 0.7e4;
    box.upper << 6.4e7, 4e6, 1.5e6, 400.0, 400.0, 1.7e4;
    const auto of_point = [&](const Vector<double, Dynamic>& q) {
        return misfit({.stiffness = {q[0], q[1], q[2]}, .damping = {q[3], q[4], q[5]}});
    };
    const auto effects = sensitivity::morris(of_point, box);
    LargestDifference morris;
    for (const int i : {0, 1, 2, 5})
        morris.add(effects.mu_star[i], golden_vehicle("C.morris_lat").at("mustar")[static_cast<std::size_t>(i)]);
    all.push_back({"bogie.morris", morris.value()});
    const auto shares = sensitivity::sobol(of_point, box, {.rows = 128, .sampling = sensitivity::Sampling::halton},
                                           {.bootstrap = 0, .centered = false});
    const auto golden_shares = golden_vehicle("C.sobol_lat");
    LargestDifference sobol;
    for (const int i : {0, 1, 2}) {
        sobol.add(shares.first[i], golden_shares.at("S")[static_cast<std::size_t>(i)]);
        sobol.add(shares.total[i], golden_shares.at("ST")[static_cast<std::size_t>(i)]);
    }
    all.push_back({"bogie.sobol", sobol.value()});
    return all;
}

/// The rows `bogie.gradient_*`: of misfits of displacements, rates and accelerations by c_x, c_y and c_z, by duals.
inline std::vector<Measured> bogie_gradient_figures() {
    using namespace vehicle;
    using D = Dual<3>;
    const auto golden_grad = golden_vehicle("D.grad");
    BogieParams<D> p;
    for (std::size_t i = 0; i < 3; ++i)
        p.stiffness[i] = p.stiffness[i] * D::variable(golden_grad.at("theta")[i].get<double>(), static_cast<int>(i));
    const SmoothDefect<> defect{.lateral = 5e-3};
    const Bogie<D, SmoothDefect<>> model(p, {}, D(40.0), defect);
    const Bogie<double, SmoothDefect<>> truth({}, {}, 40.0, defect);
    Vector<D, 20> x = Vector<D, 20>::Zero(), next, slope;
    Vector<double, 20> y = Vector<double, 20>::Zero(), y_next, y_slope;
    std::array<D, 3> J;
    constexpr int steps = 1600;
    for (int n = 0; n <= steps; ++n, x = next, y = y_next) {
        const double w = 0.5 * 1e-3 / 3.0 * (n == 0 || n == steps ? 1.0 : n % 2 == 1 ? 4.0 : 2.0);
        model(D(n * 1e-3), x, slope);
        truth(n * 1e-3, y, y_slope);
        for (int i = 0; i < 10; ++i) {
            const std::array<D, 3> e{x[i] - y[i], x[10 + i] - y[10 + i], slope[10 + i] - y_slope[10 + i]};
            for (std::size_t k = 0; k < 3; ++k) J[k] += w * e[k] * e[k];
        }
        model.step(D(n * 1e-3), D(1e-3), x, next);
        truth.step(n * 1e-3, 1e-3, y, y_next);
    }
    std::vector<Measured> all;
    const std::array<std::pair<const char*, const char*>, 3> kinds{
        {{"disp", "displacements"}, {"vel", "velocities"}, {"acc", "accelerations"}}};
    for (std::size_t k = 0; k < 3; ++k) {
        double off = 0.0, size = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double g = golden_grad.at(kinds[k].first)[i].get<double>();
            off += std::pow(J[k].derivative(static_cast<int>(i)) - g, 2), size += g * g;
        }
        all.push_back({std::string("bogie.gradient_") + kinds[k].second, std::sqrt(off / size)});
    }
    return all;
}

/// The rows `track.*`.
inline std::vector<Measured> track_figures() {
    using namespace vehicle;
    const auto signals = golden_vehicle("F.signals");
    const auto low = TrackSpectrum::low_disturbance();
    const auto density = [&](double o) { return low.vertical_density(o); };
    LargestDifference spectrum;
    spectrum.add(density(2.0 * std::numbers::pi / 10.0), signals.at("Sv_low_at_2pi/10"));
    spectrum.add(density(2.0 * std::numbers::pi / 100.0), signals.at("Sv_low_at_2pi/100"));
    const auto wave = WaveSum::of(density, {}, 5);
    for (const auto& [key, place] : {std::pair{"z0", 0.0}, {"z10", 10.0}, {"z100", 100.0}})
        spectrum.add(wave.at(place).value, signals.at("synth").at(key));
    std::vector<double> here, later;
    for (int i = 0; i < 1000; ++i)
        here.push_back(wave.at(0.25 * i).value), later.push_back(wave.at(0.25 * (i - 3.37)).value);
    return {{"track.spectrum", spectrum.value()}, {"track.displacement", displacement(here, later, 20).samples}};
}

}  // namespace panto::test
