#include "http/message/cookie.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::http {

std::string_view cookie(const Headers& headers, std::string_view name) {
  for (std::string_view line : headers.all("Cookie")) {
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(';'), line.size());
      std::string_view piece = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
      piece = base::trim_front(piece);
      const std::size_t equals = piece.find('=');
      if (equals != std::string_view::npos && piece.substr(0, equals) == name) return piece.substr(equals + 1);
    }
  }
  return {};
}

}  // namespace tapedeck::http
