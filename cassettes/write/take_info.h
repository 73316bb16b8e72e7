#pragma once
// What is known of a take when it begins, and what is reported while it is recorded.

#include <cstdint>
#include <string>

#include "api/request_key.h"

namespace tapedeck::cassettes {

struct TakeInfo {
  std::string tool_version;
  std::string base_path;  ///< of the device: "" or "/dsm"
  int key_policy = api::KeyPolicy::current_number;
  std::string scrub_policy;  ///< RuleSet::fingerprint()
  std::int64_t started_us = 0;
  std::string note;  ///< from whoever records, for people
  std::string id;    ///< 16 bytes; empty: the writer makes a random one
};

/// How a take is recorded.
struct WriteOptions {
  bool durable = false;           ///< each commit is synced to the disk before the response is released
  bool kept_when_killed = true;   ///< false: what a killed recorder leaves becomes CASSETTE.failed
};

/// What is reported of a take while it is recorded, besides its interactions.
struct TakeEvent {
  enum class Kind : std::uint8_t {
    mark = 0,            ///< somebody wants to find this moment again (`ls` shows it)
    scope_complete = 1,  ///< the run of that scope is complete
    scope_failed = 2,    ///< it is not to be kept
    scope_followed = 3,  ///< another one began: it is complete unless it made a request after that
  };
  Kind kind = Kind::mark;
  std::int64_t at_us = 0;
  std::string name;       ///< of the mark or the scope
  std::uint32_t run = 1;  ///< of the scope
};

}  // namespace tapedeck::cassettes
