// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Methods of identification compared on a train: the configurations of the thesis' Table 4.1, reported in the form of
/// its Tables 4.1 to 4.5. From accelerations of a hidden train, the parameters of another are found by annealing, a
/// genetic algorithm, pattern search and least squares.
///
///     train_methods                           all rows, 200 runs each, on threads
///     train_methods --list                    what the rows are
///     train_methods --rows 1 3 9 --budget 1000 --length 1000
///     mpirun -n 4 train_methods --journal methods.journal
///
/// The hidden train is nonlinear and has another creep law and another integrator, parameters that are off by up to
/// 30 %, noise, accelerometers that sit elsewhere than is said and a record that is 1.2 m late; the one that is fitted
/// is linear. Misfits are in the band from 1 to 10 Hz, over the whole record and for each section of 250 m.
/// summary.json, methods.csv, sections.csv and report.html go into the output folder.
#include <panto/ident/misfit.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/opt/genetic.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/opt/simulated_annealing.hpp>
#include <panto/sensitivity/sampling.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/run.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/track_design.hpp>
#include <panto/version.hpp>

#include "executor_option.hpp"
#include "option_values.hpp"
#include "seed_option.hpp"
#include "track_option.hpp"
#include "vehicle_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace panto;

namespace {

using Values = Vector<double, Dynamic>;

struct Options {
    std::vector<int> rows;  // empty: all
    int budget = 200;       // runs for each row
    double length = 250.0;  // m
    double noise = 0.1;     // of the record
    std::uint64_t seed = 1;
    std::string executor = "auto";
    std::string journal;
    std::string out = "train_methods";
    bool report = true;
    bool list = false;
};

/// Where is measured: Tables 4.2 to 4.5.
enum class Sensors { bogie_vertical, carriage_lateral, power_car, power_car_and_carriages };
constexpr std::array<const char*, 4> sensors_names{"bogie A vertical", "carriage 2 lateral", "power car",
                                                   "power car, carriages 1 to 3"};
constexpr std::array<const char*, 4> tables{"4.2", "4.3", "4.4", "4.5"};
/// As Table 4.1 writes them: bogies and car bodies, across and up, and the freedoms of the misfit.
constexpr std::array<std::array<const char*, 5>, 4> channels{
    {{"-", "A", "-", "-", "3"},
     {"-", "-", "R2", "-", "3"},
     {"A B", "A B", "M1", "M1", "11"},
     {"A B 1 2 3", "A B 1 2 3", "M1 R1 R2 R3", "M1 R1 R2 R3", "23"}}};

/// Which parameters are varied: the eight of the power car that Table 4.1 names, all of the suspension, and masses and
/// inertias of the first three car bodies beside either.
enum class Set { eight, eight_and_masses, all, all_and_masses };

struct Row {
    Sensors sensors;
    const char* method;     // SA, GA, PS as in the thesis, LM: Levenberg and Marquardt, SA LM: both, half the runs each
    const char* criterion;  // LS: least squares, Max: maxima
    bool shift;             // of the record along the line, PK, among the parameters
    Set set;
    double tolerance;      // of every parameter; `unbounded`: from a tenth to ten times its value
    bool curve = false;    // on a curve, not on straight track
    bool place = false;    // of the accelerometers, among the parameters
    bool defects = false;  // of the track, amplitude and length of each, among the parameters
};
constexpr double unbounded = 0.0;
constexpr auto bogie = Sensors::bogie_vertical;
constexpr auto carriage = Sensors::carriage_lateral;
constexpr auto unit = Sensors::power_car;
constexpr auto both = Sensors::power_car_and_carriages;
// In the order of Tables 4.2 to 4.5, then what Table 4.1 has beyond them and what is ours: LM, places, defects.
constexpr std::array<Row, 61> rows{{
    {bogie, "SA", "LS", false, Set::eight, 0.5},
    {bogie, "SA", "LS", true, Set::eight, 0.5},
    {bogie, "SA", "Max", true, Set::eight, 0.5},
    {bogie, "SA", "LS", false, Set::all, 0.5},
    {bogie, "SA", "LS", true, Set::all, 0.5},
    {bogie, "SA", "Max", true, Set::all, 0.5},
    {bogie, "SA", "LS", false, Set::eight, 0.5, true},
    {bogie, "SA", "LS", true, Set::eight, 0.5, true},
    {bogie, "SA", "Max", true, Set::eight, 0.5, true},
    {bogie, "SA", "LS", false, Set::all, 0.5, true},
    {bogie, "SA", "LS", true, Set::all, 0.5, true},
    {bogie, "SA", "Max", true, Set::all, 0.5, true},
    {bogie, "SA", "LS", false, Set::all, unbounded},
    {bogie, "SA", "LS", true, Set::all, unbounded},
    {bogie, "SA", "LS", true, Set::all_and_masses, unbounded},
    {bogie, "SA", "LS", false, Set::eight, 0.1},
    {bogie, "SA", "LS", true, Set::all, 0.1},
    {bogie, "SA", "LS", true, Set::all_and_masses, 0.1},
    {bogie, "PS", "LS", false, Set::all, unbounded},
    {bogie, "GA", "LS", false, Set::eight, 0.5},
    {bogie, "GA", "Max", false, Set::eight, 0.5},
    {bogie, "GA", "LS", false, Set::all, 0.5},
    {bogie, "GA", "LS", false, Set::all, unbounded},
    {bogie, "GA", "LS", false, Set::all_and_masses, unbounded},
    {bogie, "SA", "LS", true, Set::eight_and_masses, 0.5},
    {bogie, "SA", "LS", true, Set::eight_and_masses, 0.5, true},
    {bogie, "PS", "LS", true, Set::eight, 0.5},
    {bogie, "PS", "LS", true, Set::eight, 0.1},
    {bogie, "PS", "LS", true, Set::all, 0.5},
    {bogie, "LM", "LS", true, Set::eight, 0.5},
    {bogie, "LM", "LS", true, Set::all, 0.5},
    {bogie, "LM", "LS", true, Set::all, unbounded},
    {bogie, "LM", "LS", true, Set::all_and_masses, 0.5},
    {bogie, "LM", "LS", true, Set::eight, 0.5, true},
    {bogie, "LM", "LS", true, Set::eight, 0.5, false, true},
    {bogie, "SA", "LS", true, Set::eight, 0.5, false, true},
    {bogie, "LM", "LS", true, Set::eight, 0.5, false, true, true},
    {carriage, "SA", "LS", false, Set::all, 0.5},
    {carriage, "SA", "Max", false, Set::all, 0.5},
    {carriage, "SA", "LS", true, Set::all_and_masses, 0.1},
    {carriage, "GA", "LS", false, Set::all, 0.1},
    {carriage, "LM", "LS", true, Set::all, 0.5},
    {unit, "SA", "LS", false, Set::all, 0.5},
    {unit, "SA", "LS", true, Set::all, 0.5},
    {unit, "SA", "Max", false, Set::all, 0.5},
    {unit, "SA", "LS", true, Set::all, 0.1},
    {unit, "SA", "LS", true, Set::all_and_masses, 0.1},
    {unit, "GA", "LS", false, Set::all, 0.1},
    {unit, "PS", "LS", false, Set::all, 0.1},
    {unit, "LM", "LS", true, Set::all, 0.5},
    {both, "SA", "LS", false, Set::all, 0.5},
    {both, "SA", "LS", true, Set::all, 0.5},
    {both, "SA", "LS", true, Set::all_and_masses, 0.5},
    {both, "SA", "LS", true, Set::all, unbounded},
    {both, "SA", "LS", true, Set::all, 0.1},
    {both, "SA", "LS", true, Set::all_and_masses, 0.1},
    {both, "PS", "LS", false, Set::all, unbounded},
    {both, "GA", "LS", false, Set::all, 0.1},
    {both, "GA", "LS", false, Set::all_and_masses, 0.1},
    {both, "LM", "LS", true, Set::all, 0.5},
    {bogie, "SA LM", "LS", true, Set::eight, 0.5, false, true},
}};

/// Irregularities with defects of a section on them.
struct DefectiveTrack {
    vehicle::SampledTrack recorded;
    std::vector<vehicle::SmoothDefect<>> defects{};
    [[nodiscard]] vehicle::TrackPoint<double> at(double s) const noexcept {
        vehicle::TrackPoint<double> sum = recorded.at(s);
        for (const auto& d : defects) {
            const auto t = d.at(s);
            sum = {sum.lateral + t.lateral, sum.vertical + t.vertical, sum.roll + t.roll};
        }
        return sum;
    }
};
using Track = vehicle::DesignedTrack<DefectiveTrack>;

/// The hidden train's record, and the train that is fitted to it.
class Problem {
  public:
    Problem(const Options& o, const Row& row)
        : row_(row), length_(o.length), lead_(row.curve ? 400.0 : 120.0), track_(line(o)) {
        const bool few = row.set == Set::eight || row.set == Set::eight_and_masses;
        for (std::size_t i = 0; i < train_.parameters.size(); ++i) {
            const int number = std::atoi(train_.parameters[i].name.c_str());
            if (number >= 1 && number < 90 && train_.parameters[i].value > 0.0 && (!few || is_important(number)))
                varied_.push_back(i);
            if (number >= 90 && number < 102 && (row.set == Set::eight_and_masses || row.set == Set::all_and_masses))
                (number % 4 == 2 ? masses_ : inertias_).push_back(i);  // 90 mass, 91 to 93 inertias, 94 mass ...
        }
        auto hidden = train_.values();
        sensitivity::Lcg random(o.seed);
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            const int number = std::atoi(train_.parameters[i].name.c_str());
            const auto k = std::find(important.begin(), important.end(), number) - important.begin();
            if (is_important(number))
                hidden[i] *= k % 2 == 0 ? 0.7 : 1.3;
            else if (number >= 1 && number < 90)
                hidden[i] *= 0.9 + 0.2 * random.uniform();
        }
        const vehicle::NonlinearVehicle<vehicle::Polach> train(vehicle::assemble(train_, hidden), speed, {}, {},
                                                               {.stiffness = 15e6});
        Track there = track_;  // where the defects are larger and longer by turns
        for (std::size_t i = 0; i < there.irregularities.defects.size(); ++i) {
            there.irregularities.defects[i].vertical *= i % 2 == 0 ? 1.3 : 0.7;
            there.irregularities.defects[i].length *= i % 2 == 0 ? 0.85 : 1.15;
        }
        Matrix<double, Dynamic> y =
            vehicle::accelerations(train, there, probes(train.assembly(), true_place),
                                   {.start = late, .lead = lead_, .length = length_, .period = period});
        require(y.allFinite(), "train_methods", "the hidden train leaves its rails with --seed ", o.seed,
                ", take another one");
        for (Eigen::Index c = 0; c < y.rows(); ++c) {
            const double size = std::sqrt(y.row(c).squaredNorm() / static_cast<double>(y.cols()));
            for (Eigen::Index i = 0; i < y.cols(); ++i) y(c, i) += o.noise * size * random.normal();
        }
        const bool peaks = std::string(row.criterion) == "Max";
        whole_.emplace(record(y), parameters_of(peaks ? ident::MisfitKind::peaks : ident::MisfitKind::least_squares));
        const auto in_section = static_cast<Eigen::Index>(std::floor(section_length / speed / period));
        for (Eigen::Index first = 0; sections_.empty() || first + in_section <= y.cols(); first += in_section)
            sections_.emplace_back(record(y.middleCols(first, std::min(in_section, y.cols()))),
                                   parameters_of(ident::MisfitKind::least_squares));
        best_point = Values::Zero(unknowns());
    }

    static constexpr double section_length = 250.0;  // m

    /// Every parameter from -1 to 1; then the shift, the places, the defects, where they are among them.
    [[nodiscard]] Eigen::Index unknowns() const {
        return static_cast<Eigen::Index>(parameters() + 2 * track_.irregularities.defects.size()) +
               (row_.shift ? 1 : 0) + (row_.place ? 2 : 0);
    }
    [[nodiscard]] std::size_t parameters() const { return varied_.size() + masses_.size() + inertias_.size(); }
    /// m, along the line.
    [[nodiscard]] double shift(const Values& z) const { return row_.shift ? largest_shift * z[first_extra()] : 0.0; }
    /// m, of all accelerometers, ahead and to the left of where they are said to be.
    [[nodiscard]] std::array<double, 2> place(const Values& z) const {
        const Eigen::Index i = first_extra() + (row_.shift ? 1 : 0);
        return row_.place ? std::array{largest_place * z[i], largest_place * z[i + 1]} : std::array{0.0, 0.0};
    }

    /// The record of the train that is fitted, not finite where it is no train.
    [[nodiscard]] Values model(const Values& z) const {
        ++runs;
        const Eigen::Index samples = whole_->samples();
        try {
            const vehicle::LinearMarch march(vehicle::linearize(vehicle::assemble(train_, values(z)), speed), period);
            const auto where = probes(march.vehicle().assembly, place(z));
            const Track track = track_of(z);
            const double start = shift(z);
            const auto before = static_cast<long>(std::ceil(lead_ / speed / period));
            Matrix<double, Dynamic> y(samples, static_cast<Eigen::Index>(where.size()));
            auto x = march.rest();
            for (long n = 0; n < before + samples; ++n) {
                for (std::size_t i = 0; n >= before && i < where.size(); ++i)
                    y(n - before, static_cast<Eigen::Index>(i)) = march.acceleration(where[i], x);
                march.step(start / speed + static_cast<double>(n) * period, track, x);
            }
            return y.reshaped();
        } catch (const SetupError&) {  // a wheelset would lift, for instance
            return Values::Constant(samples * static_cast<Eigen::Index>(whole_->record().size()), no_number<double>());
        }
    }
    double operator()(const Values& z) const { return noted(z, (*whole_)(model(z))); }
    /// For opt::levenberg_marquardt.
    Status residuals(const Values& z, Values& r) const {
        r = whole_->residuals(model(z));
        return is_finite(noted(z, r.squaredNorm())) ? Status::ok : Status::not_finite;
    }
    /// Least squares of every section.
    [[nodiscard]] std::vector<double> by_section(const Values& z) const {
        const Values y = model(z);
        std::vector<double> all;
        Eigen::Index first = 0;
        for (const ident::Misfit& m : sections_) {
            Values part(m.samples() * static_cast<Eigen::Index>(m.record().size()));
            for (std::size_t c = 0; c < m.record().size(); ++c) {
                const auto k = static_cast<Eigen::Index>(c);
                part.segment(k * m.samples(), m.samples()) = y.segment(k * whole_->samples() + first, m.samples());
            }
            all.push_back(m(part));
            first += m.samples();
        }
        return all;
    }

    mutable int runs = 0;
    mutable double best = 1e300;
    mutable Values best_point{};

  private:
    static constexpr std::array<int, 8> important{3, 6, 9, 10, 11, 17, 20, 26};
    static constexpr double speed = 300.0 / 3.6, period = 2e-3, late = 1.2, largest_shift = 3.0, largest_place = 0.5;
    static constexpr std::array<double, 2> true_place{0.25, -0.15};

    [[nodiscard]] static bool is_important(int number) {
        return std::find(important.begin(), important.end(), number) != important.end();
    }
    [[nodiscard]] Eigen::Index first_extra() const { return static_cast<Eigen::Index>(parameters()); }

    [[nodiscard]] static ident::MisfitParams parameters_of(ident::MisfitKind kind) {
        return {.kind = kind, .band = {1.0, 10.0}};
    }
    [[nodiscard]] static std::vector<ident::Channel> record(const Matrix<double, Dynamic>& y) {
        std::vector<ident::Channel> all;
        for (Eigen::Index c = 0; c < y.rows(); ++c) {
            ident::Channel channel{.name = std::to_string(c + 1), .values = y.row(c).transpose()};
            channel.scale = std::sqrt(channel.values.squaredNorm() / static_cast<double>(y.cols()));
            channel.time = Values::LinSpaced(y.cols(), 0.0, period * static_cast<double>(y.cols() - 1));
            all.push_back(std::move(channel));
        }
        return all;
    }

    /// The line as it is known: with the four defects of every section, and the curve, of rows that have them.
    [[nodiscard]] Track line(const Options& o) const {
        Track track{{}, {random_track(vehicle::TrackSpectrum::low_disturbance(), 5, 0.0, lead_ + o.length + 60.0)}};
        if (row_.curve)  // 0.18 m/s^2 are not balanced
            track.design = vehicle::TrackDesign::curve(20.0, 250.0, o.length + 500.0, {1.0 / 6000.0, 0.1});
        for (int i = 0; row_.defects && i < 4; ++i)
            track.irregularities.defects.push_back(
                {.start = lead_ + 15.0 + 0.24 * i * std::min(o.length, section_length),
                 .length = 12.0 + 4.0 * i,
                 .vertical = i % 2 == 0 ? 4e-3 : -3e-3});
        return track;
    }
    [[nodiscard]] Track track_of(const Values& z) const {
        Track track = track_;
        auto& defects = track.irregularities.defects;
        Eigen::Index i = z.size() - 2 * static_cast<Eigen::Index>(defects.size());
        for (auto& d : defects) d.vertical *= 1.0 + 0.5 * z[i], d.length *= 1.0 + 0.5 * z[i + 1], i += 2;
        return track;
    }

    /// A mass or stiffness by its place between -1 and 1.
    [[nodiscard]] double factor(double z) const {
        return row_.tolerance > 0.0 ? 1.0 + row_.tolerance * z : std::pow(10.0, z);
    }
    [[nodiscard]] std::vector<double> values(const Values& z) const {
        auto all = train_.values();
        Eigen::Index k = 0;
        for (const std::size_t i : varied_) all[i] *= factor(z[k++]);
        for (const std::size_t i : masses_) all[i] *= factor(z[k++]);
        // Of the inertias their second moments, int x^2 dm and so on, are varied: whatever these are, it is a body.
        for (std::size_t i = 0; i < inertias_.size(); i += 3) {
            const double Jx = all[inertias_[i]], Jy = all[inertias_[i + 1]], Jz = all[inertias_[i + 2]];
            const double x = 0.5 * (Jy + Jz - Jx) * factor(z[k++]), y = 0.5 * (Jx + Jz - Jy) * factor(z[k++]),
                         w = 0.5 * (Jx + Jy - Jz) * factor(z[k++]);
            all[inertias_[i]] = y + w, all[inertias_[i + 1]] = x + w, all[inertias_[i + 2]] = x + y;
        }
        return all;
    }

    double noted(const Values& z, double J) const {
        if (!is_finite(J)) return 1e9;
        if (J < best) best = J, best_point = z;
        return J;
    }

    /// An accelerometer on every body, up and across, and the angular accelerations that the freedoms ask for.
    [[nodiscard]] std::vector<vehicle::Probe> probes(const vehicle::Assembly& parts,
                                                     const std::array<double, 2>& place) const {
        using vehicle::Direction;
        std::vector<vehicle::Probe> all;
        const auto add = [&](const char* body, std::initializer_list<Direction> directions) {
            const auto& c = parts.nodes[static_cast<std::size_t>(parts.node(body))].centre;
            for (const Direction d : directions)
                all.push_back(parts.probe(body, {c[0] + 0.8 + place[0], 1.0 + place[1], c[2]}, d));
        };
        switch (row_.sensors) {
            case Sensors::bogie_vertical: add("A", {Direction::z, Direction::roll, Direction::pitch}); break;
            case Sensors::carriage_lateral: add("R2", {Direction::y, Direction::roll, Direction::yaw}); break;
            case Sensors::power_car_and_carriages:
                for (const char* body : {"1", "2", "3", "R1", "R2", "R3"}) add(body, {Direction::y, Direction::z});
                [[fallthrough]];
            case Sensors::power_car:
                for (const char* body : {"A", "B"})
                    add(body, {Direction::y, Direction::z, Direction::roll, Direction::pitch});
                add("M1", {Direction::y, Direction::z, Direction::pitch});
                break;
        }
        return all;
    }

    Row row_;
    double length_, lead_;  // m
    vehicle::Multibody train_ = vehicle_called("tgv_like_117");
    std::vector<std::size_t> varied_{}, masses_{}, inertias_{};
    Track track_;
    std::optional<ident::Misfit> whole_{};
    std::vector<ident::Misfit> sections_{};
};

[[nodiscard]] std::size_t sections_of(const Options& o) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(o.length / Problem::section_length));
}

/// Misfit before and after, %, runs, s, number of parameters; shift and place of the accelerometers, m; misfits of the
/// sections before and after, %.
std::vector<double> identified(const Options& o, const Row& row) {
    const auto begin = std::chrono::steady_clock::now();
    const Problem problem(o, row);
    const Eigen::Index n = problem.unknowns();
    const Values start = Values::Zero(n), one = Values::Ones(n);
    const double first = problem(start);
    const opt::Bounds box{-one, one};
    const std::string method = row.method;
    int limit = method == "SA LM" ? o.budget / 2 : o.budget;
    const opt::Observer within = [&](const opt::Progress&) { return problem.runs < limit; };
    if (method.starts_with("SA"))
        (void)opt::simulated_annealing(
            problem, start, {.bounds = box, .sweeps = 1, .adaptations = 1, .seed = o.seed, .observer = within});
    limit = o.budget;
    if (method == "GA")
        (void)opt::genetic(problem, start, {.bounds = box, .population = 20, .seed = o.seed, .observer = within});
    if (method == "PS")
        (void)opt::pattern_search(
            problem, start, {.bounds = box, .first_mesh = 0.25, .evaluation_limit = o.budget, .observer = within});
    if (method.ends_with("LM")) {
        const Values from = problem.best_point;
        (void)opt::levenberg_marquardt(
            problem, from,
            {.bounds = box, .value_tolerance = 1e-4, .difference_step = 1e-3, .typical = one, .observer = within});
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const Values& found = problem.best_point;
    const auto place = problem.place(found);
    std::vector<double> all{100.0 * first,
                            100.0 * problem.best,
                            static_cast<double>(problem.runs),
                            seconds,
                            static_cast<double>(problem.parameters()),
                            problem.shift(found),
                            place[0],
                            place[1]};
    for (const Values& z : {start, found})
        for (const double J : problem.by_section(z)) all.push_back(100.0 * J);
    return all;
}

[[nodiscard]] std::string tolerance_of(const Row& row) {
    return row.tolerance > 0.0 ? shown(100.0 * row.tolerance) : "-";
}
[[nodiscard]] bool with_masses(const Row& row) {
    return row.set == Set::eight_and_masses || row.set == Set::all_and_masses;
}
[[nodiscard]] bool few(const Row& row) { return row.set == Set::eight || row.set == Set::eight_and_masses; }
[[nodiscard]] const char* yes(bool what) { return what ? "yes" : "no"; }

/// A row as in Table 4.1.
[[nodiscard]] std::vector<std::string> configuration(std::size_t k) {
    const Row& row = rows[k];
    const auto& c = channels[static_cast<std::size_t>(row.sensors)];
    std::vector<std::string> cells{std::to_string(k + 1), row.method, row.criterion};
    cells.insert(cells.end(), c.begin(), c.end());
    const char* rest = few(row) ? "-" : "all";
    for (const char* set : {few(row) ? "3 6 9 10 11" : "all", few(row) ? "17 20 26" : "all", rest, rest})
        cells.emplace_back(set);
    cells.insert(cells.end(), {yes(row.shift), with_masses(row) ? "cb" : "-", row.curve ? "c" : "s", yes(row.place),
                               yes(row.defects), tolerance_of(row)});
    return cells;
}
const std::vector<std::string> configuration_columns{"row",      "Opt", "C",     "bogie lat", "bogie vert", "car lat",
                                                     "car vert", "dof", "TU PS", "TU SS",     "C PS",       "C SS",
                                                     "PK",       "M",   "T",     "place",     "defects",    "Tol %"};

void print(const std::vector<std::string>& cells) {
    for (const std::string& c : cells) std::printf("%s\t", c.c_str());
    std::printf("\n");
}

void report(const std::vector<std::size_t>& chosen, const study::Results& results, const Options& o,
            const std::filesystem::path& folder) {
    const std::vector<std::string> columns{"row",   "Meth",  "Crit",   "PK",   "place",   "M",
                                           "Num",   "Tol %", "T",      "L km", "init %",  "end %",
                                           "red %", "runs",  "time s", "PK m", "ahead m", "left m"};
    io::CsvTable csv{{"rows of train_methods.cpp; misfits before and after, in %"},
                     {{"row", {}},
                      {"parameters", {}},
                      {"tolerance_percent", {}},
                      {"curve", {}},
                      {"before_percent", {}},
                      {"after_percent", {}},
                      {"reduction_percent", {}},
                      {"runs", {}},
                      {"time_s", {}},
                      {"shift_m", {}},
                      {"ahead_m", {}},
                      {"left_m", {}}}};
    io::CsvTable sections{{"least squares of every section of 250 m, in %"},
                          {{"row", {}}, {"section", {}}, {"before_percent", {}}, {"after_percent", {}}}};
    nlohmann::ordered_json json{{"format", "panto-train-methods"},
                                {"version", 1},
                                {"length_m", o.length},
                                {"budget", o.budget},
                                {"failed", results.failed}};
    io::Page page{
        .title = "Methods of identification on a train",
        .subtitle = shown(o.length) + " m at 300 km/h, 1 to 10 Hz, " + std::to_string(o.budget) + " runs for each row",
        .version = std::string(version)};
    io::PageTable configurations{.title = "Configurations (Table 4.1)", .columns = configuration_columns, .rows = {}};
    for (const std::size_t k : chosen) configurations.rows.push_back(configuration(k));
    page.tables.push_back(configurations);
    io::PageTable by_section{
        .title = "Sections of 250 m (figure 4.49): least squares, %", .columns = {"row"}, .rows = {}};
    const std::size_t count = sections_of(o);
    for (std::size_t i = 1; i <= count; ++i)
        for (const char* when : {" init", " end"}) by_section.columns.push_back(std::to_string(i) + when);
    print(columns);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const Row& row = rows[chosen[k]];
        const auto kind = static_cast<std::size_t>(row.sensors);
        const std::string title = std::string(sensors_names[kind]) + " (Table " + tables[kind] + ")";
        if (page.tables.back().title != title) page.tables.push_back({.title = title, .columns = columns, .rows = {}});
        const study::Outcome& outcome = results.outcomes[k];
        if (!outcome.ok()) {
            std::printf("row %zu failed: %s\n", chosen[k] + 1, outcome.reason.c_str());
            page.warning = "Row " + std::to_string(chosen[k] + 1) + " failed: " + outcome.reason;
            continue;
        }
        const auto& v = outcome.values;
        const double reduction = 100.0 * (1.0 - v[1] / v[0]);
        const std::vector<std::string> cells{std::to_string(chosen[k] + 1),
                                             row.method,
                                             row.criterion,
                                             yes(row.shift),
                                             yes(row.place),
                                             with_masses(row) ? "cb" : "-",
                                             shown(v[4]),
                                             tolerance_of(row),
                                             row.curve ? "c" : "s",
                                             shown(o.length / 1000.0),
                                             shown(v[0], 3),
                                             shown(v[1], 3),
                                             shown(reduction, 3),
                                             shown(v[2]),
                                             shown(v[3], 3),
                                             row.shift ? shown(v[5], 3) : "",
                                             row.place ? shown(v[6], 3) : "",
                                             row.place ? shown(v[7], 3) : ""};
        print(cells);
        page.tables.back().rows.push_back(cells);
        const double number = static_cast<double>(chosen[k] + 1);
        const std::array<double, 12> numbers{
            number, v[4], 100.0 * row.tolerance, row.curve ? 1.0 : 0.0, v[0], v[1], reduction, v[2], v[3], v[5],
            v[6],   v[7]};
        for (std::size_t c = 0; c < numbers.size(); ++c) csv.columns[c].values.push_back(numbers[c]);
        by_section.rows.push_back({std::to_string(chosen[k] + 1)});
        for (std::size_t i = 0; i < count; ++i) {
            const std::array<double, 4> line{number, static_cast<double>(i + 1), v[8 + i], v[8 + count + i]};
            for (std::size_t c = 0; c < line.size(); ++c) sections.columns[c].values.push_back(line[c]);
            by_section.rows.back().push_back(shown(line[2], 3));
            by_section.rows.back().push_back(shown(line[3], 3));
        }
        json["rows"].push_back({{"row", chosen[k] + 1},
                                {"sensors", sensors_names[kind]},
                                {"method", row.method},
                                {"criterion", row.criterion},
                                {"shift", row.shift},
                                {"place", row.place},
                                {"defects", row.defects},
                                {"masses", with_masses(row)},
                                {"curve", row.curve},
                                {"parameters", v[4]},
                                {"tolerance", row.tolerance > 0.0 ? nlohmann::ordered_json(row.tolerance) : nullptr},
                                {"before_percent", v[0]},
                                {"after_percent", v[1]},
                                {"runs", v[2]},
                                {"seconds", v[3]},
                                {"shift_m", v[5]},
                                {"ahead_m", v[6]},
                                {"left_m", v[7]}});
    }
    page.tables.push_back(by_section);
    io::write_csv(folder / "methods.csv", csv);
    io::write_csv(folder / "sections.csv", sections);
    io::write_text(folder / "summary.json", io::pretty(json) + "\n");
    if (!o.report) return;
    page.metadata = {{"hidden train", "nonlinear, Polach's creep law, Runge-Kutta steps, parameters off by up to 30 %"},
                     {"hidden record", "1.2 m late, accelerometers 0.25 m further ahead and 0.15 m further right"},
                     {"noise", shown(100.0 * o.noise) + " % of each channel"},
                     {"Tol -", "from a tenth to ten times the value"},
                     {"seed", std::to_string(o.seed)},
                     {"date", io::date_now()},
                     {"machine", io::machine_name()}};
    io::write_page(folder, page);
}

template <StudyExecutor Executor>
void conduct(const Options& o, Executor&& executor) {
    std::vector<std::size_t> chosen;
    for (const int row : o.rows) {
        require(row >= 1 && row <= static_cast<int>(rows.size()), "--rows", "has ", row, ", must be from 1 to ",
                rows.size());
        chosen.push_back(static_cast<std::size_t>(row - 1));
    }
    if (chosen.empty())
        for (std::size_t i = 0; i < rows.size(); ++i) chosen.push_back(i);
    require(o.budget >= 1, "--budget", "is ", o.budget, ", must be at least 1");
    require(o.length >= 100.0 && o.length <= 1e4, "--length", "is ", o.length, " m, must be from 100 to 10000");
    require(o.noise >= 0.0 && o.noise <= 1.0, "--noise", "is ", o.noise, ", must be from 0 to 1");
    std::optional<io::ResultFolder> results;
    if (executor.keeps_results()) {  // known before the work is done
        results.emplace(o.out, std::vector<std::string>{"summary.json", "methods.csv", "sections.csv", "report.html"});
        if (o.report) io::require_drawing();
    }
    study::Hash inputs;
    inputs.add("train_methods 2").add(o.budget).add(o.length).add(o.noise).add(o.seed).add(chosen);
    const study::Description description{.name = "methods of identification",
                                         .count = chosen.size(),
                                         .outputs = 8 + 2 * sections_of(o),
                                         .inputs = inputs.value()};
    study::ProgressBar bar;
    const study::Results found =
        study::run(description, executor, [&](std::size_t i) { return identified(o, rows[chosen[i]]); },
                   {.journal = o.journal, .observer = std::ref(bar)});
    if (!results) return;
    report(chosen, found, o, results->fresh());
    results->swap_in();
    std::cout << "results are in " << results->path().string() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Methods of identification compared on a train, as in the thesis' Tables 4.1 to 4.5.");
    Options o;
    app.add_option("--rows", o.rows, "numbers of rows, see --list; default: all");
    app.add_option("--budget", o.budget, "runs of the train for each row, after which its method ends")
        ->capture_default_str();
    app.add_option("--length", o.length, "m, of the section")->capture_default_str();
    app.add_option("--noise", o.noise, "standard deviation, over the root mean square of each channel")
        ->capture_default_str();
    add_seed(app, o.seed, "of the hidden parameters, the noise and the methods");
    add_executor(app, o.executor);
    app.add_option("--journal", o.journal, "file to which finished rows are written, and read at the next start");
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("--list", o.list, "print the configurations of all rows and end");
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        if (o.list) {
            print(configuration_columns);
            for (std::size_t k = 0; k < rows.size(); ++k) print(configuration(k));
            return 0;
        }
        with_executor(o.executor, [&](auto&& executor) { conduct(o, executor); });
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
