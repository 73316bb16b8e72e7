#pragma once
// Compares two responses to the same call: status, headers, envelope, and body.

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "http/message/message.h"
#include "tools/diff/change.h"

namespace tapedeck::tools {

struct ComparedResponse {
  int status = 200;
  http::Headers headers;
  std::string body;
  std::int64_t at_us = 0;  ///< recorded time in microseconds since 1970; clocks in the response are compared with it
  bool complete = true;
  std::string state;  ///< "broken" or "withheld"; empty for a complete response
};

[[nodiscard]] ComparedResponse compared(const cassettes::FullInteraction& full);
/// Returns true if the responses are equal except for headers that do not describe the content.
[[nodiscard]] bool is_same(const ComparedResponse& a, const ComparedResponse& b);
/// Returns true for Content-Type, Location, and other headers that a client needs to interpret the response. Date,
/// ETag, cookies, and lengths are not compared.
[[nodiscard]] bool is_compared_header(std::string_view name);
[[nodiscard]] http::Headers compared_headers(const http::Headers& headers);

/// Returns the differences. If the envelopes differ in success or error code, the bodies are not compared further.
[[nodiscard]] std::vector<Change> response_changes(const ComparedResponse& a, const ComparedResponse& b);

}  // namespace tapedeck::tools
