#include <algorithm>
#include <array>

#include "api/json_spans.h"
#include "base/text.h"
#include "http/message/message.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

void append_words(std::vector<std::string>& words, std::string_view text) {
  while (!text.empty()) {
    if (const std::string_view word = base::take_until(text, ' '); !word.empty()) words.emplace_back(word);
  }
}

/// Splits a parameter that is text with spaces, `a,b`, or a JSON array of strings.
std::vector<std::string> words_of(std::string_view value) {
  const std::string canonical = api::canonical_value(value);
  std::vector<std::string> words;
  const auto elements = api::json_elements(canonical);
  if (!elements) {
    append_words(words, canonical);
    return words;
  }
  for (const std::string_view element : *elements) {
    if (element.size() > 2 && element.starts_with('"')) append_words(words, element.substr(1, element.size() - 2));
  }
  return words;
}

/// Returns the data of Core.Network get (docs/device-notes.md, "The specification"): all thirteen fields in every
/// version.
std::string network_data(const api::Call& /*call*/) {
  return R"({"arp_ignore":true,"dns_manual":false,"dns_primary":"192.0.2.53","dns_secondary":"198.51.100.53",)"
         R"("enable_ip_conflict_detect":true,"enable_windomain":false,"gateway":"192.0.2.1",)"
         R"("gateway_info":{"ifname":"eth0","ip":"192.0.2.10","mask":"255.255.255.0","status":"connected",)"
         R"("type":"lan","use_dhcp":true},"ipv4_first":false,"multi_gateway":false,"server_name":"nas-example",)"
         R"("use_dhcp_domain":true,"v6gateway":"2001:db8::1"})";
}

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

/// Returns the data of Core.AppPortal list (docs/device-notes.md, "The specification"). `additional.default_setting` is
/// included only if the `additional` parameter requests it, in any spelling.
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

/// Returns the data of Core.SecurityScan.Status rule_get (docs/device-notes.md, "The specification"). The `items`
/// parameter is ALL or absent, or contains rule IDs separated by spaces or as a JSON array. Unknown IDs are left out.
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

/// An operation and the function that returns the JSON text of its `data`.
struct Fallback {
  std::string_view api, method;
  std::string (*data)(const api::Call& call);
};

constexpr std::array<Fallback, 3> fallbacks = {{{"Core.SecurityScan.Status", "rule_get", rules_data},
                                                {"Core.Network", "get", network_data},
                                                {"Core.AppPortal", "list", portal_data}}};

}  // namespace

std::optional<Reply> answer_fallback(const Services& services, const RequestContext& context, ThreadState& thread) {
  const api::Call* const call = context.parsed().call();
  if (call == nullptr || !call->complete()) return std::nullopt;
  const auto* const found = std::find_if(fallbacks.begin(), fallbacks.end(),
                                         [call](const Fallback& one) { return call->is(one.api, one.method); });
  // A recording that cannot be replayed must not be replaced silently.
  if (found == fallbacks.end() || is_recorded(context.not_played)) return std::nullopt;
  const ExpectedError expected = services.knowledge.expected_error(*call, thread);
  if (expected.certain || expected.code == api::ErrorCode::version_not_supported) return std::nullopt;
  return Reply::json(Outcome::fallback, api::success_envelope(found->data(*call)));
}

}  // namespace tapedeck::replay
