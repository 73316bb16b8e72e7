#include <algorithm>
#include <array>

#include "replay/stages/fallbacks.h"

namespace tapedeck::replay {
namespace {

struct Portal {
  std::string_view id, display_name;
  bool enable_redirect;
  std::string_view default_setting;  ///< JSON text
};

constexpr std::array<Portal, 4> portals = {{
    {"FileStation", "File Station", false,
     R"({"alias":"file","fqdn":"files.example.net","hsts":false,"http_port":7000,"https_port":7001})"},
    {"Finder", "Finder", false, R"({"alias":"finder","fqdn":"","hsts":false,"http_port":7002,"https_port":7003})"},
    {"ResourceMonitor", "Resource Monitor", true,
     R"({"alias":"monitor","fqdn":"monitor.example.net","hsts":true,"http_port":7004,"https_port":7005})"},
    {"SecurityAdvisor", "Security Advisor", false,
     R"({"alias":"advisor","fqdn":"","hsts":false,"http_port":7006,"https_port":7007})"},
}};

}  // namespace

std::string portal_data(const api::Call& call) {
  const std::vector<std::string> additional = words_of(call.value("additional").value_or(""));
  const bool with_default = std::find(additional.begin(), additional.end(), "default_setting") != additional.end();
  std::string list;
  for (const Portal& portal : portals) {
    list += list.empty() ? "{" : ",{";
    if (with_default) list.append(R"("additional":{"default_setting":)").append(portal.default_setting).append("},");
    list.append(R"("display_name":")").append(portal.display_name);
    list.append(R"(","enable_redirect":)").append(portal.enable_redirect ? "true" : "false");
    list.append(R"(,"id":")").append(portal.id).append("\"}");
  }
  return R"({"portal":[)" + list + "]}";
}

}  // namespace tapedeck::replay
