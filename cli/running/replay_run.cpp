#include "cli/running/replay_run.h"

#include <fmt/format.h>
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
      ready_(options.server.ready_file, command_ != "exec" && wants_control(options.control)),
      journal_(make_journal(options.control)),
      server_(options.server, options.threads),
      handler_(make_handler(handling(options), options.threads)) {
  for (const std::string& warning : handler_->warnings()) spdlog::warn("{}", printable(warning));
  server_.set_handler(*handler_);
  if (command_ == "replay" && !options.replay.overlay_files.empty()) watch_overlays();
  control_ = start_control(options.control, replay_subject(command_, server_, journal_.get(), *handler_));
}

ReplayRun::~ReplayRun() = default;

replay::ReplayOptions ReplayRun::handling(const ReplayCommandOptions& options) {
  replay::ReplayOptions replay = handler_options(options, server_.tls());
  replay.journal = journal_.get();
  replay.on_notice = [this](const std::string& line) { noticed(line); };
  replay.on_warning = [](const std::string& line) { spdlog::warn("{}", printable(line)); };
  replay.on_failure = [this](const std::string& line) { damaged(line); };
  return replay;
}

void ReplayRun::watch_overlays() {
  constexpr std::chrono::milliseconds period{50};
  server_.main_loop().every(period, [this] {
    if (const auto line = handler_->overlays().look_again(std::chrono::steady_clock::now())) {
      spdlog::info("{}", printable(*line));
    }
    return true;
  });
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
  tell_control(control_.get(), ready_);
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

std::string counts_line(const replay::ReplayStats& stats) {
  const std::string overlays = stats.overlay > 0 ? fmt::format(", overlays {}", stats.overlay) : std::string();
  return fmt::format("recorded {}{}, built in {}, fallbacks {}, misses {} ({} distinct)", stats.recorded, overlays,
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

bool has_gaps(const replay::ReplayStats& stats) { return stats.misses > 0 || stats.fallback > 0; }

}  // namespace tapedeck::cli
