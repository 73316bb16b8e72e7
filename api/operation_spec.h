#pragma once
// Describes the three operations that the specification covers in full, for tests of fallbacks and for checking
// recorded responses (docs/device-notes.md, "The specification").

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::api {

enum class FieldType { boolean, string, integer, object, array };

/// The requirements of the specification for a value besides its type.
enum class FieldRule {
  none,
  decimal,  ///< a string of digits
  own_key,  ///< a string equal to the key of its record
};

/// A value that real devices send instead (docs/device-notes.md, "The specification").
enum class Deviation {
  none,
  empty_string,  ///< "" instead of the value
  null,
  absent,
};

struct FieldSpec {
  std::string_view path;  ///< "data.gateway_info.ip"; "data.items.*.status" for each value of a map; "data.portal[].id"
  FieldType type = FieldType::string;
  bool optional = false;  ///< may be absent
  FieldRule rule = FieldRule::none;
  Deviation deviation = Deviation::none;
};

struct OperationSpec {
  std::string_view api;  ///< without its first label
  std::string_view method;
  std::string_view section;  ///< section of the specification
  std::span<const FieldSpec> fields;

  /// Returns one line for each field of `body` that is missing, has another type, or violates its rule; empty if the
  /// body conforms. `strict` accepts only values of the specification. Otherwise values that real devices send are
  /// accepted, too, such as numbers in strings. Additional keys are always allowed. Fields of missing parents are not
  /// listed.
  [[nodiscard]] std::vector<std::string> violations(std::string_view body, bool strict) const;
};

/// Returns all operations in the order of the specification.
[[nodiscard]] std::span<const OperationSpec> operation_specs();
/// Returns null for any other operation. `api` is without its first label; the method is compared without case.
[[nodiscard]] const OperationSpec* operation_spec(std::string_view api, std::string_view method);

}  // namespace tapedeck::api
