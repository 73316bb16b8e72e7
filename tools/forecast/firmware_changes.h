#pragma once
// What is different on another firmware, as a list of single changes that can each be made to the old one.

#include <map>
#include <string>
#include <vector>

#include "tools/forecast/firmware_responses.h"

namespace tapedeck::tools {

struct FirmwareChange {
  enum class Kind {
    gone,      ///< a call, or with an empty path and no slash in `call` a whole API
    versions,  ///< what API.Info says of an API, and the errors that follow from it
    error,     ///< an error instead of success, or another code
    removed,
    added,
    renamed,  ///< `before` and `after` are the names
    type,     ///< `before` and `after` are the types
  };
  Kind kind = Kind::removed;
  std::string call;           ///< "SYNO.Core.Share/1/list", or an API's name
  std::string path;           ///< a JSON pointer with `*` for every element; empty where the whole response changes
  std::string before, after;  ///< without values
  std::string values;         ///< "500 -> \"500\""; empty where there is none or it must not be shown

  /// What it takes to make the change to the old firmware.
  std::vector<std::string> tokens;         ///< of `path`
  nlohmann::json new_value;                ///< of `added`, and of `type` where the old value cannot be converted
  std::map<std::string, int> error_keys;   ///< keys that get an error, with its code
  std::map<std::string, int> error_calls;  ///< the same of call patterns: "Core.Share/*/*"
  std::string api;                         ///< of which API.Info says something else; empty: none
  nlohmann::json facts;                    ///< what it says then; null: nothing
};

/// "renamed: quota -> quota_mb", "gone", "type: number -> string".
[[nodiscard]] std::string to_string(const FirmwareChange& change);

struct FirmwareComparison {
  std::vector<FirmwareChange> changes;  ///< by call and path
  std::vector<std::string> unknown;     ///< calls of the old one of which the new one says nothing
};

[[nodiscard]] FirmwareComparison compare_firmwares(const FirmwareResponses& before, const FirmwareResponses& after);
/// Takes the values of each change from a comparison of the same firmwares with pseudonyms, which has none at private
/// places.
void hide_private_values(FirmwareComparison& comparison, const FirmwareComparison& with_pseudonyms);

}  // namespace tapedeck::tools
