#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "api/call.h"
#include "base/text.h"

namespace tapedeck::api {
namespace {

/// Values that are nested deeper are compared as plain text. Clients do not need more levels, and hostile values must
/// not take much memory.
constexpr std::size_t max_depth = 64;
constexpr std::string_view white_space = " \t\r\n";

/// Python clients write booleans with a capital letter.
std::string_view folded(std::string_view scalar) {
  if (scalar == "True") return "true";
  if (scalar == "False") return "false";
  return scalar;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      base::append_hex(out, c);
    } else {
      out += c;
    }
  }
  out += '"';
}

/// Builds the canonical text from the parser's events without a tree. Numbers keep their spelling, and duplicate keys
/// stay in order.
class CanonicalBuilder {
 public:
  [[nodiscard]] const std::string& text() const { return result_; }
  [[nodiscard]] bool is_scalar() const { return scalar_; }

  bool null() { return scalar("null"); }
  bool boolean(bool value) { return scalar(value ? "true" : "false"); }
  /// The parser only reports negative numbers here, so 0 is -0.
  bool number_integer(std::int64_t value) { return scalar(value == 0 ? "-0" : std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return scalar(std::to_string(value)); }
  bool number_float(double, const std::string& spelled) { return scalar(spelled); }
  bool string(const std::string& value) { return scalar(folded(value)); }
  static bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool end_array() { return close(); }
  bool key(const std::string& name) {
    levels_.back().members.push_back({name, {}});
    return true;
  }
  bool end_object() {
    std::stable_sort(levels_.back().members.begin(), levels_.back().members.end(),
                     [](const Member& a, const Member& b) { return a.name < b.name; });
    return close();
  }
  template <typename Exception>
  static bool parse_error(std::size_t, const std::string&, const Exception&) {
    return false;
  }

 private:
  struct Member {
    std::string name;
    std::string text;
  };
  struct Level {
    bool is_object;
    std::vector<Member> members;
  };

  bool open(bool is_object) {
    levels_.push_back({is_object, {}});
    return levels_.size() <= max_depth;
  }

  bool close() {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    std::string text(1, level.is_object ? '{' : '[');
    for (const Member& member : level.members) {
      if (text.size() > 1) text += ',';
      if (level.is_object) {
        append_quoted(text, member.name);
        text += ':';
      }
      text += member.text;
    }
    text += level.is_object ? '}' : ']';
    put(std::move(text));
    return true;
  }

  bool scalar(std::string_view text) {
    if (levels_.empty()) {
      scalar_ = true;
      result_ = text;
      return true;
    }
    std::string quoted;
    append_quoted(quoted, text);
    put(std::move(quoted));
    return true;
  }

  void put(std::string text) {
    if (levels_.empty()) {
      result_ = std::move(text);
    } else if (levels_.back().is_object) {
      levels_.back().members.back().text = std::move(text);
    } else {
      levels_.back().members.push_back({{}, std::move(text)});
    }
  }

  std::vector<Level> levels_;
  std::string result_;
  bool scalar_ = false;
};

/// Returns nothing if `text` is not JSON. Checks for NUL first, because the parser would end there and ignore the rest.
std::optional<CanonicalBuilder> read_json(std::string_view text) {
  CanonicalBuilder builder;
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return builder;
}

bool begins_as_json(std::string_view trimmed) {
  return !trimmed.empty() && (trimmed.front() == '[' || trimmed.front() == '{' || trimmed.front() == '"');
}

/// Returns the canonical form of a JSON text. A string that contains the text of an array, an object, or another string
/// keeps its quotes, so that it differs from that.
std::string canonical_json(const CanonicalBuilder& json) {
  if (!json.is_scalar() || !begins_as_json(base::trim(json.text(), white_space)) || !read_json(json.text())) {
    return json.text();
  }
  std::string quoted;
  append_quoted(quoted, json.text());
  return quoted;
}

/// Returns the list that clients write as a,b. A text with white space at a comma, such as a sentence, is no list.
std::optional<std::string> comma_list(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return std::nullopt;
  std::string result = "[";
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    if (base::trim(item, white_space).size() != item.size()) return std::nullopt;
    more = comma != std::string_view::npos;
    append_quoted(result, folded(item));
    if (more) {
      text.remove_prefix(comma + 1);
      result += ',';
    }
  }
  return result + "]";
}

bool is_in_word(char c) { return base::is_alnum(c) || c == '_' || c == '.' || c == '-'; }

}  // namespace

std::string canonical_value(std::string_view value) {
  // Names and numbers, which most values are, skip the parser.
  if (std::all_of(value.begin(), value.end(), is_in_word)) return std::string(folded(value));
  const std::string_view inner = base::trim(value, white_space);
  if (inner.empty()) return std::string(value);
  // Only scalars with quotes or white space need the parser.
  if (begins_as_json(inner) || inner.size() != value.size()) {
    if (const auto json = read_json(inner)) return canonical_json(*json);
    if (begins_as_json(inner)) return std::string(folded(value));
  }
  return comma_list(value).value_or(std::string(folded(value)));
}

}  // namespace tapedeck::api
