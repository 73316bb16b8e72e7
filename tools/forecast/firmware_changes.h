#pragma once
// Lists the differences of another firmware as single changes that can be applied to the old one.

#include <map>
#include <string>
#include <vector>

#include "tools/forecast/firmware_responses.h"

namespace tapedeck::tools {

struct FirmwareChange {
  enum class Kind {
    gone,      ///< a call, or, with an empty path and no slash in `call`, a whole API
    versions,  ///< what API.Info says about an API, and the errors that follow
    error,     ///< an error instead of success, or another code
    removed,
    added,
    renamed,  ///< `before` and `after` are the names
    type,     ///< `before` and `after` are the types
  };
  Kind kind = Kind::removed;
  std::string call;           ///< "SYNO.Core.Share/1/list", or an API's name
  std::string path;           ///< a JSON pointer with `*` for every element; empty if the whole response changes
  std::string before, after;  ///< without values
  std::string values;         ///< "500 -> \"500\""; empty if there is none or it must not be shown

  /// What is needed to apply the change to the old firmware.
  std::vector<std::string> tokens;         ///< of `path`
  nlohmann::json new_value;                ///< of `added`, and of `type` if the old value cannot be converted
  std::map<std::string, int> error_keys;   ///< keys that get an error, with its code
  std::map<std::string, int> error_calls;  ///< likewise for call patterns: "Core.Share/*/*"
  std::string api;                         ///< the API about which API.Info says something else; empty: none
  nlohmann::json facts;                    ///< what it says then; null: nothing
};

/// "renamed: quota -> quota_mb", "gone", "type: number -> string".
[[nodiscard]] std::string to_string(const FirmwareChange& change);

struct FirmwareComparison {
  std::vector<FirmwareChange> changes;  ///< by call and path
  std::vector<std::string> unknown;     ///< calls of the old one that the new one did not record
};

[[nodiscard]] FirmwareComparison compare_firmwares(const FirmwareResponses& before, const FirmwareResponses& after);
/// Takes the values of changes from a comparison of the same firmwares with pseudonyms, which has no private values.
void hide_private_values(FirmwareComparison& comparison, const FirmwareComparison& with_pseudonyms);

}  // namespace tapedeck::tools
