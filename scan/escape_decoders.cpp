// Decodes single escapes in running text: percent encoding, JSON escapes, and HTML entities.

#include <algorithm>
#include <cstdint>

#include "base/html_characters.h"
#include "base/utf8.h"
#include "scan/byte_tables.h"
#include "scan/text_decoders.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t longest_run = 64 * 1024;
constexpr std::string_view separator = " \n \n";

/// The length of an escape and the text that it encodes.
struct Escape {
  std::size_t length = 0;  ///< 0 if there is no escape
  std::array<char, 4> bytes{};
  std::size_t size = 0;
};

Escape single(std::size_t length, int value) { return {length, {static_cast<char>(value)}, 1}; }

Escape utf8(std::size_t length, std::uint32_t code) {
  Escape escape{length, {}, 0};
  escape.size = base::put_utf8(code, escape.bytes.data());
  return escape;
}

/// Returns the number in `digits` hex digits at `at`, or -1.
std::int64_t hex_number(std::string_view view, std::size_t at, std::size_t digits) {
  if (at + digits > view.size()) return -1;
  std::int64_t number = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    const int value = hex_value(view[i]);
    if (value < 0) return -1;
    number = number * 16 + value;
  }
  return number;
}

Escape percent_at(std::string_view view, std::size_t at) {
  if (const auto number = hex_number(view, at + 1, 2); number >= 0) return single(3, static_cast<int>(number));
  // %uXXXX is the old JavaScript escape.
  if (at + 1 < view.size() && (view[at + 1] | 0x20) == 'u')
    if (const auto number = hex_number(view, at + 2, 4); number >= 0)
      return utf8(6, static_cast<std::uint32_t>(number));
  return {};
}

Escape unicode_at(std::string_view view, std::size_t at) {
  const auto high = hex_number(view, at + 2, 4);
  if (high < 0) return {};
  if (high >= 0xd800 && high < 0xdc00 && view.substr(at + 6).starts_with("\\u")) {
    const auto low = hex_number(view, at + 8, 4);
    if (low >= 0xdc00 && low < 0xe000)
      return utf8(12, static_cast<std::uint32_t>(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)));
  }
  return utf8(6, static_cast<std::uint32_t>(high));
}

Escape octal_at(std::string_view view, std::size_t at) {
  constexpr std::size_t most = 3;
  constexpr int largest = 255;
  std::size_t end = at + 1;
  int value = 0;
  while (end < view.size() && end - at <= most && view[end] >= '0' && view[end] <= '7') {
    value = value * 8 + (view[end++] - '0');
  }
  return end > at + 1 && value <= largest ? single(end - at, value) : Escape{};
}

Escape json_at(std::string_view view, std::size_t at) {
  if (at + 1 >= view.size()) return {};
  switch (view[at + 1]) {
    case '"':
    case '\'':
    case '\\':
    case '/':
      return single(2, view[at + 1]);
    case 'b':
      return single(2, '\b');
    case 'f':
      return single(2, '\f');
    case 'n':
      return single(2, '\n');
    case 'r':
      return single(2, '\r');
    case 't':
      return single(2, '\t');
    case 'u':
      return unicode_at(view, at);
    case 'x': {
      const auto number = hex_number(view, at + 2, 2);
      return number < 0 ? Escape{} : single(4, static_cast<int>(number));
    }
    default:
      return octal_at(view, at);
  }
}

/// Decodes quoted-printable escapes: `=61`, `=\r\n`.
Escape quoted_at(std::string_view view, std::size_t at) {
  if (const auto number = hex_number(view, at + 1, 2); number >= 0) return single(3, static_cast<int>(number));
  const std::string_view behind = view.substr(at + 1, 2);
  if (behind == "\r\n") return {3, {}, 0};
  return behind.starts_with('\n') ? Escape{2, {}, 0} : Escape{};
}

Escape numeric_entity_at(std::string_view body, std::size_t length) {
  const bool hex = body.size() > 1 && (body[1] | 0x20) == 'x';
  const std::string_view digits = body.substr(hex ? 2 : 1);
  if (digits.empty()) return {};
  std::uint32_t code = 0;
  for (const char c : digits) {
    const int value = hex_value(c);
    if (value < 0 || (!hex && value > 9)) return {};
    code = code * (hex ? 16 : 10) + static_cast<std::uint32_t>(value);
    if (code > 0x10ffff) return {};
  }
  return utf8(length, code);
}

Escape entity_at(std::string_view view, std::size_t at) {
  constexpr std::size_t longest = 12;
  const std::string_view near = view.substr(at + 1, longest);
  const std::size_t end = near.find(';');
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view body = near.substr(0, end);
  const std::size_t length = end + 2;
  if (body[0] == '#') return numeric_entity_at(body, length);
  // The search treats it as a space.
  if (body == "nbsp") return single(length, ' ');
  const std::uint32_t code = base::named_character(body);
  return code == 0 ? Escape{} : utf8(length, code);
}

/// Copies the surroundings of escapes, and writes separators between escapes that are far apart.
class WindowWriter {
 public:
  WindowWriter(std::string_view view, Surroundings around, DecodedText& out)
      : view_(view), margin_(around.margin), out_(out.text), changed_(out.changed) {}

  void write(std::size_t at, const Escape& escape) {
    if (copied_ > 0 && at - copied_ <= margin_) {
      out_.append(view_, copied_, at - copied_);
    } else {
      write_gap(at);
    }
    changed_.push_back(out_.size());
    out_.append(escape.bytes.data(), escape.size);
    copied_ = at + escape.length;
  }

  void finish() { out_.append(view_, copied_, right_edge(view_.size()) - copied_); }

 private:
  void write_gap(std::size_t at) {
    const std::size_t keep_until = right_edge(at);
    std::size_t from = left_edge(at);
    if (copied_ > 0) {
      if (from <= keep_until) {
        from = copied_;
      } else {
        out_.append(view_, copied_, keep_until - copied_).append(separator);
      }
    }
    out_.append(view_, from, at - from);
  }
  /// Returns a position outside of any value, because a cut value would look like another one.
  [[nodiscard]] std::size_t right_edge(std::size_t limit) const {
    std::size_t edge = std::min(limit, copied_ + margin_);
    const std::size_t last = std::min(limit, copied_ + longest_run);
    while (edge < last && is_in_value(view_[edge])) ++edge;
    return edge;
  }
  [[nodiscard]] std::size_t left_edge(std::size_t at) const {
    const std::size_t floor = std::max(copied_, at > longest_run ? at - longest_run : 0);
    std::size_t edge = at - std::min(at - floor, margin_);
    while (edge > floor && base64_value(view_[edge - 1]) >= 0) --edge;
    return edge;
  }

  std::string_view view_;
  std::size_t margin_;
  std::string& out_;
  std::vector<std::size_t>& changed_;
  std::size_t copied_ = 0;  ///< everything before this is copied or skipped
};

/// The loop of all three decoders. `next(at)` finds a trigger, and `escape_at(at)` reads the escape.
template <class Next, class EscapeAt>
bool decode(std::string_view view, Surroundings around, DecodedText& out, Next next, EscapeAt escape_at) {
  WindowWriter writer(view, around, out);
  bool any = false;
  for (std::size_t at = next(0); at != std::string_view::npos;) {
    const Escape escape = escape_at(at);
    if (escape.length > 0) {
      if (!any) out = {};
      any = true;
      writer.write(at, escape);
    }
    at = next(at + std::max<std::size_t>(1, escape.length));
  }
  if (any) writer.finish();
  return any;
}

}  // namespace

bool decode_percent(std::string_view view, Surroundings around, bool plus_is_space, DecodedText& out) {
  if (!plus_is_space)
    return decode(
        view, around, out, [&](std::size_t at) { return view.find('%', at); },
        [&](std::size_t at) { return percent_at(view, at); });
  return decode(
      view, around, out, [&](std::size_t at) { return view.find_first_of("%+", at); },
      [&](std::size_t at) { return view[at] == '+' ? single(1, ' ') : percent_at(view, at); });
}

bool decode_json_escapes(std::string_view view, Surroundings around, DecodedText& out) {
  return decode(
      view, around, out, [&](std::size_t at) { return view.find('\\', at); },
      [&](std::size_t at) { return json_at(view, at); });
}

bool decode_quoted_printable(std::string_view view, Surroundings around, DecodedText& out) {
  return decode(
      view, around, out, [&](std::size_t at) { return view.find('=', at); },
      [&](std::size_t at) { return quoted_at(view, at); });
}

bool decode_html_entities(std::string_view view, Surroundings around, DecodedText& out) {
  return decode(
      view, around, out, [&](std::size_t at) { return view.find('&', at); },
      [&](std::size_t at) { return entity_at(view, at); });
}

}  // namespace tapedeck::scan
