#include "http/hop_by_hop.h"

#include <algorithm>

namespace tapedeck::http {
namespace {

std::vector<std::string> listed_by_connection(const Headers& headers) {
  std::vector<std::string> names;
  for (std::string_view value : headers.all("Connection")) {
    while (!value.empty()) {
      const std::size_t comma = std::min(value.find(','), value.size());
      std::string_view name = value.substr(0, comma);
      while (name.starts_with(' ') || name.starts_with('\t')) name.remove_prefix(1);
      while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);
      if (!name.empty()) names.emplace_back(name);
      value.remove_prefix(std::min(comma + 1, value.size()));
    }
  }
  return names;
}

}  // namespace

void remove_hop_by_hop(Headers& headers) {
  constexpr std::string_view proxy = "Proxy-";
  for (const std::string& name : listed_by_connection(headers)) headers.erase(name);
  for (const std::string_view name : {"Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding", "Upgrade"}) {
    headers.erase(name);
  }
  std::vector<std::string> for_proxies;
  for (const Header& line : headers) {
    if (equal_no_case(std::string_view(line.name).substr(0, proxy.size()), proxy)) for_proxies.push_back(line.name);
  }
  for (const std::string& name : for_proxies) headers.erase(name);
}

}  // namespace tapedeck::http
