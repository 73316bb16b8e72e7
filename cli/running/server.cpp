#include "cli/running/server.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <future>
#include <set>
#include <span>
#include <stdexcept>

#include "base/joined_thread.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/certificate_pins.h"

namespace tapedeck::cli {
namespace {

constexpr std::chrono::milliseconds closing_grace{900};

http::Endpoint listen_endpoint(const ServerOptions& options) {
  const http::Endpoint endpoint = endpoint_of("--listen", options.listen);
  if (!endpoint.is_loopback() && !options.allow_remote) {
    throw UsageError("--listen " + options.listen +
                     ": not a loopback address, so other machines may be able to reach it\n"
                     "hint: add --allow-remote to allow it");
  }
  return endpoint;
}

std::optional<http::ServerTls> server_tls(const ServerOptions& options, const std::string& host) {
  if (options.tls_cert.empty() != options.tls_key.empty())
    throw UsageError("--tls-cert and --tls-key must be used together");
  if (!options.tls_cert.empty()) return http::ServerTls{options.tls_cert, options.tls_key};
  if (!options.tls) return std::nullopt;
  return http::self_signed(state_path("tls"), host);  // stored, so that clients need to trust it only once
}

http::GateOptions gate_options(const ServerOptions& options, const http::Endpoint& endpoint) {
  http::GateOptions gate{endpoint, options.allow_hosts, {}, {}, {}};
  for (const std::string& origin : options.cors) {
    try {
      gate.cors.push_back(http::OriginPattern::parse(origin));
    } catch (const std::invalid_argument& error) {
      throw UsageError("--cors " + origin + ": the value " + error.what());
    }
  }
  return gate;
}

/// Logs each reason once if it contains advice.
std::function<void(std::string_view)> refusal_log() {
  struct Seen {
    std::mutex mutex;
    std::set<std::string, std::less<>> reasons;
  };
  return [seen = std::make_shared<Seen>()](std::string_view why) {
    if (why.find("--") == std::string_view::npos && why.find("no forward proxy") == std::string_view::npos) return;
    const std::lock_guard lock(seen->mutex);
    if (seen->reasons.emplace(why).second) log::warn("refused: {}", why);
  };
}

void log_failure(std::string_view what) {
  log::error("internal error: a request has no response: {}", printable(std::string(what)));
}

std::vector<std::unique_ptr<http::EventLoop>> make_loops(unsigned count) {
  std::vector<std::unique_ptr<http::EventLoop>> loops;
  for (unsigned i = 0; i < count; ++i) loops.push_back(std::make_unique<http::EventLoop>());
  return loops;
}

}  // namespace

struct Server::DeferredHandler : http::Handler {
  void handle(std::shared_ptr<http::Exchange> exchange) override { handler->handle(std::move(exchange)); }
  http::Handler* handler = nullptr;  ///< set before the loops run
};

Server::Server(const ServerOptions& options, unsigned threads, bool streams_bodies)
    : loops_(make_loops(threads)),
      handler_(std::make_unique<DeferredHandler>()),
      limits_(limits_of(options)),
      streams_bodies_(streams_bodies) {
  if (streams_bodies) limits_.body_bytes = std::min(limits_.body_bytes, limits_.max_body);  // as much as can be stored
  const http::Endpoint endpoint = listen_endpoint(options);
  tls_ = server_tls(options, endpoint.host);
  http::Handler* first = handler_.get();
  if (!options.serve.empty()) {
    files_ = std::make_unique<http::StaticFiles>(options.serve, *first);
    first = files_.get();
  }
  http::GateOptions gate = gate_options(options, endpoint);
  if (files_) gate.is_page = [this](const http::Request& request) { return files_->answers(request); };
  gate.on_refused = [this](const http::Request& request, const std::string& line, bool is_new) {
    if (is_new) log::warn("refused: {}", printable(line));
    if (on_refused_) on_refused_(request, line, is_new);
  };
  gate_ = std::make_unique<http::Gate>(std::move(gate), *first);
  try {
    listener_ = std::make_unique<http::Listener>(
        loops_, http::ListenerOptions{endpoint, limits_, tls_, streams_bodies, {}, refusal_log(), log_failure}, *gate_);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(error.what()) + "\nhint: --listen chooses another address; port 0 is free");
  }
  if (tls_ && options.tls) {
    log::info("serving https with {} (SHA-256 fingerprint {})", tls_->cert_file,
              http::certificate_fingerprint(tls_->cert_file));
  }
}

Server::~Server() = default;

void Server::set_handler(http::Handler& handler) { handler_->handler = &handler; }

std::string Server::url() const { return url_of(*listener_); }

std::string Server::url_of(const http::Listener& listener) const {
  return (tls_ ? "https://" : "http://") + listener.local().to_string();
}

std::shared_ptr<http::Listener> Server::listen_too(const http::Endpoint& endpoint, const http::Headers& lines) {
  using Made = std::shared_ptr<http::Listener>;
  const auto promise = std::make_shared<std::promise<Made>>();
  std::future<Made> made = promise->get_future();
  main_loop().post([this, promise, endpoint, lines] {
    try {
      if (closing_) throw std::runtime_error("the server is stopping");
      const std::span<const std::unique_ptr<http::EventLoop>> first(loops_.data(), 1);
      const http::ListenerOptions options{endpoint, limits_, tls_, streams_bodies_, lines, refusal_log(), log_failure};
      others_.push_back(std::make_shared<http::Listener>(first, options, *gate_));
      promise->set_value(others_.back());
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
  });
  if (made.wait_for(std::chrono::seconds(5)) != std::future_status::ready) {
    throw std::runtime_error("the server is not running");
  }
  return made.get();
}

void Server::close(std::shared_ptr<http::Listener> listener) {
  main_loop().post([this, listener] {
    // The callback is kept until the listener is closed, and must not keep the listener alive: the loop may end first.
    const std::weak_ptr<http::Listener> closed = listener;
    listener->shut_down(closing_grace, [this, closed] { std::erase(others_, closed.lock()); });
  });
}

void Server::run() {
  const auto serve = [this](http::EventLoop& loop) {
    for (bool has_ended = false; !has_ended;) {
      try {
        loop.run();
        has_ended = true;
      } catch (const std::exception& error) {
        log_failure(error.what());
      } catch (...) {
        log_failure("unknown error");
      }
    }
    for (const auto& one : loops_) one->stop();  // the loops run together or not at all
  };
  std::vector<base::JoinedThread> others;
  for (std::size_t i = 1; i < loops_.size(); ++i) others.emplace_back([&serve, &loop = *loops_[i]] { serve(loop); });
  serve(main_loop());
  others.clear();
  if (const auto count = refused(); count > 0) {
    log::warn("refused {} requests because of their Host or Origin", count);
  }
}

void Server::shut_down(std::function<void()> closed) {
  if (closing_) return;
  closing_ = true;
  for (const auto& other : others_) other->shut_down(closing_grace, [] {});
  listener_->shut_down(closing_grace, [this, done = std::move(closed)] {
    if (done) done();
    main_loop().stop();
  });
}

std::string ScopePorts::open(const api::ScopeName& scope, const std::string& where) {
  const http::Endpoint endpoint = http::Endpoint::parse(where);
  if (!endpoint.is_loopback()) throw std::invalid_argument("the port of a scope must use a loopback address");
  const std::lock_guard lock(mutex_);
  if (ports_.size() >= most_ports) throw std::runtime_error("too many scopes have their own ports");
  if (const auto open = ports_.find(scope.text()); open != ports_.end()) {
    server_.close(std::move(open->second));
    ports_.erase(open);
  }
  const auto port = server_.listen_too(endpoint, {{std::string(api::port_scope_header), scope.text()}});
  ports_.emplace(scope.text(), port);
  return server_.url_of(*port);
}

void ScopePorts::close(const api::ScopeName& scope) {
  const std::lock_guard lock(mutex_);
  const auto open = ports_.find(scope.text());
  if (open == ports_.end()) return;
  server_.close(std::move(open->second));
  ports_.erase(open);
}

}  // namespace tapedeck::cli
