#pragma once
// A request that was taken apart once, secrets and all: what Scrubber::learn() found in it, for the scrub() of its
// interaction. Never stored, never logged.

#include <optional>
#include <string>

#include "api/call.h"
#include "api/write_guard.h"
#include "http/message/message.h"
#include "scrubbers/rules/compiled_rules.h"
#include "scrubbers/rules/named_finds.h"

namespace tapedeck::scrubbers {

struct SeenRequest {
  http::Request request;  ///< decoded, with the headers that are stored; nothing replaced
  std::string problem;    ///< why its body cannot be kept
  std::optional<api::Call> call;
  CallContext context;
  NamedFinds finds;                         ///< of the request's parts
  api::Effect effect = api::Effect::write;  ///< a body that cannot be decoded is a write: it may ask for anything
  bool searched = true;                     ///< false: the search failed, nothing of the request may be kept
};

}  // namespace tapedeck::scrubbers
