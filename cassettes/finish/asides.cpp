#include "cassettes/finish/asides.h"

#include <algorithm>

#include "api/envelope.h"
#include "cassettes/file/part_key.h"
#include "cassettes/finish/request_secrets.h"

namespace tapedeck::cassettes {

namespace {

bool may_be_compound(const scrubbers::InteractionRecord& record) {
  return record.key.text.find("Entry.Request/") != std::string::npos;
}

std::optional<int> code_of(const api::Verdict& verdict) {
  return verdict.success ? 0 : verdict.error_code.value_or(static_cast<int>(api::ErrorCode::unknown));
}

std::vector<FoundAside> parts_of(const scrubbers::InteractionRecord& record, const api::KeyPolicy& policy) {
  std::vector<FoundAside> found;
  const auto call = api::Call::from(record.request, {}, scrubbers::holes_of(record));
  if (!call || !call->is_compound()) return found;
  const auto calls = call->parts();
  const auto answers = api::compound_answers(record.response.body);
  if (!calls || !answers) return found;
  const auto indexed = record.key.has_holes ? api::Call::from(record.request, {}, indexed_holes(record)) : std::nullopt;
  const auto indexed_parts = indexed ? indexed->parts() : std::nullopt;
  for (std::uint32_t i = 0; i < calls->size() && i < answers->size(); ++i) {
    const api::Call& part = (*calls)[i];
    const auto verdict = api::verdict((*answers)[i]);
    if (!verdict || !part.complete() || part.is_login() || part.is_compound()) continue;
    Aside aside;
    aside.place = i + 1;
    aside.effect = api::WriteGuard::effect(part);
    aside.error_code = code_of(*verdict);
    found.push_back({part_key(policy.key(part)), aside, {}, 0});
    if (!indexed_parts || i >= indexed_parts->size()) continue;
    found.back().secrets = redactions_in(policy.key((*indexed_parts)[i]), record);
    if (!found.back().secrets.empty()) found.back().response = response_mark(record, (*answers)[i]);
  }
  return found;
}

}  // namespace

std::vector<FoundAside> asides_of(const scrubbers::InteractionRecord& record, const api::KeyPolicy& policy) {
  const bool is_complete = record.completeness == api::Completeness::complete;
  return is_complete && may_be_compound(record) ? parts_of(record, policy) : std::vector<FoundAside>();
}

std::optional<int> end_of_session(std::span<const Aside> its) {
  const auto tells_of_end = [](const Aside& aside) { return api::ends_session(aside.error_code); };
  if (its.empty() || !std::all_of(its.begin(), its.end(), tells_of_end)) return std::nullopt;
  return its.front().error_code;
}

}  // namespace tapedeck::cassettes
