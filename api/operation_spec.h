#pragma once
// The three operations that the spec describes in full (§2.1–2.3, §4.2), as data: for the fallbacks' tests and for
// checking a recorded answer against the contract.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::api {

enum class FieldType { boolean, string, integer, object, array };

/// What the spec says of a value besides its type.
enum class FieldRule {
  none,
  decimal,  ///< a string of digits
  own_key,  ///< a string equal to the key of the record that it is in
};

/// What real devices send instead of what the spec says (field notes, "The three specified operations").
enum class Deviation {
  none,
  empty_string,  ///< "" in its place
  null,
  absent,
};

struct FieldSpec {
  std::string_view path;  ///< "data.gateway_info.ip"; "data.items.*.status" for each value of a map; "data.portal[].id"
  FieldType type = FieldType::string;
  bool optional = false;       ///< may be absent
  std::string_view note = {};  ///< where real devices differ, in words
  FieldRule rule = FieldRule::none;
  Deviation deviation = Deviation::none;
};

struct OperationSpec {
  std::string_view api;  ///< without its first label
  std::string_view method;
  std::string_view section;  ///< of the spec
  std::span<const FieldSpec> fields;

  /// One line for each field of `body` that is missing, of another type or against its rule; empty when the body fits.
  /// `strict` is the spec alone; otherwise what field notes report of real devices is allowed as well, numbers that
  /// come as strings among it. Further keys are allowed in both. A field whose parent is missing is not listed.
  [[nodiscard]] std::vector<std::string> violations(std::string_view body, bool strict) const;
};

/// All of them, in the order of the spec's sections.
[[nodiscard]] std::span<const OperationSpec> operation_specs();
/// Null for any other operation. `api` is without its first label; the method's case does not count.
[[nodiscard]] const OperationSpec* operation_spec(std::string_view api, std::string_view method);

}  // namespace tapedeck::api
