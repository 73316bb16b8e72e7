#pragma once
// Finds the scope of a recorded request, and which runs are complete (docs/testing.md, "Scopes").

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
#include "cassettes/write/take_info.h"

namespace tapedeck::proxy {

/// Returns true if `next` begins another run of the current scope: its name without a run, or the same run.
[[nodiscard]] bool begins_anew(const api::ScopeName& current, const api::ScopeName& next);

/// Thread-safe. Names are as clients send them; `stored` replaces learned secrets in them before they are stored or
/// reported (scrubbers::Scrubber::scrub_scope).
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

  /// Returns the scope of a request: the one that it names, else the current one, else the one in which its session ID
  /// was created. Begins its run. `id` may be empty.
  [[nodiscard]] std::optional<api::ScopeName> of(const api::ScopeSaid& said, std::string_view id);
  /// Notes the IDs that a login in this scope returned.
  void answered(const api::ScopeName& scope, const api::Interaction& login);

  [[nodiscard]] std::optional<api::ScopeName> current() const;
  /// Makes it the current scope. The one before is complete; the current one begins a new run.
  void begin(const api::ScopeName& scope);
  void end();
  /// Returns the run after the last one of this scope that was used or handed out.
  [[nodiscard]] api::ScopeName next_run(const std::string& name);
  /// Marks the run as complete, or drops it.
  void result(const api::ScopeName& scope, bool ok);
  /// Returns the name as stored and shown.
  [[nodiscard]] std::string shown(const api::ScopeName& scope) const;
  /// Returns the runs that were begun, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Returns stored names that several scopes share, because their names differ only in learned secrets.
  [[nodiscard]] std::vector<std::string> clashes() const;

 private:
  static constexpr std::size_t most_ids = 100'000, most_runs = 1'000'000;
  /// Requires that the lock is held.
  void begun(const api::ScopeName& scope);
  void tell(cassettes::TakeEvent::Kind kind, const api::ScopeName& scope);

  Parts parts_;
  mutable std::mutex mutex_;  ///< guards the following members
  std::optional<api::ScopeName> current_, last_begun_;
  std::map<std::string, std::set<std::uint32_t>> runs_;    ///< by the scope's name
  std::map<std::string, std::uint32_t> last_runs_;         ///< used or handed out
  std::unordered_map<std::string, api::ScopeName> ids_{};  ///< by the SHA-256 of the ID
};

}  // namespace tapedeck::proxy
