// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Identifies a rig before the first test: motor and delay from jumps of the drive in the air, stiffness of the pad and
/// mass of the head from jumps in contact. The model is that of plant/model.hpp, exact for a drive that holds its
/// commands; its output error is minimized,
///
///     height[t] = u_m[t] + const + noise ,    force[t] = F[t] + sum_k c_k phi_k[t] + noise ,
///
/// where the position u_m of the motor and the force F follow from the commands. The phi_k are a constant and the free
/// motions of pantograph and force filter: they describe how the strip still rings from earlier motions. Their factors
/// c_k are eliminated by projection [Golub, Pereyra, SIAM J. Numer. Anal. 10 (1973) 413]. A head without a damper
/// swings 200 times in 6 s: over the whole record the search finds its frequency only from a start within 1 %. So the
/// record is first cut into short pieces with free motions of their own, and the pieces are then made longer (multiple
/// shooting). In the end all parameters are fitted together to both records, weighted by the noise.

#pragma once

#include <panto/ident/confidence.hpp>
#include <panto/ident/detail/rig_misfit.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/plant/rig.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

inline constexpr std::array<const char*, 5> rig_parameter_names{"motor.stiffness", "motor.damping", "loop_delay",
                                                                "pad_stiffness", "pantograph.mass[0]"};

struct RigFit {
    plant::RigParams rig{};  ///< as given, with motor, pad, head mass and delays as found
    /// In the order and with the units of rig_parameter_names: N/m and N s/m for the given mass of the motor,
    /// periods, N/m, kg.
    Vector<double, Dynamic> x = {}, lower = {}, upper = {};
    Information information = {};          ///< for relative changes; only `deviation` has the units of x
    double height_noise = 0.0;             ///< m, standard deviation of record minus model
    double force_noise = 0.0;              ///< N, likewise
    std::vector<std::string> doubts = {};  ///< why rig and intervals may be wrong
};

namespace detail {

inline constexpr const char* rig_fit_name = "ident::fit_rig";

/// @throws SetupError naming what makes the record unfit for identification.
template <class = void>
void check_rig_record(const RigRecord& r, const char* of, const RigFitParams& p) {
    constexpr const char* here = rig_fit_name;
    constexpr std::size_t fewest = 200;
    const std::size_t n = r.time.size();
    require(r.command.size() == n && r.height.size() == n && r.force.size() == n, here, "the record ", of, " has ", n,
            " times, ", r.command.size(), " commands, ", r.height.size(), " heights and ", r.force.size(),
            " forces, must be as many of each");
    require(n >= fewest, here, "the record ", of, " has ", n, " periods, at least ", fewest, " are needed");
    for (std::size_t i = 0; i < n; ++i) {
        require_finite(r.time[i], here, "time[", i, "] of the record ", of);
        require_finite(r.command[i], here, "command[", i, "] of the record ", of);
        require(is_finite(r.height[i]) || is_nan(r.height[i]), here, "height[", i, "] of the record ", of, " is ",
                r.height[i], " m, must be finite, or NaN if it is missing");
        require(is_finite(r.force[i]) || is_nan(r.force[i]), here, "force[", i, "] of the record ", of, " is ",
                r.force[i], " N, must be finite, or NaN if it is missing");
    }
    const double dt = (r.time.back() - r.time.front()) / static_cast<double>(n - 1);
    require_positive(dt, here, "the mean period of the record ", of);
    for (std::size_t i = 1; i < n; ++i)
        require(std::fabs(r.time[i] - r.time[i - 1] - dt) <= 0.1 * dt, here, "period ", i, " of the record ", of,
                " lasts ", r.time[i] - r.time[i - 1], " s, the others ", dt,
                " s: periods must agree to within 10 %; were there late cycles?");
    const auto [low, high] = std::minmax_element(r.command.begin(), r.command.end());
    require(*high > *low, here, "the command of the record ", of, " is always ", *low,
            " m: the drive must be moved to be identified");
    const auto check_present = [&](const std::vector<double>& all, const char* what) {
        const auto missing = std::count_if(all.begin(), all.end(), [](double v) { return is_nan(v); });
        require(static_cast<double>(missing) <= p.most_missing * static_cast<double>(n), here, missing, " of ", n, " ",
                what, " of the record ", of, " are missing (NaN), allowed are at most ", 100.0 * p.most_missing, " %");
    };
    check_present(r.height, "heights");
    check_present(r.force, "forces");
}

/// Mean and standard deviation of the samples that are not missing.
struct Scatter {
    double mean = 0.0, deviation = 0.0;
    template <class Samples>
    explicit Scatter(const Samples& all) {
        double n = 0.0, squares = 0.0;
        for (const double v : all) {
            if (is_nan(v)) continue;
            const double away = v - mean;
            mean += away / ++n;
            squares += away * (v - mean);
        }
        deviation = n > 1.0 ? std::sqrt(squares / (n - 1.0)) : 0.0;
    }
};

/// Standard deviation in m of the heights before the command first moves; 0 if that takes less than 50 periods.
template <class = void>
[[nodiscard]] double noise_at_rest(const RigRecord& r) {
    std::size_t n = 0;
    while (n < r.command.size() && !(std::fabs(r.command[n] - r.command[0]) > 0.0)) ++n;
    return n < 50 ? 0.0 : Scatter(std::span(r.height).first(n)).deviation;
}

/// @throws SetupError if the force was clipped, contact was lost, or nothing was excited beyond the noise.
template <class = void>
void check_excitation(const RigRecord& air, const RigRecord& contact) {
    constexpr const char* here = rig_fit_name;
    const double height_noise = noise_at_rest(air), height = Scatter(air.height).deviation;
    require(height > 3.0 * height_noise, here, "the heights in the air vary by ", height, " m, and by ", height_noise,
            " m at rest: the drive must move more; use a larger excitation.step");
    const double force_noise = Scatter(air.force).deviation, force = Scatter(contact.force).deviation;
    require(force > 1.5 * force_noise, here, "the force in contact varies by ", force, " N, and by ", force_noise,
            " N without contact: it must vary more; use a larger excitation.swing or travel");
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const double f : contact.force)
        if (!is_nan(f)) low = std::min(low, f), high = std::max(high, f);
    require(low > 3.0 * force_noise, here, "the force in contact falls to ", low, " N with a noise of ", force_noise,
            " N: the strip may have left the pad; use a smaller excitation.swing or more preload");
    for (const double end : {low, high}) {
        const auto there =
            std::count_if(contact.force.begin(), contact.force.end(), [end](double f) { return f <= end && f >= end; });
        require(there < 10 || 100 * there < static_cast<std::ptrdiff_t>(contact.force.size()), here, there, " of ",
                contact.force.size(), " forces are ", end,
                " N: the load cell seems to be at the end of its range; use a smaller excitation.swing");
    }
}

/// The search over the free parameters. It starts from `misfit.at`, which becomes the result.
template <class = void>
opt::Minimum search_rig(RigMisfit<>& misfit, const RigFitParams& p) {
    using Vec = Vector<double, Dynamic>;
    const Vec unknown = misfit.unknown();
    const opt::Bounds bounds = misfit.bounds(p);
    Vec r;
    (void)misfit.residuals(unknown, r);
    // A step of e standard deviations changes r'r by the fraction e^2/samples: the search ends at e = 1e-3.
    const opt::Minimum found = opt::levenberg_marquardt(misfit, bounds.project(unknown),
                                                        {.bounds = bounds,
                                                         .iteration_limit = p.iteration_limit,
                                                         .value_tolerance = 1e-6 / static_cast<double>(r.size()),
                                                         .typical = Vec::Ones(unknown.size())});
    misfit.at = misfit.all(found.x);
    return found;
}

/// Motor and delay from the record in the air.
template <class = void>
void fit_motor(RigMisfit<>& misfit, const RigFitParams& p) {
    using Vec = Vector<double, Dynamic>;
    misfit.in_air = true, misfit.in_contact = false;
    misfit.free = {2};
    Vec r;
    double least = HUGE_VAL, best = misfit.at[2];
    for (double delay = 0.0; delay <= p.longest_delay; delay += 0.5) {
        (void)misfit.residuals(Vec{{delay}}, r);
        if (r.squaredNorm() < least) least = r.squaredNorm(), best = delay;
    }
    misfit.at[2] = best;
    misfit.free = {0, 1, 2};
    (void)search_rig(misfit, p);
}

/// @throws SetupError if the drive moves against its commands, in another unit, or is limited in larger motions.
template <class = void>
void check_motor(const RigMisfit<>& misfit, const plant::RigParams& nominal, double noise, const RigFitParams& p,
                 std::vector<std::string>& all) {
    using Vec = Vector<double, Dynamic>;
    constexpr const char* here = rig_fit_name;
    const Vec left = misfit.left_in_air(misfit.x());
    const RigChannel& c = misfit.air_height();
    const Vec seen = c.left_by(Vec::Zero(c.y.size()), Matrix<double, Dynamic>::Ones(c.y.size(), 1));
    const Vec modelled = seen - left;
    const double gain = modelled.dot(seen) / modelled.squaredNorm();
    require(gain > 0.5 && gain < 2.0, here, "the drive moves by ", gain,
            " m for each metre commanded, must be 1: is the sign or the unit of command or encoder wrong?");
    all = doubts(left, seen, noise, Vec(), {}, {});
    if (std::fabs(gain - 1.0) > 0.01)
        all.push_back("the drive moves by " + shown(gain) + " m for each metre commanded, the model by 1");
    if (all.empty()) return;
    RigRecord half = misfit.air();
    const std::size_t n = half.time.size() / 2;
    for (auto* part : {&half.time, &half.command, &half.height, &half.force}) part->resize(n);
    const auto reach = [](const RigRecord& r) {
        const auto [low, high] = std::minmax_element(r.command.begin(), r.command.end());
        return *high - *low;
    };
    if (!(reach(half) < 0.9 * reach(misfit.air())) || !(reach(half) > 0.0)) return;
    RigMisfit<> small(nominal, half, misfit.contact());
    fit_motor(small, p);
    const auto frequency = [&](const Vec& at) {
        return std::sqrt(at[0] * misfit.scale[0] / nominal.motor.mass) / (2.0 * std::numbers::pi);
    };
    const double slow = frequency(misfit.at), fast = frequency(small.at);
    require(std::fabs(slow - fast) < 0.05 * fast, here, "jumps of up to ", reach(half), " m show a motor of ", fast,
            " Hz, jumps of up to ", reach(misfit.air()), " m one of ", slow,
            " Hz: the drive is at its limit of speed, acceleration or force; use a smaller excitation.step");
}

}  // namespace detail

/// Motor, delay, pad and head mass from what a rig did in the air and in contact (rig::Commissioning::record()).
/// Everything else is taken as given. The given motor, delay, pad and head mass are the start of the search: they may
/// be off by a third; delays by any number of periods.
/// @throws SetupError if a record is too short, has gaps, an infinite value or uneven periods, if nothing was excited,
/// the force was clipped, contact lost, a sign or unit wrong or the drive at its limits.
template <class = void>
[[nodiscard]] RigFit fit_rig(const plant::RigParams& nominal, const RigRecord& air, const RigRecord& contact,
                             const RigFitParams& p = {}) {
    using Vec = Vector<double, Dynamic>;
    constexpr const char* here = detail::rig_fit_name;
    plant::validate(nominal, here);
    require(p.probability > 0.0 && p.probability < 1.0, here, "probability is ", p.probability,
            ", must be between 0 and 1");
    require(p.largest_factor > 1.0, here, "largest_factor is ", p.largest_factor, ", must be above 1");
    require(p.longest_delay > 0.0 && p.longest_delay <= 2 * plant::longest_delay, here, "longest_delay is ",
            p.longest_delay, " periods, must be above 0 and at most ", 2 * plant::longest_delay);
    detail::check_rig_record(air, "in the air", p);
    detail::check_rig_record(contact, "in contact", p);
    detail::check_excitation(air, contact);
    detail::RigMisfit<> misfit(nominal, air, contact);
    const double other = (contact.time.back() - contact.time.front()) / static_cast<double>(contact.time.size() - 1);
    require(std::fabs(other - misfit.dt()) <= 1e-3 * misfit.dt(), here, "the periods are ", misfit.dt(),
            " s in the air and ", other, " s in contact, must be the same");
    const auto deviation = [](const Vec& left, Eigen::Index unknowns) {
        return std::max(left.norm() / std::sqrt(static_cast<double>(std::max<Eigen::Index>(1, left.size() - unknowns))),
                        1e-12);
    };
    RigFit fit;
    detail::fit_motor(misfit, p);
    const double height_noise = detail::noise_at_rest(air), force_noise = detail::Scatter(air.force).deviation;
    detail::check_motor(misfit, nominal, height_noise, p, fit.doubts);
    misfit.height_noise = deviation(misfit.left_in_air(misfit.x()), 4);

    // The pad and the head: at first from pieces of 32 periods, in the end from the whole record.
    misfit.in_air = false, misfit.in_contact = true;
    misfit.free = {3, 4};
    const auto samples = static_cast<Eigen::Index>(contact.time.size());
    for (misfit.length = 32;; misfit.length = std::min(2 * misfit.length, samples)) {
        (void)detail::search_rig(misfit, p);
        if (misfit.length == samples) break;
    }
    const auto in_contact = [&] {
        return detail::RigResponse<>(nominal, misfit.x(), misfit.dt(), plant::Contact::closed);
    };
    Vec height, force;
    in_contact().march(contact.command, height, force);
    Vec left = misfit.left_of_force(in_contact(), force);
    const Vec seen = misfit.left_of_force(in_contact(), Vec::Zero(samples)), modelled = seen - left;
    const double gain = modelled.dot(seen) / modelled.squaredNorm();
    require(
        gain > 0.5 && gain < 2.0, here, "the force changes by ", gain,
        " N for each newton that the model expects, must be 1: is the sign or the unit of force, command or encoder "
        "wrong? (The force must fall when the drive moves up)");
    misfit.force_noise = deviation(left, in_contact().unknowns());

    misfit.in_air = misfit.heights_in_contact = true;
    misfit.free = {0, 1, 2, 3, 4};
    const opt::Minimum search = detail::search_rig(misfit, p);
    fit.x = misfit.x();
    fit.rig = detail::RigResponse<>::with(nominal, fit.x);

    // The uncertainty, by central differences.
    const Vec at = misfit.unknown();
    Matrix<double, Dynamic> J;
    for (Eigen::Index k = 0; k < at.size(); ++k) {
        constexpr double h = 1e-5;  // the error of second order is 1e-10, that of rounding 1e-11
        Vec after, before;
        (void)misfit.residuals(at + h * Vec::Unit(at.size(), k), after);
        (void)misfit.residuals(at - h * Vec::Unit(at.size(), k), before);
        J.conservativeResize(after.size(), at.size());
        J.col(k) = (after - before) / (2.0 * h);
    }
    fit.information = information(J, 1.0);
    fit.information.deviation = fit.information.deviation.cwiseProduct(misfit.scale).eval();
    const double wide = std::sqrt(chi_square_quantile(p.probability, 1));
    fit.lower = fit.x - wide * fit.information.deviation, fit.upper = fit.x + wide * fit.information.deviation;

    in_contact().march(contact.command, height, force);
    left = misfit.left_of_force(in_contact(), force);
    fit.force_noise = deviation(left, in_contact().unknowns());
    fit.height_noise = deviation(misfit.left_in_air(fit.x), 4);
    const auto add = [&](const char* of, const std::vector<std::string>& more) {
        for (const std::string& doubt : more) fit.doubts.push_back(std::string(of) + doubt);
    };
    const Vec moved = misfit.height().left_by(Vec::Zero(samples), Matrix<double, Dynamic>::Ones(samples, 1));
    add("height in contact: ", doubts(misfit.height().left_by(height, Matrix<double, Dynamic>::Ones(samples, 1)), moved,
                                      height_noise, {}, {}, {}));
    const auto bounds = misfit.bounds(p);
    add("force in contact: ",
        doubts(left, misfit.force().left_by(Vec::Zero(samples), Matrix<double, Dynamic>::Ones(samples, 1)), force_noise,
               at, bounds, {rig_parameter_names.begin(), rig_parameter_names.end()}));
    if (search.status != Status::ok) {
        (void)misfit.residuals(at, left);
        const std::string early = ended_early(search, deviations_left(J, left, 1.0, at, bounds));
        if (!early.empty()) fit.doubts.push_back(early);
    }
    return fit;
}

#ifdef PANTO_COMPILED
extern template RigFit fit_rig(const plant::RigParams&, const RigRecord&, const RigRecord&, const RigFitParams&);
#endif

}  // namespace panto::ident
