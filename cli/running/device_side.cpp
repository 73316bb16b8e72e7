#include "cli/running/device_side.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <thread>
#include <utility>

#include <spdlog/spdlog.h>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "cassettes/finish/finish.h"
#include "cli/app.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/reports/finish_report.h"
#include "cli/running/private_process.h"
#include "cli/running/take_of_now.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

http::RelayOptions relay_options(const DeviceSideOptions& options) {
  http::RelayOptions relay = device_relay(options.device, "--device");
  relay.limits = options.limits;
  relay.most_pieces = api::most_stream_events;
  return relay;
}

std::unique_ptr<scrubbers::Scrubber> make_scrubber(const DeviceSideOptions& options, const http::RelayOptions& relay) {
  scrubbers::ScrubberOptions scrubbing;
  scrubbing.rules = rule_set(options.rules);
  scrubbing.base_path = relay.device.path;
  scrubbing.key_policy = api::KeyPolicy::current_number;
  scrubbing.max_decoded = relay.limits.max_body;
  return std::make_unique<scrubbers::Scrubber>(scrubbing);
}

/// A scope is recorded whole or not at all.
http::Response scope_answer(const std::string& name) {
  http::Response answer;
  answer.headers.add("Content-Type", api::json_content_type);
  answer.headers.add("X-Tapedeck-Blocked", "scope");
  answer.body = api::error_envelope(
      api::ErrorCode::unknown,
      "{\"tapedeck\":{\"hint\":\"record its test again with `tapedeck record`\",\"reason\":" +
          api::json_quoted("scope " + name + " lacks this call, and a part of a scope is not recorded") + "}}");
  return answer;
}

proxy::ClientSession client_session(const replay::Session& session) {
  return {session.id(), session.csrf_token(), session.device_id()};
}

}  // namespace

DeviceSide::DeviceSide(DeviceSideOptions options, ReplayCommandOptions replay, const std::string& command)
    : options_(std::move(options)), relay_options_(relay_options(options_)) {
  keep_memory_private();
  const bool has_account = !options_.device.account.empty();
  if (!options_.device.password_file.empty() && !has_account) {
    throw UsageError("--device-password-file needs --device-account NAME");
  }
  std::optional<proxy::DeviceAccount> account;
  if (has_account) account.emplace(device_account(options_.device));
  replay.threads = 1;  // a recorder has one loop
  replay.replay.end = this;
  replay.replay.logins_go_to_end = !has_account;
  std::erase_if(replay.replay.cassettes, [this](const std::string& path) {
    return !options_.plays || (path == options_.cassette && !std::filesystem::exists(path));
  });
  run_ = std::make_unique<ReplayRun>(replay, command);
  scrubber_ = make_scrubber(options_, relay_options_);
  relay_ = std::make_unique<http::Relay>(run_->server().main_loop(), relay_options_);
  stage();
  if (account) {
    calls_ = std::make_unique<proxy::RelayedCalls>(run_->server().main_loop(), *relay_);
    session_ =
        std::make_unique<proxy::DeviceSession>(relay_options_.device, std::move(*account), *calls_, session_told());
    exchanged_ = std::make_unique<proxy::ExchangedDevice>(*parts_, *session_, relay_options_.device.path);
  }
  make_recorder();
}

DeviceSide::~DeviceSide() = default;

void DeviceSide::stage() {
  staged_ = std::make_unique<cassettes::StagedCassette>(options_.cassette);
  if (staged_->found_left_over()) {
    spdlog::warn("what an earlier run had recorded before it was killed is now {}.failed",
                 printable(options_.cassette));
  }
  writer_ = std::make_unique<cassettes::CassetteWriter>(staged_->path(),
                                                        take_of_now(options_.note, relay_options_.device, *scrubber_));
  writer_->on_fault([this](const std::string& what) { end_with(scrubber_->scrub_text(what)); });
  parts_ = std::make_unique<proxy::Parts>(*relay_, *scrubber_, *writer_);
}

void DeviceSide::make_recorder() {
  proxy::Device& device = exchanged_ ? static_cast<proxy::Device&>(*exchanged_) : *parts_;
  const bool blocks_writes = options_.plays && !options_.allow_writes;
  recorder_ = std::make_unique<proxy::Recorder>(
      proxy::RecorderOptions{relay_options_.device, run_->server().tls(), blocks_writes}, device, *parts_, *parts_,
      scopes_,
      proxy::Recorder::Told{
          [this](Lines lines) { log(lines); }, [this](const std::string& why) { end_with(why); }, {}});
  spdlog::info("what is not recorded is asked of {}{} and recorded into {}", relay_options_.device.origin(),
               relay_options_.device.path, printable(options_.cassette));
}

proxy::DeviceSession::Told DeviceSide::session_told() {
  proxy::DeviceSession::Told told;
  told.learn = [this](const http::Request& like) { static_cast<void>(scrubber_->learn(like)); };
  told.line = [](const std::string& line) { spdlog::info("{}", printable(line)); };
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
  if (visit.scope_run() && options_.plays) return exchange->respond(scope_answer(visit.run().name));
  if (!exchanged_) return recorder_->handle(std::move(exchange));
  exchanged_->serve(*recorder_, std::move(exchange), client_session(visit.session()));
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
  spdlog::critical("the recording ends: {}", printable(why));
  shut_down();
}

void DeviceSide::log(Lines lines) {
  const LogTogether together;
  for (const proxy::RecordedLine& line : lines) {
    progress_.log(line, *scrubber_);
    if (run_->journal() != nullptr) run_->journal()->add(journal_entry(line, *scrubber_));
  }
}

/// On connections of its own: those of the run are closed.
void DeviceSide::log_out() {
  if (!session_) return;
  constexpr std::chrono::seconds patience{2};
  http::RelayOptions options = relay_options_;
  options.limits.connect_time = options.limits.first_byte_time = options.limits.stall_time = patience;
  proxy::DirectCalls calls(options);
  session_->close(calls, [] {});
}

int DeviceSide::finish(bool keep, const Strict& strict) {
  umask(077);  // no command of ours runs any more
  relay_->shut_down();
  log_out();
  recorder_->drain();
  writer_->flush();
  progress_.end_line();
  const proxy::RecorderStats stats = recorder_->stats();
  const bool is_empty = writer_->stats().committed == 0 && stats.not_recorded == 0;
  if (is_empty) {
    writer_.reset();
    spdlog::info("nothing was recorded; {} is as it was", printable(options_.cassette));
    return failed_ ? run_failed : fine;
  }
  FinishProgress finishing;
  cassettes::FinishOptions options;
  options.scrubber = scrubber_.get();
  options.strict_scan = options_.strict_scan;
  options.progress = [&finishing](const char* step, std::uint64_t done, std::uint64_t total) {
    return finishing.show(step, done, total);
  };
  const cassettes::FinishReport report = cassettes::finish(std::move(writer_), options);
  finishing.end();
  settle(report, keep && !failed_);
  const int status =
      report_recording({stats, recorder_->by_api(), scrubber_->stats(), report, scopes_.clashes()}, options_.cassette,
                       strict);
  return failed_ ? run_failed : status;
}

void DeviceSide::settle(const cassettes::FinishReport& report, bool keep) {
  if (!report.finished) {
    staged_->leave();
    spdlog::error("{} is as it was; what was recorded is in {}", printable(options_.cassette),
                  printable(report.quarantined.empty() ? staged_->path() : report.quarantined));
  } else if (keep) {
    staged_->accept();
  } else {
    spdlog::warn("{} is as it was; what was recorded is in {}", printable(options_.cassette),
                 printable(staged_->keep_as_failed()));
  }
}

}  // namespace tapedeck::cli
