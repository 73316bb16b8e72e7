#include "cli/reports/cassette_text.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/paint.h"
#include "cli/terminal.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::cli {

std::string status_text(const cassettes::ListedInteraction& line) {
  if (line.status == 0) return "-";
  const bool failed = line.error_code && *line.error_code != 0;
  return failed ? fmt::format("{}/{}", line.status, *line.error_code) : std::to_string(line.status);
}

std::string note_of(const cassettes::ListedInteraction& line) {
  if (line.completeness == api::Completeness::complete) return line.ended_by_client ? "ended by the client: " : "";
  return std::string(api::to_string(line.completeness)) + ": ";
}

std::string describe(const cassettes::CassetteInfo& info, const std::string& path) {
  return fmt::format("{}: {} in {}", printable(path), counted(info.interactions, "interaction"),
                     counted(info.takes.size(), "take"));
}

void warn_about(const cassettes::CassetteInfo& info, const std::string& path) {
  const std::string name = printable(path);
  if (!info.finished) {
    std::cerr << "tapedeck: warning: " << name << " is an unfinished recording\n";
  }
  if (!info.verified) {
    std::cerr << "tapedeck: warning: " << name << " is unverified and may still contain secrets; run `tapedeck scrub "
              << name << "`\n";
  }
  if (!info.takes.empty() && info.scrub_policy != scrubbers::RuleSet::defaults().fingerprint()) {
    std::cerr << "tapedeck: warning: " << name << " was scrubbed by other rules than the current defaults\n";
  }
}

}  // namespace tapedeck::cli
