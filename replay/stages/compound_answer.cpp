#include "replay/stages/compound_answer.h"

#include <algorithm>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "api/request_key.h"
#include "base/text.h"
#include "replay/stages/device_knowledge.h"

namespace tapedeck::replay {
namespace {

std::string_view word(bool value) { return value ? "true" : "false"; }

bool has_failed(const CompoundPart& part) { return !part.success; }

}  // namespace

CompoundPart compound_part(const api::Call& call, std::string_view body) {
  const auto verdict = api::verdict(body);
  CompoundPart part;
  part.success = verdict && verdict->success;
  const auto told = api::json_member(body, part.success ? "data" : "error");
  part.text = "{\"api\":" + api::json_quoted(call.api());
  if (part.success && told) part.text.append(",\"data\":").append(*told);
  if (!part.success) part.text.append(",\"error\":").append(verdict && told ? *told : "{\"code\":100}");
  part.text.append(",\"method\":").append(api::json_quoted(call.method()));
  part.text.append(",\"success\":").append(word(part.success));
  const auto version = base::whole_number<int>(call.version());
  part.text.append(",\"version\":").append(version ? std::to_string(*version) : api::json_quoted(call.version()));
  part.text += "}";
  return part;
}

std::string compound_answer(const std::vector<CompoundPart>& parts) {
  std::string result;
  for (const CompoundPart& part : parts) result.append(result.empty() ? "" : ",").append(part.text);
  const bool has_fail = std::any_of(parts.begin(), parts.end(), has_failed);
  return api::success_envelope("{\"has_fail\":" + std::string(word(has_fail)) + ",\"result\":[" + result + "]}");
}

bool is_sequential(const api::Call& compound) {
  return api::canonical_value(compound.value("mode").value_or("")) != "parallel";
}

}  // namespace tapedeck::replay
