#pragma once
// The replay server's handler: a device made of cassettes (design §5, semantics §1–§5).

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
#include "replay/recorded/live_rules.h"
#include "replay/recorded/usage.h"
#include "replay/sessions/scopes.h"

namespace tapedeck::replay {

/// Answers every request, before handle() returns, from a chain that ends in a miss. Opens no connection. handle() may
/// be called from any number of threads at once; each keeps a reader of each cassette and a share of the cache. The
/// same requests in the same sessions get the same bytes, whatever the threads.
class ReplayHandler : public http::Handler {
 public:
  /// Opens the cassettes and reads the overlays; throws CassetteError or std::invalid_argument with one clear line.
  /// `threads` is how many will call handle().
  ReplayHandler(ReplayOptions options, unsigned threads);
  ~ReplayHandler() override;
  ReplayHandler(const ReplayHandler&) = delete;
  ReplayHandler& operator=(const ReplayHandler&) = delete;

  void handle(std::shared_ptr<http::Exchange> exchange) override;

  [[nodiscard]] ReplayStats stats() const;
  /// One line for each cassette that is unfinished, unverified, or made by another scrub policy than today's.
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  /// Whether any cassette was replaced by another file since the last look (CassetteWatch::look_again); lines for the
  /// log. Sessions go on with the new one at their next request, with cursors anew; a scope's run that has begun ends
  /// on the old one. From any thread that does not answer requests.
  [[nodiscard]] std::vector<std::string> look_again();
  /// Checks the pages of the cassettes that were too large for that when they were opened, each once. `goes_on` is called
  /// now and then; false ends the check. Throws CassetteError. From any thread that does not answer requests.
  void check_large_cassettes(const std::function<bool()>& goes_on);
  /// How many cassettes are unfinished or unverified.
  [[nodiscard]] std::uint64_t unverified() const;
  [[nodiscard]] Scopes& scopes();
  /// With ReplayOptions::end: whether that scope is played; every other one goes to the end as a whole. Thread-safe.
  [[nodiscard]] bool plays_scope(const std::string& name) const;
  [[nodiscard]] OverlayStore& overlays();
  /// The latest recorded time of what that run has played, in microseconds since 1970; before its first response the
  /// start of what will play; nothing: no cassette has anything. Null: outside of scopes. From any thread that does not
  /// answer requests.
  [[nodiscard]] std::optional<std::int64_t> clock_us(const std::optional<api::ScopeName>& scope) const;
  /// Whether effects can be in force: a device that answers what is missing has effects of its own.
  [[nodiscard]] bool takes_effects() const;
  /// Their names as they are shown, sorted, each once.
  [[nodiscard]] std::vector<std::string> scopes_that_ran() const;
  /// What of the newest cassettes was played so far, sequence by sequence; `visit` returns false to stop. Without a
  /// journal nothing counts as played. From any thread that does not answer requests.
  void each_use(const std::function<bool(const SequenceUse&)>& visit) const;

  /// What may differ on a miss: what is changed there holds from the next request on.
  [[nodiscard]] LiveRules& rules();
  /// The rules by which secrets were replaced: a parameter that they name cannot be bound.
  [[nodiscard]] const scrubbers::RuleSet& scrub_rules() const;
  /// The cassettes' paths, in the command line's order: their places are what follows counts by.
  [[nodiscard]] const std::vector<std::string>& cassettes() const;
  /// The interaction with that id; nothing when there is none. Opens the cassette once more, as the next one does: from
  /// any thread that does not answer requests.
  [[nodiscard]] std::optional<cassettes::FullInteraction> recording(std::size_t cassette, std::string_view id) const;
  /// The interactions of one sequence, broken and withheld ones too, with what was played of them.
  void each_answer(std::size_t cassette, const SequenceName& sequence,
                   const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::replay
