#include "cli/running/take_of_now.h"

#include "api/request_key.h"
#include "base/clock.h"

namespace tapedeck::cli {

cassettes::TakeInfo take_of_now(const std::string& note, const http::BaseUrl& device,
                                const scrubbers::Scrubber& scrubber) {
  cassettes::TakeInfo take;
  take.note = note;
  take.tool_version = TAPEDECK_VERSION;
  take.base_path = device.path;
  take.key_policy = api::KeyPolicy::current_number;
  take.scrub_policy = scrubber.rules().fingerprint();
  take.started_us = base::now_us();
  return take;
}

}  // namespace tapedeck::cli
