#include "cli/running/take_of_now.h"

#include <chrono>

#include "api/request_key.h"

namespace tapedeck::cli {

cassettes::TakeInfo take_of_now(const std::string& note, const http::BaseUrl& device,
                                const scrubbers::Scrubber& scrubber) {
  cassettes::TakeInfo take;
  take.note = note;
  take.tool_version = TAPEDECK_VERSION;
  take.base_path = device.path;
  take.key_policy = api::KeyPolicy::current_number;
  take.scrub_policy = scrubber.rules().fingerprint();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  take.started_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  return take;
}

}  // namespace tapedeck::cli
