#pragma once
// Conditions and ranges of a request (RFC 9110 §13.1, §14.2), and the answers that only they explain (semantics §4).

#include <string>

#include "http/message/message.h"

namespace tapedeck::api {

/// Everything in these headers that makes an answer conditional or partial, as one text in a fixed order:
/// "If-None-Match: \"v1\"\n". Empty without any.
[[nodiscard]] std::string conditions_of(const http::Headers& request);

/// 304, 412, 206 and 416: to a request with a condition or range they answer that one alone.
[[nodiscard]] bool answers_condition(int status);

}  // namespace tapedeck::api
