#pragma once
// The answer envelope and its error codes (field notes, "Answers").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// 106, 107 and 119 tell of the end of one session (semantics §2).
[[nodiscard]] bool ends_session(std::optional<int> error_code);

/// Returns true for the codes of a refused login whose password was right: more is asked for.
[[nodiscard]] bool accepts_password(std::optional<int> error_code);

/// What a body says of itself, read without a DOM; nothing for a body that is no JSON object with "success".
struct Verdict {
  bool success = false;
  std::optional<int> error_code;
};
[[nodiscard]] std::optional<Verdict> verdict(std::string_view body);

/// `{"data":DATA,"success":true}`; without data, `{"success":true}`. `data` is JSON text, put in as it is.
[[nodiscard]] std::string success_envelope(std::string_view data = {});
/// `{"error":{"code":N},"success":false}`, with `"errors":ERRORS` when that JSON text is not empty.
[[nodiscard]] std::string error_envelope(ErrorCode code, std::string_view errors = {});
/// The answers to the parts of a compound call, in order, within `body`: each has `success`, and `data` or `error`.
/// Nothing for what is no compound's answer.
[[nodiscard]] std::optional<std::vector<std::string_view>> compound_answers(std::string_view body);
/// What devices send with it: `application/json; charset="UTF-8"`.
inline constexpr std::string_view json_content_type = "application/json; charset=\"UTF-8\"";

}  // namespace tapedeck::api
