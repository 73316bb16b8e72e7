#pragma once
// What the control API answers (docs/control-api.md), with no HTTP in it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/scope_calls.h"
#include "journal/journal.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {

/// A recording under way. Called from several threads.
struct Recording {
  std::function<void(const std::string& name)> mark;
  std::function<void()> finish;
  std::function<std::vector<std::pair<std::string, std::uint64_t>>()> learned;  ///< secrets by class
};

/// What is controlled. All that it points to must outlive the server.
struct Subject {
  std::string command;  ///< "replay", "record" or "exec"
  std::string url;      ///< of the data port
  journal::Journal* journal = nullptr;
  replay::ReplayHandler* replay = nullptr;  ///< null on `record`: nothing is played there
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  /// Names and values, in the order in which they are shown.
  std::function<Counts()> counters;
  ScopeCalls scopes;
  Recording recording = {};                 ///< on `record`
  std::vector<std::string> cassettes = {};  ///< paths of the cassettes that are played or recorded
  std::string device = {};                  ///< origin of the device; empty: none is configured
};

struct ControlCall {
  std::string query;  ///< raw, without the question mark
  std::string body;
  std::uint64_t number = 0;  ///< of a numbered route
};

/// What is kept of the last requests beside their lines in the journal.
inline constexpr std::size_t most_kept_bytes = 64u << 20;

struct ControlAnswer {
  int status = 200;
  std::string body;  ///< a JSON object, unless `type` says otherwise
  std::string type = "application/json";
};
/// `{"error":TEXT}`.
[[nodiscard]] ControlAnswer control_error(int status, std::string_view text);

class Control;

struct Route {
  std::string_view method, path;
  bool replay_only = false;
  ControlAnswer (Control::*answer)(const ControlCall& call) = nullptr;
  bool is_stream = false;  ///< the server answers it piece by piece (event_stream.h)
  std::size_t largest_body = 64u << 10;
  bool is_numbered = false;  ///< a number stands behind the path: "/requests/" for /requests/12
  bool record_only = false;

  /// `path` is the one of a request, as it was sent.
  [[nodiscard]] bool takes(std::string_view path_sent) const;
};
[[nodiscard]] std::span<const Route> routes();
/// Null for another path; of a path that does not take the method, its first route.
[[nodiscard]] const Route* find_route(std::string_view path, std::string_view method);

/// Thread-safe.
class Control {
 public:
  explicit Control(Subject subject);
  /// Only for requests that the guard has let pass. Never throws: what does not fit gives an error.
  [[nodiscard]] ControlAnswer answer(const Route& route, const ControlCall& call);

  [[nodiscard]] ControlAnswer health(const ControlCall& call);
  [[nodiscard]] ControlAnswer state(const ControlCall& call);
  [[nodiscard]] ControlAnswer journal(const ControlCall& call);
  [[nodiscard]] ControlAnswer counters(const ControlCall& call);
  [[nodiscard]] ControlAnswer unused(const ControlCall& call);
  [[nodiscard]] ControlAnswer unfinished(const ControlCall& call);
  [[nodiscard]] ControlAnswer sessions(const ControlCall& call);
  [[nodiscard]] ControlAnswer reset_sessions(const ControlCall& call);
  [[nodiscard]] ControlAnswer drop_sessions(const ControlCall& call);
  [[nodiscard]] ControlAnswer clock(const ControlCall& call);
  [[nodiscard]] ControlAnswer scope(const ControlCall& call);
  [[nodiscard]] ControlAnswer begin_scope(const ControlCall& call);
  [[nodiscard]] ControlAnswer next_run(const ControlCall& call);
  [[nodiscard]] ControlAnswer scope_result(const ControlCall& call);
  [[nodiscard]] ControlAnswer assertion(const ControlCall& call);
  [[nodiscard]] ControlAnswer effects(const ControlCall& call);
  [[nodiscard]] ControlAnswer overlays(const ControlCall& call);
  [[nodiscard]] ControlAnswer post_overlays(const ControlCall& call);
  [[nodiscard]] ControlAnswer check_overlays(const ControlCall& call);
  [[nodiscard]] ControlAnswer enable_overlays(const ControlCall& call);
  [[nodiscard]] ControlAnswer disable_overlays(const ControlCall& call);
  [[nodiscard]] ControlAnswer delete_overlays(const ControlCall& call);
  [[nodiscard]] ControlAnswer request(const ControlCall& call);
  [[nodiscard]] ControlAnswer recordings(const ControlCall& call);
  [[nodiscard]] ControlAnswer rules(const ControlCall& call);
  [[nodiscard]] ControlAnswer add_rule(const ControlCall& call);
  [[nodiscard]] ControlAnswer delete_rule(const ControlCall& call);
  [[nodiscard]] ControlAnswer mark(const ControlCall& call);
  [[nodiscard]] ControlAnswer finish(const ControlCall& call);
  [[nodiscard]] ControlAnswer suspects(const ControlCall& call);

  /// Waits at once; more are refused, so that they cannot take all threads of the server.
  static constexpr unsigned most_waits = 8;

 private:
  [[nodiscard]] nlohmann::json counts() const;
  /// Opens a port of the scope's own.
  [[nodiscard]] ControlAnswer own_port(const nlohmann::json& object);
  [[nodiscard]] ControlAnswer sequences(const ControlCall& call, bool begun);
  /// {"sequences":[…]} of those that fit, from number `from` on, and "next" where there are more. `add` may add to one.
  [[nodiscard]] ControlAnswer list_uses(
      std::uint64_t from, std::uint64_t limit, const std::function<bool(const replay::SequenceUse&)>& fits,
      const std::function<void(const replay::SequenceUse&, nlohmann::json&)>& add) const;
  [[nodiscard]] ControlAnswer switch_overlays(const ControlCall& call, bool on);
  [[nodiscard]] ControlAnswer answers_of(std::size_t cassette, const replay::SequenceName& sequence) const;

  Subject subject_;
  std::atomic<unsigned> waits_ = 0;
};

}  // namespace tapedeck::inspector
