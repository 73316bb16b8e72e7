#pragma once
// One request and its response with all secrets. It is never stored or logged; Scrubber makes a version that may be
// stored.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::api {

enum class Completeness {
  complete,  ///< the whole response, framed correctly
  broken,    ///< cut, framed wrongly, late, or missing: stored with the reason, never replayed
  withheld,  ///< cannot be scrubbed with certainty, or too long: only status, safe headers, and a keyed hash are stored
};
[[nodiscard]] constexpr std::string_view to_string(Completeness completeness) {
  return completeness == Completeness::complete ? "complete"
         : completeness == Completeness::broken ? "broken"
                                                : "withheld";
}

/// A piece of a live stream: the time when it arrived, and the length of the body at that time.
struct StreamEvent {
  std::int64_t at_us = 0;  ///< microseconds since the Unix epoch
  std::uint64_t end = 0;   ///< length of the body at that time
  bool operator==(const StreamEvent&) const = default;
};
/// The maximum number of events that are kept for a stream.
inline constexpr std::size_t most_stream_events = 10'000;

struct Interaction {
  http::Request request;    ///< as the client sent it, with a target without the device's base path
  http::Response response;  ///< as the client received it, with its Content-Encoding
  Completeness completeness = Completeness::complete;
  std::string reason;               ///< why it is not complete; contains no traffic data
  bool ended_by_client = false;     ///< a stream that the client closed; it is complete up to that point
  std::string scope;                ///< the scope's name (docs/testing.md, "Scopes"); empty: none
  std::uint32_t run = 1;            ///< the run of the scope
  std::int64_t started_us = 0;      ///< when the request was complete, in microseconds since the Unix epoch
  std::int64_t first_byte_us = 0;   ///< when the first byte of the response arrived; 0: unknown, or there was none
  std::int64_t ended_us = 0;        ///< when the last byte of the response arrived
  std::vector<StreamEvent> events;  ///< events of a live stream; their ends are positions in this body
};

}  // namespace tapedeck::api
