#pragma once
// What every command that listens puts in front of its own handler.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/scope_name.h"
#include "cli/options/server_options.h"
#include "http/io/event_loop.h"
#include "http/server/gate.h"
#include "http/server/listener.h"
#include "http/server/static_files.h"

namespace tapedeck::cli {

/// A listener with the gate and the static files in front of a handler that is chosen later: nothing is opened or made
/// before the port is ours.
class Server {
 public:
  /// `streams_bodies`: as in http::ListenerOptions. Throws UsageError for options that do not fit, std::runtime_error
  /// when it cannot listen.
  Server(const ServerOptions& options, unsigned threads, bool streams_bodies = false);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void set_handler(http::Handler& handler);
  [[nodiscard]] http::EventLoop& main_loop() { return *loops_.front(); }
  [[nodiscard]] std::string url() const;  ///< "https://127.0.0.1:8443"
  [[nodiscard]] bool tls() const { return tls_.has_value(); }
  [[nodiscard]] const http::Listener& listener() const { return *listener_; }

  /// Sets what else happens to a refused request, beside the line in the log; see http::GateOptions. Before run().
  void on_refused(decltype(http::GateOptions::on_refused) callback) { on_refused_ = std::move(callback); }
  /// Requests that the gate has refused. Any thread.
  [[nodiscard]] std::uint64_t refused() const { return gate_->refused(); }

  /// Another port for the same handler, on the main loop, as long as the server runs or until close(). Each of its
  /// requests gets `lines`. Throws std::runtime_error when it cannot listen, or the server does not run. Not from a
  /// loop.
  [[nodiscard]] std::shared_ptr<http::Listener> listen_too(const http::Endpoint& endpoint, const http::Headers& lines);
  /// Ends such a port. Callable from any thread.
  void close(std::shared_ptr<http::Listener> listener);
  [[nodiscard]] std::string url_of(const http::Listener& listener) const;

  /// Runs every loop, the first on this thread, until shut_down() is through. What is thrown on any of them ends them
  /// all and leaves here.
  void run();
  /// Idle connections close at once, busy ones have a little less than a second; then `closed` runs and the loops end.
  /// For the main loop's thread. A second call does nothing.
  void shut_down(std::function<void()> closed = {});

 private:
  struct DeferredHandler;
  std::vector<std::unique_ptr<http::EventLoop>> loops_;
  std::optional<http::ServerTls> tls_;
  std::unique_ptr<DeferredHandler> handler_;
  std::unique_ptr<http::StaticFiles> files_;
  decltype(http::GateOptions::on_refused) on_refused_;
  std::unique_ptr<http::Gate> gate_;
  http::Limits limits_;
  bool streams_bodies_;
  std::unique_ptr<http::Listener> listener_;
  std::vector<std::shared_ptr<http::Listener>> others_;  ///< for the main loop's thread
  bool closing_ = false;
};

/// What comes in at such a port belongs to its scope, unless the request itself says another one. Callable from any
/// thread but the server's loops.
class ScopePorts {
 public:
  static constexpr std::size_t most_ports = 1'000;

  /// The server must outlive it.
  explicit ScopePorts(Server& server) : server_(server) {}

  /// Opens one, and closes another one of the same run. `where` is "127.0.0.1:0" or another loopback address. Gives the
  /// port's URL; throws std::invalid_argument for an address that does not fit, std::runtime_error when it cannot
  /// listen.
  [[nodiscard]] std::string open(const api::ScopeName& scope, const std::string& where);
  /// The run is over.
  void close(const api::ScopeName& scope);

 private:
  Server& server_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<http::Listener>> ports_;  ///< by the run's text; guarded by mutex_
};

}  // namespace tapedeck::cli
