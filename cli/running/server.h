#pragma once
// Contains the part of a server that all server commands share.

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

/// A listener with the gate and the static files. The handler is set later, so that nothing is opened or created before
/// the port is bound.
class Server {
 public:
  /// `streams_bodies` has the meaning of http::ListenerOptions::streams_bodies. Throws UsageError for options that
  /// contradict each other, and std::runtime_error if it cannot listen.
  Server(const ServerOptions& options, unsigned threads, bool streams_bodies = false);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void set_handler(http::Handler& handler);
  [[nodiscard]] http::EventLoop& main_loop() { return *loops_.front(); }
  [[nodiscard]] std::string url() const;  ///< such as "https://127.0.0.1:8443"
  [[nodiscard]] bool tls() const { return tls_.has_value(); }
  [[nodiscard]] const http::Listener& listener() const { return *listener_; }

  /// Sets a callback for refused requests, in addition to the log line (see http::GateOptions). Call it before run().
  void on_refused(decltype(http::GateOptions::on_refused) callback) { on_refused_ = std::move(callback); }
  /// Returns the number of requests that the gate refused. Callable from any thread.
  [[nodiscard]] std::uint64_t refused() const { return gate_->refused(); }

  /// Opens another port for the same handler on the main loop. It stays open until close() or the end of the server.
  /// `lines` are added to each of its requests. Throws std::runtime_error if it cannot listen or the server is not
  /// running. Must not be called on a loop's thread.
  [[nodiscard]] std::shared_ptr<http::Listener> listen_too(const http::Endpoint& endpoint, const http::Headers& lines);
  /// Closes such a port. Callable from any thread.
  void close(std::shared_ptr<http::Listener> listener);
  [[nodiscard]] std::string url_of(const http::Listener& listener) const;

  /// Runs every loop, the first one on this thread, until shut_down() has finished. An exception on a loop is logged
  /// and ends only the task that has thrown it.
  void run();
  /// Closes idle connections immediately, and busy ones in slightly less than a second. Then calls `closed` and ends
  /// the loops. Call it on the main loop's thread. A second call does nothing.
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
  std::vector<std::shared_ptr<http::Listener>> others_;  ///< used on the main loop's thread only
  bool closing_ = false;
};

/// Ports for scopes. A request to such a port belongs to the port's scope unless the request itself names another one.
/// Callable from any thread except the server's loops.
class ScopePorts {
 public:
  static constexpr std::size_t most_ports = 1'000;

  /// `server` must outlive the object.
  explicit ScopePorts(Server& server) : server_(server) {}

  /// Opens a port, closing an earlier one of the same run. `where` is "127.0.0.1:0" or another loopback address.
  /// Returns the port's URL. Throws std::invalid_argument for an invalid address, and std::runtime_error if it cannot
  /// listen.
  [[nodiscard]] std::string open(const api::ScopeName& scope, const std::string& where);
  /// Closes the port of a run that has ended.
  void close(const api::ScopeName& scope);

 private:
  Server& server_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<http::Listener>> ports_;  ///< key: the run's name; guarded by mutex_
};

}  // namespace tapedeck::cli
