#pragma once
// The only way from traffic to storage (docs/secrets.md).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/interaction.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/rules/scrub_rule.h"
#include "scrubbers/scrubbed_interaction.h"
#include "scrubbers/seen_request.h"

namespace tapedeck::scrubbers {

struct ScrubberOptions {
  RuleSet rules = RuleSet::defaults();
  std::string base_path;  ///< of the device, for keys
  int key_policy = api::KeyPolicy::current_number;
  std::size_t max_decoded = 256u << 20;  ///< bodies that decode to more are withheld
  /// Returns how many bytes a compressed request may unpack to now, because it is held until its response. Called on
  /// the thread of learn(). Empty: only `max_decoded` counts.
  std::function<std::size_t()> room_for_request = {};
  std::shared_ptr<PrivateProfile> profile;  ///< makes pseudonyms for private data; null: private data stays
};

struct ScrubStats {
  std::uint64_t learned = 0;        ///< different values known now
  std::uint64_t whole_only = 0;     ///< of these, too short or plain to be searched for except as whole values
  std::uint64_t by_name_only = 0;   ///< of these, too short or plain even for that, or never confirmed by the device
  std::uint64_t beyond_limits = 0;  ///< in addition to these: beyond the limits
};

/// Learns secrets and replaces them. Thread-safe. Interactions are numbered (sessions, accounts, ordinals) in the order
/// of the calls to scrub().
class Scrubber {
 public:
  explicit Scrubber(ScrubberOptions options);
  ~Scrubber();
  Scrubber(const Scrubber&) = delete;
  Scrubber& operator=(const Scrubber&) = delete;

  /// The maximum number of parameters, parts, or calls of one request; one with more is withheld without its body.
  static constexpr std::size_t most_pieces = 100'000;

  /// Learns what the request (target without the base path) contains before its response, so that other messages are
  /// scrubbed of it meanwhile.
  std::unique_ptr<SeenRequest> learn(const http::Request& request);
  /// Adds a secret: for a recording whose scrubber is gone, and for what a session holds that no recorded request
  /// shows.
  void teach(std::string_view value, SecretClass secret_class = SecretClass::secret);
  /// Learns from request and response, then replaces. Does not throw for input: what cannot be scrubbed with certainty
  /// is returned withheld.
  [[nodiscard]] ScrubbedInteraction scrub(const api::Interaction& interaction);
  /// Does the same if learn() has seen this request, which is not parsed again. Consumes `seen`.
  [[nodiscard]] ScrubbedInteraction scrub(const api::Interaction& interaction, SeenRequest&& seen);
  /// Does the same for what was stored before a value was learned; `changed` tells whether anything was replaced or
  /// withheld. Corrects the offsets of existing redactions.
  struct Rescrubbed;
  [[nodiscard]] Rescrubbed rescrub(InteractionRecord record);

  /// Continues the numbers of sessions and accounts after these, for a take that has numbers already.
  void reserve_numbers(std::uint32_t sessions, std::uint32_t accounts);

  /// Returns a text of Tapedeck (log line, error text) with every learned value replaced.
  [[nodiscard]] std::string scrub_text(std::string_view text) const;
  /// Returns a scope's name with the byte 1, the class's word, and the byte 2 in place of every learned value.
  [[nodiscard]] std::string scrub_scope(std::string_view name) const;
  /// Visits the learned values for the leak scan, one at a time. They must not be kept.
  void each_learned(const std::function<void(std::string_view value, bool everywhere)>& visit) const;
  /// Returns a number, from 1, that grows whenever more is replaced than before: with equal ones nothing has to be
  /// scrubbed again.
  [[nodiscard]] std::uint64_t generation() const;

  [[nodiscard]] ScrubStats stats() const;
  [[nodiscard]] const RuleSet& rules() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct Scrubber::Rescrubbed {
  ScrubbedInteraction interaction;
  bool changed = false;
};

}  // namespace tapedeck::scrubbers
