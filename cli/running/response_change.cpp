#include "cli/running/response_change.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/reports/cassette_text.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/content/rewrite.h"

namespace tapedeck::cli {
namespace {

using scrubbers::InteractionRecord;

bool is_same_response(const InteractionRecord& a, const InteractionRecord& b) {
  const auto response = [](const InteractionRecord& one) {
    return std::tie(one.response.status, one.response.reason, one.response.headers, one.response.body, one.redactions,
                    one.completeness);
  };
  return response(a) == response(b);
}

/// Copies everything that belongs to the response from `changed` to `record`.
void take_response(const InteractionRecord& changed, InteractionRecord& record) {
  record.response = changed.response;
  record.redactions = changed.redactions;
  record.events = changed.events;
  record.completeness = changed.completeness;
  record.reason = changed.reason;
  record.withheld_digest = changed.withheld_digest;
  record.withheld_bytes = changed.withheld_bytes;
  record.ended_by_client = changed.ended_by_client;
}

}  // namespace

int change_response(const ResponseChangeOptions& options, const std::function<bool(InteractionRecord&)>& change) {
  cassettes::Rewriting rewriting(options.cassette);
  const cassettes::CassetteReader& reader = rewriting.reader();
  const auto scrubber = scrubber_for(options.rules, reader.info());
  const auto [line, old] = interaction_named(reader, options.cassette, options.id);
  InteractionRecord changed = old;
  if (!change(changed) || is_same_response(old, changed)) {
    if (options.json) {
      const nlohmann::ordered_json out = {{"cassette", options.cassette}, {"changed", false}};
      cli::print_json(out);
    } else {
      std::cout << "Nothing to change\n";
    }
    return fine;
  }
  tools::Edited edited(rewriting.content(), {{tools::id_number(line.id),
                                              [&](InteractionRecord& record) { take_response(changed, record); }}});
  return report_rewrite(rewrite(rewriting, edited, scrubber.get()), options.cassette, options.json);
}

}  // namespace tapedeck::cli
