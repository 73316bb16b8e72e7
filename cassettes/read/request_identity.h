#pragma once
// Tells the requests of cassettes apart by their headers (docs/matching.md, "Headers").

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/identity_headers.h"
#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// Returns the headers, in lower case, that tell requests apart although they are not known for it: their values differ
/// between recordings of one call whose responses differ, and some value was sent more than once. Times
/// (is_time_near()) do not count. Values that look generated (looks_generated()), or are redacted, count only if one
/// session sent several. The cassettes are read together.
[[nodiscard]] std::vector<std::string> learned_identity_headers(const std::vector<const CassetteReader*>& cassettes);

/// The values that the requests of one cassette have in these headers. Immutable.
class RequestIdentities {
 public:
  RequestIdentities(const CassetteReader& cassette, const api::IdentityHeaders& headers);

  /// Returns true if no request has any of the headers.
  [[nodiscard]] bool empty() const { return sets_.empty(); }
  /// Returns the request's scrubbers::identity_text(). `reader` is one of the same cassette.
  [[nodiscard]] std::string of(const CassetteReader& reader, std::int64_t header_set, std::int64_t interaction) const;
  /// Returns the texts of all complete interactions that have one.
  [[nodiscard]] std::unordered_map<std::int64_t, std::string> by_interaction(const CassetteReader& reader) const;

 private:
  struct Set {
    std::string text;       ///< if it has no redacted place
    http::Headers headers;  ///< if it may have one
  };
  api::IdentityHeaders headers_;
  std::unordered_map<std::int64_t, Set> sets_;
};

}  // namespace tapedeck::cassettes
