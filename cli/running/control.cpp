#include "cli/running/control.h"

#include <iostream>
#include <stdexcept>

#include "api/request_key.h"
#include "api/scope_name.h"
#include "cli/console/log.h"
#include "cli/console/usage_error.h"
#include "journal/kept_request.h"
#include "proxy/recorder.h"
#include "proxy/secret_count.h"

namespace tapedeck::cli {
namespace {

http::Endpoint control_endpoint(const std::string& given) {
  const std::string text = given.empty() ? "127.0.0.1:0" : given;
  const http::Endpoint endpoint = endpoint_of("--control", text);
  if (!endpoint.is_loopback()) {
    throw UsageError("--control " + text + ": the control API must use a loopback address");
  }
  return endpoint;
}

}  // namespace

RunControl::RunControl(const ControlOptions& options, const std::string& ready_file, std::string command)
    : options_(options),
      command_(std::move(command)),
      ready_(ready_file, command_ != "exec" && wants_control(options)) {
  if (!wants_control(options) && options.journal.empty() && !options.verbose) return;
  journal::JournalOptions journal;
  journal.file = options.journal;
  if (wants_control(options)) journal.kept_bytes = inspector::most_kept_bytes;
  journal_ = std::make_unique<journal::Journal>(journal);
}

void RunControl::serve(inspector::Subject subject) {
  if (!wants_control(options_)) return;
  const http::Endpoint endpoint = control_endpoint(options_.control);
  try {
    server_ = std::make_unique<inspector::ControlServer>(endpoint, std::move(subject), options_.page);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("--control " + options_.control + ": " + error.what());
  }
}

void RunControl::prepare_ready_file(const std::string& url) {
  std::vector<std::pair<std::string, std::string>> values = {{"command", command_}};
  if (server_ != nullptr) {
    values.emplace_back("control", server_->url());
    values.emplace_back("token", server_->token());
    if (const std::string link = server_->page_link(); !link.empty()) values.emplace_back("page", link);
  }
  ready_.prepare(url, values);
}

void RunControl::announce() const {
  if (server_ == nullptr) return;
  if (const std::string path = ready_.own_place(); !path.empty()) {
    log::info("serving the control API at {}; the token is in {}", server_->url(), path);
  }
  const std::string link = server_->page_link();
  if (link.empty()) return;
  std::cerr << "page: " << link << '\n';
}

inspector::ScopeCalls with_ports(inspector::ScopeCalls calls, ScopePorts& ports) {
  calls.listen = [&ports](const api::ScopeName& scope, const std::string& where) { return ports.open(scope, where); };
  calls.result = [&ports, result = calls.result](const api::ScopeName& scope, bool ok) {
    ports.close(scope);
    result(scope, ok);
  };
  return calls;
}

inspector::Subject::Counts shown_counts(const proxy::SecretCount& secrets) {
  inspector::Subject::Counts counts;
  for (const auto& [secret_class, count] : secrets.by_class()) counts.emplace_back(to_string(secret_class), count);
  return counts;
}

std::shared_ptr<const journal::KeptRequest> kept_request(const proxy::RecordedLine& line) {
  if (line.shown == nullptr) return nullptr;
  return std::make_shared<const journal::KeptRequest>(journal::kept_of(*line.shown, line.body_bytes));
}

journal::JournalEntry journal_entry(const proxy::RecordedLine& line) {
  journal::JournalEntry entry;
  entry.key = line.key;
  const api::RequestKey key = api::RequestKey::parse(entry.key);
  if (key.is_call) {
    entry.api = key.api.full();
    entry.version = key.version;
    entry.method = key.method;
  } else {
    entry.verb = key.method;
  }
  if (!line.scope.empty()) {
    entry.scope = api::shown_scope(line.scope) + (line.run == 1 ? std::string() : "#" + std::to_string(line.run));
  }
  entry.outcome = !line.committed                                    ? "not recorded"
                  : line.completeness == api::Completeness::complete ? "recorded"
                                                                     : std::string(to_string(line.completeness));
  entry.status = line.status;
  entry.duration_us = line.microseconds;
  entry.bytes = line.body_bytes;
  if (line.shown != nullptr) entry.verb = line.shown->request.method;
  if (line.shown != nullptr && line.shown->session > 0) {
    entry.session = "session " + std::to_string(line.shown->session);
  }
  entry.reason = line.reason;
  entry.messages = line.messages;
  return entry;
}

}  // namespace tapedeck::cli
