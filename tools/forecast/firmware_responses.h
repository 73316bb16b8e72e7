#pragma once
// The responses of one firmware: the different responses to each call of a cassette, and what its API.Info says.

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

  /// Returns true if anything at this place was replaced, a secret or private data.
  [[nodiscard]] bool is_redacted(const std::vector<std::string>& tokens) const;
};

/// The responses to one key, including parts of compounds.
struct KeyResponses {
  std::string key;                                            ///< as stored, with the API's first label
  std::vector<std::shared_ptr<const SuccessBody>> successes;  ///< different ones, in recorded order
  std::set<int> errors;                                       ///< codes of the others
  bool has_other = false;                                     ///< it also has responses without an envelope
};

/// The keys of one API, version, and method.
struct OperationResponses {
  std::string name;  ///< "SYNO.Core.Share/1/list"
  std::string api;   ///< "SYNO.Core.Share"
  std::string version, method;
  std::map<std::string, KeyResponses> keys;  ///< by their text without the API's first label
  Shape shape;                               ///< of all successes
  [[nodiscard]] bool has_success() const { return shape.is_seen(); }
};

/// The versions of an API and what else API.Info says about it, as JSON.
struct ApiFacts {
  std::string name;  ///< as it is there, with its first label
  nlohmann::json object;
  /// Returns 0 if it is not known.
  [[nodiscard]] int min() const;
  [[nodiscard]] int max() const;
};

struct FirmwareResponses {
  std::map<std::string, OperationResponses> operations;  ///< by "Core.Share/1/list", without the first label
  std::map<std::string, ApiFacts> apis;                  ///< of API.Info, by the name without the first label
  bool has_all_apis = false;                             ///< a request was for all APIs
};

/// Reads the different responses of the cassette. With a profile, private values get pseudonyms and count as redacted.
/// Throws CassetteError.
[[nodiscard]] FirmwareResponses responses_of(const cassettes::CassetteReader& cassette,
                                             scrubbers::PrivateProfile* private_values = nullptr);
/// Reads a saved response of API.Info, or only its `data`. Throws std::invalid_argument with one line.
[[nodiscard]] FirmwareResponses responses_of_info(std::string_view json);

}  // namespace tapedeck::tools
