#include "scrubbers/private/private_shapes.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

using ShapeKind = PrivateShape::Kind;

using base::npos;

bool is_label(char c) { return base::is_alnum(c) || c == '-'; }
bool is_local(char c) { return base::is_alnum(c) || std::string_view("._+-").find(c) != npos; }

/// Returns the name before a value, if there is one: `"version":"`, `version=`.
std::string_view name_before(std::string_view text, std::size_t at) {
  constexpr std::string_view between = "\"'\\:= \t>";
  constexpr std::size_t farthest = 8, longest_name = 64;
  std::size_t end = at;
  while (end > 0 && at - end < farthest && between.find(text[end - 1]) != npos) --end;
  std::size_t begin = end;
  while (begin > 0 && end - begin < longest_name && (base::is_alnum(text[begin - 1]) || text[begin - 1] == '_'))
    --begin;
  return text.substr(begin, end - begin);
}

/// Returns true for the version of a product: "Chrome/120.0.0.0", "nginx/1.18.0.1".
bool is_of_product(std::string_view text, std::size_t begin) {
  if (begin < 2 || text[begin - 1] != '/') return false;
  std::size_t word = begin - 1;
  while (word > 0 && (base::is_alnum(text[word - 1]) || text[word - 1] == '_' || text[word - 1] == '-')) --word;
  return word < begin - 1 && base::is_letter(text[word]) && (word == 0 || text[word - 1] != '/');
}

/// Returns true for four numbers that are a version, according to the name before them or the text after them.
bool is_version(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string name = base::fold(name_before(text, begin));
  for (const std::string_view word :
       {"version", "ver", "build", "firmware", "release", "revision", "rev", "v", "oid"}) {
    if (name.ends_with(word)) return true;
  }
  if (is_of_product(text, begin)) return true;
  if (end < text.size() && text[end] == '-' && end + 1 < text.size() && base::is_digit(text[end + 1])) {
    const std::size_t digits = text.find_first_not_of("0123456789", end + 1);
    return digits == npos || text[digits] != '.';
  }
  return false;
}

std::optional<PrivateShape> ipv4_at(std::string_view text, std::size_t at) {
  const char before = at == 0 ? '\0' : text[at - 1];
  if (base::is_alnum(before) || before == '.' || before == '_') return std::nullopt;
  std::size_t end = at;
  while (end < text.size() && end - at < 16 && (base::is_digit(text[end]) || text[end] == '.')) ++end;
  std::string_view value = text.substr(at, end - at);
  if (value.ends_with('.')) value.remove_suffix(1);
  end = at + value.size();
  if (end < text.size() && (base::is_alnum(text[end]) || text[end] == '_')) return std::nullopt;
  const auto address = parse_ipv4(value);
  if (!address || is_nobodys(*address) || is_version(text, at, end)) return std::nullopt;
  return PrivateShape{ShapeKind::ipv4, at, end};
}

/// Finds groups of hex digits between colons, or pairs of them between dashes.
std::optional<PrivateShape> groups_at(std::string_view text, std::size_t at) {
  const char before = at == 0 ? '\0' : text[at - 1];
  if (base::is_alnum(before) || before == '_' || before == '.') return std::nullopt;
  std::size_t end = at;
  constexpr std::size_t longest = 200;
  while (end < text.size() && end - at < longest && (base::is_hex(text[end]) || text[end] == ':')) ++end;
  std::string_view value = text.substr(at, end - at);
  // Skips ::ffff:192.0.2.1, whose IPv4 address is found separately.
  if (end < text.size() && (base::is_alnum(text[end]) || text[end] == '_' || text[end] == '.')) return std::nullopt;
  if (value.ends_with(':') && !value.ends_with("::")) value.remove_suffix(1);
  end = at + value.size();
  const auto colons = static_cast<std::size_t>(std::count(value.begin(), value.end(), ':'));
  if (const auto mac = parse_mac(value); mac && colons == 5) {
    return is_nobodys(*mac) ? std::nullopt : std::optional(PrivateShape{ShapeKind::mac, at, end});
  }
  const bool is_pairs = colons >= 7 && value.size() == colons * 3 + 2;
  if (is_pairs) return PrivateShape{ShapeKind::fingerprint, at, end};
  const auto address = colons >= 2 ? parse_ipv6(value) : std::nullopt;
  // `a::b` without digits is a qualified name in code.
  const bool tells = colons >= 3 || std::any_of(value.begin(), value.end(), base::is_digit);
  if (!address || !tells || is_nobodys(*address)) return std::nullopt;
  return PrivateShape{ShapeKind::ipv6, at, end};
}

std::optional<PrivateShape> separated_mac_at(std::string_view text, std::size_t at) {
  for (const std::size_t length : {std::size_t{17}, std::size_t{14}}) {
    if (text.size() - at < length) continue;
    const std::string_view value = text.substr(at, length);
    const char behind = at + length < text.size() ? text[at + length] : '\0';
    const char before = at == 0 ? '\0' : text[at - 1];
    const auto joins = [](char c) { return base::is_alnum(c) || c == '-' || c == '.' || c == '_'; };
    if (joins(before) || joins(behind) || value.find(':') != npos) continue;
    const auto mac = parse_mac(value);
    const bool has_letter = std::any_of(value.begin(), value.end(), base::is_letter);
    if (mac && !is_nobodys(*mac) && (length == 17 || has_letter)) return PrivateShape{ShapeKind::mac, at, at + length};
  }
  return std::nullopt;
}

/// Finds the mail address around the `@` at `sign`.
std::optional<PrivateShape> mail_at(std::string_view text, std::size_t sign) {
  constexpr std::size_t longest = 64, longest_domain = 253;
  std::size_t begin = sign;
  while (begin > 0 && sign - begin < longest && is_local(text[begin - 1])) --begin;
  while (begin < sign && !base::is_alnum(text[begin])) ++begin;
  std::size_t end = sign + 1;
  while (end < text.size() && end - sign < longest_domain && (is_label(text[end]) || text[end] == '.')) ++end;
  while (end > sign && !base::is_letter(text[end - 1])) --end;
  const std::string_view domain = text.substr(sign + 1, end - std::min(end, sign + 1));
  const std::size_t dot = domain.rfind('.');
  if (begin == sign || dot == npos || dot == 0 || domain.size() - dot < 3) return std::nullopt;
  // In a URL, `user@host` is not a mail address.
  if (begin >= 3 && text.substr(begin - 3, 3) == "://") return std::nullopt;
  const std::string_view top = domain.substr(dot + 1);
  if (!std::all_of(top.begin(), top.end(), base::is_letter)) return std::nullopt;
  return PrivateShape{ShapeKind::mail, begin, end};
}

/// Finds `+` and 8 to 15 digits, with or without separators between groups.
std::optional<PrivateShape> phone_at(std::string_view text, std::size_t plus) {
  const char before = plus == 0 ? '\0' : text[plus - 1];
  if (plus > 0 && std::string_view("\"' \t>:,;(=[").find(before) == npos) return std::nullopt;
  std::size_t end = plus + 1;
  std::size_t digits = 0;
  while (end < text.size() && end - plus < 24 &&
         (base::is_digit(text[end]) || std::string_view(" -()./").find(text[end]) != npos)) {
    digits += base::is_digit(text[end]) ? 1 : 0;
    ++end;
  }
  while (end > plus && !base::is_digit(text[end - 1])) --end;
  const bool joins = end < text.size() && (base::is_alnum(text[end]) || text[end] == '+' || text[end] == '_');
  if (digits < 8 || digits > 15 || joins || text[plus + 1] == '0' || !base::is_digit(text[plus + 1]))
    return std::nullopt;
  return PrivateShape{ShapeKind::phone, plus, end};
}

}  // namespace

std::string_view to_string(PrivateShape::Kind kind) {
  switch (kind) {
    case ShapeKind::ipv4:
      return "ipv4";
    case ShapeKind::ipv6:
      return "ipv6";
    case ShapeKind::mac:
      return "mac";
    case ShapeKind::mail:
      return "mail";
    case ShapeKind::phone:
      return "phone";
    case ShapeKind::fingerprint:
      return "fingerprint";
  }
  return "";
}

std::vector<PrivateShape> private_shapes(std::string_view text) {
  std::vector<PrivateShape> found;
  const auto take = [&](const std::optional<PrivateShape>& shape) {
    if (!shape || (!found.empty() && shape->begin < found.back().end)) return false;
    found.push_back(*shape);
    return true;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!found.empty() && at < found.back().end) at = found.back().end;
    if (at >= text.size()) break;
    const char c = text[at];
    if (c == '@') {
      // Mail comes last because a local part of digits may look like another shape.
      take(mail_at(text, at));
    } else if (c == '+') {
      take(phone_at(text, at));
    } else if (base::is_hex(c) || c == ':') {
      const char before = at == 0 ? '\0' : text[at - 1];
      if (base::is_alnum(before) || before == ':') continue;
      if (base::is_digit(c) && take(ipv4_at(text, at))) continue;
      if (take(groups_at(text, at)) || c == ':') continue;
      take(separated_mac_at(text, at));
    }
  }
  return found;
}

std::string pseudonym_of(const PrivateShape& shape, std::string_view value, Pseudonyms& pseudonyms) {
  switch (shape.kind) {
    case ShapeKind::ipv4:
      return pseudonyms.of_ipv4(value).value_or(std::string(value));
    case ShapeKind::ipv6:
      return pseudonyms.of_ipv6(value).value_or(std::string(value));
    case ShapeKind::mac:
      return pseudonyms.of_mac(value).value_or(std::string(value));
    case ShapeKind::mail:
      return pseudonyms.of_mail(value);
    case ShapeKind::phone:
    case ShapeKind::fingerprint:
      break;
  }
  return pseudonyms.of_text(value);
}

std::string shapes_replaced(std::string_view text, Pseudonyms& pseudonyms) {
  std::string made;
  std::size_t done = 0;
  for (const PrivateShape& shape : private_shapes(text)) {
    made += text.substr(done, shape.begin - done);
    made += pseudonym_of(shape, text.substr(shape.begin, shape.end - shape.begin), pseudonyms);
    done = shape.end;
  }
  return made + std::string(text.substr(done));
}

bool holds_position(std::string_view file) {
  // The IFD entry that points to the GPS directory: its tag, its type (LONG or IFD), and a count of one.
  static constexpr std::string_view marks[] = {{"\x25\x88\x04\0\x01\0\0\0", 8},
                                               {"\x25\x88\x0d\0\x01\0\0\0", 8},
                                               {"\x88\x25\0\x04\0\0\0\x01", 8},
                                               {"\x88\x25\0\x0d\0\0\0\x01", 8},
                                               "exif:GPS"};
  if (file.find('\0') == std::string_view::npos) return false;
  return std::any_of(std::begin(marks), std::end(marks),
                     [file](std::string_view mark) { return file.find(mark) != std::string_view::npos; });
}

}  // namespace tapedeck::scrubbers
