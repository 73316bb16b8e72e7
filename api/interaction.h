#pragma once
// One request and its answer as they passed, secrets and all: never stored, never logged; Scrubber makes of it what may
// be.

#include <cstdint>
#include <string>

#include "http/message/message.h"

namespace tapedeck::api {

enum class Completeness {
  complete,  ///< the whole answer, well framed
  broken,    ///< cut, badly framed, timed out or not begun: stored with its reason, never played
  withheld,  ///< could not be scrubbed with certainty, or too long: only status, safe headers and a keyed hash are kept
};
[[nodiscard]] std::string_view to_string(Completeness completeness);

struct Interaction {
  http::Request request;    ///< as the client sent it, without the device's base path in its target
  http::Response response;  ///< as the client got it; the body still in its Content-Encoding
  Completeness completeness = Completeness::complete;
  std::string reason;           ///< why it is not complete, in words without any of the traffic in them
  std::int64_t started_us = 0;  ///< microseconds since the Unix epoch, when the request was whole
  std::int64_t ended_us = 0;    ///< when the answer's last byte had come
};

}  // namespace tapedeck::api
