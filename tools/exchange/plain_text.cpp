#include "tools/exchange/plain_text.h"

#include "base/utf8.h"

namespace tapedeck::tools {

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = base::utf8_front(bytes).length;
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
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

std::string shown_scope(std::string_view name) {
  std::string text;
  for (const char c : name) text += c == '\1' ? '<' : c == '\2' ? '>' : c;
  return text;
}

}  // namespace tapedeck::tools
