#pragma once
// Distinguishes the secrets of recorded requests, because their keys contain the same placeholder for all secrets. A
// secret in a recorded response has an identity: replay sends the client a stand-in for it and recognizes the stand-in
// in later requests. Responses to one key with different identities are different sequences.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "api/request_key.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Returns one more than the number of the ID of a connection of socket.io, or 0 for another request.
[[nodiscard]] std::uint32_t connection_of(const scrubbers::InteractionRecord& record);
/// Returns the holes of the record's request, labeled with the index of their redaction.
[[nodiscard]] std::vector<api::Hole> indexed_holes(const scrubbers::InteractionRecord& record);
/// Returns the redactions in a key that was made with indexed_holes(), in the order of its text.
[[nodiscard]] std::vector<scrubbers::Redaction> redactions_in(const api::RequestKey& key,
                                                              const scrubbers::InteractionRecord& record);
/// Returns a number that is equal for responses that are equal on replay. `text` is the body or a part of it.
[[nodiscard]] std::uint64_t response_mark(const scrubbers::InteractionRecord& record, std::string_view text);

/// Collects the secrets of all requests in a cassette.
class RequestSecrets {
 public:
  /// A take and a scope. Secrets are numbered within each.
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  struct Result {
    /// One word for each hole of the key, in the order of its text, separated by spaces. It is `-`, or class, whose,
    /// owner, number, and shape of a secret with an identity, separated by `/`. Empty if no hole has an identity.
    std::string identity;
    std::string headers;         ///< scrubbers::identity_text() of known headers
    std::string others;          ///< distinguishes requests that differ only in secrets without an identity
    std::uint64_t response = 0;  ///< result of response_mark()
  };

  RequestSecrets() : all_(1) {}
  /// Notes the secrets that the record's response contains, which gives them an identity.
  void note(const Place& place, const scrubbers::InteractionRecord& record);
  /// Adds the redactions in a request's key, and its scrubbers::identity_text(). Returns the number for result(), or 0
  /// if the request has no secrets to distinguish.
  [[nodiscard]] std::uint32_t add(const Place& place, std::vector<scrubbers::Redaction> holes, std::uint64_t response,
                                  std::string headers);
  /// Computes the results of result(), after the last note() and add(). `renumber` gives a redaction its final numbers.
  void compute(const std::function<void(const Place&, scrubbers::Redaction&)>& renumber);
  [[nodiscard]] const Result& result(std::uint32_t number) const { return all_[number].result; }

 private:
  /// take, scope, class, whose, owner, number
  using Name = std::tuple<std::uint32_t, std::uint32_t, int, int, std::uint32_t, std::uint32_t>;
  struct One {
    Place place;
    std::vector<scrubbers::Redaction> holes;
    Result result;
  };
  [[nodiscard]] static Name name_of(const Place& place, const scrubbers::Redaction& redaction);

  std::map<Name, std::string> handed_out_;  ///< secrets with an identity, and the shape of each
  std::vector<One> all_;                    ///< index: the number; the first one is for requests without such secrets
};

}  // namespace tapedeck::cassettes
