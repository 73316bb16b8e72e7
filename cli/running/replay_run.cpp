#include "cli/running/replay_run.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "api/request_key.h"
#include "base/shell_word.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "journal/refused_entry.h"
#include "replay/replay_handler.h"
#include "scrubbers/own_text.h"

namespace tapedeck::cli {
namespace {

constexpr std::size_t most_kept = 1'000;  // of each kind
/// The interval between two checks of the cassette files. The first check comes this long after the start, so that it
/// does not delay the start.
constexpr std::chrono::milliseconds watch_period{200};

/// Returns true for logins and API.Info, which clients repeat at will and which have no position in a sequence.
bool has_no_turn(const std::string& key_text) {
  const api::RequestKey key = api::RequestKey::parse(key_text);
  return key.is_call && (key.api.rest == "API.Info" || (key.api.rest == "API.Auth" && key.method == "login"));
}

/// Returns the command that records into the cassettes of this one.
replay::RecordingCommand recording_command(const std::string& command, const ReplayCommandOptions& options) {
  const bool is_exec = command == "exec";
  std::string cassettes, given;
  for (const std::string& path : options.replay.cassettes) {
    if (!cassettes.empty() && !is_exec) break;  // `record` has one
    cassettes += (cassettes.empty() ? "" : " ") + base::shell_word(path);
  }
  const auto add = [&given](const std::string& option, const std::string& value) {
    if (!value.empty()) given += " " + option + " " + base::shell_word(value);
  };
  add("--config", options.rules.config);
  add("--private-key", options.private_values.key_file);
  for (const std::string& name : options.replay.bind_params) add("--bind", name);
  return {(is_exec ? "tapedeck exec" : "tapedeck record") + given, cassettes + (is_exec ? " -- COMMAND" : "")};
}

/// `guards`: a device is behind, so a value may turn out to be a secret later. `with_hint`: the report that follows has
/// no hints.
void log_notice(const replay::Notice& notice, bool guards, bool with_hint) {
  using Kind = replay::Notice::Kind;
  static const std::map<Kind, std::pair<log::Level, const char*>> forms = {
      {Kind::miss, {log::Level::warning, "{}"}},
      {Kind::fallback, {log::Level::info, "fallback: {}"}},
      {Kind::order,
       {log::Level::warning,
        "out of order: {}: before this response, the recorded client made a write or received another response to this "
        "request, and this client did not"}},
      {Kind::scope, {log::Level::info, "scope: {}"}},
      {Kind::builtin_error, {log::Level::info, "built-in error: {}"}},
      {Kind::past_end, {log::Level::info, "past the end of its sequence: {}"}},
      {Kind::account, {log::Level::warning, "may belong to another account: {}"}},
      {Kind::messages, {log::Level::warning, "{}"}},
      {Kind::derived, {log::Level::info, "derived: {}"}},
      {Kind::builtin_effect, {log::Level::info, "derived: {}"}}};
  const auto& [level, form] = forms.at(notice.kind);
  replay::Notice shown = notice;
  const std::size_t key = guards ? shown.text.find(shown.key) : std::string::npos;
  if (key != std::string::npos) shown.text.replace(key, shown.key.size(), scrubbers::guarded_key(shown.key));
  log::write(level, fmt::format(fmt::runtime(form), printable(notice_line(shown))));
  if (with_hint && !notice.hint.empty()) log::info("hint: {}", printable(notice.hint));
}

}  // namespace

ReplayRun::ReplayRun(const ReplayCommandOptions& options, std::string command, const ChangeSubject& change_subject)
    : has_cassettes_(!options.replay.cassettes.empty()),
      played_(has_cassettes_                            ? "recorded responses"
              : options.replay.simulated_device.empty() ? "built-in responses"
                                                        : "a simulated NAS, because no cassette is given,"),
      control_(options.control, options.server.ready_file, std::move(command)),
      server_(options.server, options.threads, options.replay.end != nullptr),
      handler_(std::make_unique<replay::ReplayHandler>(handling(options), options.threads)) {
  for (const std::string& warning : handler_->warnings()) log::warn("{}", printable(warning));
  server_.set_handler(*handler_);
  server_.on_refused([this](const http::Request& request, const std::string& line, bool is_new) {
    if (control_.journal() != nullptr) control_.journal()->add(journal::refused_entry(request, line));
    const std::lock_guard lock(mutex_);
    if (is_new) refusals_.push_back(line);
  });
  if (control_.command() == "replay" && !options.replay.overlay_files.empty()) watch_overlays();
  if (options.control.verbose) watch_requests();
  inspector::Subject subject = this->subject();
  subject.device = options.device_origin;
  if (change_subject) change_subject(subject, *handler_);
  control_.serve(std::move(subject));
}

ReplayRun::~ReplayRun() {
  stop_watching();  // before the members that it uses
  control_.end();
}

inspector::Subject ReplayRun::subject() {
  inspector::Subject subject{control_.command(),
                             server_.url(),
                             control_.journal(),
                             handler_.get(),
                             [this] {
                               const replay::ReplayStats stats = handler_->stats();
                               return inspector::Subject::Counts{{"recorded", stats.recorded},
                                                                 {"overlay", stats.overlay},
                                                                 {"derived", stats.derived},
                                                                 {"builtin", stats.builtin},
                                                                 {"fallback", stats.fallback},
                                                                 {"miss", stats.misses},
                                                                 {"distinct_misses", stats.distinct_misses},
                                                                 {"out_of_order", stats.out_of_order},
                                                                 {"out_of_scope", stats.out_of_scope},
                                                                 {"past_end", stats.past_end},
                                                                 {"other_accounts", stats.account_guesses},
                                                                 {"other_messages", stats.other_messages},
                                                                 {"refused", server_.refused()}};
                             },
                             with_ports(inspector::scope_calls(*handler_), ports_)};
  subject.cassettes = handler_->cassettes();
  return subject;
}

replay::ReplayOptions ReplayRun::handling(const ReplayCommandOptions& options) {
  replay::ReplayOptions replay = handler_options(options, server_.tls());
  replay.recording_command = recording_command(control_.command(), options);
  replay.journal = control_.journal();
  replay.counts_use = options.strict.has("unused") || options.strict.has("unfinished");
  replay.on_notice = [this, guards = replay.end != nullptr](const replay::Notice& notice) {
    log_notice(notice, guards, control_.command() != "exec");
    const std::lock_guard lock(mutex_);
    auto& kept = notices_[notice.kind];
    if (kept.size() < most_kept) kept.push_back(notice);
  };
  replay.on_warning = [](const std::string& line) { log::warn("{}", printable(line)); };
  replay.on_failure = [this](const std::string& line) { damaged(line); };
  return replay;
}

void ReplayRun::watch_overlays() {
  constexpr std::chrono::milliseconds period{200};
  server_.main_loop().every(period, [this] {
    if (const auto line = handler_->overlays().look_again()) {
      log::info("{}", printable(*line));
    }
    return true;
  });
}

void ReplayRun::watch_requests() {
  constexpr std::chrono::milliseconds period{50};
  logs_requests_ = true;
  server_.main_loop().every(period, [this] {
    log_requests();
    return true;
  });
}

void ReplayRun::log_requests() {
  constexpr std::size_t at_once = 1'000;
  for (const journal::JournalLine& line : control_.journal()->entries(logged_ + 1, at_once)) {
    const std::string reason = line->reason.empty() ? "" : ": " + line->reason;
    log::info("{} {} {}{}", line->outcome, line->status, printable(line->key), printable(reason));
    logged_ = line->number;
  }
}

/// Runs on its own thread, because opening and checking a large cassette takes time and requests must not wait for it.
void ReplayRun::watch_cassettes() {
  const bool watches = control_.command() == "replay";  // other commands keep the cassettes that they opened
  while (!has_watched_enough_) {
    if (watches) {
      for (const std::string& line : handler_->look_again()) log::info("{}", printable(line));
    }
    check_large_cassettes();
    if (!watches) return;
    std::unique_lock lock(watch_mutex_);
    watch_ends_.wait_for(lock, watch_period, [this] { return has_watched_enough_.load(); });
  }
}

void ReplayRun::stop_watching() {
  {
    const std::lock_guard lock(watch_mutex_);
    has_watched_enough_ = true;
  }
  watch_ends_.notify_all();
  watcher_.join();
}

void ReplayRun::check_large_cassettes() {
  try {
    handler_->check_large_cassettes([this] { return !has_watched_enough_; });
  } catch (const cassettes::CassetteError& error) {
    damaged(std::string("replay stops: ") + error.what());
  }
}

/// Ends the server with an error when serving finds damage.
void ReplayRun::damaged(const std::string& line) {
  log::critical("{}", printable(line));
  is_damaged_ = true;
  shut_down();
}

void ReplayRun::announce() {
  log::info("replaying {} at {}", played_, server_.url());
  control_.prepare_ready_file(server_.url());
  control_.put_ready_file();
  control_.announce();
}

void ReplayRun::serve() {
  if (has_cassettes_) {
    server_.main_loop().after(watch_period, [this] { watcher_ = base::JoinedThread([this] { watch_cassettes(); }); });
  }
  server_.run();
  stop_watching();
  if (logs_requests_) log_requests();
}

void ReplayRun::shut_down() {
  server_.main_loop().post([this] { server_.shut_down(); });
}

std::vector<replay::Notice> ReplayRun::notices() const {
  const std::lock_guard lock(mutex_);
  std::vector<replay::Notice> all;
  for (const auto& [kind, notices] : notices_) all.insert(all.end(), notices.begin(), notices.end());
  return all;
}

std::vector<std::string> ReplayRun::refusals() const {
  const std::lock_guard lock(mutex_);
  return refusals_;
}

std::string notice_line(const replay::Notice& notice) {
  return (notice.scope.empty() ? "" : "in scope " + notice.scope + ": ") + notice.text;
}

std::string counts_line(const replay::ReplayStats& stats) {
  std::string overlays = stats.overlay > 0 ? fmt::format(", overlays {}", stats.overlay) : std::string();
  if (stats.derived > 0) overlays += fmt::format(", derived {}", stats.derived);
  return fmt::format("replayed {}{}, built in {}, fallbacks {}, misses {} ({} distinct)", stats.recorded, overlays,
                     stats.builtin, stats.fallback, stats.misses, stats.distinct_misses);
}

std::vector<std::string> unused_overlays(const replay::OverlayStore& overlays) {
  std::vector<std::string> names;
  for (const auto& one : overlays.list()) {
    if (one.plays > 0) continue;
    const std::string where =
        one.set.empty() ? fmt::format("{}:{}", one.overlay->file, one.overlay->line) : "set " + one.set;
    names.push_back(fmt::format("{} ({})", one.overlay->name, where));
  }
  return names;
}

ReplayRun::Unplayed ReplayRun::unplayed() const {
  Unplayed found;
  handler_->each_use([&found](const replay::SequenceUse& use) {
    if (use.superseded || !use.scope_ran || has_no_turn(use.key)) return true;
    if (use.played == 0) {
      found.unused_recordings += use.recordings;
      ++found.unused_sequences;
      if (found.unused.size() < Unplayed::most_listed) found.unused.push_back(use);
    } else if (!use.finished) {
      ++found.unfinished_sequences;
      if (found.unfinished.size() < Unplayed::most_listed) found.unfinished.push_back(use);
    }
    return true;
  });
  return found;
}

EventCounts ReplayRun::event_counts(const Unplayed& unplayed) const {
  const replay::ReplayStats stats = handler_->stats();
  return {{"miss", stats.misses},
          {"fallback", stats.fallback + stats.simulated},
          {"unused", unplayed.unused_sequences},
          {"unfinished", unplayed.unfinished_sequences},
          {"order", stats.out_of_order},
          {"scope", stats.out_of_scope},
          {"unverified", handler_->unverified()},
          {"builtin-error", stats.builtin_errors},
          {"past-end", stats.past_end},
          {"account", stats.account_guesses},
          {"messages", stats.other_messages},
          {"derived", stats.derived},
          {Strict::builtin_effect, stats.builtin_effects},
          {"refused", server_.refused()},
          {"overlay-unused", unused_overlays(handler_->overlays()).size()}};
}

namespace {

std::string without_proxy(const char* name) {
  const char* const before = std::getenv(name);
  const std::string given = before == nullptr ? "" : before;
  return given == "*" ? given : given + (given.empty() ? "" : ",") + "127.0.0.1,localhost,::1";
}

/// Returns absolute paths, joined like PATH, so that they are valid in any working directory of the command.
std::string absolute_paths(const std::vector<std::string>& cassettes) {
  std::string paths;
  for (const std::string& one : cassettes) {
    paths += (paths.empty() ? "" : ":") + std::filesystem::absolute(one).lexically_normal().string();
  }
  return paths;
}

}  // namespace

Environment environment_of(ReplayRun& run, const std::vector<std::string>& cassettes) {
  return {{"TAPEDECK_URL", run.server().url()},
          {"TAPEDECK_CONTROL_URL", run.control().server()->url()},
          {"TAPEDECK_TOKEN", run.control().server()->token()},
          {"TAPEDECK_CASSETTES", absolute_paths(cassettes)},
          {"NO_PROXY", without_proxy("NO_PROXY")},
          {"no_proxy", without_proxy("no_proxy")}};
}

}  // namespace tapedeck::cli
