#include "cli/running/replay_run.h"

#include <spdlog/spdlog.h>

#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

constexpr std::size_t most_kept_misses = 1'000;

}  // namespace

ReplayRun::ReplayRun(const ReplayCommandOptions& options, std::string command)
    : command_(std::move(command)),
      control_options_(options.control),
      has_cassettes_(!options.replay.cassettes.empty()),
      ready_(options.server.ready_file),
      journal_(make_journal(options.control)),
      server_(options.server, options.threads),
      handler_(std::make_unique<replay::ReplayHandler>(handling(options), options.threads)) {
  for (const std::string& warning : handler_->warnings()) spdlog::warn("{}", printable(warning));
  server_.set_handler(*handler_);
  control_ = start_control(options.control, replay_subject(command_, server_.url(), journal_.get(), *handler_));
}

ReplayRun::~ReplayRun() = default;

replay::ReplayOptions ReplayRun::handling(const ReplayCommandOptions& options) {
  replay::ReplayOptions replay = handler_options(options, server_.tls());
  replay.journal = journal_.get();
  replay.on_notice = [this](const std::string& line) { noticed(line); };
  replay.on_failure = [this](const std::string& line) { damaged(line); };
  return replay;
}

void ReplayRun::noticed(const std::string& line) {
  spdlog::warn("{}", printable(line));
  const std::lock_guard lock(mutex_);
  if (misses_.size() < most_kept_misses) misses_.push_back(line);
}

/// Damage found while serving ends the server, loudly.
void ReplayRun::damaged(const std::string& line) {
  spdlog::critical("{}", printable(line));
  is_damaged_ = true;
  shut_down();
}

void ReplayRun::announce() {
  spdlog::info("replaying {} at {}", has_cassettes_ ? "recorded answers" : "built-in answers", server_.url());
  ready_.write(server_.url(), with_control({{"command", command_}}, control_.get()));
  show_page(control_options_, control_.get());
}

void ReplayRun::serve() { server_.run(); }

void ReplayRun::shut_down() {
  server_.main_loop().post([this] { server_.shut_down(); });
}

std::vector<std::string> ReplayRun::misses() const {
  const std::lock_guard lock(mutex_);
  return misses_;
}

bool has_gaps(const replay::ReplayStats& stats) { return stats.misses > 0 || stats.fallback > 0; }

}  // namespace tapedeck::cli
