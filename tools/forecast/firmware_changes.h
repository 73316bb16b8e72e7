#pragma once
// Lists the differences between two firmwares as single changes that can be applied to the old one.

#include <map>
#include <string>
#include <vector>

#include "tools/forecast/firmware_responses.h"

namespace tapedeck::tools {

struct FirmwareChange {
  enum class Kind {
    gone,      ///< a call is gone, or, with an empty path and no slash in `call`, a whole API
    versions,  ///< the facts in API.Info about an API, and the errors that follow
    error,     ///< an error instead of success, or another error code
    removed,
    added,
    renamed,  ///< `before` and `after` are the names
    type,     ///< `before` and `after` are the types
  };
  Kind kind = Kind::removed;
  std::string call;           ///< "SYNO.Core.Share/1/list", or an API's name
  std::string path;           ///< a JSON pointer with `*` for every element; empty if the whole response changes
  std::string before, after;  ///< for display, without recorded values
  std::string values;         ///< "500 -> \"500\""; empty if there is none or it must not be shown

  /// The following members are needed to apply the change to the old firmware.
  std::vector<std::string> tokens;  ///< tokens of `path`
  /// The value for `added`, and for `type` if the old value cannot be converted.
  nlohmann::json new_value;
  std::map<std::string, int> error_keys;   ///< keys that get an error, with its code
  std::map<std::string, int> error_calls;  ///< call patterns that get an error, with its code: "Core.Share/*/*"
  std::string api;                         ///< the API whose facts in API.Info change; empty: none
  nlohmann::json facts;                    ///< the new facts in API.Info; null: none
};

/// Returns a text such as "renamed: quota -> quota_mb", "gone", or "type: number -> string".
[[nodiscard]] std::string to_string(const FirmwareChange& change);

struct FirmwareComparison {
  std::vector<FirmwareChange> changes;  ///< sorted by call and path
  std::vector<std::string> unknown;     ///< calls of the old firmware that the new recording does not have
};

[[nodiscard]] FirmwareComparison compare_firmwares(const FirmwareResponses& before, const FirmwareResponses& after);
/// Replaces the values of changes by those from a comparison of the same firmwares with pseudonyms, which has no
/// private values.
void hide_private_values(FirmwareComparison& comparison, const FirmwareComparison& with_pseudonyms);

}  // namespace tapedeck::tools
