#pragma once
// Implements the control API without HTTP (docs/control-api.md).

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

namespace tapedeck::journal {
class Journal;
}
namespace tapedeck::replay {
class ReplayHandler;
struct SequenceName;
struct SequenceUse;
}  // namespace tapedeck::replay

namespace tapedeck::inspector {

/// A running recording.
struct Recording {
  std::function<void(const std::string& name)> mark;
  std::function<void()> finish;
  std::function<std::vector<std::pair<std::string, std::uint64_t>>()> learned;  ///< secrets by class
};

/// The run that the API controls. All pointers must outlive the server. The functions must be thread-safe.
struct Subject {
  std::string command;  ///< "replay", "record" or "exec"
  std::string url;      ///< URL of the data port
  journal::Journal* journal = nullptr;
  replay::ReplayHandler* replay = nullptr;  ///< null for `record`
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  /// Returns names and values in the order in which they are shown.
  std::function<Counts()> counters;
  ScopeCalls scopes;
  Recording recording = {};                 ///< set for `record`
  std::vector<std::string> cassettes = {};  ///< paths of the cassettes that are replayed or recorded
  std::string device = {};                  ///< origin of the device; empty without a device
};

/// The maximum size of the requests and responses that are kept for the page, in bytes. Journal entries do not count.
inline constexpr std::size_t most_kept_bytes = 64u << 20;

struct ControlResponse {
  int status = 200;
  std::string body;  ///< a JSON object, unless `type` says otherwise
  std::string type = "application/json";
  /// Set for a response without an end. Waits for a short time, and returns what to send then.
  std::function<std::string()> stream = {};
};
/// Returns 200 with the object. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] ControlResponse good(const nlohmann::json& object);
/// Returns `{"error":TEXT}`.
[[nodiscard]] ControlResponse control_error(int status, std::string_view text);
/// The default and the maximum number of entries in a page of a list.
inline constexpr std::uint64_t usual_page = 100;
inline constexpr std::uint64_t largest_page = 1'000;

class Control;
class Query;
struct ControlCall;

struct Route {
  enum class Run { any, replay, record };

  std::string_view method, path;
  ControlResponse (Control::*respond)(const ControlCall& call);
  /// The parameters of a GET, or the members of the body of a POST.
  std::string_view names = {};
  Run run = Run::any;           ///< the runs that have the route
  bool takes_overlays = false;  ///< the body may be longer, and `respond` parses it

  /// Returns true if a number follows the path: "/requests/" for /requests/12.
  [[nodiscard]] constexpr bool is_numbered() const { return path.ends_with('/'); }
  /// Returns true if this route has the path of a request.
  [[nodiscard]] bool takes(std::string_view path_sent) const;
  [[nodiscard]] std::size_t largest_body() const { return takes_overlays ? 4u << 20 : 64u << 10; }
};
[[nodiscard]] std::span<const Route> routes();
/// Returns null for an unknown path, and the first route of the path if it does not accept the method.
[[nodiscard]] const Route* find_route(std::string_view path, std::string_view method);

/// Thread-safe.
class Control {
 public:
  explicit Control(Subject subject);
  /// Call it only for requests that the guard has accepted. `query` is not decoded, without the question mark, and
  /// `number` is set for a numbered route. Does not throw: invalid input gives an error response.
  [[nodiscard]] ControlResponse respond(const Route& route, std::string_view query, std::string_view body,
                                        std::uint64_t number = 0);

  [[nodiscard]] ControlResponse state(const ControlCall& call);
  [[nodiscard]] ControlResponse journal(const ControlCall& call);
  [[nodiscard]] ControlResponse events(const ControlCall& call);
  [[nodiscard]] ControlResponse unused(const ControlCall& call);
  [[nodiscard]] ControlResponse sessions(const ControlCall& call);
  [[nodiscard]] ControlResponse reset_sessions(const ControlCall& call);
  [[nodiscard]] ControlResponse drop_sessions(const ControlCall& call);
  [[nodiscard]] ControlResponse clock(const ControlCall& call);
  [[nodiscard]] ControlResponse scope(const ControlCall& call);
  [[nodiscard]] ControlResponse open_port(const ControlCall& call);
  [[nodiscard]] ControlResponse next_run(const ControlCall& call);
  [[nodiscard]] ControlResponse scope_result(const ControlCall& call);
  [[nodiscard]] ControlResponse assertion(const ControlCall& call);
  [[nodiscard]] ControlResponse overlays(const ControlCall& call);
  [[nodiscard]] ControlResponse post_overlays(const ControlCall& call);
  [[nodiscard]] ControlResponse check_overlays(const ControlCall& call);
  [[nodiscard]] ControlResponse enable_overlays(const ControlCall& call);
  [[nodiscard]] ControlResponse delete_overlays(const ControlCall& call);
  [[nodiscard]] ControlResponse held(const ControlCall& call);
  [[nodiscard]] ControlResponse release_held(const ControlCall& call);
  [[nodiscard]] ControlResponse request(const ControlCall& call);
  [[nodiscard]] ControlResponse recordings(const ControlCall& call);
  [[nodiscard]] ControlResponse rules(const ControlCall& call);
  [[nodiscard]] ControlResponse add_rule(const ControlCall& call);
  [[nodiscard]] ControlResponse delete_rule(const ControlCall& call);
  [[nodiscard]] ControlResponse mark(const ControlCall& call);
  [[nodiscard]] ControlResponse finish(const ControlCall& call);
  [[nodiscard]] ControlResponse suspects(const ControlCall& call);

  /// The maximum number of simultaneous waits, so that they cannot use all threads of the server.
  static constexpr unsigned most_waits = 8;

 private:
  [[nodiscard]] nlohmann::json counts() const;
  /// Returns the effects, and in `state` the writes of each owner.
  void add_effects(nlohmann::json& response) const;
  /// Returns {"sequences":[…]} with a page of the matching sequences, and "next" if there are more. `add` may add
  /// members to each.
  [[nodiscard]] ControlResponse list_uses(
      const Query& query, const std::function<bool(const replay::SequenceUse&)>& fits,
      const std::function<void(const replay::SequenceUse&, nlohmann::json&)>& add) const;
  [[nodiscard]] ControlResponse responses_of(std::size_t cassette, const replay::SequenceName& sequence) const;

  Subject subject_;
  std::atomic<unsigned> waits_ = 0;
};

}  // namespace tapedeck::inspector
