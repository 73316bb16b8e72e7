#pragma once
// A parsed request with all secrets: what Scrubber::learn() found in it, for scrub(). Never stored or logged.

#include <optional>
#include <string>

#include "api/call.h"
#include "api/write_guard.h"
#include "http/message/message.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"

namespace tapedeck::scrubbers {

struct SeenRequest {
  http::Request request;  ///< decoded, with the headers that are stored; nothing is replaced
  std::string problem;    ///< why its body cannot be kept
  std::optional<api::Call> call;
  CallContext context;
  NamedFinds finds;                         ///< in the parts of the request
  api::Effect effect = api::Effect::write;  ///< a body that cannot be decoded counts as a write
  bool searched = true;                     ///< false: the search failed, so nothing of the request may be kept
};

}  // namespace tapedeck::scrubbers
