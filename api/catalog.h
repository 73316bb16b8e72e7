#pragma once
// Contains the catalog of operations, with the versions of a current firmware, compiled in from
// api/catalog.tsv (docs/device-notes.md, "The specification").

#include <optional>
#include <span>
#include <string_view>

namespace tapedeck::api {

struct VersionRange {
  int min = 0;
  int max = 0;
  [[nodiscard]] bool contains(int version) const { return version >= min && version <= max; }
};

struct CatalogOperation {
  std::string_view api;                  ///< without its first label: "Core.Network"
  std::string_view method;               ///< as in the specification
  std::optional<VersionRange> versions;  ///< nothing if they are unknown
  std::string_view request_format;       ///< "JSON" or empty
  bool changes_state = false;
};

/// Returns all operations, sorted by API in the order of the specification, so that operations of one API are adjacent.
[[nodiscard]] std::span<const CatalogOperation> catalog();
/// Returns the operations of one API (without its first label); empty if it is not in the catalog.
[[nodiscard]] std::span<const CatalogOperation> catalog_api(std::string_view api_rest);
/// Returns an operation, or null. Method names are compared without case.
[[nodiscard]] const CatalogOperation* catalog_operation(std::string_view api_rest, std::string_view method);

}  // namespace tapedeck::api
