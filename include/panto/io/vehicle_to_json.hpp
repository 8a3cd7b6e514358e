// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writes vehicles as JSON documents in the format that vehicle_json.hpp reads and describes.

#pragma once

#include <panto/core/check.hpp>
#include <panto/vehicle/multibody.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace panto::io {

inline constexpr std::string_view vehicle_format = "panto-vehicle";
inline constexpr std::int64_t vehicle_version = 1;

namespace detail {

class VehicleWriter {
    using Json = nlohmann::ordered_json;

  public:
    explicit VehicleWriter(const vehicle::Multibody& v) : v_(v) {}

    [[nodiscard]] Json document() const {
        Json d{{"format", vehicle_format}, {"version", vehicle_version}, {"name", v_.name}};
        if (!v_.source.empty()) d["source"] = v_.source;
        d["gravity_m_per_s2"] = v_.gravity;
        for (const auto& p : v_.parameters) d["parameters"][p.name] = p.value;
        d["wheel_rail"] = wheel_rail();
        for (const vehicle::RigidBody& b : v_.bodies) {
            Json body{{"name", b.name},
                      {"mass_kg", quantity(b.mass)},
                      {"inertia_kg_m2", triple(b.inertia)},
                      {"centre_m", triple(b.centre)}};
            put(body, "dead_load_N", b.dead_load);
            for (const vehicle::Bending& m : b.bending)
                body["bending"].push_back(
                    {{"direction", vehicle::direction_names[static_cast<std::size_t>(m.direction)]},
                     {"modes", m.modes},
                     {"length_m", m.length},
                     {"stiffness_N_m2", quantity(m.stiffness)},
                     {"damping_ratio", m.damping}});
            d["bodies"].push_back(std::move(body));
        }
        for (const vehicle::Axle& w : v_.axles)
            d["axles"].push_back({{"name", w.name},
                                  {"mass_kg", quantity(w.mass)},
                                  {"inertia_kg_m2", quantity(w.inertia)},
                                  {"spin_inertia_kg_m2", quantity(w.spin_inertia)},
                                  {"x_m", quantity(w.x)}});
        for (const vehicle::Link& l : v_.links) {
            Json parts = Json::array();
            for (const vehicle::Suspension& s : l.parts) parts.push_back(suspension(s));
            d["links"].push_back({{"name", l.name}, {"between", l.between}, {"at_m", triple(l.at)}, {"parts", parts}});
        }
        return d;
    }

  private:
    [[nodiscard]] Json wheel_rail() const {
        const auto& r = v_.rail;
        Json w{{"half_distance_m", r.profile.half_distance},
               {"wheel_radius_m", r.profile.radius},
               {"wheel_curvature_per_m", r.profile.wheel_curvature},
               {"rail_radius_m", r.profile.rail_radius},
               {"youngs_modulus_Pa", r.material.young},
               {"poisson", r.material.poisson},
               {"friction", r.friction},
               {"creep_reduction", r.creep_reduction}};
        if (const auto& c = v_.coefficients)
            w["coefficients"] = {{"lambda", c->lambda},
                                 {"sigma", c->sigma},
                                 {"epsilon", c->epsilon},
                                 {"zeta_per_m", c->zeta},
                                 {"xi_m", c->xi}};
        else
            w["contact_angle_rad"] = r.profile.angle;
        if (v_.free_wheelsets) w["free_wheelsets"] = true;
        return w;
    }

    [[nodiscard]] Json suspension(const vehicle::Suspension& s) const {
        const bool turns = s.direction >= vehicle::Direction::roll;
        Json p{{"direction", vehicle::direction_names[static_cast<std::size_t>(s.direction)]}};
        put(p, turns ? "stiffness_N_m_per_rad" : "stiffness_N_per_m", s.stiffness);
        put(p, turns ? "damping_N_m_s_per_rad" : "damping_N_s_per_m", s.damping);
        put(p, turns ? "series_stiffness_N_m_per_rad" : "series_stiffness_N_per_m", s.series);
        put(p, "stop_gap_m", s.gap);
        put(p, "stop_stiffness_N_per_m", s.stop);
        if (!nothing(s.knee_force)) {
            p["knee_speed_m_per_s"] = quantity(s.knee_speed), p["knee_force_N"] = quantity(s.knee_force);
            p["beyond_knee"] = s.beyond;
        }
        put(p, "friction_N", s.friction);
        put(p, "friction_length_m", s.friction_length), put(p, "friction_stroke_m", s.friction_stroke);
        if (s.air)
            p["air_spring"] = {
                {"pressure_Pa", quantity(s.air->pressure)},    {"area_m2", quantity(s.air->area)},
                {"area_slope_m", quantity(s.air->area_slope)}, {"bellows_m3", quantity(s.air->bellows)},
                {"reservoir_m3", quantity(s.air->reservoir)},  {"damping_N_s_per_m", quantity(s.air->damping)}};
        if (s.air) put(p["air_spring"], "orifice_m2", s.air->orifice);
        if (s.scale != 1.0) p["scale"] = s.scale;
        return p;
    }

    [[nodiscard]] static bool nothing(const vehicle::Quantity& q) { return q.number == 0.0 && q.terms.empty(); }
    void put(Json& into, const char* key, const vehicle::Quantity& q) const {
        if (!nothing(q)) into[key] = quantity(q);
    }
    [[nodiscard]] Json triple(const std::array<vehicle::Quantity, 3>& q) const {
        return Json::array({quantity(q[0]), quantity(q[1]), quantity(q[2])});
    }
    [[nodiscard]] Json quantity(const vehicle::Quantity& q) const {
        if (q.terms.empty()) return q.number;
        std::map<std::string, double> sum;
        for (const auto& [index, factor] : q.terms) {
            require(index >= 0 && static_cast<std::size_t>(index) < v_.parameters.size(), "io::vehicle_to_text",
                    "a quantity of '", v_.name, "' uses parameter ", index, ", must be one of the ",
                    v_.parameters.size(), " parameters, counted from 0");
            sum[v_.parameters[static_cast<std::size_t>(index)].name] += factor;
        }
        if (q.number == 0.0 && sum.size() == 1 && sum.begin()->second == 1.0) return sum.begin()->first;
        Json terms = Json::object();
        for (const auto& [name, factor] : sum) terms[name] = factor;
        Json whole{{"sum", std::move(terms)}};
        if (q.number != 0.0) whole["plus"] = q.number;
        return whole;
    }

    const vehicle::Multibody& v_;
};

}  // namespace detail

}  // namespace panto::io
