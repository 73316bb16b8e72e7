#pragma once
// One request and its answer as they passed, secrets and all: never stored, never logged; Scrubber makes of it what may
// be.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::api {

enum class Completeness {
  complete,  ///< the whole answer, well framed
  broken,    ///< cut, badly framed, timed out or not begun: stored with its reason, never played
  withheld,  ///< could not be scrubbed with certainty, or too long: only status, safe headers and a keyed hash are kept
};
[[nodiscard]] std::string_view to_string(Completeness completeness);

/// A piece of a live stream: when it came, and where the body then ended.
struct StreamEvent {
  std::int64_t at_us = 0;  ///< microseconds since the Unix epoch
  std::uint64_t end = 0;   ///< bytes of the body that were there by then
  bool operator==(const StreamEvent&) const = default;
};
/// Of a longer stream the first ones are kept.
inline constexpr std::size_t most_stream_events = 10'000;

struct Interaction {
  http::Request request;    ///< as the client sent it, without the device's base path in its target
  http::Response response;  ///< as the client got it; the body still in its Content-Encoding
  Completeness completeness = Completeness::complete;
  std::string reason;               ///< why it is not complete, in words without any of the traffic in them
  bool ended_by_client = false;     ///< a stream that its client ended: whole as far as it came
  std::string scope;                ///< the name of what the client does (toolkit §1); empty: none
  std::uint32_t run = 1;            ///< of that scope
  std::int64_t started_us = 0;      ///< microseconds since the Unix epoch, when the request was whole
  std::int64_t first_byte_us = 0;   ///< when the answer's first byte had come; 0: not known, or it had none
  std::int64_t ended_us = 0;        ///< when the answer's last byte had come
  std::vector<StreamEvent> events;  ///< of a live stream; ends count in the body as it is here
};

}  // namespace tapedeck::api
