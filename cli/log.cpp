#include "cli/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace tapedeck::cli {

void set_up_log() {
  auto logger = std::make_shared<spdlog::logger>("tapedeck", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%SZ %^%-5l%$ %v", spdlog::pattern_time_type::utc);
  spdlog::set_default_logger(logger);
}

}  // namespace tapedeck::cli
