// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numeric series as CSV: comment lines that start with '#', one header line whose names carry the units
/// (`time_s,contact_force_N`), then one line per sample. Numbers are written with the fewest digits, at most 17, that
/// give the same double when they are read.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/io/file.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace panto::io {

struct CsvColumn {
    std::string name = {};  ///< with its unit, as in contact_force_N
    std::vector<double> values =
        {};  ///< one per sample; NaN and infinities are kept: the record of a faulty run contains them
};

struct CsvTable {
    std::vector<std::string> comments = {};  ///< without the '#'; one of them should say when samples were taken
    std::vector<CsvColumn> columns = {};     ///< all of the same length

    /// @throws SetupError with the nearest name if there is no such column.
    [[nodiscard]] const std::vector<double>& column(std::string_view name) const {
        std::vector<std::string_view> names;
        for (const CsvColumn& c : columns) {
            if (c.name == name) return c.values;
            names.push_back(c.name);
        }
        require(!names.empty(), "io::CsvTable", "there are no columns");
        throw SetupError(unknown_name("io::CsvTable", "column", name, names));
    }
};

/// @throws SetupError if there is no column, lengths differ, or a name occurs twice or cannot be in a header.
[[nodiscard]] inline std::string csv_to_text(const CsvTable& table) {
    constexpr const char* where = "io::write_csv";
    require(!table.columns.empty(), where, "there are no columns");
    const std::size_t rows = table.columns.front().values.size();
    std::string text;
    for (const std::string& comment : table.comments) {
        require(comment.find_first_of("\r\n") == std::string::npos, where, "a comment has more than one line");
        text.append("# ").append(comment).append("\n");
    }
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
        const CsvColumn& column = table.columns[j];
        require(!column.name.empty() && column.name.find_first_of(",\"#\r\n \t") == std::string::npos, where,
                "column name '", column.name, "' is empty or has a comma, quote, '#' or space");
        for (std::size_t i = 0; i < j; ++i)
            require(table.columns[i].name != column.name, where, "column '", column.name, "' appears twice");
        require(column.values.size() == rows, where, "column '", column.name, "' has ", column.values.size(),
                " values, '", table.columns.front().name, "' has ", rows);
        text.append(j ? "," : "").append(column.name);
    }
    text += '\n';
    char digits[32];
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < table.columns.size(); ++j) {
            const auto end = std::to_chars(digits, digits + sizeof digits, table.columns[j].values[i]).ptr;
            if (j) text += ',';
            text.append(digits, end);
        }
        text += '\n';
    }
    return text;
}

/// @throws SetupError as csv_to_text() does, or naming the file if it cannot be written.
inline void write_csv(const std::filesystem::path& file, const CsvTable& table) {
    write_text(file, csv_to_text(table));
}

/// Reads a table from text; `file` is the name of the text in messages.
/// @throws SetupError with file, line and column name of the first error.
template <class = void>
[[nodiscard]] CsvTable csv_from_text(std::string_view text, const std::string& file) {
    CsvTable table;
    std::size_t line_number = 0;
    const auto fail = [&](const std::string& what) {
        throw SetupError("file '" + file + "', line " + std::to_string(line_number) + ": " + what);
    };
    const auto fields_of = [](std::string_view line) {
        std::vector<std::string_view> fields;
        for (std::size_t comma; (comma = line.find(',')) != std::string_view::npos; line.remove_prefix(comma + 1))
            fields.push_back(line.substr(0, comma));
        fields.push_back(line);
        return fields;
    };
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark that spreadsheets write
    require(!text.empty(), "file '" + file + "'", "is empty");
    while (!text.empty()) {
        ++line_number;
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) fail("is cut off: the last line has no end");
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with('#')) {
            line.remove_prefix(line.starts_with("# ") ? 2 : 1);
            table.comments.emplace_back(line);
            continue;
        }
        const std::vector<std::string_view> fields = fields_of(line);
        if (table.columns.empty()) {
            for (const std::string_view name : fields) {
                if (name.empty()) fail("a column has no name");
                for (const CsvColumn& other : table.columns)
                    if (other.name == name) fail("column '" + std::string(name) + "' appears twice");
                table.columns.push_back({std::string(name), {}});
            }
            continue;
        }
        if (fields.size() != table.columns.size())
            fail("has " + std::to_string(fields.size()) + " values, " + std::to_string(table.columns.size()) +
                 " are needed, one per column");
        for (std::size_t j = 0; j < fields.size(); ++j) {
            double value = 0.0;
            const char* const first = fields[j].data();
            const char* const last = first + fields[j].size();
            const auto [stop, error] = std::from_chars(first, last, value);
            if (error != std::errc() || stop != last)
                fail("column '" + table.columns[j].name + "': '" + std::string(fields[j].substr(0, 40)) +
                     "' is not a number" + (error == std::errc::result_out_of_range ? " a double can hold" : ""));
            table.columns[j].values.push_back(value);
        }
    }
    require(!table.columns.empty(), "file '" + file + "'", "has no header line with the names of the columns");
    return table;
}

/// @throws SetupError as csv_from_text() does, or naming the file if it cannot be read.
[[nodiscard]] inline CsvTable read_csv(const std::filesystem::path& file) {
    return csv_from_text(read_text(file), file.string());
}

#ifdef PANTO_COMPILED
extern template CsvTable csv_from_text(std::string_view, const std::string&);
#endif

}  // namespace panto::io
