#include "http/message/hop_by_hop.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tapedeck::http {
namespace {

std::vector<std::string> listed_by_connection(const Headers& headers) {
  std::vector<std::string> names;
  for (std::string_view value : headers.all("Connection")) {
    while (!value.empty()) {
      const std::string_view name = base::trim(base::take_until(value, ','));
      if (!name.empty()) names.emplace_back(name);
    }
  }
  return names;
}

bool leads(std::string_view prefix, std::string_view name) {
  return equal_no_case(name.substr(0, prefix.size()), prefix);
}

}  // namespace

bool is_hop_by_hop(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"Connection", "Keep-Alive",        "TE",
                                                     "Trailer",    "Transfer-Encoding", "Upgrade"};
  return leads("Proxy-", name) ||
         std::any_of(names.begin(), names.end(), [name](std::string_view other) { return equal_no_case(name, other); });
}

void remove_hop_by_hop(Headers& headers) {
  for (const std::string& name : listed_by_connection(headers)) headers.erase(name);
  headers.erase_if([](const Header& line) { return is_hop_by_hop(line.name); });
}

bool is_servers_own(std::string_view name) {
  return is_hop_by_hop(name) || equal_no_case(name, "Content-Length") ||
         equal_no_case(name, "Strict-Transport-Security") || equal_no_case(name, "Alt-Svc");
}

bool is_our_own(std::string_view name) { return leads("X-Tapedeck-", name); }

}  // namespace tapedeck::http
