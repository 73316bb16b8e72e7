#include "cli/options/server_options.h"

#include <algorithm>

#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "cli/options/headings.h"

namespace tapedeck::cli {
namespace {

constexpr const char* limits_heading = "Limits";

/// Adds an option whose default is shown.
void add_limit(Command& command, const char* name, const char* value, Destination destination, const char* help) {
  command.option(name, value, std::move(destination), help).show_default();
}

void add_limits(Command& command, ServerOptions& options) {
  const Heading heading(command, limits_heading);
  http::Limits& limits = options.limits;
  add_limit(command, "--max-request-body", "SIZE", size(options.body_limit, limits.body_bytes),
            command.name == "record"
                ? "Maximum size of a request body to store; larger bodies are forwarded but withheld"
                : "Maximum size of a request body, at most --buffer (otherwise status 413)");
  add_limit(command, "--buffer", "SIZE", size(limits.buffer_bytes), "Maximum size of all buffers together");
  add_limit(command, "--connections", "N", whole_number(limits.connections),
            "Maximum number of connections (otherwise status 503)");
}

}  // namespace

void add_server_options(Command& command, ServerOptions& options) {
  const Heading heading(command, headings::listening);
  command.option("--listen", "HOST:PORT", into(options.listen), "Address to listen on; port 0 chooses a free port")
      .show_default();
  command.option("--ready-file", "PATH", into(options.ready_file),
                 "Write the base URL and name=value lines to this file once the server is ready");
  command.flag("--allow-remote", options.allow_remote, "Allow addresses other than loopback");
  command.option("--allow-host", "NAME", into(options.allow_hosts),
                 "Also accept requests with this Host name; * for any");
  command.option("--cors", "ORIGIN", into(options.cors),
                 "Let web pages of this origin read responses; http://HOST:* for any port, * for any origin");
  command.option("--serve", "DIR", into(options.serve),
                 "Also serve the files in this folder; unknown pages get its index.html");
  command.option("--tls-cert", "FILE", into(options.tls_cert), "Serve https with this certificate chain (PEM)");
  command.option("--tls-key", "FILE", into(options.tls_key), "Private key for --tls-cert (PEM)");
  command.flag("--tls", options.tls, "Serve https with a generated self-signed certificate").exclude({"--tls-cert"});
  add_limits(command, options);
}

void add_device_limits(Command& command, ServerOptions& options) {
  const Heading heading(command, limits_heading);
  http::Limits& limits = options.limits;
  add_limit(command, "--max-response-body", "SIZE", size(options.max_body, limits.max_body),
            "Maximum size of a response to store, at most 256 MiB; larger responses are forwarded but withheld");
  add_limit(command, "--max-message", "SIZE", size(limits.max_message),
            "Maximum size of a WebSocket's message to store, at most 128 MiB; after a larger one, messages are only "
            "forwarded");
  command.option("--device-time", "TIME", duration(options.device_time),
                 "Timeout for the device: to connect, to respond, and between two parts of a response (otherwise 10s, "
                 "60s, and 30s)");
}

http::Limits limits_of(const ServerOptions& options) {
  http::Limits limits = options.limits;
  if (options.device_time.count() > 0) {
    limits.connect_time = limits.first_byte_time = limits.stall_time = options.device_time;
  }
  limits.body_bytes = options.body_limit.value_or(std::min(limits.body_bytes, limits.buffer_bytes));
  limits.max_body = options.max_body.value_or(std::min(limits.max_body, limits.buffer_bytes));
  // A larger body also needs larger buffers. It is recorded only if --max-response-body allows it.
  if (options.body_limit && !options.max_body) {
    limits.max_body = std::clamp(*options.body_limit, limits.max_body, http::longest_kept_body);
  }
  const std::size_t largest = std::max(limits.body_bytes, limits.max_body);
  if (limits.buffer_bytes == http::Limits().buffer_bytes) limits.buffer_bytes = std::max(limits.buffer_bytes, largest);
  if (const auto fault = http::fault_in(limits)) throw UsageError(*fault);
  return limits;
}

http::Endpoint endpoint_of(const std::string& option, const std::string& text) {
  try {
    return http::Endpoint::parse(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(option + ": " + error.what());
  }
}

bool wants_control(const ControlOptions& options) { return !options.control.empty() || options.page; }

void add_control_options(Command& command, ControlOptions& options) {
  const Heading heading(command, headings::watching);
  command.option("--control", "HOST:PORT", into(options.control), "Serve the control API on this loopback address");
  command.option("--journal", "FILE", into(options.journal),
                 "Append the reason for each response to this file, as scrubbed JSON lines");
  command.flag("--page", options.page, "Serve the page that shows requests and the reasons for their responses");
}

}  // namespace tapedeck::cli
