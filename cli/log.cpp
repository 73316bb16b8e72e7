#include "cli/log.h"

#include <cstdio>
#include <memory>
#include <mutex>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

/// Standard error that is no terminal.
class GatheringSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void hold() {
    const std::lock_guard lock(mutex_);
    ++holders_;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    if (--holders_ == 0) flush_();
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    formatter_->format(message, lines_);
    if (holders_ == 0) flush_();
  }
  void flush_() override {
    std::fwrite(lines_.data(), 1, lines_.size(), stderr);
    lines_.clear();
  }

  spdlog::memory_buf_t lines_;
  int holders_ = 0;
};

/// Null when lines go to a terminal.
std::shared_ptr<GatheringSink> gathering;

spdlog::sink_ptr make_sink() {
  if (stderr_is_terminal()) return std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  gathering = std::make_shared<GatheringSink>();
  return gathering;
}

}  // namespace

void set_up_log() {
  auto logger = std::make_shared<spdlog::logger>("tapedeck", make_sink());
  logger->set_pattern("%Y-%m-%dT%H:%M:%SZ %^%-5l%$ %v", spdlog::pattern_time_type::utc);
  spdlog::set_default_logger(logger);
}

LogTogether::LogTogether() {
  if (gathering) gathering->hold();
}

LogTogether::~LogTogether() {
  if (gathering) gathering->let_go();
}

}  // namespace tapedeck::cli
