#include "scrubbers/login_holes.h"

#include <algorithm>

#include "http/message/urlencoded.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/search/message_structure.h"

namespace tapedeck::scrubbers {

std::vector<api::Hole> login_holes(const http::Request& request, std::string_view secret, bool is_call) {
  std::vector<api::Hole> holes;
  if (secret.size() < SecretSearch::shortest_token) return holes;
  LearnedSecrets learned;
  static_cast<void>(learned.note(secret, SecretClass::password, Learning::accepted));
  const auto add = [&](api::RequestPart part, std::string_view text, TextKind kind) {
    SearchHits hits;
    learned.search().search(text, hits, structure_test(learned, text, kind));
    for (const SearchHit& hit : hits.take()) {
      holes.push_back({part, {hit.begin, hit.end - hit.begin}, std::string(login_label)});
    }
  };
  add(api::RequestPart::target, request.target, {Part::request_target, is_call, false});
  add(api::RequestPart::body, request.body, {Part::request_body, is_call, http::is_form(request.headers)});
  return holes;
}

bool has_login_hole(const InteractionRecord& record) {
  const std::vector<api::Hole> holes = holes_of(record);
  return std::any_of(holes.begin(), holes.end(), [](const api::Hole& hole) { return hole.label == login_label; });
}

}  // namespace tapedeck::scrubbers
