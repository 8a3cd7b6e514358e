// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Interactive charts with zoom and values under the pointer, drawn in the browser by dygraphs. The library is read
/// from the place where the package manager installed it (Debian: libjs-dygraphs) and written into the page, with its
/// licence; nothing is downloaded.

#pragma once

#include <panto/core/check.hpp>
#include <panto/io/chart.hpp>
#include <panto/io/file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace panto::io {

struct Dygraphs {
    std::string script, style, licence;
};

/// The library in a folder; empty if it, or the text of its licence, is missing.
[[nodiscard]] inline std::optional<Dygraphs> dygraphs_in(const std::filesystem::path& folder) {
    Dygraphs library;
    try {
        library.script = read_text(folder / "dygraph.min.js");
        library.style = read_text(folder / "dygraph.min.css");
        const std::filesystem::path debian = "/usr/share/doc/libjs-dygraphs/copyright";
        library.licence = read_text(std::filesystem::exists(folder / "LICENSE.txt") ? folder / "LICENSE.txt" : debian);
    } catch (const SetupError&) {
        return std::nullopt;
    }
    for (std::string* text : {&library.script, &library.style}) {  // the page must not ask for source maps
        const std::size_t map = text->rfind("sourceMappingURL=");
        if (map != std::string::npos && map > 4) text->resize(map - 4);
        for (const char* end : {"</script", "</style"})  // would end its HTML element
            if (text->find(end) != std::string::npos) return std::nullopt;
    }
    return library;
}

/// The library installed on this machine. The environment variable PANTO_DYGRAPHS gives another folder; if it is empty,
/// no library is used.
[[nodiscard]] inline std::optional<Dygraphs> find_dygraphs() {
    if (const char* folder = std::getenv("PANTO_DYGRAPHS")) return *folder == '\0' ? std::nullopt : dygraphs_in(folder);
    for (const char* folder : {"/usr/share/javascript/dygraphs", "/usr/local/share/javascript/dygraphs"})
        if (auto library = dygraphs_in(folder)) return library;
    return std::nullopt;
}

/// A warning if PANTO_DYGRAPHS names a folder without the library; otherwise empty.
[[nodiscard]] inline std::string dygraphs_warning() {
    const char* folder = std::getenv("PANTO_DYGRAPHS");
    if (folder == nullptr || *folder == '\0' || dygraphs_in(folder)) return {};
    return "PANTO_DYGRAPHS is '" + std::string(folder) +
           "', a folder in which dygraph.min.js, dygraph.min.css or the licence is missing or cannot be used: the "
           "plots "
           "of the report are static";
}

namespace detail {

/// Bytes of the UTF-8 character at the start of a text; 0 if there is none [Unicode, Table 3-7].
[[nodiscard]] inline std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80u) return 1;
    if (first >= 0xc2u && first <= 0xdfu) return follows(1) ? 2 : 0;
    const bool narrow = (first == 0xe0u && second < 0xa0u) || (first == 0xedu && second > 0x9fu) ||
                        (first == 0xf0u && second < 0x90u) || (first == 0xf4u && second > 0x8fu);
    if (narrow || first < 0xe0u || first > 0xf4u || !follows(1) || !follows(2)) return 0;
    if (first < 0xf0u) return 3;
    return follows(3) ? 4 : 0;
}

/// Text as a JavaScript string that cannot end the script element. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string js_text(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = character_length(text.substr(i));
        const char c = text[i];
        if (length == 0) {
            out += "\xef\xbf\xbd";
        } else if (c == '"' || c == '\\') {
            out.append("\\").append(1, c);
        } else if (c == '<' || (c >= 0 && c < 0x20)) {
            out.append("\\u00").append(1, "0123456789abcdef"[c >> 4]).append(1, "0123456789abcdef"[c & 0xf]);
        } else {
            out.append(text, i, length);
        }
        i += length == 0 ? 1 : length;
    }
    return out + "\"";
}

[[nodiscard]] inline const char* name_of(Tone tone) {
    constexpr std::array names{"main", "raw", "good", "warn", "limit", "quiet"};
    return names[static_cast<std::size_t>(tone)];
}

/// One row for each x of any curve; curves without a value there have none in the row.
[[nodiscard]] inline std::string js_rows(const Chart& chart) {
    std::vector<std::tuple<double, std::size_t, double>> all;
    for (std::size_t k = 0; k < chart.curves.size(); ++k)
        for (const auto& [x, y] : chart.curves[k].points)
            if (on_axis(x, chart.log_x) && on_axis(y, chart.log_y)) all.emplace_back(x, k, y);
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    std::string text = "[";
    std::vector<std::string> row(chart.curves.size());
    for (std::size_t i = 0; i < all.size();) {
        std::fill(row.begin(), row.end(), "");
        const double x = std::get<0>(all[i]);
        for (; i < all.size() && std::get<0>(all[i]) == x && row[std::get<1>(all[i])].empty(); ++i)
            row[std::get<1>(all[i])] = shown(std::get<2>(all[i]), 5);
        text += (text.size() > 1 ? ",[" : "[") + shown(x, 7);
        for (const std::string& value : row) text.append(",").append(value);
        text += row.back().empty() ? "null]" : "]";  // JavaScript does not count a comma at the end
    }
    return text + "]";
}

[[nodiscard]] inline std::string js_rules(const std::vector<Rule>& rules, bool log) {
    std::string text = "[";
    for (const Rule& rule : rules)
        if (on_axis(rule.at, log))
            text += (text.size() > 1 ? ",[" : "[") + shown(rule.at, 7) + "," + js_text(rule.text) + ",'" +
                    name_of(rule.tone) + "']";
    return text + "]";
}

[[nodiscard]] inline std::string js_range(const std::optional<std::pair<double, double>>& range, bool log) {
    return range && on_axis(*range, log) ? "[" + shown(range->first) + "," + shown(range->second) + "]" : "null";
}

[[nodiscard]] inline std::string js_chart(const Chart& chart) {
    constexpr std::array looks{"line", "thin", "points", "stems"};
    std::string text = "{name:" + js_text(chart.name) + ",x:" + js_text(chart.x_label) +
                       ",y:" + js_text(chart.y_label) + ",marksName:" + js_text(chart.marks_name) + ",curves:[";
    for (const Curve& curve : chart.curves)
        text += "[" + js_text(curve.name) + ",'" + name_of(curve.tone) + "','" +
                looks[static_cast<std::size_t>(curve.look)] + "'],";
    text += "],levels:" + js_rules(chart.levels, chart.log_y) + ",marks:" + js_rules(chart.marks, chart.log_x) +
            ",shaded:[";
    for (const auto& [from, to] : chart.shaded)
        if (on_axis({from, to}, chart.log_x)) text += "[" + shown(from, 7) + "," + shown(to, 7) + "],";
    return text + "],xRange:" + js_range(chart.x_range, chart.log_x) +
           ",yRange:" + js_range(chart.y_range, chart.log_y) + ",logX:" + (chart.log_x ? "true" : "false") +
           ",logY:" + (chart.log_y ? "true" : "false") + ",track:" + (chart.along_track ? "true" : "false") +
           ",rows:" + js_rows(chart) + "}";
}

/// Draws every chart into the element with its name. Zooming along the track applies to all charts along the track.
inline constexpr std::string_view chart_script = R"JS(
(charts => {
  const root = document.documentElement, drawn = [];
  const tone = name => getComputedStyle(root).getPropertyValue('--' + name).trim();
  const number = v => Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2) : String(+v.toPrecision(5));
  const stems = e => {
    const c = e.drawingContext, foot = Math.min(e.dygraph.toDomYCoord(0), e.plotArea.y + e.plotArea.h);
    c.lineWidth = Math.max(2, Math.min(12, 0.5 * e.plotArea.w / Math.max(1, e.points.length)));
    c.strokeStyle = e.color;
    for (const p of e.points) { c.beginPath(); c.moveTo(p.canvasx, foot); c.lineTo(p.canvasx, p.canvasy); c.stroke(); }
  };
  const underlay = chart => (c, area, g) => {
    c.save();
    c.beginPath(); c.rect(area.x, area.y, area.w, area.h); c.clip();
    const across = x => area.x + area.w * g.toPercentXCoord(x);  // toDomXCoord knows no logarithmic axis
    c.fillStyle = tone('shade');
    for (const [from, to] of chart.shaded) {
      const left = across(from);
      c.fillRect(left, area.y, across(to) - left, area.h);
    }
    c.font = '12px system-ui, sans-serif';
    let line = 0;
    for (const [at, text, color] of chart.marks) {
      const x = across(at);
      c.strokeStyle = c.fillStyle = tone(color); c.setLineDash([4, 4]); c.lineWidth = 1;
      c.beginPath(); c.moveTo(x, area.y); c.lineTo(x, area.y + area.h); c.stroke();
      if (text) { c.textAlign = x > area.x + 0.8 * area.w ? 'right' : 'left';
        c.fillText(text, x + (c.textAlign === 'left' ? 4 : -4), area.y + 12 + 14 * (line++ % 5)); }
    }
    c.setLineDash([]);
    c.textAlign = 'right';
    for (const [at, text, color] of chart.levels) {
      const y = g.toDomYCoord(at);
      c.strokeStyle = c.fillStyle = tone(color); c.lineWidth = 1.4;
      c.beginPath(); c.moveTo(area.x, y); c.lineTo(area.x + area.w, y); c.stroke();
      c.fillText(text, area.x + area.w - 4, y - 4);
    }
    c.restore();
  };
  // One finger scrolls the page; two zoom.
  const touch = f => (event, g, context) => { if (event.touches.length > 1 || context.isPinching) f(event, g, context); };
  const usual = Dygraph.defaultInteractionModel;
  const model = Object.assign({}, usual, {
    touchstart: (e, g, c) => { c.isPinching = e.touches.length > 1; touch(usual.touchstart)(e, g, c); },
    touchmove: touch(usual.touchmove), touchend: touch(usual.touchend)});
  let following = false;
  const follow = chart => (g, initial) => {
    if (initial || following || !chart.track) return;
    following = true;
    const range = g.xAxisRange();
    for (const other of drawn)
      if (other !== g && other.pantoTrack) other.updateOptions({dateWindow: range});
    following = false;
  };
  const draw = () => {
    const windows = drawn.map(g => g.xAxisRange());
    drawn.splice(0).forEach(g => g.destroy());
    charts.forEach((chart, i) => {
      const place = document.getElementById('chart_' + chart.name), series = {};
      for (const [name, color, look] of chart.curves)
        series[name] = Object.assign({color: tone(color), strokeWidth: look === 'line' ? 1.8 : look === 'thin' ? 1 : 0,
                                      drawPoints: look === 'points', pointSize: 3}, look === 'stems' ? {plotter: stems} : {});
      const axis = {axisLineColor: tone('axis'), gridLineColor: tone('grid'), valueFormatter: number};
      const g = new Dygraph(place, chart.rows, {
        labels: [chart.x].concat(chart.curves.map(c => c[0])), series: series, colors: chart.curves.map(c => tone(c[1])),
        axes: {x: Object.assign({logscale: chart.logX, pixelsPerLabel: 45}, axis),
               y: Object.assign({axisLabelWidth: 46}, axis)},
        logscale: chart.logY, xlabel: chart.x, ylabel: chart.y, xLabelHeight: 18, yLabelWidth: 18,
        dateWindow: windows[i] || chart.xRange, valueRange: chart.yRange, includeZero: false,
        connectSeparatedPoints: true, legend: 'always', labelsDiv: 'legend_' + chart.name, labelsSeparateLines: false,
        highlightCircleSize: 3, animatedZooms: false, interactionModel: model,
        underlayCallback: underlay(chart), drawCallback: follow(chart)});
      g.pantoTrack = chart.track;
      g.pantoReset = () => g.updateOptions({dateWindow: chart.xRange, valueRange: chart.yRange});
      drawn.push(g);
    });
  };
  charts.forEach((chart, i) => {
    chart.rows = chart.rows.map(row => Array.from(row, v => v === undefined ? null : v));
    document.getElementById('whole_' + chart.name).onclick = () => {
      drawn[i].pantoReset();
      if (!chart.xRange) drawn[i].resetZoom();
    };
  });
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  addEventListener('beforeprint', () => { root.classList.add('paper'); draw(); });
  addEventListener('afterprint', () => { root.classList.remove('paper'); draw(); });
  window.pantoCharts = drawn;
})
)JS";

}  // namespace detail

/// The place of a chart in the page.
[[nodiscard]] inline std::string dygraphs_place(const Chart& chart) {
    return "<div class=\"legend\" id=\"legend_" + chart.name + "\"></div><div class=\"chart\" id=\"chart_" +
           chart.name + "\" style=\"--high:" + std::to_string(chart.height) +
           "px\"></div><p class=\"tools\"><button type=\"button\" id=\"whole_" + chart.name +
           "\">show all</button></p>\n";
}

/// The library and the charts, for the end of the page.
[[nodiscard]] inline std::string dygraphs_script(const Dygraphs& library, const std::vector<Chart>& charts) {
    std::string text = "<script>" + library.script + "</script>\n<script>" + std::string(detail::chart_script) + "([\n";
    for (const Chart& chart : charts) text += detail::js_chart(chart) + ",\n";
    return text + "]);</script>\n";
}

}  // namespace panto::io
