#include <algorithm>
#include <array>

#include "http/message/message.h"
#include "replay/stages/fallbacks.h"

namespace tapedeck::replay {
namespace {

/// A rule as in docs/device-notes.md, "The specification". `action` and `method` are empty objects unless the check
/// failed.
struct Rule {
  std::string_view id, category, severity, status, str_id, update, action, method;
};

constexpr std::string_view none = "{}";

// Sorted by ID, because devices sort the keys of an object.
constexpr std::array<Rule, 12> rules = {{
    {"ruleDB.Malware.suspicious_scripts", "malware", "danger", "pass", "malware_suspicious_scripts", "1704067200", none,
     none},
    {"ruleDB.Malware.unknown_services", "malware", "risk", "pass", "malware_unknown_services", "1704067200", none,
     none},
    {"ruleDB.Network.auto_block", "network", "warning", "fail", "network_auto_block", "1704067201",
     R"({"app":"Security","page":"AutoBlock"})", R"({"type":"manual"})"},
    {"ruleDB.Network.default_ports", "network", "warning", "skip", "network_default_ports", "1704067201", none, none},
    {"ruleDB.Network.dos_protection", "network", "info", "pass", "network_dos_protection", "1704067201", none, none},
    {"ruleDB.Security.firewall_enabled", "securitySetting", "risk", "pass", "security_firewall_enabled", "1704067202",
     none, none},
    {"ruleDB.Security.https_redirect", "securitySetting", "warning", "fail", "security_https_redirect", "1704067202",
     R"({"app":"Login","page":"Web"})", R"({"type":"manual"})"},
    {"ruleDB.System.clock_sync", "systemCheck", "info", "pass", "system_clock_sync", "1704067203", none, none},
    {"ruleDB.System.core_files", "systemCheck", "danger", "pass", "system_core_files", "1704067203", none, none},
    {"ruleDB.Update.packages", "update", "outOfDate", "fail", "update_packages", "1704067204",
     R"({"app":"Packages","page":"Update"})", R"({"type":"automatic"})"},
    {"ruleDB.Update.system", "update", "outOfDate", "pass", "update_system", "1704067204", none, none},
    {"ruleDB.User.password_strength", "userInfo", "risk", "pass", "user_password_strength", "1704067205", none, none},
}};

void append_rule(std::string& items, const Rule& rule) {
  if (!items.empty()) items += ',';
  items.append("\"").append(rule.id).append(R"(":{"action":)").append(rule.action);
  items.append(R"(,"category":")").append(rule.category).append(R"(","id":")").append(rule.id);
  items.append(R"(","method":)").append(rule.method).append(R"(,"severity":")").append(rule.severity);
  items.append(R"(","status":")").append(rule.status).append(R"(","strId":")").append(rule.str_id);
  items.append(R"(","update":")").append(rule.update).append("\"}");
}

}  // namespace

std::string rules_data(const api::Call& call) {
  const auto value = call.value("items");
  const std::vector<std::string> asked = words_of(value.value_or("ALL"));
  const bool all =
      std::any_of(asked.begin(), asked.end(), [](const std::string& word) { return http::equal_no_case(word, "ALL"); });
  std::string items;
  for (const Rule& rule : rules) {
    if (all || std::find(asked.begin(), asked.end(), rule.id) != asked.end()) append_rule(items, rule);
  }
  return R"({"isUpdating":false,"items":{)" + items + R"(},"success":true})";
}

}  // namespace tapedeck::replay
