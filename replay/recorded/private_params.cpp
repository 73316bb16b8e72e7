#include "replay/recorded/private_params.h"

#include <algorithm>

#include "api/call.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Part;

bool holds_pseudonym(const scrubbers::InteractionRecord& record, const api::Param& param) {
  const Part part = param.part == api::RequestPart::target ? Part::request_target : Part::request_body;
  return std::any_of(record.redactions.begin(), record.redactions.end(), [&](const scrubbers::Redaction& row) {
    return row.part == part && row.secret_class == scrubbers::SecretClass::private_data &&
           row.offset < param.raw.offset + param.raw.length && param.raw.offset < row.offset + row.length;
  });
}

}  // namespace

std::set<std::string, std::less<>> private_params(const cassettes::CassetteReader& reader, std::string_view key_text,
                                                  std::string_view scope) {
  std::set<std::string, std::less<>> names;
  const auto sequences = reader.sequences(key_text, scope);
  const auto played =
      std::find_if(sequences.begin(), sequences.end(), [](const auto& sequence) { return sequence.count > 0; });
  if (played == sequences.end()) return names;
  const auto full = reader.get(reader.answer(*played, 0).id);
  const auto call = full ? api::Call::from(full->record.request) : std::nullopt;
  if (!call) return names;
  for (const api::Param& param : call->params()) {
    if (holds_pseudonym(full->record, param)) names.insert(param.name);
  }
  return names;
}

}  // namespace tapedeck::replay
