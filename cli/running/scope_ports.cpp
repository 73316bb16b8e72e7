#include "cli/running/scope_ports.h"

#include <stdexcept>

namespace tapedeck::cli {

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
