#pragma once
// The three operations that the spec describes in full (§2.1–2.3, §4.2), as data: for the fallbacks' tests and for
// checking a recorded answer against the contract.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::api {

enum class FieldType { boolean, string, integer, object, array };

struct FieldSpec {
  std::string_view path;  ///< "data.gateway_info.ip"; "data.items.*.status" for each value of a map; "data.portal[].id"
  FieldType type = FieldType::string;
  bool optional = false;  ///< may be absent
  std::string_view note;  ///< where real devices differ (field notes), what else is allowed
};

struct OperationSpec {
  std::string_view api;     ///< without its first label
  std::string_view method;
  std::string_view section; ///< of the spec
  std::span<const FieldSpec> fields;

  /// One line for each field of `body` that is missing or of another type; empty when the body fits. `strict` is the
  /// spec alone; otherwise what field notes report of real devices is allowed as well.
  [[nodiscard]] std::vector<std::string> violations(std::string_view body, bool strict) const;
};

[[nodiscard]] const OperationSpec& rule_get_spec();
[[nodiscard]] const OperationSpec& network_get_spec();
[[nodiscard]] const OperationSpec& app_portal_list_spec();

}  // namespace tapedeck::api
