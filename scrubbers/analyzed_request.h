#pragma once
// The result of Scrubber::learn(), for scrub(): a parsed request with all its secrets. It is never stored or logged.

#include <optional>
#include <string>

#include "api/call.h"
#include "api/write_guard.h"
#include "http/message/message.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"

namespace tapedeck::scrubbers {

struct AnalyzedRequest {
  http::Request request;  ///< decoded, with only the headers that are stored; nothing is replaced
  std::string problem;    ///< why its body cannot be kept
  std::optional<api::Call> call;
  CallContext context;
  NamedFinds finds;                         ///< finds in the parts of the request
  api::Effect effect = api::Effect::write;  ///< a body that cannot be decoded counts as a write
  bool searched = true;                     ///< false: the search failed, so nothing of the request may be kept
};

}  // namespace tapedeck::scrubbers
