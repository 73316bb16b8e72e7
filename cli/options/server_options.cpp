#include "cli/options/server_options.h"

#include <algorithm>

#include "cli/arguments/values.h"
#include "cli/options/headings.h"
#include "cli/usage_error.h"

namespace tapedeck::cli {
namespace {

constexpr const char* limits_heading = "Limits";

void add_limits(Command& command, ServerOptions& options) {
  const Heading heading(command, limits_heading);
  http::Limits& limits = options.limits;
  command.option("--head-limit", "SIZE", size(limits.head_bytes), "Longest request head: more is 431").show_default();
  command
      .option("--header-lines", "N", whole_number(limits.header_lines), "Most header lines of a request: more is 431")
      .show_default();
  command.option("--target-limit", "SIZE", size(limits.target_bytes), "Longest request target: more is 414")
      .show_default();
  command
      .option("--body-limit", "SIZE", size(options.body_limit, limits.body_bytes),
              command.name == "record" ? "Longest request body that is kept; a longer one is passed on and withheld"
                                       : "Longest request body, at most --buffer: more is 413")
      .show_default();
  command.option("--buffer", "SIZE", size(limits.buffer_bytes), "All buffers together").show_default();
  command.option("--connections", "N", whole_number(limits.connections), "Connections at once: more get 503")
      .show_default();
  command.option("--head-time", "SECONDS", seconds(limits.head_time), "For a request's head: then 408").show_default();
  command
      .option("--body-time", "SECONDS", seconds(limits.body_time), "Between two pieces of a request's body: then 408")
      .show_default();
  command.option("--write-time", "SECONDS", seconds(limits.write_time), "For a client to take an answer")
      .show_default();
  command.option("--idle-time", "SECONDS", seconds(limits.idle_time), "For a connection without a request")
      .show_default();
}

}  // namespace

void add_server_options(Command& command, ServerOptions& options) {
  const Heading heading(command, headings::listening);
  command
      .option("--listen", "HOST:PORT", into(options.listen),
              "Address to listen on, [::1]:8080 too; port 0 takes any free one")
      .show_default();
  command.option("--ready-file", "PATH", into(options.ready_file),
                 "Written once it accepts, mode 0600: the base URL, then name=value lines");
  command.flag("--allow-remote", options.allow_remote, "Allow an address that is not loopback");
  command.option("--allow-host", "NAME", into(options.allow_hosts),
                 "Also serve requests for this Host name; * for any");
  command.option("--cors", "ORIGIN", into(options.cors),
                 "Let pages of this origin read the answers; * for any, also as port");
  command.option("--serve", "DIR", into(options.serve), "Serve the files of a folder beside the API");
  command
      .option("--serve-fallback", "FILE", into(options.serve_fallback),
              "Serve this file of it where a browser goes to a path that is none: for single-page applications")
      .need("--serve");
  command.option("--tls-cert", "FILE", into(options.tls_cert), "Serve https with this certificate chain (PEM)");
  command.option("--tls-key", "FILE", into(options.tls_key), "The certificate's private key (PEM)");
  command.flag("--tls", options.tls, "Serve https with a self-signed certificate, made once and kept")
      .exclude({"--tls-cert"});
  add_limits(command, options);
}

void add_device_limits(Command& command, ServerOptions& options) {
  const Heading heading(command, limits_heading);
  http::Limits& limits = options.limits;
  command
      .option(
          "--max-body", "SIZE", size(options.max_body, limits.max_body),
          "Longest answer that is kept, packed or unpacked, at most 256 MiB; longer ones are passed on and withheld")
      .show_default();
  command.option("--connect-time", "SECONDS", seconds(limits.connect_time), "For connecting to the device: then 504")
      .show_default();
  command
      .option("--first-byte-time", "SECONDS", seconds(limits.first_byte_time),
              "For the device to begin its answer: then 504")
      .show_default();
  command
      .option("--stall-time", "SECONDS", seconds(limits.stall_time),
              "For the device to take more of a request or send more of an answer: then it is broken")
      .show_default();
  command
      .option("--answer-time", "SECONDS", seconds(limits.answer_time),
              "Between two events of a stream: then it is broken")
      .show_default();
}

http::Limits limits_of(const ServerOptions& options) {
  http::Limits limits = options.limits;
  limits.body_bytes = options.body_limit.value_or(std::min(limits.body_bytes, limits.buffer_bytes));
  limits.max_body = options.max_body.value_or(std::min(limits.max_body, limits.buffer_bytes));
  if (const auto fault = http::fault_in(limits)) throw UsageError(*fault);
  return limits;
}

}  // namespace tapedeck::cli
