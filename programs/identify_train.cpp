// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parameters of a train from what accelerometers on its leading bogie and car body recorded on one section of line.
///
///     identify_train                                  eight parameters of Table B.1 from 20 % off, noise of 1 %
///     identify_train --parameters 17 26 --length 100 --noise 0.02
///     identify_train --choose 6                       the six that Morris' method finds to matter most
///     identify_train --choose 30 --model linear       more than one can difference: by the transposed march
///
/// The record is a virtual one: the same train with another creep law (Polach) and half the step, and with noise.
/// Parameters are given by number or name, or chosen. First the linear train is fitted, with the gradient of its
/// transposed march; then, from there, the nonlinear one by Levenberg and Marquardt's method with differences.
/// Intervals come from the noise of the residuals. summary.json, series.csv and report.html go into the output folder.
#include <panto/core/lcg.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/page.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/opt/bfgs.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/sensitivity/morris.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/run.hpp>
#include <panto/vehicle/line_record.hpp>
#include <panto/vehicle/linear_gradient.hpp>
#include <panto/vehicle/linear_ride.hpp>
#include <panto/version.hpp>

#include "executor_option.hpp"
#include "option_values.hpp"
#include "printed.hpp"
#include "track_option.hpp"
#include "vehicle_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace panto;

namespace {

using Values = Vector<double, Dynamic>;

struct Options {
    std::string vehicle = "tgv_like_117";
    std::vector<std::string> parameters{"3", "6", "9", "10", "11", "17", "20", "26"};
    std::string track = "low";
    std::uint64_t track_seed = 5;
    double speed = 300.0;   // km/h
    double length = 250.0;  // m
    double noise = 0.01;    // of the record
    double off = 0.2;
    std::string model = "both";
    std::string gradient = "adjoint";
    int choose = 0;  // parameters; 0: those named
    int trajectories = 10;
    std::string executor = "auto";
    std::uint64_t seed = 1;
    std::string out = "identified_train";
    bool report = true;
};

/// The train as a user would model it: its record by the parameters that are varied, over their values in the file.
class Model {
  public:
    explicit Model(const Options& o) : train_(vehicle_called(o.vehicle)), speed_(o.speed / 3.6) {
        for (const std::string& text : o.choose > 0 ? std::vector<std::string>{} : o.parameters) {
            const std::size_t i = index(text);
            require(std::find(which_.begin(), which_.end(), i) == which_.end(), "--parameters", "'",
                    train_.parameters[i].name, "' is given twice");
            require(train_.parameters[i].value > 0.0, "--parameters", "'", train_.parameters[i].name, "' is ",
                    train_.parameters[i].value, ", only values above 0 can be varied");
            which_.push_back(i);
        }
        const vehicle::Assembly parts = vehicle::assemble(train_);
        const double front = parts.nodes[static_cast<std::size_t>(parts.axles.front())].centre[0];
        // Sensors on the leading bogie, above its axle boxes, and at both ends of the heaviest body.
        const std::string bogie = carrier(parts, parts.axles.front()), car = heaviest(parts);
        const auto at = [&](const std::string& name) -> const vehicle::Node& {
            return parts.nodes[static_cast<std::size_t>(parts.node(name))];
        };
        const auto add = [&](const std::string& name, double ahead, double side, const char* where) {
            const auto& c = at(name).centre;
            probes_.push_back(parts.probe(name, {c[0] + ahead, side, c[2]}, vehicle::Direction::z));
            sensors_.push_back(name + where);
        };
        add(bogie, 1.5, 1.0, " front left"), add(bogie, 1.5, -1.0, " front right");
        add(bogie, -1.5, 1.0, " rear left"), add(bogie, -1.5, -1.0, " rear right");
        add(car, 7.0, 0.0, " front"), add(car, -7.0, 0.0, " rear");
        // The car body with its bogies has left the rise of the track when the record begins.
        const double rise = 50.0, lead = rise + 70.0;
        section_ = {.start = -front, .lead = lead, .length = o.length};
        const auto spectrum = spectrum_called(o.track);
        lead_steps_ = static_cast<int>(std::ceil(lead / speed_ / section_.period));
        track_.emplace(spectrum ? random_track(*spectrum, o.track_seed, 0.0, lead + o.length + rise)
                                : recorded_track(o.track));
        if (spectrum) return;
        section_.start = track_->start() - front;
        const double needed = lead + o.length + rise, given = track_->end() - track_->start();
        require(needed <= given, "--track", "'", o.track, "' has ", given, " m of track, the run takes ", needed,
                " m: ", lead, " m to come to rest, --length ", o.length, " m, and ", rise,
                " m in which the record falls back to level");
    }

    /// The file's values times theta, of the parameters `which`.
    [[nodiscard]] std::vector<double> values(const Values& theta, const std::vector<std::size_t>& which) const {
        auto all = train_.values();
        for (std::size_t i = 0; i < which.size(); ++i) all[which[i]] *= theta[static_cast<Eigen::Index>(i)];
        return all;
    }

    template <class Law>
    [[nodiscard]] Values record(const Values& theta, int substeps) const {
        const vehicle::NonlinearVehicle<Law> train(vehicle::assemble(train_, values(theta, which_)), speed_, {}, {},
                                                   {.stiffness = 15e6});
        vehicle::LineSection section = section_;
        section.substeps = substeps;
        return vehicle::accelerations(train, *track_, probes_, section).reshaped();
    }

    /// The record of the linear train.
    [[nodiscard]] Values linear_record(const std::vector<double>& values) const {
        const vehicle::LinearMarch march(vehicle::linearize(vehicle::assemble(train_, values), speed_),
                                         section_.period);
        Matrix<double, Dynamic> y(static_cast<Eigen::Index>(probes_.size()), samples());
        const vehicle::LinearLoads loads(march.vehicle());
        auto x = march.rest();
        for (int n = 0; n < lead_steps_ + samples(); ++n) {
            if (const auto state = loads.check(n * section_.period, x); !state.ok())
                throw SetupError("the linear train: " +
                                 vehicle::described(state, 0.0, march.vehicle().assembly.wheelsets()));
            for (std::size_t i = 0; n >= lead_steps_ && i < probes_.size(); ++i)
                y(static_cast<Eigen::Index>(i), n - lead_steps_) = march.acceleration(probes_[i], x);
            march.step((section_.start / speed_) + n * section_.period, *track_, x);
        }
        return y.reshaped();
    }
    /// Square of what differs from the measured record, as a part of it.
    [[nodiscard]] double part(const Values& r) const { return r.squaredNorm() / measured.squaredNorm(); }

    /// The nonlinear train, for opt::levenberg_marquardt.
    Status residuals(const Values& theta, Values& r) const {
        if (!(theta.minCoeff() > 0.0)) return Status::out_of_range;
        ++runs;
        r = record<vehicle::VermeulenJohnson>(theta, 2) - measured;
        return noted(r);
    }
    /// Half the square of the linear train's misfit and its gradient by the transposed march.
    double by_transposed_march(const Values& theta, Values& slope) const {
        vehicle::LinearRun run(train_, values(theta, which_), speed_, section_.period);
        // Its record begins behind the first step: where the other one has its first sample.
        (void)run.run(*track_, probes_, section_.start / speed_, lead_steps_ - 1, samples());
        const Values r = run.record().reshaped() - measured;
        ++linear_runs, ++gradients;
        (void)noted(r);
        const double size = measured.squaredNorm();
        slope = run.gradient(r.reshaped(run.record().rows(), run.record().cols()) / size, which_);
        for (std::size_t i = 0; i < which_.size(); ++i) slope[static_cast<Eigen::Index>(i)] *= parameter(i).value;
        return 0.5 * part(r);
    }
    Status linear_residuals(const Values& theta, Values& r) const {
        if (!(theta.minCoeff() > 0.0)) return Status::out_of_range;
        r = linear_record(values(theta, which_)) - measured;
        ++linear_runs;
        return noted(r);
    }
    /// Why there is no gradient by the transposed march; empty if there is one.
    [[nodiscard]] std::string no_transposed_march() const {
        for (const vehicle::RigidBody& b : train_.bodies)
            if (!b.bending.empty()) return "'" + b.name + "' bends";
        const vehicle::Assembly nominal = vehicle::assemble(train_);
        for (const std::size_t i : which_)
            if (!stays(nominal, moved(i))) return "'" + train_.parameters[i].name + "' moves bodies or links";
        return {};
    }

    /// Springs and dampers: parameters above 0 that neither weigh anything nor move anything.
    [[nodiscard]] std::vector<std::size_t> candidates() const {
        const vehicle::Assembly nominal = vehicle::assemble(train_);
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < train_.parameters.size(); ++i) {
            if (!(train_.parameters[i].value > 0.0)) continue;
            const vehicle::Assembly other = moved(i);
            if (stays(nominal, other) && std::equal(nominal.nodes.begin(), nominal.nodes.end(), other.nodes.begin(),
                                                    [](const vehicle::Node& a, const vehicle::Node& b) {
                                                        return a.mass == b.mass && a.inertia == b.inertia;
                                                    }))
                all.push_back(i);
        }
        return all;
    }
    void vary(std::vector<std::size_t> which) { which_ = std::move(which); }

    [[nodiscard]] const vehicle::Multibody& train() const { return train_; }
    [[nodiscard]] const vehicle::Multibody::Parameter& parameter(std::size_t i) const {
        return train_.parameters[which_[i]];
    }
    [[nodiscard]] std::size_t count() const { return which_.size(); }
    [[nodiscard]] const std::vector<std::string>& sensors() const { return sensors_; }
    [[nodiscard]] double period() const { return section_.period; }
    [[nodiscard]] int samples() const {
        return static_cast<int>(std::floor(section_.length / speed_ / section_.period));
    }

    Values measured{};
    mutable int runs = 0, linear_runs = 0, gradients = 0;
    mutable double best = 1e300;

  private:
    /// Shows the progress.
    Status noted(const Values& r) const {
        if (!(r.squaredNorm() < 1e30)) return Status::not_finite;
        best = std::min(best, r.squaredNorm());
        std::printf("\r  %3d runs, misfit %.3g m/s^2 rms ", linear_runs + runs,
                    std::sqrt(best / static_cast<double>(measured.size())));
        std::fflush(stdout);
        return Status::ok;
    }
    /// With 1 % more of a parameter.
    [[nodiscard]] vehicle::Assembly moved(std::size_t i) const {
        return vehicle::assemble(train_, values(Values::Constant(1, 1.01), {i}));
    }
    [[nodiscard]] static bool stays(const vehicle::Assembly& a, const vehicle::Assembly& b) {
        return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(),
                          [](const auto& m, const auto& n) { return m.centre == n.centre; }) &&
               std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(),
                          [](const auto& p, const auto& q) { return p.row == q.row; });
    }
    [[nodiscard]] std::size_t index(const std::string& text) const {
        for (std::size_t i = 0; i < train_.parameters.size(); ++i)
            if (train_.parameters[i].name == text || train_.parameters[i].name.starts_with(text + " ")) return i;
        return static_cast<std::size_t>(train_.parameter_index(text));  // says which there are
    }
    /// The body that rests on a wheelset.
    [[nodiscard]] static std::string carrier(const vehicle::Assembly& parts, int axle) {
        for (const vehicle::Part& p : parts.parts)
            for (std::size_t i = 0; i < 2; ++i)
                if (p.node[i] == axle) return parts.nodes[static_cast<std::size_t>(p.node[1 - i])].name;
        throw SetupError("--vehicle: no body rests on the leading wheelset");
    }
    [[nodiscard]] static std::string heaviest(const vehicle::Assembly& parts) {
        const auto most = std::max_element(parts.nodes.begin(), parts.nodes.end(), [](const auto& a, const auto& b) {
            return (a.axle ? 0.0 : a.mass) < (b.axle ? 0.0 : b.mass);
        });
        return most->name;
    }

    vehicle::Multibody train_;
    double speed_;  // m/s
    std::vector<std::size_t> which_{};
    std::vector<vehicle::Probe> probes_{};
    std::vector<std::string> sensors_{};
    vehicle::LineSection section_{};
    int lead_steps_ = 0;
    std::optional<vehicle::SampledTrack> track_{};
};

/// Half the square of the linear train's misfit, for opt::bfgs.
struct LinearMisfit {
    const Model& model;
    double operator()(const Values& theta) const {
        Values unused;
        return (*this)(theta, unused);
    }
    double operator()(const Values& theta, Values& slope) const { return model.by_transposed_march(theta, slope); }
};
struct LinearResiduals {
    const Model& model;
    Status operator()(const Values& theta, Values& r) const { return residuals(theta, r); }
    Status residuals(const Values& theta, Values& r) const { return model.linear_residuals(theta, r); }
};

/// What Morris' method says of every candidate, the most influential first.
struct Screened {
    std::vector<std::size_t> order{};
    std::vector<double> mu_star{}, sigma{};
    std::size_t runs = 0, failed = 0;
};

/// Of the linear train's misfit, every candidate within `off` of its value in the file.
template <StudyExecutor Executor>
Screened screened(const Model& model, const Options& o, Executor& executor) {
    const auto all = model.candidates();
    const auto n = static_cast<Eigen::Index>(all.size());
    require(o.choose <= n, "--choose", "is ", o.choose, ", must be at most ", n, ", the number of springs and dampers");
    const sensitivity::Ranges ranges{Values::Constant(n, 1.0 - o.off), Values::Constant(n, 1.0 + o.off)};
    const auto design =
        sensitivity::morris_design(static_cast<int>(n), {.trajectories = o.trajectories, .seed = o.seed});
    const auto points = ranges.scale(design.unit);
    study::ProgressBar bar;
    const study::Results results =
        study::run({.name = "which parameters matter", .count = static_cast<std::size_t>(points.cols())}, executor,
                   [&](std::size_t i) {
                       const Values theta = points.col(static_cast<Eigen::Index>(i));
                       return model.part(model.linear_record(model.values(theta, all)) - model.measured);
                   },
                   {.observer = std::ref(bar)});
    const std::vector<double> column = results.output();
    const auto effects = sensitivity::morris(
        design, Eigen::Map<const Eigen::VectorXd>(column.data(), static_cast<Eigen::Index>(column.size())));
    Screened s{.runs = results.outcomes.size(), .failed = results.failed};
    std::vector<Eigen::Index> order;
    for (Eigen::Index i = 0; i < n; ++i)
        if (effects.mu_star[i] > 0.0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return effects.mu_star[a] > effects.mu_star[b]; });
    require(o.choose <= static_cast<int>(order.size()), "--choose", "is ", o.choose, ", but only ", order.size(),
            " parameters change this record");
    for (const Eigen::Index i : order)
        s.order.push_back(all[static_cast<std::size_t>(i)]), s.mu_star.push_back(effects.mu_star[i]),
            s.sigma.push_back(effects.sigma[i]);
    return s;
}

template <StudyExecutor Executor>
void run(const Options& o, Executor& executor, const std::filesystem::path& folder) {
    Model model(o);
    const auto begin = std::chrono::steady_clock::now();
    const auto ridden = [&](const char* which, const auto& record) {
        try {
            return record();
        } catch (const SetupError& e) {
            throw SetupError("--vehicle '" + model.train().name + "', " + which + ": " + e.what() +
                             "; use a lower --speed or another --track");
        }
    };
    const Values clean = ridden("its record", [&] {
        return model.record<vehicle::Polach>(Values::Ones(static_cast<Eigen::Index>(model.count())), 4);
    });
    const auto size = static_cast<double>(clean.size());
    require(clean.squaredNorm() > 1e-12 * size, "--track", "'", o.track,
            "' leaves the train at rest on this section: there is nothing to identify from");
    const double noise = o.noise * std::sqrt(clean.squaredNorm() / size);
    Lcg random(o.seed);
    model.measured = clean;
    for (double& y : model.measured) y += noise * random.normal();

    Screened screening;
    if (o.choose > 0) {
        screening = screened(model, o, executor);
        if (!executor.keeps_results()) return;  // another process goes on
        model.vary({screening.order.begin(), screening.order.begin() + o.choose});
    }
    const auto n = static_cast<Eigen::Index>(model.count());
    Values start(n);
    for (Eigen::Index i = 0; i < n; ++i) start[i] = 1.0 + (i % 2 == 0 ? -o.off : o.off);
    Values r;
    const LinearResiduals linear{model};
    const Status started = ridden("at the start, see --off", [&] {
        return o.model == "linear" ? linear.residuals(start, r) : model.residuals(start, r);
    });
    require(started == Status::ok, "--off", "is ", o.off, ": no run from there, ", name(started));
    const Values first = model.measured + r;

    opt::Minimum fit;
    fit.x = start;
    bool adjoint = o.model != "nonlinear" && o.gradient == "adjoint";
    if (const std::string why = adjoint ? model.no_transposed_march() : ""; !why.empty()) {
        std::printf("  differences in place of the transposed march: %s\n", why.c_str());
        adjoint = false;
    }
    const opt::Bounds box{Values::Constant(n, 0.1), Values::Constant(n, 10.0)};
    if (o.model != "nonlinear") {
        model.best = 1e300;
        fit = adjoint ? opt::bfgs(LinearMisfit{model}, start,
                                  {.bounds = box, .gradient_tolerance = 1e-7, .value_tolerance = 1e-4})
                      : opt::levenberg_marquardt(linear, start,
                                                 {.bounds = box, .value_tolerance = 1e-6, .difference_step = 1e-3});
        std::printf("of the linear train\n");
    }
    const Values of_linear = fit.x;
    if (o.model != "linear") {
        model.best = 1e300;
        fit = opt::levenberg_marquardt(
            model, of_linear,
            {.value_tolerance = 1e-6, .differences = opt::Differences::central, .difference_step = 1e-3});
    }
    const auto again = [&](const Values& theta, Values& residual) {
        (void)(o.model == "linear" ? linear.residuals(theta, residual) : model.residuals(theta, residual));
    };
    Matrix<double, Dynamic> J(clean.size(), n);
    for (Eigen::Index i = 0; i < n; ++i) {
        Values up = fit.x, down = fit.x, other;
        up[i] *= 1.001, down[i] *= 0.999;
        again(up, r), again(down, other);
        J.col(i) = (r - other) / (up[i] - down[i]);
    }
    again(fit.x, r);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double left = std::sqrt(r.squaredNorm() / (size - static_cast<double>(n)));
    require(left > 0.0, "--noise", "is ", o.noise,
            ", and the fit leaves no residual, so there are no intervals; must be above 0");
    const auto information = ident::information(J, left);

    std::printf("\n");
    nlohmann::ordered_json json{{"format", "panto-train-fit"},
                                {"version", 1},
                                {"vehicle", model.train().name},
                                {"track", o.track},
                                {"speed_m_per_s", o.speed / 3.6},
                                {"length_m", o.length},
                                {"noise_of_the_record_m_per_s2", noise},
                                {"noise_of_the_residuals_m_per_s2", left},
                                {"status", std::string(name(fit.status))},
                                {"model", o.model},
                                {"gradient_of_the_linear_train",
                                 o.model == "nonlinear" ? nlohmann::ordered_json(nullptr)
                                                        : nlohmann::ordered_json(adjoint ? "adjoint" : "differences")},
                                {"runs", model.runs},
                                {"linear_runs", model.linear_runs},
                                {"gradients", model.gradients},
                                {"screening_runs", screening.runs},
                                {"screening_failed", screening.failed},
                                {"seconds", seconds}};
    io::PageTable table{.title = "Parameters",
                        .columns = {"", "found", "95 % from", "to", "truth", "start", "error %"}};
    for (std::size_t i = 0; i < model.count(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const auto& p = model.parameter(i);
        const double value = fit.x[k] * p.value, half = 1.96 * information.deviation[k] * p.value;
        const bool inside = std::abs(value - p.value) <= half;
        std::printf("  %-46s %12.5g +- %-9.2g (truth %.5g, start %.5g)%s\n", p.name.c_str(), value, half, p.value,
                    start[k] * p.value, inside ? "" : " outside");
        json["parameters"].push_back({{"name", p.name},
                                      {"value", value},
                                      {"low", value - half},
                                      {"high", value + half},
                                      {"truth", p.value},
                                      {"start", start[k] * p.value},
                                      {"linear_train", of_linear[k] * p.value},
                                      {"inside", inside}});
        table.rows.push_back({p.name, shown(value, 5), shown(value - half, 5), shown(value + half, 5),
                              shown(p.value, 5), shown(start[k] * p.value, 5), shown(100.0 * (fit.x[k] - 1.0), 2)});
    }
    std::printf("  noise of the residuals %.3g m/s^2, of the record %.3g m/s^2, %.0f s\n", left, noise, seconds);
    std::printf(
        "  %d runs of the nonlinear train, %d of the linear one, %d of them with the transposed march, %zu to "
        "choose\n",
        model.runs, model.linear_runs, model.gradients, screening.runs);
    for (std::size_t i = 0; i < screening.order.size(); ++i)
        json["screening"].push_back({{"name", model.train().parameters[screening.order[i]].name},
                                     {"mu_star", screening.mu_star[i]},
                                     {"sigma", screening.sigma[i]}});
    io::write_text(folder / "summary.json", io::pretty(json) + "\n");

    // One sensor of the bogie and one of the car body.
    const auto sensors = static_cast<Eigen::Index>(model.sensors().size());
    const Values found = model.measured + r;
    const auto channel = [&](const Values& y, Eigen::Index which) {
        std::vector<double> values;
        for (Eigen::Index i = which; i < y.size(); i += sensors) values.push_back(y[i]);
        return values;
    };
    std::vector<double> time;
    for (Eigen::Index i = 0; i < r.size() / sensors; ++i) time.push_back(static_cast<double>(i) * model.period());
    io::CsvTable series{{"vertical accelerations of " + model.sensors()[0] + " and " + model.sensors()[4]},
                        {{"time_s", time}}};
    for (const auto& [which, prefix] : {std::pair<Eigen::Index, const char*>{0, "bogie"}, {4, "car"}})
        for (const auto& [what, y] : {std::pair<const char*, const Values&>{"measured", model.measured},
                                      {"start", first},
                                      {"identified", found}})
            series.columns.push_back({std::string(prefix) + "_" + what + "_m_per_s2", channel(y, which)});
    io::write_csv(folder / "series.csv", series);
    if (!o.report) return;
    io::Page page{.title = "A train identified",
                  .subtitle = model.train().name + ", " + shown(o.length) + " m at " + shown(o.speed) + " km/h",
                  .version = std::string(version)};
    page.tables.push_back(table);
    if (!screening.order.empty()) {
        io::PageTable effects{.title = "What Morris' method says of the linear train's misfit, largest first",
                              .columns = {"", "mu*", "sigma"},
                              .rows = {}};
        for (std::size_t i = 0; i < std::min<std::size_t>(screening.order.size(), 30); ++i)
            effects.rows.push_back({model.train().parameters[screening.order[i]].name, shown(screening.mu_star[i], 3),
                                    shown(screening.sigma[i], 3)});
        page.tables.push_back(effects);
    }
    for (const Eigen::Index which : {Eigen::Index{0}, Eigen::Index{4}}) {
        const std::string& sensor = model.sensors()[static_cast<std::size_t>(which)];
        page.charts.push_back(
            {.name = which == 0 ? "bogie" : "car",
             .title = sensor,
             .caption = "Vertical acceleration.",
             .x_label = "time (s)",
             .y_label = "m/s^2",
             .curves = {{.name = "measured",
                         .tone = io::Tone::raw,
                         .points = io::thinned(time, channel(model.measured, which))},
                        {.name = "start", .tone = io::Tone::good, .points = io::thinned(time, channel(first, which))},
                        {.name = "identified", .points = io::thinned(time, channel(found, which))}}});
    }
    page.metadata = {{"vehicle", model.train().source},
                     {"track", o.track},
                     {"noise of the record", shown(noise, 3) + " m/s^2"},
                     {"noise of the residuals", shown(left, 3) + " m/s^2"},
                     {"runs of the nonlinear train", std::to_string(model.runs)},
                     {"runs of the linear train", std::to_string(model.linear_runs)},
                     {"of them with the transposed march", std::to_string(model.gradients)},
                     {"time", shown(seconds, 3) + " s"}};
    io::write_page(folder, page);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Parameters of a train from accelerations on one section of line.");
    Options o;
    app.add_option("--vehicle", o.vehicle, "name of a shipped vehicle or a JSON file")->capture_default_str();
    app.add_option("--parameters", o.parameters, "numbers or names")->capture_default_str();
    app.add_option("--track", o.track, "low or high (disturbance), or a CSV file of four rails")->capture_default_str();
    app.add_option("--track-seed", o.track_seed, "of a random track")->capture_default_str();
    app.add_option("--speed", o.speed, "km/h")->capture_default_str();
    app.add_option("--length", o.length, "m, of the section")->capture_default_str();
    app.add_option("--noise", o.noise, "standard deviation, over the root mean square of the record")
        ->capture_default_str();
    app.add_option("--off", o.off, "relative error of the start")->capture_default_str();
    app.add_option("--model", o.model,
                   "linear: the linear train is fitted, nonlinear: the other; both: one after the other")
        ->check(CLI::IsMember({"both", "linear", "nonlinear"}))
        ->capture_default_str();
    app.add_option("--gradient", o.gradient, "of the linear train: adjoint (the transposed march) or differences")
        ->check(CLI::IsMember({"adjoint", "differences"}))
        ->capture_default_str();
    app.add_option("--choose", o.choose, "that many springs and dampers, by Morris' method; default: --parameters");
    app.add_option("--trajectories", o.trajectories, "of Morris' method")->capture_default_str();
    add_executor(app, o.executor);
    app.add_option("--seed", o.seed, "of the noise and of Morris' method")->capture_default_str();
    app.add_option("--out", o.out, "folder for the results")->capture_default_str();
    app.add_flag("!--no-report", o.report, "leave out report.html");
    check_values(app);
    CLI11_PARSE(app, argc, argv);
    try {
        if (!spectrum_called(o.track)) refuse_idle(app, {"--track-seed"}, "with a recorded --track");
        require_positive(o.speed, "--speed", "speed");
        require(o.length >= 10.0 && o.length <= 1e4, "--length", "is ", o.length, " m, must be from 10 to 10000");
        require(o.noise >= 0.0 && o.noise <= 1.0, "--noise", "is ", o.noise, ", must be from 0 to 1");
        require(o.off >= 0.0 && o.off <= 0.5, "--off", "is ", o.off, ", must be from 0 to 0.5");
        if (o.choose > 0 || app.count("--choose") > 0) {
            require(o.choose >= 1, "--choose", "is ", o.choose, ", must be at least 1");
            require(o.off > 0.0, "--off", "is 0, must be above 0 with --choose: parameters are varied by that much");
            refuse_idle(app, {"--parameters"}, "with --choose");
        } else {
            refuse_idle(app, {"--trajectories", "--executor"}, "without --choose");
        }
        if (o.model == "nonlinear") refuse_idle(app, {"--gradient"}, "with --model nonlinear");
        with_executor(o.executor, [&](auto&& executor) {
            const bool keeps = executor.keeps_results();
            require(keeps || o.choose > 0, "--executor",
                    "several processes share the choice of parameters only; give --choose");
            std::optional<io::ResultFolder> results;
            if (keeps) {
                results.emplace(o.out, std::vector<std::string>{"summary.json", "series.csv", "report.html"});
                if (o.report) io::require_drawing();
            }
            run(o, executor, keeps ? results->fresh() : std::filesystem::path());
            if (!keeps) return;
            results->swap_in();
            std::cout << "results are in " << results->path().string() << "\n";
        });
        check_printed();
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        return 2;
    }
}
