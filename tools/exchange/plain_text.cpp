#include "tools/exchange/plain_text.h"

#include <algorithm>

#include "base/utf8.h"

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

}  // namespace tapedeck::tools
