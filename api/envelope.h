#pragma once
// Reads and writes the JSON envelope of responses, and its error codes (docs/device-notes.md, "Responses").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::api {

enum class ErrorCode : int {
  unknown = 100,
  missing_api_method_or_version = 101,
  no_such_api = 102,
  no_such_method = 103,
  version_not_supported = 104,
  no_permission = 105,
  session_timed_out = 106,
  session_displaced = 107,
  parameter_missing = 114,
  session_not_found = 119,
  invalid_parameter = 120,
  auth_code_needed = 403,
  wrong_auth_code = 404,
  auth_code_enforced = 406,
  password_over = 408,
  password_must_change = 409,
  password_expired = 410,
};

/// Returns true for 106, 107, and 119, which report the end of a session.
[[nodiscard]] bool ends_session(std::optional<int> error_code);

/// Returns true for the error codes of a login whose password is right but not sufficient: a two-factor code is
/// required, or the password has expired.
[[nodiscard]] bool accepts_password(std::optional<int> error_code);

/// The result in an envelope. verdict() returns nothing for a body that is not a JSON object with "success".
struct Verdict {
  bool success = false;
  std::optional<int> error_code;
};
[[nodiscard]] std::optional<Verdict> verdict(std::string_view body);

/// Returns `{"data":DATA,"success":true}`, or `{"success":true}` without data. `data` is JSON text and is inserted
/// unchanged.
[[nodiscard]] std::string success_envelope(std::string_view data = {});
/// Returns `{"error":{"code":N},"success":false}`, with `"errors":ERRORS` if this JSON text is not empty.
[[nodiscard]] std::string error_envelope(ErrorCode code, std::string_view errors = {});
/// Returns the responses to the parts of a compound, in order, as parts of `body`. Each has `success`, and either
/// `data` or `error`. Returns nothing if `body` is not the response to a compound.
[[nodiscard]] std::optional<std::vector<std::string_view>> compound_answers(std::string_view body);
/// Returns the session IDs in a login's response: in the body, which must not be compressed, and in its cookies.
[[nodiscard]] std::vector<std::string> login_ids(const http::Response& answer);

/// The Content-Type that devices send with an envelope.
inline constexpr std::string_view json_content_type = "application/json; charset=\"UTF-8\"";

}  // namespace tapedeck::api
