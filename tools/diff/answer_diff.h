#pragma once
// Two answers to one call compared: status, headers, envelope, body.

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "http/message/message.h"
#include "tools/diff/change.h"

namespace tapedeck::tools {

struct ComparedAnswer {
  int status = 200;
  http::Headers headers;
  std::string body;
  std::int64_t at_us = 0;  ///< when it came, microseconds since the epoch: what clocks in it are compared with
  bool complete = true;
  std::string state;  ///< of one that is not complete: "broken", "withheld"
};

[[nodiscard]] ComparedAnswer compared(const cassettes::FullInteraction& full);
/// True when there is nothing to compare further: headers that say nothing of the content left aside.
[[nodiscard]] bool is_same(const ComparedAnswer& a, const ComparedAnswer& b);
/// Content-Type, Location and what else says how a client has to read the answer; not Date, ETag, cookies or lengths.
[[nodiscard]] bool is_compared_header(std::string_view name);
[[nodiscard]] http::Headers compared_headers(const http::Headers& headers);

/// Where the envelopes say different things (success, an error code), that is all that is said of the bodies.
[[nodiscard]] std::vector<Change> answer_changes(const ComparedAnswer& a, const ComparedAnswer& b);

}  // namespace tapedeck::tools
