#include "cassettes/finish/request_secrets.h"

#include <algorithm>
#include <cstring>

#include "api/transcript.h"
#include "base/digest.h"
#include "base/text.h"

namespace tapedeck::cassettes {

namespace {

using scrubbers::Part;
using scrubbers::Redaction;
using scrubbers::Whose;

bool is_of_request(const Redaction& row) {
  return (row.part == Part::request_target || row.part == Part::request_body) &&
         row.secret_class != scrubbers::SecretClass::private_data;
}

/// Returns true for a value of the interaction's own session. The session already distinguishes such values.
bool is_own(const Redaction& row) { return row.whose == Whose::own; }

}  // namespace

std::uint32_t connection_of(const scrubbers::InteractionRecord& record) {
  if (!api::is_socket_io(record.request.target)) return 0;
  for (const Redaction& row : record.redactions) {
    if (row.part != Part::request_target || row.whose != Whose::none) continue;
    const std::string_view before = std::string_view(record.request.target).substr(0, row.offset);
    if (before.ends_with("?sid=") || before.ends_with("&sid=")) return row.ordinal + 1;
  }
  return 0;
}

std::vector<api::Hole> indexed_holes(const scrubbers::InteractionRecord& record) {
  std::vector<api::Hole> holes;
  for (std::size_t i = 0; i < record.redactions.size(); ++i) {
    const Redaction& row = record.redactions[i];
    if (!is_of_request(row)) continue;
    const auto part = row.part == Part::request_target ? api::RequestPart::target : api::RequestPart::body;
    holes.push_back({part, {row.offset, row.length}, std::to_string(i)});
  }
  return holes;
}

std::vector<Redaction> redactions_in(const api::RequestKey& key, const scrubbers::InteractionRecord& record) {
  std::vector<Redaction> rows;
  const std::string& text = key.text;
  // All other `<` are escaped.
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = std::min(text.find('>', at), text.size());
    const auto index = base::whole_number<std::size_t>(std::string_view(text).substr(at + 1, end - at - 1));
    rows.push_back(index && *index < record.redactions.size() ? record.redactions[*index] : Redaction{});
  }
  return rows;
}

std::uint64_t response_mark(const scrubbers::InteractionRecord& record, std::string_view text) {
  const auto begin = static_cast<std::size_t>(text.data() - record.response.body.data());
  std::string all = std::to_string(record.response.status) + "\n";
  for (const Redaction& row : record.redactions) {
    if (row.part != Part::response_body || row.offset < begin || row.offset >= begin + text.size()) continue;
    all += scrubbers::secret_text(row) + "\n";
  }
  const base::Sha256 digest = base::sha256(all.append("\n").append(text));
  std::uint64_t mark = 0;
  std::memcpy(&mark, digest.data(), sizeof mark);
  return mark;
}

RequestSecrets::Name RequestSecrets::name_of(const Place& place, const Redaction& redaction) {
  return {
      place.first,     place.second,     static_cast<int>(redaction.secret_class), static_cast<int>(redaction.whose),
      redaction.owner, redaction.ordinal};
}

void RequestSecrets::note(const Place& place, const scrubbers::InteractionRecord& record) {
  for (const Redaction& row : record.redactions) {
    if (row.part < Part::response_reason || is_own(row) || row.shape.empty()) continue;
    handed_out_.try_emplace(name_of(place, row), row.shape);
  }
}

std::uint32_t RequestSecrets::add(const Place& place, std::vector<Redaction> holes, std::uint64_t response,
                                  std::string headers) {
  if (std::all_of(holes.begin(), holes.end(), is_own)) return 0;
  all_.push_back({place, std::move(holes), {{}, std::move(headers), {}, response}});
  return static_cast<std::uint32_t>(all_.size() - 1);
}

void RequestSecrets::compute(const std::function<void(const Place&, Redaction&)>& renumber) {
  for (One& one : all_) {
    bool has_identity = false;
    std::string identity;
    for (Redaction& hole : one.holes) {
      const auto known = is_own(hole) ? handed_out_.end() : handed_out_.find(name_of(one.place, hole));
      renumber(one.place, hole);
      const std::string text = scrubbers::secret_text(hole);
      if (known == handed_out_.end() && !is_own(hole)) one.result.others += text + " ";
      const bool is_known = known != handed_out_.end();
      has_identity = has_identity || is_known;
      identity += identity.empty() ? "" : " ";
      identity += is_known ? text + "/" + known->second : "-";
    }
    if (has_identity) one.result.identity = std::move(identity);
    std::vector<Redaction>().swap(one.holes);
  }
}

}  // namespace tapedeck::cassettes
