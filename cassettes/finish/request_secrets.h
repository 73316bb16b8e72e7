#pragma once
// Distinguishes secrets in recorded requests, which are only placeholders in keys. A secret that a recorded response
// contains has an identity, because replay hands out a stand-in for it and recognizes it later. Its number divides the
// responses to a key into sequences. Other secrets have no identity.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "api/request_key.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Returns the holes of the record's request, labeled with the index of their redaction.
[[nodiscard]] std::vector<api::Hole> indexed_holes(const scrubbers::InteractionRecord& record);
/// Returns the redactions in a key that was made with indexed_holes(), in the order of its text.
[[nodiscard]] std::vector<scrubbers::Redaction> redactions_in(const api::RequestKey& key,
                                                              const scrubbers::InteractionRecord& record);
/// Returns a number that is equal for responses that are equal on replay. `text` is the body or a part of it.
[[nodiscard]] std::uint64_t response_mark(const scrubbers::InteractionRecord& record, std::string_view text);

/// All secrets of the requests of a cassette.
class RequestSecrets {
 public:
  /// Numbers of secrets count within a take and scope.
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  struct Told {
    /// For each hole of the key, in the order of its text, separated by spaces: `-`, or class, whose, owner, number, and
    /// shape of a secret with an identity, separated by `/`. Empty if none has an identity.
    std::string identity;
    std::string others;          ///< distinguishes requests that differ only in secrets without an identity
    std::uint64_t response = 0;  ///< response_mark()
  };

  RequestSecrets() : all_(1) {}
  /// Notes the secrets that the record's response contains.
  void note(const Place& place, const scrubbers::InteractionRecord& record);
  /// Returns the number for told(), or 0 if there is nothing to distinguish.
  [[nodiscard]] std::uint32_t add(const Place& place, std::vector<scrubbers::Redaction> holes, std::uint64_t response);
  /// Call it after all notes. `renumber` gives a redaction its final numbers.
  void settle(const std::function<void(const Place&, scrubbers::Redaction&)>& renumber);
  [[nodiscard]] const Told& told(std::uint32_t number) const { return all_[number].told; }

 private:
  /// Take, scope, class, whose, owner, number.
  using Name = std::tuple<std::uint32_t, std::uint32_t, int, int, std::uint32_t, std::uint32_t>;
  struct One {
    Place place;
    std::vector<scrubbers::Redaction> holes;
    Told told;
  };
  [[nodiscard]] static Name name_of(const Place& place, const scrubbers::Redaction& redaction);

  std::map<Name, std::string> handed_out_;  ///< with the shape of the value
  std::vector<One> all_;                    ///< the first one is for requests without such secrets
};

/// A key of which replay cannot distinguish some recordings: reads that differ only in secrets without an identity and
/// have different responses.
struct Conflict {
  std::string scope;  ///< as stored
  std::string key;
  std::uint32_t take = 0;
  std::uint32_t requests = 0;  ///< the number of different requests; 0 if unknown
  bool operator==(const Conflict&) const = default;
};

}  // namespace tapedeck::cassettes
