#pragma once
// Secrets in recorded requests, which keys do not tell apart: a key has a placeholder where a secret was. A secret that
// a recorded response hands out has an identity, because replay hands out a stand-in for it and recognizes that when it
// comes back. Its number divides the responses to a key into sequences. Any other secret has none.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "api/request_key.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Returns the holes of the record's request, each with the index of its redaction as its label.
[[nodiscard]] std::vector<api::Hole> indexed_holes(const scrubbers::InteractionRecord& record);
/// Returns the redactions that are the holes of a key made with indexed_holes(), in the order of its text.
[[nodiscard]] std::vector<scrubbers::Redaction> redactions_in(const api::RequestKey& key,
                                                              const scrubbers::InteractionRecord& record);
/// Returns a number that is equal for responses that replay plays alike: `text` is the body or a part of it.
[[nodiscard]] std::uint64_t response_mark(const scrubbers::InteractionRecord& record, std::string_view text);

/// All secrets of the requests of a cassette.
class RequestSecrets {
 public:
  /// Where a secret's number counts: its take and scope.
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  struct Told {
    /// For each hole of the key, in the order of its text, separated by spaces: `-`, or class, whose, owner, number, and
    /// shape of a secret with an identity, separated by `/`. Empty if none has an identity.
    std::string identity;
    std::string others;          ///< what tells requests apart that differ only in secrets without an identity
    std::uint64_t response = 0;  ///< response_mark()
  };

  RequestSecrets() : all_(1) {}
  /// Notes what the record's response hands out.
  void note(const Place& place, const scrubbers::InteractionRecord& record);
  /// Returns the number by which told() finds it; 0 if there is nothing to tell apart.
  [[nodiscard]] std::uint32_t add(const Place& place, std::vector<scrubbers::Redaction> holes, std::uint64_t response);
  /// Requires that everything was noted. `renumber` gives a redaction of a place its final numbers.
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

  std::map<Name, std::string> handed_out_;  ///< with the value's shape
  std::vector<One> all_;                    ///< the first one is of requests without such secrets
};

/// A key of which replay cannot tell some recordings apart: reads that differ only in secrets without an identity and
/// have different responses.
struct Conflict {
  std::string scope;  ///< as it is stored
  std::string key;
  std::uint32_t take = 0;
  std::uint32_t requests = 0;  ///< different ones; 0 if not known
  bool operator==(const Conflict&) const = default;
};

}  // namespace tapedeck::cassettes
