#include "scrubbers/redaction/structure.h"

#include <string>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A hash of the pieces of a structure, in order.
class Structure {
 public:
  void add(char piece) { hash_ = (hash_ ^ static_cast<std::uint8_t>(piece)) * 0x100000001B3u; }
  void add(std::string_view piece) {
    for (const char c : piece) add(c);
    add('\0');
  }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325u;
};

/// Reads JSON without its values. A number may be any text, such as a placeholder.
class JsonStructure {
 public:
  explicit JsonStructure(std::string_view text) : text_(text) {}

  std::optional<std::uint64_t> read() {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      if (!take()) return std::nullopt;
    }
    return open_.empty() && expects_ == Expects::separator ? std::optional(structure_.hash()) : std::nullopt;
  }

 private:
  enum class Expects { value, value_or_end, key, key_or_end, colon, separator };

  void skip_space() {
    while (at_ < text_.size() && is_white(text_[at_])) ++at_;
  }

  bool take() {
    const char c = text_[at_];
    const bool wants_value = expects_ == Expects::value || expects_ == Expects::value_or_end;
    switch (c) {
      case '{':
      case '[':
        if (!wants_value) return false;
        open_ += c;
        return go(c, c == '{' ? Expects::key_or_end : Expects::value_or_end);
      case '}':
      case ']': {
        const bool is_object = c == '}';
        const bool may_end =
            expects_ == Expects::separator || expects_ == (is_object ? Expects::key_or_end : Expects::value_or_end);
        if (!may_end || open_.empty() || open_.back() != (is_object ? '{' : '[')) return false;
        open_.pop_back();
        return go(c, Expects::separator);
      }
      case ',':
        if (expects_ != Expects::separator || open_.empty()) return false;
        return go(c, open_.back() == '{' ? Expects::key : Expects::value);
      case ':':
        return expects_ == Expects::colon && go(c, Expects::value);
      case '"':
        return take_string(wants_value);
      default:
        return wants_value && take_scalar();
    }
  }

  bool go(char piece, Expects next) {
    structure_.add(piece);
    expects_ = next;
    ++at_;
    return true;
  }

  bool take_string(bool is_value) {
    if (!is_value && expects_ != Expects::key && expects_ != Expects::key_or_end) return false;
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<std::uint8_t>(text_[at_]) < ' ') return false;
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    return at_ < text_.size() && go('"', is_value ? Expects::separator : Expects::colon);
  }

  bool take_scalar() {
    at_ = text_.find_first_of(",:{}[]\" \t\n\r", at_);
    at_ = (at_ == base::npos ? text_.size() : at_) - 1;
    return go('0', Expects::separator);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Expects expects_ = Expects::value;
  std::string open_;
  Structure structure_;
};

/// Reads the tags of XML. An empty name means a declaration or comment.
class XmlStructure {
 public:
  explicit XmlStructure(std::string_view text) : text_(text) {}

  std::optional<std::uint64_t> read() {
    for (std::size_t at = text_.find('<'); at != base::npos; at = text_.find('<', end_)) {
      if (!take(at + 1)) return std::nullopt;
    }
    return open_.empty() ? std::optional(structure_.hash()) : std::nullopt;
  }

 private:
  bool take(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("![CDATA[")) return skip(at, "]]>");
    if (rest.starts_with("!--")) return skip(at, "-->");
    if (rest.starts_with('?') || rest.starts_with('!')) return skip(at, ">");
    char quote = '\0';
    for (end_ = at; end_ < text_.size() && (quote != '\0' || text_[end_] != '>'); ++end_) {
      const char c = text_[end_];
      if (c == quote) {
        quote = '\0';
      } else if (quote == '\0' && (c == '"' || c == '\'')) {
        quote = c;
        structure_.add(c);
      } else if (c == '<') {
        return false;
      }
    }
    if (end_ >= text_.size()) return false;
    const std::string_view tag = text_.substr(at, end_ - at);
    const bool closes = tag.starts_with('/');
    const std::string_view name = tag.substr(closes ? 1 : 0, tag.find_first_of("/ \t\r\n", 1) - (closes ? 1 : 0));
    structure_.add(name);
    if (closes) {
      if (open_.empty() || open_.back() != name) return false;
      open_.pop_back();
    } else if (!tag.ends_with('/')) {
      open_.push_back(name);
    }
    return !name.empty();
  }

  bool skip(std::size_t at, std::string_view mark) {
    const std::size_t end = text_.find(mark, at);
    if (end == base::npos) return false;
    structure_.add(mark);
    end_ = end + mark.size();
    return true;
  }

  std::string_view text_;
  std::size_t end_ = 0;
  std::vector<std::string_view> open_;
  Structure structure_;
};

std::uint64_t form_structure(std::string_view text) {
  Structure structure;
  bool has_name = false;
  for (const char c : text) {
    if (c == '&' || (c == '=' && !has_name)) structure.add(c);
    has_name = c == '=' || (has_name && c != '&');
  }
  return structure.hash();
}

}  // namespace

std::optional<std::uint64_t> structure_of(std::string_view text, const Ranges& replaced, bool is_form) {
  std::string with_digits;
  std::size_t copied = 0;
  for (const auto& [begin, end] : replaced) {
    with_digits.append(text, copied, begin - copied).append(1, '0');
    copied = end;
  }
  with_digits.append(text, copied);
  if (is_form) return form_structure(with_digits);
  const std::string_view body = base::trim(with_digits, " \t\r\n");
  if (body.starts_with('{') || body.starts_with('[')) return JsonStructure(body).read();
  return body.starts_with('<') ? XmlStructure(body).read() : std::nullopt;
}

}  // namespace tapedeck::scrubbers
