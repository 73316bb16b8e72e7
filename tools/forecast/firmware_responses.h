#pragma once
// Collects the responses of one firmware: the different responses to each call of a cassette, and the facts in its
// API.Info.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/private/private_profile.h"
#include "tools/shapes/shape.h"

namespace tapedeck::tools {

/// A successful response.
struct SuccessBody {
  std::string text;
  nlohmann::json json;
  std::vector<http::Span> redacted;  ///< redacted places in the text

  /// Returns true if a secret or private data at this place was replaced.
  [[nodiscard]] bool is_redacted(const std::vector<std::string>& tokens) const;
};

/// The responses to one key, including parts of compounds.
struct KeyResponses {
  std::string key;                                            ///< the stored key, with the API's first label
  std::vector<std::shared_ptr<const SuccessBody>> successes;  ///< different successful responses, in recorded order
  std::set<int> errors;                                       ///< error codes of the other responses
  bool has_other = false;                                     ///< true if there are also responses without an envelope
};

/// The keys of one API, version, and method.
struct OperationResponses {
  std::string name;  ///< "SYNO.Core.Share/1/list"
  std::string api;   ///< "SYNO.Core.Share"
  std::string version, method;
  std::map<std::string, KeyResponses> keys;  ///< by their text without the API's first label
  Shape shape;                               ///< shape of all successful responses
  [[nodiscard]] bool has_success() const { return shape.is_seen(); }
};

/// The versions of an API and its other facts in API.Info, as JSON.
struct ApiFacts {
  std::string name;  ///< its name in API.Info, with its first label
  nlohmann::json object;
  /// Returns 0 if the minimum version is unknown.
  [[nodiscard]] int min() const;
  [[nodiscard]] int max() const;
};

struct FirmwareResponses {
  std::map<std::string, OperationResponses> operations;  ///< key: "Core.Share/1/list", without the first label
  std::map<std::string, ApiFacts> apis;                  ///< facts in API.Info by API name without the first label
  bool has_all_apis = false;                             ///< true if a request was for all APIs
};

/// Reads the different responses of the cassette. With a profile, private values get pseudonyms and count as redacted.
/// Throws CassetteError.
[[nodiscard]] FirmwareResponses responses_of(const cassettes::CassetteReader& cassette,
                                             scrubbers::PrivateProfile* private_values = nullptr);
/// Reads a saved response of API.Info, or only its `data`. Throws std::invalid_argument with one line.
[[nodiscard]] FirmwareResponses responses_of_info(std::string_view json);

/// A token for every element of a list, or every member of an object.
inline constexpr const char* any_place = "*";

/// Visits each place to which the tokens lead, with its own tokens.
void each_place(const nlohmann::json& value, const std::vector<std::string>& tokens,
                const std::function<void(const std::vector<std::string>& place, const nlohmann::json& value)>& visit);
/// Returns a pointer as text: "/data/shares/*/quota".
[[nodiscard]] std::string pointer_text(const std::vector<std::string>& tokens);

}  // namespace tapedeck::tools
