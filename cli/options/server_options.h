#pragma once
// The options of every command that listens.

#include <optional>
#include <string>
#include <vector>

#include "http/io/limits.h"

namespace tapedeck::cli {

class Command;

struct ServerOptions {
  std::string listen = "127.0.0.1:8080";
  std::string ready_file;
  bool allow_remote = false;
  std::vector<std::string> allow_hosts;
  std::vector<std::string> cors;
  std::string serve, serve_fallback;
  bool tls = false;
  std::string tls_cert, tls_key;
  http::Limits limits;
  /// Where they are not given, they are the default or the buffer, whichever is less.
  std::optional<std::size_t> body_limit, max_body;
};

void add_server_options(Command& command, ServerOptions& options);
/// Only `record` talks to a device.
void add_device_limits(Command& command, ServerOptions& options);
/// All limits, checked. Throws UsageError.
[[nodiscard]] http::Limits limits_of(const ServerOptions& options);

}  // namespace tapedeck::cli
