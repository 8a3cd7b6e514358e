// SPDX-License-Identifier: BSD-3-Clause
#include "results.hpp"

#include <panto/control/robustness.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/file.hpp>
#include <panto/io/json_object.hpp>
#include <panto/session/summary_json.hpp>
#include <panto/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

using namespace panto;

namespace robustness {

namespace {

std::string number(double value, int digits = 3) { return is_finite(value) ? shown(value, digits) : "-"; }

/// "20 of 20", and how it ended where it did.
std::string runs_of(const Figures& f) {
    if (!f.reason.empty()) return f.reason;
    std::string text = number(f.complete) + " of " + number(f.runs);
    if (f.first_fault != Status::ok)
        text += ": " + std::string(name(f.first_fault)) +
                (f.reached > 0.0 ? " at " + number(f.reached, 4) + " m" : " before the run");
    return text;
}

std::vector<std::string> cells_of(const Figures& f) {
    return {runs_of(f),     number(f.mean_index), number(f.index),     number(1e3 * f.error),
            number(f.loss), number(f.largest, 4), number(f.ideal_loss)};
}

const std::vector<std::string> columns_of_runs{"runs complete",       "index % (mean)", "index % (worst)",
                                               "largest error mm",    "contact lost %", "largest force N",
                                               "lost without a rig %"};

/// The cases of one group as a table.
io::PageTable table_of(const Results& r, const std::string& group, const std::string& title, const std::string& what) {
    io::PageTable table{.title = title, .columns = {what}};
    table.columns.insert(table.columns.end(), columns_of_runs.begin(), columns_of_runs.end());
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
        if (r.cases[i].group != group) continue;
        std::vector<std::string> row{r.cases[i].label};
        for (auto& cell : cells_of(r.figures[i])) row.push_back(std::move(cell));
        table.rows.push_back(std::move(row));
    }
    return table;
}

void print(const io::PageTable& table) {
    if (table.rows.empty()) return;
    std::vector<std::size_t> width;
    const auto fit = [&](const std::vector<std::string>& cells) {
        width.resize(std::max(width.size(), cells.size()));
        for (std::size_t k = 0; k < cells.size(); ++k) width[k] = std::max(width[k], cells[k].size());
    };
    fit(table.columns);
    for (const auto& row : table.rows) fit(row);
    const auto line = [&](const std::vector<std::string>& cells) {
        for (std::size_t k = 0; k < cells.size(); ++k)
            std::printf("%s%-*s", k ? "  " : "", static_cast<int>(width[k]), cells[k].c_str());
        std::printf("\n");
    };
    std::printf("\n%s\n", table.title.c_str());
    line(table.columns);
    for (const auto& row : table.rows) line(row);
}

/// A map of colours, crossed out where the loop does not settle.
io::Plot plot_of(const Map& map) {
    const auto tics = [](const char* axis, const std::vector<double>& at) {
        std::string text = std::string("set ") + axis + "tics (";
        const std::size_t every = std::max<std::size_t>(1, at.size() / 10);
        for (std::size_t i = 0; i < at.size(); i += every)
            text += (i ? ", " : "") + ("'" + shown(at[i], 3) + "' ") + std::to_string(i);
        return text + ")\n";
    };
    std::string script = "$map << EOD\n";
    for (std::size_t i = 0; i < map.y.size(); ++i) {
        for (std::size_t k = 0; k < map.x.size(); ++k) {
            const std::size_t at = i * map.x.size() + k;
            script += std::to_string(k) + " " + std::to_string(i) + " " +
                      shown(map.settles(at) ? map.at[at].disk : 0.0, 4) + " " +
                      (map.settles(at) ? "NaN" : std::to_string(i)) + "\n";
        }
        script += "\n";
    }
    script += "EOD\nset xlabel '" + map.x_label + "'\nset ylabel '" + map.y_label + "'\nset cblabel 'disk margin'\n" +
              tics("x", map.x) + tics("y", map.y) +
              "set cbrange [0:1]\nset palette defined (0 '#c0392b', 0.2 '#f0b557', 0.5 '#e1eeda', 1 '#2b7a4b')\n"
              "set xrange [-0.5:" +
              std::to_string(map.x.size()) + "-0.5]\nset yrange [-0.5:" + std::to_string(map.y.size()) +
              "-0.5]\nunset key\n"
              "set style fill solid 1.0 noborder\n"
              "plot $map using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror lc palette, "
              "$map using 1:4 with points pt 2 lc rgb '#1f2630'\n";
    return {.name = map.name, .title = map.title, .caption = map.caption, .script = script, .height = 420};
}

void write_map(const std::filesystem::path& folder, const Map& map) {
    io::CsvTable table{{map.title},
                       {{map.y_column, {}},
                        {map.x_column, {}},
                        {"radius_per_step", {}},
                        {"disk_margin", {}},
                        {"disk_frequency_Hz", {}},
                        {"settles", {}}}};
    for (std::size_t i = 0; i < map.at.size(); ++i) {
        const bool holds = map.settles(i);
        const double row[] = {map.y[i / map.x.size()],
                              map.x[i % map.x.size()],
                              map.at[i].radius,
                              holds ? map.at[i].disk : 0.0,
                              holds ? map.at[i].disk_frequency : 0.0,
                              holds ? 1.0 : 0.0};
        for (std::size_t k = 0; k < std::size(row); ++k) table.columns[k].values.push_back(row[k]);
    }
    io::write_csv(folder / (map.name + ".csv"), table);
}

void write_runs(const std::filesystem::path& folder, const Results& r) {
    io::CsvTable table{{}, {}};
    for (const char* column :
         {"row", "pad_N_per_m", "speed_kmh", "change_of_pad", "change_of_head_mass", "change_of_damping",
          "change_of_motor", "change_of_filter", "change_of_delay_s", "runs", "complete", "index_mean_percent?",
          "index_worst_percent?", "largest_error_m?", "contact_lost_percent", "largest_force_N",
          "lost_without_rig_percent", "smallest_without_rig_N"}) {
        std::string name = column;
        if (name.back() == '?') name.pop_back();
        table.columns.push_back({name, {}});
    }
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
        const Case& c = r.cases[i];
        const Figures& f = r.figures[i];
        table.comments.push_back("row " + std::to_string(i) + " is " + c.group + ", " + c.controller + ", " + c.label +
                                 ", " + r.passages[c.passage].line + ", " + r.passages[c.passage].pantograph + ": " +
                                 runs_of(f));
        const auto& p = c.perturbation;
        const double row[] = {static_cast<double>(i),
                              c.rig.pad_stiffness,
                              r.passages[c.passage].speed_kmh,
                              p.pad,
                              p.head_mass,
                              p.damping,
                              p.motor,
                              p.filter,
                              p.delay,
                              f.runs,
                              f.complete,
                              f.mean_index,
                              f.index,
                              f.error,
                              f.loss,
                              f.largest,
                              f.ideal_loss,
                              f.ideal_smallest};
        for (std::size_t k = 0; k < std::size(row); ++k) table.columns[k].values.push_back(row[k]);
    }
    io::write_csv(folder / "runs.csv", table);
}

nlohmann::ordered_json json_of(double value) {
    return io::detail::number_or_null(is_finite(value) ? std::optional(value) : std::nullopt);
}

io::PageTable borders_table(const Results& r) {
    io::PageTable table{.title = "How far the rig may differ from its specification",
                        .columns = {"linear loop of", "quantity", "settles from", "to"}};
    for (const Border& b : r.borders) {
        const auto end = [&](double at) {
            return (std::fabs(at) >= b.most * (1.0 - 1e-9) ? "beyond " : "") + number(at) + " " + b.unit;
        };
        const bool never = b.below == 0.0 && b.above == 0.0;
        table.rows.push_back({b.controller, b.quantity, never ? "nowhere" : end(b.below), never ? "" : end(b.above)});
    }
    return table;
}

}  // namespace

bool Map::settles(std::size_t i) const { return control::settles(at[i].radius); }

void write(const Options& o, const Results& r, const std::filesystem::path& folder) {
    std::vector<io::PageTable> tables;
    if (!r.nominal.empty()) {
        io::PageTable table{.title = "Linear loop on the rig as described",
                            .columns = {"controller", "radius per step", "disk margin", "at Hz", "gain from", "to",
                                        "phase deg", "delay ms"}};
        for (const auto& [name, m] : r.nominal) {
            const bool holds = control::settles(m.radius);
            const auto cell = [&](double value) { return holds ? number(value) : std::string("-"); };
            table.rows.push_back({name, shown(m.radius, 5), cell(m.disk), cell(m.disk_frequency), cell(m.gain_below),
                                  cell(m.gain_above), cell(57.29577951308232 * m.phase), cell(1e3 * m.delay)});
        }
        tables.push_back(table);
    }
    tables.push_back(
        table_of(r, "comparison", "Controllers on the simulated rig as described, same seeds", "controller"));
    tables.push_back(table_of(r, "one", "One quantity different, " + o.controller, "rig"));
    tables.push_back(table_of(r, "pads", "Pads, each described with an error, " + o.controller, "described, true"));
    tables.push_back(table_of(r, "random", "Random combinations, " + o.controller, "run"));
    tables.push_back(table_of(r, "coverage", "Lines, pantographs, speeds and pads, " + o.controller, "case"));
    tables.push_back(borders_table(r));
    std::erase_if(tables, [](const io::PageTable& t) { return t.rows.empty(); });
    for (const io::PageTable& table : tables) print(table);

    std::size_t complete = 0, runs = 0;
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
        if (r.cases[i].controller != o.controller || !r.figures[i].reason.empty()) continue;
        runs += static_cast<std::size_t>(r.figures[i].runs);
        complete += static_cast<std::size_t>(r.figures[i].complete);
    }
    std::printf("\n%zu of %zu runs with %s were complete\n", complete, runs, o.controller.c_str());

    const Passage& passage = r.passages.front();
    nlohmann::ordered_json summary{{"format", "panto-robustness"},
                                   {"version", 1},
                                   {"controller", o.controller},
                                   {"runs", runs},
                                   {"complete", complete},
                                   {"margins", nlohmann::ordered_json::array()},
                                   {"borders", nlohmann::ordered_json::array()},
                                   {"cases", nlohmann::ordered_json::array()}};
    for (const auto& [name, m] : r.nominal)
        summary["margins"].push_back({{"controller", name},
                                      {"radius_per_step", m.radius},
                                      {"disk_margin", control::settles(m.radius) ? json_of(m.disk) : json_of(NAN)}});
    for (const Border& b : r.borders)
        summary["borders"].push_back({{"controller", b.controller},
                                      {"quantity", b.quantity},
                                      {"unit", b.unit},
                                      {"below", b.below},
                                      {"above", b.above},
                                      {"looked_up_to", b.most}});
    for (std::size_t i = 0; i < r.cases.size(); ++i) {
        const Case& c = r.cases[i];
        const Figures& f = r.figures[i];
        summary["cases"].push_back({{"group", c.group},
                                    {"controller", c.controller},
                                    {"label", c.label},
                                    {"runs", f.runs},
                                    {"complete", f.complete},
                                    {"index_mean_percent", json_of(f.mean_index)},
                                    {"index_worst_percent", json_of(f.index)},
                                    {"largest_error_mm", json_of(1e3 * f.error)},
                                    {"contact_lost_percent", json_of(f.loss)},
                                    {"largest_force_N", json_of(f.largest)},
                                    {"lost_without_rig_percent", json_of(f.ideal_loss)},
                                    {"outcome", runs_of(f)}});
    }
    io::write_text(folder / "summary.json", io::pretty(summary) + "\n");
    write_runs(folder, r);
    for (const Map& map : r.maps) write_map(folder, map);
    if (!o.report) return;
    io::Page page{.title = "Robustness of " + o.controller,
                  .subtitle = o.coverage ? "Lines, pantographs, speeds and pads"
                                         : passage.line + ", " + passage.pantograph + ", " + shown(o.speed_kmh) +
                                               " km/h, pad " + shown(o.pad) + " kN/m",
                  .tables = tables,
                  .version = std::string(version)};
    for (const Map& map : r.maps) page.plots.push_back(plot_of(map));
    io::Curve index{.name = "error index", .look = io::Look::points};
    std::vector<double> sorted;
    for (std::size_t i = 0; i < r.cases.size(); ++i)
        if (r.cases[i].group == "random" && r.figures[i].all_complete()) sorted.push_back(r.figures[i].index);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        index.points.emplace_back(100.0 * (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size()),
                                  sorted[i]);
    if (!sorted.empty())
        page.charts.push_back({.name = "random",
                               .title = "Error index of the random combinations",
                               .caption = "In order of size; runs that ended early are left out.",
                               .x_label = "share of the complete runs (%)",
                               .y_label = "index (%)",
                               .curves = {index}});
    page.metadata = {{"window", shown(passage.params.evaluation.from) + " to " + shown(passage.params.evaluation.to) +
                                    " m, filter " + std::string(name(passage.params.evaluation.filter))},
                     {"noise", shown(passage.params.force_noise) + " N, " + shown(1e3 * passage.params.position_noise) +
                                   " mm, seeds from " + std::to_string(o.seed) + " on"},
                     {"force filter", o.filter > 0.0 ? shown(o.filter) + " Hz" : "none"},
                     {"delays", shown(o.command_delay) + " and " + shown(o.reading_delay) + " periods of 2 ms"},
                     {"margins", "from 10 Hz on"}};
    if (complete < runs)
        page.warning = std::to_string(runs - complete) + " of " + std::to_string(runs) + " runs ended early.";
    io::write_page(folder, page);
}

}  // namespace robustness
