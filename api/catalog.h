#pragma once
// Contains the catalog of operations, with the version ranges of two firmware generations, compiled in from
// api/catalog.tsv (docs/device-notes.md, "The specification").

#include <optional>
#include <span>
#include <string_view>

namespace tapedeck::api {

enum class Firmware { old_generation, new_generation };

struct VersionRange {
  int min = 0;
  int max = 0;
  [[nodiscard]] bool contains(int version) const { return version >= min && version <= max; }
};

struct CatalogOperation {
  std::string_view api;     ///< without its first label: "Core.Network"
  std::string_view method;  ///< as in the specification
  std::optional<VersionRange> old_versions, new_versions;
  std::string_view request_format;  ///< "JSON" or empty
  bool changes_state = false;

  /// Returns the versions of a generation, or nothing if they are unknown. The newer firmware is the default.
  [[nodiscard]] std::optional<VersionRange> versions(Firmware firmware) const {
    return firmware == Firmware::old_generation ? old_versions : new_versions;
  }
};

/// Returns all operations, sorted by API in the order of the specification, so that operations of one API are adjacent.
[[nodiscard]] std::span<const CatalogOperation> catalog();
/// Returns the operations of one API (without its first label); empty if it is not in the catalog.
[[nodiscard]] std::span<const CatalogOperation> catalog_api(std::string_view api_rest);
/// Returns an operation, or null. Method names are compared without case.
[[nodiscard]] const CatalogOperation* catalog_operation(std::string_view api_rest, std::string_view method);

}  // namespace tapedeck::api
