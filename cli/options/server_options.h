#pragma once
// Defines the options of every command that runs a server.

#include <optional>
#include <string>
#include <vector>

#include "http/io/limits.h"
#include "http/message/url.h"

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
  /// If not given, the smaller of the default and the buffer limit is used.
  std::optional<std::size_t> body_limit, max_body;
};

void add_server_options(Command& command, ServerOptions& options);
/// Adds the limits for the connection to a device, which only `record` needs.
void add_device_limits(Command& command, ServerOptions& options);
/// Returns all limits after checking them. Throws UsageError.
[[nodiscard]] http::Limits limits_of(const ServerOptions& options);
/// Parses the address in an option. Throws UsageError.
[[nodiscard]] http::Endpoint endpoint_of(const std::string& option, const std::string& text);

}  // namespace tapedeck::cli
