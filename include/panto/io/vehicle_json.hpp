// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Vehicles as JSON files, format "panto-vehicle", version 1: bodies, wheelsets ("axles") and links, in modules that
/// can be placed several times. A quantity is a number, the name of a parameter, or a sum of multiples of parameters:
///     0.5 a - b + 100  is  {"sum": {"a": 0.5, "b": -1.0}, "plus": 100.0} .
/// A body or link of a module that is placed "as" some name is called "<as>/<name>". In a link of a module, "@key"
/// stands for a body that is named where the module is placed: "with" gives its name for this key. See docs/vehicle.md.

#pragma once

#include <panto/io/file.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/vehicle_to_json.hpp>
#include <panto/vehicle/multibody.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::io {

namespace detail {

class VehicleReader {
  public:
    VehicleReader(const nlohmann::json& document, const std::string& file)
        : document_(document, file, "",
                    {"format", "version", "name", "source", "gravity_m_per_s2", "parameters", "wheel_rail", "modules",
                     "bodies", "axles", "links", "place"}) {
        v_.name = document_.text("name");
        v_.source = document_.text_or("source", "");
        v_.gravity = document_.number_or("gravity_m_per_s2", 9.81);
        if (document_.has("parameters")) {
            const JsonObject parameters = document_.any_object("parameters");
            for (const std::string& key : parameters.keys()) (void)v_.add_parameter(key, parameters.number(key));
        }
        if (document_.has("wheel_rail")) wheel_rail();
        contents(document_, {});
        if (!document_.has("modules")) return;
        const JsonObject modules = document_.any_object("modules");
        for (const std::string& name : modules.keys())
            if (!placed_.contains(name)) modules.fail(name, "is a module that is placed nowhere");
    }

    [[nodiscard]] vehicle::Multibody take() { return std::move(v_); }

  private:
    /// The place of a module: prefix of its names, position along the vehicle, bodies given in "with".
    struct Scope {
        std::string prefix{};
        vehicle::Quantity x{};
        std::map<std::string, std::string> with{};
        std::vector<std::string> inside{};     ///< the modules that contain it
        mutable std::set<std::string> used{};  ///< keys of "with" that occur in links
    };

    /// A number from `least` to `most`. If it is missing, `otherwise` takes its place; without `otherwise` that is an
    /// error.
    [[nodiscard]] static double between(const JsonObject& from, const std::string& key, std::optional<double> otherwise,
                                        double least, double most) {
        const double value = otherwise ? from.number_or(key, *otherwise) : from.number(key);
        if (!(value >= least && value <= most))
            from.fail(key, "is " + shown(value) + ", must be from " + shown(least) + " to " + shown(most));
        return value;
    }
    [[nodiscard]] static double positive(const JsonObject& from, const std::string& key, double otherwise) {
        const double value = from.number_or(key, otherwise);
        if (!(value > 0.0)) from.fail(key, "is " + shown(value) + ", must be above 0");
        return value;
    }

    void wheel_rail() {
        const JsonObject w =
            document_.object("wheel_rail", {"half_distance_m", "wheel_radius_m", "contact_angle_rad",
                                            "wheel_curvature_per_m", "rail_radius_m", "youngs_modulus_Pa", "poisson",
                                            "friction", "creep_reduction", "coefficients", "free_wheelsets"});
        auto& r = v_.rail;
        r.profile.half_distance = positive(w, "half_distance_m", r.profile.half_distance);
        r.profile.radius = positive(w, "wheel_radius_m", r.profile.radius);
        r.profile.angle = w.number_or("contact_angle_rad", r.profile.angle);
        r.profile.wheel_curvature = between(w, "wheel_curvature_per_m", r.profile.wheel_curvature, 0.0, 1e3);
        r.profile.rail_radius = positive(w, "rail_radius_m", r.profile.rail_radius);
        r.material.young = positive(w, "youngs_modulus_Pa", r.material.young);
        r.material.poisson = between(w, "poisson", r.material.poisson, 0.0, 0.5);
        r.friction = positive(w, "friction", r.friction);
        r.creep_reduction = positive(w, "creep_reduction", r.creep_reduction);
        v_.free_wheelsets = w.boolean_or("free_wheelsets", false);
        if (!w.has("coefficients")) {
            try {
                vehicle::validate(r.profile);
            } catch (const SetupError& e) {  // what several values have to fulfil together
                document_.fail("wheel_rail", e.what());
            }
            return;
        }
        if (w.has("contact_angle_rad"))
            w.fail("coefficients", "is given together with contact_angle_rad, give one of them");
        if (r.profile.wheel_curvature > 0.0)
            w.fail("coefficients", "is given together with wheel_curvature_per_m, give one of them");
        const JsonObject c = w.object("coefficients", {"lambda", "sigma", "epsilon", "zeta_per_m", "xi_m"});
        constexpr auto most = vehicle::largest_coefficients;
        v_.coefficients = vehicle::ContactCoefficients<>{
            between(c, "lambda", {}, 0.0, most.lambda), between(c, "sigma", {}, 0.0, most.sigma),
            between(c, "epsilon", {}, 0.0, most.epsilon), between(c, "zeta_per_m", {}, 0.0, most.zeta),
            between(c, "xi_m", {}, 0.0, most.xi)};
    }

    void contents(const JsonObject& from, const Scope& scope) {
        if (from.has("bodies"))
            for (const JsonObject& b :
                 from.objects("bodies", {"name", "mass_kg", "inertia_kg_m2", "centre_m", "dead_load_N", "bending"})) {
                vehicle::RigidBody body{.name = scope.prefix + b.text("name"),
                                        .mass = quantity(b, "mass_kg"),
                                        .inertia = triple(b, "inertia_kg_m2"),
                                        .centre = place(b, "centre_m", scope)};
                if (b.has("dead_load_N")) body.dead_load = quantity(b, "dead_load_N");
                if (b.has("bending"))
                    for (const JsonObject& m :
                         b.objects("bending", {"direction", "modes", "length_m", "stiffness_N_m2", "damping_ratio"}))
                        body.bending.push_back(
                            {.direction = direction(m),
                             .modes = m.has("modes") ? static_cast<int>(m.integer("modes", 1, 4)) : 1,
                             .length = m.number("length_m"),
                             .stiffness = quantity(m, "stiffness_N_m2"),
                             .damping = m.number_or("damping_ratio", 0.0)});
                v_.bodies.push_back(std::move(body));
            }
        if (from.has("axles"))
            for (const JsonObject& w :
                 from.objects("axles", {"name", "mass_kg", "inertia_kg_m2", "spin_inertia_kg_m2", "x_m"}))
                v_.axles.push_back({.name = scope.prefix + w.text("name"),
                                    .mass = quantity(w, "mass_kg"),
                                    .inertia = quantity(w, "inertia_kg_m2"),
                                    .spin_inertia = quantity(w, "spin_inertia_kg_m2"),
                                    .x = quantity(w, "x_m") + scope.x});
        if (from.has("links"))
            for (const JsonObject& l : from.objects("links", {"name", "between", "at_m", "both_sides", "parts"}))
                link(l, scope);
        if (from.has("place"))
            for (const JsonObject& p : from.objects("place", {"module", "as", "x_m", "with"})) module(p, scope);
    }

    [[nodiscard]] static vehicle::Direction direction(const JsonObject& of) {
        const std::string name = of.text("direction");
        const auto known = std::find(vehicle::direction_names.begin(), vehicle::direction_names.end(), name);
        if (known == vehicle::direction_names.end())
            of.fail("direction", "is '" + name + "', expected x, y, z, roll, pitch or yaw");
        return static_cast<vehicle::Direction>(known - vehicle::direction_names.begin());
    }

    void link(const JsonObject& l, const Scope& scope) {
        vehicle::Link link{.name = scope.prefix + l.text("name"), .at = place(l, "at_m", scope)};
        const nlohmann::json& ends = l.list("between", 2);
        for (std::size_t i = 0; i < 2; ++i) {
            if (!ends[i].is_string()) l.fail("between", "is not a list of two names");
            link.between[i] = body(l, "between", ends[i].get<std::string>(), scope);
        }
        for (const JsonObject& p : l.objects(
                 "parts", {"direction", "stiffness_N_per_m", "damping_N_s_per_m", "series_stiffness_N_per_m",
                           "stiffness_N_m_per_rad", "damping_N_m_s_per_rad", "series_stiffness_N_m_per_rad",
                           "stop_gap_m", "stop_stiffness_N_per_m", "knee_speed_m_per_s", "knee_force_N", "beyond_knee",
                           "friction_N", "friction_length_m", "friction_stroke_m", "air_spring", "scale"})) {
            vehicle::Suspension s{.direction = direction(p)};
            const bool turns = s.direction >= vehicle::Direction::roll;
            const auto read = [&](const char* along, const char* about) {
                if (p.has(turns ? along : about))
                    p.fail(turns ? along : about,
                           "is not for direction " + p.text("direction") + ", use " + (turns ? about : along));
                const char* key = turns ? about : along;
                return p.has(key) ? quantity(p, key) : vehicle::Quantity{};
            };
            s.stiffness = read("stiffness_N_per_m", "stiffness_N_m_per_rad");
            s.damping = read("damping_N_s_per_m", "damping_N_m_s_per_rad");
            s.series = read("series_stiffness_N_per_m", "series_stiffness_N_m_per_rad");
            if (p.has("stop_gap_m")) s.gap = quantity(p, "stop_gap_m");
            if (p.has("stop_stiffness_N_per_m")) s.stop = quantity(p, "stop_stiffness_N_per_m");
            const bool damper = s.damping.given() || p.has("knee_force_N");
            if (s.gap.given() && !s.stop.given())
                p.fail("stop_gap_m", "must be given together with stop_stiffness_N_per_m");
            if (s.series.given() && !damper)
                p.fail(turns ? "series_stiffness_N_m_per_rad" : "series_stiffness_N_per_m",
                       "must be given together with a damper, with which it is in series");
            if (p.has("beyond_knee") && !p.has("knee_force_N"))
                p.fail("beyond_knee", "must be given together with knee_force_N and knee_speed_m_per_s");
            if (p.has("knee_speed_m_per_s") != p.has("knee_force_N"))
                p.fail("knee_force_N", "must be given together with knee_speed_m_per_s");
            if (p.has("knee_force_N")) {
                s.knee_speed = quantity(p, "knee_speed_m_per_s"), s.knee_force = quantity(p, "knee_force_N");
                s.beyond = p.number_or("beyond_knee", 1.0);
                if (p.has("damping_N_s_per_m"))
                    p.fail("damping_N_s_per_m", "is given together with a knee, give one of them");
            }
            if (p.has("friction_length_m") + p.has("friction_stroke_m") != (p.has("friction_N") ? 1 : 0))
                p.fail("friction_N", "must be given together with one of friction_length_m and friction_stroke_m");
            if (p.has("friction_N")) s.friction = quantity(p, "friction_N");
            if (p.has("friction_length_m")) s.friction_length = quantity(p, "friction_length_m");
            if (p.has("friction_stroke_m")) s.friction_stroke = quantity(p, "friction_stroke_m");
            if (p.has("air_spring")) {
                const JsonObject a = p.object("air_spring", {"pressure_Pa", "area_m2", "area_slope_m", "bellows_m3",
                                                             "reservoir_m3", "damping_N_s_per_m", "orifice_m2"});
                s.air = vehicle::AirSpring{.pressure = quantity(a, "pressure_Pa"),
                                           .area = quantity(a, "area_m2"),
                                           .area_slope = quantity(a, "area_slope_m"),
                                           .bellows = quantity(a, "bellows_m3"),
                                           .reservoir = quantity(a, "reservoir_m3"),
                                           .damping = quantity(a, "damping_N_s_per_m")};
                if (a.has("orifice_m2")) s.air->orifice = quantity(a, "orifice_m2");
            }
            s.scale = p.number_or("scale", 1.0);
            link.parts.push_back(std::move(s));
        }
        if (!l.boolean_or("both_sides", false)) {
            v_.links.push_back(std::move(link));
            return;
        }
        vehicle::Link right = link;
        link.name += " left", right.name += " right";
        right.at[1] = -1.0 * right.at[1];
        v_.links.push_back(std::move(link));
        v_.links.push_back(std::move(right));
    }

    void module(const JsonObject& p, const Scope& scope) {
        const std::string name = p.text("module");
        const JsonObject modules = document_.any_object("modules");
        if (!modules.has(name)) {
            const auto keys = modules.keys();
            const std::vector<std::string_view> known(keys.begin(), keys.end());
            p.fail("module", known.empty() ? "there are no modules"
                                           : "no module is called '" + name + "', did you mean '" +
                                                 std::string(nearest_name(name, known)) + "'?");
        }
        Scope inner{.prefix = scope.prefix + p.text("as") + "/", .inside = scope.inside};
        std::string chain;
        for (const std::string& outer : scope.inside) chain += outer + " > ";
        if (std::find(scope.inside.begin(), scope.inside.end(), name) != scope.inside.end())
            p.fail("module", "places a module in itself: " + chain + name);
        inner.inside.push_back(name);
        inner.x = p.has("x_m") ? quantity(p, "x_m") + scope.x : scope.x;
        if (p.has("with")) {
            const JsonObject with = p.any_object("with");
            for (const std::string& key : with.keys()) inner.with[key] = body(with, key, with.text(key), scope);
        }
        contents(modules.object(name, {"bodies", "axles", "links", "place"}), inner);
        placed_.insert(name);
        for (const auto& [key, of] : inner.with)
            if (!inner.used.contains(key))
                p.any_object("with").fail(key, "has no effect: nothing in module '" + name + "' names '@" + key + "'");
    }

    /// The full name of the body `name` of a module.
    [[nodiscard]] static std::string body(const JsonObject& from, const std::string& key, const std::string& name,
                                          const Scope& scope) {
        if (!name.starts_with("@")) return scope.prefix + name;
        const auto found = scope.with.find(name.substr(1));
        if (found == scope.with.end())
            from.fail(key,
                      "names '" + name + "', but where the module is placed \"with\" has no '" + name.substr(1) + "'");
        scope.used.insert(found->first);
        return found->second;
    }
    [[nodiscard]] vehicle::Quantity quantity(const JsonObject& from, const std::string& key) const {
        return quantity(from, key, from.value(key));
    }
    [[nodiscard]] vehicle::Quantity quantity(const JsonObject& from, const std::string& key,
                                             const nlohmann::json& value) const {
        if (value.is_number()) {
            const double number = value.get<double>();
            if (!is_finite(number)) from.fail(key, "is " + shown(number) + ", a finite number is needed");
            return number;
        }
        if (value.is_string()) return vehicle::Quantity::of(index(from, key, value.get<std::string>()));
        if (!value.is_object()) from.fail(key, "is neither a number nor a parameter: " + value.dump().substr(0, 40));
        const JsonObject o = from.element(value, key, {"sum", "plus"}), sum = o.any_object("sum");
        vehicle::Quantity q(o.number_or("plus", 0.0));
        for (const std::string& name : sum.keys()) q.terms.emplace_back(index(from, key, name), sum.number(name));
        return q;
    }
    [[nodiscard]] int index(const JsonObject& from, const std::string& key, const std::string& name) const {
        for (std::size_t i = 0; i < v_.parameters.size(); ++i)
            if (v_.parameters[i].name == name) return static_cast<int>(i);
        std::vector<std::string_view> known;
        for (const auto& p : v_.parameters) known.push_back(p.name);
        from.fail(key, "no parameter is called '" + name + "'" +
                           (known.empty() ? "" : ", did you mean '" + std::string(nearest_name(name, known)) + "'?"));
    }
    [[nodiscard]] std::array<vehicle::Quantity, 3> triple(const JsonObject& from, const std::string& key) const {
        const nlohmann::json& list = from.list(key, 3);
        return {quantity(from, key, list[0]), quantity(from, key, list[1]), quantity(from, key, list[2])};
    }
    /// A point in the vehicle: read from the file and moved by the position of the module.
    [[nodiscard]] std::array<vehicle::Quantity, 3> place(const JsonObject& from, const std::string& key,
                                                         const Scope& scope) const {
        auto at = triple(from, key);
        at[0] = at[0] + scope.x;
        return at;
    }

    JsonObject document_;
    vehicle::Multibody v_{};
    std::set<std::string> placed_{};  ///< modules
};

}  // namespace detail

/// The vehicle that a document describes; `file` is its name in messages.
/// @throws SetupError with file and path of the first error.
[[nodiscard]] inline vehicle::Multibody vehicle_from_json(const nlohmann::json& document, const std::string& file) {
    require_format(document, file, vehicle_format, vehicle_version);
    return detail::VehicleReader(document, file).take();
}

/// @throws SetupError as vehicle_from_json() does, or if the text is not JSON.
[[nodiscard]] inline vehicle::Multibody vehicle_from_text(std::string_view text, const std::string& file) {
    return vehicle_from_json(parse_json(text, file), file);
}

/// The vehicle in a file.
/// @throws SetupError as vehicle_from_text() does, or if the file cannot be read.
[[nodiscard]] inline vehicle::Multibody read_vehicle(const std::filesystem::path& file) {
    return vehicle_from_text(read_text(file), file.string());
}

/// The vehicle as a document with its parameters but without modules: all bodies, wheelsets and links one by one.
/// @throws SetupError if the vehicle cannot be written as a file that vehicle_from_text() accepts.
[[nodiscard]] inline std::string vehicle_to_text(const vehicle::Multibody& v) {
    std::string text;
    try {
        text = pretty(detail::VehicleWriter(v).document()) + "\n";
    } catch (const nlohmann::json::exception&) {
        throw SetupError("io::vehicle_to_text: a name or the source is not valid UTF-8 text");
    }
    const std::size_t parameters = vehicle_from_text(text, "io::vehicle_to_text").parameters.size();
    require(parameters == v.parameters.size(), "io::vehicle_to_text", "some of the ", v.parameters.size(),
            " parameters have the same name");
    return text;
}

/// @throws SetupError as vehicle_to_text() does, or if the file cannot be written.
inline void write_vehicle(const std::filesystem::path& file, const vehicle::Multibody& v) {
    write_text(file, vehicle_to_text(v));
}

}  // namespace panto::io
