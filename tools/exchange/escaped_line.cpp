#include "tools/exchange/escaped_line.h"

#include "base/text.h"
#include "base/utf8.h"

namespace tapedeck::tools {

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

}  // namespace tapedeck::tools
