#pragma once
// A take of a cassette.

#include <cstdint>
#include <optional>
#include <string>

#include "api/request_key.h"
#include "cassettes/file/format.h"

namespace tapedeck::cassettes {

struct Take {
  std::uint32_t number = 0;  ///< from 1, in order of start
  std::string id;            ///< take_name_size random bytes
  std::int64_t started_us = 0, ended_us = 0;
  std::string tool_version;
  int key_policy = api::KeyPolicy::current_number;
  std::string scrub_policy;  ///< RuleSet::fingerprint()
  std::string base_path;     ///< the device's base path: "" or "/dsm"
  /// The device's origin, "https://nas.example:5001", if a stored text contains it; a pseudonym with private data.
  std::string device;
  std::string note;             ///< `record --note`
  std::string model, firmware;  ///< model and firmware of the device, if a recorded response contains them
  bool finished = false;
  /// False if the take was killed, and was not scrubbed later with the values that it had learned.
  bool verified = false;
  /// The random number of the accounts' check values (scrubbers::AccountChecks); empty without any.
  std::optional<std::uint64_t> account_key = {};
  bool operator==(const Take&) const = default;
};

}  // namespace tapedeck::cassettes
