#include "inspector/recorded_view.h"

#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "http/message/urlencoded.h"
#include "inspector/shown.h"
#include "journal/kept_record.h"

namespace tapedeck::inspector {

using nlohmann::json;
using scrubbers::Part;

json recorded_answer(const cassettes::FullInteraction& recorded, std::uint64_t from) {
  const http::Response& answer = recorded.record.response;
  const auto marks = journal::marks_of(recorded.record, Part::response_body);
  return {{"body", shown_body({answer.body, marks, answer.body.size()}, from, {})},
          {"headers", shown_headers(answer.headers.to_text(), {})},
          {"reason", answer.reason},
          {"status", answer.status}};
}

json recorded_request(const cassettes::FullInteraction& recorded) {
  const http::Request& request = recorded.record.request;
  return {{"headers", shown_headers(request.headers.to_text(), {})},
          {"parameters", shown_parameters(recorded.line.key)},
          {"path", http::split_target(request.target).path},
          {"verb", request.method}};
}

json recorded_facts(const cassettes::FullInteraction& recorded, const std::string& cassette) {
  const cassettes::ListedInteraction& line = recorded.line;
  json facts = {{"cassette", cassette},
                {"id", line.id},
                {"key", line.key},
                {"lane", line.lane},
                {"take", line.take},
                {"redactions", line.redactions},
                {"recorded_us", line.started_us},
                {"took_us", line.ended_us - line.started_us}};
  if (line.session > 0) facts["session"] = line.session;
  if (!line.scope.empty()) facts["scope"] = api::shown_scope(line.scope);
  return facts;
}

json listed(const cassettes::ListedInteraction& line, bool played) {
  json one = {{"bytes", line.body_bytes},
              {"completeness", api::to_string(line.completeness)},
              {"id", line.id},
              {"played", played},
              {"status", line.status}};
  if (line.error_code) one["code"] = *line.error_code;
  if (!line.reason.empty()) one["reason"] = line.reason;
  return one;
}

}  // namespace tapedeck::inspector
