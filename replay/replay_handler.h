#pragma once
// Implements the handler of a replay server (docs/replay.md).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/file/cassette_error.h"
#include "http/server/exchange.h"
#include "replay/chain/replay_options.h"
#include "replay/overlays/overlay_store.h"
#include "replay/recorded/held_replies.h"
#include "replay/recorded/match.h"
#include "replay/recorded/usage.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {

/// Responds to every request before handle() returns, at the latest with a miss. Opens no connections. handle()
/// is thread-safe; each thread has a reader of each cassette and a share of the cache. The same requests in the same
/// sessions get the same bytes with any number of threads.
class ReplayHandler : public http::Handler {
 public:
  /// Opens the cassettes and reads the overlays. Throws CassetteError or std::invalid_argument. `threads` is the number
  /// of threads that call handle().
  ReplayHandler(ReplayOptions options, unsigned threads);
  ~ReplayHandler() override;
  ReplayHandler(const ReplayHandler&) = delete;
  ReplayHandler& operator=(const ReplayHandler&) = delete;

  void handle(std::shared_ptr<http::Exchange> exchange) override;

  [[nodiscard]] ReplayStats stats() const;
  /// Returns one line for each cassette that is unfinished, unverified, or scrubbed with another policy.
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  /// Checks whether cassettes were replaced since the last call (CassetteWatch::look_again), and returns lines for the
  /// log. Sessions use a new cassette from their next request on, with new positions. A scope's run that has already
  /// begun continues with the old one. Do not call it on a thread that handles requests.
  [[nodiscard]] std::vector<std::string> look_again();
  /// Checks the pages of each cassette that was too large for this check when it was opened. Checks each one once.
  /// `goes_on` is called from time to time; if it returns false, the check ends. Throws CassetteError. Do not call it
  /// on a thread that handles requests.
  void check_large_cassettes(const std::function<bool()>& goes_on);
  /// Returns the number of cassettes that are unfinished or unverified.
  [[nodiscard]] std::uint64_t unverified() const;
  [[nodiscard]] Scopes& scopes();
  /// Returns true if this scope is replayed. With ReplayOptions::end, all others go to the end as a whole. Thread-safe.
  [[nodiscard]] bool plays_scope(const std::string& name) const;
  [[nodiscard]] OverlayStore& overlays();
  /// Returns the replies that overlays with `hold` keep back.
  [[nodiscard]] HeldReplies& held();
  /// Returns the latest recorded time that a run has replayed, in microseconds since 1970. Before its first response,
  /// returns the start of the recording that will be replayed. Returns nothing without recordings. Null means outside
  /// of scopes. Do not call it on a thread that handles requests.
  [[nodiscard]] std::optional<std::int64_t> clock_us(const std::optional<api::ScopeName>& scope) const;
  /// Returns true if effects can be used, which requires that no device handles missing recordings.
  [[nodiscard]] bool takes_effects() const;
  /// Returns the displayed names, sorted and without duplicates.
  [[nodiscard]] std::vector<std::string> scopes_that_ran() const;
  /// Visits the sequences of the newest cassettes with their use until `visit` returns false. Without a journal,
  /// nothing counts as used. Do not call it on a thread that handles requests.
  void each_use(const std::function<bool(const SequenceUse&)>& visit) const;

  /// Returns the rules of looser matching. Changes apply from the next request on.
  [[nodiscard]] LiveRules& rules();
  /// Returns the rules by which secrets were replaced. A parameter that they name cannot be bound.
  [[nodiscard]] const scrubbers::RuleSet& scrub_rules() const;
  /// Returns the paths of the cassettes in the order of the command line, which defines their indexes below.
  [[nodiscard]] const std::vector<std::string>& cassettes() const;
  /// Returns the interaction with this ID, or nothing. Opens the cassette again, like the next function, so do not call
  /// it on a thread that handles requests.
  [[nodiscard]] std::optional<cassettes::FullInteraction> recording(std::size_t cassette, std::string_view id) const;
  /// Visits the interactions of one sequence, including broken and withheld ones, with their use.
  void each_answer(std::size_t cassette, const SequenceName& sequence,
                   const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::replay
