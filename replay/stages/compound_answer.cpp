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

std::optional<CompoundAnswer> CompoundAnswer::read(std::string body) {
  CompoundAnswer answer(std::move(body));
  const auto parts = api::compound_answers(answer.body_);
  if (!parts) return std::nullopt;
  answer.parts_.resize(parts->size());
  return answer;
}

std::string CompoundAnswer::envelope(std::size_t place) const {
  const std::string_view part = api::compound_answers(body_)->at(place);
  if (api::json_member(part, "success") == "true") {
    return api::success_envelope(api::json_member(part, "data").value_or(std::string_view()));
  }
  const std::string_view error = api::json_member(part, "error").value_or("{\"code\":100}");
  return "{\"error\":" + std::string(error) + ",\"success\":false}";
}

std::string CompoundAnswer::text() const {
  struct Splice {
    std::string_view old;  ///< view into body_
    std::string_view now;
  };
  const auto answers = api::compound_answers(body_);
  std::vector<Splice> splices;
  bool has_fail = false;
  for (std::size_t place = 0; place < parts_.size(); ++place) {
    const std::string_view old = answers->at(place);
    const auto& part = parts_[place];
    has_fail = has_fail || (part ? has_failed(*part) : api::json_member(old, "success") != "true");
    if (part) splices.push_back({old, part->text});
  }
  const auto data = api::json_member(body_, "data");
  if (const auto said = data ? api::json_member(*data, "has_fail") : std::nullopt) {
    splices.push_back({*said, word(has_fail)});
  }
  std::sort(splices.begin(), splices.end(),
            [](const Splice& left, const Splice& right) { return left.old.data() < right.old.data(); });
  std::string text;
  const char* copied = body_.data();
  for (const Splice& splice : splices) {
    text.append(copied, splice.old.data()).append(splice.now);
    copied = splice.old.data() + splice.old.size();
  }
  return text.append(copied, body_.data() + body_.size());
}

}  // namespace tapedeck::replay
