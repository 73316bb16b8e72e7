#include "scrubbers/text/codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/html_characters.h"
#include "base/text.h"
#include "scrubbers/text/text_forms.h"

namespace tapedeck::scrubbers {
namespace {

// The decoded character of an escape at the start of `text`. `length` is 0 if there is none.
struct Decoded {
  std::array<char, 4> bytes{};
  std::uint8_t count = 0;
  std::uint8_t length = 0;
};

Decoded one_byte(char byte, std::size_t length) {
  Decoded decoded;
  decoded.bytes[0] = byte;
  decoded.count = 1;
  decoded.length = static_cast<std::uint8_t>(length);
  return decoded;
}

Decoded code_point(std::uint32_t value, std::size_t length) {
  Decoded decoded;
  decoded.count = static_cast<std::uint8_t>(put_utf8(value, decoded.bytes.data()));
  decoded.length = static_cast<std::uint8_t>(length);
  return decoded;
}

Decoded decode_percent(std::string_view text) {
  if (text[0] == '+') return one_byte(' ', 1);
  if (text.size() < 3) return {};
  const int high = hex_value(text[1]);
  const int low = hex_value(text[2]);
  if (high < 0 || low < 0) return {};
  return one_byte(static_cast<char>(high * 16 + low), 3);
}

int four_hex(std::string_view text) {
  if (text.size() < 4) return -1;
  int value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const int digit = hex_value(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

Decoded decode_unicode_escape(std::string_view text) {
  const int unit = four_hex(text.substr(2));
  if (unit < 0) return {};
  const bool high = unit >= 0xD800 && unit < 0xDC00;
  if (high && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
    const int low = four_hex(text.substr(8));
    if (low >= 0xDC00 && low < 0xE000) {
      return code_point(static_cast<std::uint32_t>(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)), 12);
    }
  }
  return code_point(static_cast<std::uint32_t>(unit), 6);
}

Decoded decode_json(std::string_view text) {
  if (text.size() < 2) return {};
  switch (text[1]) {
    case '"':
    case '\\':
    case '/':
      return one_byte(text[1], 2);
    case 'b':
      return one_byte('\b', 2);
    case 'f':
      return one_byte('\f', 2);
    case 'n':
      return one_byte('\n', 2);
    case 'r':
      return one_byte('\r', 2);
    case 't':
      return one_byte('\t', 2);
    case 'u':
      return decode_unicode_escape(text);
    default:
      return {};
  }
}

Decoded decode_html(std::string_view text) {
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == std::string_view::npos || end < 3) return {};
  const std::string_view name = text.substr(1, end - 1);
  if (name[0] == '#') {
    const bool hex = name.size() > 2 && (name[1] == 'x' || name[1] == 'X');
    const std::string_view number = name.substr(hex ? 2 : 1);
    const auto value = base::whole_number<std::uint32_t>(number, hex ? 16 : 10);
    if (!value || *value > 0x10FFFF) return {};
    return code_point(*value, end + 1);
  }
  const std::uint32_t value = base::named_character(name);
  return value == 0 ? Decoded() : code_point(value, end + 1);
}

Decoded decode_one(Codec codec, std::string_view text) {
  switch (codec) {
    case Codec::percent:
    case Codec::form:
      return decode_percent(text);
    case Codec::json:
      return decode_json(text);
    case Codec::html:
      return decode_html(text);
  }
  return {};
}

const char* next_candidate(Codec codec, const char* from, const char* end) {
  const auto length = static_cast<std::size_t>(end - from);
  if (codec == Codec::form) {
    return std::find_if(from, end, [](char c) { return c == '%' || c == '+'; });
  }
  const char lead = codec == Codec::json ? '\\' : codec == Codec::html ? '&' : '%';
  const void* found = length == 0 ? nullptr : std::memchr(from, lead, length);
  return found == nullptr ? end : static_cast<const char*>(found);
}

std::span<const std::string_view> names_of(Codec codec) {
  static constexpr std::array<std::string_view, 6> percent{"percent",    "percent-lower", "form",
                                                           "form-lower", "percent-all",   "percent-all-lower"};
  static constexpr std::array<std::string_view, 5> json{"json", "json-slash", "json-ascii", "json-slash-ascii",
                                                        "json-unicode"};
  static constexpr std::array<std::string_view, 3> html{"html", "html-decimal", "html-hex"};
  switch (codec) {
    case Codec::percent:
    case Codec::form:
      return percent;
    case Codec::json:
      return json;
    case Codec::html:
      return html;
  }
  return {};
}

/// Returns the maximum number of escapes in a long text, or 0 for short ones. A vector that grows step by step would
/// temporarily need three times the memory.
std::size_t room_for_escapes(Codec codec, std::string_view raw) {
  constexpr std::size_t long_text = 1u << 20;
  if (raw.size() < long_text) return 0;
  std::size_t count = 0;
  const char* const end = raw.data() + raw.size();
  for (const char* at = raw.data(); (at = next_candidate(codec, at, end)) != end; ++at) ++count;
  return count;
}

}  // namespace

void PositionMap::add(std::size_t decoded, std::size_t decoded_length, std::size_t raw, std::size_t raw_length) {
  escapes_.push_back({static_cast<std::uint32_t>(decoded), static_cast<std::uint32_t>(raw),
                      static_cast<std::uint8_t>(decoded_length), static_cast<std::uint8_t>(raw_length)});
}

const PositionMap::Escape* PositionMap::last_at_or_before(std::size_t decoded) const {
  const auto after = std::upper_bound(escapes_.begin(), escapes_.end(), decoded,
                                      [](std::size_t at, const Escape& escape) { return at < escape.decoded; });
  return after == escapes_.begin() ? nullptr : &*std::prev(after);
}

std::size_t PositionMap::raw_begin(std::size_t at) const {
  const Escape* escape = last_at_or_before(at);
  if (escape == nullptr) return at;
  const std::size_t into = at - escape->decoded;
  return into < escape->decoded_length ? escape->raw : escape->raw + escape->raw_length + into - escape->decoded_length;
}

std::size_t PositionMap::raw_end(std::size_t end) const {
  if (end == 0) return 0;
  const Escape* escape = last_at_or_before(end - 1);
  if (escape == nullptr) return end;
  const std::size_t into = end - 1 - escape->decoded;
  const std::size_t behind = escape->raw + escape->raw_length;
  return into < escape->decoded_length ? behind : behind + into - escape->decoded_length + 1;
}

bool PositionMap::has_escape(std::size_t begin, std::size_t end) const {
  if (end == 0) return false;
  const Escape* escape = last_at_or_before(end - 1);
  return escape != nullptr && escape->decoded + escape->decoded_length > begin;
}

bool decode_view(Codec codec, std::string_view raw, View& view) {
  const char* const begin = raw.data();
  const char* const end = begin + raw.size();
  const char* copied = begin;
  view.text.clear();
  view.map = {};
  for (const char* at = next_candidate(codec, begin, end); at != end;) {
    const Decoded decoded = decode_one(codec, {at, static_cast<std::size_t>(end - at)});
    if (decoded.length == 0) {
      at = next_candidate(codec, at + 1, end);
      continue;
    }
    if (view.map.empty()) {
      view.text.reserve(raw.size());
      view.map.reserve(room_for_escapes(codec, raw));
    }
    view.text.append(copied, at);
    view.map.add(view.text.size(), decoded.count, static_cast<std::size_t>(at - begin), decoded.length);
    view.text.append(decoded.bytes.data(), decoded.count);
    copied = at + decoded.length;
    at = next_candidate(codec, copied, end);
  }
  if (view.map.empty()) return false;
  view.text.append(copied, end);
  return true;
}

std::string decode_text(Codec codec, std::string_view raw) {
  View view;
  return decode_view(codec, raw, view) ? std::move(view.text) : std::string(raw);
}

std::string name_of_encoding(Codec codec, std::string_view raw, std::string_view decoded) {
  if (raw == decoded) return {};
  for (const std::string_view name : names_of(codec)) {
    if (encode(decoded, name) == raw) return std::string(name);
  }
  switch (codec) {
    case Codec::percent:
    case Codec::form:
      return "percent-any";
    case Codec::json:
      return "json-any";
    case Codec::html:
      return "html-any";
  }
  return {};
}

std::string join_chain(std::string outer, std::string_view inner) {
  if (!outer.empty() && !inner.empty()) outer += '>';
  return outer += inner;
}

}  // namespace tapedeck::scrubbers
