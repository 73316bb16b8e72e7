#include "cli/running/control.h"

#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>
#include <thread>

#include "api/request_key.h"
#include "api/scope_name.h"
#include "cli/console/log.h"
#include "cli/console/usage_error.h"
#include "cli/running/spawn.h"
#include "journal/kept_record.h"

namespace tapedeck::cli {
namespace {

/// Opens the link in the browser, which may outlive this process. Returns false if there is no program to start.
bool open_in_browser(const std::string& link) {
  pid_t child = 0;
  if (start_program({{"xdg-open", link}, {}, -1, -1, -1, POSIX_SPAWN_SETSID}, child) != 0) return false;
  std::thread([child] { waitpid(child, nullptr, 0); }).detach();
  return true;
}

http::Endpoint control_endpoint(const std::string& given) {
  const std::string text = given.empty() ? "127.0.0.1:0" : given;
  const http::Endpoint endpoint = endpoint_of("--control", text);
  if (!endpoint.is_loopback()) {
    throw UsageError("--control " + text + ": the control API must use a loopback address");
  }
  return endpoint;
}

}  // namespace

std::unique_ptr<journal::Journal> make_journal(const ControlOptions& options) {
  if (!wants_control(options) && options.journal.empty()) return nullptr;
  journal::JournalOptions journal;
  journal.file = options.journal;
  if (wants_control(options)) journal.kept_bytes = inspector::most_kept_bytes;
  return std::make_unique<journal::Journal>(journal);
}

std::unique_ptr<inspector::ControlServer> start_control(const ControlOptions& options, inspector::Subject subject) {
  if (!wants_control(options)) return nullptr;
  const http::Endpoint endpoint = control_endpoint(options.control);
  try {
    return std::make_unique<inspector::ControlServer>(endpoint, std::move(subject), wants_page(options));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("--control " + options.control + ": " + error.what());
  }
}

void show_page(const ControlOptions& options, const inspector::ControlServer* server) {
  const std::string link = server == nullptr ? std::string() : server->page_link();
  if (link.empty()) return;
  std::cerr << "page: " << link << '\n';
  if (options.open && !open_in_browser(link)) {
    std::cerr << "tapedeck: cannot start a browser with xdg-open; open the page yourself: " << server->url() << '\n';
  }
}

void tell_control(const inspector::ControlServer* server, const ReadyFile& ready) {
  if (server == nullptr || ready.own_place().empty()) return;
  log::info("serving the control API at {}; the token is in {}", server->url(), ready.own_place());
}

ReadyValues with_control(ReadyValues values, const inspector::ControlServer* server) {
  if (server == nullptr) return values;
  values.emplace_back("control", server->url());
  values.emplace_back("token", server->token());
  if (const std::string link = server->page_link(); !link.empty()) values.emplace_back("ui", link);
  return values;
}

namespace {

/// Makes a scope's port close when its run ends.
void add_ports(inspector::ScopeCalls& calls, ScopePorts& ports) {
  calls.listen = [&ports](const api::ScopeName& scope, const std::string& where) { return ports.open(scope, where); };
  calls.result = [&ports, result = calls.result](const api::ScopeName& scope, bool ok) {
    ports.close(scope);
    result(scope, ok);
  };
}

}  // namespace

inspector::Subject replay_subject(const std::string& command, const Server& server, journal::Journal* journal,
                                  replay::ReplayHandler& handler, ScopePorts& ports) {
  inspector::Subject subject{command, server.url(), journal, &handler, {}, inspector::scope_calls(handler.scopes())};
  subject.cassettes = handler.cassettes();
  subject.counters = [&handler, &server] {
    const replay::ReplayStats stats = handler.stats();
    return std::vector<std::pair<std::string, std::uint64_t>>{{"recorded", stats.recorded},
                                                              {"overlay", stats.overlay},
                                                              {"derived", stats.derived},
                                                              {"builtin", stats.builtin},
                                                              {"fallback", stats.fallback},
                                                              {"miss", stats.misses},
                                                              {"distinct_misses", stats.distinct_misses},
                                                              {"out_of_order", stats.out_of_order},
                                                              {"out_of_scope", stats.out_of_scope},
                                                              {"past_end", stats.past_end},
                                                              {"refused", server.refused()}};
  };
  add_ports(subject.scopes, ports);
  return subject;
}

inspector::Subject record_subject(const Server& server, journal::Journal* journal, const proxy::Recorder& recorder,
                                  proxy::RecordingScopes& scopes, ScopePorts& ports, inspector::Recording recording) {
  inspector::Subject subject{
      "record", server.url(), journal, nullptr, {}, inspector::scope_calls(scopes), std::move(recording)};
  subject.counters = [&recorder, &server] {
    const proxy::RecorderStats stats = recorder.stats();
    return std::vector<std::pair<std::string, std::uint64_t>>{
        {"requests", stats.requests}, {"recorded", stats.recorded}, {"scrubbed", stats.scrubbed},
        {"withheld", stats.withheld}, {"broken", stats.broken},     {"not_recorded", stats.not_recorded},
        {"blocked", stats.blocked},   {"refused", server.refused()}};
  };
  add_ports(subject.scopes, ports);
  return subject;
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
  return entry;
}

}  // namespace tapedeck::cli
