#include "tools/exchange/escaped_line.h"

#include "base/text.h"
#include "base/utf8.h"

namespace tapedeck::tools {

namespace {

/// Marks and embeddings of bidirectional text, and the separators that some programs take for line ends.
bool turns_or_breaks(char32_t c) {
  return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/// The bytes of the character in front that can stand as they are; 0: the first byte is to be escaped.
std::size_t plain_length(std::string_view text) {
  const base::Utf8Front front = base::utf8_front(text);
  if (front.length == 0) return 0;
  const char32_t c = front.code_point;
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || turns_or_breaks(c) ? 0 : front.length;
}

void append_escaped(std::string& out, char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  out.append("\\x").append(1, digits[value >> 4]).append(1, digits[value & 15]);
}

std::string escaped(std::string_view bytes, bool blanks_too) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = plain_length(bytes);
    const bool is_blank = bytes.front() == ' ' && (blanks_too || bytes.size() == 1);
    if (length == 0 || is_blank) {
      append_escaped(out, bytes.front());
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

}  // namespace tapedeck::tools
