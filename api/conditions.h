#pragma once
// Handles conditions and ranges of a request (RFC 9110 §13.1, §14.2), and the responses that depend on them
// (docs/replay.md, "Details of HTTP").

#include <string>

#include "http/message/message.h"

namespace tapedeck::api {

/// Returns the headers that make a response conditional or partial, as one text in a fixed order:
/// "If-None-Match: \"v1\"\n". Empty if there are none.
[[nodiscard]] std::string conditions_of(const http::Headers& request);

/// Returns true for 304, 412, 206, and 416, which are only valid for a request with the same condition or range.
[[nodiscard]] bool answers_condition(int status);

}  // namespace tapedeck::api
