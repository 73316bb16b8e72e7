#pragma once
// What every command that records from a device makes of its options.

#include "cli/options/device_options.h"
#include "cli/options/private_options.h"
#include "cli/options/rule_options.h"
#include "http/device/relay.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cli {

/// Throws UsageError.
[[nodiscard]] http::RelayOptions recording_relay(const DeviceOptions& device, const http::Limits& limits = {});
/// For what comes over that relay. The key file of private values is made, or goes on. Throws UsageError.
[[nodiscard]] scrubbers::ScrubberOptions recording_scrubber(const RuleOptions& rules,
                                                            const PrivateCommandOptions& private_values,
                                                            const http::RelayOptions& relay);

}  // namespace tapedeck::cli
