#pragma once
// The operation catalog (spec §4.3) with the version ranges of two firmware generations, compiled in from
// api/catalog.tsv.

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
  std::string_view method;  ///< as in the spec
  std::optional<VersionRange> old_versions, new_versions;
  std::string_view request_format;  ///< "JSON" or empty
  bool changes_state = false;

  /// The versions of that generation; the newer firmware's are the default (semantics §5). Nothing when not known.
  [[nodiscard]] std::optional<VersionRange> versions(Firmware firmware) const {
    return firmware == Firmware::old_generation ? old_versions : new_versions;
  }
};

/// All operations, sorted by api in the spec's order; the operations of one API are neighbours.
[[nodiscard]] std::span<const CatalogOperation> catalog();
/// The operations of one API (first label left out); empty when the catalog does not have it.
[[nodiscard]] std::span<const CatalogOperation> catalog_api(std::string_view api_rest);
/// Method names compare case-folded.
[[nodiscard]] const CatalogOperation* catalog_operation(std::string_view api_rest, std::string_view method);

}  // namespace tapedeck::api
