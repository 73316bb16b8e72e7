#include "cli/running/device_side.h"
#include "cli/running/control.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/running/ending.h"
#include "replay/replay_handler.h"

namespace tapedeck::cli {
namespace {

/// Returns the stored names of the scopes that contain a call that changes the device.
std::set<std::string> scopes_that_write(const std::vector<std::string>& cassettes) {
  std::set<std::string> names;
  for (const std::string& path : cassettes) {
    cassettes::CassetteReader(path).list([&names](const cassettes::ListedInteraction& line) {
      if (line.effect == api::Effect::write && !line.scope.empty()) names.insert(line.scope);
      return true;
    });
  }
  return names;
}

std::set<std::string> stored_scopes(const std::vector<std::string>& cassettes) {
  std::set<std::string> names;
  for (const std::string& path : cassettes) {
    cassettes::CassetteReader(path).scopes([&names](const cassettes::ScopeTake& scope) {
      names.insert(scope.name);
      return true;
    });
  }
  return names;
}

/// Matches `*` with any text. Other characters are literal, because test names contain brackets.
bool fits_pattern(const std::string& pattern, const std::string& text) {
  std::string escaped;
  for (const char c : pattern) {
    if (c == '[' || c == '?' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fnmatch(escaped.c_str(), text.c_str(), 0) == 0;
}

/// Replaces each name that contains `*`, and that no scope has literally, by the scopes that it matches.
std::vector<api::ScopeName> without_patterns(const std::vector<api::ScopeName>& names,
                                             const std::vector<std::string>& cassettes) {
  const auto is_pattern = [](const api::ScopeName& one) { return one.name.find('*') != std::string::npos; };
  if (std::none_of(names.begin(), names.end(), is_pattern)) return names;
  std::set<std::string> there;
  for (const std::string& stored : stored_scopes(cassettes)) there.insert(api::shown_scope(stored));
  std::vector<api::ScopeName> all;
  for (const api::ScopeName& one : names) {
    const std::size_t before = all.size();
    const bool is_name = !is_pattern(one) || there.contains(one.text());
    for (const std::string& shown : there) {
      const auto scope = api::ScopeName::parse(shown);
      if (!is_name && scope && fits_pattern(one.text(), shown)) all.push_back(*scope);
    }
    if (all.size() == before) all.push_back(one);
  }
  return all;
}

/// Warns if --rerecord may not have the intended effect. Closes the cassettes again.
void warn_of_scopes(const DeviceSideOptions& options, const std::vector<std::string>& cassettes) {
  if (options.rerecord.empty()) return;
  const std::set<std::string> there = stored_scopes(cassettes);
  const std::set<std::string> writing = options.allow_writes ? std::set<std::string>() : scopes_that_write(cassettes);
  for (const api::ScopeName& scope : options.rerecord) {
    const auto is_meant = [&scope](const std::string& stored) {
      return stored == scope.name || api::shown_scope(stored) == scope.text();
    };
    if (std::none_of(there.begin(), there.end(), is_meant)) {
      log::warn("--rerecord {}: no cassette contains this scope", printable(scope.text()));
    }
    if (std::any_of(writing.begin(), writing.end(), is_meant)) {
      log::warn(
          "scope {} contains requests that change the device; without --allow-writes they get error 105 and the scope "
          "is not kept",
          printable(scope.text()));
    }
  }
}

}  // namespace

RecordingOptions recording_options(RecordingOptions options, const ReplayCommandOptions& command) {
  options.rules = command.rules;
  options.private_values = command.private_values;
  options.limits = limits_of(command.server);
  options.strict_scan = command.strict.has("suspect");
  return options;
}

DeviceSide::DeviceSide(DeviceSideOptions options, ReplayCommandOptions replay, const std::string& command)
    : options_(std::move(options)), default_scope_(replay.replay.scope), recording_(options_.recording) {
  const std::string& cassette = options_.recording.cassette;
  replay.threads = 1;  // a recorder has one loop
  replay.replay.end = this;
  replay.device_origin = recording_.relay().device.origin();
  std::erase_if(replay.replay.cassettes, [&](const std::string& path) {
    return !options_.plays || (path == cassette && !std::filesystem::exists(path));
  });
  options_.rerecord = without_patterns(options_.rerecord, replay.replay.cassettes);
  replay.replay.rerecord = options_.rerecord;
  warn_of_scopes(options_, replay.replay.cassettes);
  run_ = std::make_unique<ReplayRun>(
      replay, command,
      [this](inspector::Subject& subject, const replay::ReplayHandler& handler) { steer(subject, handler); });
  // A signal during the start is noted and ends the run once it is served, so that no file remains.
  Server& server = run_->server();
  if (options_.ends_on_signals) end_on_signals(server.main_loop(), [this] { shut_down(); });
  RecordingRun::Start start{server.main_loop(), server.tls(), run_->control().journal()};
  start.checks_device = !options_.plays;
  start.end = [this] { shut_down(); };
  start.blocked_in = [this](const api::ScopeName& scope) { blocked_in(scope); };
  recording_.start(std::move(start));
  recording_.begin();
  recording_.scopes().set_default(default_scope_);
  is_begun_ = true;
  log::info("forwarding unrecorded requests to {}{} and recording them into {}", recording_.relay().device.origin(),
            recording_.relay().device.path, printable(cassette));
}

DeviceSide::~DeviceSide() { run_->control().end(); }

/// Adds the recording to the control API, which is available before the recording begins.
void DeviceSide::steer(inspector::Subject& subject, const replay::ReplayHandler& handler) {
  subject.scopes = scope_calls(std::move(subject.scopes), handler);
  if (subject.command != "record") return;  // `exec` ends with its command
  subject.recording.mark = [this](const std::string& name) {
    if (is_begun_) recording_.mark(name);
  };
  subject.recording.finish = [this] {
    if (is_begun_) shut_down();
  };
  subject.recording.learned = [this] { return shown_counts(recording_.secrets()); };
  subject.counters = [this, played = std::move(subject.counters)] {
    auto counters = played();
    const proxy::RecorderStats stats = is_begun_ ? recording_.stats() : proxy::RecorderStats();
    counters.insert(counters.end(), {{"stored", stats.recorded},
                                     {"withheld", stats.withheld},
                                     {"broken", stats.broken},
                                     {"not_recorded", stats.not_recorded},
                                     {"blocked", stats.blocked}});
    return counters;
  };
}

/// Does not report replayed scopes to the recorder, because it would store an empty scope.
inspector::ScopeCalls DeviceSide::scope_calls(inspector::ScopeCalls played, const replay::ReplayHandler& handler) {
  inspector::ScopeCalls calls = played;
  const auto is_recorded = [&handler](const api::ScopeName& scope) { return !handler.plays_scope(scope.name); };
  calls.next_run = [this, next = played.next_run](const std::string& name) {
    recording_.scopes().expect_results();
    return next(name);
  };
  calls.clock_us = [this, is_recorded, clock = played.clock_us](const std::optional<api::ScopeName>& scope) {
    const std::optional<api::ScopeName>& named = scope ? scope : default_scope_;
    const bool is_live = named ? is_recorded(*named) : !options_.plays;
    return is_live ? base::now_us() : clock(scope);
  };
  calls.result = [this, is_recorded, result = played.result](const api::ScopeName& scope, bool ok) {
    result(scope, ok);
    has_results_ = true;
    if (!is_recorded(scope)) return;
    recording_.scopes().result(scope, ok);
    if (!ok) log::info("scope {} failed and is not kept", printable(recording_.scopes().shown(scope)));
  };
  return calls;
}

/// Discards a scope in which a write was blocked. It would be incomplete, and replay would miss the rest.
void DeviceSide::blocked_in(const api::ScopeName& scope) {
  if (!blocked_.insert(scope.text()).second) return;
  recording_.scopes().drop(scope);
  log::warn(
      "scope {} is not kept, because a request that changes the device was not forwarded; use --allow-writes to "
      "forward it",
      printable(recording_.scopes().shown(scope)));
}

void DeviceSide::handle(std::shared_ptr<http::Exchange> exchange, const replay::RequestContext& context) {
  const auto scope = context.scope_run() ? api::ScopeName::parse(*context.run().text) : std::nullopt;
  recording_.recorder().handle_in(scope, std::move(exchange));
}

void DeviceSide::shut_down() {
  run_->server().main_loop().post([this] { recording_.shut_down(); });
  run_->shut_down();
}

int DeviceSide::finish(bool keep, const Strict& strict, RecordingRun::Unreported unreported) {
  run_->control().end();
  return recording_.finish(keep && !recording_.has_failed(), true, strict, run_->server().refused(), unreported);
}

}  // namespace tapedeck::cli
