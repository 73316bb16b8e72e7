#pragma once
// The three operations that the specification describes in full, as data (docs/device-notes.md, "The specification"):
// for tests of fallbacks, and for checking recorded responses.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::api {

enum class FieldType { boolean, string, integer, object, array };

/// What the specification requires of a value besides its type.
enum class FieldRule {
  none,
  decimal,  ///< a string of digits
  own_key,  ///< a string equal to the key of its record
};

/// What real devices send instead (docs/device-notes.md, "The specification").
enum class Deviation {
  none,
  empty_string,  ///< "" instead of the value
  null,
  absent,
};

struct FieldSpec {
  std::string_view path;  ///< "data.gateway_info.ip"; "data.items.*.status" for each value of a map; "data.portal[].id"
  FieldType type = FieldType::string;
  bool optional = false;       ///< may be absent
  std::string_view note = {};  ///< how real devices differ
  FieldRule rule = FieldRule::none;
  Deviation deviation = Deviation::none;
};

struct OperationSpec {
  std::string_view api;  ///< without its first label
  std::string_view method;
  std::string_view section;  ///< of the spec
  std::span<const FieldSpec> fields;

  /// Returns one line for each field of `body` that is missing, has another type, or breaks its rule; empty if the body
  /// conforms. `strict` allows only what the specification says; otherwise also what real devices send, such as numbers
  /// in strings. Additional keys are always allowed. Fields of missing parents are not listed.
  [[nodiscard]] std::vector<std::string> violations(std::string_view body, bool strict) const;
};

/// Returns all of them in the order of the specification.
[[nodiscard]] std::span<const OperationSpec> operation_specs();
/// Returns null for any other operation. `api` is without its first label; the method is compared without case.
[[nodiscard]] const OperationSpec* operation_spec(std::string_view api, std::string_view method);

}  // namespace tapedeck::api
