#include "replay/recorded/header_match.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "http/message/urlencoded.h"
#include "replay/recorded/match.h"
#include "scrubbers/header_checks.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Redaction;
using scrubbers::SecretClass;

/// Returns a value with the session's own values as holes.
std::string with_own_holes(std::string_view value, const Session& session) {
  const std::array<std::pair<std::string_view, SecretClass>, 3> own = {{{session.id(), SecretClass::session_id},
                                                                        {session.csrf_token(), SecretClass::csrf_token},
                                                                        {session.device_id(), SecretClass::device_id}}};
  std::string text;
  while (!value.empty()) {
    std::size_t begin = base::npos, size = 0;
    std::string hole;
    for (const auto& [secret, secret_class] : own) {
      const std::size_t at = secret.empty() ? base::npos : value.find(secret);
      if (at >= begin) continue;
      begin = at;
      size = secret.size();
      Redaction row;
      row.secret_class = secret_class;
      row.whose = scrubbers::Whose::own;
      hole = api::header_hole(scrubbers::hole_label(row));
    }
    text += api::header_piece(value.substr(0, begin)) + hole;
    value.remove_prefix(std::min(value.size(), begin == base::npos ? value.size() : begin + size));
  }
  return text;
}

/// Reads the text in a hole of RequestIdentities::of(). Returns nothing for a value of the request's own session.
std::optional<Redaction> redaction_in(std::string_view hole) {
  if (hole.find('/') == base::npos) return std::nullopt;
  return scrubbers::secret_in(hole);
}

HeaderMatch value_match(std::string_view recorded, std::string_view sent, const std::string& origin) {
  if (recorded == sent) return HeaderMatch::exact;
  std::string expected;
  std::string check;
  for (std::size_t at = 0; at < recorded.size();) {
    const std::size_t open = std::min(recorded.find('<', at), recorded.size());
    expected += recorded.substr(at, open - at);
    const std::size_t close = std::min(recorded.find('>', open), recorded.size());
    at = close + 1;
    if (close == recorded.size()) break;
    const std::string_view hole = recorded.substr(open + 1, close - open - 1);
    auto row = redaction_in(hole);
    const auto shape = scrubbers::CheckedShape::of(row ? std::string_view(row->shape) : std::string_view());
    if (open == 0 && at == recorded.size()) check = shape.check;
    if (row) row->shape = std::string(shape.shape);
    expected += row && !row->shape.empty() ? api::header_piece(stand_in(*row, origin)) : api::header_hole(hole);
  }
  // A short stand-in may by chance be a value that another client sends.
  constexpr std::size_t shortest_stand_in = 8;
  if (expected == sent && (check.empty() || sent.size() >= shortest_stand_in)) return HeaderMatch::exact;
  if (check.empty()) return fits_pattern(sent, recorded) ? HeaderMatch::redacted : HeaderMatch::none;
  const std::string value = http::percent_decode(sent, false);
  return scrubbers::CheckedShape{{}, check}.confirms(value) ? HeaderMatch::exact : HeaderMatch::none;
}

/// Returns a text that is equal for requests with the same secrets outside of their headers.
std::string secrets_of(const std::vector<Redaction>& rows) {
  std::string text;
  for (const Redaction& row : rows) {
    if (row.part == scrubbers::Part::request_headers || row.whose == scrubbers::Whose::own) continue;
    text += scrubbers::secret_text(row) + " ";
  }
  return text;
}

FoundSequence chosen_places(const cassettes::SequenceInfo& sequence, const std::vector<cassettes::SequencePlace>& all) {
  constexpr int bits_of_row = 40;  // distinguishes the parts of a sequence, and from every whole one
  std::vector<const cassettes::SequencePlace*> played, skipped;
  for (const cassettes::SequencePlace& place : all) {
    if (place.position < sequence.count) played.push_back(&place);
    if (place.position >= sequence.count && place.position < sequence.count + sequence.passed_over)
      skipped.push_back(&place);
  }
  FoundSequence found;
  found.info = sequence;
  found.info.id += (std::int64_t{all.front().position} + 1) << bits_of_row;
  found.info.hidden = static_cast<std::uint32_t>(all.size() - played.size() - skipped.size());
  if (played.empty()) played.swap(skipped);
  found.info.count = static_cast<std::uint32_t>(played.size());
  found.info.passed_over = static_cast<std::uint32_t>(skipped.size());
  found.info.succeeded = std::any_of(played.begin(), played.end(), [](const auto* one) { return one->succeeded; });
  found.info.many_sessions = std::any_of(played.begin(), played.end(), [&](const auto* one) {
    return one->facts.session != played.front()->facts.session;
  });
  if (!played.empty()) found.info.first_error = played.front()->facts.error_code;
  auto merged = std::make_shared<FoundSequence::Merged>();
  merged->members.push_back(sequence);
  for (const auto* one : played) merged->places.push_back({0, one->position, one->segment, one->facts});
  found.merged = std::move(merged);
  return found;
}

}  // namespace

std::string identity_of(const api::IdentityHeaders& names, const http::Headers& headers, const Session& session) {
  std::string text;
  for (const api::HeaderValue& one : names.values_of(headers)) {
    api::append_header(text, one.name, with_own_holes(one.value, session));
  }
  return text;
}

HeaderMatch header_match(std::string_view recorded, std::string_view sent, const std::string& origin) {
  HeaderMatch match = HeaderMatch::exact;
  while (recorded != sent) {
    std::string_view a = base::take_until(recorded, '\n'), b = base::take_until(sent, '\n');
    const std::string_view name = base::take_until(a, ':'), other = base::take_until(b, ':');
    if (name != other) return HeaderMatch::none;
    match = std::min(match, value_match(a, b, origin));
    if (match == HeaderMatch::none) break;
  }
  return match;
}

std::vector<HeaderPart> parts_by_headers(const cassettes::CassetteReader& reader,
                                         const cassettes::RequestIdentities& identities,
                                         const cassettes::SequenceInfo& sequence) {
  std::vector<HeaderPart> parts;
  std::map<std::string, std::vector<cassettes::SequencePlace>> places;  // by text
  if (!identities.empty()) {
    for (const cassettes::SequencePlace& place : reader.places(sequence)) {
      places[identities.of(reader, place.request_headers, place.interaction)].push_back(place);
    }
  }
  for (const auto& [headers, all] : places) {
    if (places.size() > 1) parts.push_back({headers, chosen_places(sequence, all)});
  }
  if (parts.empty()) {
    HeaderPart& whole = parts.emplace_back();
    if (!places.empty()) whole.headers = places.begin()->first;
    whole.sequence.info = sequence;
  }
  for (HeaderPart& part : parts) {
    if (!sequence.is_ambiguous) break;
    for (const cassettes::SequencePlace& place : places[part.headers]) {
      part.sequence.request_secrets.insert(secrets_of(reader.request_redactions(place.interaction)));
    }
  }
  return parts;
}

}  // namespace tapedeck::replay
