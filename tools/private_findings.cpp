#include "tools/private_findings.h"

#include "cassettes/finish/finish.h"
#include "scrubbers/private/private_shapes.h"

namespace tapedeck::tools {
namespace {

void add_findings(const cassettes::FullInteraction& full, scrubbers::PrivateProfile& profile,
                  std::vector<PrivateFinding>& findings) {
  scrubbers::InteractionRecord record = full.record;
  if (scrubbers::holds_position(record.response.body)) {
    findings.push_back(
        {full.line.id, profile.applied(full.line.key), scrubbers::Part::response_body, "private-picture-position", 1});
  }
  if (!profile.apply(record)) return;
  for (const cassettes::Added& added : cassettes::added_redactions(full.record.redactions, record.redactions)) {
    findings.push_back({full.line.id, profile.applied(full.line.key), added.part, added.rule, added.count});
  }
}

}  // namespace

std::vector<PrivateFinding> private_findings(const cassettes::CassetteReader& cassette,
                                             const scrubbers::PrivateOptions& options) {
  scrubbers::PrivateProfile profile({options.keep, options.replace, std::nullopt, false});
  std::uint64_t known = 0;
  std::vector<PrivateFinding> findings;
  // A later interaction may show that a value in an earlier one is private.
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds && (round == 0 || known != profile.generation()); ++round) {
    known = profile.generation();
    findings.clear();
    cassette.each([&](const cassettes::FullInteraction& full) {
      add_findings(full, profile, findings);
      return true;
    });
  }
  return findings;
}

}  // namespace tapedeck::tools
