#include "cli/running/recording_options.h"

#include <utility>

#include "http/io/buffer_charge.h"

namespace tapedeck::cli {

http::RelayOptions recording_relay(const DeviceOptions& device, const http::Limits& limits) {
  http::RelayOptions relay = device_relay(device, "--device");
  relay.limits = limits;
  relay.most_pieces = api::most_stream_events;
  return relay;
}

scrubbers::ScrubberOptions recording_scrubber(const RuleOptions& rules, const PrivateCommandOptions& private_values,
                                              const http::RelayOptions& relay) {
  scrubbers::ScrubberOptions scrubbing;
  Config config = read_config(rules);
  scrubbing.rules = std::move(config.rules);
  scrubbing.profile = writing_profile(private_values, std::move(config.private_values));
  scrubbing.base_path = relay.device.path;
  scrubbing.key_policy = api::KeyPolicy::current_number;
  scrubbing.max_decoded = relay.limits.max_body;  // a bomb may cost no more than a long answer
  scrubbing.room_for_request = [limit = relay.limits.buffer_bytes] {
    const std::size_t total = http::BufferCharge::total();
    return total < limit ? (limit - total) / 2 : 0;  // the scrubbed copy needs as much
  };
  return scrubbing;
}

}  // namespace tapedeck::cli
