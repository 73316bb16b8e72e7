#pragma once
// Compares the headers that tell requests apart (docs/matching.md, "Headers").

#include <string>
#include <string_view>
#include <vector>

#include "api/identity_headers.h"
#include "cassettes/read/request_identity.h"
#include "replay/recorded/found_sequence.h"
#include "replay/sessions/session.h"

namespace tapedeck::replay {

/// Returns the text for a request of a session in the form of RequestIdentities::of(). Empty for most requests.
[[nodiscard]] std::string identity_of(const api::IdentityHeaders& names, const http::Headers& headers,
                                      const Session& session);

/// Compares the texts of a recorded request and of one that a client sends. `origin` is that of the recording
/// (CassetteReader::origin).
[[nodiscard]] HeaderMatch header_match(std::string_view recorded, std::string_view sent, const std::string& origin);

/// The responses of a sequence to requests with the same text.
struct HeaderPart {
  std::string headers;
  FoundSequence sequence;
};
/// Divides a sequence. A part whose responses were all skipped because requests of other parts have better ones gets
/// these responses.
[[nodiscard]] std::vector<HeaderPart> parts_by_headers(const cassettes::CassetteReader& reader,
                                                       const cassettes::RequestIdentities& identities,
                                                       const cassettes::SequenceInfo& sequence);

}  // namespace tapedeck::replay
