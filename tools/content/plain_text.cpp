#include "tools/content/plain_text.h"

#include <algorithm>
#include <cstdint>

#include "base/base64.h"
#include "base/text.h"
#include "base/utf8.h"
#include "http/message/urlencoded.h"

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
  std::string characters(text);
  std::erase_if(characters, [](char c) { return c == '\n' || c == '\r'; });
  const std::size_t end = characters.find_last_not_of('=') + 1, padding = characters.size() - end;
  const std::string_view encoded = std::string_view(characters).substr(0, end);
  const bool is_foreign = encoded.find_first_not_of(base::base64_alphabet) != std::string_view::npos;
  if (is_foreign || padding > 2 || characters.size() % 4 != 0) return std::nullopt;
  return base::from_base64(encoded);
}

namespace {

/// Returns the length of the first character. Returns 0 if its first byte must be escaped.
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
