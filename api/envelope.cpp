#include "api/envelope.h"

#include <algorithm>

#include "api/json_patch.h"
#include "api/json_spans.h"
#include "api/json_splice.h"
#include "base/text.h"

namespace tapedeck::api {
namespace {

/// Many devices write numbers as strings (docs/device-notes.md, "Responses").
std::optional<int> error_code_of(std::string_view text) {
  const auto code = base::whole_number<int>(base::trim(text, "\""));
  return code && *code >= 0 ? code : std::nullopt;
}

/// Returns true for JSON. Old firmware sends names that are not UTF-8, which the parser refuses.
bool is_valid(std::string_view body) {
  if (is_json_text(body)) return true;
  std::string ascii = with_paired_surrogates(body);
  std::replace_if(
      ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return is_json_text(ascii);
}

}  // namespace

bool ends_session(std::optional<int> error_code) {
  return error_code == static_cast<int>(ErrorCode::session_timed_out) ||
         error_code == static_cast<int>(ErrorCode::session_displaced) ||
         error_code == static_cast<int>(ErrorCode::session_not_found);
}

bool accepts_password(std::optional<int> error_code) {
  static constexpr ErrorCode codes[] = {ErrorCode::auth_code_needed,     ErrorCode::wrong_auth_code,
                                        ErrorCode::auth_code_enforced,   ErrorCode::password_over,
                                        ErrorCode::password_must_change, ErrorCode::password_expired};
  return error_code &&
         std::find(std::begin(codes), std::end(codes), static_cast<ErrorCode>(*error_code)) != std::end(codes);
}

std::optional<Verdict> verdict(std::string_view body) {
  // Clients skip a byte order mark.
  if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
  const auto members = look_inside(body, json_root(body));
  if (!members || !members->is_object) return std::nullopt;
  const auto value_of = [&](std::string_view name) {
    const auto slot = slot_of(*members, name);
    const http::Span value = slot ? members->slots[*slot].value() : http::Span{};
    return body.substr(value.offset, value.length);
  };
  const std::string_view success = value_of("success");
  if ((success != "true" && success != "false") || !is_valid(body)) return std::nullopt;
  return Verdict{success == "true", error_code_of(json_member(value_of("error"), "code").value_or(""))};
}

std::string success_envelope(std::string_view data) {
  if (data.empty()) return R"({"success":true})";
  return std::string(R"({"data":)").append(data).append(R"(,"success":true})");
}

std::string error_envelope(ErrorCode code, std::string_view errors) {
  std::string body = R"({"error":{"code":)" + std::to_string(static_cast<int>(code));
  if (!errors.empty()) body.append(R"(,"errors":)").append(errors);
  return body + R"(},"success":false})";
}

std::optional<std::vector<std::string_view>> compound_answers(std::string_view body) {
  const auto data = json_member(body, "data");
  const auto result = data ? json_member(*data, "result") : std::nullopt;
  return result ? json_elements(*result) : std::nullopt;
}

std::vector<std::string> login_ids(const http::Response& answer) {
  std::vector<std::string> ids;
  const auto data = json_member(answer.body, "data");
  for (const char* const name : {"sid", "sharing_sid"}) {
    const auto sid = data ? json_member(*data, name) : std::nullopt;
    if (sid && sid->size() > 2 && sid->front() == '"') ids.emplace_back(sid->substr(1, sid->size() - 2));
  }
  for (const std::string_view line : answer.headers.all("Set-Cookie")) {
    const std::string_view pair = base::trim(line.substr(0, line.find(';')));
    for (const std::string_view name : {"id=", "PHPSESSID=", "sharing_sid="}) {
      if (pair.starts_with(name) && pair.size() > name.size()) ids.emplace_back(pair.substr(name.size()));
    }
  }
  return ids;
}

}  // namespace tapedeck::api
