#pragma once
// Defines the options of every command that runs a server.

#include <chrono>
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
  std::string serve;
  bool tls = false;
  std::string tls_cert, tls_key;
  http::Limits limits;
  /// If not given, the smaller of the default and the buffer limit is used.
  std::optional<std::size_t> body_limit, max_body;
  std::chrono::milliseconds device_time{};  ///< 0: the defaults
};

void add_server_options(Command& command, ServerOptions& options);
/// Adds the limits for the connection to a device, which only `record` needs.
void add_device_limits(Command& command, ServerOptions& options);
/// Returns all limits after checking them. Throws UsageError.
[[nodiscard]] http::Limits limits_of(const ServerOptions& options);
/// Parses the address in an option. Throws UsageError.
[[nodiscard]] http::Endpoint endpoint_of(const std::string& option, const std::string& text);

/// The options for the journal and the control API.
struct ControlOptions {
  std::string control;   ///< HOST:PORT; empty: no control API
  std::string journal;   ///< path of the journal file; empty: no file
  bool page = false;     ///< serve the page on the control port, or on a free port without --control
  bool verbose = false;  ///< log each request
};

void add_control_options(Command& command, ControlOptions& options);

/// Returns true if the control API is served, for itself or for the page.
[[nodiscard]] bool wants_control(const ControlOptions& options);

}  // namespace tapedeck::cli
