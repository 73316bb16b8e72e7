#include "cli/options/server_options.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/options/heading.h"
#include "cli/options/whole_number.h"

namespace tapedeck::cli {
namespace {

using std::chrono::milliseconds;

constexpr const char* limits_heading = "Limits";

/// As people write it: "64 KiB".
std::string size_text(std::size_t bytes) {
  for (const auto& [unit, size] : {std::pair{" MiB", 1u << 20}, std::pair{" KiB", 1u << 10}}) {
    if (bytes >= size && bytes % size == 0) return std::to_string(bytes / size) + unit;
  }
  return std::to_string(bytes);
}

void add_size(CLI::App& command, const std::string& name, std::size_t& value, const std::string& what) {
  takes_no_sign(command.add_option(name, value, what)->transform(CLI::AsSizeValue(false).description("")))
      ->type_name("SIZE")
      ->default_str(size_text(value))
      ->group(limits_heading);
}

void add_body_size(CLI::App& command, const std::string& name, std::optional<std::size_t>& value, std::size_t usual,
                   const std::string& what) {
  takes_no_sign(command.add_option(name, value, what)->transform(CLI::AsSizeValue(false).description("")))
      ->type_name("SIZE")
      ->default_str(size_text(usual))
      ->group(limits_heading);
}

void add_seconds(CLI::App& command, const std::string& name, milliseconds& value, const std::string& what) {
  command
      .add_option_function<double>(
          name, [&value](double seconds) { value = milliseconds(static_cast<std::int64_t>(seconds * 1000)); }, what)
      ->check(CLI::Range(0.001, 86'400.0).description(""))
      ->type_name("SECONDS")
      ->default_str(fmt::format("{:g}", static_cast<double>(value.count()) / 1000))
      ->group(limits_heading);
}

void add_limits(CLI::App& command, ServerOptions& options) {
  http::Limits& limits = options.limits;
  add_size(command, "--head-limit", limits.head_bytes, "Longest request head: more is 431");
  takes_whole_number(
      command.add_option("--header-lines", limits.header_lines, "Most header lines of a request: more is 431"))
      ->type_name("N")
      ->capture_default_str()
      ->group(limits_heading);
  add_size(command, "--target-limit", limits.target_bytes, "Longest request target: more is 414");
  add_body_size(command, "--body-limit", options.body_limit, limits.body_bytes,
                command.get_name() == "record"
                    ? "Longest request body that is kept; a longer one is passed on and withheld"
                    : "Longest request body, at most --buffer: more is 413");
  add_size(command, "--buffer", limits.buffer_bytes, "All buffers together");
  takes_whole_number(command.add_option("--connections", limits.connections, "Connections at once: more get 503"))
      ->type_name("N")
      ->capture_default_str()
      ->group(limits_heading);
  add_seconds(command, "--head-time", limits.head_time, "For a request's head: then 408");
  add_seconds(command, "--body-time", limits.body_time, "Between two pieces of a request's body: then 408");
  add_seconds(command, "--write-time", limits.write_time, "For a client to take an answer");
  add_seconds(command, "--idle-time", limits.idle_time, "For a connection without a request");
}

}  // namespace

void add_server_options(CLI::App& command, ServerOptions& options) {
  const Heading heading(command, headings::listening);
  command.add_option("--listen", options.listen, "Address to listen on, [::1]:8080 too; port 0 takes any free one")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command
      .add_option("--ready-file", options.ready_file,
                  "Written once it accepts, mode 0600: the base URL, then name=value lines")
      ->type_name("PATH");
  command.add_flag("--allow-remote", options.allow_remote, "Allow an address that is not loopback");
  command.add_option("--allow-host", options.allow_hosts, "Also serve requests for this Host name; * for any")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_option("--cors", options.cors, "Let pages of this origin read the answers; * for any, also as port")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  auto* serve =
      command.add_option("--serve", options.serve, "Serve the files of a folder beside the API")->type_name("DIR");
  command
      .add_option("--serve-fallback", options.serve_fallback,
                  "Serve this file of it where a browser goes to a path that is none: for single-page applications")
      ->type_name("FILE")
      ->needs(serve);
  auto* cert = command.add_option("--tls-cert", options.tls_cert, "Serve https with this certificate chain (PEM)")
                   ->type_name("FILE");
  command.add_option("--tls-key", options.tls_key, "The certificate's private key (PEM)")->type_name("FILE");
  command.add_flag("--tls", options.tls, "Serve https with a self-signed certificate, made once and kept")
      ->excludes(cert);
  add_limits(command, options);
}

void add_device_limits(CLI::App& command, ServerOptions& options) {
  http::Limits& limits = options.limits;
  add_body_size(
      command, "--max-body", options.max_body, limits.max_body,
      "Longest answer that is kept, packed or unpacked, at most 256 MiB; longer ones are passed on and withheld");
  add_seconds(command, "--connect-time", limits.connect_time, "For connecting to the device: then 504");
  add_seconds(command, "--first-byte-time", limits.first_byte_time, "For the device to begin its answer: then 504");
  add_seconds(command, "--stall-time", limits.stall_time,
              "For the device to take more of a request or send more of an answer: then it is broken");
  add_seconds(command, "--answer-time", limits.answer_time, "Between two events of a stream: then it is broken");
}

http::Limits limits_of(const ServerOptions& options) {
  http::Limits limits = options.limits;
  limits.body_bytes = options.body_limit.value_or(std::min(limits.body_bytes, limits.buffer_bytes));
  limits.max_body = options.max_body.value_or(std::min(limits.max_body, limits.buffer_bytes));
  if (const auto fault = http::fault_in(limits)) throw UsageError(*fault);
  return limits;
}

}  // namespace tapedeck::cli
