// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Strict reading of JSON descriptions: every key must be known, every value must have the right type, and errors are
/// reported with the file and the path of the value, as in `spans[3].droppers[2].position_m`.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/names.hpp>
#include <panto/io/file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <locale.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::io {

namespace detail {

/// Follows the parser through a document: its position, and the keys found so far in the objects that are still open.
class JsonTracker {
  public:
    explicit JsonTracker(std::string where) : where_(std::move(where)) {}

    bool operator()(int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        using Event = nlohmann::json::parse_event_t;
        switch (event) {
            case Event::object_start: open(false); break;
            case Event::array_start: open(true); break;
            case Event::object_end:
            case Event::array_end:
                levels_.pop_back();
                count();
                break;
            case Event::value: count(); break;
            case Event::key:
                levels_.back().key = parsed.get_ref<const std::string&>();
                if (!levels_.back().keys.insert(levels_.back().key).second)
                    throw SetupError(where_ + ": " + path() + ": the key appears twice");
                break;
        }
        return true;
    }

    /// The path of the next value.
    [[nodiscard]] std::string path() const {
        std::string text;
        for (const Level& level : levels_) {
            if (level.array)
                text += "[" + std::to_string(level.index) + "]";
            else
                text += (text.empty() ? "" : ".") + level.key;
        }
        return text;
    }

  private:
    struct Level {
        bool array = false;
        std::size_t index = 0;
        std::string key = {};
        std::set<std::string> keys = {};
    };

    void open(bool array) {
        require(levels_.size() < 32, where_, "is nested deeper than the 32 levels this reader accepts");
        levels_.push_back({.array = array});
    }
    void count() {
        if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
    }
    std::string where_;
    std::vector<Level> levels_;
};

/// "line 3, column 7 (byte 52)" of a position in a text; `byte` counts from 1.
[[nodiscard]] inline std::string place_in(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
    return "line " + std::to_string(line) + ", column " + std::to_string(column) + " (byte " + std::to_string(byte) +
           ")";
}

/// While one lives, the thread has the locale "C". The parser reads numbers with strtod and replaces the point by the
/// first byte of the locale's decimal sign: where this sign has two bytes, as in Persian, 0.5 would become 0.
class CLocale {
  public:
    CLocale() : c_(::newlocale(LC_ALL_MASK, "C", nullptr)), before_(::uselocale(c_)) {}
    CLocale(const CLocale&) = delete;
    CLocale& operator=(const CLocale&) = delete;
    ~CLocale() {
        ::uselocale(before_);
        ::freelocale(c_);
    }

  private:
    ::locale_t c_, before_;
};

}  // namespace detail

/// Parses a JSON document; `file` is its name in messages.
/// @throws SetupError with file, line, column and byte if the text is empty, cut off or not JSON, or a key appears
/// twice.
[[nodiscard]] inline nlohmann::json parse_json(std::string_view text, const std::string& file) {
    const std::string where = "file '" + file + "'";
    require(text.find_first_not_of(" \t\r\n") != std::string_view::npos, where, "is empty");
    detail::JsonTracker tracker(where);
    const detail::CLocale points;
    try {
        return nlohmann::json::parse(text, std::ref(tracker));
    } catch (const nlohmann::json::parse_error& e) {
        const std::string_view what = e.what();
        const bool cut_off = what.find("unexpected end of input") != std::string_view::npos ||
                             what.find("missing closing quote") != std::string_view::npos;
        const std::size_t reason = what.find(": ");
        throw SetupError(where + ": " + (cut_off ? "is cut off at " : "is not valid JSON at ") +
                         detail::place_in(text, e.byte) +
                         std::string(reason == std::string_view::npos ? what : what.substr(reason)));
    } catch (const nlohmann::json::exception& e) {
        const std::string_view what = e.what();
        const std::size_t end_of_id = what.find("] ");
        const std::string path = tracker.path();  // of a number that does not fit a double
        throw SetupError(where + ": " + (path.empty() ? "" : path + ": ") +
                         std::string(end_of_id == std::string_view::npos ? what : what.substr(end_of_id + 2)));
    }
}

/// A JSON object whose keys have been checked against a list. Holds a reference to the document.
class JsonObject {
  public:
    using Names = std::vector<std::string_view>;

    /// @throws SetupError if the value is not an object or has a key that is not in `known`.
    JsonObject(const nlohmann::json& node, std::string file, std::string path, const Names& known)
        : node_(&node), file_(std::move(file)), path_(std::move(path)) {
        if (!node.is_object()) throw SetupError(where() + ": " + described(node) + ", an object { } is needed");
        for (const auto& item : node.items()) {
            if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
            std::string text =
                "unknown key, did you mean '" + std::string(nearest(item.key(), known)) + "'? Known are ";
            for (std::size_t i = 0; i < known.size(); ++i) text.append(i ? ", " : "").append(known[i]);
            fail(item.key(), text);
        }
    }

    [[nodiscard]] bool has(const std::string& key) const { return node_->contains(key); }

    /// A finite number. @throws SetupError if it is missing or anything else.
    [[nodiscard]] double number(const std::string& key) const {
        const nlohmann::json& value = at(key);
        if (!value.is_number()) fail(key, described(value) + ", a number is needed");
        const double number = value.get<double>();
        if (!is_finite(number)) fail(key, "is " + shown(number) + ", a finite number is needed");
        return number;
    }
    [[nodiscard]] double number_or(const std::string& key, double otherwise) const {
        return has(key) ? number(key) : otherwise;
    }
    [[nodiscard]] std::optional<double> optional_number(const std::string& key) const {
        return has(key) ? std::optional<double>(number(key)) : std::nullopt;
    }

    /// A whole number from `lowest` to `highest`, both included.
    [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t lowest, std::int64_t highest) const {
        const nlohmann::json& value = at(key);
        const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
        if (!value.is_number_integer() || too_large || value.get<std::int64_t>() < lowest ||
            value.get<std::int64_t>() > highest)
            fail(key, described(value) + ", must be a whole number from " + std::to_string(lowest) + " to " +
                          std::to_string(highest));
        return value.get<std::int64_t>();
    }

    [[nodiscard]] std::string text(const std::string& key) const {
        const nlohmann::json& value = at(key);
        if (!value.is_string()) fail(key, described(value) + ", text in quotes is needed");
        return value.get<std::string>();
    }
    [[nodiscard]] std::string text_or(const std::string& key, const std::string& otherwise) const {
        return has(key) ? text(key) : otherwise;
    }

    [[nodiscard]] JsonObject object(const std::string& key, const Names& known) const {
        return {at(key), file_, path_of(key), known};
    }

    /// The entries of an array of objects, which may all have the keys `known`.
    [[nodiscard]] std::vector<JsonObject> objects(const std::string& key, const Names& known) const {
        const nlohmann::json& list = at(key);
        if (!list.is_array()) fail(key, described(list) + ", a list [ ] is needed");
        std::vector<JsonObject> result;
        for (std::size_t i = 0; i < list.size(); ++i)
            result.emplace_back(list[i], file_, path_of(key) + "[" + std::to_string(i) + "]", known);
        return result;
    }

    /// The keys of an object that may have any keys, see any_object().
    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> all;
        for (const auto& item : node_->items()) all.push_back(item.key());
        return all;
    }
    /// An object that may have any keys.
    [[nodiscard]] JsonObject any_object(const std::string& key) const {
        const nlohmann::json& value = at(key);
        if (!value.is_object()) fail(key, described(value) + ", an object { } is needed");
        std::vector<std::string> names;
        for (const auto& item : value.items()) names.push_back(item.key());
        return {value, file_, path_of(key), Names(names.begin(), names.end())};
    }
    [[nodiscard]] bool boolean_or(const std::string& key, bool otherwise) const {
        if (!has(key)) return otherwise;
        if (!at(key).is_boolean()) fail(key, described(at(key)) + ", true or false is needed");
        return at(key).get<bool>();
    }
    /// A list of a given number of entries of any kind.
    [[nodiscard]] const nlohmann::json& list(const std::string& key, std::size_t size) const {
        const nlohmann::json& value = at(key);
        if (!value.is_array() || value.size() != size)
            fail(key, described(value) + ", a list of " + std::to_string(size) + " is needed");
        return value;
    }
    [[nodiscard]] const nlohmann::json& value(const std::string& key) const { return at(key); }
    [[nodiscard]] JsonObject element(const nlohmann::json& value, const std::string& key, const Names& known) const {
        return {value, file_, path_of(key), known};
    }

    /// @throws SetupError "file 'f': path.key: what"
    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        throw SetupError("file '" + file_ + "': " + path_of(key) + ": " + what);
    }

  private:
    [[nodiscard]] const nlohmann::json& at(const std::string& key) const {
        if (!has(key)) fail(key, "missing");
        return (*node_)[key];
    }
    [[nodiscard]] std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
    [[nodiscard]] std::string where() const { return "file '" + file_ + "'" + (path_.empty() ? "" : ": " + path_); }

    /// The key that was probably meant; a forgotten unit (`length`) counts as the closest match.
    [[nodiscard]] static std::string_view nearest(std::string_view key, const Names& known) {
        const auto longer = std::find_if(known.begin(), known.end(),
                                         [&](std::string_view k) { return !key.empty() && k.starts_with(key); });
        return longer == known.end() ? nearest_name(key, known) : *longer;
    }

    /// A part of a message about a value of the wrong type: `is text "NaN"`.
    [[nodiscard]] static std::string described(const nlohmann::json& value) {
        std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        if (text.size() > 40) text = text.substr(0, 37) + "...";
        return "is " +
               std::string(value.is_string()   ? "text "
                           : value.is_object() ? "object "
                           : value.is_array()  ? "list "
                                               : "") +
               text;
    }

    const nlohmann::json* node_;
    std::string file_;
    std::string path_;
};

/// Checks the first two keys of every description, before anything else is read.
/// @throws SetupError if the document has another format or a newer version.
inline void require_format(const nlohmann::json& document, const std::string& file, std::string_view format,
                           std::int64_t newest) {
    const std::string where = "file '" + file + "'";
    require(document.is_object(), where, "is not a JSON object { }, so it is not a '", format, "' file");
    const auto found = document.find("format");
    require(found != document.end(), where, "format: missing, \"", format, "\" is needed");
    require(*found == nlohmann::json(format), where, "format: is ", found->dump().substr(0, 60), ", \"", format,
            "\" is needed");
    const auto version = document.find("version");
    require(version != document.end(), where, "version: missing, ", newest, " is the newest");
    require(version->is_number_integer() && *version >= 1, where, "version: is ", version->dump().substr(0, 60),
            ", must be a whole number from 1 to ", newest);
    require(*version <= newest, where, "file has version ", version->dump(),
            ", this version of panto reads up to version ", newest);
}

/// A document as readable text: everything that fits is on one line.
[[nodiscard]] inline std::string pretty(const nlohmann::ordered_json& node, std::size_t indent = 0) {
    constexpr std::size_t width = 110;
    const bool object = node.is_object();
    if (!object && !node.is_array()) return node.dump();
    if (node.empty()) return object ? "{}" : "[]";
    const auto joined = [&](const std::string& separator, auto&& written) {
        std::string text;
        for (const auto& item : node.items())
            text += (text.empty() ? "" : separator) + (object ? nlohmann::ordered_json(item.key()).dump() + ": " : "") +
                    written(item.value());
        return text;
    };
    const std::string line = joined(", ", [&](const auto& value) { return pretty(value, 0); });
    if (indent > 0 && line.find('\n') == std::string::npos && line.size() + indent < width)
        return (object ? "{" : "[") + line + (object ? "}" : "]");
    const std::string margin(indent + 2, ' ');
    return (object ? "{\n" : "[\n") + margin +
           joined(",\n" + margin, [&](const auto& value) { return pretty(value, indent + 2); }) + "\n" +
           std::string(indent, ' ') + (object ? "}" : "]");
}

}  // namespace panto::io
