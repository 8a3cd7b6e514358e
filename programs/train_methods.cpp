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
/// is linear. Misfits are in the band from 1 to 10 Hz, over the whole record and for each section of 250 m. What was
/// found stands beside the truth: suspension, masses and track defects. summary.json, methods.csv, sections.csv,
/// parameters.csv, defects.csv and report.html go into the output folder.
#include <panto/core/lcg.hpp>
#include <panto/ident/misfit.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/opt/genetic.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/opt/pattern_search.hpp>
#include <panto/opt/simulated_annealing.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/run.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/linear_march.hpp>
#include <panto/vehicle/linear_ride.hpp>
#include <panto/vehicle/track_design.hpp>
#include <panto/version.hpp>

#include "executor_option.hpp"
#include "option_values.hpp"
#include "printed.hpp"
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
#include <limits>
#include <numeric>
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
// In the order of Tables 4.2 to 4.5, then what Table 4.1 has beyond them and what is ours: LM, places, defects. Row 6
// of Table 4.2 is row 5 here with --length 2000; row 8 of Table 4.5 does not say which its 32 parameters are.
constexpr std::array<Row, 72> rows{{
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
    {bogie, "SA", "Max", true, Set::eight_and_masses, 0.5},
    {bogie, "SA", "Max", true, Set::all_and_masses, 0.5},
    {bogie, "SA", "LS", true, Set::all_and_masses, 0.5, true},
    {bogie, "GA", "LS", true, Set::eight, 0.5},
    {bogie, "GA", "LS", true, Set::all, 0.5},
    {carriage, "GA", "LS", false, Set::all, 0.01},
    {carriage, "GA", "LS", true, Set::all, 0.5},
    {unit, "GA", "LS", false, Set::all, 0.01},
    {unit, "GA", "LS", true, Set::all, 0.5},
    {unit, "PS", "LS", false, Set::all, 0.01},
    {both, "GA", "LS", false, Set::all, 0.01},
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
        Lcg random(o.seed);
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
        hidden_ = std::move(hidden);
        Track there = track_;  // where the defects are larger and longer by turns
        for (std::size_t i = 0; i < there.irregularities.defects.size(); ++i) {
            there.irregularities.defects[i].vertical *= i % 2 == 0 ? 1.3 : 0.7;
            there.irregularities.defects[i].length *= i % 2 == 0 ? 0.85 : 1.15;
        }
        hidden_defects_ = there.irregularities.defects;
        Matrix<double, Dynamic> y;
        try {
            y = vehicle::accelerations(train, there, probes(train.assembly(), true_place),
                                       {.start = late, .lead = lead_, .length = length_, .period = period});
        } catch (const SetupError& e) {
            throw SetupError("the hidden train of --seed " + std::to_string(o.seed) + ": " + e.what() +
                             "; take another seed");
        }
        for (Eigen::Index c = 0; c < y.rows(); ++c) {
            const double size = std::sqrt(y.row(c).squaredNorm() / static_cast<double>(y.cols()));
            for (Eigen::Index i = 0; i < y.cols(); ++i) y(c, i) += o.noise * size * random.normal();
        }
        const auto criterion = parameters_of(std::string(row.criterion) == "Max" ? ident::MisfitKind::peaks
                                                                                 : ident::MisfitKind::least_squares);
        whole_.emplace(record(y), criterion);
        const auto in_section = static_cast<Eigen::Index>(std::floor(section_length / speed / period));
        for (Eigen::Index first = 0; sections_.empty() || first + in_section <= y.cols(); first += in_section)
            sections_.emplace_back(record(y.middleCols(first, std::min(in_section, y.cols()))), criterion);
        best_point = Values::Zero(unknowns());
    }

    static constexpr double section_length = 250.0;  // m
    static constexpr std::array<int, 8> important{3, 6, 9, 10, 11, 17, 20, 26};
    [[nodiscard]] static bool is_important(int number) {
        return std::find(important.begin(), important.end(), number) != important.end();
    }
    /// A track defect as it is known; it starts so far behind the lead-in.
    [[nodiscard]] static vehicle::SmoothDefect<> defect(double length, std::size_t i) {
        return {.start = 15.0 + 0.24 * static_cast<double>(i) * std::min(length, section_length),
                .length = 12.0 + 4.0 * static_cast<double>(i),
                .vertical = i % 2 == 0 ? 4e-3 : -3e-3};
    }

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
            const vehicle::LinearLoads loads(march.vehicle());
            for (long n = 0; n < before + samples; ++n) {
                if (!loads.check(0.0, x).ok()) return off_the_rails();
                for (std::size_t i = 0; n >= before && i < where.size(); ++i)
                    y(n - before, static_cast<Eigen::Index>(i)) = march.acceleration(where[i], x);
                march.step(start / speed + static_cast<double>(n) * period, track, x);
            }
            return y.reshaped();
        } catch (const SetupError&) {  // a wheelset would lift, for instance
            return off_the_rails();
        }
    }
    double operator()(const Values& z) const { return runs < limit ? noted(z, (*whole_)(model(z))) : refused; }
    /// For opt::levenberg_marquardt.
    Status residuals(const Values& z, Values& r) const {
        if (runs >= limit) return Status::not_finite;
        r = whole_->residuals(model(z));
        return is_finite(noted(z, r.squaredNorm())) ? Status::ok : Status::not_finite;
    }
    /// Misfit of every section.
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

    /// Of every parameter that is varied, by number: the number, what was found, what the hidden train has.
    [[nodiscard]] std::vector<std::array<double, 3>> parameters_found(const Values& z) const {
        const auto found = values(z);
        std::vector<std::array<double, 3>> all;
        for (const auto* which : {&varied_, &masses_, &inertias_})
            for (const std::size_t i : *which)
                all.push_back({std::atof(train_.parameters[i].name.c_str()), found[i], hidden_[i]});
        std::sort(all.begin(), all.end());
        return all;
    }
    /// Of every track defect: height and length, m, each as found and as they are.
    [[nodiscard]] std::vector<std::array<double, 4>> defects_found(const Values& z) const {
        const auto found = track_of(z).irregularities.defects;
        std::vector<std::array<double, 4>> all;
        for (std::size_t i = 0; i < found.size(); ++i)
            all.push_back({found[i].vertical, hidden_defects_[i].vertical, found[i].length, hidden_defects_[i].length});
        return all;
    }

    int limit = std::numeric_limits<int>::max();  ///< of runs; what comes after has no value
    mutable int runs = 0;
    mutable double best = 1e300;
    mutable Values best_point{};

  private:
    [[nodiscard]] Values off_the_rails() const {
        return Values::Constant(whole_->samples() * static_cast<Eigen::Index>(whole_->record().size()),
                                no_number<double>());
    }
    static constexpr double speed = 300.0 / 3.6, period = 2e-3, late = 1.2, largest_shift = 3.0, largest_place = 0.5;
    static constexpr std::array<double, 2> true_place{0.25, -0.15};
    static constexpr double refused = 1e9;  ///< misfit of what is no train

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
        for (std::size_t i = 0; row_.defects && i < 4; ++i) {
            track.irregularities.defects.push_back(defect(o.length, i));
            track.irregularities.defects.back().start += lead_;
        }
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
        if (!is_finite(J)) return refused;
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
    std::vector<double> hidden_{};
    std::vector<vehicle::SmoothDefect<>> hidden_defects_{};
    Track track_;
    std::optional<ident::Misfit> whole_{};
    std::vector<ident::Misfit> sections_{};
};

[[nodiscard]] std::size_t sections_of(const Options& o) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(o.length / Problem::section_length));
}

constexpr std::size_t most_parameters = 89, most_defects = 4;

/// What a row gives, as study::run keeps it.
struct Found {
    double before = 0.0, after = 0.0;  // misfit, %
    double runs = 0.0, seconds = 0.0;
    double shift = 0.0, ahead = 0.0, left = 0.0;            // m
    std::vector<double> sections_before, sections_after{};  // misfit, %
    std::vector<std::array<double, 3>> parameters{};
    std::vector<std::array<double, 4>> defects{};

    [[nodiscard]] static std::size_t outputs(std::size_t sections) {
        return 9 + 2 * sections + 3 * most_parameters + 4 * most_defects;
    }
    [[nodiscard]] std::vector<double> packed() const {
        std::vector<double> all{before, after, runs, seconds, shift, ahead, left};
        all.push_back(static_cast<double>(parameters.size())), all.push_back(static_cast<double>(defects.size()));
        for (const auto* list : {&sections_before, &sections_after}) all.insert(all.end(), list->begin(), list->end());
        for (const auto& p : parameters) all.insert(all.end(), p.begin(), p.end());
        for (const auto& d : defects) all.insert(all.end(), d.begin(), d.end());
        all.resize(outputs(sections_before.size()), 0.0);
        return all;
    }
    [[nodiscard]] static Found from(const std::vector<double>& v, std::size_t sections) {
        Found f{v[0], v[1], v[2], v[3], v[4], v[5], v[6], {}, {}, {}, {}};
        std::size_t i = 9;
        for (std::size_t k = 0; k < sections; ++k) f.sections_before.push_back(v[i++]);
        for (std::size_t k = 0; k < sections; ++k) f.sections_after.push_back(v[i++]);
        f.parameters.resize(static_cast<std::size_t>(v[7])), f.defects.resize(static_cast<std::size_t>(v[8]));
        for (auto& p : f.parameters)
            for (double& value : p) value = v[i++];
        for (auto& d : f.defects)
            for (double& value : d) value = v[i++];
        return f;
    }
};

std::vector<double> identified(const Options& o, const Row& row) {
    const auto begin = std::chrono::steady_clock::now();
    Problem problem(o, row);
    const Eigen::Index n = problem.unknowns();
    const Values start = Values::Zero(n), one = Values::Ones(n);
    const std::string method = row.method;
    problem.limit = method == "SA LM" ? (o.budget + 1) / 2 : o.budget;
    const double first = problem(start);
    const opt::Bounds box{-one, one};
    const opt::Observer within = [&](const opt::Progress&) { return problem.runs < problem.limit; };
    if (method.starts_with("SA"))
        (void)opt::simulated_annealing(
            problem, start, {.bounds = box, .sweeps = 1, .adaptations = 1, .seed = o.seed, .observer = within});
    problem.limit = o.budget;
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
    Found f{100.0 * first,
            100.0 * problem.best,
            static_cast<double>(problem.runs),
            seconds,
            problem.shift(found),
            place[0],
            place[1],
            problem.by_section(start),
            problem.by_section(found),
            problem.parameters_found(found),
            problem.defects_found(found)};
    for (auto* list : {&f.sections_before, &f.sections_after})
        for (double& J : *list) J *= 100.0;
    return f.packed();
}

/// Root mean square of the errors of the parameters as parts of their true values, %.
[[nodiscard]] double error_of(const std::vector<std::array<double, 3>>& parameters) {
    const double squares = std::accumulate(
        parameters.begin(), parameters.end(), 0.0,
        [](double sum, const std::array<double, 3>& p) { return sum + (p[1] / p[2] - 1.0) * (p[1] / p[2] - 1.0); });
    return 100.0 * std::sqrt(squares / static_cast<double>(parameters.size()));
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
    const std::vector<std::string> columns{"row",    "Meth", "Crit",    "PK",     "place",      "M",        "Num",
                                           "Tol %",  "T",    "L km",    "init %", "end %",      "red %",    "runs",
                                           "time s", "PK m", "ahead m", "left m", "par init %", "par end %"};
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
                      {"left_m", {}},
                      {"error_before_percent", {}},
                      {"error_after_percent", {}}}};
    io::CsvTable parameters{{"numbers of Tables B.1 to B.3; value at the start, found, and of the hidden train"},
                            {{"row", {}}, {"number", {}}, {"start", {}}, {"found", {}}, {"truth", {}}}};
    io::CsvTable defects{{"track defects, as known, as found and as they are"},
                         {{"row", {}},
                          {"defect", {}},
                          {"height_start_m", {}},
                          {"height_found_m", {}},
                          {"height_truth_m", {}},
                          {"length_start_m", {}},
                          {"length_found_m", {}},
                          {"length_truth_m", {}}}};
    const auto add = [](io::CsvTable& table, const auto& line) {
        std::size_t column = 0;
        for (const double value : line) table.columns[column++].values.push_back(value);
    };
    const vehicle::Multibody train = vehicle_called("tgv_like_117");
    const auto nominal = [&](double number) -> const vehicle::Multibody::Parameter& {
        return *std::find_if(train.parameters.begin(), train.parameters.end(),
                             [&](const auto& p) { return std::atoi(p.name.c_str()) == static_cast<int>(number); });
    };
    io::CsvTable sections{{"misfit of every section of 250 m by the row's criterion, in %"},
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
        .title = "Misfit of the sections of 250 m (figure 4.49), %", .columns = {"row"}, .rows = {}};
    const std::size_t count = sections_of(o);
    for (std::size_t i = 1; i <= count; ++i)
        for (const char* when : {" init", " end"}) by_section.columns.push_back(std::to_string(i) + when);
    io::PageTable important{
        .title = "Parameters found, over their values at the start", .columns = {"row"}, .rows = {}};
    for (const int number : Problem::important) important.columns.push_back(nominal(number).name);
    io::PageTable found_defects{.title = "Track defects found", .columns = {"row"}, .rows = {}};
    for (std::size_t i = 1; i <= most_defects; ++i)
        for (const char* what : {" height mm", " length m"}) found_defects.columns.push_back(std::to_string(i) + what);
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
        const Found f = Found::from(outcome.values, count);
        const double reduction = 100.0 * (1.0 - f.after / f.before), number = static_cast<double>(chosen[k] + 1),
                     varied = static_cast<double>(f.parameters.size());
        auto starts = f.parameters;
        for (auto& p : starts) p[1] = nominal(p[0]).value;
        const double error_before = error_of(starts), error_after = error_of(f.parameters);
        const std::vector<std::string> cells{std::to_string(chosen[k] + 1),
                                             row.method,
                                             row.criterion,
                                             yes(row.shift),
                                             yes(row.place),
                                             with_masses(row) ? "cb" : "-",
                                             shown(varied),
                                             tolerance_of(row),
                                             row.curve ? "c" : "s",
                                             shown(o.length / 1000.0),
                                             shown(f.before, 3),
                                             shown(f.after, 3),
                                             shown(reduction, 3),
                                             shown(f.runs),
                                             shown(f.seconds, 3),
                                             row.shift ? shown(f.shift, 3) : "",
                                             row.place ? shown(f.ahead, 3) : "",
                                             row.place ? shown(f.left, 3) : "",
                                             shown(error_before, 3),
                                             shown(error_after, 3)};
        print(cells);
        page.tables.back().rows.push_back(cells);
        add(csv, std::array{number, varied, 100.0 * row.tolerance, row.curve ? 1.0 : 0.0, f.before, f.after, reduction,
                            f.runs, f.seconds, f.shift, f.ahead, f.left, error_before, error_after});
        by_section.rows.push_back({std::to_string(chosen[k] + 1)});
        for (std::size_t i = 0; i < count; ++i) {
            add(sections, std::array{number, static_cast<double>(i + 1), f.sections_before[i], f.sections_after[i]});
            by_section.rows.back().push_back(shown(f.sections_before[i], 3));
            by_section.rows.back().push_back(shown(f.sections_after[i], 3));
        }
        nlohmann::ordered_json parameters_json = nlohmann::ordered_json::array(), defects_json = parameters_json;
        std::vector<std::string> line{std::to_string(chosen[k] + 1)}, truth{"truth"};
        for (const auto& [which, value, hidden] : f.parameters) {
            const auto& p = nominal(which);
            add(parameters, std::array{number, which, p.value, value, hidden});
            parameters_json.push_back({{"name", p.name}, {"start", p.value}, {"found", value}, {"truth", hidden}});
            if (!Problem::is_important(static_cast<int>(which))) continue;
            line.push_back(shown(value / p.value, 3)), truth.push_back(shown(hidden / p.value, 3));
        }
        if (important.rows.empty()) important.rows.push_back(truth);
        important.rows.push_back(line);
        line.resize(1), truth.resize(1);
        for (std::size_t i = 0; i < f.defects.size(); ++i) {
            const auto& [height, true_height, length, true_length] = f.defects[i];
            const auto known = Problem::defect(o.length, i);
            add(defects, std::array{number, static_cast<double>(i + 1), known.vertical, height, true_height,
                                    known.length, length, true_length});
            defects_json.push_back({{"height_start_m", known.vertical},
                                    {"height_m", height},
                                    {"height_truth_m", true_height},
                                    {"length_start_m", known.length},
                                    {"length_m", length},
                                    {"length_truth_m", true_length}});
            line.push_back(shown(1e3 * height, 3)), truth.push_back(shown(1e3 * true_height, 3));
            line.push_back(shown(length, 3)), truth.push_back(shown(true_length, 3));
        }
        if (row.defects && found_defects.rows.empty()) found_defects.rows.push_back(truth);
        if (row.defects) found_defects.rows.push_back(line);
        json["rows"].push_back({{"row", chosen[k] + 1},
                                {"sensors", sensors_names[kind]},
                                {"method", row.method},
                                {"criterion", row.criterion},
                                {"shift", row.shift},
                                {"place", row.place},
                                {"defects", defects_json},
                                {"masses", with_masses(row)},
                                {"curve", row.curve},
                                {"tolerance", row.tolerance > 0.0 ? nlohmann::ordered_json(row.tolerance) : nullptr},
                                {"before_percent", f.before},
                                {"after_percent", f.after},
                                {"runs", f.runs},
                                {"seconds", f.seconds},
                                {"shift_m", f.shift},
                                {"ahead_m", f.ahead},
                                {"left_m", f.left},
                                {"error_before_percent", error_before},
                                {"error_after_percent", error_after},
                                {"parameters", parameters_json}});
    }
    page.tables.push_back(important);
    if (!found_defects.rows.empty()) page.tables.push_back(found_defects);
    page.tables.push_back(by_section);
    io::write_csv(folder / "methods.csv", csv);
    io::write_csv(folder / "sections.csv", sections);
    io::write_csv(folder / "parameters.csv", parameters);
    io::write_csv(folder / "defects.csv", defects);
    io::write_text(folder / "summary.json", io::pretty(json) + "\n");
    if (!o.report) return;
    page.metadata = {
        {"hidden train", "nonlinear, Polach's creep law, Runge-Kutta steps, parameters off by up to 30 %"},
        {"hidden record", "1.2 m late, accelerometers 0.25 m further ahead and 0.15 m further right"},
        {"noise", shown(100.0 * o.noise) + " % of each channel"},
        {"Tol -", "from a tenth to ten times the value"},
        {"par init, par end", "error of the parameters, root mean square of the parts of their true values"},
        {"seed", std::to_string(o.seed)}};
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
        results.emplace(o.out, std::vector<std::string>{"summary.json", "methods.csv", "sections.csv", "parameters.csv",
                                                        "defects.csv", "report.html"});
        if (o.report) io::require_drawing();
    }
    study::Hash inputs;
    inputs.add("train_methods 3").add(o.budget).add(o.length).add(o.noise).add(o.seed).add(chosen);
    const study::Description description{.name = "methods of identification",
                                         .count = chosen.size(),
                                         .outputs = Found::outputs(sections_of(o)),
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
            check_printed();
            return 0;
        }
        with_executor(o.executor, [&](auto&& executor) { conduct(o, executor); });
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
