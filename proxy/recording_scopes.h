#pragma once
// Finds the scope of a recorded request, and tracks which runs are complete (docs/testing.md, "Scopes").

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/interaction.h"
#include "api/scope_name.h"
#include "cassettes/write/take_event.h"

namespace tapedeck::proxy {

/// Thread-safe. Names have the form in which clients send them. `stored` replaces learned secrets in them before they
/// are stored or reported (scrubbers::Scrubber::scrub_scope).
class RecordingScopes {
 public:
  struct Parts {
    std::function<std::string(std::string_view name)> stored;
    std::function<void(cassettes::TakeEvent event)> tell;  ///< sends an event to the cassette's writer
  };
  RecordingScopes() = default;
  void connect(Parts parts);
  /// Stops sending events, because the writer is destroyed.
  void disconnect();

  /// Returns the scope of a request and begins its run. This is the scope that the request names, or else the default
  /// one, or else the one in which its session ID was created. `id` may be empty.
  [[nodiscard]] std::optional<api::ScopeName> of(const api::RequestedScope& said, std::string_view id);
  /// Notes the IDs that a login in this scope returned.
  void answered(const api::ScopeName& scope, const api::Interaction& login);

  /// Sets the scope of requests that name none. Call it before the first request.
  void set_default(std::optional<api::ScopeName> scope);
  /// Returns the run after the last one of this scope that was used or returned. From then on, results are expected.
  [[nodiscard]] api::ScopeName next_run(const std::string& name);
  /// Marks the run as complete, or drops it. From then on, results are expected.
  void result(const api::ScopeName& scope, bool ok);
  /// Drops the run, whatever its result will be.
  void drop(const api::ScopeName& scope);
  /// Notes that a test runner will report the result of every run, so that a run without one was interrupted.
  void expect_results();
  /// The meaning of a missing result when the recording ends.
  enum class Unreported : std::uint8_t { complete, interrupted };
  /// Ends the recording. Drops runs without a result if they were interrupted and results are expected, and returns
  /// their names. The run of the default scope is not a test, so it is complete.
  [[nodiscard]] std::vector<std::string> end(Unreported unreported);
  /// Returns the name in the form in which it is stored and shown.
  [[nodiscard]] std::string shown(const api::ScopeName& scope) const;
  /// Returns the runs that were begun, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Returns stored names that several scopes share because their names differ only in learned secrets.
  [[nodiscard]] std::vector<std::string> clashes() const;

 private:
  static constexpr std::size_t most_ids = 100'000, most_runs = 1'000'000;
  /// Requires that the mutex is locked.
  void begun(const api::ScopeName& scope);
  void tell(cassettes::TakeEvent::Kind kind, const api::ScopeName& scope);
  [[nodiscard]] std::string shown_unlocked(const api::ScopeName& scope) const;

  Parts parts_;
  mutable std::mutex mutex_;  ///< guards the following members
  std::optional<api::ScopeName> default_;
  bool expects_results_ = false;
  std::set<std::string> reported_;                         ///< texts of the runs whose result is known
  std::map<std::string, std::set<std::uint32_t>> runs_;    ///< key: the scope's name
  std::map<std::string, std::uint32_t> last_runs_;         ///< the last run that was used or returned
  std::unordered_map<std::string, api::ScopeName> ids_{};  ///< key: the SHA-256 of the ID
};

}  // namespace tapedeck::proxy
