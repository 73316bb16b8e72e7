#include "api/operation_spec.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "api/key_text.h"
#include "http/message/message.h"

namespace tapedeck::api {
namespace {

using nlohmann::json;
using enum FieldType;

constexpr std::array rule_get_fields = {
    FieldSpec{"success", boolean},
    FieldSpec{"data", object},
    FieldSpec{"data.success", boolean},
    FieldSpec{"data.isUpdating", boolean},
    FieldSpec{"data.items", object},
    FieldSpec{"data.items.*", object},
    FieldSpec{"data.items.*.id", string, false, FieldRule::own_key},
    FieldSpec{"data.items.*.category", string},
    FieldSpec{"data.items.*.severity", string},
    FieldSpec{"data.items.*.status", string},
    FieldSpec{"data.items.*.strId", string},
    FieldSpec{"data.items.*.update", string, false, FieldRule::decimal, Deviation::empty_string},
    // An object on fail, {} on pass and skip, "" when never checked.
    FieldSpec{"data.items.*.action", object, false, FieldRule::none, Deviation::empty_string},
    FieldSpec{"data.items.*.method", object, false, FieldRule::none, Deviation::empty_string},
};

constexpr std::array network_get_fields = {
    FieldSpec{"success", boolean},
    FieldSpec{"data", object},
    FieldSpec{"data.arp_ignore", boolean},
    FieldSpec{"data.dns_manual", boolean},
    FieldSpec{"data.dns_primary", string},
    FieldSpec{"data.dns_secondary", string},
    // From version 2 on.
    FieldSpec{"data.enable_ip_conflict_detect", boolean, false, FieldRule::none, Deviation::absent},
    FieldSpec{"data.enable_windomain", boolean},
    FieldSpec{"data.gateway", string},
    FieldSpec{"data.gateway_info", object},
    FieldSpec{"data.gateway_info.ifname", string},
    FieldSpec{"data.gateway_info.ip", string},
    FieldSpec{"data.gateway_info.mask", string},
    FieldSpec{"data.gateway_info.status", string},
    FieldSpec{"data.gateway_info.type", string},
    FieldSpec{"data.gateway_info.use_dhcp", boolean},
    FieldSpec{"data.ipv4_first", boolean},
    FieldSpec{"data.multi_gateway", boolean},
    FieldSpec{"data.server_name", string},
    FieldSpec{"data.use_dhcp_domain", boolean},
    FieldSpec{"data.v6gateway", string},
};

constexpr std::array app_portal_list_fields = {
    FieldSpec{"success", boolean},
    FieldSpec{"data", object},
    FieldSpec{"data.portal", array},
    FieldSpec{"data.portal[]", object},
    FieldSpec{"data.portal[].id", string},
    FieldSpec{"data.portal[].display_name", string},
    FieldSpec{"data.portal[].enable_redirect", boolean},
    FieldSpec{"data.portal[].additional", object, true},
    FieldSpec{"data.portal[].additional.default_setting", object},
    FieldSpec{"data.portal[].additional.default_setting.alias", string},
    FieldSpec{"data.portal[].additional.default_setting.fqdn", string, false, FieldRule::none, Deviation::null},
    FieldSpec{"data.portal[].additional.default_setting.hsts", boolean},
    FieldSpec{"data.portal[].additional.default_setting.http_port", integer},
    FieldSpec{"data.portal[].additional.default_setting.https_port", integer},
};

std::string_view type_name(FieldType type) {
  switch (type) {
    case boolean:
      return "a boolean";
    case string:
      return "a string";
    case integer:
      return "an integer";
    case object:
      return "an object";
    case array:
      return "an array";
  }
  return "nothing known";
}

bool is_decimal(const json& value) {
  const auto* const text = value.get_ptr<const std::string*>();
  return text != nullptr && !text->empty() && text->find_first_not_of("0123456789") == std::string::npos;
}

bool has_type(const json& value, FieldType type, bool strict) {
  switch (type) {
    case boolean:
      return value.is_boolean();
    case string:
      return value.is_string();
    case integer:
      return value.is_number_integer() || (!strict && is_decimal(value));
    case object:
      return value.is_object();
    case array:
      return value.is_array();
  }
  return false;
}

/// Follows the path of one field through a body. "*" and "[]" visit each value of a map or an array.
class FieldCheck {
 public:
  FieldCheck(const FieldSpec& field, bool strict, std::vector<std::string>& lines)
      : field_(field), strict_(strict), lines_(lines) {}

  /// `place` is the position of `node` as it appears in messages. `key` is the key in the innermost map.
  void visit(const json& node, std::string_view path, const std::string& place, const std::string& key) {
    if (path.empty()) return check(node, place, key);
    if (path.starts_with("[]")) {
      if (!node.is_array()) return;
      const std::string_view rest = without_dot(path.substr(2));
      for (std::size_t i = 0; i < node.size(); ++i) visit(node[i], rest, place + "[" + std::to_string(i) + "]", key);
      return;
    }
    if (!node.is_object()) return;
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    const std::string_view name = path.substr(0, end);
    const std::string_view rest = without_dot(path.substr(end));
    if (name == "*") {
      for (const auto& [member, value] : node.items()) visit(value, rest, joined(place, member), member);
    } else if (const auto found = node.find(name); found != node.end()) {
      visit(*found, rest, joined(place, name), key);
    } else if (rest.empty() && !field_.optional && !allowed(Deviation::absent)) {
      lines_.push_back(joined(place, name) + ": missing");
    }
  }

 private:
  [[nodiscard]] bool allowed(Deviation deviation) const { return !strict_ && field_.deviation == deviation; }

  static std::string_view without_dot(std::string_view path) { return path.starts_with('.') ? path.substr(1) : path; }

  /// Keys come from the device, so terminal controls in them are escaped.
  static std::string joined(const std::string& place, std::string_view name) {
    std::string result = place.empty() ? place : place + ".";
    append_escaped(result, name);
    return result;
  }

  void check(const json& value, const std::string& place, const std::string& key) {
    const auto* const text = value.get_ptr<const std::string*>();
    if (allowed(Deviation::empty_string) && text != nullptr && text->empty()) return;
    if (allowed(Deviation::null) && value.is_null()) return;
    if (!has_type(value, field_.type, strict_)) {
      lines_.push_back(place + ": expected " + std::string(type_name(field_.type)) + ", found " + value.type_name());
    } else if (field_.rule == FieldRule::decimal && !is_decimal(value)) {
      lines_.push_back(place + ": expected a string of digits");
    } else if (field_.rule == FieldRule::own_key && (text == nullptr || *text != key)) {
      lines_.push_back(place + ": expected the key of its record");
    }
  }

  const FieldSpec& field_;
  bool strict_;
  std::vector<std::string>& lines_;
};

}  // namespace

std::vector<std::string> OperationSpec::violations(std::string_view body, bool strict) const {
  const bool whole = body.find('\0') == std::string_view::npos;
  const json parsed = whole ? json::parse(body, nullptr, false) : json(json::value_t::discarded);
  if (!parsed.is_object()) return {"the body is not a JSON object"};
  std::vector<std::string> lines;
  for (const FieldSpec& field : fields) FieldCheck(field, strict, lines).visit(parsed, field.path, {}, {});
  return lines;
}

std::span<const OperationSpec> operation_specs() {
  static constexpr std::array specs = {
      OperationSpec{"Core.SecurityScan.Status", "rule_get", "2.1", rule_get_fields},
      OperationSpec{"Core.Network", "get", "2.2", network_get_fields},
      OperationSpec{"Core.AppPortal", "list", "2.3", app_portal_list_fields},
  };
  return specs;
}

const OperationSpec* operation_spec(std::string_view api, std::string_view method) {
  for (const OperationSpec& spec : operation_specs()) {
    if (spec.api == api && http::equal_no_case(spec.method, method)) return &spec;
  }
  return nullptr;
}

}  // namespace tapedeck::api
