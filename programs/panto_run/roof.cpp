// SPDX-License-Identifier: BSD-3-Clause
// The vehicle below the pantograph.
#include "roof.hpp"

#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/roof_motion.hpp>

#include "../track_option.hpp"
#include "../vehicle_option.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

using namespace panto;

namespace panto_run {

namespace {

/// Where the pantograph stands: on the heaviest body, unless a name is given.
const vehicle::Node& carrier(const Options& o, const vehicle::Assembly& parts) {
    const vehicle::Node* found = nullptr;
    std::vector<std::string_view> known;
    for (const vehicle::Node& n : parts.nodes) {
        if (n.axle) continue;
        known.push_back(n.name);
        if (o.roof_body.empty() ? !found || n.mass > found->mass : n.name == o.roof_body) found = &n;
    }
    require(!known.empty(), "panto_run", "--vehicle has only wheelsets, so there is no roof");
    if (!found) throw SetupError(unknown_name("panto_run", "body of --vehicle", o.roof_body, known));
    return *found;
}

vehicle::SampledTrack track_between(const Options& o, double start, double end) {
    if (o.track == "level") return vehicle::SampledTrack({start, end - start, std::vector<double>(4, 0.0), {}, {}});
    const auto spectrum = spectrum_called(o.track);
    return spectrum ? random_track(*spectrum, o.track_seed, start, end - start) : recorded_track(o.track);
}

/// The roof moves from rest: its motion grows over `ramp` s, (1 - cos)/2, with the rate that belongs to it.
void begin_gently(vehicle::RoofMotion& roof, double ramp) {
    const double origin = roof.height.front();
    for (std::size_t i = 0; i < roof.height.size(); ++i) {
        const double t = static_cast<double>(i) * roof.dt, angle = std::numbers::pi * std::min(1.0, t / ramp);
        const double share = 0.5 - 0.5 * std::cos(angle);
        const double growth = 0.5 * std::numbers::pi / ramp * std::sin(angle);
        roof.height[i] -= origin;
        roof.rate[i] = share * roof.rate[i] + growth * roof.height[i];
        roof.height[i] *= share;
    }
}

}  // namespace

void add_roof(const Options& o, Job& job) {
    const vehicle::Multibody description = vehicle_called(o.vehicle);
    const vehicle::Assembly parts = vehicle::assemble(description);
    const double speed = job.passage.speed, dt = std::min(job.passage.dt, 2e-3);
    const vehicle::LinearMarch march(vehicle::linearize(parts, speed), dt);
    const double growth = vehicle::growth_rate(march.vehicle());
    require(growth < 0.0, "panto_run", "'", description.name, "' hunts at ", o.speed_kmh, " km/h, growing by ", growth,
            " 1/s: use a lower --speed or another --vehicle");
    const vehicle::Node& body = carrier(o, parts);
    const double place = body.centre[0] + o.roof_x;  // m, in the frame of the vehicle
    const auto x = [&](int axle) { return parts.nodes[static_cast<std::size_t>(axle)].centre[0]; };
    const double front = x(parts.axles.front()), rear = x(parts.axles.back()), overhang = 5.0;  // m
    require(place >= rear - overhang && place <= front + overhang, "panto_run", "--roof-x is ", o.roof_x,
            " m, must be from ", rear - overhang - body.centre[0], " to ", front + overhang - body.centre[0],
            " m: the vehicle ends ", overhang, " m beyond its outermost wheelsets");
    // The whole vehicle and 100 m more have passed the rise of the track when the pantograph starts.
    const double ramp = 50.0, lead = front - rear + ramp + 100.0;
    const double from = job.passage.start - place - lead;  // m, of the vehicle's origin
    const vehicle::SampledTrack track = track_between(o, from + front, job.plan.end - place + front + 2.0 * ramp);
    if (o.track != "level" && !spectrum_called(o.track)) {
        const double first = job.passage.start - place + rear - ramp, last = job.plan.end - place + front + ramp;
        require(track.start() <= first && track.end() >= last, "panto_run", "--track '", o.track, "' goes from ",
                track.start(), " to ", track.end(), " m, the run needs ", first, " to ", last,
                " m: the way of all wheelsets, and ", ramp,
                " m at either end to rise from level and to fall back; take a longer record or move its position_m");
    }
    const double behind = std::max(lead, job.passage.start - place - (track.start() - front));
    const double steps = std::ceil(behind / speed / dt), begin = (job.passage.start - place) / speed - steps * dt;
    auto roof =
        vehicle::roof_motion(march, track, parts.probe(body.name, {place, 0.0, body.centre[2]}, vehicle::Direction::z),
                             begin, steps * dt + job.duration() + 2.0 * job.passage.dt);
    roof.height.erase(roof.height.begin(), roof.height.begin() + static_cast<long>(steps));
    roof.rate.erase(roof.rate.begin(), roof.rate.begin() + static_cast<long>(steps));
    begin_gently(roof, ramp / speed);
    double squares = 0.0, largest = 0.0;
    for (const double z : roof.height) squares += z * z, largest = std::max(largest, std::abs(z));
    require_finite(squares, "panto_run", "motion of the roof");
    const double rms = std::sqrt(squares / static_cast<double>(roof.height.size()));
    job.roof = {
        {"vehicle", description.name},
        {"vehicle data", description.source},
        {"track", spectrum_called(o.track) ? o.track + " disturbance, seed " + std::to_string(o.track_seed) : o.track},
        {"pantograph on", body.name + ", " + shown(o.roof_x) + " m ahead of its centre"},
        {"motion of the roof", shown(1e3 * rms) + " mm rms, " + shown(1e3 * largest) + " mm at most"}};
    job.plan.roof = [roof = std::move(roof)](double t) noexcept { return roof.at(t); };
}

}  // namespace panto_run
