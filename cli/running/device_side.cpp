#include "cli/running/device_side.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/log.h"
#include "cli/reports/finish_report.h"
#include "cli/running/device_check.h"
#include "cli/running/ending.h"
#include "cli/running/private_process.h"
#include "cli/running/recording_options.h"
#include "cli/running/take_of_now.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

/// Stored names of the scopes in which a call changes the device.
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

/// `*` is any text, and nothing else has a meaning: names of tests have brackets.
bool fits_pattern(const std::string& pattern, const std::string& text) {
  std::string escaped;
  for (const char c : pattern) {
    if (c == '[' || c == '?' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fnmatch(escaped.c_str(), text.c_str(), 0) == 0;
}

/// A name with `*` that no scope has stands for every scope that it fits.
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

/// What --rerecord will do, where it may not be what is meant. Readers of the cassettes are closed again.
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

proxy::ClientSession client_session(const replay::Session& session) {
  return {session.id(), session.csrf_token(), session.device_id()};
}

}  // namespace

DeviceSide::DeviceSide(DeviceSideOptions options, ReplayCommandOptions replay, const std::string& command)
    : options_(std::move(options)),
      relay_options_(recording_relay(options_.device, options_.limits)),
      extras_{options_.strict_scan, options_.private_values} {
  keep_memory_private();
  std::optional<proxy::DeviceAccount> account = device_account_if_any(options_.device);
  finish_leftover(options_.cassette);
  mention_side_files(options_.cassette);
  replay.threads = 1;  // a recorder has one loop
  replay.replay.end = this;
  replay.device_origin = relay_options_.device.origin();
  replay.replay.logins_go_to_end = !account;
  std::erase_if(replay.replay.cassettes, [this](const std::string& path) {
    return !options_.plays || (path == options_.cassette && !std::filesystem::exists(path));
  });
  options_.rerecord = without_patterns(options_.rerecord, replay.replay.cassettes);
  replay.replay.rerecord = options_.rerecord;
  warn_of_scopes(options_, replay.replay.cassettes);
  // It makes the key file, if there is none: the run reads it.
  const scrubbers::ScrubberOptions scrubbing =
      recording_scrubber(options_.rules, options_.private_values, relay_options_);
  profile_ = scrubbing.profile;
  run_ = std::make_unique<ReplayRun>(replay, command, [this](inspector::Subject& subject) { steer(subject); });
  scrubber_ = std::make_shared<scrubbers::Scrubber>(scrubbing);
  if (run_->journal() != nullptr) {
    run_->journal()->hide_with([known = scrubber_](std::string_view text) { return known->scrub_text(text); });
  }
  if (!options_.plays) relay_options_ = reached(relay_options_);
  relay_ = std::make_unique<http::Relay>(run_->server().main_loop(), relay_options_);
  // A signal that comes during the start is noted, and ends the run once it is served: nothing is left over.
  if (options_.ends_on_signals) {
    end_on_signals(run_->server().main_loop(), [this] { shut_down(); });
  }
  begin_recording();
  if (account) {
    calls_ = std::make_unique<proxy::RelayedCalls>(run_->server().main_loop(), *relay_);
    session_ =
        std::make_unique<proxy::DeviceSession>(relay_options_.device, std::move(*account), *calls_, session_told());
    exchanged_ = std::make_unique<proxy::ExchangedDevice>(*parts_, *session_, relay_options_.device.path,
                                                          relay_options_.limits.max_body);
  }
  make_recorder();
  is_begun_ = true;
}

DeviceSide::~DeviceSide() { run_->end_control(); }

/// The control API is served before the recording has begun.
void DeviceSide::steer(inspector::Subject& subject) {
  subject.scopes = scope_calls(std::move(subject.scopes));
  if (subject.command != "record") return;  // `exec` ends with its command
  subject.recording.mark = [this](const std::string& name) {
    if (!is_begun_) return;
    writer_->tell({cassettes::TakeEvent::Kind::mark, base::now_us(), scrubber_->scrub_text(name)});
  };
  subject.recording.finish = [this] {
    if (is_begun_) shut_down();
  };
  subject.recording.learned = [this] { return shown_counts(secrets_); };
  subject.counters = [this, played = std::move(subject.counters)] {
    auto counters = played();
    const proxy::RecorderStats stats = is_begun_ ? recorder_->stats() : proxy::RecorderStats();
    counters.insert(counters.end(), {{"stored", stats.recorded},
                                     {"withheld", stats.withheld},
                                     {"broken", stats.broken},
                                     {"not_recorded", stats.not_recorded},
                                     {"blocked", stats.blocked}});
    return counters;
  };
}

/// Of a scope that is played nothing is told to the recording: it would become an empty one.
inspector::ScopeCalls DeviceSide::scope_calls(inspector::ScopeCalls played) {
  inspector::ScopeCalls calls = played;
  const auto end_current = [this, current = played.current] {
    const auto text = current();
    const auto scope = text ? api::ScopeName::parse(*text) : std::nullopt;
    if (scope && is_recorded(*scope)) scopes_.result(*scope, true);
    return scope;
  };
  calls.begin = [this, played, end_current](const api::ScopeName& scope) {
    const auto before = end_current();
    const bool is_another_run = before && proxy::begins_anew(*before, scope) && is_recorded(scope);
    played.begin(is_another_run ? played.next_run(scope.name) : scope);
  };
  calls.end = [end = played.end, end_current] {
    (void)end_current();
    end();
  };
  calls.result = [this, result = played.result](const api::ScopeName& scope, bool ok) {
    result(scope, ok);
    if (!ok) has_failed_scope_ = true;
    if (!is_recorded(scope)) return;
    scopes_.result(scope, ok);
    if (!ok) log::info("scope {} failed and is not kept", printable(scopes_.shown(scope)));
  };
  return calls;
}

bool DeviceSide::is_recorded(const api::ScopeName& scope) const { return !run_->handler().plays_scope(scope.name); }

/// What a scope lacks is never played: it is recorded whole or not at all.
void DeviceSide::blocked_in(const api::ScopeName& scope) {
  if (!blocked_.insert(scope.text()).second) return;
  scopes_.result(scope, false);
  log::warn(
      "scope {} is not kept, because a request that changes the device was not forwarded; use --allow-writes to "
      "forward it",
      printable(scopes_.shown(scope)));
}

void DeviceSide::begin_recording() {
  writer_ = std::make_unique<cassettes::CassetteWriter>(options_.cassette,
                                                        take_of_now(options_.note, relay_options_.device, *scrubber_),
                                                        cassettes::CassetteWriter::Begin::now, options_.writing);
  writer_->on_fault([this](const std::string& what) { end_with(scrubber_->scrub_text(what)); });
  parts_ = std::make_unique<proxy::Parts>(*relay_, *scrubber_, *writer_);
}

void DeviceSide::make_recorder() {
  const bool shows = run_->journal() != nullptr && run_->journal()->keeps();
  proxy::Device& device = exchanged_ ? static_cast<proxy::Device&>(*exchanged_) : *parts_;
  const bool blocks_writes = options_.plays && !options_.allow_writes;
  recorder_ = std::make_unique<proxy::Recorder>(
      proxy::RecorderOptions{relay_options_.device, run_->server().tls(), blocks_writes,
                             shows ? journal::KeptRequest::longest_body : 0},
      device, *parts_, *parts_, scopes_,
      proxy::Recorder::Told{[this](Lines lines) { log(lines); },
                            [this](const std::string& why) { end_with(why); },
                            {},
                            [this](const api::ScopeName& scope) { blocked_in(scope); }});
  log::info("forwarding unrecorded requests to {}{} and recording them into {}", relay_options_.device.origin(),
            relay_options_.device.path, printable(options_.cassette));
}

proxy::DeviceSession::Told DeviceSide::session_told() {
  proxy::DeviceSession::Told told;
  told.learn = [this](std::string_view value, scrubbers::SecretClass secret_class) {
    scrubber_->teach(value, secret_class);
  };
  told.line = [](const std::string& line) { log::info("{}", printable(line)); };
  told.ask_code = [this](std::function<void(std::string)> answer) {
    // People take their time, and clients are served meanwhile.
    std::thread([loop = &run_->server().main_loop(), answer = std::move(answer)] {
      loop->post([answer, code = prompt_for_code()] { answer(code); });
    }).detach();
  };
  return told;
}

std::optional<std::string> DeviceSide::open_session() {
  std::promise<std::optional<std::string>> opened;
  run_->server().main_loop().post([this, &opened] {
    session_->use([&opened](const proxy::DeviceSession::Opened& came) {
      const auto* const none = std::get_if<proxy::NoSession>(&came);
      opened.set_value(none == nullptr ? std::nullopt : std::optional(none->why));
    });
  });
  return opened.get_future().get();
}

void DeviceSide::handle(std::shared_ptr<http::Exchange> exchange, const replay::Visit& visit) {
  const auto scope = visit.scope_run() ? api::ScopeName::parse(*visit.run().text) : std::nullopt;
  const auto record = [&] { recorder_->handle(std::move(exchange), scope); };
  // A scope has sessions of its own at the device, but for those that were minted outside of it.
  const bool has_own_session = scope && visit.session().kind() != replay::Session::Kind::minted;
  if (!exchanged_ || has_own_session) return record();
  exchanged_->serve(client_session(visit.session()), record);
}

void DeviceSide::shut_down() {
  constexpr std::chrono::milliseconds patience{600};
  http::EventLoop& loop = run_->server().main_loop();
  loop.post([this, &loop] { loop.after(patience, [this] { relay_->shut_down(); }); });
  run_->shut_down();
}

void DeviceSide::end_with(const std::string& why) {
  if (failed_.exchange(true)) return;
  progress_.end_line();
  log::critical("stopping the recording: {}", printable(why));
  shut_down();
}

void DeviceSide::log(Lines lines) {
  const log::Batch together;
  for (const proxy::RecordedLine& line : lines) {
    progress_.log(line, *scrubber_);
    if (line.shown != nullptr) secrets_.add(*line.shown);
    if (run_->journal() != nullptr) run_->journal()->add(journal_entry(line), kept_request(line));
  }
}

int DeviceSide::finish(bool keep, const Strict& strict) {
  umask(077);  // no command of ours runs any more
  run_->end_control();
  relay_->shut_down();
  if (session_) session_->close_apart(relay_options_);
  recorder_->drain();
  writer_->flush();
  progress_.end_line();
  const proxy::RecorderStats stats = recorder_->stats();
  const bool is_empty = writer_->stats().committed == 0 && stats.not_recorded == 0;
  if (is_empty) {
    writer_.reset();
    log::info("nothing was recorded; {} is unchanged", printable(options_.cassette));
    return failed_ ? run_failed : fine;
  }
  FinishProgress finishing;
  const auto finish = [this, keep](cassettes::FinishOptions options) {
    options.keep = keep && !failed_;
    options.unless_empty = true;
    return cassettes::finish(std::move(writer_), options);
  };
  const cassettes::FinishReport report =
      finish_recording(finish, *scrubber_, extras_, run_->journal(), profile_.get(), finishing.shown());
  finishing.end();
  log_outcome(report);
  const int status =
      report_recording({stats, recorder_->by_api(), *scrubber_, report, scopes_.clashes(), run_->server().refused()},
                       options_.cassette, strict);
  return failed_ ? run_failed : status;
}

void DeviceSide::log_outcome(const cassettes::FinishReport& report) {
  const std::string name = printable(options_.cassette);
  if (report.is_unchanged) {
    log::info("the new recording was not kept; {} is unchanged", name);
  } else if (!report.failed.empty()) {
    log::warn("{} is unchanged; the new recording is in {}.failed", name, name);
  }
}

}  // namespace tapedeck::cli
