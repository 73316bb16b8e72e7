#include "tools/exchange/plain_text.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "base/utf8.h"
#include "http/message/urlencoded.h"
#include "scrubbers/text/text_forms.h"

namespace tapedeck::tools {

bool is_plain_text(std::string_view bytes) {
  const auto is_odd = [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\t'; };
  return base::is_utf8(bytes) && std::none_of(bytes.begin(), bytes.end(), is_odd);
}

std::string readable(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t length = base::utf8_front(bytes).length;
    out.append(length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(0, length));
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string out;
  std::uint32_t group = 0;
  int bits = 0;
  std::size_t characters = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    ++characters;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = scrubbers::base64_alphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(group >> bits & 255);
    }
  }
  if (characters % 4 != 0 || padding > 2) return std::nullopt;
  return out;
}

namespace {

/// The bytes of the character in front that can stand as they are; 0: the first byte is to be escaped.
std::size_t plain_length(std::string_view text) {
  const base::Utf8Front front = base::utf8_front(text);
  return base::turns_or_breaks(front.code_point) ? 0 : front.length;
}

std::string escaped(std::string_view bytes, bool blanks_too) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = plain_length(bytes);
    const bool is_blank = bytes.front() == ' ' && (blanks_too || bytes.size() == 1);
    if (length == 0 || is_blank) {
      base::append_hex(out.append("\\x"), bytes.front());
    } else if (bytes.front() == '\\') {
      out += "\\\\";
    } else {
      out.append(bytes.substr(0, length));
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace

std::string escape_line(std::string_view bytes) { return escaped(bytes, false); }

std::string escape_word(std::string_view bytes) { return escaped(bytes, true); }

std::optional<std::string> unescape_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      out += '\\';
      ++i;
    } else if (i + 3 < text.size() && text[i + 1] == 'x' && base::is_hex(text[i + 2]) && base::is_hex(text[i + 3])) {
      out += static_cast<char>(base::hex_value(text[i + 2]) << 4 | base::hex_value(text[i + 3]));
      i += 3;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::size_t escapes_in(std::string_view bytes) {
  std::size_t count = 0;
  while (!bytes.empty()) {
    const std::size_t length = plain_length(bytes);
    count += length == 0 ? 1 : 0;
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return count;
}

std::string percent_encoded(std::string_view text, bool (*stays)(char c)) {
  std::string out;
  for (const char& c : text) out += stays(c) ? std::string(1, c) : http::percent_encode(std::string_view(&c, 1));
  return out;
}

}  // namespace tapedeck::tools
