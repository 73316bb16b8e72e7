#include <algorithm>

#include "api/json_spans.h"
#include "base/text.h"
#include "replay/stages/fallbacks.h"

namespace tapedeck::replay {
namespace {

void append_words(std::vector<std::string>& words, std::string_view text) {
  while (!text.empty()) {
    if (const std::string_view word = base::take_until(text, ' '); !word.empty()) words.emplace_back(word);
  }
}

}  // namespace

StageResult Fallback::answer(RequestContext& context, ThreadState& thread) {
  const api::Call* const call = context.parsed().call();
  if (call == nullptr || !call->complete() || !call->is(spec_.api, spec_.method)) return pass_on();
  // A recording that cannot be replayed must not be replaced silently.
  if (context.notes.is_recorded()) return pass_on();
  const Judgement judgement = knowledge_.judge(*call, thread);
  if (judgement.certain || judgement.code == api::ErrorCode::version_not_supported) return pass_on();
  return reply_with(Reply::json(Outcome::fallback, api::success_envelope(data_(*call))));
}

std::vector<Fallback> fallbacks(DeviceKnowledge& knowledge) {
  const auto of = [&knowledge](std::string_view api, std::string_view method, Fallback::Data data) {
    return Fallback(*api::operation_spec(api, method), data, knowledge);
  };
  return {of("Core.SecurityScan.Status", "rule_get", rules_data), of("Core.Network", "get", network_data),
          of("Core.AppPortal", "list", portal_data)};
}

std::vector<std::string> words_of(std::string_view value) {
  const std::string canonical = api::canonical_value(value);
  std::vector<std::string> words;
  const auto elements = api::json_elements(canonical);
  if (!elements) {
    append_words(words, canonical);
    return words;
  }
  for (const std::string_view element : *elements) {
    if (element.size() > 2 && element.starts_with('"')) append_words(words, element.substr(1, element.size() - 2));
  }
  return words;
}

}  // namespace tapedeck::replay
