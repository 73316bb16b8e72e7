#pragma once
// The one door between traffic and storage (design §4.4, semantics §3, §6).

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
  std::string base_path;  ///< of the device, for building keys
  int key_policy = api::KeyPolicy::current_number;
  std::size_t max_decoded = 256u << 20;  ///< a body that decodes to more is withheld
  /// How many bytes a packed request may unpack to now: it is taken apart before it has an answer, and held until then.
  /// On the thread of learn(); none: `max_decoded` alone counts.
  std::function<std::size_t()> room_for_request = {};
  std::shared_ptr<PrivateProfile> profile;  ///< puts pseudonyms for what is private; null: that stays
};

struct ScrubStats {
  std::uint64_t learned = 0;        ///< distinct values known now
  std::uint64_t whole_only = 0;     ///< of them, too short or plain to be searched for but as whole values
  std::uint64_t by_name_only = 0;   ///< of them, too short or plain even for that, or never confirmed by the device
  std::uint64_t beyond_limits = 0;  ///< not among these: more than are searched for
};

/// Learns secrets as they pass and replaces them. All calls may come from any thread; interactions are numbered
/// (sessions, accounts, ordinals) in the order of the calls to scrub().
class Scrubber {
 public:
  explicit Scrubber(ScrubberOptions options);
  ~Scrubber();
  Scrubber(const Scrubber&) = delete;
  Scrubber& operator=(const Scrubber&) = delete;

  /// Parameters, parts or calls of one request that are told apart; one with more is withheld without its body.
  static constexpr std::size_t most_pieces = 100'000;

  /// Learns what the request (its target without the base path) carries before its answer is there, so that what
  /// passes meanwhile is scrubbed of it.
  std::unique_ptr<SeenRequest> learn(const http::Request& request);
  /// Makes a value known as a secret: for a recording whose own scrubber is gone, and for what a session holds that no
  /// recorded request shows.
  void teach(std::string_view value, SecretClass secret_class = SecretClass::secret);
  /// Learns from both halves, then replaces. Never throws for input: what cannot be scrubbed with certainty comes back
  /// withheld.
  [[nodiscard]] ScrubbedInteraction scrub(const api::Interaction& interaction);
  /// The same when learn() has seen this very request: it is not taken apart again. `seen` is used up.
  [[nodiscard]] ScrubbedInteraction scrub(const api::Interaction& interaction, SeenRequest&& seen);
  /// The same for what was stored before a value was learned; `changed` says whether anything was replaced or withheld.
  /// Offsets of the redactions that are there already are kept right.
  struct Rescrubbed;
  [[nodiscard]] Rescrubbed rescrub(InteractionRecord record);

  /// Continues the numbering of sessions and accounts behind these: for rescrubbing a take that has numbers already.
  void reserve_numbers(std::uint32_t sessions, std::uint32_t accounts);

  /// A text of our own (log line, error text) with every learned value in it replaced.
  [[nodiscard]] std::string scrub_text(std::string_view text) const;
  /// A scope's name with the byte 1, the class's word and the byte 2 in the place of every learned value.
  [[nodiscard]] std::string scrub_scope(std::string_view name) const;
  /// Learned values, for the leak scan alone: handed out one at a time, to be hashed or searched for, never kept.
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
