#pragma once
// Ports of scopes' own: for clients that take a host and a port alone (toolkit §1, "where it comes from").

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "api/scope_name.h"
#include "cli/running/server.h"

namespace tapedeck::cli {

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
