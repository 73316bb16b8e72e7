#pragma once
// Describes a take at its start, and events while it is recorded.

#include <cstdint>
#include <string>

#include "api/request_key.h"

namespace tapedeck::cassettes {

struct TakeInfo {
  std::string tool_version;
  std::string base_path;  ///< the device's base path: "" or "/dsm"
  int key_policy = api::KeyPolicy::current_number;
  std::string scrub_policy;  ///< RuleSet::fingerprint()
  std::int64_t started_us = 0;
  std::string note;  ///< a text for people
  std::string id;    ///< 16 bytes; if empty, the writer makes a random one
  /// True if responses were replayed from the earlier takes. Replay then plays this take after them (docs/replay.md,
  /// "Sequences, lanes, and positions").
  bool continues = false;
};

/// How a take is recorded.
struct WriteOptions {
  bool durable = false;          ///< sync each commit to the disk before the response is released
  bool kept_when_killed = true;  ///< if false, the recording of a killed recorder becomes CASSETTE.failed
};

/// An event of a take, besides its interactions.
struct TakeEvent {
  enum class Kind : std::uint8_t {
    mark = 0,            ///< marks this moment (`ls` shows it)
    scope_complete = 1,  ///< the run of that scope is complete
    scope_failed = 2,    ///< the run is dropped
    scope_followed = 3,  ///< another run began; this one is complete unless it sent a request after that
  };
  Kind kind = Kind::mark;
  std::int64_t at_us = 0;
  std::string name;       ///< the name of the mark or scope
  std::uint32_t run = 1;  ///< the run of the scope
};

}  // namespace tapedeck::cassettes
