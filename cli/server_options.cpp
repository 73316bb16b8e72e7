#include "cli/server_options.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include "base/descriptor.h"
#include "cli/command.h"

namespace tapedeck::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds closing_grace{900};

void add_size(CLI::App& command, const std::string& name, std::size_t& value, const std::string& what) {
  command.add_option(name, value, what)->transform(CLI::AsSizeValue(false))->type_name("BYTES")->capture_default_str();
}

void add_body_size(CLI::App& command, const std::string& name, std::optional<std::size_t>& value, std::size_t usual,
                   const std::string& what) {
  command.add_option(name, value, what)
      ->transform(CLI::AsSizeValue(false))
      ->type_name("BYTES")
      ->default_str(std::to_string(usual));
}

void add_seconds(CLI::App& command, const std::string& name, milliseconds& value, const std::string& what) {
  command
      .add_option_function<double>(
          name, [&value](double seconds) { value = milliseconds(static_cast<std::int64_t>(seconds * 1000)); }, what)
      ->check(CLI::Range(0.001, 86'400.0))
      ->type_name("SECONDS")
      ->default_str(fmt::format("{:g}", static_cast<double>(value.count()) / 1000));
}

void add_limits(CLI::App& command, ServerOptions& options) {
  http::Limits& limits = options.limits;
  add_size(command, "--head-limit", limits.head_bytes, "Longest request head: more is 431");
  command.add_option("--header-lines", limits.header_lines, "Most header lines of a request: more is 431")
      ->capture_default_str();
  add_size(command, "--target-limit", limits.target_bytes, "Longest request target: more is 414");
  add_body_size(command, "--body-limit", options.body_limit, limits.body_bytes, "Longest request body: more is 413");
  add_size(command, "--buffer", limits.buffer_bytes, "All buffers together");
  command.add_option("--connections", limits.connections, "Connections at once: more get 503")->capture_default_str();
  add_seconds(command, "--head-time", limits.head_time, "For a request's head: then 408");
  add_seconds(command, "--body-time", limits.body_time, "For a request's body: then 408");
  add_seconds(command, "--write-time", limits.write_time, "For a client to take an answer");
  add_seconds(command, "--idle-time", limits.idle_time, "For a connection without a request");
}

http::Endpoint listen_endpoint(const ServerOptions& options) {
  http::Endpoint endpoint;
  try {
    endpoint = http::Endpoint::parse(options.listen);
  } catch (const std::invalid_argument& error) {
    throw UsageError("--listen: " + std::string(error.what()));
  }
  if (!endpoint.is_loopback() && !options.allow_remote) {
    throw UsageError(
        "--listen " + options.listen +
        " is not a loopback address, so other machines could reach it; add --allow-remote if that is wanted");
  }
  return endpoint;
}

/// Where a self-signed certificate is kept, so that clients may trust it once and for all.
std::string tls_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/tapedeck/tls";
  }
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "/tmp") + "/.local/state/tapedeck/tls";
}

std::optional<http::ServerTls> server_tls(const ServerOptions& options, const std::string& host) {
  if (options.tls_cert.empty() != options.tls_key.empty()) throw UsageError("--tls-cert and --tls-key go together");
  if (!options.tls_cert.empty()) return http::ServerTls{options.tls_cert, options.tls_key};
  if (!options.tls) return std::nullopt;
  return http::self_signed(tls_folder(), host);
}

[[noreturn]] void fail_ready_file(const std::string& path) {
  const int error = errno;
  throw std::runtime_error("cannot write the ready file " + path + ": " + std::strerror(error));
}

std::vector<std::unique_ptr<http::EventLoop>> make_loops(unsigned count) {
  std::vector<std::unique_ptr<http::EventLoop>> loops;
  for (unsigned i = 0; i < count; ++i) loops.push_back(std::make_unique<http::EventLoop>());
  return loops;
}

}  // namespace

void add_server_options(CLI::App& command, ServerOptions& options) {
  command.add_option("--listen", options.listen, "Address to listen on; port 0 takes any free one")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command
      .add_option("--ready-file", options.ready_file, "Written once it accepts: the base URL, then name=value lines")
      ->type_name("PATH");
  command.add_flag("--allow-remote", options.allow_remote, "Allow an address that is not loopback");
  command.add_option("--allow-host", options.allow_hosts, "Also serve requests for this Host name; * for any")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_option("--cors", options.cors, "Let pages of this origin read the answers; * for any")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  command.add_option("--serve", options.serve, "Serve the files of a folder beside the API")->type_name("DIR");
  auto* cert = command.add_option("--tls-cert", options.tls_cert, "Serve https with this certificate chain (PEM)")
                   ->type_name("FILE");
  command.add_option("--tls-key", options.tls_key, "The certificate's private key (PEM)")->type_name("FILE");
  command.add_flag("--tls", options.tls, "Serve https with a self-signed certificate, made once and kept")
      ->excludes(cert);
  add_limits(command, options);
}

void add_device_limits(CLI::App& command, ServerOptions& options) {
  http::Limits& limits = options.limits;
  add_body_size(command, "--max-body", options.max_body, limits.max_body,
                "Longest answer that is kept; longer ones are passed on and withheld");
  add_seconds(command, "--connect-time", limits.connect_time, "For connecting to the device: then 504");
  add_seconds(command, "--first-byte-time", limits.first_byte_time, "For the device to begin its answer: then 504");
  add_seconds(command, "--stall-time", limits.stall_time, "Between two pieces of an answer: then it is broken");
  add_seconds(command, "--answer-time", limits.answer_time, "For a whole answer: then it is broken");
}

http::Limits limits_of(const ServerOptions& options) {
  http::Limits limits = options.limits;
  limits.body_bytes = options.body_limit.value_or(std::min(limits.body_bytes, limits.buffer_bytes));
  limits.max_body = options.max_body.value_or(std::min(limits.max_body, limits.buffer_bytes));
  if (const auto fault = http::fault_in(limits)) throw UsageError(*fault);
  return limits;
}

ReadyFile::~ReadyFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

void ReadyFile::write(const std::string& path, const std::string& url,
                      const std::vector<std::pair<std::string, std::string>>& values) {
  if (path.empty()) return;
  std::string text = url + "\n";
  for (const auto& [name, value] : values) text += name + "=" + value + "\n";
  if (!base::replace_file(path, text, 0600)) fail_ready_file(path);
  path_ = path;
}

struct Server::Late : http::Handler {
  void handle(std::shared_ptr<http::Exchange> exchange) override { handler->handle(std::move(exchange)); }
  http::Handler* handler = nullptr;  ///< set before the loops run
};

Server::Server(const ServerOptions& options, unsigned threads)
    : loops_(make_loops(threads)), late_(std::make_unique<Late>()) {
  const http::Limits limits = limits_of(options);
  const http::Endpoint endpoint = listen_endpoint(options);
  tls_ = server_tls(options, endpoint.host);
  http::Handler* first = late_.get();
  if (!options.serve.empty()) {
    try {
      files_ = std::make_unique<http::StaticFiles>(options.serve, *first);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
    first = files_.get();
  }
  gate_ = std::make_unique<http::Gate>(http::GateOptions{endpoint, options.allow_hosts, options.cors}, *first);
  listener_ = std::make_unique<http::Listener>(loops_, http::ListenerOptions{endpoint, limits, tls_}, *gate_);
  if (tls_ && options.tls) {
    spdlog::info("serving https with {} (SHA-256 fingerprint {})", tls_->cert_file,
                 http::certificate_fingerprint(tls_->cert_file));
  }
}

Server::~Server() = default;

void Server::set_handler(http::Handler& handler) { late_->handler = &handler; }

std::string Server::url() const { return (tls_ ? "https://" : "http://") + listener_->local().to_string(); }

void Server::run() {
  malloc_trim(0);  // a server keeps little of what its start took
  std::mutex mutex;
  std::exception_ptr failure;  // guarded by mutex
  const auto serve = [&](http::EventLoop& loop) {
    try {
      loop.run();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
    for (const auto& one : loops_) one->stop();  // none goes on without the others
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < loops_.size(); ++i) others.emplace_back([&serve, &loop = *loops_[i]] { serve(loop); });
  serve(main_loop());
  others.clear();
  if (failure) std::rethrow_exception(failure);
}

void Server::shut_down(std::function<void()> closed) {
  if (closing_) return;
  closing_ = true;
  listener_->shut_down(closing_grace, [this, done = std::move(closed)] {
    if (done) done();
    main_loop().stop();
  });
}

}  // namespace tapedeck::cli
