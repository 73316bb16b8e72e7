#include "scrubbers/search/message_structure.h"

#include <algorithm>

#include "base/text.h"
#include "scrubbers/redaction/structure.h"
#include "scrubbers/search/message_names.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t longest_name = 256;

/// Returns true for a name that belongs to the structure of messages.
using IsName = std::function<bool(std::string_view)>;

struct TextPlace {
  std::size_t begin = 0, end = 0;
};

/// Returns true for a parameter or member whose value is a name or a fixed path.
bool holds_name(std::string_view name) {
  return name == "api" || name == "method" || name == "path" || name == "requestFormat";
}

bool is_identifier(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return base::is_alnum(c) || c == '.' || c == '_'; });
}

/// Returns true for the place of a name, or of a part of one, in a value of holds_name().
bool is_in_name(std::string_view name, std::string_view value, bool is_whole, const IsName& is_name) {
  return holds_name(name) && (is_name(value) || (!is_whole && name != "path" && is_identifier(value)));
}

std::string_view without_backslash(std::string_view text) {
  while (text.ends_with('\\')) text.remove_suffix(1);
  return text;
}

std::size_t back(std::size_t at) { return at - std::min(at, longest_name); }

/// Returns the text of the string in quotes around the place; nothing if it is longer than any name. Backslashes belong
/// to the quotes of a string in a string.
std::string_view string_around(std::string_view text, TextPlace place) {
  const std::size_t from = back(place.begin);
  const std::size_t open = text.substr(from, place.begin - from).rfind('"');
  const std::size_t close = text.substr(place.end, longest_name).find('"');
  if (open == base::npos || close == base::npos) return {};
  return text.substr(from + open + 1, place.end + close - from - open - 1);
}

/// Returns the text in quotes that ends before `at` with the mark in front of it; nothing if there is none.
std::string_view quoted_before(std::string_view text, std::size_t at, char mark) {
  const std::string_view before = text.substr(back(at), at - back(at));
  std::size_t end = before.find_last_not_of(" \t\r\n\\");
  if (end == base::npos || before[end] != mark) return {};
  end = before.find_last_not_of(" \t\r\n\\", end == 0 ? 0 : end - 1);
  if (end == base::npos || end == 0 || before[end] != '"') return {};
  const std::size_t begin = before.rfind('"', end - 1);
  return begin == base::npos ? std::string_view() : without_backslash(before.substr(begin + 1, end - begin - 1));
}

bool is_in_json_name(std::string_view text, TextPlace place, const IsName& is_name) {
  const std::string_view around = string_around(text, place);
  if (around.data() == nullptr) return false;
  const std::string_view inside = without_backslash(around);
  const auto begin = static_cast<std::size_t>(around.data() - text.data());
  const std::string_view behind = base::trim_front(text.substr(begin + around.size() + 1, longest_name));
  if (behind.starts_with(':')) return is_name(inside);
  if (text.substr(0, begin - 1).ends_with("name=")) return is_name(inside);  // of a multipart field
  const bool is_whole = place.begin == begin && place.end == begin + inside.size();
  return is_in_name(quoted_before(text, begin - 1, ':'), inside, is_whole, is_name);
}

/// Looks at the name and value in a query or form in which the place begins.
bool is_in_query_name(std::string_view text, TextPlace place, const IsName& is_name) {
  static constexpr std::string_view ends = "&;\"'<> \t\r\n";
  const std::size_t from = back(place.begin);
  const std::size_t mark = text.substr(from, place.begin - from).find_last_of("?&;\"'<> \t\r\n");
  if (mark == base::npos && from > 0) return false;
  const std::size_t begin = mark == base::npos ? 0 : from + mark + 1;
  std::string_view pair = text.substr(begin, longest_name);
  pair = pair.substr(0, pair.find_first_of(ends));
  const std::size_t equals = pair.find('=');
  if (equals == base::npos) return false;
  const std::string name = decode_text(Codec::form, pair.substr(0, equals));
  const std::size_t value = begin + equals + 1;
  if (place.begin < value) return is_name(name);
  const bool is_whole = place.begin == value && place.end == begin + pair.size();
  return is_in_name(name, pair.substr(equals + 1), is_whole, is_name);
}

/// Returns true for the value of a multipart field that is the name of an API or a method.
bool is_in_field_name(std::string_view text, TextPlace place, const IsName& is_name) {
  static constexpr std::string_view gap = "\r\n\r\n", mark = "name=\"";
  const std::size_t from = back(place.begin);
  const std::string_view before = text.substr(from, place.begin - from);
  const std::size_t begin = before.rfind(gap);
  const std::size_t name = before.substr(0, begin).rfind(mark);
  if (begin == base::npos || name == base::npos) return false;
  const std::size_t end = std::min(text.find("\r\n", place.end), place.end + longest_name);
  const std::string_view field = before.substr(name + mark.size());
  const std::size_t value = from + begin + gap.size();
  return is_in_name(field.substr(0, field.find('"')), text.substr(value, end - value),
                    place.begin == value && place.end == end, is_name);
}

/// Returns true if the place is, or is in, a segment of a fixed path.
bool is_in_fixed_path(std::string_view text, TextPlace place) {
  const auto ends = [](char c) { return std::string_view("/?#\"'<>&=\\ \t\r\n").find(c) != base::npos; };
  std::size_t begin = place.begin, end = place.end;
  while (begin > back(place.begin) && !ends(text[begin - 1])) --begin;
  while (end < std::min(text.size(), place.end + longest_name) && !ends(text[end])) ++end;
  const bool is_segment = (begin > 0 && text[begin - 1] == '/') || (end < text.size() && text[end] == '/');
  return is_segment && is_fixed_segment(text.substr(begin, end - begin));
}

/// Returns true if the place in a text, decoded or not, is a name or a part of one.
bool is_name_place(std::string_view text, TextPlace place, const IsName& is_name) {
  return is_in_json_name(text, place, is_name) || is_in_query_name(text, place, is_name) ||
         is_in_field_name(text, place, is_name) || is_in_fixed_path(text, place);
}

/// Returns true if a string of the JSON text begins or ends in the place.
bool crosses_string(std::string_view json, TextPlace place) {
  bool is_escaped = false;
  for (std::size_t at = place.begin; at > back(place.begin) && json[at - 1] == '\\'; --at) is_escaped = !is_escaped;
  for (std::size_t at = place.begin; at < place.end; ++at) {
    if (json[at] == '"' && !is_escaped) return true;
    is_escaped = json[at] == '\\' && !is_escaped;
  }
  return false;
}

/// Returns true if the place contains a mark of XML, or is in a tag but not in the value of an attribute.
bool crosses_tag(std::string_view xml, TextPlace place) {
  if (xml.substr(place.begin, place.end - place.begin).find_first_of("<>") != base::npos) return true;
  const std::string_view before = xml.substr(back(place.begin), place.begin - back(place.begin));
  const std::size_t mark = before.find_last_of("<>");
  if (mark == base::npos || before[mark] == '>') return false;
  if (before.substr(mark).starts_with("<![CDATA[") || before.substr(mark).starts_with("<!--")) return false;
  char quote = '\0';
  for (const char c : before.substr(mark)) {
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    }
  }
  return quote == '\0' || xml.substr(place.begin, place.end - place.begin).find(quote) != base::npos;
}

/// Returns true if the place crosses the marks of the text, which is not decoded.
class CrossesMarks {
 public:
  CrossesMarks(std::string_view text, TextKind kind)
      : text_(text),
        kind_(kind),
        query_(kind.part == Part::request_target ? std::min(text.find('?'), text.size()) : 0),
        is_body_(kind.part == Part::request_body || kind.part == Part::response_body) {}

  bool operator()(TextPlace place) {
    if (kind_.may_be_usual && is_in_structure(text_)) return true;
    if (kind_.part == Part::request_target && kind_.is_call && place.begin < query_) return true;
    const bool has_pairs = kind_.is_form || (kind_.part == Part::request_target && place.end > query_);
    if (has_pairs && text_.substr(place.begin, place.end - place.begin).find('&') != base::npos) return true;
    if (!has_structure()) return false;
    return base::trim_front(text_).starts_with('<') ? crosses_tag(text_, place) : crosses_string(text_, place);
  }

 private:
  /// Returns true for valid JSON or XML.
  bool has_structure() {
    if (!has_structure_) has_structure_ = is_body_ && structure_of(text_, {}, false);
    return *has_structure_;
  }

  std::string_view text_;
  TextKind kind_;
  std::size_t query_;
  bool is_body_;
  std::optional<bool> has_structure_;
};

}  // namespace

IsStructure structure_test(const LearnedSecrets& learned, std::string_view text, TextKind kind) {
  return [&learned, raw = text.data(), crosses = CrossesMarks(text, kind)](
             std::string_view view, std::size_t begin, std::size_t end, LearnedSecrets::Id id) mutable {
    if (is_id(learned.class_of(id)) || learned.is_given_everywhere(id)) return false;
    const IsName is_name = [&](std::string_view name) { return learned.is_structure_name(id, name); };
    return (view.data() == raw && crosses({begin, end})) || is_name_place(view, {begin, end}, is_name);
  };
}

}  // namespace tapedeck::scrubbers
