#include "scrubbers/rules/json_scanner.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

enum class CharClass : std::uint8_t { other, quote, apostrophe, open_object, open_array, close, space, word };

constexpr std::array<CharClass, 256> make_classes() {
  using enum CharClass;
  std::array<CharClass, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = base::is_alnum(c);
    classes[static_cast<std::size_t>(c)] = letter || c == '_' || c == '$' || c == '-' || c == '.' ? word : other;
  }
  classes['"'] = quote;
  classes['\''] = apostrophe;
  classes['{'] = open_object;
  classes['['] = open_array;
  classes['}'] = classes[']'] = close;
  classes[' '] = classes['\t'] = classes['\n'] = classes['\r'] = space;
  return classes;
}
constexpr std::array<CharClass, 256> classes = make_classes();

CharClass class_of(char c) { return classes[static_cast<std::uint8_t>(c)]; }

bool is_json_space(char c) { return class_of(c) == CharClass::space; }

// The characters that end a number, true, false, or null.
constexpr std::array<bool, 256> make_scalar_ends() {
  std::array<bool, 256> ends{};
  using enum CharClass;
  for (std::size_t c = 0; c < 256; ++c) ends[c] = classes[c] == close || classes[c] == space || classes[c] == quote;
  ends[','] = true;
  return ends;
}
constexpr std::array<bool, 256> scalar_ends = make_scalar_ends();

struct JsonPiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool escaped = false;
};

// The content of a string, and the position after its closing quote or the end of the text.
struct QuotedPiece : JsonPiece {
  std::size_t behind = 0;
};

// The on_… functions take a position in the text and return where to continue.
class Scanner {
 public:
  Scanner(std::string_view text, JsonVisitor& visitor, KeyLog* keys) : text_(text), visitor_(visitor), keys_(keys) {}

  void run() {
    for (std::size_t at = 0; at < text_.size();) {
      if (stack_.empty() && at >= outside_) find_outside(at);
      at = text_[at] == '"' ? on_string(at) : on_other(at);
    }
  }

 private:
  using enum CharClass;
  using Wanted = std::optional<RuleMatch>;

  struct Frame {
    JsonPiece key;
    std::size_t begin = 0;  ///< position of its bracket
    Wanted wanted;          ///< for a wanted array or object: the rule of its elements
    bool is_object = false;
  };

  [[nodiscard]] Wanted wanted_in_array() const {
    return stack_.empty() || in_object_ ? std::nullopt : stack_.back().wanted;
  }

  // The deepest level on the stack, because 63 MB of brackets must not need a gigabyte. Below it, keys are still
  // recognized by their colons, but rules with paths and wanted arrays no longer apply.
  static constexpr std::size_t deepest = 100'000;

  void push(std::size_t at, JsonPiece key, bool is_object, Wanted wanted) {
    in_object_ = is_object;
    if (stack_.size() == deepest) {
      ++beyond_;
    } else {
      stack_.push_back({key, at, wanted, is_object});
    }
  }
  void pop() {
    if (beyond_ > 0) {
      --beyond_;
    } else if (!stack_.empty()) {
      stack_.pop_back();
    }
    in_object_ = !stack_.empty() && stack_.back().is_object;
  }

  [[nodiscard]] QuotedPiece string_at(std::size_t open, char mark) const;
  [[nodiscard]] std::size_t skip_space(std::size_t at) const {
    while (at < text_.size() && is_json_space(text_[at])) ++at;
    return at;
  }
  [[nodiscard]] std::size_t behind_comma(std::size_t at) const { return byte(at) == ',' ? at + 1 : at; }
  [[nodiscard]] std::size_t skip_separators(std::size_t at) const;
  [[nodiscard]] char byte(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  [[nodiscard]] std::string_view text_of(const JsonPiece& piece) const {
    return text_.substr(piece.begin, piece.end - piece.begin);
  }

  void find_outside(std::size_t at);
  std::size_t on_string(std::size_t at);
  std::size_t on_other(std::size_t at);
  std::size_t on_apostrophe(std::size_t at);
  std::size_t on_word(std::size_t at);
  std::size_t on_key(JsonPiece key, std::size_t next);
  std::size_t on_value(Wanted wanted, std::size_t at, JsonPiece key);
  std::size_t on_scalar(Wanted wanted, std::size_t at);
  std::size_t on_string_value(Wanted wanted, QuotedPiece string);
  [[nodiscard]] std::size_t end_of_broken_string(JsonPiece string) const;
  [[nodiscard]] Wanted wanted_of(JsonPiece key);
  [[nodiscard]] JsonPath path_to(std::string key);

  // A cache with one name per slot. Most bodies have few different keys and repeat them.
  struct KnownName {
    std::string_view raw;
    bool may_be_wanted = false;
  };
  static constexpr std::size_t places = 128;
  static std::size_t place_of(std::string_view name) {
    const auto byte = [name](std::size_t at) { return static_cast<std::size_t>(static_cast<std::uint8_t>(name[at])); };
    return (byte(0) * 5 + byte(name.size() / 2) * 3 + byte(name.size() - 1) + name.size() * 11) % places;
  }

  std::array<KnownName, places> known_names_{};
  std::string_view text_;
  JsonVisitor& visitor_;
  KeyLog* keys_;
  bool in_object_ = false;   // the innermost open bracket is `{`
  std::size_t outside_ = 0;  // the end of the last text outside of all brackets
  std::size_t beyond_ = 0;   // number of open levels below the deepest one on the stack
  std::vector<Frame> stack_;
  std::vector<std::string> path_;
};

// Returns the string whose opening quote is at `open`. An unclosed string ends with the text.
QuotedPiece Scanner::string_at(std::size_t open, char mark) const {
  bool escaped = false;
  std::size_t at = open + 1;
  while (at < text_.size() && text_[at] != mark) {
    const bool escapes = text_[at] == '\\';
    escaped = escaped || escapes;
    at += escapes ? 2 : 1;
  }
  return {{open + 1, std::min(at, text_.size()), escaped}, std::min(at + 1, text_.size())};
}

/// Reports the text from `at` to the next bracket or quote.
void Scanner::find_outside(std::size_t at) {
  outside_ = at;
  const auto is_mark = [this](std::size_t place) {
    const CharClass kind = class_of(text_[place]);
    return kind == quote || kind == open_object || kind == open_array;
  };
  while (outside_ < text_.size() && !is_mark(outside_)) ++outside_;
  if (outside_ > at) visitor_.text(at, outside_, false);
  outside_ = std::max(outside_, at + 1);
}

std::size_t Scanner::on_string(std::size_t at) {
  const QuotedPiece string = string_at(at, '"');
  const std::size_t next = skip_space(string.behind);
  if (in_object_ || byte(next) == ':' || byte(next) == '=') {
    if (string.begin < string.end) visitor_.text(string.begin, string.end, string.escaped);
    return on_key(string, next);
  }
  return on_string_value(wanted_in_array(), string);
}

std::size_t Scanner::on_other(std::size_t at) {
  switch (class_of(text_[at])) {
    case apostrophe:
      return on_apostrophe(at);
    case open_object:
    case open_array:
      push(at, {}, text_[at] == '{', wanted_in_array());
      break;
    case close:
      pop();
      break;
    case word:
      return on_word(at);
    default:
      break;
  }
  return at + 1;
}

std::size_t Scanner::on_apostrophe(std::size_t at) {
  if (!in_object_ && !wanted_in_array()) return at + 1;
  const QuotedPiece string = string_at(at, '\'');
  return in_object_ ? on_key(string, skip_space(string.behind)) : on_string_value(wanted_in_array(), string);
}

// Handles a word without quotes: a key in an object or a number in an array.
std::size_t Scanner::on_word(std::size_t at) {
  std::size_t end = at;
  while (end < text_.size() && class_of(text_[end]) == word) ++end;
  std::size_t next = skip_space(end);
  if (byte(next) == '"' && byte(skip_space(next + 1)) == ':') next = skip_space(next + 1);
  if (in_object_ || byte(next) == ':') return on_key({at, end, false}, next);
  const Wanted wanted = wanted_in_array();
  return wanted ? on_value(wanted, at, {}) : end;
}

std::size_t Scanner::on_key(JsonPiece key, std::size_t next) {
  Wanted wanted = wanted_of(key);
  const Wanted inherited = in_object_ && !stack_.empty() ? stack_.back().wanted : std::nullopt;
  if (!wanted && inherited && visitor_.inherits(text_of(key), *inherited)) wanted = inherited;
  if (wanted) return on_value(wanted, skip_separators(next), key);
  if (byte(next) != ':' && byte(next) != '=') return next;
  return on_value({}, skip_space(next + 1), key);
}

std::size_t Scanner::skip_separators(std::size_t at) const {
  const auto is_separator = [](char c) { return c == ':' || c == '=' || c == ',' || c == '>'; };
  while (at < text_.size() && (is_separator(text_[at]) || is_json_space(text_[at]))) ++at;
  return at;
}

std::size_t Scanner::on_value(Wanted wanted, std::size_t at, JsonPiece key) {
  if (at >= text_.size()) return at;
  switch (class_of(text_[at])) {
    case quote: {
      const QuotedPiece string = string_at(at, '"');
      // In `"a":"b":"c"`, the second string is a key.
      return byte(string.behind) == ':' ? at : on_string_value(wanted, string);
    }
    case apostrophe:
      return on_string_value(wanted, string_at(at, '\''));
    case open_object:
    case open_array:
      push(at, key, text_[at] == '{', wanted);
      return at + 1;
    case close:
      return at;
    default:
      return on_scalar(wanted, at);
  }
}

std::size_t Scanner::on_scalar(Wanted wanted, std::size_t at) {
  std::size_t end = at;
  while (end < text_.size() && !scalar_ends[static_cast<std::uint8_t>(text_[end])]) ++end;
  const std::string_view scalar = text_.substr(at, end - at);
  const bool plain = scalar.empty() || scalar == "null" || scalar == "true" || scalar == "false";
  if (wanted && !plain) visitor_.value(*wanted, at, end, false);
  if (!wanted && !plain) visitor_.text(at, end, false);
  return behind_comma(end);
}

std::size_t Scanner::on_string_value(Wanted wanted, QuotedPiece string) {
  if (wanted) {
    string.end = end_of_broken_string(string);
    string.behind = std::min(string.end + 1, text_.size());
  }
  if (string.begin == string.end) return behind_comma(string.behind);
  if (wanted) {
    visitor_.value(*wanted, string.begin, string.end, true);
  } else {
    visitor_.text(string.begin, string.end, string.escaped);
  }
  return behind_comma(string.behind);
}

// Extends a wanted value with an unescaped quote inside to a quote after which valid JSON continues.
std::size_t Scanner::end_of_broken_string(JsonPiece string) const {
  std::size_t end = string.end;
  while (end < text_.size()) {
    const std::size_t next = skip_space(end + 1);
    const char c = byte(next);
    if (next >= text_.size() || c == ',' || c == '}' || c == ']' || c == '\0' || c == ')' || c == ';') break;
    if (c == '"' || c == ':') break;  // a comma is missing, or the string is a key
    end = text_.find(text_[end], end + 1);
    if (end == std::string_view::npos) return text_.size();
  }
  return end;
}

Scanner::Wanted Scanner::wanted_of(JsonPiece key) {
  std::string_view name = text_of(key);
  if (name.empty()) return {};
  KnownName& known = known_names_[place_of(name)];
  const bool is_known = known.raw == name;
  if (is_known && !known.may_be_wanted) return {};
  if (!is_known && keys_ != nullptr) keys_->note(name);
  const std::string_view raw = name;
  std::string decoded;
  if (key.escaped || class_of(name.front()) != word || class_of(name.back()) != word) {
    decoded = decode_text(Codec::json, name.substr(0, 512));
    name = is_placeholder(decoded) ? std::string_view() : decoded;
    while (!name.empty() && class_of(name.front()) != word) name.remove_prefix(1);
    while (!name.empty() && class_of(name.back()) != word) name.remove_suffix(1);
  }
  if (!is_known) known = {raw, visitor_.may_want(name)};
  if (!known.may_be_wanted) return {};
  return visitor_.wanted(name, path_to(std::string(name)), stack_.empty() ? 0 : stack_.back().begin);
}

JsonPath Scanner::path_to(std::string key) {
  constexpr std::size_t most_levels = 64;  // the nearest levels only, because rule paths are shorter
  path_.clear();
  path_.push_back(std::move(key));
  for (auto frame = stack_.rbegin(); frame != stack_.rend() && path_.size() < most_levels; ++frame) {
    const std::string_view raw = text_of(frame->key);
    if (!raw.empty()) path_.push_back(frame->key.escaped ? decode_text(Codec::json, raw) : std::string(raw));
  }
  std::reverse(path_.begin(), path_.end());
  return path_;
}

/// Returns the content of the string whose quote is at `at`, and moves `at` to its end.
std::string_view take_string(std::string_view text, std::size_t& at) {
  const std::size_t begin = ++at;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  const std::size_t end = std::min(at, text.size());
  at = end + 1;
  return text.substr(begin, end - begin);
}

void skip_space(std::string_view text, std::size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
}

}  // namespace

void scan_json(std::string_view text, JsonVisitor& visitor, KeyLog* keys) { Scanner(text, visitor, keys).run(); }

bool looks_like_json(std::string_view text) {
  const std::string_view head = text.substr(0, 256);
  std::size_t at = head.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (head.substr(at).starts_with(")]}'")) return true;
  using enum CharClass;
  const auto skip = [&](CharClass skipped) {
    while (at < head.size() && class_of(head[at]) == skipped) ++at;
  };
  skip(space);
  const std::size_t name = at;
  skip(word);
  if (at > name) {
    if (at == head.size() || head[at] != '(') return false;
    ++at;
    skip(space);
  }
  return at < head.size() && (head[at] == '{' || head[at] == '[' || (at == name && head[at] == '"'));
}

bool says_name(std::string_view key) {
  static constexpr std::string_view words[] = {"key",      "name",   "field",        "param",   "parameter", "variable",
                                               "var",      "option", "env",          "setting", "attribute", "attr",
                                               "property", "prop",   "env_variable", "id",      "k"};
  return std::any_of(std::begin(words), std::end(words), [&](auto word) { return base::equal_no_case(key, word); });
}

std::optional<std::string> pair_name(std::string_view text, std::size_t object) {
  constexpr std::size_t reach = 4096;
  if (object >= text.size() || text[object] != '{') return std::nullopt;
  text = text.substr(object + 1, reach);
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c != '"') {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (depth < 0) return std::nullopt;
      ++at;
      continue;
    }
    const std::string_view key = take_string(text, at);
    skip_space(text, at);
    if (depth != 0 || at >= text.size() || text[at] != ':') continue;
    skip_space(text, ++at);
    if (at >= text.size() || text[at] != '"' || !says_name(key)) continue;
    return decode_text(Codec::json, take_string(text, at));
  }
  return std::nullopt;
}

}  // namespace tapedeck::scrubbers
