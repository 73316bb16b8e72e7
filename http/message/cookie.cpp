#include "http/message/cookie.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::http {

std::string_view cookie(const Headers& headers, std::string_view name) {
  for (std::string_view line : headers.all("Cookie")) {
    while (!line.empty()) {
      const std::string_view piece = base::trim_front(base::take_until(line, ';'));
      const std::size_t equals = piece.find('=');
      if (equals != std::string_view::npos && piece.substr(0, equals) == name) return piece.substr(equals + 1);
    }
  }
  return {};
}

}  // namespace tapedeck::http
