#pragma once
// Scrubs interactions. All traffic must pass through it to reach storage (docs/secrets.md).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/interaction.h"
#include "scrubbers/analyzed_request.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/redaction/scrubbed_interaction.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

struct ScrubberOptions {
  RuleSet rules = RuleSet::defaults();
  std::string base_path;  ///< the device's base path, for keys
  int key_policy = api::KeyPolicy::current_number;
  std::size_t max_decoded = 256u << 20;  ///< larger decoded bodies are withheld
  /// Returns the maximum number of bytes to which a compressed request may be decoded now, because it stays in memory
  /// until its response. Called on the thread of learn(). If it is empty, only `max_decoded` counts.
  std::function<std::size_t()> room_for_request = {};
  /// The random number of an earlier take in the same cassette, so that an account has the same check value in both.
  std::optional<std::uint64_t> account_key = {};
  std::shared_ptr<PrivateProfile> profile;  ///< makes pseudonyms for private data; null: private data stays
};

struct ScrubStats {
  std::uint64_t learned = 0;     ///< number of different values that are known now
  std::uint64_t whole_only = 0;  ///< of these, too short or too plain to be searched for except as whole values
  std::uint64_t structural = 0;  ///< of these, parts of the structure of messages, so searched for as whole values
  /// Of these, too short or too plain even for that, or never confirmed by the device.
  std::uint64_t by_name_only = 0;
  std::uint64_t beyond_limits = 0;  ///< number of further values beyond the limits
  /// Number of requests in which an accepted value is in a place that no rule names. Replay answers them only if the
  /// client's own login has the value there.
  std::uint64_t only_for_login = 0;
};

/// Learns secrets and replaces them. Thread-safe. Numbers sessions, accounts, and ordinals in the order of the calls to
/// scrub().
class Scrubber {
 public:
  explicit Scrubber(ScrubberOptions options);
  ~Scrubber();
  Scrubber(const Scrubber&) = delete;
  Scrubber& operator=(const Scrubber&) = delete;

  /// The maximum number of parameters, parts, or calls of one request. A request with more is withheld without its
  /// body.
  static constexpr std::size_t most_pieces = 100'000;

  /// Learns the secrets in a request (target without the base path) before its response arrives, so that they are
  /// already replaced in other messages.
  std::unique_ptr<AnalyzedRequest> learn(const http::Request& request);
  /// Adds a secret that the scrubber cannot learn from a message: because it belongs to a recording whose scrubber no
  /// longer exists, or because a session has it and no recorded request contains it.
  void teach(std::string_view value, SecretClass secret_class = SecretClass::secret);
  /// Learns from request and response, then replaces secrets. Does not throw because of the input: an interaction that
  /// cannot be scrubbed with certainty is returned withheld.
  [[nodiscard]] ScrubbedInteraction scrub(const api::Interaction& interaction);
  /// Does the same for a request that learn() has parsed. Consumes `seen`.
  [[nodiscard]] ScrubbedInteraction scrub(const api::Interaction& interaction, AnalyzedRequest&& seen);
  /// Does the same for a record that was stored before a value was learned. `changed` is true if anything was replaced
  /// or withheld. Corrects the offsets of existing redactions.
  struct Rescrubbed;
  /// `numbers` says which scrubber has numbered the record's values.
  enum class Numbers { own, foreign };
  [[nodiscard]] Rescrubbed rescrub(InteractionRecord record, Numbers numbers = Numbers::foreign);

  /// Continues the numbers of sessions and accounts after these, for a take that already has numbers.
  void reserve_numbers(std::uint32_t sessions, std::uint32_t accounts);

  /// Returns a text that Tapedeck wrote (log line, error text) with every learned value replaced.
  [[nodiscard]] std::string scrub_text(std::string_view text) const;
  /// Returns a scope's name with the byte 1, the class's word, and the byte 2 in place of every learned value.
  [[nodiscard]] std::string scrub_scope(std::string_view name) const;
  /// Visits the learned values one at a time, for the leak scan. The visitor must not keep them.
  void each_learned(const std::function<void(std::string_view value, bool everywhere)>& visit) const;
  /// Returns a number, from 1, that grows whenever the scrubber starts to replace more. If it is unchanged, nothing
  /// needs to be scrubbed again.
  [[nodiscard]] std::uint64_t generation() const;

  [[nodiscard]] ScrubStats stats() const;
  [[nodiscard]] const RuleSet& rules() const;
  /// Returns true if it makes pseudonyms for private data.
  [[nodiscard]] bool hides_private_data() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct Scrubber::Rescrubbed {
  ScrubbedInteraction interaction;
  bool changed = false;
};

}  // namespace tapedeck::scrubbers
