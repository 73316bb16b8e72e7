#pragma once
// In which scope a recorded request was made, and which runs are whole (toolkit §1).

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

/// True where beginning `next` means another run of the current scope: its name without a run, or the run itself.
[[nodiscard]] bool begins_anew(const api::ScopeName& current, const api::ScopeName& next);

/// Thread-safe. Names are as clients say them: what is stored and told goes through `stored` first, which puts learned
/// secrets out of them (scrubbers::Scrubber::scrub_scope).
class RecordingScopes {
 public:
  struct Parts {
    std::function<std::string(std::string_view name)> stored;
    std::function<void(cassettes::TakeEvent event)> tell;  ///< the cassette's writer
  };
  RecordingScopes() = default;
  void connect(Parts parts);
  /// Nothing is told any more: the writer goes.
  void disconnect();

  /// The scope of a request: what it says itself, else the current one, else the one in which its session id was
  /// minted. Its run is begun by that. `id` may be empty.
  [[nodiscard]] std::optional<api::ScopeName> of(const api::ScopeSaid& said, std::string_view id);
  /// An answer in that scope: ids that a login gives belong to it.
  void answered(const api::ScopeName& scope, const api::Interaction& login);

  [[nodiscard]] std::optional<api::ScopeName> current() const;
  /// From now on. The one before is whole; the current one begins a new run.
  void begin(const api::ScopeName& scope);
  void end();
  /// The run after the last one of that scope that was used or handed out.
  [[nodiscard]] api::ScopeName next_run(const std::string& name);
  /// The run is whole, or is not to be kept.
  void result(const api::ScopeName& scope, bool ok);
  /// As it is stored and shown.
  [[nodiscard]] std::string shown(const api::ScopeName& scope) const;
  /// Runs that were begun, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Stored names that several scopes have, whose names differ in learned secrets alone: they cannot be told apart.
  [[nodiscard]] std::vector<std::string> clashes() const;

 private:
  static constexpr std::size_t most_ids = 100'000, most_runs = 1'000'000;
  /// Called with the lock held.
  void begun(const api::ScopeName& scope);
  void tell(cassettes::TakeEvent::Kind kind, const api::ScopeName& scope);

  Parts parts_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::optional<api::ScopeName> current_, last_begun_;
  std::map<std::string, std::set<std::uint32_t>> runs_;    ///< by the scope's name
  std::map<std::string, std::uint32_t> last_runs_;         ///< used or handed out
  std::unordered_map<std::string, api::ScopeName> ids_{};  ///< by the SHA-256 of what a login gave
};

}  // namespace tapedeck::proxy
